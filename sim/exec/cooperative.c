/* Blocks that wait for each other: those that have started take turns.
 *
 * A worker runs its block to the end, which is all that most kernels ask for.  If the block comes to only
 * wait in a loop (struct sim_strand, spinning), the worker starts the next one, and when all that it has
 * started wait, as many again, until the device would be full.  Blocks start in order, so one that waits
 * for lower numbers alone always gets its turn in the end. */
#include <sched.h>

#include "sim/exec/worker.h"

/* What an H200's multiprocessors hold at once, as its occupancy calculation goes but for the registers,
 * which the simulator only estimates. */
enum { MULTIPROCESSORS = 132, THREADS = 2048, BLOCKS = 32, SHARED = 228 << 10, RESERVED = 1 << 10 };

static uint64_t resident_limit(const struct sim_worker *worker) {
    const struct sim_launch *launch = worker->launch;
    if (launch->cooperative)
        return UINT64_MAX;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t warps = (threads + SIM_LANES - 1) / SIM_LANES, blocks = THREADS / SIM_LANES / warps;
    uint64_t by_shared = SHARED / (worker->code->shared_bytes + launch->shared_bytes + RESERVED);
    blocks = blocks < BLOCKS ? blocks : BLOCKS;
    blocks = blocks < by_shared ? blocks : by_shared;
    return MULTIPROCESSORS * (blocks ? blocks : 1);
}

/* Puts a block to work behind those that are at work. */
static bool start(struct sim_worker *worker, uint64_t linear) {
    struct sim_block *block = worker->spare;
    if (block)
        worker->spare = block->next;
    else if (!(block = sim_block_create(worker)))
        return false;
    sim_block_start(worker, block, linear);
    block->next = NULL;
    struct sim_block **at = &worker->resident;
    while (*at)
        at = &(*at)->next;
    *at = block;
    worker->resident_count++;
    return true;
}

static void finish(struct sim_worker *worker, struct sim_block **at) {
    struct sim_block *block = *at;
    *at = block->next;
    block->next = worker->spare;
    worker->spare = block;
    worker->resident_count--;
}

/* Every block has a turn.  True when one of them got on. */
static bool turn(struct sim_worker *worker) {
    bool moved = false;
    for (struct sim_block **at = &worker->resident; *at;) {
        struct sim_block *block = *at;
        bool ended = sim_block_run(worker, block);
        moved |= ended || block->moved;
        if (worker->fault.kind != SIM_FAULT_NONE) {
            sim_run_fault(worker, block->linear);
            return true;
        }
        if (ended)
            finish(worker, at);
        else
            at = &block->next;
    }
    return moved;
}

/* Nothing moves: as many blocks again begin, or, when no more can, lanes go on that wait at their joins for
 * those that wait in a loop.  What is left then waits for the host. */
static void stir(struct sim_worker *worker, uint64_t limit) {
    bool started = false;
    for (unsigned more = worker->resident_count; more && worker->resident_count < limit; more--) {
        uint64_t linear;
        if (!sim_run_take(worker->run, &linear))
            break;
        if (!start(worker, linear))
            break; /* the machine's memory is all that there is */
        started = true;
    }
    for (struct sim_block *block = worker->resident; block && !started; block = block->next)
        started = sim_block_release(block);
    if (!started)
        sched_yield();
}

void sim_blocks_run(struct sim_worker *worker, uint64_t linear) {
    start(worker, linear); /* a spare one: the worker was made with it */
    while (worker->resident && worker->fault.kind == SIM_FAULT_NONE)
        if (!turn(worker))
            stir(worker, resident_limit(worker));
    while (worker->resident) { /* one of them has faulted */
        sim_block_end(worker->resident);
        finish(worker, &worker->resident);
    }
}
