/* The table's columns, and the text of each for a row. */
#include "bench/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/ratios.h"
#include "bench/variant.h"

enum { CELL = BASE_GRID_CELL };

enum flags {
    LEFT = BASE_GRID_LEFT,
    HIDE_EQUAL = BASE_GRID_HIDE_EQUAL,
    HIDE_ZERO = BASE_GRID_HIDE_ZERO,
    SPARE = BASE_GRID_SPARE,
    UNTOLD = 0x80,    /* if hidden, not listed above the table either */
    COUNTERS = 0x100, /* only on the simulator */
    TIME = 0x200,     /* only on a GPU */
};

/* `compact`: counts from a million on are written as 161.12M or 2.58G. */
typedef void cell_fn(const struct bench_row *row, bool compact, char out[CELL]);

struct column {
    const char *title;
    unsigned flags;
    cell_fn *cell;
};

static void kernel(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    snprintf(out, CELL, "%s", row->rung->name);
}

static void size(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    bench_size_text(row->experiment, &row->problem, out, CELL);
}

static void order(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->shape == BENCH_SHAPE_TENSOR)
        bench_order_text(&row->problem, out, CELL);
}

static void matrix(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->shape == BENCH_SHAPE_SPARSE)
        bench_matrix_text(row->problem.matrix, out, CELL);
}

static void type(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->has_type)
        snprintf(out, CELL, "%s", bench_type_name(row->problem.type));
}

static void fields(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->has_fields)
        bench_fields_text(&row->problem, out, CELL);
}

static void width(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->problem.width && row->experiment->has_width)
        snprintf(out, CELL, "%" PRIu32, row->problem.width);
}

static void gpus(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->has_gpus)
        snprintf(out, CELL, "%u", row->problem.gpus);
}

static void offset(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->has_offset)
        snprintf(out, CELL, "%" PRIu64, row->problem.offset);
}

static void stride(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->has_stride)
        snprintf(out, CELL, "%" PRIu64, row->problem.stride);
}

static void from_shift(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->has_shift)
        snprintf(out, CELL, "%" PRIu64, row->problem.from_shift);
}

static void to_shift(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->experiment->has_shift)
        snprintf(out, CELL, "%" PRIu64, row->problem.to_shift);
}

static void block(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    bench_block_text(bench_row_block(row), out, CELL);
}

static void unroll(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    if (row->problem.unroll)
        snprintf(out, CELL, "%" PRIu32, row->problem.unroll);
}

static void occupancy(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_percentage(bench_occupancy_pct(row), out);
}

/* The first reason that slowed the row's clocks. */
static void throttled(const struct bench_row *row, bool compact, char out[CELL]) {
    const char *name = row->has_clocks ? bench_throttle_name(row->clocks.reasons, 0) : NULL;
    (void)compact;
    snprintf(out, CELL, "%s", name ? name : "");
}

static void status(const struct bench_row *row, bool compact, char out[CELL]) {
    static const char *const names[] = {
        [BENCH_PENDING] = "-", [BENCH_VERIFIED] = "ok", [BENCH_FAILED] = "FAIL", [BENCH_SKIPPED] = "skip"};
    (void)compact;
    snprintf(out, CELL, "%s", names[row->status]);
}

static void ld_req(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.global_load_requests, compact, out);
}

static void ld_trans(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.gld_transactions, compact, out);
}

static void ld_eff(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_percentage(base_gld_efficiency(&row->counters), out);
}

static void st_req(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.global_store_requests, compact, out);
}

static void st_trans(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.gst_transactions, compact, out);
}

static void st_eff(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_percentage(base_gst_efficiency(&row->counters), out);
}

static void bound(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_percentage(base_bound_pct(&row->counters), out);
}

static void bulk_ld(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.bulk_load_transactions, compact, out);
}

static void bulk_st(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.bulk_store_transactions, compact, out);
}

static void peer_ld(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.peer_load_transactions, compact, out);
}

static void peer_st(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.peer_store_transactions, compact, out);
}

static void atomics(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.global_atomic_requests + row->counters.global_reduction_requests, compact,
                    out);
}

static void shared_ld(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.shared_load_transactions, compact, out);
}

static void shared_st(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.shared_store_transactions, compact, out);
}

static void inst(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->counters.inst_executed, compact, out);
}

static void median_ms(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_number(row->time_ms.median, 4, out);
}

static void iqr_pct(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_number(row->time_ms.median > 0 ? 100 * row->time_ms.iqr / row->time_ms.median : NAN, 1, out);
}

static void samples(const struct bench_row *row, bool compact, char out[CELL]) {
    base_grid_count(row->time_ms.n, compact, out);
}

static void stop(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    snprintf(out, CELL, "%s", bench_stop_name(row->stop));
}

static void gbps(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_number(row->gbps, 1, out);
}

static void pct_peak(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_number(row->pct_peak, 1, out);
    if (isnan(row->pct_peak))
        snprintf(out, CELL, "n/a");
}

static void pct_copy(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_number(row->pct_copy, 1, out);
    if (isnan(row->pct_copy))
        snprintf(out, CELL, "n/a");
}

static void gops(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    base_grid_number(row->gops, 1, out);
}

static void cached(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    snprintf(out, CELL, "%s", row->fits_l2 ? "L2" : "");
}

