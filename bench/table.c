#include "bench/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/text.h"

enum { CELL = 40 };

enum flags {
    LEFT = 1,       /* aligned to the left */
    HIDE_EQUAL = 2, /* left out where every row says the same */
    HIDE_ZERO = 4,  /* left out where every row says 0 or nothing */
    COUNTERS = 8,   /* the simulator's */
    TIME = 16,      /* a GPU's */
    SPARE = 32,     /* left out first where a line would be too long */
};

/* What a section gives up, one after the other, until its lines fit. */
enum fit { ROOMY, NARROW_GAPS, COMPACT_COUNTS, WITHOUT_SPARE, FITS };

/* `compact`: counts of a million and more as 161.12M or 2.58G. */
typedef void cell_fn(const struct bench_row *row, bool compact, char out[CELL]);

struct column {
    const char *title;
    unsigned flags;
    cell_fn *cell;
};

static void put_count(uint64_t count, bool compact, char out[CELL]) {
    if (compact && count >= 999995000)
        snprintf(out, CELL, "%.2fG", (double)count / 1e9);
    else if (compact && count >= 1000000)
        snprintf(out, CELL, "%.2fM", (double)count / 1e6);
    else
        snprintf(out, CELL, "%" PRIu64, count);
}

/* Nothing for what is absent. */
static void put_number(double value, int digits, char out[CELL]) {
    if (isnan(value))
        out[0] = 0;
    else
        snprintf(out, CELL, "%.*f", digits, value);
}

/* 100, 80, 49.81, 12.5 */
static void put_percentage(double value, char out[CELL]) {
    if (isnan(value))
        out[0] = 0;
    else
        snprintf(out, CELL, "%.4g", value);
}

static void kernel(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    snprintf(out, CELL, "%s", row->rung->name);
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

static void block(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    struct bench_block b = bench_row_block(row);
    if (b.x && b.y > 1)
        snprintf(out, CELL, "%" PRIu32 "x%" PRIu32, b.x, b.y);
    else if (b.x)
        snprintf(out, CELL, "%" PRIu32, b.x);
}

static void status(const struct bench_row *row, bool compact, char out[CELL]) {
    static const char *const names[] = {
        [BENCH_PENDING] = "-", [BENCH_VERIFIED] = "ok", [BENCH_FAILED] = "FAIL", [BENCH_SKIPPED] = "skip"};
    (void)compact;
    snprintf(out, CELL, "%s", names[row->status]);
}

static void ld_req(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.global_load_requests, compact, out);
}

static void ld_trans(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.gld_transactions, compact, out);
}

static void ld_eff(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_percentage(bench_gld_efficiency(&row->counters), out);
}

static void st_req(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.global_store_requests, compact, out);
}

static void st_trans(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.gst_transactions, compact, out);
}

static void st_eff(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_percentage(bench_gst_efficiency(&row->counters), out);
}

static void bound(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_percentage(bench_bound_pct(&row->counters), out);
}

static void atomics(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.global_atomic_requests + row->counters.global_reduction_requests, compact, out);
}

static void shared_ld(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.shared_load_transactions, compact, out);
}

static void shared_st(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.shared_store_transactions, compact, out);
}

static void inst(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->counters.inst_executed, compact, out);
}

static void median_ms(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_number(row->time_ms.median, 4, out);
}

static void iqr_pct(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_number(row->time_ms.median > 0 ? 100 * row->time_ms.iqr / row->time_ms.median : NAN, 1, out);
}

static void samples(const struct bench_row *row, bool compact, char out[CELL]) {
    put_count(row->time_ms.n, compact, out);
}

static void stop(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    snprintf(out, CELL, "%s", bench_stop_name(row->stop));
}

static void gbps(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_number(row->gbps, 1, out);
}

static void pct_peak(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_number(row->pct_peak, 1, out);
    if (isnan(row->pct_peak))
        snprintf(out, CELL, "n/a");
}

static void pct_copy(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_number(row->pct_copy, 1, out);
    if (isnan(row->pct_copy))
        snprintf(out, CELL, "n/a");
}

static void gops(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    put_number(row->gops, 1, out);
}

static void cached(const struct bench_row *row, bool compact, char out[CELL]) {
    (void)compact;
    snprintf(out, CELL, "%s", row->fits_l2 ? "L2" : "");
}

static const struct column columns[] = {
    {"kernel", LEFT, kernel},
    {"offset", HIDE_EQUAL, offset},
    {"stride", HIDE_EQUAL, stride},
    {"block", HIDE_EQUAL, block},
    {"", LEFT, status},
    {"ld req", COUNTERS, ld_req},
    {"ld trans", COUNTERS, ld_trans},
    {"ld %", COUNTERS, ld_eff},
    {"st req", COUNTERS, st_req},
    {"st trans", COUNTERS, st_trans},
    {"st %", COUNTERS, st_eff},
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
};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct grid {
    const struct bench_section *section;
    char (*cells)[COLUMNS][CELL]; /* [row] */
    bool shown[COLUMNS];
    int width[COLUMNS];
    int gap;
};

