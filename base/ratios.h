/* Ratios of a run's counters, as tables and JSON have them. */
#ifndef WIDELOAD_BASE_RATIOS_H
#define WIDELOAD_BASE_RATIOS_H

#include <stddef.h>

#include "wideload.h"

/* Percentages and ratios of counters, under nvprof's names where it had one. */
struct base_ratio {
    const char *name;
    double (*of)(const wl_counters *counters); /* NaN where nothing of the kind was accessed */
};
extern const struct base_ratio base_ratios[];
extern const size_t base_ratio_count;

double base_gld_efficiency(const wl_counters *counters);
double base_gst_efficiency(const wl_counters *counters);
double base_gld_transactions_per_request(const wl_counters *counters);
double base_gst_transactions_per_request(const wl_counters *counters);
double base_shared_efficiency(const wl_counters *counters);
/* 100 x useful / moved bytes of global loads, stores and bulk copies together: the share of a memory's
 * bandwidth that this access pattern can turn into useful bytes. */
double base_bound_pct(const wl_counters *counters);

#endif
