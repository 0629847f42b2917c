#include "bench/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/text.h"
#include "bench/earlier.h"
#include "bench/json.h"
#include "bench/variant.h"

enum { CELL = BASE_GRID_CELL };
static const double time_tolerance = 2, counter_tolerance = 0;

enum verdict { ALONE, WITHIN, BETTER, WORSE };

struct pair {
    const struct bench_row *row;
    const char *what; /* "ms" or a counter's name; NULL: nothing can be compared */
    double before, now;
    enum verdict verdict;
};

struct comparison {
    struct pair *pairs;
    size_t count;
    double tolerance; /* in percent */
    bool simulator;
};

enum {
    KERNEL,
    SIZE,
    VARIANT,
    OFFSET,
    STRIDE,
    SHIFT,
    BLOCK,
    UNROLL,
    WHAT,
    BEFORE,
    NOW,
    RATIO,
    VERDICT,
    COLUMNS
};

static const struct base_grid_column columns[COLUMNS] = {
    [KERNEL] = {"kernel", BASE_GRID_LEFT},
    [SIZE] = {"size", BASE_GRID_HIDE_EQUAL},
    [VARIANT] = {"of", BASE_GRID_LEFT | BASE_GRID_HIDE_EQUAL},
    [OFFSET] = {"offset", BASE_GRID_HIDE_EQUAL},
    [STRIDE] = {"stride", BASE_GRID_HIDE_EQUAL},
    [SHIFT] = {"shift", BASE_GRID_HIDE_EQUAL},
    [BLOCK] = {"block", BASE_GRID_HIDE_EQUAL},
    [UNROLL] = {"unroll", BASE_GRID_HIDE_EQUAL},
    [WHAT] = {"", BASE_GRID_LEFT},
    [BEFORE] = {"before", 0},
    [NOW] = {"now", 0},
    [RATIO] = {"ratio", 0},
    [VERDICT] = {"", BASE_GRID_LEFT},
};

/* Less is better, both for times and for traffic.  Any increase from 0 is infinitely worse. */
static double ratio(const struct pair *pair) {
    return pair->before > 0 ? pair->now / pair->before : pair->now > 0 ? INFINITY : 1;
}

static void put_figure(const struct comparison *comparison, double value, bool compact, char out[CELL]) {
    if (comparison->simulator)
        base_grid_count((uint64_t)value, compact, out);
    else
        base_grid_number(value, 4, out);
}

static void put_cell(const void *context, size_t r, size_t c, bool compact, char out[CELL]) {
    static const char *const verdicts[] = {"not compared", "", "better", "WORSE"};
    const struct comparison *comparison = context;
    const struct pair *pair = &comparison->pairs[r];
    const struct bench_row *row = pair->row;
    switch (c) {
    case KERNEL:
        snprintf(out, CELL, "%s/%s", row->experiment->name, row->rung->name);
        break;
    case SIZE:
        bench_size_text(row->experiment, &row->problem, out, CELL);
        break;
    case OFFSET:
        if (row->experiment->has_offset)
            snprintf(out, CELL, "%" PRIu64, row->problem.offset);
        break;
    case STRIDE:
        if (row->experiment->has_stride)
            snprintf(out, CELL, "%" PRIu64, row->problem.stride);
        break;
    case VARIANT:
        bench_variant_text(row->experiment, &row->problem, out, CELL);
        break;
    case SHIFT:
        if (row->experiment->has_shift)
            snprintf(out, CELL, "%" PRIu64 " to %" PRIu64, row->problem.from_shift, row->problem.to_shift);
        break;
    case BLOCK:
        bench_block_text(bench_row_block(row), out, CELL);
        break;
    case UNROLL:
        if (row->problem.unroll)
            snprintf(out, CELL, "%" PRIu32, row->problem.unroll);
        break;
    case WHAT:
        snprintf(out, CELL, "%s", pair->what ? pair->what : "");
        break;
    case BEFORE:
    case NOW:
        if (pair->what)
            put_figure(comparison, c == BEFORE ? pair->before : pair->now, compact, out);
        break;
    case RATIO:
        if (pair->what)
            base_grid_number(ratio(pair), 4, out);
        break;
    default:
        snprintf(out, CELL, "%s", verdicts[pair->verdict]);
    }
}

static void compare_times(struct pair *pair, const json_t *before) {
    const json_t *median = json_object_get(json_object_get(before, "time_ms"), "median");
    const char *l2 = json_string_value(json_object_get(before, "l2"));
    if (!pair->row->has_time || !json_is_number(median) ||
        (l2 && strcmp(l2, bench_l2_name(pair->row->l2)) != 0))
        return;
    pair->what = "ms";
    pair->before = json_number_value(median);
    pair->now = pair->row->time_ms.median;
}

/* Compares the counters of traffic, not those of useful bytes or instructions.  The pair gets the one that
 * changed most. */
