/* A block: runs its warps in turns until all have exited. */
#include <string.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/worker.h"

void sim_block_start(struct sim_worker *worker, struct sim_block *block, uint64_t linear) {
    block->linear = linear;
    sim_launch_place(worker->launch, linear, block->id);
    block->started = block->stuck = false;
    block->mbarrier_waiters = block->timeouts = 0;
    memset(block->barriers, 0, sizeof block->barriers);
    if (worker->code->reserved)
        memset(block->shared + worker->reserved, 0, SIM_RESERVED_SHARED);
    if (block->check)
        sim_check_block_start(block->check, block);
}

/* A function of its own because it may run out of memory, which exits by the worker's longjmp. */
static void start_warps(struct sim_worker *worker, struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        uint32_t threads = block->thread_count - SIM_LANES * i;
        w->worker = worker;
        w->block = block;
        w->check = block->check;
        w->index = i;
        struct sim_frame *frame = &block->first_frames[i];
        *frame = (struct sim_frame){.code = worker->code,
                                    .references = 1,
                                    .local_base = SIM_LOCAL_BELOW,
                                    .slots = block->frames + i * worker->frame_stride};
        sim_warp_start(w, frame, threads >= SIM_LANES ? SIM_ALL_LANES : (1u << threads) - 1);
    }
    block->started = true;
}

static bool finished(const struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].live)
            return false;
    return true;
}

bool sim_block_release(struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (sim_warp_release(&block->warps[i]))
            return true;
    return false;
}

/* Selects the warp's first strand, to which faults are then attributed; NULL if its threads have exited. */
static struct sim_strand *select_first(struct sim_warp *w) {
    if (w->strands)
        w->strand = w->strands;
    return w->strands;
}

/* Reports a waiting thread and one that it waits for in vain. */
static void report_deadlock(struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        struct sim_strand *s = select_first(w);
        if (!s)
            continue;
        unsigned lane = (unsigned)__builtin_ctz(s->mask);
        char name[24];
        if (s->state == STRAND_BARRIER)
            sim_fault_raise(w, s->pc, lane, SIM_FAULT_DEADLOCK, s->barrier,
                            "deadlock: waits at %s, which some live thread of the %s never reaches",
                            sim_barrier_name(s->barrier, name),
                            s->barrier == SIM_CLUSTER_BARRIER ? "cluster" : "block");
        if (s->state == STRAND_MBARRIER)
            sim_fault_raise(w, s->pc, lane, SIM_FAULT_DEADLOCK, 0,
                            "deadlock: waits for the end of an mbarrier's phase, which never comes");
        sim_fault_raise(w, s->pc, lane, SIM_FAULT_DEADLOCK, s->members,
                        "deadlock: waits for the lanes of mask 0x%08x, some of which never come", s->members);
    }
}

/* Reports the first thread that has not exited. */
static void report_time(struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        struct sim_strand *s = select_first(w);
        if (!s)
            continue;
        sim_fault_raise(w, s->pc, (unsigned)__builtin_ctz(s->mask), SIM_FAULT_TIME, 0,
                        "still runs at the launch's limit of %u basic blocks", w->worker->launch->limit);
    }
}

/* Whether another block of the cluster can still make progress. */
static bool may_be_helped(const struct sim_block *block) {
    const struct sim_cluster *cluster = block->cluster;
    for (uint32_t i = 0; i < cluster->size; i++)
        if (cluster->blocks[i] && cluster->blocks[i] != block && !cluster->blocks[i]->stuck)
            return true;
    return false;
}

/* Nothing in the cluster can run: resumes parked lanes, or else lanes whose wait at an mbarrier may end. */
static bool unblock(struct sim_cluster *cluster) {
    bool done = false;
    for (uint32_t i = 0; i < cluster->size && !done; i++)
        done = cluster->blocks[i] && sim_block_release(cluster->blocks[i]);
    for (uint32_t i = 0; i < cluster->size && !done; i++)
        done = cluster->blocks[i] && sim_mbarrier_expire(cluster->blocks[i]);
    for (uint32_t i = 0; i < cluster->size && done; i++)
        if (cluster->blocks[i])
            cluster->blocks[i]->stuck = false;
    return done;
}

/* Runs every warp once.  False if all that ran only waited, in loops, for others. */
static bool pass(struct sim_block *block) {
    bool any = false, moved = false;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        bool ran = sim_warp_run(w);
        any |= ran;
        moved |= ran && !w->waits;
    }
    bool settled = sim_barrier_settle(block);
    settled |= sim_mbarrier_settle(block);
    if (!any && !settled && !finished(block)) {
        block->stuck = may_be_helped(block);
        if (block->stuck)
            return false;
        if (!unblock(block->cluster))
            report_deadlock(block);
    }
    return moved || settled || !any;
}

void sim_block_end(struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        sim_warp_end(&block->warps[i]);
}

bool sim_block_run(struct sim_worker *worker, struct sim_block *block) {
    block->moved = block->stuck = false;
    if (setjmp(worker->stop) == 0) {
        if (!block->started)
            start_warps(worker, block);
        /* Stops after two passes without progress: a warp with a waiting strand may have progressed with
         * another. */
        for (int waits = 0; !finished(block);) {
            waits = pass(block) ? 0 : waits + 1;
            block->moved |= waits == 0;
            worker->passes++;
            if (worker->launch->limit && worker->passes * worker->turn >= worker->launch->limit &&
                !finished(block))
                report_time(block);
            if (waits == 2 || block->stuck)
                return false;
        }
    }
    sim_block_end(block);
    return true;
}
