/* Makes a page or single charts from results of `wideload bench --json`. */
#ifndef WIDELOAD_REPORT_REPORT_H
#define WIDELOAD_REPORT_REPORT_H

#include <stdio.h>

#include "report/page.h"

struct report {
    struct report_pool pool;
    struct report_data data;
    size_t experiment_count;
    struct report_experiment *experiments;
    struct report_figure **figures; /* per experiment, figure_counts of them */
    size_t *figure_counts;
};

/* Reads the files and decides what to show.  The caller calls report_close() also after a failure. */
bool report_open(struct report *report, const char *const *paths, size_t count, struct base_error *error);
void report_close(struct report *report);

/* Writes the page. */
bool report_write(struct report *report, FILE *out, struct base_error *error);

/* The file name of a chart in the form LIGHT or DARK. */
const char *report_svg_name(const struct report_chart *chart, enum report_form form,
                            struct report_pool *pool);

/* Draws all charts as files of their own and passes each to `take`: "transpose-ladder.svg",
 * "transpose-ladder-dark.svg" and so on.  `take` returns false, with *error filled, to stop. */
bool report_each_svg(struct report *report,
                     bool (*take)(void *argument, const char *name, const char *svg,
                                  struct base_error *error),
                     void *argument, struct base_error *error);

#endif
