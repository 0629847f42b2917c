/* Transpose of bytes at any alignment and pitch, of either side.  Compiled once for each
 * width WL_WIDTH and tile, as WL_NAME: WL_ACROSS lines of 128 bytes across the input, WL_DOWN across the
 * output, WL_THREADS threads.
 *
 * As transpose_elements.cu, but words of a column's neighbours are what shared memory holds: a thread loads
 * 16 bytes of each of WL_GROUP rows, at any alignment, by two aligned vectors, shifts them in registers, and
 * transposes them in registers.  Storing, it shifts again by the bytes that its row of the output is off a
 * word; the tile begins at a multiple of 32 bytes in each row of the output, and so 32 bytes' worth of rows
 * are loaded in addition.
 *
 * Loading, a warp's 32 lanes are 8 vectors of 4 groups of rows.  Storing, they are 8 vectors of 4 rows of the
 * output that are 32 bytes' worth of rows apart, so that their misalignment is the warp's.
 *
 * Bank conflicts: none.  Word g of a column lies at slot g + g / 4; column c is number c % WL_EACH * (vectors
 * in a row) + c / WL_EACH, and numbers are an odd multiple of 4 slots apart.  Loading, 8 neighbouring numbers
 * take all multiples of 4, the groups, 5 slots apart, the rest.  Reading, words are 5 slots apart for 8
 * lanes, and 4 columns whose numbers differ by 2 take the banks between.
 *
 * Traffic: every byte is read once from memory (the rest is the neighbour's: the cache has it), and written
 * once.
 */
#include "lib/transpose/transpose_tile.cuh"

#define WL_EACH        (16 / WL_WIDTH) /* elements a vector */
#define WL_VECTORS     (WL_ACROSS * 8)
#define WL_COLS        (WL_VECTORS * WL_EACH) /* of a tile */
#define WL_GROUPS      (WL_DOWN * 32)
#define WL_ROWS        (WL_GROUPS * WL_GROUP)
#define WL_EXTRA       (32 / WL_WIDTH) /* rows before the tile's own */
#define WL_LOADED      (WL_ROWS + WL_EXTRA)
#define WL_WARPS       (WL_THREADS / 32)
#define WL_LOADS       ((WL_GROUPS + 8) / 4 * WL_ACROSS / WL_WARPS)
#define WL_SLOT(group) ((group) + (group) / 4)
#define WL_PITCH       52
#define WL_STORES      ((WL_COLS / 4 + WL_WARPS - 1) / WL_WARPS)

static_assert((WL_GROUPS + 8) / 4 * WL_ACROSS % WL_WARPS == 0, "loads for all warps");
static_assert(WL_DOWN == 1 && WL_SLOT(WL_GROUPS + 7) < WL_PITCH && WL_PITCH % 8 == 4, "a column's slots");

/* 32 bytes, of which 16 from any on are wanted. */
struct wl_pair {
    uint4 low, high;
};

/* Bytes `shift` to `shift` + 15, as words. */
static __device__ __forceinline__ void wl_shift(const wl_pair &pair, int shift, uint32_t (&out)[4]) {
    uint32_t word[8] = {pair.low.x,  pair.low.y,  pair.low.z,  pair.low.w,
                        pair.high.x, pair.high.y, pair.high.z, pair.high.w};
#pragma unroll
    for (int i = 0; i < 6; i++)
        word[i] = shift & 8 ? word[i + 2] : word[i];
#pragma unroll
    for (int i = 0; i < 5; i++)
        word[i] = shift & 4 ? word[i + 1] : word[i];
#pragma unroll
    for (int i = 0; i < 4; i++)
        out[i] = __funnelshift_r(word[i], word[i + 1], 8 * (shift & 3));
}

/* 16 bytes from `address` on, of which those before byte `high` exist: at an end of a row. */
static __device__ __forceinline__ void wl_load_end(const char *address, int high, uint32_t (&out)[4]) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        out[i] = 0;
#pragma unroll
        for (int k = 0; k < 4; k += WL_WIDTH)
            if (4 * i + k < high)
#if WL_WIDTH == 1
                out[i] |= (uint32_t)(uint8_t)address[4 * i + k] << 8 * k;
#else
                out[i] |= (uint32_t) * (const uint16_t *)(address + 4 * i + k) << 8 * k;
#endif
    }
}

