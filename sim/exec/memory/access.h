/* The one choke point: every access of a warp to global, shared or local memory comes through
 * sim_access(), which checks it, counts it, and says where the bytes are.  Private to sim/exec.
 *
 * Kernels repeat themselves: the lanes' addresses relative to lane 0 are mostly the same as last time.  So
 * each instruction stores its last pattern and the pattern's cost by address phase (a cost depends on nothing
 * else: sim/count/count.h promises so).  Only a new pattern is examined in full.
 */
#ifndef WIDELOAD_SIM_ACCESS_H
#define WIDELOAD_SIM_ACCESS_H

#include "sim/exec/check/hooks.h"
#include "sim/exec/clones.h"
#include "sim/exec/worker.h"

struct sim_lanes {
    _Alignas(64) uint64_t address[SIM_LANES]; /* lanes outside mask repeat the first one's */
    uint32_t mask;
    unsigned first; /* the lowest lane of mask */
};

const char *sim_space_name(enum sim_space space);                  /* "global" */
const char *sim_access_name(enum sim_access access, bool texture); /* "load" */

/* Whether the launch may touch the allocation: it lies on the launch's device, or that has access to it. */
bool sim_launch_may(const struct sim_launch *launch, const struct sim_allocation *allocation);
/* Whether an access goes through: the launch may touch the allocation that holds all the bytes, or
 * sim_memory_slack() finds pages that it may touch. */
bool sim_launch_reaches(const struct sim_launch *launch, uint64_t address, size_t size);
/* Why an access does not go through: "out of bounds: " and where the address lies, or "in memory of device 1"
 * and so on.  True when it lay in freed memory. */
bool sim_launch_describe(const struct sim_launch *launch, uint64_t address, char *text, size_t size);
/* Whether bytes that the launch may touch lie on another device, so that an access crosses to it. */
bool sim_launch_crosses(const struct sim_launch *launch, uint64_t address, size_t size);
/* Counts the lanes of a request of global memory that cross, which sim_access_bounds() does for the others.
 */
void sim_access_count_peers(struct sim_warp *w, const struct sim_memop *op, const struct sim_lanes *lanes,
                            unsigned bytes);

/* Slow parts, in access.c. */
void sim_access_learn(struct sim_site_tally *site, const struct sim_lanes *lanes, unsigned bytes);
struct count_result sim_access_cost(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                                    const struct sim_lanes *lanes, unsigned bytes);
void sim_access_check_global(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                             struct sim_site_tally *site, const struct sim_lanes *lanes, unsigned bytes);
/* Samples a request and its cost. */
void sim_access_sample(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                       const struct sim_lanes *lanes, unsigned bytes, const struct count_result *cost);
/* Handles lanes outside a block's shared or a thread's local memory where hardware allows them: counts them,
 * moves their addresses to where those bytes are here, and returns true. */
bool sim_access_slack(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                      struct sim_lanes *lanes, unsigned bytes);
_Noreturn void sim_access_fault(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                                enum sim_space space, const struct sim_lanes *lanes, unsigned bytes);

static inline __attribute__((always_inline)) void
sim_lanes_fill(struct sim_warp *w, const struct sim_memop *op, int32_t ref, struct sim_lanes *lanes) {
    uint64_t offset = (uint64_t)op->offset;
    if (op->address64) {
        const uint64_t *a = SIM_SLOT(w, ref);
        for (int i = 0; i < SIM_LANES; i++)
            lanes->address[i] = a[i] + offset;
    } else {
        const uint32_t *a = SIM_SLOT(w, ref);
        uint32_t narrow = (uint32_t)offset;
        for (int i = 0; i < SIM_LANES; i++)
            lanes->address[i] = (uint32_t)(a[i] + narrow);
    }
    lanes->mask = w->mask;
    lanes->first = 0;
    if (w->mask != SIM_ALL_LANES) {
        lanes->first = (unsigned)__builtin_ctz(w->mask);
        uint64_t first = lanes->address[lanes->first];
        for (int i = 0; i < SIM_LANES; i++)
            lanes->address[i] = w->mask >> i & 1 ? lanes->address[i] : first;
    }
}

/* The size of a block's shared memory, or of a thread's local memory up to the end of the running frame. */
static inline uint64_t sim_access_limit(const struct sim_warp *w, enum sim_space space) {
    if (space == SIM_SPACE_SHARED)
        return w->worker->shared_limit;
    const struct sim_frame *frame = w->strand->frame;
    return frame->local_base + (uint64_t)frame->code->local_bytes;
}

/* Whether all lanes' bytes lie in [low, high). */
static inline __attribute__((always_inline)) bool
sim_pattern_within(const struct sim_pattern *p, uint64_t base, uint64_t low, uint64_t high) {
    return sim_within(base + p->low - low, p->span, high - low);
}

/* The pattern of the lanes' addresses, which the site stores. */
static inline __attribute__((always_inline)) const struct sim_pattern *
sim_access_pattern(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                   const struct sim_lanes *lanes, unsigned bytes) {
    struct sim_site_tally *site = &w->worker->sites[op->site];
    struct sim_pattern *p = &site->pattern;
    uint64_t base = lanes->address[lanes->first], differs = 0;
    for (int i = 0; i < SIM_LANES; i++)
        differs |= (lanes->address[i] - base) ^ p->delta[i];
    if (differs || p->mask != lanes->mask || p->space != space || p->bytes != bytes) {
        sim_access_learn(site, lanes, bytes);
        p->space = (uint8_t)space;
    }
    return p;
}

