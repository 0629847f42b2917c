/* The page's view of the rows: experiments, each with its ladder, sweeps and roofline. */
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
    const char *name; /* in file names: "gbps" */
    const char *unit; /* on axes: "GB/s" */
    const char *says; /* in captions: "bandwidth" */
};
extern const struct report_metric_text report_metric_texts[REPORT_METRICS];

/* NaN: the row does not have it. */
double report_value(const struct report_row *row, enum report_metric metric);

/* A line of a sweep: a kernel's rows that differ in one parameter, in ascending order. */
struct report_series {
    const char *name;
    size_t count;
    const struct report_row **rows;
};

struct report_sweep {
    enum report_param param;
    size_t count;
    struct report_series *series;
    const char *fixed; /* the parameters in which all rows agree: "size 2^28"; "": none */
};

struct report_experiment {
    const char *name;
    const char *id;       /* for elements and files: a-z, 0-9 and -, unique in the page */
    const char *question; /* NULL: unknown */
    enum report_metric metric;
    double copy_gbps; /* report_copy_gbps() of the ladder */
    size_t row_count, ladder_count, sweep_count;
    const struct report_row **rows;   /* all of them */
    const struct report_row **ladder; /* one per kernel, peers last */
    const char *fixed;                /* the parameters in which the ladder's rows agree */
    /* A ladder beside: peers that did not run the ladder's problem, and the rungs that ran theirs.  It has no
     * sweeps.  NULL: none. */
    struct report_experiment *beside;
    struct report_sweep sweeps[REPORT_PARAMS];
};

struct report_experiment *report_experiments(const struct report_data *data, size_t *count,
                                             struct report_pool *pool);

/* Parts of report_experiments(), in the order of its calls. */
void report_find_ladder(struct report_experiment *experiment, struct report_pool *pool);
void report_find_sweeps(struct report_experiment *experiment, struct report_pool *pool);

/* The number of each row's group, 0 to *groups - 1.  Rows of a group differ at most in parameter `but`; if
 * `but` is REPORT_PARAMS, they have the same kernel.  The caller frees the array. */
size_t *report_group(const struct report_row *const *rows, size_t count, int but, size_t *groups);

/* "plain", or "cublas-geam (cuBLAS 13.1.0)". */
const char *report_kernel_text(const struct report_row *row, struct report_pool *pool);
/* "size 2^28, offset 11, block 512": the parameters whose bits are set.  If bit REPORT_PARAMS is set, a warm
 * cache is named too. */
const char *report_params_text(const struct report_row *row, unsigned which, struct report_pool *pool);
/* "offset", "from shift" */
const char *report_param_words(enum report_param param);
/* The bits of the parameters in which all rows agree. */
unsigned report_common(const struct report_row *const *rows, size_t count);
bool report_same_kernel(const struct report_row *a, const struct report_row *b);
/* The bandwidth of the best copy kernel of the rows' run, at a similar size; NaN: unknown. */
double report_copy_gbps(const struct report_row *const *rows, size_t count);

#endif