/* Whether the aligned vectors that hold a vector's bytes hold nothing outside of the row. */
static __device__ __forceinline__ bool wl_inside(uint64_t column, int vector, int shift, int last) {
    return shift ? (column > 0 || vector > 0) && vector * 16 + 32 <= last : vector * 16 + 16 <= last;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    __shared__ uint32_t tile[WL_COLS * WL_PITCH];
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const int64_t row =
        (int64_t)at.down * WL_ROWS - WL_EXTRA; /* the first that is loaded, or before the matrix */
    const uint64_t column = (uint64_t)at.across * WL_COLS;
    const int low = row < 0 ? (int)-row : 0, high = wl_rest(all.rows, row, WL_LOADED); /* rows that exist */
    const int last = wl_rest(all.cols, column, WL_COLS + WL_EACH) * WL_WIDTH;          /* bytes of a row */
    const char *from = at.from + row * all.from_pitch + column * WL_WIDTH;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

#pragma unroll
    for (int j = 0; j < WL_LOADS; j++) {
        const int unit = warp + j * WL_WARPS;
        const int vector = unit % WL_ACROSS * 8 + lane % 8, group = unit / WL_ACROSS * 4 + lane / 8;
        const char *address = from + group * WL_GROUP * all.from_pitch + vector * 16;
        wl_pair pair[WL_GROUP];
        uint32_t words[WL_GROUP][4];
#pragma unroll
        for (int i = 0; i < WL_GROUP; i++) {
            const char *start = address + i * all.from_pitch;
            const int shift = (int)((uintptr_t)start % 16), r = group * WL_GROUP + i;
            if (r < low || r >= high)
                continue;
            if (wl_inside(column, vector, shift, last)) {
                pair[i].low = *(const uint4 *)(start - shift);
                if (shift)
                    pair[i].high = *(const uint4 *)(start - shift + 16);
            } else {
                wl_load_end(start, last - vector * 16, words[i]);
            }
        }
#pragma unroll
        for (int i = 0; i < WL_GROUP; i++) {
            const int shift = (int)((uintptr_t)(address + i * all.from_pitch) % 16);
            if (wl_inside(column, vector, shift, last))
                wl_shift(pair[i], shift, words[i]);
        }
        uint32_t *slot = tile + vector * WL_PITCH + WL_SLOT(group);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            uint32_t word[WL_GROUP];
#pragma unroll
            for (int k = 0; k < WL_GROUP; k++)
                word[k] = words[k][i];
            wl_transpose_group(word);
#pragma unroll
            for (int k = 0; k < WL_GROUP; k++)
                slot[(i * WL_GROUP + k) * (WL_VECTORS * WL_PITCH)] = word[k];
        }
    }
    __syncthreads();

    const int cols = last < WL_COLS * WL_WIDTH ? last / WL_WIDTH : WL_COLS;
#pragma unroll
    for (int j = 0; j < WL_STORES; j++) {
        const int unit = warp + j * WL_WARPS;
        const int vector = unit / 2 / WL_EACH * 8 + unit % 2 + lane / 8 * 2,
                  c = vector * WL_EACH + unit / 2 % WL_EACH;
        if (c >= cols)
            continue;
        char *to = at.to + (column + c) * all.to_pitch + row * WL_WIDTH;
        const int start = 32 - (int)((uintptr_t)(to + 32) % 32), byte = start + lane % 8 * 16;
        const uint32_t *read = tile + (unit / 2 % WL_EACH * WL_VECTORS + vector) * WL_PITCH + lane % 8 * 5;
        uint32_t word[5];
#pragma unroll
        for (int i = 0; i < 5; i++)
            word[i] = read[WL_SLOT(start / 4 + i)];
#pragma unroll
        for (int i = 0; i < 4; i++)
            word[i] = __funnelshift_r(word[i], word[i + 1], 8 * (start & 3));
        const int r = byte / WL_WIDTH;
        if (r >= low && r + WL_EACH <= high) {
            *(uint4 *)(to + byte) = make_uint4(word[0], word[1], word[2], word[3]);
        } else {
#pragma unroll
            for (int i = 0; i < 16; i += WL_WIDTH)
                if (r + i / WL_WIDTH >= low && r + i / WL_WIDTH < high)
#if WL_WIDTH == 1
                    to[byte + i] = (char)(word[i / 4] >> 8 * (i % 4));
#else
                    *(uint16_t *)(to + byte + i) = (uint16_t)(word[i / 4] >> 8 * (i % 4));
#endif
        }
    }
}
