/* The roofline: operations per second over operations per byte.  Its slope is the memory's theoretical peak.
 * Its flat part is the best measured row, since result files do not have the peak of the arithmetic units. */
#include <math.h>

#include "report/page.h"

double report_intensity(const struct report_row *row) {
    return row->gops > 0 && row->gbps > 0 ? row->gops / row->gbps : NAN;
}

double report_moved_intensity(const struct report_row *row, const struct report_row *counters) {
    /* Operations are proportional to the product of the extents, so they can be scaled from size to size. */
    if (!counters || !(counters->moved > 0) || !(row->gops > 0) || !(row->median > 0))
        return NAN;
    double operations = row->gops * 1e9 * row->median / 1e3 / row->param[REPORT_SIZE];
    return operations * counters->param[REPORT_SIZE] / counters->moved;
}

static struct report_line point(const char *label, double x, double y, struct report_pool *pool) {
    struct report_line line = {.label = label, .count = 1};
    line.x = report_alloc(pool, sizeof x);
    line.y = report_alloc(pool, sizeof y);
    *line.x = x;
    *line.y = y;
    return line;
}

static void add_ticks(struct report_chart *chart, double low, double high, struct report_pool *pool) {
    chart->tick = report_alloc(pool, 400 * sizeof *chart->tick);
    for (int i = -150; i < 150; i++)
        if (pow(10, i) >= low && pow(10, i) <= high)
            chart->tick[chart->tick_count++] =
                (struct report_tick){pow(10, i), pow(10, i), report_number_text(pow(10, i), pool)};
}

bool report_roofline_figure(struct report_figure *figure, const struct report_data *data,
                            const struct report_experiment *experiment, struct report_pool *pool) {
    struct report_chart *chart = &figure->chart;
    double peak = report_peak(data), best = 0, right = 0;
    *figure = (struct report_figure){
        .kind = REPORT_FIGURE_ROOFLINE, .metric = REPORT_METRIC_GOPS, .experiment = experiment};
    chart->line = report_alloc(pool, (experiment->ladder_count + 1) * sizeof *chart->line);
    for (size_t i = 0; i < experiment->ladder_count; i++) {
        const struct report_row *row = experiment->ladder[i];
        double x = report_intensity(row);
        if (isnan(x))
            continue;
        chart->line[chart->line_count++] = point(report_kernel_text(row, pool), x, row->gops, pool);
        best = fmax(best, row->gops);
        right = fmax(right, x);
    }
    if (!chart->line_count || !(peak > 0))
        return false;
    double ridge = best / peak, from = ridge / 10, to = fmax(right, ridge) * 4;
    struct report_line *roof = &chart->line[chart->line_count++];
    *roof = (struct report_line){.count = 3, .limit = true};
    roof->x = report_alloc(pool, 3 * sizeof(double));
    roof->y = report_alloc(pool, 3 * sizeof(double));
    roof->label = report_format(pool, "roof: %s GB/s, %s GOP/s", report_number_text(peak, pool),
                                report_number_text(best, pool));
    double xs[] = {from, ridge, to}, ys[] = {from * peak, best, best};
    for (int i = 0; i < 3; i++) {
        roof->x[i] = xs[i];
        roof->y[i] = ys[i];
    }
    add_ticks(chart, from, to, pool);
    chart->log_x = chart->log_y = true;
    chart->id = report_format(pool, "%s-roofline", experiment->id);
    chart->unit = "GOP/s";
    chart->x_unit = "operations a byte";
    chart->title = report_format(pool, "%s: roofline", experiment->name);
    chart->about =
        report_format(pool, "%zu kernels under a roof that rises with the memory's peak to %s GOP/s",
                      chart->line_count - 1, report_number_text(best, pool));
    figure->heading = "Roofline";
    figure->caption = report_format(
        pool,
        "Operations per second over operations per byte, with each input read once and each output written "
        "once%s%s. The slope is the memory's theoretical peak; the flat part is the best row measured, since "
        "the results do not include the peak of the arithmetic units.",
        *experiment->fixed ? "; " : "", experiment->fixed);
    return true;
}
