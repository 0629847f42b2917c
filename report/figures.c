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

void report_add_limits(struct report_chart *chart, const struct report_data *data,
                       const struct report_experiment *experiment, enum report_metric metric, bool sized,
                       struct report_pool *pool) {
    chart->limit = report_alloc(pool, 2 * sizeof *chart->limit);
    if (metric != REPORT_METRIC_GBPS)
        return;
    /* Along sizes the copy to be held against is another one at each. */
    if (!sized)
        add_limit(chart, "copy", experiment->copy_gbps, pool);
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
    struct report_figure *figures = report_alloc(pool, (3 + 2 * REPORT_PARAMS) * sizeof *figures);
    size_t n = 0;
    report_ladder_figure(&figures[n++], data, experiment, experiment->metric, pool);
    if (data->simulator && any_of_ladder(experiment, REPORT_METRIC_SHARED))
        report_ladder_figure(&figures[n++], data, experiment, REPORT_METRIC_SHARED, pool);
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
