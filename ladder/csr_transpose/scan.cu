/* Exclusive prefix sum of 32-bit counts, of any length, modulo 2^32: csr-transpose uses it to turn each
 * column's count into its starting position.
 *
 * Reduce, then scan: `sums` adds up each tile of 2048; the sums are scanned in the same way (repeatedly,
 * until one tile holds them); `tiles` scans each tile, starting from its sum's prefix.
 * Traffic: 8 n bytes read, 4 n (or 8 n, with the copy) written, and 1/2048 of that for the sums.
 */
#include "ladder/csr_transpose/prefix.cuh"
#include "lib/cuda/index.cuh"

#define THREADS 256
#define EACH    8
#define TILE    (THREADS * EACH)

extern "C" __global__ void __launch_bounds__(THREADS)
    wl_scan_sums(uint32_t *__restrict__ sums, const uint32_t *__restrict__ in, uint64_t length,
                 uint64_t first) {
    __shared__ uint32_t warp_sums[THREADS / 32];
    uint64_t start = first + (uint64_t)blockIdx.x * TILE;
    uint32_t sum = 0, total;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += THREADS) {
        uint64_t i = start + j + threadIdx.x;
        if (i < length)
            sum += in[i];
    }
    wl_block_prefix(sum, THREADS / 32, warp_sums, &total);
    if (threadIdx.x == 0)
        sums[start / TILE] = total;
}

/* out may equal in, and copy (a second output; NULL: none) may equal in: a tile is read whole before it is
 * written.  offsets: the scanned sums, NULL for a scan of one tile. */
extern "C" __global__ void __launch_bounds__(THREADS)
    wl_scan_tiles(uint32_t *out, uint32_t *copy, const uint32_t *in, const uint32_t *offsets, uint64_t length,
                  uint64_t first) {
    /* A thread's EACH elements begin 8 words after the previous thread's: one word of padding after every 32
     * puts those reads into different banks. */
    __shared__ uint32_t tile[TILE + TILE / 32];
    __shared__ uint32_t warp_sums[THREADS / 32];
    uint64_t start = first + (uint64_t)blockIdx.x * TILE;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += THREADS) {
        unsigned place = j + threadIdx.x;
        tile[place + place / 32] = start + place < length ? in[start + place] : 0;
    }
    __syncthreads();
    uint32_t value[EACH], sum = 0, total;
    unsigned own = threadIdx.x * EACH;
    own += own / 32;
#pragma unroll
    for (unsigned j = 0; j < EACH; j++) {
        value[j] = tile[own + j];
        sum += value[j];
    }
    uint32_t running = wl_block_prefix(sum, THREADS / 32, warp_sums, &total);
    if (offsets)
        running += offsets[start / TILE];
#pragma unroll
    for (unsigned j = 0; j < EACH; j++) {
        tile[own + j] = running;
        running += value[j];
    }
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < TILE; j += THREADS) {
        unsigned place = j + threadIdx.x;
        if (start + place < length) {
            uint32_t result = tile[place + place / 32];
            out[start + place] = result;
            if (copy)
                copy[start + place] = result;
        }
    }
}
