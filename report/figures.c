#include <math.h>

#include "report/page.h"

double report_peak(const struct report_data *data) {
    for (size_t i = 0; i < data->file_count; i++)
        if (data->files[i].device.peak_gbps > 0)
            return data->files[i].device.peak_gbps;
    return NAN;
}

static void add_limit(struct report_chart *chart, const char *name, double value, struct report_pool *pool) {
    if (value > 0)
        chart->limit[chart->limit_count++] =
            (struct report_limit){report_format(pool, "%s %s", name, report_number_text(value, pool)), value};
}

/* What crosses links between devices has no share of the memory's peak. */
static bool has_peak(const struct report_experiment *experiment) {
    bool has = false, timed = false;
    for (size_t i = 0; i < experiment->row_count; i++) {
        has = has || experiment->rows[i]->pct_peak > 0;
        timed = timed || experiment->rows[i]->gbps > 0;
    }
    return has || !timed;
}

void report_add_limits(struct report_chart *chart, const struct report_data *data,
                       const struct report_experiment *experiment, enum report_metric metric,
                       double copy_gbps, struct report_pool *pool) {
    chart->limit = report_alloc(pool, 2 * sizeof *chart->limit);
    if (metric != REPORT_METRIC_GBPS)
        return;
    add_limit(chart, "copy", copy_gbps, pool);
    if (has_peak(experiment))
        add_limit(chart, "peak", report_peak(data), pool);
}

void report_quartiles(const struct report_row *row, double value, double *low, double *high) {
    double half = row->iqr / 2;
    *low = *high = NAN;
    if (row->median > 0 && half >= 0 && half < row->median) {
        *low = value * row->median / (row->median + half);
        *high = value * row->median / (row->median - half);
    }
}

static bool any_of_ladder(const struct report_experiment *experiment, enum report_metric metric) {
    for (size_t i = 0; i < experiment->ladder_count; i++)
        if (!isnan(report_value(experiment->ladder[i], metric)))
            return true;
    return false;
}

static bool varies(const struct report_sweep *sweep, enum report_metric metric) {
    double first = NAN;
    for (size_t i = 0; i < sweep->count; i++)
        for (size_t j = 0; j < sweep->series[i].count; j++) {
            double value = report_value(sweep->series[i].rows[j], metric);
            if (isnan(first))
                first = value;
            else if (!isnan(value) && value != first)
                return true;
        }
    return false;
}

struct report_figure *report_figures(const struct report_data *data,
                                     const struct report_experiment *experiment, size_t *count,
                                     struct report_pool *pool) {
    size_t n = 3 + 2 * REPORT_PARAMS;
    for (const struct report_experiment *beside = experiment->beside; beside; beside = beside->beside)
        n++;
    struct report_figure *figures = report_alloc(pool, n * sizeof *figures);
    n = 0;
    report_ladder_figure(&figures[n++], data, experiment, experiment->metric, 0, pool);
    size_t beside_count = 0;
    for (const struct report_experiment *beside = experiment->beside; beside; beside = beside->beside)
        report_ladder_figure(&figures[n++], data, beside, beside->metric, ++beside_count, pool);
    if (data->simulator && any_of_ladder(experiment, REPORT_METRIC_SHARED))
        report_ladder_figure(&figures[n++], data, experiment, REPORT_METRIC_SHARED, 0, pool);
    for (size_t i = 0; i < experiment->sweep_count; i++) {
        const struct report_sweep *sweep = &experiment->sweeps[i];
        report_sweep_figure(&figures[n++], data, experiment, sweep, experiment->metric, pool);
        if (sweep->param == REPORT_BLOCK && varies(sweep, REPORT_METRIC_OCCUPANCY))
            report_sweep_figure(&figures[n++], data, experiment, sweep, REPORT_METRIC_OCCUPANCY, pool);
    }
    n += report_roofline_figure(&figures[n], data, experiment, pool);
    *count = n;
    return figures;
}
