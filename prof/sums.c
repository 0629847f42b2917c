#include "prof/sums.h"

#include <math.h>

enum { SECTOR = 32 };

void prof_sums_add(struct prof_sums *to, const struct prof_sums *more) {
#define ADD(name) to->c.name += more->c.name;
    WL_COUNTER_MAP(ADD)
#undef ADD
    to->branches += more->branches;
    to->divergent += more->divergent;
    to->outside += more->outside;
    to->undefined += more->undefined;
    to->shared_load_conflicts += more->shared_load_conflicts;
    to->shared_store_conflicts += more->shared_store_conflicts;
}

void prof_sums_scale(struct prof_sums *sums, uint64_t times) {
#define SCALE(name) sums->c.name *= times;
    WL_COUNTER_MAP(SCALE)
#undef SCALE
    sums->branches *= times;
    sums->divergent *= times;
    sums->outside *= times;
    sums->undefined *= times;
    sums->shared_load_conflicts *= times;
    sums->shared_store_conflicts *= times;
}

static double ratio(double scale, uint64_t part, uint64_t whole) {
    return whole ? scale * (double)part / (double)whole : NAN;
}

struct prof_figures prof_figures_of(const wl_counters *n) {
    uint64_t memory = n->global_load_requests + n->global_store_requests + n->global_atomic_requests +
                      n->global_reduction_requests + n->local_load_requests + n->local_store_requests +
                      n->texture_load_requests + n->bulk_load_requests + n->bulk_store_requests;
    uint64_t bulk = n->bulk_load_transactions + n->bulk_store_transactions;
    uint64_t sectors = n->gld_transactions + n->gst_transactions + n->global_atomic_transactions +
                       n->global_reduction_transactions + n->local_load_transactions +
                       n->local_store_transactions + n->texture_load_transactions + bulk;
    uint64_t shared = n->shared_load_requests + n->shared_store_requests + n->shared_atomic_requests;
    uint64_t passes =
        n->shared_load_transactions + n->shared_store_transactions + n->shared_atomic_transactions;
    uint64_t moved = n->gld_moved_bytes + n->gst_moved_bytes + SECTOR * bulk;
    uint64_t useful =
        n->gld_useful_bytes + n->gst_useful_bytes + n->bulk_load_useful_bytes + n->bulk_store_useful_bytes;
    return (struct prof_figures){
        .requests = memory > shared ? memory : shared,
        .transactions = sectors,
        .wavefronts = passes,
        .transactions_per_request = ratio(1, sectors, memory),
        .wavefronts_per_request = ratio(1, passes, shared),
        .efficiency = moved ? ratio(100, useful, moved) : ratio(100, n->shared_useful_bytes, 128 * passes),
    };
}
