/* What both permuting kernels do: they turn numbers of tiles and threads into places. */
#ifndef WIDELOAD_KERNELS_PERMUTE_CUH
#define WIDELOAD_KERNELS_PERMUTE_CUH

#include "lib/permute/permute.h"

static __device__ __forceinline__ uint32_t wl_divide(uint32_t n, const struct wl_permute_divisor *by) {
    return __umulhi(n, by->magic) >> by->shift;
}

/* Finds a tile's place in both arrays, and among the rows of joined dimensions.  Returns whether the tile
 * begins (1) and ends (2) a row of the output, where that matters. */
static __device__ __forceinline__ uint32_t wl_tile_place(const struct wl_permute_tiles &p, uint32_t tile,
                                                         uint64_t *in, uint64_t *out, uint32_t *row) {
    uint32_t ends = 3;
    *in = p.from;
    *out = p.to;
    *row = 0;
    for (uint32_t i = 0; i < p.digits; i++) {
        const struct wl_permute_digit &digit = p.digit[i];
        uint32_t rest = wl_divide(tile, &digit.by), place = tile - rest * digit.by.count;
        *in += place * digit.in;
        *out += place * digit.out;
        *row += place * digit.row;
        if (place == digit.by.count - 1) {
            *in -= digit.in_back;
            *out -= digit.out_back;
            *row -= digit.row_back;
        }
        if (digit.edges)
            ends = (place == 0) + 2 * (place == digit.by.count - 1);
        tile = rest;
    }
    return ends;
}

/* Finds a thread's first access: its place in the tile's memory, from the tile's place in the array, and
 * along its row. */
static __device__ __forceinline__ uint32_t wl_thread_place(const struct wl_permute_side &side,
                                                           uint32_t *shared, uint64_t *global) {
    uint32_t thread = threadIdx.x, begin = 0;
    *shared = 0;
    *global = 0;
    for (uint32_t i = 0; i < side.parts; i++) {
        const struct wl_permute_part &part = side.part[i];
        uint32_t rest = wl_divide(thread, &part.by), place = thread - rest * part.by.count;
        *shared += place * part.shared;
        *global += place * part.global;
        begin += place * part.begin;
        thread = rest;
    }
    return begin;
}

/* Elements that an access at this address has before its row begins. */
static __device__ __forceinline__ uint32_t wl_shift(uint32_t address, uint32_t width) {
    return address % WL_PERMUTE_ACCESS / width;
}

#endif
