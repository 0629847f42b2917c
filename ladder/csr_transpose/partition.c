#include "ladder/csr_transpose/partition.h"

#include "ladder/csr_transpose/scan.h"
#include "ladder/csr_transpose/shared.h"
#include "lib/arguments.h"

static const struct wl__block block = {WL_PARTITION_THREADS, 1}, shared = {WL_SHARED_THREADS, 1};

/* The parts of the work. */
struct parts {
    wl_devptr ranges;                /* how many entries each has, then the place of its next one */
    wl_devptr columns, rows, values; /* the entries in the order of their ranges */
    wl_devptr cursor, sums;          /* as of `fast` */
};

static struct parts parts_of(const struct wl_problem *problem) {
    const uint64_t each = 4 * problem->nnz;
    struct parts parts = {.ranges = problem->work};
    parts.columns = parts.ranges + 4 * WL_PARTITION_RANGES;
    parts.rows = parts.columns + each;
    parts.values = parts.rows + each;
    parts.cursor = parts.values + each;
    parts.sums = parts.cursor + 4 * (problem->cols + 1);
    return parts;
}

uint64_t wl__partition_work_bytes(wl_context *context, const struct wl_problem *problem) {
    (void)context;
    const uint64_t counts = wl__add(problem->cols, 1);
    const uint64_t fast = wl__add(wl__multiply(4, counts), wl__scan_work_bytes(counts));
    return wl__add(wl__add(4 * WL_PARTITION_RANGES, wl__multiply(3 * 4, problem->nnz)), fast);
}

/* Powers of two, so that a column's range is a shift. */
static uint32_t shift_of(uint64_t cols) {
    uint32_t shift = 0;
    while (((uint64_t)WL_PARTITION_RANGES << shift) < cols)
        shift++;
    return shift;
}

static wl_error move_to_ranges(wl_context *context, const struct wl_problem *problem, struct parts *to,
                               wl_stream stream) {
    uint64_t nnz = problem->nnz, first;
    uint32_t rows = (uint32_t)problem->rows, shift = shift_of(problem->cols);
    wl_devptr starts = problem->in[0], columns = problem->in[1], values = problem->in[2];
    wl_error error = wl_fill(context, to->ranges, 0, 4 * WL_PARTITION_RANGES, stream);
    if (error)
        return error;
    void *count[] = {&to->ranges, &columns, &shift, &nnz, &first};
    error = wl__launch_linear(context, WL_KERNEL_csr_partition_count, nnz, WL_PARTITION_TILE, block, count,
                              &first, stream);
    if (!error)
        error = wl__scan(context, to->ranges, 0, to->ranges, WL_PARTITION_RANGES, 0, stream);
    if (error)
        return error;
    void *move[] = {&to->columns, &to->rows, &to->values, &to->ranges, &starts, &columns,
                    &values,      &rows,     &shift,      &nnz,        &first};
    return wl__launch_linear(context, WL_KERNEL_csr_partition_move, nnz, WL_PARTITION_TILE, block, move,
                             &first, stream);
}

wl_error wl__partition(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    uint64_t nnz = problem->nnz, counts = problem->cols + 1, first;
    struct parts parts = parts_of(problem);
    wl_devptr out_starts = problem->out[0], out_rows = problem->out[1], out_values = problem->out[2];
    wl_error error = move_to_ranges(context, problem, &parts, stream);
    if (!error)
        error = wl_fill(context, parts.cursor, 0, 4 * counts, stream);
    if (error)
        return error;
    void *count[] = {&parts.cursor, &parts.columns, &nnz, &first};
    error = wl__launch_linear(context, WL_KERNEL_csr_shared_count, nnz, WL_SHARED_TILE, shared, count, &first,
                              stream);
    if (!error)
        error = wl__scan(context, out_starts, parts.cursor, parts.cursor, counts, parts.sums, stream);
    if (error)
        return error;
    void *place[] = {&out_rows,   &out_values,   &parts.cursor, &parts.columns,
                     &parts.rows, &parts.values, &nnz,          &first};
    return wl__launch_linear(context, WL_KERNEL_csr_shared_place, nnz, WL_SHARED_TILE, shared, place, &first,
                             stream);
}
