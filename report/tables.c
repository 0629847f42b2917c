#include <math.h>
#include <string.h>

#include "ladder/ladder.h"
#include "report/html.h"
#include "report/page.h"

void report_table_open(FILE *out, const char *label, const char *const *heads, size_t texts, size_t count) {
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    base_html(out, label);
    fputs("\">\n<table>\n<thead><tr>", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<th scope=\"col\"%s>", i < texts ? "" : " class=\"n\"");
        base_html(out, heads[i]);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void report_table_close(FILE *out) {
    fputs("</tbody>\n</table>\n</div>\n", out);
}

void report_row_head(FILE *out, const char *text) {
    fputs("<tr><th scope=\"row\">", out);
    base_html(out, text);
    fputs("</th>", out);
}

void report_cell_text(FILE *out, const char *text) {
    fputs("<td>", out);
    base_html(out, text ? text : "");
    fputs("</td>", out);
}

void report_cell_number(FILE *out, double value, int digits) {
    if (isnan(value))
        fputs("<td class=\"n\"></td>", out);
    else
        fprintf(out, "<td class=\"n\">%.*f</td>", digits, value);
}

/* A rung's idea, from the ladder. */
static const char *idea(const struct report_row *row) {
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count && !row->library; i++)
        if (strcmp(rungs[i].experiment, row->experiment) == 0 && strcmp(rungs[i].name, row->kernel) == 0)
            return rungs[i].idea;
    return "";
}

static const char *remarks(const struct report_row *row, struct report_pool *pool) {
    const char *text = row->status == REPORT_FAILED    ? report_format(pool, "failed: %s", row->note)
                       : row->status == REPORT_SKIPPED ? report_format(pool, "skipped: %s", row->note)
                                                       : "";
    if (row->fits_l2)
        text = report_format(pool, "%s%sfits into L2", text, *text ? "; " : "");
    if (row->l2 && strcmp(row->l2, "hot") == 0)
        text = report_format(pool, "%s%swarm L2", text, *text ? "; " : "");
    if (row->throttle)
        text = report_format(pool, "%s%sthrottled: %s", text, *text ? "; " : "", row->throttle);
    return text;
}

/* Writes the four cells that describe a rung. */
static void put_rung(FILE *out, const struct report_row *row, struct report_pool *pool) {
    report_row_head(out, report_kernel_text(row, pool));
    report_cell_text(out, row->param_text[REPORT_BLOCK]);
    report_cell_text(out, idea(row));
    report_cell_text(out, remarks(row, pool));
}

static double shown(const struct report_row *row, enum report_metric metric) {
    return row->status == REPORT_VERIFIED ? report_value(row, metric) : NAN;
}

static void put_timed_ladder(FILE *out, const struct report_figure *figure, struct report_pool *pool) {
    static const char *const bytes[] = {"kernel",     "block",     "its idea",  "remarks",
                                        "GB/s",       "IQR, %",    "% of peak", "% of copy",
                                        "median, ms", "least, ms", "samples"};
    static const char *const operations[] = {"kernel",     "block",     "its idea", "remarks",
                                             "GOP/s",      "IQR, %",    "GB/s",     "% of peak",
                                             "median, ms", "least, ms", "samples"};
    const struct report_experiment *experiment = figure->experiment;
    bool gops = figure->metric == REPORT_METRIC_GOPS;
    report_table_open(out, figure->chart.title, gops ? operations : bytes, 4, 11);
    for (size_t i = 0; i < experiment->ladder_count; i++) {
        const struct report_row *row = experiment->ladder[i];
        put_rung(out, row, pool);
        report_cell_number(out, shown(row, figure->metric), 1);
        report_cell_number(out, 100 * row->iqr / row->median, 2);
        report_cell_number(out, gops ? row->gbps : row->pct_peak, 1);
        report_cell_number(out, gops ? row->pct_peak : row->pct_copy, 1);
        report_cell_number(out, row->median, 4);
        report_cell_number(out, row->min, 4);
        report_cell_number(out, row->samples, 0);
        fputs("</tr>\n", out);
    }
    report_table_close(out);
}

static void put_counted_ladder(FILE *out, const struct report_figure *figure, struct report_pool *pool) {
    const struct report_experiment *experiment = figure->experiment;
    const char *const heads[] = {"kernel", "block", "its idea", "remarks",
                                 figure->metric == REPORT_METRIC_SHARED ? "shared efficiency, %"
                                                                        : "bound, %"};
    report_table_open(out, figure->chart.title, heads, 4, 5);
    for (size_t i = 0; i < experiment->ladder_count; i++) {
        const struct report_row *row = experiment->ladder[i];
        put_rung(out, row, pool);
        report_cell_number(out, shown(row, figure->metric), 1);
        fputs("</tr>\n", out);
    }
    report_table_close(out);
}

