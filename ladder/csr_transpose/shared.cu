/* Sparse transpose, the rung `shared`: `fast` with a block's entries counted in shared memory first.
 *
 * A block's 2048 entries look their columns up in a hash table in shared memory, whose slots count.  Then
 * each column that the block has costs one global atomic, however many of its entries the block has: a
 * reduction of the count, and in the scatter one atomic that takes places for all of them.  An entry's place
 * is the first of these plus its rank in the slot.
 *
 * Traffic: as `fast`, but of nnz global atomics only one per block and column remain.  2048 entries of a band
 * of 17 have 137 columns; those of 2^20 equally frequent columns have 2046, so nothing is gained.
 */
#include "ladder/csr_transpose/row_of.cuh"
#include "ladder/csr_transpose/shared.h"
#include "lib/cuda/index.cuh"

#define THREADS WL_SHARED_THREADS
#define TILE    WL_SHARED_TILE
#define EACH    (TILE / THREADS)
/* Twice as many slots as entries keep searches short. */
#define SLOT_BITS 12
#define SLOTS     (1u << SLOT_BITS)
#define NO_COLUMN 0xffffffffu /* columns are less */

static __device__ __forceinline__ void wl_clear(uint32_t *names, uint32_t *counts) {
    for (unsigned slot = threadIdx.x; slot < SLOTS; slot += THREADS) {
        names[slot] = NO_COLUMN;
        counts[slot] = 0;
    }
    __syncthreads();
}

/* The column's slot: the first one from its hash on that is its own, or free. */
static __device__ __forceinline__ unsigned wl_slot_of(uint32_t *names, uint32_t column) {
    unsigned slot = column * 2654435769u >> (32 - SLOT_BITS);
    for (;;) {
        uint32_t there = atomicCAS(&names[slot], NO_COLUMN, column);
        if (there == NO_COLUMN || there == column)
            return slot;
        slot = (slot + 1) % SLOTS;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    wl_csr_shared_count(uint32_t *__restrict__ counts, const uint32_t *__restrict__ columns, uint64_t nnz,
                        uint64_t first) {
    __shared__ uint32_t names[SLOTS], here[SLOTS];
    wl_clear(names, here);
    uint64_t start = wl_block_index(first, EACH) + threadIdx.x;
#pragma unroll
    for (unsigned j = 0; j < EACH; j++) {
        uint64_t i = start + j * THREADS;
        if (i < nnz)
            atomicAdd(&here[wl_slot_of(names, columns[i])], 1u);
    }
    __syncthreads();
    for (unsigned slot = threadIdx.x; slot < SLOTS; slot += THREADS)
        if (here[slot])
            atomicAdd(&counts[names[slot]], here[slot]);
}

/* The places of the thread's entries, which are THREADS apart from `start` on.  cursor[c] is the place of
 * column c's next entry. */
static __device__ __forceinline__ void wl_take_places(uint32_t to[EACH], uint32_t *names, uint32_t *here,
                                                      uint32_t *__restrict__ cursor,
                                                      const uint32_t *__restrict__ columns, uint64_t nnz,
                                                      uint64_t start) {
    unsigned slots[EACH];
    wl_clear(names, here);
#pragma unroll
    for (unsigned j = 0; j < EACH; j++) {
        uint64_t i = start + j * THREADS;
        if (i < nnz) {
            slots[j] = wl_slot_of(names, columns[i]);
            to[j] = atomicAdd(&here[slots[j]], 1u);
        }
    }
    __syncthreads();
    for (unsigned slot = threadIdx.x; slot < SLOTS; slot += THREADS)
        if (here[slot])
            here[slot] = atomicAdd(&cursor[names[slot]], here[slot]);
    __syncthreads();
#pragma unroll
    for (unsigned j = 0; j < EACH; j++)
        if (start + j * THREADS < nnz)
            to[j] += here[slots[j]];
}

extern "C" __global__ void __launch_bounds__(THREADS)
    wl_csr_shared_scatter(uint32_t *__restrict__ out_rows, uint32_t *__restrict__ out_values,
                          uint32_t *__restrict__ cursor, const uint32_t *__restrict__ starts,
                          const uint32_t *__restrict__ columns, const uint32_t *__restrict__ values,
                          uint32_t rows, uint64_t nnz, uint64_t first) {
    __shared__ uint32_t names[SLOTS], here[SLOTS];
    __shared__ unsigned first_row, last_row;
    uint64_t begin = wl_block_index(first, EACH), start = begin + threadIdx.x;
    uint32_t to[EACH];
    if (threadIdx.x == 0)
        first_row = wl_row_of(starts, 0, rows, begin);
    if (threadIdx.x == 32)
        last_row = wl_row_of(starts, 0, rows, begin + TILE < nnz ? begin + TILE - 1 : nnz - 1);
    wl_take_places(to, names, here, cursor, columns, nnz, start);
#pragma unroll
    for (unsigned j = 0; j < EACH; j++) {
        uint64_t i = start + j * THREADS;
        if (i < nnz) {
            out_rows[to[j]] = wl_row_of(starts, first_row, last_row + 1, i);
            out_values[to[j]] = values[i];
        }
    }
}

/* The same for entries with their rows: the last step of `partition`. */
extern "C" __global__ void __launch_bounds__(THREADS)
    wl_csr_shared_place(uint32_t *__restrict__ out_rows, uint32_t *__restrict__ out_values,
                        uint32_t *__restrict__ cursor, const uint32_t *__restrict__ columns,
                        const uint32_t *__restrict__ rows, const uint32_t *__restrict__ values, uint64_t nnz,
                        uint64_t first) {
    __shared__ uint32_t names[SLOTS], here[SLOTS];
    uint64_t start = wl_block_index(first, EACH) + threadIdx.x;
    uint32_t to[EACH];
    wl_take_places(to, names, here, cursor, columns, nnz, start);
#pragma unroll
    for (unsigned j = 0; j < EACH; j++) {
        uint64_t i = start + j * THREADS;
        if (i < nnz) {
            out_rows[to[j]] = rows[i];
            out_values[to[j]] = values[i];
        }
    }
}
