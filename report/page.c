#include "report/page.h"

#include <string.h>

#include "report/html.h"
#include "wideload.h"

static void put_head(FILE *out, const struct report_data *data) {
    const struct report_device *device = &data->files[0].device;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          /* Makes the browser enforce that the page loads nothing and runs nothing. */
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; img-src data:\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    report_htmlf(out, "%s \xe2\x80\x93 wideload bench", device->name);
    fprintf(out, "</title>\n<style>\n%s%s</style>\n</head>\n", base_html_style, report_style);
}

static void put_header(FILE *out, const struct report_data *data, size_t experiment_count) {
    size_t count[3] = {0};
    for (size_t i = 0; i < data->row_count; i++)
        count[data->rows[i].status]++;
    fputs("<body>\n<a class=\"skip\" href=\"#the_main\">Skip to the results</a>\n<header>\n<h1>", out);
    report_htmlf(out, "%s",
                 data->simulator ? "What each access pattern moves" : "How fast the memory is used");
    fprintf(out, "</h1>\n<p class=\"lead\">%zu row%s in %zu experiment%s on ", data->row_count,
            data->row_count == 1 ? "" : "s", experiment_count, experiment_count == 1 ? "" : "s");
    base_html(out, data->files[0].device.name);
    fprintf(out, ": %zu verified element by element", count[REPORT_VERIFIED]);
    if (count[REPORT_FAILED])
        fprintf(out, ", <strong class=\"bad\">%zu failed</strong>", count[REPORT_FAILED]);
    if (count[REPORT_SKIPPED])
        fprintf(out, ", %zu skipped", count[REPORT_SKIPPED]);
    fputs(".</p>\n</header>\n", out);
}

static void put_navigation(FILE *out, const struct report_experiment *experiments, size_t count) {
    fputs("<nav aria-label=\"Experiments\">\n<ul>\n<li><a href=\"#in_the_device\">Device</a></li>\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<li><a href=\"#in_%s\">", experiments[i].id);
        base_html(out, experiments[i].name);
        fputs("</a></li>\n", out);
    }
    fputs("</ul>\n</nav>\n", out);
}

static void put_figure(FILE *out, const struct report_data *data, const struct report_figure *figure,
                       struct report_pool *pool) {
    fprintf(out, "<h3 id=\"%s\">", figure->chart.id);
    base_html(out, figure->heading);
    fprintf(out, "</h3>\n<figure aria-labelledby=\"%s\">\n%s%s<figcaption>", figure->chart.id, figure->wide,
            figure->narrow);
    base_html(out, figure->caption);
    fputs("</figcaption>\n<details><summary>The numbers of this chart</summary>\n", out);
    report_put_figure_table(out, data, figure, pool);
    fputs("</details>\n</figure>\n", out);
}

/* Lists the rows without a figure, each with its reason. */
static void put_absent(FILE *out, const struct report_experiment *experiment, struct report_pool *pool) {
    size_t count = 0;
    for (size_t i = 0; i < experiment->row_count; i++)
        count += experiment->rows[i]->status != REPORT_VERIFIED;
    if (!count)
        return;
    fputs("<h3>Not measured</h3>\n<ul class=\"absent\">\n", out);
    for (size_t i = 0; i < experiment->row_count; i++) {
        const struct report_row *row = experiment->rows[i];
        if (row->status == REPORT_VERIFIED)
            continue;
        fputs("<li>", out);
        fputs(row->status == REPORT_FAILED ? "<strong class=\"bad\">failed</strong> " : "skipped ", out);
        report_htmlf(out, "%s (%s): %s", report_kernel_text(row, pool), report_params_text(row, ~0u, pool),
                     row->note);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
}

static void put_experiment(FILE *out, const struct report_data *data,
                           const struct report_experiment *experiment, const struct report_figure *figures,
                           size_t figure_count, struct report_pool *pool) {
    /* Experiments' ids have no underscore, so no other element can have this id. */
    fprintf(out, "<section aria-labelledby=\"in_%s\">\n<h2 id=\"in_%s\">", experiment->id, experiment->id);
    base_html(out, experiment->name);
    fputs("</h2>\n", out);
    if (experiment->question) {
        fputs("<p class=\"question\">", out);
        base_html(out, experiment->question);
        fputs("</p>\n", out);
    }
    for (size_t i = 0; i < figure_count; i++)
        put_figure(out, data, &figures[i], pool);
    report_put_counters(out, data, experiment, pool);
    put_absent(out, experiment, pool);
    fprintf(out, "<details class=\"all\"><summary>Every row of ");
    report_htmlf(out, "%s (%zu)", experiment->name, experiment->row_count);
    fputs("</summary>\n", out);
    report_put_all_rows(out, experiment, pool);
    fputs("</details>\n</section>\n", out);
}

void report_put_page(FILE *out, const struct report_data *data, const struct report_experiment *experiments,
                     size_t experiment_count, struct report_figure *const *figures,
                     const size_t *figure_counts, struct report_pool *pool) {
    put_head(out, data);
    put_header(out, data, experiment_count);
    put_navigation(out, experiments, experiment_count);
    fputs("<main id=\"the_main\" tabindex=\"-1\">\n", out);
    report_put_devices(out, data, pool);
    for (size_t i = 0; i < experiment_count; i++)
        put_experiment(out, data, &experiments[i], figures[i], figure_counts[i], pool);
    fprintf(
        out,
        "</main>\n<footer>\n<p>Made by wideload report %s. GB/s are 10<sup>9</sup> bytes per second, where "
        "each "
        "input is counted as read once and each output as written once.</p>\n</footer>\n</body>\n</html>\n",
        wl_version());
}
