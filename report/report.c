#include "report/report.h"

#include <errno.h>
#include <string.h>

bool report_open(struct report *report, const char *const *paths, size_t count, struct base_error *error) {
    memset(report, 0, sizeof *report);
    struct report_results *files = report_alloc(&report->pool, count * sizeof *files);
    for (size_t i = 0; i < count; i++)
        if (!report_read(&files[i], paths[i], &report->pool, error))
            return false;
    if (!report_join(&report->data, files, count, &report->pool, error))
        return false;
    report->experiments = report_experiments(&report->data, &report->experiment_count, &report->pool);
    size_t n = report->experiment_count;
    report->figures = report_alloc(&report->pool, n * sizeof *report->figures);
    report->figure_counts = report_alloc(&report->pool, n * sizeof *report->figure_counts);
    for (size_t i = 0; i < n; i++)
        report->figures[i] =
            report_figures(&report->data, &report->experiments[i], &report->figure_counts[i], &report->pool);
    return true;
}

void report_close(struct report *report) {
    report_pool_free(&report->pool);
}

static size_t figure_total(const struct report *report) {
    size_t total = 0;
    for (size_t i = 0; i < report->experiment_count; i++)
        total += report->figure_counts[i];
    return total;
}

/* Makes a picture of each figure in each form, figure by figure. */
static struct report_picture *pictures(struct report *report, const enum report_form *forms,
                                       size_t form_count) {
    struct report_picture *all = report_alloc(&report->pool, figure_total(report) * form_count * sizeof *all);
    size_t n = 0;
    for (size_t i = 0; i < report->experiment_count; i++)
        for (size_t j = 0; j < report->figure_counts[i]; j++)
            for (size_t k = 0; k < form_count; k++)
                all[n++] = (struct report_picture){.chart = &report->figures[i][j].chart, .form = forms[k]};
    return all;
}

bool report_write(struct report *report, FILE *out, struct base_error *error) {
    static const enum report_form forms[] = {REPORT_WIDE, REPORT_NARROW};
    struct report_picture *drawn = pictures(report, forms, 2);
    if (!report_draw(drawn, 2 * figure_total(report), &report->pool, error))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < report->experiment_count; i++)
        for (size_t j = 0; j < report->figure_counts[i]; j++, n += 2) {
            report->figures[i][j].wide = drawn[n].svg;
            report->figures[i][j].narrow = drawn[n + 1].svg;
        }
    report_put_page(out, &report->data, report->experiments, report->experiment_count, report->figures,
                    report->figure_counts, &report->pool);
    return !ferror(out) || base_failure(error, "the page cannot be written: %s", strerror(errno));
}

const char *report_svg_name(const struct report_chart *chart, enum report_form form,
                            struct report_pool *pool) {
    return report_format(pool, "%s%s.svg", chart->id, form == REPORT_DARK ? "-dark" : "");
}

bool report_each_svg(struct report *report,
                     bool (*take)(void *argument, const char *name, const char *svg,
                                  struct base_error *error),
                     void *argument, struct base_error *error) {
    static const enum report_form forms[] = {REPORT_LIGHT, REPORT_DARK};
    size_t total = 2 * figure_total(report);
    struct report_picture *drawn = pictures(report, forms, 2);
    if (!report_draw(drawn, total, &report->pool, error))
        return false;
    for (size_t i = 0; i < total; i++)
        if (!take(argument, report_svg_name(drawn[i].chart, drawn[i].form, &report->pool), drawn[i].svg,
                  error))
            return false;
    return true;
}
