/* Samples of one row's time, and the rule for when to stop sampling. */
#ifndef WIDELOAD_BENCH_STATISTICS_H
#define WIDELOAD_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct bench_summary {
    double median, iqr, min; /* in the samples' unit; iqr = third quartile - first quartile */
    size_t n;
};

/* Quartiles interpolate between neighbours (Hyndman and Fan's type 7).  Sorts the values in place.  count
 * must be at least 1. */
struct bench_summary bench_summarise(double *values, size_t count);

/* Why sampling stopped. */
enum bench_stop {
    BENCH_STOP_NOT,    /* not yet */
    BENCH_STOP_SPREAD, /* the relative spread, IQR / median, is below 0.5 % */
    BENCH_STOP_STEADY, /* more samples no longer narrow the spread */
    BENCH_STOP_TIME,   /* the row's time limit is reached */
    BENCH_STOP_COUNT,  /* the requested number of samples is reached */
};

/* "spread", "steady", "time", "count"; NULL for BENCH_STOP_NOT. */
const char *bench_stop_name(enum bench_stop stop);

struct bench_samples {
    double *values;
    size_t count, capacity;
    double elapsed_s; /* wall-clock time of these samples, cold-cache sweeps included */
    size_t next_check;
    double last_spread; /* at the previous check; 0 before the first */
};

struct bench_stop_rule {
    size_t exact_count; /* 0: decide by spread */
    double most_s;      /* time limit of a row */
};

/* False: out of memory. */
bool bench_samples_add(struct bench_samples *samples, double value, double cost_s);
/* Decides after each sample.  Takes at least 10 samples and 0.5 s unless most_s comes first. */
enum bench_stop bench_samples_stop(struct bench_samples *samples, const struct bench_stop_rule *rule);
void bench_samples_free(struct bench_samples *samples);

#endif
