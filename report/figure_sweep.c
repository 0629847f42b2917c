#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

static struct report_line make_line(const struct report_series *series, enum report_param param,
                                    enum report_metric metric, struct report_pool *pool) {
    struct report_line line = {.label = series->name};
    size_t size = series->count * sizeof(double);
    bool timed = metric == REPORT_METRIC_GBPS || metric == REPORT_METRIC_GOPS;
    line.x = report_alloc(pool, size);
    line.y = report_alloc(pool, size);
    line.low = timed ? report_alloc(pool, size) : NULL;
    line.high = timed ? report_alloc(pool, size) : NULL;
    for (size_t i = 0; i < series->count; i++) {
        const struct report_row *row = series->rows[i];
        double value = report_value(row, metric);
        if (isnan(value))
            continue;
        line.x[line.count] = row->param[param];
        line.y[line.count] = value;
        if (timed)
            report_quartiles(row, value, &line.low[line.count], &line.high[line.count]);
        line.count++;
    }
    return line;
}

static int compare_ticks(const void *left, const void *right) {
    const struct report_tick *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* Adds the values of all lines, ascending, without duplicates. */
static void add_ticks(struct report_chart *chart, const struct report_sweep *sweep,
                      struct report_pool *pool) {
    size_t most = 0;
    for (size_t i = 0; i < sweep->count; i++)
        most += sweep->series[i].count;
    struct report_tick *ticks = report_alloc(pool, most * sizeof *ticks);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < sweep->count; i++)
        for (size_t j = 0; j < sweep->series[i].count; j++) {
            const struct report_row *row = sweep->series[i].rows[j];
            double at = row->param[sweep->param];
            ticks[count++] = (struct report_tick){at, at, row->param_text[sweep->param]};
        }
    qsort(ticks, count, sizeof *ticks, compare_ticks);
    for (size_t i = 0; i < count; i++)
        if (!kept || ticks[i].at > ticks[kept - 1].at)
            ticks[kept++] = ticks[i];
    chart->tick = ticks;
    chart->tick_count = kept;
}

/* Whether two values would overlap on the axis, as the sizes 8191x8193 and 8192x8192 do. */
static bool is_crowded(const struct report_chart *chart) {
    enum { LEAST_PART = 100 }; /* of the axis */
    const struct report_tick *tick = chart->tick, *last = &tick[chart->tick_count - 1];
    double whole = chart->log_x ? log(last->at / tick[0].at) : last->at - tick[0].at;
    for (; tick < last; tick++) {
        double gap = chart->log_x ? log(tick[1].at / tick[0].at) : tick[1].at - tick[0].at;
        if (gap * LEAST_PART < whole)
            return true;
    }
    return false;
}

static void space_evenly(struct report_chart *chart) {
    for (size_t t = 0; t < chart->tick_count; t++)
        chart->tick[t].at = (double)t;
    for (size_t i = 0; i < chart->line_count; i++)
        for (size_t j = 0, t = 0; j < chart->line[i].count; j++) {
            while (chart->tick[t].value < chart->line[i].x[j])
                t++;
            chart->line[i].x[j] = chart->tick[t].at;
        }
    chart->log_x = false;
}

/* Names the lines that coincide, of which only the last can be seen: "plain, ldg and l2-only".  "": none. */
static const char *hidden_lines(const struct report_chart *chart, struct report_pool *pool) {
    enum { LEAST_PART = 200 }; /* of the axis */
    double end = 0;
    for (size_t i = 0; i < chart->line_count; i++)
        for (size_t j = 0; j < chart->line[i].count; j++)
            end = fmax(end, chart->line[i].y[j]);
    const char *result = "";
    bool *told = report_alloc(pool, chart->line_count * sizeof *told);
    for (size_t i = 0; i < chart->line_count; i++) {
        const struct report_line *first = &chart->line[i];
        const char *names = first->label, *last = NULL;
        for (size_t k = i + 1; k < chart->line_count && !told[i]; k++) {
            const struct report_line *line = &chart->line[k];
            bool same = line->count == first->count;
            for (size_t j = 0; j < line->count && same; j++)
                same = line->x[j] == first->x[j] && fabs(line->y[j] - first->y[j]) * LEAST_PART < end;
            if (!same)
                continue;
            told[k] = true;
            names = last ? report_format(pool, "%s, %s", names, last) : names;
            last = line->label;
        }
        if (last)
            result = report_format(pool, "%s The lines of %s and %s coincide.", result, names, last);
    }
    return result;
}

