/* One block from start to end: its warps take turns until all have exited. */
#include <string.h>

#include "sim/check/hooks.h"
#include "sim/exec/worker.h"

static void start(struct sim_worker *worker, uint64_t linear) {
    struct sim_block *block = &worker->block;
    const struct sim_launch *launch = worker->launch;
    block->linear = linear;
    block->id[0] = (uint32_t)(linear % launch->grid[0]);
    block->id[1] = (uint32_t)(linear / launch->grid[0] % launch->grid[1]);
    block->id[2] = (uint32_t)(linear / launch->grid[0] / launch->grid[1]);
    memset(block->barriers, 0, sizeof block->barriers);
    if (worker->check)
        sim_check_block_start(worker->check, block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        uint32_t threads = block->thread_count - SIM_LANES * i;
        w->worker = worker;
        w->block = block;
        w->check = worker->check;
        w->index = i;
        struct sim_frame *frame = &worker->first_frames[i];
        *frame = (struct sim_frame){
            .code = worker->code, .references = 1, .slots = worker->frames + i * worker->frame_stride};
        sim_warp_start(w, frame, threads >= SIM_LANES ? SIM_ALL_LANES : (1u << threads) - 1);
    }
}

static bool finished(const struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].live)
            return false;
    return true;
}

static bool release_parked(struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (sim_warp_release(&block->warps[i]))
            return true;
    return false;
}

/* Names a thread that waits and one that it waits for in vain. */
static void report_deadlock(struct sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        struct sim_strand *s = w->strands;
        if (!s)
            continue;
        w->strand = s;
        unsigned lane = (unsigned)__builtin_ctz(s->mask);
        if (s->state == STRAND_BARRIER)
            sim_fault_raise(
                w, s->pc, lane, SIM_FAULT_DEADLOCK, s->barrier,
                "deadlock: waits at barrier %u, which some live thread of the block never reaches",
                s->barrier);
        sim_fault_raise(w, s->pc, lane, SIM_FAULT_DEADLOCK, s->members,
                        "deadlock: waits for the lanes of mask 0x%08x, some of which never come", s->members);
    }
}

void sim_block_run(struct sim_worker *worker, uint64_t linear) {
    struct sim_block *block = &worker->block;
    if (setjmp(worker->stop) == 0) {
        start(worker, linear);
        while (!finished(block)) {
            bool any = false;
            for (uint32_t i = 0; i < block->warp_count; i++)
                any |= sim_warp_run(&block->warps[i]);
            any |= sim_barrier_settle(block);
            if (!any && !finished(block) && !release_parked(block))
                report_deadlock(block);
        }
    }
    for (uint32_t i = 0; i < block->warp_count; i++)
        sim_warp_end(&block->warps[i]);
}
