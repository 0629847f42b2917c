/* Transposes 1- and 2-byte elements at any alignment and pitch, of either side, by asynchronous loads.
 * Compiled once for each width WL_WIDTH and tile, as WL_NAME: slots of WL_ACROSS lines of 128 bytes for the
 * input's rows, WL_DOWN lines across the output, WL_THREADS threads, and clusters of WL_CLUSTER blocks.
 *
 * Rows of the tile are windows in slots (transpose_windows.cuh).  A warp reads 128 bytes of each of the rows
 * that make a word of the output, one word per lane, shifted by the row's misalignment; transposes them in
 * registers; and, once all of the tile has been read, stores words of columns where the rows were.  From
 * these each row of the output is shifted again to its own misalignment and stored as vectors.  In each row
 * of the output the tile begins at a multiple of 32 bytes, as in transpose_elements.cu: 32 bytes of rows are
 * loaded in addition, unless all rows of the output begin at such (all.tile_extra is 0).  Vectors that a row
 * of the output begins or ends within come last: lanes are their elements.
 *
 * WL_WHOLE 1: all rows of the input begin at multiples of 16 bytes.  Then tiles are as wide as slots, and
 * words need no shift.
 *
 * The misalignment to 4 bytes is the same in rows that are 4 words of the output apart, as a thread's are,
 * and in columns that are 32 bytes apart, as a warp's 4 are when it stores.
 *
 * Clusters exchange nothing: shared memory of other blocks is slow.  But neighbours run at the same time, on
 * multiprocessors near each other, and large matrices take 1 to 2 % less time.  Then windows bring whole
 * lines into the L2, whose rest a neighbour wants.
 *
 * Bank conflicts: none.  When rows are read, lanes are neighbours.  Column c has number c % WL_GROUP * 32 + 4
 * * (its word in 32 bytes) + (its 32 bytes of 128), and numbers are an odd count of words apart.  So 32
 * neighbours take all banks, and the four that are read together, 4 consecutive numbers, take the banks
 * between 8 vectors' words.
 *
 * Traffic: every byte is read once from memory, and written once.  From L2 a tile of 1-byte elements takes
 * 160 rows for 128, each 8 to 9 sectors for 7.5; of 2-byte ones 144 for 128, or for wider tiles 80 for 64,
 * each 16 to 17 sectors for 15.5: with the writes 1.2 and 1.15 times the minimum.  With WL_WHOLE a row has 8
 * sectors for 8, or 9 if it begins within one.  That is not all that keeps it below the speed of a copy
 * (docs/notes/transpose.md).
 */
#include "lib/cuda/async.cuh"
#include "lib/cuda/element.cuh"

#define WL_SLOT  (WL_ACROSS * 128) /* bytes */
#define WL_COLS  ((WL_SLOT - (WL_WHOLE ? 0 : 16)) / WL_WIDTH)
#define WL_ROWS  (WL_DOWN * 8 * WL_EACH)
#define WL_EXTRA (32 / WL_WIDTH) /* rows before the tile's own */
#if WL_CLUSTER > 1
#define WL_LOAD wl_async_load_line
#else
#define WL_LOAD wl_async_load
#endif
#include "lib/cuda/earlier.cuh"
#include "lib/transpose/transpose_windows.cuh"

#define WL_WARPS (WL_THREADS / 32)
/* Words of the output in a tile's column; a warp reads those of 128 bytes, then WL_DEEP words further. */
#define WL_WORDS (WL_LOADED / WL_GROUP)
#define WL_DEEP  (WL_WARPS / WL_ACROSS)
#define WL_READS ((WL_WORDS + WL_DEEP - 1) / WL_DEEP)
#define WL_PITCH (WL_WORDS + 1)
/* Columns of different misalignment. */
#define WL_KINDS  (32 / WL_WIDTH)
#define WL_STORES (WL_KINDS / WL_WARPS)

