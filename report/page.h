/* The page: its figures, and the HTML around them. */
#ifndef WIDELOAD_REPORT_PAGE_H
#define WIDELOAD_REPORT_PAGE_H

#include <stdio.h>

#include "report/chart.h"
#include "report/view.h"

enum report_figure_kind { REPORT_FIGURE_LADDER, REPORT_FIGURE_SWEEP, REPORT_FIGURE_ROOFLINE };

struct report_figure {
    enum report_figure_kind kind;
    enum report_metric metric;
    const struct report_experiment *experiment;
    const struct report_sweep *sweep; /* only REPORT_FIGURE_SWEEP */
    struct report_chart chart;
    const char *heading, *caption;
    const char *wide, *narrow; /* SVG, after drawing */
};

/* An experiment's figures, in the page's order. */
struct report_figure *report_figures(const struct report_data *data,
                                     const struct report_experiment *experiment, size_t *count,
                                     struct report_pool *pool);
/* Parts of report_figures().  beside: 0: the experiment's own ladder; n: its nth ladder beside. */
void report_ladder_figure(struct report_figure *figure, const struct report_data *data,
                          const struct report_experiment *experiment, enum report_metric metric,
                          size_t beside, struct report_pool *pool);
void report_sweep_figure(struct report_figure *figure, const struct report_data *data,
                         const struct report_experiment *experiment, const struct report_sweep *sweep,
                         enum report_metric metric, struct report_pool *pool);
/* False: the experiment has no data for a roofline. */
bool report_roofline_figure(struct report_figure *figure, const struct report_data *data,
                            const struct report_experiment *experiment, struct report_pool *pool);
/* Operations per byte by the rungs' formula; NaN: unknown. */
double report_intensity(const struct report_row *row);
/* The same by the bytes that the simulator counted for the row `counters`. */
double report_moved_intensity(const struct report_row *row, const struct report_row *counters);
double report_peak(const struct report_data *data);
/* Adds the theoretical peak, unless the experiment's rows have no share of it, and the best copy, unless
 * copy_gbps is NaN, to a chart of bandwidth. */
void report_add_limits(struct report_chart *chart, const struct report_data *data,
                       const struct report_experiment *experiment, enum report_metric metric,
                       double copy_gbps, struct report_pool *pool);
/* The ends of a value's whisker; NaN: none.  The schema has only the distance of the quartiles, so they are
 * assumed to be symmetric about the median time. */
void report_quartiles(const struct report_row *row, double value, double *low, double *high);

/* ---------------------------------------------------------------- HTML */

void report_put_page(FILE *out, const struct report_data *data, const struct report_experiment *experiments,
                     size_t experiment_count, struct report_figure *const *figures,
                     const size_t *figure_counts, struct report_pool *pool);
void report_put_devices(FILE *out, const struct report_data *data, struct report_pool *pool);
/* The figure's numbers. */
void report_put_figure_table(FILE *out, const struct report_data *data, const struct report_figure *figure,
                             struct report_pool *pool);
void report_put_counters(FILE *out, const struct report_data *data,
                         const struct report_experiment *experiment, struct report_pool *pool);
void report_put_all_rows(FILE *out, const struct report_experiment *experiment, struct report_pool *pool);

/* The parts of a table, in a box that scrolls sideways if needed.  label: for screen readers. */
void report_table_open(FILE *out, const char *label, const char *const *heads, size_t texts, size_t count);
void report_table_close(FILE *out);
void report_row_head(FILE *out, const char *text);
void report_cell_text(FILE *out, const char *text);
/* NaN gives an empty cell. */
void report_cell_number(FILE *out, double value, int digits);

/* Beside base_html_style. */
extern const char report_style[];

#endif
