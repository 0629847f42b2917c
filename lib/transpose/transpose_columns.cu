/* Transposes where the output's rows are not whole vectors of 16 bytes and are contiguous: images of an odd
 * number of pixels and many channels (7 x 7, 14 x 14), NHWC to NCHW.  Elements have WL_WIDTH bytes, blocks
 * WL_THREADS threads.  A tile is WL_COLS whole columns: WL_LINES times 128 bytes of each row of the input,
 * which are whole vectors.
 *
 * The tile is contiguous in the output.  Asynchronous loads bring its rows to lines of shared memory.  Then
 * lanes take the output's vectors, wherever in a column they begin, gather their elements and store them.  A
 * vector's elements come from WL_EACH rows of a column, or from the last of one column and the first of the
 * next.
 *
 * The place of an input vector: in its row's line, permuted by XOR with the number of its group of WL_EACH
 * rows.  So lanes that are consecutive in a column, WL_EACH rows apart, read eight different vectors, all the
 * same one of four words.  A warp's lanes therefore take four lines of the output, eight lanes each, that are
 * a word's columns apart.  Shared memory takes 15 to 25 passes per 512 bytes of WL_WIDTH 2, or 35 if the
 * lines are consecutive, where there is time for 57, and about 135 instructions of 228.
 *
 * Traffic: every byte is read once and written once, in whole lines if the input's rows begin at lines.
 */
#include "lib/cuda/async.cuh"
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/element.cuh"
#include "lib/transpose/transpose_tile.cuh"

#define WL_PITCH   (WL_LINES * 128) /* per row in shared memory */
#define WL_VECTORS (WL_LINES * 8)   /* per row */
#define WL_COLS    (WL_PITCH / WL_WIDTH)

/* With fewer rows, the four lines are consecutive: gathers are few if elements are words. */
#define WL_LINEAR (WL_WIDTH == 4 ? 128 : 32)

static_assert(WL_THREADS % WL_VECTORS == 0, "loads for all threads");

/* The place of the vector that has column c in the rows of a group. */
static __device__ __forceinline__ uint32_t wl_place(uint32_t c, uint32_t group) {
    return (c / WL_EACH ^ group % 8) * 16;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS) WL_NAME(const wl_transpose_tiles all) {
    wl_await_earlier();
    extern __shared__ __align__(128) char tile[];
    const wl_tile at = wl_find_tile(&all, blockIdx.x);
    if (!wl_is_tile(&all, &at))
        return;
    const uint64_t column = (uint64_t)at.across * WL_COLS;
    const int rows = (int)all.rows, cols = wl_rest(all.cols, column, WL_COLS);
    const char *from = at.from + column * WL_WIDTH;
    char *to = at.to + column * all.to_pitch;

    {
        const int step = WL_THREADS / WL_VECTORS, c = threadIdx.x % WL_VECTORS * WL_EACH;
        const char *address = from + threadIdx.x / WL_VECTORS * all.from_pitch + c * WL_WIDTH;
        const uint32_t shared = wl_async_address(tile);
        if (c < cols) {
#pragma unroll 4
            for (int r = threadIdx.x / WL_VECTORS; r < rows; r += step, address += step * all.from_pitch)
                wl_async_load(shared + r * WL_PITCH + wl_place(c, r / WL_EACH), address);
        }
        wl_async_wait();
    }
    __syncthreads();

    /* Lines of the output from one word's columns to the next. */
    const uint32_t apart = rows < WL_LINEAR ? 1 : (rows + 16) / 32, four = 4 * apart * 8;
    const uint32_t vectors = rows * cols / WL_EACH, lane = threadIdx.x % 32, warps = WL_THREADS / 32;
    /* The dividends have 17 bits, rows has 10 and is not a power of two: no correction (divisor.h). */
    const uint32_t reciprocal = UINT32_MAX / (uint32_t)rows + 1;
    const uint32_t skip = warps / apart, over = warps % apart;
    uint32_t line = threadIdx.x / 32 % apart, first = threadIdx.x / 32 / apart * four;
#pragma unroll 2
    for (; first < vectors; first += skip * four, line += over) {
        if (line >= apart) {
            line -= apart;
            first += four;
        }
        const uint32_t i = first + (lane / 8 * apart + line) * 8 + lane % 8;
        if (i >= vectors)
            continue;
        const uint32_t c = __umulhi(i * WL_EACH, reciprocal), r = i * WL_EACH - c * rows, group = r / WL_EACH;
        /* Elements to the end of the column, and to that of the group; the three possible places, as if each
         * were the first element's. */
        const int whole = rows - r, near = WL_EACH - r % WL_EACH;
        const char *column_here = tile + r * WL_PITCH + c % WL_EACH * WL_WIDTH;
        const char *column_next = tile - whole * WL_PITCH + (c + 1) % WL_EACH * WL_WIDTH;
        const char *here = column_here + wl_place(c, group), *below = column_here + wl_place(c, group + 1);
        const char *next = column_next + wl_place(c + 1, 0);
        uint32_t out[4] = {};
#pragma unroll
        for (int k = 0; k < WL_EACH; k++) {
            const char *place = k >= whole ? next : k >= near ? below : here;
            out[k * WL_WIDTH / 4] |= (uint32_t) * (const wl_element *)(place + k * WL_PITCH)
                                     << k * WL_WIDTH % 4 * 8;
        }
        *(uint4 *)(to + i * 16) = make_uint4(out[0], out[1], out[2], out[3]);
    }
}