static const struct column columns[] = {
    {"kernel", LEFT, kernel},
    {"size", HIDE_EQUAL, size},
    {"matrix", HIDE_EQUAL, matrix},
    {"order", HIDE_EQUAL, order},
    {"type", HIDE_EQUAL, type},
    {"fields", HIDE_EQUAL, fields},
    {"width", HIDE_EQUAL, width},
    {"gpus", HIDE_EQUAL, gpus},
    {"offset", HIDE_EQUAL, offset},
    {"stride", HIDE_EQUAL, stride},
    {"from shift", HIDE_EQUAL, from_shift},
    {"to shift", HIDE_EQUAL, to_shift},
    {"block", HIDE_EQUAL, block},
    {"unroll", HIDE_EQUAL, unroll},
    {"occ %", HIDE_EQUAL | SPARE | UNTOLD, occupancy},
    {"", LEFT, status},
    {"ld req", COUNTERS, ld_req},
    {"ld trans", COUNTERS, ld_trans},
    {"ld %", COUNTERS, ld_eff},
    {"st req", COUNTERS, st_req},
    {"st trans", COUNTERS, st_trans},
    {"st %", COUNTERS, st_eff},
    {"bulk ld", COUNTERS | HIDE_ZERO, bulk_ld},
    {"bulk st", COUNTERS | HIDE_ZERO, bulk_st},
    {"peer ld", COUNTERS | HIDE_ZERO, peer_ld},
    {"peer st", COUNTERS | HIDE_ZERO, peer_st},
    {"bound", COUNTERS | SPARE, bound},
    {"atom req", COUNTERS | HIDE_ZERO, atomics},
    {"sh ld", COUNTERS | HIDE_ZERO, shared_ld},
    {"sh st", COUNTERS | HIDE_ZERO, shared_st},
    {"inst", COUNTERS | SPARE, inst},
    {"ms", TIME, median_ms},
    {"IQR%", TIME, iqr_pct},
    {"n", TIME, samples},
    {"stop", TIME | LEFT, stop},
    {"GB/s", TIME, gbps},
    {"% peak", TIME, pct_peak},
    {"% copy", TIME, pct_copy},
    {"GOP/s", TIME | HIDE_ZERO, gops},
    {"", TIME | LEFT | HIDE_ZERO, cached},
    {"throttled", TIME | LEFT | HIDE_ZERO, throttled},
};
enum { COLUMNS = sizeof columns / sizeof *columns };
_Static_assert((int)COLUMNS <= (int)BASE_GRID_COLUMNS, "a grid holds every column");

/* A figure that was not measured leaves the cell empty. */
static void put_cell(const void *context, size_t r, size_t c, bool compact, char out[CELL]) {
    const struct bench_columns *laid = context;
    const struct bench_row *row = laid->rows[r];
    unsigned figures = columns[c].flags & (COUNTERS | TIME);
    if (!figures || (figures & COUNTERS ? row->has_counters : row->has_time))
        columns[c].cell(row, compact, out);
}

static bool gather(struct bench_columns *out, const struct bench_plan *plan,
                   const struct bench_section *last) {
    out->first = last + 1 - bench_section_table(plan, last);
    for (const struct bench_section *section = out->first; section <= last; section++)
        out->row_count += section->row_count;
    out->rows = calloc(out->row_count + 1, sizeof *out->rows);
    size_t count = 0;
    for (const struct bench_section *section = out->first; out->rows && section <= last; section++)
        for (size_t r = 0; r < section->row_count; r++)
            out->rows[count++] = &section->rows[r];
    return out->rows != NULL;
}

bool bench_columns_open(struct bench_columns *out, const struct bench_plan *plan,
                        const struct bench_section *section, int line) {
    *out = (struct bench_columns){.row_count = 0};
    if (!gather(out, plan, section))
        return false;
    for (size_t c = 0; c < COLUMNS; c++) {
        unsigned flags = columns[c].flags;
        bool absent = flags & (plan->simulator ? TIME : COUNTERS);
        out->columns[c] =
            (struct base_grid_column){columns[c].title, (flags & 0x7f) | (absent ? BASE_GRID_ABSENT : 0)};
        if (columns[c].cell == status)
            out->status = c;
    }
    out->grid = (struct base_grid){.columns = out->columns,
                                   .column_count = COLUMNS,
                                   .row_count = out->row_count,
                                   .cell = put_cell,
                                   .context = out,
                                   .line = line};
    return base_grid_lay_out(&out->grid);
}

void bench_columns_close(struct bench_columns *laid) {
    base_grid_free(&laid->grid);
    free(laid->rows);
}

/* Writes the libraries and versions of the rows, each library once. */
static void put_libraries(FILE *file, const struct bench_columns *laid, bool *more) {
    for (size_t r = 0; r < laid->row_count; r++) {
        const struct bench_row *row = laid->rows[r];
        bool told = !row->library_version[0];
        for (size_t before = 0; before < r && !told; before++)
            told = laid->rows[before]->rung->library == row->rung->library;
        if (!told) {
            fprintf(file, "%s%s %s", *more ? ", " : "", row->rung->library, row->library_version);
            *more = true;
        }
    }
}

void bench_columns_put_common(FILE *file, const struct bench_columns *laid) {
    const struct base_grid *grid = &laid->grid;
    const struct bench_row *row = laid->rows[0];
    bool more = false;
    for (size_t c = 0; c < COLUMNS; c++)
        if (columns[c].flags & HIDE_EQUAL && !(columns[c].flags & UNTOLD) && !grid->shown[c] &&
            base_grid_text(grid, 0, c)[0]) {
            fprintf(file, "%s%s %s", more ? ", " : "", columns[c].title, base_grid_text(grid, 0, c));
            if (columns[c].cell == size && row->experiment->shape == BENCH_SHAPE_SPARSE)
                fprintf(file, ", %" PRIu64 " entries", row->problem.nnz);
            more = true;
        }
    put_libraries(file, laid, &more);
    fputc('\n', file);
}
