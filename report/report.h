/* A page, and charts alone, of results of `wideload bench --json`. */
#ifndef WIDELOAD_REPORT_REPORT_H
#define WIDELOAD_REPORT_REPORT_H

#include <stdio.h>

#include "report/page.h"

struct report {
    struct report_pool pool;
    struct report_data data;
    size_t experiment_count;
    struct report_experiment *experiments;
    struct report_figure **figures; /* an experiment's, figure_counts of them */
    size_t *figure_counts;
};

/* Reads the files and decides what to show.  After a failure too, report_close gives everything back. */
bool report_open(struct report *report, const char *const *paths, size_t count, struct base_error *error);
void report_close(struct report *report);

/* The page. */
bool report_write(struct report *report, FILE *out, struct base_error *error);

/* The file's name of a chart in a form that stands alone. */
const char *report_svg_name(const struct report_chart *chart, enum report_form form,
                            struct report_pool *pool);

/* Charts that stand alone: "transpose-ladder.svg", "transpose-ladder-dark.svg" and so on.  Each is handed to
 * `take`, which returns false (with *error filled) to stop. */
bool report_each_svg(struct report *report,
                     bool (*take)(void *argument, const char *name, const char *svg,
                                  struct base_error *error),
                     void *argument, struct base_error *error);

#endif
