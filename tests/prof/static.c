/* A statically linked program with kernels: prints facts about its environment. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((section(".nv_fatbin"), used)) static const char kernels[] = "none";

int main(void) {
    static const char *const names[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES"};
    for (int i = 0; i < 3; i++) {
        const char *text = getenv(names[i]);
        printf("%s=%s\n", names[i], text ? text : "none");
    }
    return 5;
}