/* The row with the value (a line's rows are ascending); NULL: none. */
static const struct report_row *at_value(const struct report_series *series, enum report_param param,
                                         double value) {
    size_t low = 0, high = series->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (series->rows[middle]->param[param] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < series->count && series->rows[low]->param[param] == value ? series->rows[low] : NULL;
}

static void put_sweep(FILE *out, const struct report_figure *figure, struct report_pool *pool) {
    const struct report_sweep *sweep = figure->sweep;
    const char **heads = report_alloc(pool, (sweep->count + 1) * sizeof *heads);
    heads[0] = report_param_words(sweep->param);
    for (size_t i = 0; i < sweep->count; i++)
        heads[i + 1] = report_format(pool, "%s, %s", sweep->series[i].name,
                                     figure->chart.unit[0] == '%' ? "%" : figure->chart.unit);
    report_table_open(out, figure->chart.title, heads, 1, sweep->count + 1);
    for (size_t t = 0; t < figure->chart.tick_count; t++) {
        report_row_head(out, figure->chart.tick[t].label);
        for (size_t i = 0; i < sweep->count; i++) {
            const struct report_row *row =
                at_value(&sweep->series[i], sweep->param, figure->chart.tick[t].value);
            report_cell_number(out, row ? report_value(row, figure->metric) : NAN, 1);
        }
        fputs("</tr>\n", out);
    }
    report_table_close(out);
}

static void put_roofline(FILE *out, const struct report_data *data, const struct report_figure *figure,
                         struct report_pool *pool) {
    static const char *const heads[] = {"kernel", "GOP/s", "operations per byte",
                                        "operations per byte moved in global memory (simulator)"};
    report_table_open(out, figure->chart.title, heads, 1, 4);
    for (size_t i = 0; i < figure->experiment->ladder_count; i++) {
        const struct report_row *row = figure->experiment->ladder[i];
        if (isnan(report_intensity(row)))
            continue;
        report_row_head(out, report_kernel_text(row, pool));
        report_cell_number(out, row->gops, 1);
        report_cell_number(out, report_intensity(row), 1);
        report_cell_number(out, report_moved_intensity(row, report_counters_of(data, row)), 2);
        fputs("</tr>\n", out);
    }
    report_table_close(out);
}

void report_put_figure_table(FILE *out, const struct report_data *data, const struct report_figure *figure,
                             struct report_pool *pool) {
    if (figure->kind == REPORT_FIGURE_SWEEP)
        put_sweep(out, figure, pool);
    else if (figure->kind == REPORT_FIGURE_ROOFLINE)
        put_roofline(out, data, figure, pool);
    else if (figure->metric == REPORT_METRIC_GBPS || figure->metric == REPORT_METRIC_GOPS)
        put_timed_ladder(out, figure, pool);
    else
        put_counted_ladder(out, figure, pool);
}

/* The row's counters; NULL: none, or nothing was counted, as for the driver's own copy. */
static const struct report_row *counted(const struct report_data *data, const struct report_row *row) {
    const struct report_row *counters = report_counters_of(data, row);
    for (int i = 0; counters && i < REPORT_RATIOS; i++)
        if (!isnan(counters->ratio[i]))
            return counters;
    return NULL;
}

void report_put_counters(FILE *out, const struct report_data *data,
                         const struct report_experiment *experiment, struct report_pool *pool) {
    static const char *const heads[] = {"kernel",
                                        "counted at",
                                        "load efficiency, %",
                                        "store efficiency, %",
                                        "transactions per load request",
                                        "transactions per store request",
                                        "shared efficiency, %",
                                        "bound, %"};
    bool any = false;
    for (size_t i = 0; i < experiment->ladder_count; i++)
        any = any || counted(data, experiment->ladder[i]);
    if (!any)
        return;
    fputs("<h3>Counters</h3>\n<p class=\"note\">", out);
    if (data->simulator)
        base_html(out, "Ratios of one launch.");
    else
        report_htmlf(
            out,
            "Ratios of one launch on the simulator (counting rules %s), which ran the same kernels at "
            "the sizes named here; the times above are the GPU's.",
            data->counter_file_count ? data->counter_files[0].device.arch : "of the same file");
    fputs("</p>\n", out);
    report_table_open(out, report_format(pool, "%s: counters", experiment->name), heads, 2, 8);
    for (size_t i = 0; i < experiment->ladder_count; i++) {
        const struct report_row *counters = counted(data, experiment->ladder[i]);
        if (!counters)
            continue;
        report_row_head(out, report_kernel_text(experiment->ladder[i], pool));
        report_cell_text(out, report_params_text(counters, ~0u, pool));
        static const enum report_ratio ratios[] = {REPORT_GLD_EFFICIENCY,    REPORT_GST_EFFICIENCY,
                                                   REPORT_GLD_PER_REQUEST,   REPORT_GST_PER_REQUEST,
                                                   REPORT_SHARED_EFFICIENCY, REPORT_BOUND};
        for (size_t j = 0; j < sizeof ratios / sizeof *ratios; j++)
            report_cell_number(out, counters->ratio[ratios[j]], 1);
        fputs("</tr>\n", out);
    }
    report_table_close(out);
}

void report_put_all_rows(FILE *out, const struct report_experiment *experiment, struct report_pool *pool) {
    static const char *const heads[] = {"kernel",  "parameters",   "remarks",   "stopped by", "GB/s",
                                        "IQR, %",  "% of peak",    "% of copy", "GOP/s",      "median, ms",
                                        "samples", "occupancy, %", "SM, MHz",   "bound, %"};
    report_table_open(out, report_format(pool, "%s: every row", experiment->name), heads, 4, 14);
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        report_row_head(out, report_kernel_text(row, pool));
        report_cell_text(out, report_params_text(row, ~0u, pool));
        report_cell_text(out, remarks(row, pool));
        report_cell_text(out, row->stop);
        report_cell_number(out, row->gbps, 1);
        report_cell_number(out, 100 * row->iqr / row->median, 2);
        report_cell_number(out, row->pct_peak, 1);
        report_cell_number(out, row->pct_copy, 1);
        report_cell_number(out, row->gops, 1);
        report_cell_number(out, row->median, 4);
        report_cell_number(out, row->samples, 0);
        report_cell_number(out, row->occupancy, 0);
        report_cell_number(out, row->sm_mhz, 0);
        report_cell_number(out, row->ratio[REPORT_BOUND], 1);
        fputs("</tr>\n", out);
    }
    report_table_close(out);
}
