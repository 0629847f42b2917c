/* A launch: distributes its blocks among threads and sums their counts.
 *
 * The totals are sums over blocks, so they do not depend on which thread ran which block.  Values returned by
 * atomics can depend on it, so kernels that use them run on one thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/worker.h"

struct sim_run {
    const struct sim_launch *launch;
    const struct sim_code *code;
    uint64_t blocks;
    uint32_t cluster[3], cluster_size;
    uint64_t clusters;           /* without clusters, each block counts as one */
    atomic_uint_fast64_t next;   /* the first cluster not taken by a worker */
    atomic_uint_fast64_t faulty; /* the lowest cluster that faulted; higher ones need not run */
    uint64_t workspace;          /* cooperative launches: the counters of grid-wide barriers */
    uint32_t (*thread_ids)[3][SIM_LANES];
    struct check_launch *check; /* NULL: not checked */
};

static unsigned warp_count(const struct sim_launch *launch) {
    return (launch->block[0] * launch->block[1] * launch->block[2] + SIM_LANES - 1) / SIM_LANES;
}

/* The threads' %tid by warp and lane, which are the same for every block. */
static bool fill_thread_ids(struct sim_run *run) {
    const uint32_t *size = run->launch->block;
    unsigned warps = warp_count(run->launch);
    run->thread_ids = malloc(warps * sizeof *run->thread_ids);
    for (uint32_t t = 0; run->thread_ids && t < warps * SIM_LANES; t++) {
        uint32_t(*id)[SIM_LANES] = run->thread_ids[t / SIM_LANES];
        id[0][t % SIM_LANES] = t % size[0];
        id[1][t % SIM_LANES] = t / size[0] % size[1];
        id[2][t % SIM_LANES] = t / size[0] / size[1];
    }
    return run->thread_ids != NULL;
}

/* Tallies cover the whole module, but a kernel touches little of it.  Fresh pages cost nothing until touched,
 * while calloc clears reused memory. */
#define MAP_FROM (1u << 20)

static bool is_mapped(size_t count, size_t size) {
    return count * size >= MAP_FROM;
}