#define WL_SLOTS_BYTES   (WL_LOADED * WL_SLOT)
#define WL_COLUMNS_BYTES (WL_SLOT / WL_WIDTH * WL_PITCH * 4)

static_assert(WL_WIDTH < 4, "wider elements are no parts of words");
static_assert(WL_WARPS % WL_ACROSS == 0, "warps for all lines");
static_assert(WL_PITCH % 2 == 1, "no bank conflicts");
static_assert(WL_KINDS % WL_WARPS == 0, "stores for all warps");

#if __CUDA_ARCH__ >= 900 && WL_CLUSTER > 1
#define WL_IN_CLUSTERS __cluster_dims__(WL_CLUSTER, 1, 1)
#else
#define WL_IN_CLUSTERS
#endif

/* The place of a column of the tile, in words: its number's parts are those of the banks' formula. */
static __device__ __forceinline__ int wl_column(int c) {
    const int kind = c % WL_KINDS, near = c / WL_KINDS;
    return (near / 4 * WL_GROUP * 32 + kind % WL_GROUP * 32 + kind / WL_GROUP * 4 + near % 4) * WL_PITCH;
}

/* Stores the elements of vectors that only begin or end in the matrix, one per lane, where the output's rows
 * begin and end. */
static __device__ __forceinline__ void wl_store_ends(const wl_part &part, const uint32_t *columns, char *to,
                                                     uint64_t pitch) {
    const int lane = threadIdx.x % WL_EACH;
    const bool begins = part.low > 0, ends = part.high < WL_LOADED;
#pragma unroll 2
    for (int c = threadIdx.x / WL_EACH; c < part.cols; c += WL_THREADS / WL_EACH) {
        const wl_element *read = (const wl_element *)(columns + wl_column(c));
        char *address = to + c * pitch;
        const int early = (32 - (int)((uintptr_t)(address + 32) % 32)) / WL_WIDTH;
        if (begins) {
            const int before = (part.low - early) % WL_EACH, row = part.low + lane;
            if (part.low > early && before > 0 && before + lane < WL_EACH && row < part.high)
                ((wl_element *)address)[row] = read[row];
        }
        if (ends) {
            const int full = (part.high - early) / WL_EACH, row = early + full * WL_EACH + lane;
            if (part.high > early && full < WL_DOWN * 8 && row >= part.low && row < part.high)
                ((wl_element *)address)[row] = read[row];
        }
    }
}

