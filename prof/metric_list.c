#include <math.h>
#include <string.h>

#include "base/grid.h"
#include "base/text.h"
#include "prof/demangle.h"
#include "prof/doubts.h"
#include "prof/report.h"

enum { RUNS, METRIC, MIN, MAX, AVERAGE, MEANING, COLUMNS };

static const struct base_grid_column columns[COLUMNS] = {
    [RUNS] = {"runs", 0},   [METRIC] = {"metric", BASE_GRID_LEFT},
    [MIN] = {"min", 0},     [MAX] = {"max", 0},
    [AVERAGE] = {"avg", 0}, [MEANING] = {"", BASE_GRID_LEFT | BASE_GRID_SPARE},
};

struct list {
    const struct prof_row *row;
    const struct prof_choices *choices;
    bool tight; /* lines with exact values would be too long, so large counts are shortened */
};

static void put_value(const struct list *list, const struct prof_metric *metric, double value,
                      char out[BASE_GRID_CELL]) {
    bool whole = metric->unit == PROF_COUNT || metric->unit == PROF_BYTES;
    if (list->tight && whole && value >= 1e6 && value < 0x1p63)
        base_grid_count((uint64_t)value, true, out);
    else
        prof_value_text(metric, value, out, BASE_GRID_CELL);
}

/* Whether a line with exact values would be longer than `line`. */
static bool is_tight(const struct list *list, size_t line) {
    size_t name = 0, value = 0, runs;
    char text[BASE_GRID_CELL];
    for (size_t i = 0; i < list->choices->count; i++) {
        const struct prof_choice *choice = &list->choices->items[i];
        struct prof_range range = prof_row_range(list->row, choice->metric);
        const double values[] = {range.least, range.most, range.average};
        size_t length = strlen(prof_choice_name(choice)) + (list->row->doubts != 0);
        name = length > name ? length : name;
        for (size_t k = 0; k < 3; k++) {
            prof_value_text(choice->metric, values[k], text, sizeof text);
            length = strlen(text);
            value = length > value ? length : value;
        }
    }
    base_grid_count(list->row->launch_count, false, text);
    runs = strlen(text) > 4 ? strlen(text) : 4;
    return runs + name + 3 * value + 4 > line;
}

static bool is_doubted(const struct prof_row *row, const struct prof_metric *metric) {
    struct prof_doubted doubted;
    prof_doubted_find(row->lines, row->line_count, &row->sums, &doubted);
    return prof_doubts_of(&doubted, &row->sums, metric) != 0;
}

static void put_cell(const void *context, size_t r, size_t c, bool compact, char out[BASE_GRID_CELL]) {
    (void)compact;
    const struct list *list = context;
    const struct prof_choice *choice = &list->choices->items[r];
    struct prof_range range = prof_row_range(list->row, choice->metric);
    switch (c) {
    case RUNS:
        base_grid_count(list->row->launch_count, false, out);
        break;
    case METRIC:
        snprintf(out, BASE_GRID_CELL, "%s%s", is_doubted(list->row, choice->metric) ? "~" : "",
                 prof_choice_name(choice));
        break;
    case MIN:
        put_value(list, choice->metric, range.least, out);
        break;
    case MAX:
        put_value(list, choice->metric, range.most, out);
        break;
    case AVERAGE:
        put_value(list, choice->metric, range.average, out);
        break;
    default:
        snprintf(out, BASE_GRID_CELL, "%s", choice->metric->meaning);
    }
}

static bool put_row(FILE *file, const struct prof_report *report, const struct prof_row *row) {
    struct list list = {row, report->choices, false};
    struct base_grid_column shown[COLUMNS];
    memcpy(shown, columns, sizeof shown);
    list.tight = is_tight(&list, (size_t)base_text_columns(file) - 2);
    shown[RUNS].flags |= list.tight ? BASE_GRID_ABSENT : 0;
    struct base_grid grid = {.columns = shown,
                             .column_count = COLUMNS,
                             .row_count = report->choices->count,
                             .cell = put_cell,
                             .context = &list,
                             .line = base_text_columns(file) - 2};
    if (!base_grid_lay_out(&grid))
        return false;
    const unsigned *g = row->first->grid, *b = row->first->block;
    char name[BASE_TEXT_COLUMNS - 7];
    prof_row_name(row, name, sizeof name);
    fprintf(file, "Kernel: %s\n", name);
    if (list.tight && !report->each)
        fprintf(file, "  runs: %zu\n", row->launch_count);
    if (report->each)
        fprintf(file, "  launch %zu, grid (%u, %u, %u), block (%u, %u, %u)\n",
                (size_t)(row->launches[0] - report->recording->launches) + 1, g[0], g[1], g[2], b[0], b[1],
                b[2]);
    fputs("  ", file);
    base_grid_put_titles(file, &grid);
    for (size_t r = 0; r < grid.row_count; r++) {
        fputs("  ", file);
        base_grid_put_row(file, &grid, r, SIZE_MAX);
    }
    base_grid_free(&grid);
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
