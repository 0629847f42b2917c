/* From what an instruction did to the counters that it belongs to. */
#include "sim/exec/worker.h"

void sim_count_site(struct wl_counters *c, enum sim_access access, const struct sim_site_tally *t)
{
    uint64_t requests[3], transactions[3];
    for (int i = 0; i < 3; i++) {
        requests[i] = t->by[i].requests;
        transactions[i] = t->by[i].transactions;
    }
    c->shared_useful_bytes += t->by[SIM_SPACE_SHARED].useful;
    switch (access) {
    case SIM_ACCESS_LOAD:
        c->global_load_requests += requests[SIM_SPACE_GLOBAL];
        c->gld_transactions += transactions[SIM_SPACE_GLOBAL];
        c->gld_useful_bytes += t->by[SIM_SPACE_GLOBAL].useful;
        c->gld_moved_bytes += t->by[SIM_SPACE_GLOBAL].moved;
        c->shared_load_requests += requests[SIM_SPACE_SHARED];
        c->shared_load_transactions += transactions[SIM_SPACE_SHARED];
        c->local_load_requests += requests[SIM_SPACE_LOCAL];
        c->local_load_transactions += transactions[SIM_SPACE_LOCAL];
        break;
    case SIM_ACCESS_STORE:
        c->global_store_requests += requests[SIM_SPACE_GLOBAL];
        c->gst_transactions += transactions[SIM_SPACE_GLOBAL];
        c->gst_useful_bytes += t->by[SIM_SPACE_GLOBAL].useful;
        c->gst_moved_bytes += t->by[SIM_SPACE_GLOBAL].moved;
        c->shared_store_requests += requests[SIM_SPACE_SHARED];
        c->shared_store_transactions += transactions[SIM_SPACE_SHARED];
        c->local_store_requests += requests[SIM_SPACE_LOCAL];
        c->local_store_transactions += transactions[SIM_SPACE_LOCAL];
        break;
    case SIM_ACCESS_ATOM:
    case SIM_ACCESS_RED:
        if (access == SIM_ACCESS_ATOM) {
            c->global_atomic_requests += requests[SIM_SPACE_GLOBAL];
            c->global_atomic_transactions += transactions[SIM_SPACE_GLOBAL];
        } else {
            c->global_reduction_requests += requests[SIM_SPACE_GLOBAL];
            c->global_reduction_transactions += transactions[SIM_SPACE_GLOBAL];
        }
        c->shared_atomic_requests += requests[SIM_SPACE_SHARED];
        c->shared_atomic_transactions += transactions[SIM_SPACE_SHARED];
        break;
    }
}
