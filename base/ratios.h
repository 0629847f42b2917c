/* Ratios of a run's counters, for tables and JSON. */
#ifndef WIDELOAD_BASE_RATIOS_H
#define WIDELOAD_BASE_RATIOS_H

#include <stddef.h>

#include "wideload.h"

/* A percentage or ratio of counters, under nvprof's name if it had one. */
struct base_ratio {
    const char *name;
    double (*of)(const wl_counters *counters); /* NaN if the kernel had no such access */
};
extern const struct base_ratio base_ratios[];
extern const size_t base_ratio_count;

double base_gld_efficiency(const wl_counters *counters);
double base_gst_efficiency(const wl_counters *counters);
double base_gld_transactions_per_request(const wl_counters *counters);
double base_gst_transactions_per_request(const wl_counters *counters);
double base_shared_efficiency(const wl_counters *counters);
/* 100 x useful / moved bytes of global loads, stores and bulk copies together: the upper bound on the share
 * of the memory bandwidth that this access pattern can use. */
double base_bound_pct(const wl_counters *counters);

#endif
