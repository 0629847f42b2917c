/* What the page shows of the rows: experiments, each with its ladder, its sweeps and its roofline. */
#ifndef WIDELOAD_REPORT_VIEW_H
#define WIDELOAD_REPORT_VIEW_H

#include "report/results.h"

enum report_metric {
    REPORT_METRIC_GBPS,
    REPORT_METRIC_GOPS,
    REPORT_METRIC_BOUND,
    REPORT_METRIC_SHARED,
    REPORT_METRIC_OCCUPANCY,
    REPORT_METRICS,
};

struct report_metric_text {
    const char *name; /* of files: "gbps" */
    const char *unit; /* of axes: "GB/s" */
    const char *says; /* of captions: "bandwidth" */
};
extern const struct report_metric_text report_metric_texts[REPORT_METRICS];

/* NaN: the row does not have it. */
double report_value(const struct report_row *row, enum report_metric metric);

/* A line of a sweep: a kernel's rows, which differ in one parameter, ascending. */
struct report_series {
    const char *name;
    size_t count;
    const struct report_row **rows;
};

struct report_sweep {
    enum report_param param;
    size_t count;
    struct report_series *series;
    const char *fixed; /* "size 2^28": what all rows have in common; "" where nothing is */
};

struct report_experiment {
    const char *name;
    const char *id;       /* of elements and files: a-z, 0-9 and -, unique in the page */
    const char *question; /* NULL: not known */
    enum report_metric metric;
    double copy_gbps; /* report_copy_gbps() of the ladder */
    size_t row_count, ladder_count, sweep_count;
    const struct report_row **rows;   /* all of them */
    const struct report_row **ladder; /* one a kernel, peers last */
    const char *fixed;                /* what the ladder's rows have in common */
    /* Peers that did not run the ladder's problem, beside the rungs that ran theirs: an experiment whose rows
     * are these and that has a ladder alone.  NULL: none. */
    struct report_experiment *beside;
    struct report_sweep sweeps[REPORT_PARAMS];
};

struct report_experiment *report_experiments(const struct report_data *data, size_t *count,
                                             struct report_pool *pool);

/* The parts, in the order in which report_experiments calls them. */
void report_find_ladder(struct report_experiment *experiment, struct report_pool *pool);
void report_find_sweeps(struct report_experiment *experiment, struct report_pool *pool);

/* A number for each row, the same for those that are alike but for one parameter, for REPORT_PARAMS those
 * that are of one kernel: 0 to *groups - 1.  To be freed. */
size_t *report_group(const struct report_row *const *rows, size_t count, int but, size_t *groups);

/* "plain", or "cublas-geam (cuBLAS 13.1.0)". */
const char *report_kernel_text(const struct report_row *row, struct report_pool *pool);
/* "size 2^28, offset 11, block 512" of the parameters whose bits are set, with the cache's state where it was
 * warm and bit REPORT_PARAMS is set. */
const char *report_params_text(const struct report_row *row, unsigned which, struct report_pool *pool);
/* "offset", "from shift" */
const char *report_param_words(enum report_param param);
/* Bits of the parameters in which all rows agree. */
unsigned report_common(const struct report_row *const *rows, size_t count);
bool report_same_kernel(const struct report_row *a, const struct report_row *b);
/* Of the best copy kernel of the rows' run, at a like size; NaN: unknown. */
double report_copy_gbps(const struct report_row *const *rows, size_t count);

#endif
