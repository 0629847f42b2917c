#include "bench/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/text.h"

enum { CELL = BASE_GRID_CELL };

/* The simulator's rows are compared by these costs, in this order; less is better. */
enum { SECTORS, SHARED, INSTRUCTIONS, COSTS };
struct cost {
    double of[COSTS];
};

/* Costs within 1 % of each other count as equal. */
static const double same = 0.01;

struct line {
    const struct bench_experiment *experiment;
    const struct bench_row *first, *best, *library, *peer; /* NULL: none */
};

struct summary {
    struct line *lines;
    size_t count;
};

/* ---------------------------------------------------------------- choosing the rows */

static double figure_of(const struct bench_row *row) {
    return row->operations ? row->gops : row->gbps;
}

/* The costs per KiB of the least bytes that the rung must move. */
static struct cost cost_of(const struct bench_row *row) {
    const wl_counters *c = &row->counters;
    double work = (double)row->bytes / 1024;
    return (struct cost){{
        [SECTORS] = (double)(c->gld_transactions + c->gst_transactions + c->global_atomic_transactions +
                             c->global_reduction_transactions + c->local_load_transactions +
                             c->local_store_transactions) /
                    work,
        [SHARED] = (double)(c->shared_load_transactions + c->shared_store_transactions +
                            c->shared_atomic_transactions) /
                   work,
        [INSTRUCTIONS] = (double)c->inst_executed / work,
    }};
}

static bool differ(double a, double b) {
    return fabs(a - b) > same * fmax(a, b);
}

static bool is_better(const struct bench_row *row, const struct bench_row *than) {
    if (row->has_time)
        return figure_of(row) > figure_of(than);
    struct cost a = cost_of(row), b = cost_of(than);
    for (int i = 0; i < COSTS; i++)
        if (differ(a.of[i], b.of[i]))
            return a.of[i] < b.of[i];
    return false;
}

/* The driver's own copies execute nothing that the simulator could count. */
static bool has_figure(const struct bench_row *row) {
    return row->status == BENCH_VERIFIED && row->bytes &&
           (row->has_time ? figure_of(row) > 0 : row->has_counters && row->counters.inst_executed);
}

/* An experiment's copies are bounds, not rungs. */
static bool is_bound(const struct bench_row *row) {
    return row->rung->reference == WL_REF_TRANSPOSE_COPY || row->rung->reference == WL_REF_TILE_COPY ||
           row->rung->reference == WL_REF_SAME_BYTES || row->rung->reference == WL_REF_EXCHANGE;
}

static bool is_library(const struct bench_row *row) {
    return strcmp(row->rung->name, "wideload") == 0;
}

/* Whether two rows of a section answer the same question. */
static bool same_case(const struct bench_row *a, const struct bench_row *b) {
    return a->problem.offset == b->problem.offset && a->problem.stride == b->problem.stride &&
           a->problem.from_shift == b->problem.from_shift && a->problem.to_shift == b->problem.to_shift;
}

static void take(const struct bench_row **kept, const struct bench_row *row) {
    if (!*kept || is_better(row, *kept))
        *kept = row;
}

/* The rows of a case; `begin` is its first. */
static struct line line_of(const struct bench_section *section, const struct bench_row *begin) {
    struct line line = {.experiment = section->experiment};
    for (size_t i = 0; i < section->row_count; i++) {
        const struct bench_row *row = &section->rows[i];
        if (!has_figure(row) || is_bound(row))
            continue;
        /* The best kernel is chosen over all strides. */
        if (section->experiment->has_stride && !row->rung->library)
            take(&line.best, row);
        if (!same_case(row, begin))
            continue;
        if (row->rung->library)
            take(&line.peer, row);
        else if (is_library(row))
            take(&line.library, row);
        else if (!line.first)
            line.first = row;
        if (!row->rung->library && !is_library(row))
            take(&line.best, row);
    }
    return line;
}

/* The row by which the worst case is chosen. */
static const struct bench_row *lead(const struct line *line) {
    return line->first ? line->first : line->library ? line->library : line->peer;
}

static void add_section(struct summary *summary, const struct bench_section *section) {
    struct line *line = summary->count ? &summary->lines[summary->count - 1] : NULL;
    if (!line || line->experiment != section->experiment) {
        line = &summary->lines[summary->count++];
        line->experiment = section->experiment;
    }
    for (size_t i = 0; i < section->row_count; i++) {
        struct line here = line_of(section, &section->rows[i]);
        if (lead(&here) && (!lead(line) || is_better(lead(line), lead(&here))))
            *line = here;
    }
}

/* ---------------------------------------------------------------- the table */

enum { EXPERIMENT, UNIT, FIRST, BEST, BEST_NAME, LIBRARY, PEER, PEER_NAME, TEACHES, COLUMNS };

