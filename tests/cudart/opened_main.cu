/* Opens a library with kernels by a name that this program's own RUNPATH resolves, closes it and opens it
 * again: its variable is reinitialised. */
#include <cstdio>
#include <dlfcn.h>

int main(int argc, char **argv) {
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(OPENED, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            printf("%s\n", dlerror());
            return 1;
        }
        int (*at_start)() = (int (*)())dlsym(library, "opened_at_start");
        int (*run)() = (int (*)())dlsym(library, "opened_run");
        int first = at_start(), second = run(), third = run();
        printf("%d %d %d\n", first, second, third);
        printf("%d\n", dlclose(library));
    }
    return 0;
}
