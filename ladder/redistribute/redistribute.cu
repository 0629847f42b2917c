/* The transpose of a piece, of which one side is another device's memory.
 *
 * `elements` has one thread per element.  Loads are along rows, and stores along columns.  The 32 lanes of a
 * warp store into 32 sectors, of which each gets 4 of its 32 bytes.
 *
 * `tile` goes through a padded 32 x 32 tile in shared memory.  Loads and stores are rows of 128 bytes.
 *
 * Neither knows which side crosses the link.  `load` runs `tile` on the device that wants the piece, so that
 * its loads cross; `scatter` and `store` run on the device that has it, so that the stores cross.
 *
 * Traffic of a piece: 4 rows cols bytes over the link.  `elements` sends 8 times as many sectors as `tile`.
 */
#include "lib/cuda/index.cuh"

#define TILE   32
#define HEIGHT 8 /* rows that a block handles at once */

extern "C" __global__ void __launch_bounds__(256)
    wl_redistribute_elements(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t rows,
                             uint64_t cols, uint64_t out_pitch, uint64_t in_pitch, uint64_t first) {
    uint64_t i = wl_index(first), r = i / cols, c = i % cols;
    if (r < rows)
        out[c * out_pitch + r] = in[r * in_pitch + c];
}

/* A block has one tile; `first` is that of the launch's first block.  Tiles are numbered along the rows of
 * the output, so that blocks that run at the same time store neighbouring lines. */
extern "C" __global__ void __launch_bounds__(TILE *HEIGHT)
    wl_redistribute_tile(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, uint64_t rows,
                         uint64_t cols, uint64_t out_pitch, uint64_t in_pitch, uint64_t first) {
    __shared__ uint32_t tile[TILE][TILE + 1];
    uint64_t tiles = (rows + TILE - 1) / TILE, which = first + blockIdx.x;
    uint64_t row = which % tiles * TILE, col = which / tiles * TILE;
    uint64_t r = row + threadIdx.y, c = col + threadIdx.x;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (r + j < rows && c < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * in_pitch + c];
    __syncthreads();
    r = row + threadIdx.x;
    c = col + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (c + j < cols && r < rows)
            out[(c + j) * out_pitch + r] = tile[threadIdx.x][threadIdx.y + j];
}
