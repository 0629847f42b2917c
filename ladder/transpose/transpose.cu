/* Transpose without shared memory: which side should be the strided one, and what do more accesses in
 * flight, or another order of blocks, bring?  (transpose_tiled.cu has the tiled rungs.)
 *
 *   copy-row      no transpose: loads and stores along rows, the limit for the best transpose
 *   copy-col      no transpose: both along columns, the limit for the worst
 *   naive-row     loads along rows, stores along columns
 *   naive-col     loads along columns, stores along rows: strided loads hit L1, strided stores cannot
 *   unroll4-row   naive-row, four elements per thread, blockDim.x apart
 *   unroll4-col   naive-col, likewise
 *   diagonal-row  naive-row, neighbouring blocks work on a diagonal of the matrix, so that they do not all
 *                 write to one memory partition
 *   diagonal-col  naive-col, likewise
 *
 * Traffic: 4 rows cols bytes read, as many written.  With 16 x 16 blocks a warp is two rows of 16: 2 x 2
 * sectors along rows, 16 along columns (the two rows share each sector): 25 %.  At 1024 x 1024: 32768
 * requests, with 131072 sectors along rows and 524288 along columns.
 *
 * Every kernel handles a slab: rows x cols elements of a matrix, pitch elements from row to row (in_pitch
 * is the matrix's columns; out_pitch its rows, for a copy its columns).  The library launches several
 * slabs if the grid would have more than 65535 blocks in y, so a slab's coordinates fit into 32 bits.
 * Elements are moved bit for bit, so they are integers here.
 */
#include "lib/cuda/index.cuh"

struct wl_coordinates {
    unsigned x, y; /* of the block in the grid */
};

/* Numbers the grid's blocks, x fastest, and places them along diagonals: each run of gridDim.y blocks uses
 * every row of blocks once, each one column further.  A permutation of any grid below 2^32 blocks. */
static __device__ __forceinline__ wl_coordinates wl_diagonal(void) {
    unsigned number = blockIdx.x + gridDim.x * blockIdx.y;
    wl_coordinates at;
    at.y = number % gridDim.y;
    at.x = (number / gridDim.y + at.y) % gridDim.x;
    return at;
}

extern "C" __global__ void WL_ANY_BLOCK wl_transpose_copy_row(uint32_t *__restrict__ out,
                                                              const uint32_t *__restrict__ in, unsigned rows,
                                                              unsigned cols, uint64_t out_pitch,
                                                              uint64_t in_pitch) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        out[r * out_pitch + c] = in[r * in_pitch + c];
}

extern "C" __global__ void WL_ANY_BLOCK wl_transpose_copy_col(uint32_t *__restrict__ out,
                                                              const uint32_t *__restrict__ in, unsigned rows,
                                                              unsigned cols, uint64_t out_pitch,
                                                              uint64_t in_pitch) {
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        out[r * out_pitch + c] = in[r * in_pitch + c];
}

extern "C" __global__ void WL_ANY_BLOCK wl_transpose_naive_row(uint32_t *__restrict__ out,
                                                               const uint32_t *__restrict__ in, unsigned rows,
                                                               unsigned cols, uint64_t out_pitch,
                                                               uint64_t in_pitch) {
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        out[c * out_pitch + r] = in[r * in_pitch + c];
}

extern "C" __global__ void WL_ANY_BLOCK wl_transpose_naive_col(uint32_t *__restrict__ out,
                                                               const uint32_t *__restrict__ in, unsigned rows,
                                                               unsigned cols, uint64_t out_pitch,
                                                               uint64_t in_pitch) {
    unsigned r = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        out[c * out_pitch + r] = in[r * in_pitch + c];
}

/* One test per block selects between four grouped loads and a ragged edge. */
extern "C" __global__ void WL_ANY_BLOCK wl_transpose_unroll4_row(uint32_t *__restrict__ out,
                                                                 const uint32_t *__restrict__ in,
                                                                 unsigned rows, unsigned cols,
                                                                 uint64_t out_pitch, uint64_t in_pitch) {
    unsigned block = blockIdx.x * blockDim.x * 4, c = block + threadIdx.x;
    unsigned r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;
    in += r * in_pitch;
    out += r;
    if (block + 4 * blockDim.x <= cols) {
        uint32_t moved[4];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            moved[j] = in[c + j * blockDim.x];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            out[(c + j * blockDim.x) * out_pitch] = moved[j];
        return;
    }
    for (unsigned j = 0; j < 4; j++, c += blockDim.x)
        if (c < cols)
            out[c * out_pitch] = in[c];
}

extern "C" __global__ void WL_ANY_BLOCK wl_transpose_unroll4_col(uint32_t *__restrict__ out,
                                                                 const uint32_t *__restrict__ in,
                                                                 unsigned rows, unsigned cols,
                                                                 uint64_t out_pitch, uint64_t in_pitch) {
    unsigned block = blockIdx.x * blockDim.x * 4, r = block + threadIdx.x;
    unsigned c = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols)
        return;
    in += c;
    out += c * out_pitch;
    if (block + 4 * blockDim.x <= rows) {
        uint32_t moved[4];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            moved[j] = in[(r + j * blockDim.x) * in_pitch];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            out[r + j * blockDim.x] = moved[j];
        return;
    }
    for (unsigned j = 0; j < 4; j++, r += blockDim.x)
        if (r < rows)
            out[r] = in[r * in_pitch];
}

extern "C" __global__ void WL_ANY_BLOCK wl_transpose_diagonal_row(uint32_t *__restrict__ out,
                                                                  const uint32_t *__restrict__ in,
                                                                  unsigned rows, unsigned cols,
                                                                  uint64_t out_pitch, uint64_t in_pitch) {
    wl_coordinates block = wl_diagonal();
    unsigned c = block.x * blockDim.x + threadIdx.x, r = block.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        out[c * out_pitch + r] = in[r * in_pitch + c];
}

extern "C" __global__ void WL_ANY_BLOCK wl_transpose_diagonal_col(uint32_t *__restrict__ out,
                                                                  const uint32_t *__restrict__ in,
                                                                  unsigned rows, unsigned cols,
                                                                  uint64_t out_pitch, uint64_t in_pitch) {
    wl_coordinates block = wl_diagonal();
    unsigned r = block.x * blockDim.x + threadIdx.x, c = block.y * blockDim.y + threadIdx.y;
    if (c < cols && r < rows)
        out[c * out_pitch + r] = in[r * in_pitch + c];
}
