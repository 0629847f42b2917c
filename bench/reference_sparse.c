/* The transpose of a sparse matrix: count each column's entries, prefix-sum the counts, scatter. */
#include "bench/reference.h"

#include <string.h>

/* starts[c]: index of the first entry of column c in the result; cols + 1 elements. */
static void count_columns(const struct wl_problem *problem, const uint32_t *columns, uint32_t *starts) {
    memset(starts, 0, 4 * (problem->cols + 1));
    for (uint64_t e = 0; e < problem->nnz; e++)
        starts[columns[e] + 1]++;
    for (uint64_t c = 0; c < problem->cols; c++)
        starts[c + 1] += starts[c];
}

/* Undoes the starts[c]++ of the scatter, which leave starts[c] at the start of column c + 1. */
static void rewind_columns(const struct wl_problem *problem, uint32_t *starts) {
    for (uint64_t c = problem->cols; c > 0; c--)
        starts[c] = starts[c - 1];
    starts[0] = 0;
}

void bench_reference_csr_to_csc(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    const uint32_t *row_starts = in[0], *columns = in[1], *values = in[2];
    uint32_t *starts = out[0], *rows = out[1], *moved = out[2];
    count_columns(problem, columns, starts);
    for (uint64_t r = 0; r < problem->rows; r++)
        for (uint64_t e = row_starts[r]; e < row_starts[r + 1]; e++) {
            uint32_t at = starts[columns[e]]++;
            rows[at] = (uint32_t)r;
            moved[at] = values[e];
        }
    rewind_columns(problem, starts);
}

void bench_reference_coo_transpose(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                   uint32_t *const out[BENCH_OUTPUTS]) {
    const uint32_t *columns = in[1], *values = in[2], *rows = in[3];
    uint32_t *starts = out[0], *out_rows = out[1], *moved = out[2], *out_columns = out[3];
    count_columns(problem, columns, starts);
    for (uint64_t e = 0; e < problem->nnz; e++) {
        uint32_t at = starts[columns[e]]++;
        out_rows[at] = rows[e];
        moved[at] = values[e];
        out_columns[at] = columns[e];
    }
    rewind_columns(problem, starts);
}