static const struct base_grid_column columns[COLUMNS] = {
    [EXPERIMENT] = {"experiment", BASE_GRID_LEFT},
    [UNIT] = {"unit", BASE_GRID_LEFT},
    [FIRST] = {"first", 0},
    [BEST] = {"best", 0},
    [BEST_NAME] = {"", BASE_GRID_LEFT | BASE_GRID_SPARE_LAST},
    [LIBRARY] = {"library", 0},
    [PEER] = {"peer", BASE_GRID_HIDE_ZERO},
    [PEER_NAME] = {"", BASE_GRID_LEFT | BASE_GRID_HIDE_ZERO | BASE_GRID_SPARE},
    [TEACHES] = {"what it teaches", BASE_GRID_LEFT | BASE_GRID_CUT},
};

/* The first cost in which the ladder's first and best rung differ. */
static int cost_shown(const struct line *line) {
    const struct bench_row *from = lead(line), *to = line->best ? line->best : line->library;
    if (!from || !to || from == to || from->has_time)
        return SECTORS;
    struct cost a = cost_of(from), b = cost_of(to);
    for (int i = 0; i < COSTS; i++)
        if (differ(a.of[i], b.of[i]))
            return i;
    return SECTORS;
}

static void put_figure(const struct line *line, const struct bench_row *row, char out[CELL]) {
    if (!row)
        return;
    double value = row->has_time ? figure_of(row) : cost_of(row).of[cost_shown(line)];
    base_grid_number(value, value < 1000 ? 1 : 0, out);
}

static void put_unit(const struct line *line, char out[CELL]) {
    static const char *const units[COSTS] = {
        [SECTORS] = "sectors", [SHARED] = "shared", [INSTRUCTIONS] = "inst"};
    const struct bench_row *row = lead(line);
    if (row)
        snprintf(out, CELL, "%s",
                 !row->has_time    ? units[cost_shown(line)]
                 : row->operations ? "GOP/s"
                                   : "GB/s");
}

/* The name with offset, stride, width or type as in --size and `wideload list`: "read-offset 11",
 * "permute/1". */
static void put_name(const struct line *line, char out[CELL]) {
    const struct bench_experiment *experiment = line->experiment;
    const struct bench_row *row = lead(line);
    int length = snprintf(out, CELL, "%s", experiment->name);
    if (!row)
        return;
    if (experiment->has_offset || experiment->has_stride)
        snprintf(out + length, (size_t)(CELL - length), " %" PRIu64,
                 experiment->has_offset ? row->problem.offset : row->problem.stride);
    else if (experiment->has_type)
        snprintf(out + length, (size_t)(CELL - length), " %s", bench_type_name(row->problem.type));
    else if (experiment->has_width && row->problem.width)
        snprintf(out + length, (size_t)(CELL - length), "/%" PRIu32, row->problem.width);
}

static void put_best(const struct line *line, char out[CELL]) {
    if (line->best && line->experiment->has_stride)
        snprintf(out, CELL, "%s by %" PRIu64, line->best->rung->name, line->best->problem.stride);
    else if (line->best)
        snprintf(out, CELL, "%s", line->best->rung->name);
}

static void put_cell(const void *context, size_t r, size_t c, bool compact, char out[CELL]) {
    const struct summary *summary = context;
    const struct line *line = &summary->lines[r];
    (void)compact;
    switch (c) {
    case EXPERIMENT:
        put_name(line, out);
        break;
    case UNIT:
        put_unit(line, out);
        break;
    case FIRST:
        put_figure(line, line->first, out);
        break;
    case BEST:
        put_figure(line, line->best, out);
        break;
    case BEST_NAME:
        put_best(line, out);
        break;
    case LIBRARY:
        put_figure(line, line->library, out);
        break;
    case PEER:
        put_figure(line, line->peer, out);
        break;
    case PEER_NAME:
        if (line->peer)
            snprintf(out, CELL, "%s", line->peer->rung->name);
        break;
    default:
        snprintf(out, CELL, "%s", line->experiment->lesson);
    }
}

static void put_grid(FILE *file, const struct bench_plan *plan, const struct base_grid *grid) {
    fputc('\n', file);
    base_wrap(file,
              plan->simulator
                  ? "Summary: of each KiB that must move, sectors of 32 bytes, wavefronts of shared memory "
                    "or instructions; less is better"
                  : "Summary: what each kernel reached; more is better",
              0, 0);
    base_grid_put_titles(file, grid);
    for (size_t r = 0; r < grid->row_count; r++)
        base_grid_put_row(file, grid, r, SIZE_MAX);
    base_wrap(file, "Of offsets, strides, types and widths (/bytes), those where the first rung does worst.",
              0, 0);
}

bool bench_put_summary(FILE *file, const struct bench_plan *plan) {
    struct summary summary = {.lines = calloc(plan->section_count + 1, sizeof *summary.lines)};
    if (!summary.lines)
        return false;
    for (size_t s = 0; s < plan->section_count; s++)
        add_section(&summary, &plan->sections[s]);
    struct base_grid grid = {.columns = columns,
                             .column_count = COLUMNS,
                             .row_count = summary.count,
                             .cell = put_cell,
                             .context = &summary,
                             .line = base_text_wide(file)};
    bool right = base_grid_lay_out(&grid);
    if (right)
        put_grid(file, plan, &grid);
    base_grid_free(&grid);
    free(summary.lines);
    return right;
}
