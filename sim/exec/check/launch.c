/* A checked launch: the checks' state while it runs, and the report of its findings. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"

struct check_launch *sim_check_launch_begin(struct sim_check *check, const struct sim_launch *launch) {
    struct check_launch *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    const struct sim_module *m = launch->function->code->module;
    c->check = check;
    c->launch = launch;
    c->checks = check->checks;
    c->site_count = m->site_count;
    c->sites = calloc(m->site_count + 1, sizeof *c->sites);
    if (!c->sites) {
        free(c);
        return NULL;
    }
    pthread_mutex_lock(&check->events_lock);
    pthread_mutex_lock(&check->lock);
    check->running++;
    pthread_mutex_unlock(&check->lock);
    check->events.first = check->events.next;
    return c;
}

void sim_check_launch_end(struct check_launch *c) {
    struct sim_check *check = c->check;
    struct check_shadow *dead = NULL;
    pthread_mutex_lock(&check->lock);
    if (--check->running == 0) {
        dead = check->dead;
        check->dead = NULL;
    }
    pthread_mutex_unlock(&check->lock);
    pthread_mutex_unlock(&check->events_lock);
    for (struct check_shadow *next; dead; dead = next) {
        next = dead->next;
        free(dead->init);
        free(dead->cells);
        free(dead->rows);
        free(dead);
    }
    for (uint32_t i = 0; i < c->finding_count && check->found; i++)
        check->found(check->argument, &c->findings[i]);
    for (uint32_t i = 0; i < c->site_count; i++)
        free(c->sites[i].words);
    free(c->sites);
    free(c->releases);
    free(c->last_release);
    free(c->findings);
    free(c->seen);
    free(c);
}

bool sim_check_wants(const struct sim_warp *w, unsigned check) {
    return w->check && w->check->launch->checks & check;
}

static uint64_t align_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

/* The layout of shared memory is that of sim/exec/run/module.c: the module's variables, the kernel's own, the
 * dynamic part, and last the system's part. */
static void find_ranges(struct check_block *b, const struct sim_worker *worker) {
    const struct sim_code *code = worker->code;
    const struct sim_module *m = code->module;
    size_t dynamic = worker->launch->shared_bytes;
    b->ranges[0][1] = code->shared_reach;
    if (code->own_shared) {
        b->ranges[1][0] = align_up(m->shared_bytes, 128);
        b->ranges[1][1] = code->shared_end;
    }
    if (dynamic) {
        b->ranges[2][0] = m->dynamic_offset;
        b->ranges[2][1] = m->dynamic_offset + dynamic;
    }
    if (code->reserved) {
        b->ranges[3][0] = worker->reserved;
        b->ranges[3][1] = worker->shared_limit;
    }
}

struct check_block *sim_check_block_create(struct check_launch *launch, const struct sim_worker *worker,
                                           uint32_t warps) {
    struct check_block *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->launch = launch;
    b->warp_count = warps;
    b->words = (worker->shared_limit + 3) / 4 + 1;
    b->cells = calloc(b->words, sizeof *b->cells);
    b->init = calloc(b->words, 1);
    b->events.first = b->events.next = 1;
    find_ranges(b, worker);
    if (!b->cells || !b->init) {
        sim_check_block_free(b);
        return NULL;
    }
    return b;
}

void sim_check_block_free(struct check_block *b) {
    if (!b)
        return;
    for (unsigned i = 0; i < SIM_MAX_WARPS; i++)
        free(b->local[i]);
    free(b->events.list);
    free(b->cells);
    free(b->init);
    free(b);
}

/* All clocks of the previous block are below `full`, so they need no reset. */
void sim_check_block_start(struct check_block *b, const struct sim_block *block) {
    b->linear = (uint32_t)block->linear;
    b->full = ++b->launch->clock;
    check_changed(b);
    b->view = b->fenced = 0;
    memset(b->visits, 0, sizeof b->visits);
    b->events.first = b->events.next;
    memset(b->arrived, 0, sizeof b->arrived);
    if (!(b->launch->checks & SIM_CHECK_INIT))
        return;
    memset(b->init, 0, b->words);
    /* The system initializes its own part. */
    memset(b->init + b->ranges[3][0] / 4, 0xf, (b->ranges[3][1] - b->ranges[3][0]) / 4);
    for (uint32_t i = 0; i < b->warp_count; i++)
        if (b->local[i])
            memset(b->local[i], 0, b->local_words[i] * SIM_LANES);
}