extern "C" __global__ void WL_IN_CLUSTERS __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_NAME(const wl_transpose_tiles all) {
    wl_await_earlier();
    /* The rows, and later the columns. */
    __shared__ __align__(
        WL_SLOT) char space[WL_SLOTS_BYTES > WL_COLUMNS_BYTES ? WL_SLOTS_BYTES : WL_COLUMNS_BYTES];
    if (blockIdx.x >= all.blocks)
        return;
    wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (at.down >= all.tiles_down)
        return;
    if (WL_CLUSTER > 1) {
        /* Partial tiles first: they take longest, and nothing would hide them at the end.  Pairs are of
         * neighbours, so that at most one column is missing. */
        at.down = at.down ? at.down - 1 : all.tiles_down - 1;
        at.across = all.tiles_across - 1 + (all.tiles_across & all.paired) - at.across;
    }
    if (at.across >= all.tiles_across)
        return;
    const wl_part part = wl_part_of(all, at);
    const bool whole = wl_is_whole(all, at, part);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    if (whole)
        wl_load_whole(part, space);
    else
        wl_load_part(part, space);
    wl_async_wait();
    __syncthreads();

    const uint32_t step = (uint32_t)part.pitch * (WL_DEEP * WL_GROUP);
    uint32_t words[WL_READS][WL_GROUP];
    const int line = warp % WL_ACROSS, first = warp / WL_ACROSS; /* of 128 bytes; word of the column */
    uint32_t x[WL_GROUP], shift[WL_GROUP];
#pragma unroll
    for (int k = 0; k < WL_GROUP; k++) {
        x[k] = (uint32_t)(uintptr_t)part.from + (uint32_t)(first * WL_GROUP + k) * (uint32_t)part.pitch +
               line * 128 + lane * 4;
        shift[k] = x[k] % 4 * 8;
        x[k] -= x[k] % 4;
    }
#pragma unroll
    for (int j = 0; j < WL_READS; j++)
        if ((WL_WORDS % WL_DEEP == 0 || first + j * WL_DEEP < WL_WORDS) &&
            !(part.even && (j + 1) * WL_DEEP * WL_GROUP <= WL_EXTRA)) {
#pragma unroll
            for (int k = 0; k < WL_GROUP; k++) {
                const char *slot = space + ((first + j * WL_DEEP) * WL_GROUP + k) * WL_SLOT;
                words[j][k] = *(const uint32_t *)(slot + wl_place(x[k] + j * step));
                if (!WL_WHOLE) {
                    const uint32_t high = *(const uint32_t *)(slot + wl_place(x[k] + j * step + 4));
                    words[j][k] = __funnelshift_r(words[j][k], high, shift[k]);
                }
            }
            wl_transpose_group(words[j]);
        }
    __syncthreads();
    uint32_t *const columns = (uint32_t *)space;
    uint32_t *const put = columns + (line * WL_GROUP * 32 + lane % 8 * 4 + lane / 8) * WL_PITCH + first;
#pragma unroll
    for (int j = 0; j < WL_READS; j++)
        if ((WL_WORDS % WL_DEEP == 0 || first + j * WL_DEEP < WL_WORDS) &&
            !(part.even && (j + 1) * WL_DEEP * WL_GROUP <= WL_EXTRA)) {
#pragma unroll
            for (int k = 0; k < WL_GROUP; k++)
                put[k * (32 * WL_PITCH) + j * WL_DEEP] = words[j][k];
        }
    __syncthreads();

    const int near = lane / 8; /* which 32 bytes' columns, of 128 */
    const uint64_t column = (uint64_t)at.across * WL_COLS;
    char *to = at.to + (column + near * WL_KINDS) * all.to_pitch +
               ((int64_t)at.down * WL_ROWS - WL_EXTRA) * WL_WIDTH;
#pragma unroll
    for (int j = 0; j < WL_STORES; j++) {
        const int kind = warp + j * WL_WARPS;
        char *address = to + kind * all.to_pitch;
        const int early = 32 - (int)((uintptr_t)(address + 32) % 32), byte = early + lane % 8 * 16;
        const uint32_t *read =
            columns + (kind % WL_GROUP * 32 + kind / WL_GROUP * 4 + near) * WL_PITCH + byte / 4;
        address += byte;
#pragma unroll
        for (int i = 0; i < WL_ACROSS; i++, address += 4 * WL_KINDS * all.to_pitch) {
            if ((i * 4 + near) * WL_KINDS + kind >= part.cols)
                continue;
#pragma unroll
            for (int v = 0; v < WL_DOWN; v++) {
                uint32_t word[5];
#pragma unroll
                for (int k = 0; k < 5; k++)
                    word[k] = read[i * (WL_GROUP * 32 * WL_PITCH) + v * 32 + k];
#pragma unroll
                for (int k = 0; k < 4; k++)
                    word[k] = __funnelshift_r(word[k], word[k + 1], early % 4 * 8);
                const int r = (byte + v * 128) / WL_WIDTH;
                if (whole || (r >= part.low && r + WL_EACH <= part.high))
                    *(uint4 *)(address + v * 128) = make_uint4(word[0], word[1], word[2], word[3]);
            }
        }
    }
    if (!whole && ((uintptr_t)to | all.to_pitch | all.rows * WL_WIDTH) % 16)
        wl_store_ends(part, columns, to - near * WL_KINDS * all.to_pitch, all.to_pitch);
}
