/* The parameters of the kernel that checks a sparse matrix's data: the same structs on both sides. */
#ifndef WIDELOAD_KERNELS_CHECK_PARAMETERS_H
#define WIDELOAD_KERNELS_CHECK_PARAMETERS_H

#include <stdint.h>

#define WL_CHECK_THREADS 256
/* Vectors of 16 bytes that a thread loads at a time: a tile has 16 KiB. */
#define WL_CHECK_EACH 4
#define WL_CHECK_NONE 0xffffffffffffffffull

struct wl_check_array {
    uint64_t address, count; /* count: 0 to 2^42 */
    uint64_t limit;          /* indices are below it; pointers are at most this, and the last one is this */
    uint64_t place, step;    /* element i has the place `place + i * step` among all that are checked */
    uint64_t tiles;          /* of the array, from the last multiple of 16 bytes before it on */
};

struct wl_check {
    struct wl_check_array arrays[2];
    uint64_t wrong;    /* uint64_t: the least place of a wrong element, or WL_CHECK_NONE */
    uint32_t pointers; /* whether the first array has pointers; else it has indices, as the second has */
};

#endif
