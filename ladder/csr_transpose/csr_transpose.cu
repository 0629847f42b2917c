/* Sparse transpose without sorting: both rungs count the entries of each column, scan the counts into
 * starting positions (scan.cu), and scatter.
 *
 *   fast     CSR to CSC.  Counting needs no result of the atomic (a reduction, which the memory system does
 *            by itself); the scatter takes a place from a cursor, one atomic with result per nonzero
 *   triplet  row, column, value lists (COO).  The first pass's atomic returns each entry's rank in its
 *            column, which is kept; the second pass has no atomics and no cursor
 *
 * Traffic: fast reads 8 nnz + 4 (rows + 1) bytes and writes 8 nnz + 4 (cols + 1); triplet 12 nnz and 12 nnz;
 * plus the work arrays.  The scatter's stores are as scattered as the columns are.
 */
#include "ladder/csr_transpose/row_of.cuh"
#include "lib/cuda/index.cuh"

/* An atomicAdd whose result is unused, written as the reduction that ptxas would make of it, so that the PTX
 * says so too. */
static __device__ __forceinline__ void wl_count_one(uint32_t *count) {
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(count)) : "memory");
}

extern "C" __global__ void WL_ANY_BLOCK wl_csr_count(uint32_t *__restrict__ counts,
                                                     const uint32_t *__restrict__ columns, uint64_t nnz,
                                                     uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < nnz)
        wl_count_one(&counts[columns[i]]);
}

/* cursor[c] is the place of column c's next entry. */
extern "C" __global__ void WL_ANY_BLOCK wl_csr_scatter(
    uint32_t *__restrict__ out_rows, uint32_t *__restrict__ out_values, uint32_t *__restrict__ cursor,
    const uint32_t *__restrict__ starts, const uint32_t *__restrict__ columns,
    const uint32_t *__restrict__ values, uint32_t rows, uint64_t nnz, uint64_t first) {
    /* The block's first and last entry bound the rows that its threads search. */
    __shared__ unsigned first_row, last_row;
    uint64_t start = wl_block_index(first, 1), i = start + threadIdx.x;
    if (threadIdx.x == 0)
        first_row = wl_row_of(starts, 0, rows, start);
    if (threadIdx.x == blockDim.x - 1)
        last_row = wl_row_of(starts, 0, rows, i < nnz ? i : nnz - 1);
    __syncthreads();
    if (i >= nnz)
        return;
    unsigned row = wl_row_of(starts, first_row, last_row + 1, i);
    uint32_t to = atomicAdd(&cursor[columns[i]], 1u);
    out_rows[to] = row;
    out_values[to] = values[i];
}

extern "C" __global__ void WL_ANY_BLOCK wl_coo_rank(uint32_t *__restrict__ ranks,
                                                    uint32_t *__restrict__ counts,
                                                    const uint32_t *__restrict__ columns, uint64_t nnz,
                                                    uint64_t first) {
    uint64_t i = wl_index(first);
    if (i < nnz)
        ranks[i] = atomicAdd(&counts[columns[i]], 1u);
}

extern "C" __global__ void WL_ANY_BLOCK wl_coo_scatter(
    uint32_t *__restrict__ out_columns, uint32_t *__restrict__ out_rows, uint32_t *__restrict__ out_values,
    const uint32_t *__restrict__ starts, const uint32_t *__restrict__ ranks,
    const uint32_t *__restrict__ rows, const uint32_t *__restrict__ columns,
    const uint32_t *__restrict__ values, uint64_t nnz, uint64_t first) {
    uint64_t i = wl_index(first);
    if (i >= nnz)
        return;
    uint32_t column = columns[i];
    uint32_t to = starts[column] + ranks[i];
    out_columns[to] = column;
    out_rows[to] = rows[i];
    out_values[to] = values[i];
}
