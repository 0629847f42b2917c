#include "base/ratios.h"

#include <math.h>

enum { BANK_BYTES = 4, BANKS = 32, SECTOR_BYTES = 32 };

static double ratio(double scale, uint64_t part, uint64_t whole) {
    return whole ? scale * (double)part / (double)whole : NAN;
}

double base_gld_efficiency(const wl_counters *c) {
    return ratio(100, c->gld_useful_bytes, c->gld_moved_bytes);
}

double base_gst_efficiency(const wl_counters *c) {
    return ratio(100, c->gst_useful_bytes, c->gst_moved_bytes);
}

double base_gld_transactions_per_request(const wl_counters *c) {
    return ratio(1, c->gld_transactions, c->global_load_requests);
}

double base_gst_transactions_per_request(const wl_counters *c) {
    return ratio(1, c->gst_transactions, c->global_store_requests);
}

double base_shared_efficiency(const wl_counters *c) {
    uint64_t wavefronts =
        c->shared_load_transactions + c->shared_store_transactions + c->shared_atomic_transactions;
    return ratio(100, c->shared_useful_bytes, wavefronts * BANKS * BANK_BYTES);
}

double base_bound_pct(const wl_counters *c) {
    uint64_t useful =
        c->gld_useful_bytes + c->gst_useful_bytes + c->bulk_load_useful_bytes + c->bulk_store_useful_bytes;
    uint64_t moved = c->gld_moved_bytes + c->gst_moved_bytes +
                     SECTOR_BYTES * (c->bulk_load_transactions + c->bulk_store_transactions);
    return ratio(100, useful, moved);
}

const struct base_ratio base_ratios[] = {
    {"gld_efficiency", base_gld_efficiency},
    {"gst_efficiency", base_gst_efficiency},
    {"gld_transactions_per_request", base_gld_transactions_per_request},
    {"gst_transactions_per_request", base_gst_transactions_per_request},
    {"shared_efficiency", base_shared_efficiency},
    {"bound_pct", base_bound_pct},
};
const size_t base_ratio_count = sizeof base_ratios / sizeof *base_ratios;
