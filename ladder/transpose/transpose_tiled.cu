/* Transpose through a tile in shared memory: loads and stores are both along rows.
 *
 *   shared             a 32 x 32 tile, stored along its rows and read back along its columns: all 32 lanes
 *                      of a warp use the same bank, 32 wavefronts per read
 *   shared-pad         rows of 33 words: a column's words are in 32 different banks
 *   shared-swizzle     rows of 32 words, with the word of column x of row y stored at x ^ y: the same
 *                      without the memory for padding
 *   shared-pad-unroll  a padded 64 x 64 tile: each thread moves 16 elements instead of 4, all loaded before
 *                      the first is stored: four times the bytes in flight
 *
 * Traffic: 4 rows cols bytes read, as many written, in whole 128-byte rows on both sides.  At 1024 x 1024:
 * 32768 requests and 131072 sectors each way; 1048576 shared wavefronts to read the tiles back unpadded,
 * 32768 padded.
 *
 * Blocks are 32 x 8 threads: a thread handles every eighth row of its tile.  Slabs and pitches are those of
 * transpose.cu.
 */
#include "lib/cuda/index.cuh"

#define TILE   32
#define HEIGHT 8 /* rows that a block handles at once */

/* Whether the block's tile is entirely inside the slab. */
static __device__ __forceinline__ bool wl_whole_tile(unsigned rows, unsigned cols, unsigned tile) {
    return (blockIdx.x + 1) * tile <= cols && (blockIdx.y + 1) * tile <= rows;
}

extern "C" __global__ void __launch_bounds__(TILE *HEIGHT)
    wl_transpose_shared(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, unsigned rows,
                        unsigned cols, uint64_t out_pitch, uint64_t in_pitch) {
    __shared__ uint32_t tile[TILE][TILE];
    unsigned c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (c < cols && r + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * in_pitch + c];
    __syncthreads();
    r = blockIdx.y * TILE + threadIdx.x;
    c = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (r < rows && c + j < cols)
            out[(c + j) * out_pitch + r] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void __launch_bounds__(TILE *HEIGHT)
    wl_transpose_shared_pad(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, unsigned rows,
                            unsigned cols, uint64_t out_pitch, uint64_t in_pitch) {
    __shared__ uint32_t tile[TILE][TILE + 1];
    unsigned c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (c < cols && r + j < rows)
            tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * in_pitch + c];
    __syncthreads();
    r = blockIdx.y * TILE + threadIdx.x;
    c = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (r < rows && c + j < cols)
            out[(c + j) * out_pitch + r] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void __launch_bounds__(TILE *HEIGHT)
    wl_transpose_shared_swizzle(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, unsigned rows,
                                unsigned cols, uint64_t out_pitch, uint64_t in_pitch) {
    __shared__ uint32_t tile[TILE][TILE];
    unsigned c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (c < cols && r + j < rows)
            tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(r + j) * in_pitch + c];
    __syncthreads();
    r = blockIdx.y * TILE + threadIdx.x;
    c = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += HEIGHT)
        if (r < rows && c + j < cols)
            out[(c + j) * out_pitch + r] = tile[threadIdx.x][(threadIdx.y + j) ^ threadIdx.x];
}

#define BIG 64

/* A row of the tile is two accesses of a warp: half 0 for columns 0..31, half 1 for columns 32..63. */
extern "C" __global__ void __launch_bounds__(TILE *HEIGHT)
    wl_transpose_shared_pad_unroll(uint32_t *__restrict__ out, const uint32_t *__restrict__ in, unsigned rows,
                                   unsigned cols, uint64_t out_pitch, uint64_t in_pitch) {
    __shared__ uint32_t tile[BIG][BIG + 1];
    unsigned c = blockIdx.x * BIG + threadIdx.x, r = blockIdx.y * BIG + threadIdx.y;
    bool whole = wl_whole_tile(rows, cols, BIG);
    if (whole) {
        const uint32_t *from = in + r * in_pitch + c;
        uint32_t moved[BIG / HEIGHT][2];
#pragma unroll
        for (unsigned j = 0; j < BIG / HEIGHT; j++) {
            moved[j][0] = from[0];
            moved[j][1] = from[TILE];
            from += HEIGHT * in_pitch;
        }
#pragma unroll
        for (unsigned j = 0; j < BIG / HEIGHT; j++) {
            tile[threadIdx.y + j * HEIGHT][threadIdx.x] = moved[j][0];
            tile[threadIdx.y + j * HEIGHT][threadIdx.x + TILE] = moved[j][1];
        }
    } else {
        for (unsigned j = 0; j < BIG; j += HEIGHT)
            for (unsigned half = 0; half < BIG; half += TILE)
                if (r + j < rows && c + half < cols)
                    tile[threadIdx.y + j][threadIdx.x + half] = in[(r + j) * in_pitch + c + half];
    }
    __syncthreads();
    r = blockIdx.y * BIG + threadIdx.x;
    c = blockIdx.x * BIG + threadIdx.y;
    if (whole) {
        uint32_t *to = out + c * out_pitch + r;
#pragma unroll
        for (unsigned j = 0; j < BIG; j += HEIGHT) {
            to[0] = tile[threadIdx.x][threadIdx.y + j];
            to[TILE] = tile[threadIdx.x + TILE][threadIdx.y + j];
            to += HEIGHT * out_pitch;
        }
    } else {
        for (unsigned j = 0; j < BIG; j += HEIGHT)
            for (unsigned half = 0; half < BIG; half += TILE)
                if (c + j < cols && r + half < rows)
                    out[(c + j) * out_pitch + r + half] = tile[threadIdx.x + half][threadIdx.y + j];
    }
}
