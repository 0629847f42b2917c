/* The metrics, by their names in nvprof and Nsight Compute. */
#ifndef WIDELOAD_PROF_METRICS_H
#define WIDELOAD_PROF_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "prof/sums.h"

enum prof_unit { PROF_COUNT, PROF_BYTES, PROF_RATIO, PROF_PERCENT };

struct prof_metric {
    const char *name; /* nvprof's, or our own in its style */
    const char *ncu;  /* Nsight Compute's; NULL: it has none */
    enum prof_unit unit;
    double (*of)(const struct prof_sums *sums); /* NaN: there was no such access */
    const char *meaning;
};

extern const struct prof_metric prof_metrics[];
extern const size_t prof_metric_count;

/* Finds a metric by either name.  NULL: unknown; the message suggests the nearest name.  what: the option in
 * messages, "--metrics". */
const struct prof_metric *prof_metric_find(const char *what, const char *name, size_t length,
                                           struct base_error *error);

/* Finds a metric by its `name`, which must exist. */
const struct prof_metric *prof_metric_named(const char *name);

/* A metric as the user named it. */
struct prof_choice {
    const struct prof_metric *metric;
    bool ncu; /* the user gave Nsight Compute's name */
};
struct prof_choices {
    struct prof_choice *items;
    size_t count;
};
/* "a,b,c" or "all". */
bool prof_choices_parse(const char *list, struct prof_choices *out, struct base_error *error);
void prof_choices_free(struct prof_choices *choices);
const char *prof_choice_name(const struct prof_choice *choice);

/* "80.00%", "5", "1048576", "n/a" */
void prof_value_text(const struct prof_metric *metric, double value, char *out, size_t size);

/* Prints the text of --metrics help. */
void prof_metrics_help(FILE *file);

#endif
