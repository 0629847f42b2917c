/* Sparse transpose, the rung `partition`: `shared`, but the entries move to ranges of columns first.
 *
 *   count  adds up how many entries each of up to 512 ranges has, per block in shared memory
 *   move   a block brings its 8192 entries into the order of their ranges in shared memory, and takes places
 *          for each range's entries by one atomic.  They leave together: 16 words per range on average fill
 *          sectors, where single words would each touch one
 *
 * Then `shared`'s kernels count and scatter (shared.cu).  The entries in flight now are of few ranges, whose
 * outputs are less than the L2 cache: a sector waits there until all of its words have come.
 *
 * Traffic: count reads 4 nnz bytes; move reads 8 nnz and writes 12 nnz; the columns' count reads 4 nnz; the
 * scatter reads 12 nnz and writes 8 nnz: 48 nnz, three times as much as is least, but in whole sectors.
 */
#include "ladder/csr_transpose/partition.h"
#include "ladder/csr_transpose/prefix.cuh"
#include "ladder/csr_transpose/row_of.cuh"
#include "lib/cuda/index.cuh"

#define THREADS WL_PARTITION_THREADS
#define EACH    (WL_PARTITION_TILE / THREADS)

#if WL_PARTITION_THREADS != WL_PARTITION_RANGES
#error a thread has a range
#endif

/* Range r has the columns from r << shift on. */
extern "C" __global__ void __launch_bounds__(THREADS)
    wl_csr_partition_count(uint32_t *__restrict__ counts, const uint32_t *__restrict__ columns,
                           uint32_t shift, uint64_t nnz, uint64_t first) {
    __shared__ uint32_t here[THREADS];
    here[threadIdx.x] = 0;
    __syncthreads();
    uint64_t start = wl_block_index(first, EACH) + threadIdx.x;
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (start + j * THREADS < nnz)
            atomicAdd(&here[columns[start + j * THREADS] >> shift], 1u);
    __syncthreads();
    if (here[threadIdx.x])
        atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
}

/* Writes the tile: the thread's words are THREADS apart.  Barriers stand around the reads. */
static __device__ __forceinline__ void wl_leave(uint32_t *__restrict__ out, const uint32_t *tile,
                                                const uint32_t to[EACH], uint32_t count) {
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (threadIdx.x + j * THREADS < count)
            out[to[j]] = tile[threadIdx.x + j * THREADS];
    __syncthreads();
}

/* cursor[r] is the place of range r's next entry.  Two blocks fit a multiprocessor: one moves while the other
 * waits at a barrier. */
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    wl_csr_partition_move(uint32_t *__restrict__ out_columns, uint32_t *__restrict__ out_rows,
                          uint32_t *__restrict__ out_values, uint32_t *__restrict__ cursor,
                          const uint32_t *__restrict__ starts, const uint32_t *__restrict__ columns,
                          const uint32_t *__restrict__ values, uint32_t rows, uint32_t shift, uint64_t nnz,
                          uint64_t first) {
    __shared__ uint32_t tile[WL_PARTITION_TILE], here[THREADS], goes[THREADS], warp_sums[THREADS / 32];
    __shared__ unsigned first_row, last_row;
    uint64_t begin = wl_block_index(first, EACH), start = begin + threadIdx.x;
    uint32_t count = nnz - begin < WL_PARTITION_TILE ? nnz - begin : WL_PARTITION_TILE;
    if (threadIdx.x == 0)
        first_row = wl_row_of(starts, 0, rows, begin);
    if (threadIdx.x == 32)
        last_row = wl_row_of(starts, 0, rows, begin + count - 1);
    here[threadIdx.x] = 0;
    __syncthreads();
    uint32_t words[EACH], places[EACH], to[EACH];
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (threadIdx.x + j * THREADS < count) {
            words[j] = columns[start + j * THREADS];
            places[j] = atomicAdd(&here[words[j] >> shift], 1u);
        }
    __syncthreads();
    /* Where the thread's range begins in the tile, and where the tile's part of it goes, less that. */
    uint32_t mine = here[threadIdx.x], total;
    uint32_t before = wl_block_prefix(mine, THREADS / 32, warp_sums, &total);
    here[threadIdx.x] = before;
    goes[threadIdx.x] = mine ? atomicAdd(&cursor[threadIdx.x], mine) - before : 0;
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (threadIdx.x + j * THREADS < count) {
            places[j] += here[words[j] >> shift];
            tile[places[j]] = words[j];
        }
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (threadIdx.x + j * THREADS < count)
            to[j] = goes[tile[threadIdx.x + j * THREADS] >> shift] + threadIdx.x + j * THREADS;
    wl_leave(out_columns, tile, to, count);
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (threadIdx.x + j * THREADS < count)
            tile[places[j]] = wl_row_of(starts, first_row, last_row + 1, start + j * THREADS);
    wl_leave(out_rows, tile, to, count);
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (threadIdx.x + j * THREADS < count)
            tile[places[j]] = values[start + j * THREADS];
    wl_leave(out_values, tile, to, count);
}
