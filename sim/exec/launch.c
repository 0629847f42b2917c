/* A launch: its blocks, shared out among threads, and what they counted, added up.
 *
 * Totals are sums over blocks, so they do not depend on which thread ran which block.  What can depend
 * on it, the values that atomics return, is kept in order by running such kernels on one thread. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/exec/worker.h"

struct sim_run {
    const struct sim_launch *launch;
    const struct sim_code *code;
    uint64_t blocks;
    atomic_uint_fast64_t next;   /* the first block that no worker has taken */
    atomic_uint_fast64_t faulty; /* the lowest block that faulted: those above it need not run */
    uint32_t (*thread_ids)[3][SIM_LANES];
};

static unsigned warp_count(const struct sim_launch *launch) {
    return (launch->block[0] * launch->block[1] * launch->block[2] + SIM_LANES - 1) / SIM_LANES;
}

/* The threads' %tid, by warp and lane: the same for every block. */
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

/* Tallies are made for the whole module, of which a kernel touches little: fresh pages cost nothing until
 * then, while calloc clears what it has used before. */
#define MAP_FROM (1u << 20)

static void *zeroed(size_t count, size_t size) {
    if (count * size < MAP_FROM)
        return calloc(count, size);
    void *pages =
        mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void release_zeroed(void *at, size_t count, size_t size) {
    if (!at || count * size < MAP_FROM)
        free(at);
    else
        munmap(at, count * size);
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
    for (unsigned i = 0; i < SIM_MAX_WARPS; i++)
        free(worker->block.warps[i].local);
    free(worker->frames);
    free(worker->block.shared);
    release_zeroed(worker->blocks, m->block_count + 1, sizeof *worker->blocks);
    release_zeroed(worker->sites, m->site_count + 1, sizeof *worker->sites);
    free(worker);
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
    worker->thread_ids = (const uint32_t(*)[3][SIM_LANES])run->thread_ids;
    worker->param_bytes = launch->function->param_bytes;
    worker->block.thread_count = launch->block[0] * launch->block[1] * launch->block[2];
    worker->block.warp_count = warp_count(launch);
    worker->shared_limit = launch->shared_bytes ? m->dynamic_offset + launch->shared_bytes : code->shared_end;
    worker->frame_stride = (code->frame_bytes + 63) & ~(size_t)63;
    worker->frames = aligned_alloc(64, worker->block.warp_count * worker->frame_stride + 64);
    /* 16 bytes more than the limit, so that a vector at the very end is read in place. */
    worker->block.shared = aligned_alloc(128, (worker->shared_limit + 16 + 127) & ~(uint64_t)127);
    worker->blocks = zeroed(m->block_count + 1, sizeof *worker->blocks);
    worker->sites = zeroed(m->site_count + 1, sizeof *worker->sites);
    bool ok = worker->frames && worker->block.shared && worker->blocks && worker->sites;
    for (unsigned i = 0; ok && code->local_bytes && i < worker->block.warp_count; i++) {
        struct sim_warp *w = &worker->block.warps[i];
        w->local = calloc(code->local_bytes / 4, 4 * SIM_LANES);
        w->local_words = code->local_bytes / 4;
        ok = w->local != NULL;
    }
    if (!ok) {
        release_worker(worker);
        return NULL;
    }
    /* What a program reads before it wrote it is the same in every run. */
    memset(worker->block.shared, 0, worker->shared_limit);
    memset(worker->frames, 0, worker->block.warp_count * worker->frame_stride);
    return worker;
}

static void lower_faulty(struct sim_run *run, uint64_t block) {
    uint_fast64_t seen = atomic_load(&run->faulty);
    while (block < seen && !atomic_compare_exchange_weak(&run->faulty, &seen, block))
        ;
}

static void *work(void *argument) {
    struct sim_worker *worker = argument;
    struct sim_run *run = worker->run;
    /* Several at a time, so that neighbours do not fight over the counter's cache line. */
    uint64_t share = run->blocks / 512;
    if (share > 16)
        share = 16;
    if (share < 1)
        share = 1;
    for (;;) {
        uint64_t first = atomic_fetch_add(&run->next, share);
        if (first >= run->blocks)
            return NULL;
        uint64_t end = first + share < run->blocks ? first + share : run->blocks;
        for (uint64_t block = first; block < end; block++) {
            if (block > atomic_load_explicit(&run->faulty, memory_order_relaxed))
                return NULL;
            sim_block_run(worker, block);
            if (worker->fault.kind != SIM_FAULT_NONE) {
                worker->fault_block = block;
                lower_faulty(run, block);
                return NULL;
            }
        }
    }
}

static unsigned thread_count(const struct sim_run *run) {
    if (run->code->ordered)
        return 1;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = run->launch->threads ? run->launch->threads : cores > 0 ? (uint64_t)cores : 1;
    /* A thread costs about as much to start as some ten warps to run. */
    if (run->blocks < 4096) { /* more are worth any number of threads */
        uint64_t useful = run->blocks * warp_count(run->launch) / 16 + 1;
        if (threads > useful)
            threads = useful;
        if (threads > run->blocks)
            threads = run->blocks;
    }
    return threads > 256 ? 256 : threads ? (unsigned)threads : 1;
}

static bool out_of_memory(struct sim_fault *fault) {
    *fault = (struct sim_fault){.kind = SIM_FAULT_MEMORY};
    snprintf(fault->text, sizeof fault->text, "the simulator is out of memory");
    return false;
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
    unsigned threads = thread_count(&run), started = 0;
    struct sim_worker **workers = calloc(threads, sizeof *workers);
    pthread_t *handles = calloc(threads, sizeof *handles);
    bool ok = workers && handles && fill_thread_ids(&run);
    for (unsigned i = 0; ok && i < threads; i++)
        ok = (workers[i] = new_worker(&run)) != NULL;
    if (ok) {
        /* A thread that cannot be started is no loss: the others take its blocks. */
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
    if (ok)
        sim_tallies_sum(workers[0], counters);
    for (unsigned i = 0; workers && i < threads; i++)
        if (workers[i])
            release_worker(workers[i]);
    free(workers);
    free(handles);
    free(run.thread_ids);
    return fault->kind == SIM_FAULT_NONE;
}
