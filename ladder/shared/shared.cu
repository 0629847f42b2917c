/* Shared memory's banks, with one tile that is written along rows and read along rows or columns.
 *
 *   row-row           32 x 32 tile, stored and read along rows: one wavefront per request
 *   row-col           read along columns: the 32 lanes' words are all in one bank, 32 wavefronts
 *   row-col-pad       rows of 33 words: a column's words are in 32 banks, one wavefront
 *   rect-row-col      16 rows x 32 columns, read along columns: a warp reads two columns of 16 words, each
 *                     in one bank: 16 wavefronts
 *   rect-row-col-pad  rows of 34 words: word (c, r) is in bank (2 c + r) mod 32, so the two columns take
 *                     the even and the odd banks.  (With 33 the columns would overlap in 15 banks.)
 *
 * Traffic: 4 n bytes read, 4 n written, dense on both sides; only shared memory differs.  Each block has one
 * tile, each thread one element.  If a partial tile's element is past n, it counts as 0.
 */
#include "lib/cuda/index.cuh"

#define SIDE 32

/* This thread's index in `in` and `out`. */
#define WL_TILE_START(threads) (first + (uint64_t)blockIdx.x * (threads) + threadIdx.y * SIDE + threadIdx.x)

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    wl_shared_row_row(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t n,
                      uint64_t first) {
    __shared__ uint32_t tile[SIDE][SIDE];
    uint64_t i = WL_TILE_START(SIDE * SIDE);
    tile[threadIdx.y][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.y][threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    wl_shared_row_col(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t n,
                      uint64_t first) {
    __shared__ uint32_t tile[SIDE][SIDE];
    uint64_t i = WL_TILE_START(SIDE * SIDE);
    tile[threadIdx.y][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void __launch_bounds__(SIDE *SIDE)
    wl_shared_row_col_pad(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t n,
                          uint64_t first) {
    __shared__ uint32_t tile[SIDE][SIDE + 1];
    uint64_t i = WL_TILE_START(SIDE * SIDE);
    tile[threadIdx.y][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.x][threadIdx.y];
}

#define RECT_ROWS 16

extern "C" __global__ void __launch_bounds__(SIDE *RECT_ROWS)
    wl_shared_rect_row_col(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t n,
                           uint64_t first) {
    __shared__ uint32_t tile[RECT_ROWS][SIDE];
    uint64_t i = WL_TILE_START(SIDE * RECT_ROWS);
    unsigned place = threadIdx.y * SIDE + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = tile[place % RECT_ROWS][place / RECT_ROWS];
}

extern "C" __global__ void __launch_bounds__(SIDE *RECT_ROWS)
    wl_shared_rect_row_col_pad(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t n,
                               uint64_t first) {
    __shared__ uint32_t tile[RECT_ROWS][SIDE + 2];
    uint64_t i = WL_TILE_START(SIDE * RECT_ROWS);
    unsigned place = threadIdx.y * SIDE + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n)
        out[i] = tile[place % RECT_ROWS][place / RECT_ROWS];
}
