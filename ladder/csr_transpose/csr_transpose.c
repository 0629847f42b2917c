/* csr-transpose: the table, and the launches of csr_transpose.cu and shared.cu. */
#include "ladder/csr_transpose/partition.h"
#include "ladder/csr_transpose/scan.h"
#include "ladder/csr_transpose/shared.h"
#include "ladder/tables.h"
#include "lib/error.h"

#define BLOCK 256

/* The number of counts: one per column, and a final 0 whose prefix is nnz. */
static uint64_t counts_of(const struct wl_problem *problem) {
    return wl__add(problem->cols, 1);
}

static uint64_t fast_bytes(const struct wl_problem *problem) {
    uint64_t starts = wl__add(wl__add(problem->rows, 1), wl__add(problem->cols, 1));
    return wl__multiply(4, wl__add(starts, wl__multiply(4, problem->nnz)));
}

static uint64_t triplet_bytes(const struct wl_problem *problem) {
    return wl__multiply(6 * 4, problem->nnz);
}

/* Work: the counts, which become the cursors, and the sums of the scan. */
static uint64_t fast_work_bytes(wl_context *context, const struct wl_problem *problem) {
    (void)context;
    return wl__add(wl__multiply(4, counts_of(problem)), wl__scan_work_bytes(counts_of(problem)));
}

/* Work: the counts, which become the starts, the sums of the scan, and one rank per entry. */
static uint64_t triplet_work_bytes(wl_context *context, const struct wl_problem *problem) {
    return wl__add(fast_work_bytes(context, problem), wl__multiply(4, problem->nnz));
}

static wl_error check(wl_context *context, const struct wl_problem *problem, unsigned ins, unsigned outs,
                      uint64_t bytes) {
    if (problem->nnz > UINT32_MAX || problem->rows > UINT32_MAX || problem->cols >= UINT32_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                        "a sparse matrix of 2^32 rows, columns or entries: indices are 32-bit");
    if (problem->nnz && (problem->rows == 0 || problem->cols == 0))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "a sparse matrix without rows or columns has no entries");
    wl_error error = wl__check(context, problem, ins, outs, false, bytes);
    if (!error && problem->nnz && (!problem->work || problem->work % 4))
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "the problem's work is null or not aligned to 4 bytes");
    return error;
}

/* The kernels that count columns' entries, and scatter, and how many entries a block of them has. */
struct counting {
    wl__kernel count, scatter;
    uint64_t each;
    struct wl__block block;
};

/* Checks the arrays of CSR to CSC.  A matrix without entries has starts of 0, and *done is true. */
static wl_error begin(wl_context *context, const struct wl_problem *problem, bool *done, wl_stream stream) {
    *done = problem->nnz == 0;
    wl_error error = check(context, problem, *done ? 0 : 7, *done ? 1 : 7, fast_bytes(problem));
    return error || !*done ? error : wl_fill(context, problem->out[0], 0, 4 * counts_of(problem), stream);
}

/* Counts, scans and scatters. */
static wl_error scatter_by_cursors(wl_context *context, const struct wl_problem *problem,
                                   const struct counting *by, wl_stream stream) {
    uint64_t nnz = problem->nnz, counts = counts_of(problem), first;
    wl_devptr starts = problem->out[0], cursor = problem->work;
    wl_devptr in_starts = problem->in[0], columns = problem->in[1], values = problem->in[2];
    wl_devptr out_rows = problem->out[1], out_values = problem->out[2];
    uint32_t rows = (uint32_t)problem->rows;
    wl_error error = wl_fill(context, cursor, 0, 4 * counts, stream);
    if (error)
        return error;
    void *count[] = {&cursor, &columns, &nnz, &first};
    error = wl__launch_linear(context, by->count, nnz, by->each, by->block, count, &first, stream);
    if (error)
        return error;
    error = wl__scan(context, starts, cursor, cursor, counts, cursor + 4 * counts, stream);
    if (error)
        return error;
    void *scatter[] = {&out_rows, &out_values, &cursor, &in_starts, &columns, &values, &rows, &nnz, &first};
    return wl__launch_linear(context, by->scatter, nnz, by->each, by->block, scatter, &first, stream);
}

static wl_error fast(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    bool done;
    wl_error error = begin(context, problem, &done, stream);
    struct wl__block block = wl__block_linear(problem, BLOCK);
    const struct counting by = {WL_KERNEL_csr_count, WL_KERNEL_csr_scatter, block.x, block};
    return error || done ? error : scatter_by_cursors(context, problem, &by, stream);
}

static wl_error shared(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    bool done;
    wl_error error = begin(context, problem, &done, stream);
    const struct counting by = {
        WL_KERNEL_csr_shared_count, WL_KERNEL_csr_shared_scatter, WL_SHARED_TILE, {WL_SHARED_THREADS, 1}};
    return error || done ? error : scatter_by_cursors(context, problem, &by, stream);
}

static wl_error partition(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    bool done;
    wl_error error = begin(context, problem, &done, stream);
    return error || done ? error : wl__partition(context, problem, stream);
}

