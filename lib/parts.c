#include "lib/parts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The file that this code was loaded from.  A program knows itself by the name that it was called by, which
 * is not a path if it was found in PATH. */
static bool own_file(char *file, size_t size, bool *program) {
    Dl_info own, main;
    if (!dladdr((void *)(size_t)wl__parts_folder, &own) || !own.dli_fname)
        return false;
    *program = dladdr((void *)getauxval(AT_PHDR), &main) && main.dli_fbase == own.dli_fbase;
    if (!*program)
        return (size_t)snprintf(file, size, "%s", own.dli_fname) < size;
    ssize_t length = readlink("/proc/self/exe", file, size);
    if (length < 0 || (size_t)length >= size)
        return false;
    file[length] = '\0';
    return true;
}

bool wl__parts_folder(unsigned i, char *folder, size_t size) {
    static const char *const beside_program[] = {"", "lib/", WL_BIN_TO_LIB "/"};
    bool program;
    if (!own_file(folder, size, &program))
        return false;
    char *slash = strrchr(folder, '/');
    if (!slash || i >= (program ? sizeof(beside_program) / sizeof(beside_program[0]) : 1))
        return false;
    size_t used = (size_t)(slash - folder) + 1;
    return (size_t)snprintf(folder + used, size - used, "%s", beside_program[i]) < size - used;
}