static bool is_shown(const struct grid *grid, size_t c, bool simulator, enum fit fit) {
    unsigned flags = columns[c].flags;
    if (flags & (simulator ? TIME : COUNTERS) || (flags & SPARE && fit >= WITHOUT_SPARE))
        return false;
    if (!(flags & (HIDE_EQUAL | HIDE_ZERO)))
        return true;
    for (size_t r = 0; r < grid->section->row_count; r++) {
        const char *cell = grid->cells[r][c];
        if (flags & HIDE_EQUAL ? strcmp(cell, grid->cells[0][c]) != 0 : *cell && strcmp(cell, "0") != 0)
            return true;
    }
    return false;
}

/* Returns the width of a whole line. */
static int lay_out(struct grid *grid, bool simulator, enum fit fit) {
    int total = 0;
    bool compact = fit >= COMPACT_COUNTS;
    grid->gap = fit >= NARROW_GAPS ? 1 : 2;
    for (size_t c = 0; c < COLUMNS; c++) {
        grid->width[c] = (int)strlen(columns[c].title);
        for (size_t r = 0; r < grid->section->row_count; r++) {
            const struct bench_row *row = &grid->section->rows[r];
            char *cell = grid->cells[r][c];
            cell[0] = 0;
            /* A figure appears only where it was measured. */
            unsigned figures = columns[c].flags & (COUNTERS | TIME);
            if (!figures || (figures & COUNTERS ? row->has_counters : row->has_time))
                columns[c].cell(row, compact, cell);
            int length = (int)strlen(cell);
            if (length > grid->width[c])
                grid->width[c] = length;
        }
        grid->shown[c] = is_shown(grid, c, simulator, fit);
        if (grid->shown[c])
            total += grid->width[c] + (total ? grid->gap : 0);
    }
    return total;
}

static void print_cell(FILE *file, const struct grid *grid, size_t c, const char *text, bool first,
                       bool red) {
    if (!first)
        fprintf(file, "%*s", grid->gap, "");
    int padding = grid->width[c] - (int)strlen(text);
    if (!(columns[c].flags & LEFT))
        fprintf(file, "%*s", padding, "");
    fprintf(file, red ? "\033[31m%s\033[0m" : "%s", text);
    if (columns[c].flags & LEFT)
        fprintf(file, "%*s", padding, "");
}

static void print_row(FILE *file, const struct grid *grid, size_t r, bool colour) {
    const struct bench_row *row = &grid->section->rows[r];
    bool first = true;
    for (size_t c = 0; c < COLUMNS; c++)
        if (grid->shown[c]) {
            bool red = colour && row->status == BENCH_FAILED && columns[c].cell == status;
            const char *text = grid->cells[r][c];
            print_cell(file, grid, c, *text || columns[c].flags & LEFT ? text : "-", first, red);
            first = false;
        }
    fputc('\n', file);
    if (row->status == BENCH_PENDING)
        bench_wrap(file, "not run: the device failed before", 6, 0);
    else if (row->note[0])
        bench_wrap(file, row->note, 6, 0);
}

static void print_caption(FILE *file, const struct grid *grid) {
    const struct bench_row *row = &grid->section->rows[0];
    char size[80];
    bench_size_text(row->experiment, &row->problem, size, sizeof size);
    int column = fprintf(file, "\n%s: ", row->experiment->name) - 1;
    bench_wrap(file, row->experiment->question, 2, column);
    fprintf(file, "size %s", size);
    if (row->experiment->shape == BENCH_SHAPE_SPARSE)
        fprintf(file, ", %" PRIu64 " entries", row->problem.nnz);
    for (size_t c = 0; c < COLUMNS; c++)
        if (columns[c].flags & HIDE_EQUAL && !grid->shown[c] && grid->cells[0][c][0])
            fprintf(file, ", %s %s", columns[c].title, grid->cells[0][c]);
    fputc('\n', file);
}

bool bench_table_section(FILE *file, const struct bench_plan *plan, const struct bench_section *section,
                         bool colour) {
    struct grid grid = {.section = section, .cells = calloc(section->row_count, sizeof *grid.cells)};
    if (!grid.cells)
        return false;
    enum fit fit = ROOMY;
    int columns_of_file = bench_text_columns(file);
    while (fit < FITS && lay_out(&grid, plan->simulator, fit) > columns_of_file)
        fit++;
    print_caption(file, &grid);
    bool first = true;
    for (size_t c = 0; c < COLUMNS; c++)
        if (grid.shown[c]) {
            print_cell(file, &grid, c, columns[c].title, first, false);
            first = false;
        }
    fputc('\n', file);
    for (size_t r = 0; r < section->row_count; r++)
        print_row(file, &grid, r, colour);
    free(grid.cells);
    return true;
}

void bench_table_header(FILE *file, const struct bench_plan *plan) {
    char text[512];
    if (plan->simulator)
        snprintf(text, sizeof text, "%s, counting rules %s%s: one launch each, no time", plan->device.name,
                 plan->device.arch, plan->device.arch_proved ? "" : " (not held against hardware)");
    else if (plan->peak_gbps > 0)
        snprintf(text, sizeof text, "%s (%s), theoretical peak %.1f GB/s", plan->device.name,
                 plan->device.arch, plan->peak_gbps);
    else
        snprintf(text, sizeof text, "%s (%s), theoretical peak unknown: --peak gives it", plan->device.name,
                 plan->device.arch);
    bench_wrap(file, text, 0, 0);
}
