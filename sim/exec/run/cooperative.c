/* Blocks that wait for each other: blocks that have started run in turns.
 *
 * A worker runs its block to the end, which is enough for most kernels.  If the block only waits in a loop
 * (struct sim_strand, spinning), the worker starts the next one.  If all its blocks wait, it doubles their
 * number, up to what the device would hold.  Blocks start in order, so one that waits only for lower numbers
 * finally gets its turn.
 *
 * The blocks of a cluster start together on one worker. */
#include <sched.h>
#include <stdlib.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/worker.h"

/* What an H200's multiprocessors hold at once by its occupancy calculation.  Registers are left out, because
 * the simulator only estimates them. */
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

bool sim_cluster_room(struct sim_worker *worker) {
    uint32_t spare = 0;
    for (const struct sim_block *block = worker->spare; block && spare < worker->cluster_size;
         block = block->next)
        spare++;
    for (; spare < worker->cluster_size; spare++) {
        struct sim_block *block = sim_block_create(worker);
        if (!block)
            return false;
        block->next = worker->spare;
        worker->spare = block;
    }
    if (worker->cluster_size > 1 && !worker->spare_clusters)
        worker->spare_clusters = calloc(1, sizeof *worker->spare_clusters);
    return worker->cluster_size == 1 || worker->spare_clusters;
}

/* Starts a cluster after those that are running; there is room for it. */
static void start(struct sim_worker *worker, uint64_t number) {
    struct sim_block **at = &worker->resident;
    while (*at)
        at = &(*at)->next;
    struct sim_cluster *cluster = worker->cluster_size > 1 ? worker->spare_clusters : &worker->spare->alone;
    if (cluster == worker->spare_clusters)
        worker->spare_clusters = cluster->next;
    *cluster = (struct sim_cluster){.size = worker->cluster_size, .live = worker->cluster_size};
    for (uint32_t rank = 0; rank < cluster->size; rank++) {
        struct sim_block *block = worker->spare;
        worker->spare = block->next;
        block->next = NULL;
        block->cluster = cluster;
        block->rank = rank;
        cluster->blocks[rank] = block;
        sim_block_start(worker, block, number * cluster->size + rank);
        *at = block;
        at = &block->next;
    }
    worker->resident_count += cluster->size;
}

static void finish(struct sim_worker *worker, struct sim_block **at) {
    struct sim_block *block = *at;
    struct sim_cluster *cluster = block->cluster;
    *at = block->next;
    block->next = worker->spare;
    worker->spare = block;
    worker->resident_count--;
    cluster->blocks[block->rank] = NULL;
    if (--cluster->live == 0 && cluster != &block->alone) {
        cluster->next = worker->spare_clusters;
        worker->spare_clusters = cluster;
    }
}

/* Runs every block once.  True if one of them made progress. */
static bool turn(struct sim_worker *worker) {
    bool moved = false;
    for (struct sim_block **at = &worker->resident; *at;) {
        struct sim_block *block = *at;
        bool ended = sim_block_run(worker, block);
        moved |= ended || block->moved;
        if (worker->fault.kind != SIM_FAULT_NONE) {
            sim_run_fault(worker, block);
            return true;
        }
        if (ended && block->check && block->cluster->size > 1)
            sim_check_block_end(block);
        if (ended)
            finish(worker, at);
        else
            at = &block->next;
    }
    return moved;
}

/* No block makes progress: doubles the number of blocks.  If no more can start, resumes lanes that wait at
 * joins for lanes that wait in a loop.  Everything else then waits for the host. */
static void stir(struct sim_worker *worker, uint64_t limit) {
    bool started = false;
    unsigned most = worker->resident_count > limit / 2 ? (unsigned)limit : 2 * worker->resident_count;
    while (worker->resident_count < most) {
        uint64_t number;
        if (!sim_cluster_room(worker) || !sim_run_take(worker->run, &number))
            break; /* the machine has no more memory */
        start(worker, number);
        started = true;
    }
    for (struct sim_block *block = worker->resident; block && !started; block = block->next)
        started = sim_block_release(block);
    for (struct sim_block *block = worker->resident; block && !started; block = block->next)
        started = block->stuck && sim_mbarrier_expire(block);
    if (!started)
        sched_yield();
}

void sim_clusters_run(struct sim_worker *worker, uint64_t number) {
    start(worker, number); /* the worker was created with room for it */
    while (worker->resident && worker->fault.kind == SIM_FAULT_NONE)
        if (!turn(worker))
            stir(worker, resident_limit(worker));
    while (worker->resident) { /* only after a fault */
        sim_block_end(worker->resident);
        finish(worker, &worker->resident);
    }
}