static inline __attribute__((always_inline)) void
sim_access_count(struct sim_warp *w, const struct sim_memop *op, enum sim_space space,
                 const struct sim_lanes *lanes, unsigned bytes) {
    struct sim_site_tally *site = &w->worker->sites[op->site];
    struct sim_pattern *p = &site->pattern;
    uint64_t base = lanes->address[lanes->first];
    struct count_result cost;
    unsigned phase = base >> 2 & 31;
    if (base % 4 == 0 && p->phases >> phase & 1) {
        cost = p->costs[phase];
    } else {
        cost = sim_access_cost(w, op, space, lanes, bytes);
        if (base % 4 == 0) {
            p->costs[phase] = cost;
            p->phases |= 1u << phase;
        }
    }
    site->by[space].requests++;
    site->by[space].transactions += cost.transactions;
    site->by[space].moved += cost.moved_bytes;
    site->by[space].useful += cost.useful_bytes;
    if (__builtin_expect(w->worker->samples != NULL, 0))
        sim_access_sample(w, op, space, lanes, bytes, &cost);
}

/* Faults if the access, whose pattern is known, is out of bounds. */
static inline __attribute__((always_inline)) void
sim_access_bounds(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                  enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    struct sim_site_tally *site = &w->worker->sites[op->site];
    const struct sim_pattern *p = &site->pattern;
    uint64_t base = lanes->address[lanes->first];
    if ((base | p->misaligned) & (bytes - 1))
        sim_access_fault(w, in, op, space, lanes, bytes);
    if (space == SIM_SPACE_GLOBAL) {
        if (!sim_pattern_within(p, base, site->allowed_base, site->allowed_end))
            sim_access_check_global(w, in, op, site, lanes, bytes);
    } else {
        const uint64_t low = space == SIM_SPACE_LOCAL ? SIM_LOCAL_BELOW : 0;
        if (!sim_pattern_within(p, base, low, sim_access_limit(w, space)) &&
            (op->exact || !sim_access_slack(w, op, space, lanes, bytes)))
            sim_access_fault(w, in, op, space, lanes, bytes);
    }
}

/* Checks the bounds and counts. */
static inline __attribute__((always_inline)) void
sim_access_finish(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                  enum sim_space space, struct sim_lanes *lanes, unsigned bytes) {
    sim_access_bounds(w, in, op, space, lanes, bytes);
    if (!op->uncounted)
        sim_access_count(w, op, space, lanes, bytes);
}

/* Checks and counts; returns the pattern of the lanes.  bytes: per lane.  NULL: checks are on and no lane is
 * left.  Checks may have removed lanes, whose results are zeros. */
static inline __attribute__((always_inline)) const struct sim_pattern *
sim_access(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op, enum sim_space space,
           struct sim_lanes *lanes, unsigned bytes) {
    const struct sim_pattern *p = sim_access_pattern(w, op, space, lanes, bytes);
    if (__builtin_expect(w->check != NULL, 0) && !sim_check_access(w, in, op, space, lanes, bytes))
        return NULL;
    sim_access_finish(w, in, op, space, lanes, bytes);
    return p;
}

/* Counts lanes that sim_check_lanes() has checked. */
static inline void sim_access_checked(struct sim_warp *w, const struct sim_insn *in,
                                      const struct sim_memop *op, enum sim_space space,
                                      struct sim_lanes *lanes, unsigned bytes) {
    sim_access_pattern(w, op, space, lanes, bytes);
    sim_access_finish(w, in, op, space, lanes, bytes);
}

/* Splits a generic access by window: moves the lanes that access the same space as its first lane from *left
 * to lanes, with addresses in that space.  An address in the running block names no block. */
enum sim_space sim_lanes_take_window(struct sim_warp *w, struct sim_lanes *lanes, const struct sim_lanes *all,
                                     uint32_t *left);

/* Whether an address of shared memory names a block of the cluster. */
static inline bool sim_lanes_name_blocks(const struct sim_warp *w, const struct sim_lanes *lanes) {
    uint64_t any = 0;
    for (int i = 0; i < SIM_LANES && w->worker->cluster_size > 1; i++)
        any |= lanes->address[i];
    return any >> SIM_RANK_SHIFT;
}
/* The block whose shared memory an address is in.  A block that does not exist or has ended is a fault.  So
 * is another block if the instruction's space is neither the cluster's nor generic. */
struct sim_block *sim_shared_owner(struct sim_warp *w, const struct sim_insn *in, unsigned lane,
                                   enum sim_space space, uint64_t address);
/* Splits an access of shared memory by block: moves the lanes that access the same block as its first lane
 * from *left to lanes, with offsets in that block's memory. */
struct sim_block *sim_lanes_take_block(struct sim_warp *w, const struct sim_insn *in, enum sim_space space,
                                       struct sim_lanes *lanes, const struct sim_lanes *all, uint32_t *left);
/* sim_access() of another block's shared memory, without counting.  False: no lane is left. */
bool sim_access_far(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                    struct sim_block *owner, struct sim_lanes *lanes, unsigned bytes);
/* Counts the lanes of mask that access other blocks; all: the addresses as the instruction has them. */
void sim_access_count_far(struct sim_warp *w, const struct sim_memop *op, const struct sim_lanes *all,
                          uint32_t mask, unsigned bytes);

#endif
