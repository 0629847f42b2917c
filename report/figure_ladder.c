#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

static struct report_bar make_bar(const struct report_row *row, enum report_metric metric, unsigned own,
                                  struct report_pool *pool) {
    const char *params = report_params_text(row, own, pool);
    struct report_bar bar = {.value = report_value(row, metric), .peer = row->library != NULL};
    bar.label = report_format(pool, "%s%s%s", report_kernel_text(row, pool), *params ? ", " : "", params);
    bool timed = metric == REPORT_METRIC_GBPS || metric == REPORT_METRIC_GOPS;
    bar.text = row->status == REPORT_FAILED    ? "failed"
               : row->status == REPORT_SKIPPED ? "skipped"
               : isnan(bar.value)              ? (timed ? "not measured" : "nothing accessed")
                                  : report_format(pool, "%s%s%s", report_number_text(bar.value, pool),
                                                  timed ? "" : " %", row->throttle ? " (throttled)" : "");
    if (row->status != REPORT_VERIFIED)
        bar.value = NAN;
    bar.low = bar.high = NAN;
    if (timed)
        report_quartiles(row, bar.value, &bar.low, &bar.high);
    return bar;
}

static const char *summary(const struct report_chart *chart, struct report_pool *pool) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        report_out_of_memory();
    for (size_t i = 0; i < chart->bar_count; i++)
        fprintf(memory, "%s%s %s", i ? "; " : "", chart->bar[i].label, chart->bar[i].text);
    for (size_t i = 0; i < chart->limit_count; i++)
        fprintf(memory, "; dashed line: %s", chart->limit[i].label);
    if (fclose(memory))
        report_out_of_memory();
    return report_keep(pool, text);
}

void report_ladder_figure(struct report_figure *figure, const struct report_data *data,
                          const struct report_experiment *experiment, enum report_metric metric,
                          size_t beside, struct report_pool *pool) {
    struct report_chart *chart = &figure->chart;
    bool timed = metric == REPORT_METRIC_GBPS || metric == REPORT_METRIC_GOPS;
    *figure =
        (struct report_figure){.kind = REPORT_FIGURE_LADDER, .metric = metric, .experiment = experiment};
    const struct report_metric_text *text = &report_metric_texts[metric];
    chart->bars = true;
    chart->unit = text->unit;
    chart->id = beside > 1                     ? report_format(pool, "%s-beside-%zu", experiment->id, beside)
                : beside                       ? report_format(pool, "%s-beside", experiment->id)
                : metric == experiment->metric ? report_format(pool, "%s-ladder", experiment->id)
                                               : report_format(pool, "%s-%s", experiment->id, text->name);
    chart->bar = report_alloc(pool, experiment->ladder_count * sizeof *chart->bar);
    chart->bar_count = experiment->ladder_count;
    /* The block is a property of the kernel: name it only if it was swept. */
    unsigned own = ~report_common(experiment->ladder, experiment->ladder_count);
    bool swept = false;
    for (size_t i = 0; i < experiment->sweep_count; i++)
        swept = swept || experiment->sweeps[i].param == REPORT_BLOCK;
    if (!swept)
        own &= ~(1u << REPORT_BLOCK);
    for (size_t i = 0; i < chart->bar_count; i++)
        chart->bar[i] = make_bar(experiment->ladder[i], metric, own, pool);
    report_add_limits(chart, data, experiment, metric, experiment->copy_gbps, pool);
    chart->title = beside ? report_format(pool, "%s: %s beside other libraries%s%s", experiment->name,
                                          text->says, *experiment->fixed ? ", " : "", experiment->fixed)
                          : report_format(pool, "%s: %s of each kernel", experiment->name, text->says);
    chart->about = summary(chart, pool);
    figure->heading = beside                           ? "Beside other libraries"
                      : metric == REPORT_METRIC_SHARED ? "The ladder in shared memory"
                                                       : "The ladder";
    figure->caption = report_format(
        pool, "%c%s of each kernel%s%s, the lowest rung on top.%s%s", text->says[0] - 'a' + 'A',
        text->says + 1, *experiment->fixed ? ", " : "", experiment->fixed,
        timed ? " Bars are medians; the mark at a bar's end is the inter-quartile range of the times, laid "
                "evenly "
                "about their median."
        : metric == REPORT_METRIC_BOUND
            ? " The bound is the share of a memory's bandwidth that the access pattern can turn into useful "
              "bytes; the "
              "simulator counts, and has no time."
            : " A shared memory without bank conflicts, all of whose words are used, is 100 %.",
        chart->limit_count == 2
            ? " Dashed: the best copy kernel of the same run, and the memory's theoretical peak."
        : chart->limit_count ? report_format(pool, " Dashed: %s.", chart->limit[0].label)
                             : "");
}
