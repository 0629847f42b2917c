/* What the tiled transposes share: groups of narrow elements, transposed in registers. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_TILE_CUH
#define WIDELOAD_KERNELS_TRANSPOSE_TILE_CUH

#include "lib/transpose/transpose_tiles.h"

/* Elements narrower than a word move in groups: WL_GROUP rows of a word each become WL_GROUP columns of a
 * word each.  Wider ones are groups of one. */
#define WL_GROUP (WL_WIDTH < 4 ? 4 / WL_WIDTH : 1)

/* word[row] holds WL_GROUP elements of a row; afterwards word[column] holds WL_GROUP elements of a column. */
template <class T> static __device__ __forceinline__ void wl_transpose_group(T (&word)[WL_GROUP]) {
#if WL_WIDTH == 1
    uint32_t low01 = __byte_perm(word[0], word[1], 0x5140), high01 = __byte_perm(word[0], word[1], 0x7362);
    uint32_t low23 = __byte_perm(word[2], word[3], 0x5140), high23 = __byte_perm(word[2], word[3], 0x7362);
    word[0] = __byte_perm(low01, low23, 0x5410);
    word[1] = __byte_perm(low01, low23, 0x7632);
    word[2] = __byte_perm(high01, high23, 0x5410);
    word[3] = __byte_perm(high01, high23, 0x7632);
#elif WL_WIDTH == 2
    uint32_t low = __byte_perm(word[0], word[1], 0x5410);
    word[1] = __byte_perm(word[0], word[1], 0x7632);
    word[0] = low;
#else
    (void)word;
#endif
}

#if WL_WIDTH < 8
/* Stores WL_GROUP rows of a vector each to the columns of a tile in shared memory, one word each at `slot` of
 * columns that are `pitch` words apart. */
static __device__ __forceinline__ void wl_put_words(uint32_t *column, int pitch, unsigned slot,
                                                    const uint4 (&rows)[WL_GROUP]) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t word[WL_GROUP];
#pragma unroll
        for (int k = 0; k < WL_GROUP; k++)
            word[k] = i == 0 ? rows[k].x : i == 1 ? rows[k].y : i == 2 ? rows[k].z : rows[k].w;
        wl_transpose_group(word);
#pragma unroll
        for (int k = 0; k < WL_GROUP; k++)
            column[(i * WL_GROUP + k) * pitch + slot] = word[k];
    }
}
#endif

#endif
