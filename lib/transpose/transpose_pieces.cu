/* Transposes where the input's rows are contiguous, and not long: images of an odd number of pixels and many
 * channels (7 x 7, 14 x 14), NCHW to NHWC; tall tables.  Elements have WL_WIDTH bytes, blocks WL_THREADS
 * threads.  A tile is all.tile_rows whole rows: a power of two times WL_STRIP.
 *
 * The tile is contiguous in the input: bulk loads bring it, whatever its rows' alignment.  A lane gathers the
 * elements of WL_EACH rows and one column, and stores them as 16 bytes of a row of the output.  Eight lanes
 * store 128 bytes of it, a warp does so for four rows.  No lane idles at a row's edge as in tiles of whole
 * lines.
 *
 * If the output's rows do not all begin at sectors, or at chunks of 256 bytes where the library wants these
 * whole, the tile begins at a multiple of so many bytes in each, up to all.tile_extra rows early: so many
 * rows are loaded in addition.  Only a row's two ends are stored by elements.
 *
 * Bank conflicts: the first elements of lanes' rows are 4 * cols words apart, and the four columns take the
 * words between.  So none if cols is odd, 2-way if it is twice an odd number, 4-way if four times one.  Then
 * each WL_EACH rows are a load, and lie all.tile_pad bytes further apart.  512 bytes take 8 requests for
 * WL_WIDTH 2, where there is time for 57.
 * Pads leave a column one of four banks, and with rows that begin early each of four columns is in another
 * row.  Those of bytes lie APART columns apart: a multiple of 4 rows and a word each, so in different banks.
 * With rows that begin early, each column's vectors begin to_pitch rows before the last one's, modulo a
 * vector: 1 - cols * to_pitch bytes further.  Where that is a multiple of 8, the four columns of bytes share
 * banks: 4-way, or 2-way.  Each then begins with another word of its vector, which lies cols words further.
 *
 * Traffic: every byte is read once but those of additional rows and of vectors in which two loads meet, which
 * the L2 still has, and written once.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/transpose/transpose_piece.cuh"
#include "lib/transpose/transpose_tile.cuh"

#define WL_STRIP (8 * WL_EACH) /* rows per line of the output */
#define APART    4             /* columns of bytes that a warp takes lie so far apart if there are pads */

/* Puts element k into a vector whose bits are 0. */
static __device__ __forceinline__ void put(uint32_t (&out)[4], int k, wl_element element) {
#if WL_WIDTH == 16
    out[0] = element.x;
    out[1] = element.y;
    out[2] = element.z;
    out[3] = element.w;
#elif WL_WIDTH == 8
    out[2 * k] = element.x;
    out[2 * k + 1] = element.y;
#else
    out[k * WL_WIDTH / 4] |= (uint32_t)element << k * WL_WIDTH % 4 * 8;
#endif
}

#if WL_WIDTH == 1
/* Puts words in their places: word w is at (w - by) % 4. */
static __device__ __forceinline__ void turn_back(uint32_t (&out)[4], int by) {
    const uint32_t a[4] = {out[0], out[1], out[2], out[3]};
#pragma unroll
    for (int w = 0; w < 4; w++)
        out[w] = by & 1 ? a[(w + 3) % 4] : a[w];
    const uint32_t b[4] = {out[0], out[1], out[2], out[3]};
#pragma unroll
    for (int w = 0; w < 4; w++)
        out[w] = by & 2 ? b[(w + 2) % 4] : b[w];
}
#endif

/* Element k of it. */
static __device__ __forceinline__ wl_element taken(const uint32_t (&out)[4], int k) {
#if WL_WIDTH == 16
    return make_uint4(out[0], out[1], out[2], out[3]);
#elif WL_WIDTH == 8
    return make_uint2(out[2 * k], out[2 * k + 1]);
#else
    return (wl_element)(out[k * WL_WIDTH / 4] >> k * WL_WIDTH % 4 * 8);
#endif
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    wl_await_earlier();
    /* The barrier; from the next line on the tile, at its place in a line (async.cuh says why). */
    extern __shared__ __align__(128) char shared[];
    wl_barrier *const loaded = (wl_barrier *)shared;
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const int extra = (int)all.tile_extra, cols = (int)all.cols, length = cols * WL_WIDTH;
    const int64_t row = (int64_t)at.down * all.tile_rows - extra; /* first loaded, or before the matrix */
    const int low = row < 0 ? extra : 0, high = wl_rest(all.rows, row, (int)all.tile_rows + extra);
    /* WL_EACH rows, in global and in shared memory. */
    const int group = WL_EACH * length, pitch = group + (int)all.tile_pad;
    const char *from = at.from + row * length;
    char *const in = shared + 128 + (uintptr_t)from % 128;
    wl_load_piece(in, from, low * length, high * length, group, pitch - group, loaded);

    /* Units of a strip by four columns; consecutive warps take strips of the same columns. */
    const uint32_t strips = all.tile_rows / WL_STRIP, shift = __popc(strips - 1);
    const int lane = threadIdx.x % 32;
#if WL_WIDTH == 1
    const uint32_t apart = all.tile_pad ? APART : 1; /* a power of two */
    const bool turned = extra && (uint32_t)all.to_pitch * cols % 8 == 1;
#else
    constexpr uint32_t apart = 1;
#endif
#pragma unroll 2
    for (uint32_t unit = threadIdx.x / 32;; unit += WL_THREADS / 32) {
        /* Units that follow each other take the columns between. */
        const uint32_t four = unit >> shift, next = four & (apart - 1);
        if ((int)(four - next) * 4 >= cols)
            break;
        const int c = (int)(four * 4 - next * 3 + lane / 8 * apart);
        char *const to = at.to + c * all.to_pitch;
        const int early =
                      extra ? extra - (int)((uint32_t)(uintptr_t)to & (extra * WL_WIDTH - 1)) / WL_WIDTH : 0,
                  first = early + (unit & (strips - 1)) * WL_STRIP + lane % 8 * WL_EACH;
        if (c >= cols || first + WL_EACH <= low || first >= high)
            continue;
        const int i = first / WL_EACH, k0 = first % WL_EACH;
        const char *const here = in + i * pitch + k0 * length + c * WL_WIDTH, *const below =
                                                                                  here + (pitch - group);
        uint32_t out[4] = {};
#if WL_WIDTH == 1
        /* No pad lies between odd rows. */
        if (turned) {
#pragma unroll
            for (int w = 0; w < 4; w++) {
                const char *const word = here + (w + lane / 8) % 4 * 4 * length;
#pragma unroll
                for (int k = 0; k < 4; k++)
                    put(out, 4 * w + k, *(const wl_element *)(word + k * length));
            }
            turn_back(out, lane / 8);
        } else
#endif
#pragma unroll
            for (int k = 0; k < WL_EACH; k++)
                put(out, k, *(const wl_element *)((k + k0 < WL_EACH ? here : below) + k * length));
        char *const address = to + (row + first) * WL_WIDTH;
        if (first >= low && first + WL_EACH <= high) {
            *(uint4 *)address = make_uint4(out[0], out[1], out[2], out[3]);
            continue;
        }
#pragma unroll
        for (int k = 0; k < WL_EACH; k++)
            if (first + k >= low && first + k < high)
                ((wl_element *)address)[k] = taken(out, k);
    }
}
