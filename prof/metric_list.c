#include <math.h>
#include <string.h>

#include "bench/grid.h"
#include "bench/text.h"
#include "prof/demangle.h"
#include "prof/report.h"

enum { RUNS, METRIC, MIN, MAX, AVERAGE, MEANING, COLUMNS };

static const struct bench_grid_column columns[COLUMNS] = {
    [RUNS] = {"runs", 0},   [METRIC] = {"metric", BENCH_GRID_LEFT},
    [MIN] = {"min", 0},     [MAX] = {"max", 0},
    [AVERAGE] = {"avg", 0}, [MEANING] = {"", BENCH_GRID_LEFT | BENCH_GRID_SPARE},
};

struct list {
    const struct prof_row *row;
    const struct prof_choices *choices;
};

static void put_cell(const void *context, size_t r, size_t c, bool compact, char out[BENCH_GRID_CELL]) {
    (void)compact;
    const struct list *list = context;
    const struct prof_choice *choice = &list->choices->items[r];
    struct prof_range range = prof_row_range(list->row, choice->metric);
    switch (c) {
    case RUNS:
        bench_grid_count(list->row->launch_count, false, out);
        break;
    case METRIC:
        snprintf(out, BENCH_GRID_CELL, "%s", prof_choice_name(choice));
        break;
    case MIN:
        prof_value_text(choice->metric, range.least, out, BENCH_GRID_CELL);
        break;
    case MAX:
        prof_value_text(choice->metric, range.most, out, BENCH_GRID_CELL);
        break;
    case AVERAGE:
        prof_value_text(choice->metric, range.average, out, BENCH_GRID_CELL);
        break;
    default:
        snprintf(out, BENCH_GRID_CELL, "%s", choice->metric->meaning);
    }
}

static bool put_row(FILE *file, const struct prof_report *report, const struct prof_row *row) {
    struct list list = {row, report->choices};
    struct bench_grid grid = {.columns = columns,
                              .column_count = COLUMNS,
                              .row_count = report->choices->count,
                              .cell = put_cell,
                              .context = &list,
                              .line = bench_text_columns(file) - 2};
    if (!bench_grid_lay_out(&grid))
        return false;
    const unsigned *g = row->first->grid, *b = row->first->block;
    char name[BENCH_TEXT_COLUMNS - 7];
    prof_fit_name(row->first->name, name, sizeof name);
    fprintf(file, "Kernel: %s\n", name);
    if (report->each)
        fprintf(file, "  launch %zu, grid (%u, %u, %u), block (%u, %u, %u)\n",
                (size_t)(row->launches[0] - report->recording->launches) + 1, g[0], g[1], g[2], b[0], b[1],
                b[2]);
    fputs("  ", file);
    bench_grid_put_titles(file, &grid);
    for (size_t r = 0; r < grid.row_count; r++) {
        fputs("  ", file);
        bench_grid_put_row(file, &grid, r, SIZE_MAX);
    }
    bench_grid_free(&grid);
    return true;
}

bool prof_put_metrics(FILE *file, const struct prof_report *report) {
    for (size_t i = 0; i < report->rows->count; i++) {
        if (i)
            fputc('\n', file);
        if (!put_row(file, report, &report->rows->items[i]))
            return false;
    }
    return true;
}