static void *zeroed(size_t count, size_t size) {
    if (!is_mapped(count, size))
        return calloc(count, size);
    void *pages =
        mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void release_zeroed(void *at, size_t count, size_t size) {
    if (at && is_mapped(count, size))
        munmap(at, count * size);
    else
        free(at);
}

void sim_block_destroy(struct sim_block *block) {
    if (!block)
        return;
    for (unsigned i = 0; i < SIM_MAX_WARPS; i++)
        free(block->warps[i].local);
    sim_check_block_free(block->check);
    free(block->frames);
    free(block->shared);
    free(block);
}

struct sim_block *sim_block_create(struct sim_worker *worker) {
    const struct sim_code *code = worker->code;
    struct sim_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->thread_count = worker->launch->block[0] * worker->launch->block[1] * worker->launch->block[2];
    block->warp_count = warp_count(worker->launch);
    block->frames = aligned_alloc(64, block->warp_count * worker->frame_stride + 64);
    /* 16 bytes beyond the limit, so that a vector at the very end can be read in place. */
    uint64_t shared = worker->shared_below ? worker->shared_below + SIM_RESERVED_SHARED : worker->shared_end;
    block->shared = aligned_alloc(128, (shared + 16 + 127) & ~(uint64_t)127);
    bool ok = block->frames && block->shared;
    if (ok && worker->check)
        ok = (block->check = sim_check_block_create(worker->check, worker, block->warp_count)) != NULL;
    for (unsigned i = 0; ok && code->local_bytes && i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        w->local_words = (SIM_LOCAL_BELOW + code->local_bytes) / 4;
        w->local = calloc(w->local_words, 4 * SIM_LANES);
        ok = w->local != NULL;
    }
    if (!ok) {
        sim_block_destroy(block);
        return NULL;
    }
    /* Makes unwritten bytes the same in every run. */
    memset(block->shared, 0, shared);
    memset(block->frames, 0, block->warp_count * worker->frame_stride);
    return block;
}

void sim_launch_cluster(const struct sim_launch *launch, uint32_t cluster[3]) {
    const uint32_t *own = launch->function->code->source->cluster;
    for (int d = 0; d < 3; d++)
        cluster[d] = launch->cluster[0] ? launch->cluster[d] : own[0] ? own[d] : 1;
}

void sim_launch_place(const struct sim_launch *launch, uint64_t linear, uint32_t id[3]) {
    uint32_t cluster[3];
    sim_launch_cluster(launch, cluster);
    uint64_t size = (uint64_t)cluster[0] * cluster[1] * cluster[2], number = linear / size,
             rank = linear % size;
    for (int d = 0; d < 3; d++) {
        uint32_t clusters = launch->grid[d] / cluster[d];
        id[d] = (uint32_t)(number % clusters * cluster[d] + rank % cluster[d]);
        number /= clusters;
        rank /= cluster[d];
    }
}

static void release_blocks(struct sim_block *list) {
    for (struct sim_block *next; list; list = next) {
        next = list->next;
        sim_block_destroy(list);
    }
}

static void release_worker(struct sim_worker *worker) {
    const struct sim_module *m = worker->code->module;
    for (struct sim_strand *s = worker->free_strands, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    for (struct sim_join *j = worker->free_joins, *next; j; j = next) {
        next = j->next;
        free(j);
    }
    sim_frames_free(worker->free_frames);
    release_blocks(worker->resident);
    release_blocks(worker->spare);
    for (struct sim_cluster *c = worker->spare_clusters, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    sim_prints_free(&worker->prints);
    sim_samples_free(worker->samples);
    release_zeroed(worker->blocks, m->block_count + 1, sizeof *worker->blocks);
    release_zeroed(worker->sites, m->site_count + 1, sizeof *worker->sites);
    free(worker);
}

/* The unit of shared memory allocation, as in the occupancy calculator. */
static uint64_t shared_granule(unsigned capability) {
    return capability >= 80 || capability < 30 ? 128 : 256;
}

static void grant_shared(struct sim_worker *worker) {
    const unsigned capability = count_rules_capability(worker->launch->rules);
    const uint64_t granule = shared_granule(capability), dynamic = worker->launch->shared_bytes;
    uint64_t used = worker->code->shared_bytes;
    if (dynamic)
        used = (used + 15) / 16 * 16 + dynamic;
    worker->shared_end = worker->shared_limit + (granule - used % granule) % granule;
    if (used && capability >= 80)
        worker->shared_below = (worker->shared_end + 127) / 128 * 128;
}

static struct sim_worker *new_worker(struct sim_run *run) {
    const struct sim_launch *launch = run->launch;
    const struct sim_code *code = run->code;
    const struct sim_module *m = code->module;
    struct sim_worker *worker = calloc(1, sizeof *worker);
    if (!worker)
        return NULL;
    worker->launch = launch;
    worker->code = code;
    worker->run = run;
    worker->check = run->check;
    worker->workspace = run->workspace;
    memcpy(worker->cluster, run->cluster, sizeof worker->cluster);
    worker->cluster_size = run->cluster_size;
    worker->thread_ids = (const uint32_t(*)[3][SIM_LANES])run->thread_ids;
    worker->param_bytes = launch->function->param_bytes;
    worker->shared_limit = launch->shared_bytes ? m->dynamic_offset + launch->shared_bytes : code->shared_end;
    worker->turn = launch->limit && launch->limit < SIM_TURN ? launch->limit : SIM_TURN;
    if (code->reserved) {
        worker->reserved = (worker->shared_limit + 127) & ~(uint64_t)127;
        worker->shared_limit = worker->reserved + SIM_RESERVED_SHARED;
    }
    grant_shared(worker);
    worker->frame_stride = (code->frame_bytes + 63) & ~(size_t)63;
    worker->blocks = zeroed(m->block_count + 1, sizeof *worker->blocks);
    worker->sites = zeroed(m->site_count + 1, sizeof *worker->sites);
    if (launch->array)
        worker->samples = sim_samples_create(m->site_count);
    if (!worker->blocks || !worker->sites || (launch->array && !worker->samples) ||
        !sim_cluster_room(worker)) {
        release_worker(worker);
        return NULL;
    }
    return worker;
}

/* The cluster's blocks have run as far as this one, so they count as not above it. */
void sim_run_fault(struct sim_worker *worker, const struct sim_block *block) {
    uint64_t number = block->linear / worker->cluster_size;
    worker->fault_block = (number + 1) * worker->cluster_size - 1;
    uint_fast64_t seen = atomic_load(&worker->run->faulty);
    while (number < seen && !atomic_compare_exchange_weak(&worker->run->faulty, &seen, number))
        ;
}

static bool take(struct sim_run *run, uint64_t count, uint64_t *first, uint64_t *end) {
    *first = atomic_fetch_add(&run->next, count);
    *end = *first + count < run->clusters ? *first + count : run->clusters;
    return *first < run->clusters;
}

bool sim_run_take(struct sim_run *run, uint64_t *number) {
    uint64_t end;
    return take(run, 1, number, &end) && *number <= atomic_load_explicit(&run->faulty, memory_order_relaxed);
}

static void *work(void *argument) {
    struct sim_worker *worker = argument;
    struct sim_run *run = worker->run;
    /* Takes several at a time, to avoid contention for the counter's cache line; but only one if other blocks
     * may wait for those in reserve. */
    uint64_t share = run->code->may_spin ? 1 : run->clusters / 512;
    if (share > 16)
        share = 16;
    if (share < 1)
        share = 1;
    for (uint64_t first, end; take(run, share, &first, &end);)
        for (uint64_t number = first; number < end; number++) {
            if (number > atomic_load_explicit(&run->faulty, memory_order_relaxed))
                return NULL;
            sim_clusters_run(worker, number);
            if (worker->fault.kind != SIM_FAULT_NONE)
                return NULL;
        }
    return NULL;
}

static unsigned thread_count(const struct sim_run *run) {
    if (run->code->ordered || run->check)
        return 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = run->launch->threads ? run->launch->threads : cores > 0 ? (uint64_t)cores : 1;
    /* Starting a thread costs about as much as running ten warps. */
    if (run->blocks < 4096) { /* larger grids are worth any number of threads */
        uint64_t useful = run->blocks * warp_count(run->launch) / 16 + 1;
        if (threads > useful)
            threads = useful;
        if (threads > run->clusters)
            threads = run->clusters;
    }
    return threads > 256 ? 256 : threads ? (unsigned)threads : 1;
}

static bool out_of_memory(struct sim_fault *fault) {
    *fault = (struct sim_fault){.kind = SIM_FAULT_MEMORY};
    snprintf(fault->text, sizeof fault->text, "the simulator is out of memory");
    return false;
}

/* The workspace of a cooperative launch's grid barriers: a struct that cooperative_groups finds through
 * %envreg1 and 2, with its own size and an arrival count. */
static bool place_workspace(struct sim_run *run) {
    if (!run->launch->cooperative)
        return true;
    const uint32_t start[2] = {sizeof start, 0};
    run->workspace = sim_memory_alloc(run->launch->memory, sizeof start, SIM_MEMORY_HEAP);
    if (run->workspace)
        memcpy((void *)(uintptr_t)run->workspace, start, sizeof start);
    return run->workspace != 0;
}

/* Divides the grid into clusters; false if it is not divisible. */
static bool divide(struct sim_run *run) {
    const uint32_t *grid = run->launch->grid, *cluster = run->cluster;
    uint64_t size = 1;
    sim_launch_cluster(run->launch, run->cluster);
    for (int d = 0; d < 3; d++) {
        if (!cluster[d] || grid[d] % cluster[d] || cluster[d] > SIM_MAX_CLUSTER)
            return false;
        size *= cluster[d];
    }
    run->cluster_size = (uint32_t)size;
    run->clusters = run->blocks / size;
    return size <= SIM_MAX_CLUSTER;
}

bool sim_launch_run(const struct sim_launch *launch, struct wl_counters *counters, struct sim_fault *fault) {
    *counters = (struct wl_counters){.launches = 1};
    *fault = (struct sim_fault){0};
    struct sim_run run = {
        .launch = launch,
        .code = launch->function->code,
        .blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
    };
    atomic_init(&run.next, 0);
    atomic_init(&run.faulty, UINT64_MAX);
    if (!divide(&run)) {
        *fault = (struct sim_fault){.kind = SIM_FAULT_STOP};
        snprintf(fault->text, sizeof fault->text,
                 "kernel %s: the grid cannot be divided into clusters of %ux%ux%u blocks",
                 run.code->source->name, run.cluster[0], run.cluster[1], run.cluster[2]);
        return false;
    }
    if (launch->check && !(run.check = sim_check_launch_begin(launch->check, launch)))
        return out_of_memory(fault);
    sim_memory_enter(launch->memory);
    unsigned threads = thread_count(&run), started = 0;
    struct sim_worker **workers = calloc(threads, sizeof *workers);
    pthread_t *handles = calloc(threads, sizeof *handles);
    bool ok = workers && handles && fill_thread_ids(&run) && place_workspace(&run);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = (workers[i] = new_worker(&run)) != NULL;
    if (ok) {
        /* If a thread cannot be started, the others take its blocks. */
        for (unsigned i = 1; i < threads; i++)
            if (pthread_create(&handles[started], NULL, work, workers[i]) == 0)
                started++;
            else
                break;
        work(workers[0]);
        for (unsigned i = 0; i < started; i++)
            pthread_join(handles[i], NULL);
    } else {
        out_of_memory(fault);
    }
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; workers && i < threads; i++) {
        if (!workers[i])
            continue;
        if (i)
            sim_tallies_add(workers[0], workers[i]);
        if (workers[i]->fault.kind != SIM_FAULT_NONE && workers[i]->fault_block < first) {
            first = workers[i]->fault_block;
            *fault = workers[i]->fault;
        }
    }
    if (ok) {
        sim_tallies_sum(workers[0], counters);
        sim_prints_deliver(workers, threads, first);
    }
    for (unsigned i = 0; workers && i < threads; i++)
        if (workers[i])
            release_worker(workers[i]);
    sim_memory_leave(launch->memory);
    if (run.workspace)
        sim_memory_free(launch->memory, run.workspace);
    free(workers);
    free(handles);
    free(run.thread_ids);
    if (run.check)
        sim_check_launch_end(run.check);
    return fault->kind == SIM_FAULT_NONE;
}
