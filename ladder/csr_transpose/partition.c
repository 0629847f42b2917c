#include "ladder/csr_transpose/partition.h"

#include <stdio.h>

#include "ladder/csr_transpose/scan.h"
#include "lib/arguments.h"

/* Powers of two, so that a column's range is a shift.  The narrowest ones: more blocks, shorter counts. */
static uint32_t shift_of(uint64_t cols) {
    uint32_t shift = 0;
    while (((uint64_t)WL_PARTITION_RANGES << shift) < cols)
        shift++;
    return shift;
}

/* Work: the ranges' counts, which become their starts, a copy as cursors, and the moved entries. */
uint64_t wl__partition_work_bytes(wl_context *context, const struct wl_problem *problem) {
    (void)context;
    return wl__add(4 * 2 * (WL_PARTITION_RANGES + 1), wl__multiply(3 * 4, problem->nnz));
}

const char *wl__partition_applicable(wl_context *context, const struct wl_problem *problem) {
    static _Thread_local char reason[120];
    (void)context;
    const uint64_t most = (uint64_t)WL_PARTITION_RANGES * WL_PARTITION_COLUMNS;
    if (problem->cols <= most)
        return NULL;
    snprintf(reason, sizeof reason,
             "%llu columns: %d ranges of %d, as many as shared memory counts, hold %llu",
             (unsigned long long)problem->cols, WL_PARTITION_RANGES, WL_PARTITION_COLUMNS,
             (unsigned long long)most);
    return reason;
}

wl_error wl__partition(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    uint64_t nnz = problem->nnz, first;
    uint32_t rows = (uint32_t)problem->rows, cols = (uint32_t)problem->cols, shift = shift_of(cols);
    const uint32_t ranges = (uint32_t)(((problem->cols - 1) >> shift) + 1);
    const struct wl__block block = {WL_PARTITION_THREADS, 1};
    wl_devptr in_starts = problem->in[0], columns = problem->in[1], values = problem->in[2];
    wl_devptr out_starts = problem->out[0], out_rows = problem->out[1], out_values = problem->out[2];
    wl_devptr range_starts = problem->work, cursor = range_starts + 4 * (WL_PARTITION_RANGES + 1);
    wl_devptr moved_columns = cursor + 4 * (WL_PARTITION_RANGES + 1);
    wl_devptr moved_rows = moved_columns + 4 * nnz, moved_values = moved_rows + 4 * nnz;

    wl_error error = wl_fill(context, range_starts, 0, 4 * (WL_PARTITION_RANGES + 1), stream);
    if (error)
        return error;
    void *count[] = {&range_starts, &columns, &shift, &nnz, &first};
    error = wl__launch_linear(context, WL_KERNEL_csr_partition_count, nnz, WL_PARTITION_TILE, block, count,
                              &first, stream);
    if (!error)
        error = wl__scan(context, range_starts, cursor, range_starts, WL_PARTITION_RANGES + 1, 0, stream);
    if (error)
        return error;
    void *move[] = {&moved_columns, &moved_rows, &moved_values, &cursor, &in_starts, &columns,
                    &values,        &rows,       &shift,        &nnz,    &first};
    error = wl__launch_linear(context, WL_KERNEL_csr_partition_move, nnz, WL_PARTITION_TILE, block, move,
                              &first, stream);
    if (error)
        return error;
    void *place[] = {&out_starts,   &out_rows,     &out_values, &moved_columns, &moved_rows,
                     &moved_values, &range_starts, &cols,       &shift};
    return wl__launch(context, WL_KERNEL_csr_partition_place, ranges, 1, block, place, stream);
}
