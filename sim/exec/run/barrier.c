/* bar and barrier: threads of a block wait for each other, each individually as since Volta.  Also a
 * cluster's barriers. */
#include <stdio.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/handlers.h"
#include "sim/exec/worker.h"

/* The bits of a barrier's thread count that hardware has. */
#define SIM_BARRIER_COUNT 0xfffu

static unsigned bits(uint32_t mask) {
    return (unsigned)__builtin_popcount(mask);
}

/* A barrier with a thread count counts whole warps: missing and exited lanes arrive with theirs. */
static uint32_t absent_lanes(const struct sim_block *block, uint32_t id) {
    uint32_t absent = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const struct sim_warp *w = &block->warps[i];
        uint32_t here = 0;
        for (const struct sim_strand *s = w->strands; s; s = s->next)
            if (s->state == STRAND_BARRIER && s->barrier == id)
                here |= s->mask;
        if (here && here == w->live)
            absent += SIM_LANES - bits(here);
    }
    return absent;
}

static void complete(struct sim_block *block, uint32_t id) {
    struct sim_barrier *barrier = &block->barriers[id];
    if (block->check)
        sim_check_barrier_complete(block, id);
    for (uint32_t i = 0; i < block->warp_count; i++)
        for (struct sim_strand *s = block->warps[i].strands; s; s = s->next) {
            if (s->state != STRAND_BARRIER || s->barrier != id)
                continue;
            const struct sim_insn *in = s->pc;
            char *slot = s->frame->slots + in->d;
            if (in->small == SIM_BARRIER_POPC) {
                for (unsigned lane = 0; lane < SIM_LANES; lane++)
                    if (s->mask >> lane & 1)
                        ((uint32_t *)slot)[lane] = barrier->count;
            } else if (in->small == SIM_BARRIER_AND || in->small == SIM_BARRIER_OR) {
                bool holds =
                    in->small == SIM_BARRIER_AND ? barrier->count == barrier->voters : barrier->count > 0;
                uint32_t *predicate = (uint32_t *)slot;
                *predicate = (*predicate & ~s->mask) | (holds ? s->mask : 0);
            }
            s->state = STRAND_READY;
            s->pc = in + 1;
        }
    *barrier = (struct sim_barrier){0};
}

static bool settle_one(struct sim_block *block, uint32_t id, uint32_t live) {
    const struct sim_barrier *barrier = &block->barriers[id];
    if (!barrier->arrived ||
        (barrier->expected ? barrier->arrived + absent_lanes(block, id) < barrier->expected
                           : barrier->arrived < live))
        return false;
    complete(block, id);
    return true;
}

static void stay_at(struct sim_warp *w, const struct sim_insn *in, uint32_t id) {
    w->strand->barrier = id;
    w->strand->state = STRAND_BARRIER;
    w->strand->pc = in;
}

static const struct sim_insn *wait_at(struct sim_warp *w, const struct sim_insn *in, uint32_t id) {
    stay_at(w, in, id);
    /* A barrier with a thread count completes at once, so that a later thread waits for its next use.  A
     * barrier for all threads is completed when every warp has run. */
    if (w->block->barriers[id].expected)
        settle_one(w->block, id, 0);
    return sim_strand_next(w);
}

const struct sim_insn *sim_run_barrier(struct sim_warp *w, const struct sim_insn *in) {
    unsigned lane = (unsigned)__builtin_ctz(w->mask);
    uint32_t id = ((const uint32_t *)SIM_SLOT(w, in->a))[lane];
    uint32_t expected = in->b == -1 ? 0 : ((const uint32_t *)SIM_SLOT(w, in->b))[lane];
    if (id >= SIM_BLOCK_BARRIERS || expected > SIM_BARRIER_COUNT) {
        if (sim_check_wants(w, SIM_CHECK_SYNC))
            sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, id,
                            "barrier %u for %u threads: a block has only %d barriers, and %d threads at most",
                            id, expected, SIM_BLOCK_BARRIERS, SIM_MAX_WARPS * SIM_LANES);
        /* As an H200 does, uses only the lowest bits of both. */
        sim_note_undefined(w, w->strand, in);
        id %= SIM_BLOCK_BARRIERS;
        expected &= SIM_BARRIER_COUNT;
    }
    if (expected % SIM_LANES)
        sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, expected,
                        "barrier for %u threads: must be a multiple of %d", expected, SIM_LANES);
    struct sim_barrier *barrier = &w->block->barriers[id];
    if (barrier->arrived && barrier->expected != expected)
        sim_fault_raise(w, in, lane, SIM_FAULT_DEADLOCK, id,
                        "barrier %u is waited for with different numbers of threads (%u and %u)", id,
                        barrier->expected, expected);
    barrier->expected = expected;
    if (in->small == SIM_BARRIER_ARRIVE) {
        /* A warp that arrives as a whole counts its absent lanes too. */
        barrier->arrived += w->mask == w->live ? SIM_LANES : bits(w->mask);
        if (w->check)
            sim_check_barrier_arrive(w, id);
        settle_one(w->block, id, 0);
        return in + 1;
    }
    barrier->arrived += bits(w->mask);
    if (in->small != SIM_BARRIER_SYNC) {
        barrier->voters += bits(w->mask);
        barrier->count += bits(w->mask & *(const uint32_t *)SIM_SLOT(w, in->c));
    }
    return wait_at(w, in, id);
}

