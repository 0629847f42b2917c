/* Sweeps: rows of one kernel that differ in exactly one parameter, with three values of it or more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/view.h"

enum { FEWEST = 3 };

static bool differ_in_one(const struct report_row *a, const struct report_row *b, enum report_param param) {
    for (int i = 0; i < REPORT_PARAMS; i++)
        if (i != (int)param && !report_same_text(a->param_text[i], b->param_text[i]))
            return false;
    return report_same_kernel(a, b) && report_same_text(a->l2, b->l2);
}

static int by_value(const void *a, const void *b, void *argument) {
    const enum report_param *param = argument;
    double x = (*(const struct report_row *const *)a)->param[*param];
    double y = (*(const struct report_row *const *)b)->param[*param];
    return (x > y) - (x < y);
}

/* The rows that vary `param` around the row `centre`, ascending, one a value. */
static struct report_series around(const struct report_experiment *experiment,
                                   const struct report_row *centre, enum report_param param,
                                   struct report_pool *pool) {
    struct report_series series = {.count = 0};
    series.rows = report_alloc(pool, experiment->row_count * sizeof *series.rows);
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        if (differ_in_one(centre, row, param) && row->param[param] >= 0 &&
            !isnan(report_value(row, experiment->metric)))
            series.rows[series.count++] = row;
    }
    qsort_r(series.rows, series.count, sizeof *series.rows, by_value, &param);
    size_t kept = 0;
    for (size_t i = 0; i < series.count; i++)
        if (!kept || series.rows[i]->param[param] > series.rows[kept - 1]->param[param])
            series.rows[kept++] = series.rows[i];
    series.count = kept;
    return series;
}

/* A kernel's longest line through any of its rows, the ladder's row first: so the other parameters are those
 * of the ladder wherever they can be. */
static struct report_series longest(const struct report_experiment *experiment, const struct report_row *rung,
                                    enum report_param param, struct report_pool *pool) {
    struct report_series best = around(experiment, rung, param, pool);
    for (size_t i = 0; i < experiment->row_count && best.count < FEWEST; i++)
        if (report_same_kernel(experiment->rows[i], rung)) {
            struct report_series other = around(experiment, experiment->rows[i], param, pool);
            if (other.count > best.count)
                best = other;
        }
    return best;
}

/* What all rows of a sweep share; a line's name says what only it has. */
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
        /* Blocks differ from kernel to kernel by their nature; only what was asked for is worth a word. */
        unsigned own = ~common & ~(1u << sweep->param) & ~(1u << REPORT_BLOCK);
        const char *params = report_params_text(row, own, pool);
        sweep->series[i].name =
            report_format(pool, "%s%s%s", report_kernel_text(row, pool), *params ? ", " : "", params);
    }
}

/* A row of each kernel: those of the ladder, and of the ladders beside it what is new in them. */
static size_t find_kernels(const struct report_experiment *experiment, const struct report_row **kernels) {
    size_t count = 0;
    for (const struct report_experiment *at = experiment; at; at = at->beside)
        for (size_t i = 0; i < at->ladder_count; i++) {
            size_t k = 0;
            while (k < count && !report_same_kernel(kernels[k], at->ladder[i]))
                k++;
            if (k == count)
                kernels[count++] = at->ladder[i];
        }
    return count;
}

void report_find_sweeps(struct report_experiment *experiment, struct report_pool *pool) {
    const struct report_row **kernels = report_alloc(pool, experiment->row_count * sizeof *kernels);
    size_t count = find_kernels(experiment, kernels);
    for (int param = 0; param < REPORT_PARAMS; param++) {
        struct report_sweep sweep = {.param = (enum report_param)param};
        sweep.series = report_alloc(pool, count * sizeof *sweep.series);
        for (size_t i = 0; i < count; i++) {
            struct report_series series = longest(experiment, kernels[i], sweep.param, pool);
            if (series.count >= FEWEST)
                sweep.series[sweep.count++] = series;
        }
        if (!sweep.count)
            continue;
        name_series(&sweep, pool);
        experiment->sweeps[experiment->sweep_count++] = sweep;
    }
}
