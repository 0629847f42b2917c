#include "bench/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t least_samples = 10;
static const double least_s = 0.5;
static const double narrow_spread = 0.005;
/* A spread above this share of the previous check's counts as no progress. */
static const double progress = 0.98;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double q) {
    double position = q * (double)(count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

struct bench_summary bench_summarise(double *values, size_t count) {
    qsort(values, count, sizeof *values, ascending);
    return (struct bench_summary){
        .median = quantile(values, count, 0.5),
        .iqr = quantile(values, count, 0.75) - quantile(values, count, 0.25),
        .min = values[0],
        .n = count,
    };
}

const char *bench_stop_name(enum bench_stop stop) {
    switch (stop) {
    case BENCH_STOP_SPREAD:
        return "spread";
    case BENCH_STOP_STEADY:
        return "steady";
    case BENCH_STOP_TIME:
        return "time";
    case BENCH_STOP_COUNT:
        return "count";
    case BENCH_STOP_NOT:
        break;
    }
    return NULL;
}

bool bench_samples_add(struct bench_samples *samples, double value, double cost_s) {
    if (samples->count == samples->capacity) {
        size_t capacity = samples->capacity ? 2 * samples->capacity : 64;
        double *values = realloc(samples->values, capacity * sizeof *values);
        if (!values)
            return false;
        samples->values = values;
        samples->capacity = capacity;
    }
    samples->values[samples->count++] = value;
    samples->elapsed_s += cost_s;
    return true;
}

enum bench_stop bench_samples_stop(struct bench_samples *samples, const struct bench_stop_rule *rule) {
    if (rule->exact_count)
        return samples->count >= rule->exact_count ? BENCH_STOP_COUNT : BENCH_STOP_NOT;
    if (samples->count >= least_samples && samples->elapsed_s >= least_s &&
        samples->count >= samples->next_check) {
        /* The order of the samples does not matter, so they are sorted in place. */
        struct bench_summary summary = bench_summarise(samples->values, samples->count);
        double spread = summary.median > 0 ? summary.iqr / summary.median : 0;
        if (spread < narrow_spread)
            return BENCH_STOP_SPREAD;
        if (samples->last_spread > 0 && spread > progress * samples->last_spread)
            return BENCH_STOP_STEADY;
        samples->last_spread = spread;
        /* Only clearly more samples can show that the spread has stopped falling. */
        samples->next_check = samples->count + samples->count / 2;
    }
    return samples->elapsed_s >= rule->most_s ? BENCH_STOP_TIME : BENCH_STOP_NOT;
}

void bench_samples_free(struct bench_samples *samples) {
    free(samples->values);
    memset(samples, 0, sizeof *samples);
}