/* ---------------------------------------------------------------- barrier.cluster
 *
 * A thread arrives, and waits later for the phase that it arrived in.  It must wait before it arrives again,
 * so that it is never more than one phase behind, and a bit says which. */

const struct sim_insn *sim_run_cluster_arrive(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t twice = w->mask & (w->arrived[0] | w->arrived[1]);
    if (twice && !sim_check_wants(w, SIM_CHECK_SYNC))
        sim_note_undefined(w, w->strand, in);
    else if (twice)
        sim_fault_raise(w, in, (unsigned)__builtin_ctz(twice), SIM_FAULT_TRAP, 0,
                        "arrives at barrier.cluster again without having waited for it");
    w->arrived[w->block->cluster->phase & 1] |= w->mask;
    w->arrived[~w->block->cluster->phase & 1] &= ~w->mask;
    if (w->check)
        sim_check_barrier_arrive(w, SIM_CLUSTER_BARRIER);
    return in + 1;
}

const struct sim_insn *sim_run_cluster_wait(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t present = w->block->cluster->phase & 1;
    uint32_t absent = w->mask & ~(w->arrived[0] | w->arrived[1]);
    if (absent && !sim_check_wants(w, SIM_CHECK_SYNC))
        sim_note_undefined(w, w->strand, in); /* such lanes continue */
    else if (absent)
        sim_fault_raise(w, in, (unsigned)__builtin_ctz(absent), SIM_FAULT_TRAP, 0,
                        "waits at barrier.cluster without having arrived there");
    if (w->mask & w->arrived[present]) {
        stay_at(w, in, SIM_CLUSTER_BARRIER);
        return sim_strand_next(w);
    }
    w->arrived[!present] &= ~w->mask;
    if (w->check)
        sim_check_cluster_wait(w);
    return in + 1;
}

/* Whether there are live threads in the cluster and all have arrived. */
static bool cluster_is_complete(const struct sim_cluster *cluster) {
    uint32_t some = 0;
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        const struct sim_block *block = cluster->blocks[rank];
        if (block && !block->started)
            return false;
        for (uint32_t i = 0; block && i < block->warp_count; i++) {
            const struct sim_warp *w = &block->warps[i];
            some |= w->live;
            if (w->live & ~w->arrived[cluster->phase & 1])
                return false;
        }
    }
    return some != 0;
}

static void let_through(struct sim_block *block) {
    block->stuck = false;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        for (struct sim_strand *s = w->strands; s; s = s->next) {
            if (s->state != STRAND_BARRIER || s->barrier != SIM_CLUSTER_BARRIER)
                continue;
            w->arrived[0] &= ~s->mask;
            w->arrived[1] &= ~s->mask;
            s->state = STRAND_READY;
            s->pc++;
        }
    }
}

static bool settle_cluster(struct sim_cluster *cluster) {
    if (!cluster_is_complete(cluster))
        return false;
    sim_check_cluster_complete(cluster);
    for (uint32_t rank = 0; rank < cluster->size; rank++)
        if (cluster->blocks[rank])
            let_through(cluster->blocks[rank]);
    cluster->phase++;
    return true;
}

/* ---------------------------------------------------------------- both */

const char *sim_barrier_name(uint32_t id, char text[24]) {
    if (id == SIM_CLUSTER_BARRIER)
        return "barrier.cluster";
    snprintf(text, 24, "barrier %u", id);
    return text;
}

bool sim_barrier_settle(struct sim_block *block) {
    bool any = false;
    uint32_t live = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        live += bits(block->warps[i].live);
    for (uint32_t id = 0; id < SIM_BLOCK_BARRIERS; id++)
        any |= settle_one(block, id, live);
    return settle_cluster(block->cluster) || any;
}
