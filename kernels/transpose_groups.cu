/* Transpose of elements of 1 or 2 bytes at any alignment and pitch, of either side.  Compiled once for each
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
#include "transpose_tile.cuh"

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
/* A warp's stores: 8 vectors of 4 rows of the output. */
#define WL_STORED (WL_COLS / 4)
#define WL_STORES ((WL_STORED + WL_WARPS - 1) / WL_WARPS)

static_assert((WL_GROUPS + 8) / 4 * WL_ACROSS % WL_WARPS == 0, "loads for all warps");
static_assert(WL_DOWN == 1 && WL_SLOT(WL_GROUPS + 7) < WL_PITCH && WL_PITCH % 8 == 4, "a column's slots");

#if WL_WIDTH == 1
typedef uint8_t wl_element;
#else
typedef uint16_t wl_element;
#endif

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

/* The 16 bytes from `start` on, of which the row has no more than `high` and, unless `before`, none before
 * them: by aligned vectors if these lie in the row, by elements else, and then there is nothing to shift. */
static __device__ __forceinline__ void wl_load_at_end(const char *start, bool before, int high, wl_pair &pair,
                                                      int &shift) {
    if (shift ? before && high >= 32 : high >= 16) {
        pair.low = *(const uint4 *)(start - shift);
        if (shift)
            pair.high = *(const uint4 *)(start - shift + 16);
        return;
    }
    shift = 0;
    uint32_t word[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        word[i] = 0;
#pragma unroll
        for (int k = 0; k < 4; k += WL_WIDTH)
            if (4 * i + k < high)
                word[i] |= (uint32_t)((const wl_element *)start)[(4 * i + k) / WL_WIDTH] << 8 * k;
    }
    pair.low = make_uint4(word[0], word[1], word[2], word[3]);
}

/* The j-th unit of a thread's loads: 16 bytes of the rows of a group. */
struct wl_unit {
    int vector, group;
};
static __device__ __forceinline__ wl_unit wl_unit_at(int j) {
    int i = threadIdx.x / 32 + j * WL_WARPS, lane = threadIdx.x % 32;
    wl_unit unit = {i % WL_ACROSS * 8 + lane % 8, i / WL_ACROSS * 4 + lane / 8};
    return unit;
}

/* What a thread writes: 16 bytes of column c's row of the output, from byte `byte` of the rows loaded on. */
struct wl_piece {
    int c, byte;
    char *to;
    uint32_t word[5];
};
static __device__ __forceinline__ wl_piece wl_piece_at(int j, const uint32_t *tile, char *to,
                                                       uint64_t pitch) {
    int i = threadIdx.x / 32 + j * WL_WARPS, lane = threadIdx.x % 32;
    int vector = i / 2 / WL_EACH * 8 + i % 2 + lane / 8 * 2, in_vector = i / 2 % WL_EACH;
    wl_piece piece;
    piece.c = vector * WL_EACH + in_vector;
    piece.to = to + piece.c * pitch;
    int start = 32 - (int)((uintptr_t)(piece.to + 32) % 32);
    piece.byte = start + lane % 8 * 16;
    piece.to += piece.byte;
    const uint32_t *read = tile + (in_vector * WL_VECTORS + vector) * WL_PITCH + lane % 8 * 5;
#pragma unroll
    for (int k = 0; k < 5; k++)
        piece.word[k] = read[WL_SLOT(start / 4 + k)];
#pragma unroll
    for (int k = 0; k < 4; k++)
        piece.word[k] = __funnelshift_r(piece.word[k], piece.word[k + 1], 8 * (start & 3));
    return piece;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    __shared__ uint32_t tile[WL_COLS * WL_PITCH];
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    const int64_t row =
        (int64_t)at.down * WL_ROWS - WL_EXTRA; /* the first that is loaded, or before the matrix */
    const uint64_t column = (uint64_t)at.across * WL_COLS;
    const int low = row < 0 ? (int)-row : 0, high = wl_rest(all.rows, row, WL_LOADED); /* rows that exist */
    const int last = wl_rest(all.cols, column, WL_COLS + WL_EACH) * WL_WIDTH;          /* bytes of a row */
    const char *from = at.from + row * all.from_pitch + column * WL_WIDTH;

    wl_pair pair[WL_LOADS][WL_GROUP];
    int shift[WL_LOADS][WL_GROUP];
    /* One test a block decides between loads that stand together and a row's end. */
    const bool inside = column > 0 && last == WL_COLS * WL_WIDTH + 16;
#pragma unroll
    for (int j = 0; j < WL_LOADS; j++) {
        const wl_unit unit = wl_unit_at(j);
#pragma unroll
        for (int i = 0; i < WL_GROUP; i++) {
            const int r = unit.group * WL_GROUP + i;
            const char *start = from + r * all.from_pitch + unit.vector * 16;
            shift[j][i] = (int)((uintptr_t)start % 16);
            start -= shift[j][i];
            if (inside && r >= low && r < high) {
                pair[j][i].low = *(const uint4 *)start;
                if (shift[j][i])
                    pair[j][i].high = *(const uint4 *)(start + 16);
            }
        }
    }
    if (!inside) {
#pragma unroll
        for (int j = 0; j < WL_LOADS; j++) {
            const wl_unit unit = wl_unit_at(j);
#pragma unroll
            for (int i = 0; i < WL_GROUP; i++) {
                const int r = unit.group * WL_GROUP + i;
                const char *start = from + r * all.from_pitch + unit.vector * 16;
                if (r >= low && r < high)
                    wl_load_at_end(start, column > 0 || unit.vector > 0, last - unit.vector * 16, pair[j][i],
                                   shift[j][i]);
            }
        }
    }
#pragma unroll
    for (int j = 0; j < WL_LOADS; j++) {
        const wl_unit unit = wl_unit_at(j);
        uint32_t words[WL_GROUP][4];
#pragma unroll
        for (int i = 0; i < WL_GROUP; i++)
            wl_shift(pair[j][i], shift[j][i], words[i]);
        uint32_t *slot = tile + unit.vector * WL_PITCH + WL_SLOT(unit.group);
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

    char *to = at.to + column * all.to_pitch + row * WL_WIDTH;
    const int cols = last < WL_COLS * WL_WIDTH ? last / WL_WIDTH : WL_COLS;
    if (low == 0 && high == WL_LOADED && cols == WL_COLS) {
#pragma unroll
        for (int j = 0; j < WL_STORES; j++) {
            if (WL_STORED % WL_WARPS && threadIdx.x / 32 + j * WL_WARPS >= WL_STORED)
                break;
            wl_piece piece = wl_piece_at(j, tile, to, all.to_pitch);
            *(uint4 *)piece.to = make_uint4(piece.word[0], piece.word[1], piece.word[2], piece.word[3]);
        }
        return;
    }
    for (int j = 0; j < WL_STORES && threadIdx.x / 32 + j * WL_WARPS < WL_STORED; j++) {
        wl_piece piece = wl_piece_at(j, tile, to, all.to_pitch);
        int r = piece.byte / WL_WIDTH;
        if (piece.c >= cols) {
            continue;
        } else if (r >= low && r + WL_EACH <= high) {
            *(uint4 *)piece.to = make_uint4(piece.word[0], piece.word[1], piece.word[2], piece.word[3]);
        } else {
#pragma unroll
            for (int i = 0; i < WL_EACH; i++)
                if (r + i >= low && r + i < high)
                    ((wl_element *)piece.to)[i] =
                        (wl_element)(piece.word[i / WL_GROUP] >> i % WL_GROUP * WL_WIDTH * 8);
        }
    }
}
