/* Inputs for readers of files, through a file in memory. */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

const char *fuzz_file(const uint8_t *data, size_t size) {
    static int file = -1;
    static char name[64];
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        FUZZ_CHECK(file >= 0);
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    }
    FUZZ_CHECK(ftruncate(file, 0) == 0);
    FUZZ_CHECK(pwrite(file, data, size, 0) == (ssize_t)size);
    return name;
}
