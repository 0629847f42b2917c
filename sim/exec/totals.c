/* From what an instruction did to the counters that it belongs to. */
#include <string.h>

#include "sim/exec/worker.h"

static enum sim_access access_of(const struct ptx_instruction *in, bool second)
{
    if (strcmp(in->name, "st") == 0)
        return SIM_ACCESS_STORE;
    if (strcmp(in->name, "atom") == 0)
        return SIM_ACCESS_ATOM;
    if (strcmp(in->name, "red") == 0)
        return SIM_ACCESS_RED;
    /* cp.async has two sites: it loads from global memory, then stores to shared memory. */
    return strcmp(in->name, "cp") == 0 && second ? SIM_ACCESS_STORE : SIM_ACCESS_LOAD;
}

void sim_count_site(struct wl_counters *c, const struct ptx_instruction *in, const struct sim_site_tally *t,
                    bool second)
{
    uint64_t requests[3], transactions[3];
    for (int i = 0; i < 3; i++) {
        requests[i] = t->by[i].requests;
        transactions[i] = t->by[i].transactions;
    }
    c->shared_useful_bytes += t->by[SIM_SPACE_SHARED].useful;
    switch (access_of(in, second)) {
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
        if (access_of(in, second) == SIM_ACCESS_ATOM) {
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
