/* Transposes matrices of bytes whose rows are contiguous, and not long, by words: tall tables.  Blocks have
 * WL_THREADS threads.  A tile is all.tiles.tile_rows whole rows, a multiple of 32.
 *
 * The tile is contiguous in the input, and bulk loads bring it.  Lanes put its columns into an image of the
 * output, as those of transpose_group_panels.cu do.  There columns are apart, and lie in 16 bytes as they do
 * in the output.  If the output's rows do not all begin at sectors, the tile begins at a multiple of 32
 * bytes in each, up to 32 rows early: so many rows are loaded in addition.  Only a row's two ends are stored
 * by elements.
 *
 * Bank conflicts: where columns are whole words, the rows of lanes' tasks lie tile_pad bytes further apart,
 * and the library chooses how many lanes take rows of the same columns.
 *
 * Traffic: every byte is read once but those of additional rows and of vectors in which two loads meet, which
 * the L2 still has, and written once.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/transpose/transpose_groups.cuh"
#include "lib/transpose/transpose_piece.cuh"

#define SECTOR 32

/* How far the tile's first byte in this column of the output lies past a sector. */
static __device__ __forceinline__ uint32_t past_sector(const wl_transpose_group_pieces &all, const char *to,
                                                       uint32_t c) {
    return all.tiles.tile_extra ? ((uint32_t)(uintptr_t)to + c * (uint32_t)all.tiles.to_pitch) % SECTOR : 0;
}

/* Puts the tile's columns into the image.  to: where the tile's first row goes.  even: all of the output's
 * rows have as many bytes past words. */
template <bool aligned, bool even>
static __device__ __forceinline__ void put_columns(const wl_transpose_group_pieces &all, uint32_t in,
                                                   const char *to_tile) {
    const uint32_t cols = (uint32_t)all.tiles.cols, steps = all.lanes.steps,
                   distance = steps * 4 * cols + all.tiles.tile_pad;
    for (uint32_t task = threadIdx.x; task < all.lanes.tasks; task += WL_THREADS) {
        uint32_t unit;
        const uint32_t part = part_of(all.lanes, task, &unit), c = unit * 4,
                       place = shared_address(in) + part * distance + c;
        struct rows from;
#pragma unroll
        for (int i = 0; i < 4; i++)
            begin_row(from, i, place + i * cols);
        uint32_t to[4], shift[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const uint32_t past = past_sector(all, to_tile, c + j), early = even ? 0 : -past % 4;
            to[j] = shared_address(all.image) + (c + j) * all.pitch + SECTOR + part * steps * 4 + past +
                    early - all.tiles.tile_extra;
            shift[j] = early * 8;
        }
        uint32_t now[4], next[4], after[4];
        const auto put = [&](const uint32_t(&words)[4]) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                put_word(to[j], even ? words[j] : __funnelshift_r(now[j], words[j], shift[j]));
                to[j] += 4;
                now[j] = words[j];
            }
        };
        if (!even)
            take<aligned>(now, from, 4 * cols);
        /* All but the last step, two at a time, as loads do not pass stores. */
        uint32_t k = 1;
#pragma unroll 1
        for (; k + 2 <= steps; k += 2) {
            take<aligned>(next, from, 4 * cols);
            take<aligned>(after, from, 4 * cols);
            put(next);
            put(after);
        }
        if (k < steps) {
            take<aligned>(next, from, 4 * cols);
            put(next);
        }
        /* The last words end in another task's rows. */
        if (!even)
#pragma unroll
            for (int i = 0; i < 4; i++)
                from.at[i] += all.tiles.tile_pad;
        take<aligned>(next, from, 0);
        put(next);
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_NAME(const wl_transpose_group_pieces all) {
    wl_await_earlier();
    const wl_tile at = wl_find_tile(&all.tiles, blockIdx.x);
    if (!wl_is_tile(&all.tiles, &at))
        return;
    const int extra = (int)all.tiles.tile_extra, cols = (int)all.tiles.cols, rows = (int)all.tiles.tile_rows,
              group = (int)all.lanes.steps * 4 * cols, pad = (int)all.tiles.tile_pad;
    const int64_t row = (int64_t)at.down * rows - extra; /* first loaded, or before the matrix */
    const int low = row < 0 ? extra : 0, high = wl_rest(all.tiles.rows, row, rows + extra);
    const char *const from = at.from + row * cols;
    const uint32_t in = 128 + (uint32_t)((uintptr_t)from % 128);
    wl_barrier *const loaded = (wl_barrier *)shared;
    wl_load_piece(shared + in, from, low * cols, high * cols, group, pad, loaded);
    char *const to = at.to + row + extra;
    const bool aligned = ((uint32_t)cols | in) % 4 == 0,
               even = (((uint32_t)(uintptr_t)to | (uint32_t)all.tiles.to_pitch) % 4) == 0;
    if (aligned && even)
        put_columns<true, true>(all, in, to);
    else if (aligned)
        put_columns<true, false>(all, in, to);
    else if (even)
        put_columns<false, true>(all, in, to);
    else
        put_columns<false, false>(all, in, to);
    __syncthreads();
    /* Whole vectors of columns; at the matrix' ends, elements. */
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < all.by_vectors.count * cols; i += WL_THREADS) {
        uint32_t vector;
        const uint32_t c = wl_divide(i, all.by_vectors, &vector);
        const int first = (int)vector * 16 - (int)past_sector(all, to, c);
        const char *const source = shared + all.image + c * all.pitch + SECTOR + vector * 16;
        char *const address = to + c * all.tiles.to_pitch + first;
        const int before = low - extra - first,
                  after = high - extra - first; /* the vector's bytes that exist */
        if (before <= 0 && after >= 16) {
            *(uint4 *)address = *(const uint4 *)source;
            continue;
        }
#pragma unroll 1
        for (int k = max(before, 0); k < min(after, 16); k++)
            address[k] = source[k];
    }
}