static wl_error triplet(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->nnz == 0)
        return WL_ERROR_OK;
    wl_error error = check(context, problem, 0xe, 0xe, triplet_bytes(problem));
    if (error)
        return error;
    uint64_t nnz = problem->nnz, counts = counts_of(problem), first;
    wl_devptr starts = problem->work, sums = starts + 4 * counts;
    wl_devptr ranks = sums + wl__scan_work_bytes(counts);
    wl_devptr rows = problem->in[3], columns = problem->in[1], values = problem->in[2];
    wl_devptr out_columns = problem->out[3], out_rows = problem->out[1], out_values = problem->out[2];
    struct wl__block block = wl__block_linear(problem, BLOCK);
    error = wl_fill(context, starts, 0, 4 * counts, stream);
    if (error)
        return error;
    void *rank[] = {&ranks, &starts, &columns, &nnz, &first};
    error = wl__launch_linear(context, WL_KERNEL_coo_rank, nnz, block.x, block, rank, &first, stream);
    if (error)
        return error;
    error = wl__scan(context, starts, 0, starts, counts, sums, stream);
    if (error)
        return error;
    void *scatter[] = {&out_columns, &out_rows, &out_values, &starts, &ranks,
                       &rows,        &columns,  &values,     &nnz,    &first};
    return wl__launch_linear(context, WL_KERNEL_coo_scatter, nnz, block.x, block, scatter, &first, stream);
}

static wl_sparse_shape shape_of(const struct wl_problem *problem) {
    return (wl_sparse_shape){problem->rows, problem->cols, problem->nnz, 4, 4};
}

static uint64_t library_work_bytes(wl_context *context, const struct wl_problem *problem) {
    const wl_sparse_shape shape = shape_of(problem);
    size_t bytes = 0;
    if (wl_csr_transpose_workspace(context, &shape, &bytes))
        return 0; /* the launch reports why */
    return bytes;
}

static wl_error library(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    const wl_sparse_shape shape = shape_of(problem);
    const wl_csr to = {problem->out[0], problem->out[1], problem->out[2]};
    const wl_csr from = {problem->in[0], problem->in[1], problem->in[2]};
    size_t bytes;
    wl_error error = wl_csr_transpose_workspace(context, &shape, &bytes);
    return error ? error : wl_csr_transpose(context, &shape, &to, &from, problem->work, bytes, stream);
}

static const struct wl_rung rungs[] = {
    {.experiment = "csr-transpose",
     .name = "fast",
     .idea = "count, scan, scatter: a place from an atomic cursor",
     .reference = WL_REF_CSR_TO_CSC,
     .outputs = 7,
     .block_x = BLOCK,
     .block_y = 1,
     .bytes_formula = "4 * ((rows + 1) + (cols + 1) + 4 * nnz)",
     .bytes = fast_bytes,
     .work_bytes = fast_work_bytes,
     .applicable = wl__block_applicable,
     .launch = fast},
    {.experiment = "csr-transpose",
     .name = "triplet",
     .idea = "COO in two passes: the first keeps each entry's rank, the second has no atomics",
     .reference = WL_REF_COO_TRANSPOSE,
     .outputs = 0xe,
     .block_x = BLOCK,
     .block_y = 1,
     .bytes_formula = "6 * 4 * nnz",
     .bytes = triplet_bytes,
     .work_bytes = triplet_work_bytes,
     .applicable = wl__block_applicable,
     .launch = triplet},
    {.experiment = "csr-transpose",
     .name = "shared",
     .idea = "counts in shared memory first: one global atomic per block and column",
     .reference = WL_REF_CSR_TO_CSC,
     .outputs = 7,
     .block_x = WL_SHARED_THREADS,
     .block_y = 1,
     .fixed_block = true,
     .bytes_formula = "4 * (rows + cols + 2 + 4 * nnz)",
     .bytes = fast_bytes,
     .work_bytes = fast_work_bytes,
     .launch = shared},
    {.experiment = "csr-transpose",
     .name = "partition",
     .idea = "to ranges of columns first, as runs; then shared's passes, within the cache",
     .reference = WL_REF_CSR_TO_CSC,
     .outputs = 7,
     .block_x = WL_PARTITION_THREADS,
     .block_y = 1,
     .fixed_block = true,
     .bytes_formula = "4 * (rows + cols + 2 + 4 * nnz)",
     .bytes = fast_bytes,
     .work_bytes = wl__partition_work_bytes,
     .launch = partition},
    {.experiment = "csr-transpose",
     .name = "wideload",
     .idea = "wl_csr_transpose: a sort by the column's digits",
     .reference = WL_REF_CSR_TO_CSC,
     .outputs = 7,
     .fixed_block = true,
     .bytes_formula = "4 * (rows + cols + 2 + 4 * nnz)",
     .bytes = fast_bytes,
     .work_bytes = library_work_bytes,
     .launch = library},
};

const struct wl__rungs wl__ladder_csr_transpose = WL_RUNGS(rungs);
