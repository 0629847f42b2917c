/* Sweeps: rows of one kernel that differ in exactly one parameter and have at least three values of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/view.h"

enum { FEWEST = 3 };

static int by_value(const void *a, const void *b, void *argument) {
    const enum report_param *param = argument;
    const struct report_row *const *left = a, *const *right = b; /* the array has the rows' order */
    double x = (*left)->param[*param], y = (*right)->param[*param];
    int order = (x > y) - (x < y);
    return order ? order : (*left > *right) - (*left < *right);
}

/* An experiment's rows in groups, in which rows differ in one parameter only. */
struct groups {
    enum report_param param;
    size_t count;
    size_t *of;                     /* each row's group */
    struct report_series *series;   /* each group's rows with a value, ascending, one row per value */
    const struct report_row **rows; /* of all series */
};

static struct groups make_groups(const struct report_experiment *experiment, enum report_param param,
                                 struct report_pool *pool) {
    struct groups groups = {.param = param};
    size_t n = experiment->row_count, *from;
    groups.of = report_group(experiment->rows, n, (int)param, &groups.count);
    groups.series = calloc(groups.count + 1, sizeof *groups.series);
    groups.rows = report_alloc(pool, n * sizeof *groups.rows);
    from = calloc(groups.count + 1, sizeof *from);
    if (!groups.series || !from)
        report_out_of_memory();
    for (size_t i = 0; i < n; i++)
        from[groups.of[i] + 1]++;
    for (size_t g = 0; g < groups.count; g++) {
        from[g + 1] += from[g];
        groups.series[g].rows = groups.rows + from[g];
    }
    for (size_t i = 0; i < n; i++) {
        const struct report_row *row = experiment->rows[i];
        struct report_series *series = &groups.series[groups.of[i]];
        if (row->param[param] >= 0 && !isnan(report_value(row, experiment->metric)))
            series->rows[series->count++] = row;
    }
    for (size_t g = 0; g < groups.count; g++) {
        struct report_series *series = &groups.series[g];
        size_t kept = 0;
        qsort_r(series->rows, series->count, sizeof *series->rows, by_value, &groups.param);
        for (size_t i = 0; i < series->count; i++)
            if (!kept || series->rows[i]->param[param] > series->rows[kept - 1]->param[param])
                series->rows[kept++] = series->rows[i];
        series->count = kept;
    }
    free(from);
    return groups;
}

/* A row's index in the experiment, whose rows are in the order of their addresses. */
static size_t index_of(const struct report_experiment *experiment, const struct report_row *row) {
    size_t low = 0, high = experiment->row_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (experiment->rows[middle] > row)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Adds each kernel's first line that is long enough, preferably through the ladder's row, so that the other
 * parameters are the ladder's if possible. */
static void add_series(struct report_sweep *sweep, const struct report_experiment *experiment,
                       const size_t *rungs, size_t rung_count, const size_t *kernel, size_t kernel_count,
                       const struct groups *groups) {
    const struct report_series **first = calloc(kernel_count + 1, sizeof *first);
    if (!first)
        report_out_of_memory();
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_series *series = &groups->series[groups->of[i]];
        if (series->count >= FEWEST && !first[kernel[i]])
            first[kernel[i]] = series;
    }
    for (size_t i = 0; i < rung_count; i++) {
        const struct report_series *own = &groups->series[groups->of[rungs[i]]];
        if (own->count < FEWEST)
            own = first[kernel[rungs[i]]];
        if (own)
            sweep->series[sweep->count++] = *own;
    }
    free(first);
}

/* Sets sweep->fixed to the parameters that all rows share, and names each line by those that only its rows
 * share. */
static void name_series(struct report_sweep *sweep, struct report_pool *pool) {
    size_t total = 0, count = 0;
    for (size_t i = 0; i < sweep->count; i++)
        total += sweep->series[i].count;
    const struct report_row **all = report_alloc(pool, total * sizeof *all);
    for (size_t i = 0; i < sweep->count; i++)
        for (size_t j = 0; j < sweep->series[i].count; j++)
            all[count++] = sweep->series[i].rows[j];
    unsigned common = report_common(all, total);
    sweep->fixed = report_params_text(all[0], common & ~(1u << sweep->param), pool);
    for (size_t i = 0; i < sweep->count; i++) {
        const struct report_row *row = sweep->series[i].rows[0];
        /* The block is a property of the kernel: it does not belong in the name. */
        unsigned own = ~common & ~(1u << sweep->param) & ~(1u << REPORT_BLOCK);
        const char *params = report_params_text(row, own, pool);
        sweep->series[i].name =
            report_format(pool, "%s%s%s", report_kernel_text(row, pool), *params ? ", " : "", params);
    }
}

/* Finds one row per kernel: those of the ladder, and new kernels of the ladders beside. */
static size_t find_rungs(const struct report_experiment *experiment, const size_t *kernel,
                         size_t kernel_count, size_t *rungs) {
    bool *seen = calloc(kernel_count + 1, sizeof *seen);
    size_t count = 0;
    if (!seen)
        report_out_of_memory();
    for (const struct report_experiment *at = experiment; at; at = at->beside)
        for (size_t i = 0; i < at->ladder_count; i++) {
            size_t row = index_of(experiment, at->ladder[i]);
            if (!seen[kernel[row]])
                rungs[count++] = row;
            seen[kernel[row]] = true;
        }
    free(seen);
    return count;
}

void report_find_sweeps(struct report_experiment *experiment, struct report_pool *pool) {
    size_t kernel_count;
    size_t *kernel = report_group(experiment->rows, experiment->row_count, REPORT_PARAMS, &kernel_count);
    size_t *rungs = calloc(kernel_count + 1, sizeof *rungs);
    if (!rungs)
        report_out_of_memory();
    size_t count = find_rungs(experiment, kernel, kernel_count, rungs);
    for (int param = 0; param < REPORT_PARAMS; param++) {
        struct report_sweep sweep = {.param = (enum report_param)param};
        struct groups groups = make_groups(experiment, sweep.param, pool);
        sweep.series = report_alloc(pool, count * sizeof *sweep.series);
        add_series(&sweep, experiment, rungs, count, kernel, kernel_count, &groups);
        free(groups.of);
        free(groups.series);
        if (!sweep.count)
            continue;
        name_series(&sweep, pool);
        experiment->sweeps[experiment->sweep_count++] = sweep;
    }
    free(rungs);
    free(kernel);
}