/* The bandwidth of the copy; NaN for a sweep over sizes, since each size has another copy. */
static double copy_of(const struct report_sweep *sweep) {
    double result = NAN;
    for (size_t i = 0; i < sweep->count && isnan(result) && sweep->param != REPORT_SIZE; i++)
        result = report_copy_gbps(sweep->series[i].rows, sweep->series[i].count);
    return result;
}

static const char *summary(const struct report_chart *chart, struct report_pool *pool) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        report_out_of_memory();
    for (size_t i = 0; i < chart->line_count; i++) {
        const struct report_line *line = &chart->line[i];
        fprintf(memory, "%s%s from %s to %s", i ? "; " : "", line->label,
                report_number_text(line->y[0], pool), report_number_text(line->y[line->count - 1], pool));
    }
    for (size_t i = 0; i < chart->limit_count; i++)
        fprintf(memory, "; dashed line: %s", chart->limit[i].label);
    if (fclose(memory))
        report_out_of_memory();
    return report_keep(pool, text);
}

void report_sweep_figure(struct report_figure *figure, const struct report_data *data,
                         const struct report_experiment *experiment, const struct report_sweep *sweep,
                         enum report_metric metric, struct report_pool *pool) {
    static const char *const units[REPORT_PARAMS] = {
        [REPORT_SIZE] = "size",
        [REPORT_OFFSET] = "offset, elements",
        [REPORT_STRIDE] = "stride, elements",
        [REPORT_BLOCK] = "threads a block",
        [REPORT_UNROLL] = "accesses per thread",
        [REPORT_ORDER] = "order",
        [REPORT_TYPE] = "type",
        [REPORT_FIELDS] = "fields of a structure",
        [REPORT_WIDTH] = "bytes an element",
        [REPORT_FROM_SHIFT] = "shift of the input, elements",
        [REPORT_TO_SHIFT] = "shift of the output, elements",
        [REPORT_MATRIX] = "matrix",
        [REPORT_GPUS] = "GPUs",
    };
    struct report_chart *chart = &figure->chart;
    const struct report_metric_text *text = &report_metric_texts[metric];
    const char *param = report_param_words(sweep->param);
    *figure = (struct report_figure){
        .kind = REPORT_FIGURE_SWEEP, .metric = metric, .experiment = experiment, .sweep = sweep};
    chart->id =
        metric == experiment->metric
            ? report_format(pool, "%s-%s", experiment->id, report_param_names[sweep->param])
            : report_format(pool, "%s-%s-%s", experiment->id, report_param_names[sweep->param], text->name);
    chart->unit = text->unit;
    chart->x_unit = units[sweep->param];
    chart->line = report_alloc(pool, sweep->count * sizeof *chart->line);
    for (size_t i = 0; i < sweep->count; i++) {
        chart->line[chart->line_count] = make_line(&sweep->series[i], sweep->param, metric, pool);
        chart->line_count += chart->line[chart->line_count].count > 0;
    }
    add_ticks(chart, sweep, pool);
    double first = chart->tick[0].at, last = chart->tick[chart->tick_count - 1].at;
    chart->log_x = first > 0 && last >= 8 * first;
    bool even = is_crowded(chart);
    if (even)
        space_evenly(chart);
    report_add_limits(chart, data, experiment, metric, copy_of(sweep), pool);
    chart->title = report_format(pool, "%s: %s by %s", experiment->name, text->says, param);
    chart->about = summary(chart, pool);
    figure->heading = metric == REPORT_METRIC_OCCUPANCY ? report_format(pool, "Occupancy by %s", param)
                                                        : report_format(pool, "By %s", param);
    figure->caption = report_format(
        pool, "%c%s by %s%s%s.%s%s%s", text->says[0] - 'a' + 'A', text->says + 1, param,
        *sweep->fixed ? "; " : "", sweep->fixed,
        chart->log_x ? " The scale below is logarithmic."
        : even ? report_format(pool, " Each %s has the same width below, whatever the distance to the next.",
                               param)
               : "",
        chart->limit_count == 2 ? " Dashed: what the run's best copy kernel reaches, and the peak."
        : chart->limit_count    ? report_format(pool, " Dashed: %s GB/s.", chart->limit[0].label)
                                : "",
        hidden_lines(chart, pool));
}