static void compare_counters(struct pair *pair, const json_t *before) {
    const json_t *counters = json_object_get(before, "counters");
    const wl_counters *now = &pair->row->counters;
    const struct {
        const char *name;
        uint64_t now;
    } traffic[] = {
#define ENTRY(name) {#name, now->name},
        ENTRY(gld_transactions) ENTRY(gst_transactions) ENTRY(global_load_requests)
            ENTRY(global_store_requests) ENTRY(global_atomic_transactions)
                ENTRY(global_reduction_transactions) ENTRY(local_load_transactions)
                    ENTRY(local_store_transactions) ENTRY(shared_load_transactions)
                        ENTRY(shared_store_transactions) ENTRY(shared_atomic_transactions)
                            ENTRY(dshared_load_transactions) ENTRY(dshared_store_transactions)
                                ENTRY(dshared_atomic_transactions) ENTRY(bulk_load_transactions)
                                    ENTRY(bulk_store_transactions) ENTRY(dshared_bulk_transactions)
#undef ENTRY
    };
    if (!pair->row->has_counters)
        return;
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
        const json_t *value = json_object_get(counters, traffic[i].name);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            continue; /* not a count: the file was edited */
        struct pair candidate = {.before = (double)json_integer_value(value), .now = (double)traffic[i].now};
        /* The first counter is taken in any case.  One that got worse is preferred to one that got better. */
        bool more = ratio(&candidate) > ratio(pair);
        if (!pair->what ||
            (ratio(pair) > 1 ? more : ratio(&candidate) > 1 || ratio(&candidate) < ratio(pair))) {
            pair->what = traffic[i].name;
            pair->before = candidate.before;
            pair->now = candidate.now;
        }
    }
}

static bool compare_row(struct comparison *comparison, const struct bench_earlier *earlier,
                        const struct bench_row *row) {
    struct pair *pair = &comparison->pairs[comparison->count++];
    *pair = (struct pair){.row = row, .verdict = ALONE};
    json_t *params = bench_params_json(row);
    if (!params)
        return false;
    const json_t *before = bench_earlier_row(earlier, row, params);
    if (before && comparison->simulator)
        compare_counters(pair, before);
    else if (before)
        compare_times(pair, before);
    json_decref(params);
    if (!pair->what)
        return true;
    double change = 100 * (ratio(pair) - 1);
    pair->verdict = change > comparison->tolerance    ? WORSE
                    : change < -comparison->tolerance ? BETTER
                                                      : WITHIN;
    return true;
}

static void put_grid(FILE *file, const struct base_grid *grid, const struct comparison *comparison,
                     bool colour) {
    base_grid_put_titles(file, grid);
    for (size_t r = 0; r < comparison->count; r++)
        base_grid_put_row(file, grid, r,
                          colour && comparison->pairs[r].verdict == WORSE ? (size_t)VERDICT : SIZE_MAX);
}

static size_t count_of(const struct comparison *comparison, enum verdict verdict) {
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++)
        count += comparison->pairs[i].verdict == verdict;
    return count;
}

static void put_summary(FILE *file, const struct comparison *comparison,
                        const struct bench_earlier *earlier) {
    size_t alone = count_of(comparison, ALONE), compared = comparison->count - alone,
           within = count_of(comparison, WITHIN);
    size_t before = json_array_size(json_object_get(earlier->document, "rows"));
    char text[400];
    int at =
        snprintf(text, sizeof text, "%zu of %zu rows within %g %%", within, compared, comparison->tolerance);
    if (compared)
        at += snprintf(text + at, sizeof text - (size_t)at, " (%.1f %%)",
                       100 * (double)within / (double)compared);
    at += snprintf(text + at, sizeof text - (size_t)at, ": %zu worse, %zu better",
                   count_of(comparison, WORSE), count_of(comparison, BETTER));
    if (alone)
        at += snprintf(text + at, sizeof text - (size_t)at, "; %zu have no match in the earlier run", alone);
    if (before > compared)
        snprintf(text + at, sizeof text - (size_t)at, "; %zu of the earlier run were not run now",
                 before - compared);
    base_wrap(file, text, 0, 0);
}

bool bench_compare(FILE *file, const struct bench_earlier *earlier, const struct bench_plan *plan,
                   double tolerance, bool colour, size_t *slower) {
    struct comparison comparison = {
        .pairs = calloc(plan->row_count + 1, sizeof *comparison.pairs),
        .tolerance = tolerance >= 0    ? tolerance
                     : plan->simulator ? counter_tolerance
                                       : time_tolerance,
        .simulator = plan->simulator,
    };
    bool right = comparison.pairs != NULL;
    for (size_t s = 0; s < plan->section_count; s++)
        for (size_t i = 0; i < plan->sections[s].row_count && right; i++)
            right = compare_row(&comparison, earlier, &plan->sections[s].rows[i]);
    struct base_grid grid = {.columns = columns,
                             .column_count = COLUMNS,
                             .row_count = comparison.count,
                             .cell = put_cell,
                             .context = &comparison,
                             .line = base_text_columns(file)};
    right = right && base_grid_lay_out(&grid);
    if (right) {
        const char *date = json_string_value(json_object_get(earlier->document, "date"));
        fprintf(file, "\ncompared with %s%s%s\n", earlier->path, date ? " of " : "", date ? date : "");
        put_grid(file, &grid, &comparison, colour);
        put_summary(file, &comparison, earlier);
        base_grid_free(&grid);
        *slower = count_of(&comparison, WORSE);
    }
    free(comparison.pairs);
    return right;
}
