/* What orders the accesses of different threads: barriers, .sync, fences with volatile or atomic accesses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/state.h"

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

uint32_t check_stamp(const struct check_block *b, uint32_t warp) {
    return larger(b->full, b->tick[warp]);
}

bool check_released(const struct check_block *b, const struct check_event *event) {
    const struct check_launch *launch = b->launch;
    uint32_t i = launch->last_release ? launch->last_release[event->block] : 0;
    for (; i; i = launch->releases[i - 1].previous) {
        const struct check_release *r = &launch->releases[i - 1];
        if (r->fenced <= event->stamp)
            return false; /* earlier ones have still older fences */
        if (r->released <= b->view)
            return true;
    }
    return false;
}

bool check_ordered(const struct check_block *b, const struct check_event *event, unsigned event_lane,
                   uint32_t warp, unsigned lane) {
    if (event->block != b->linear)
        return b->view && check_released(b, event);
    if (event->stamp < b->full)
        return true;
    if (event->warp == warp)
        return event_lane == lane || event->stamp < b->met[warp];
    return event->stamp < b->seen[warp][event->warp];
}

/* ---------------------------------------------------------------- fences, releases, acquires */

void sim_check_fence(struct sim_warp *w) {
    struct check_block *b = w->check;
    uint32_t now = ++b->launch->clock;
    for (uint32_t j = 0; j < b->warp_count; j++)
        b->before_fence[w->index][j] = larger(b->seen[w->index][j], b->full);
    b->before_fence[w->index][w->index] = now;
    b->tick[w->index] = now;
    b->fenced = now;
}

/* Makes what the block did before its last fence available to acquires. */
static void release_block(struct check_block *b) {
    struct check_launch *launch = b->launch;
    const uint32_t *grid = launch->launch->grid;
    if (!launch->last_release)
        launch->last_release = calloc((size_t)grid[0] * grid[1] * grid[2], sizeof *launch->last_release);
    if (!launch->last_release)
        return;
    uint32_t previous = launch->last_release[b->linear];
    if (previous && launch->releases[previous - 1].fenced == b->fenced)
        return; /* it was available before */
    if (launch->release_count == launch->release_capacity) {
        uint32_t capacity = launch->release_capacity ? 2 * launch->release_capacity : 64;
        struct check_release *grown = realloc(launch->releases, capacity * sizeof *grown);
        if (!grown)
            return;
        launch->releases = grown;
        launch->release_capacity = capacity;
    }
    launch->releases[launch->release_count++] =
        (struct check_release){.fenced = b->fenced, .released = ++launch->clock, .previous = previous};
    launch->last_release[b->linear] = launch->release_count;
}

static void offer(struct check_block *b, uint32_t warp) {
    for (uint32_t j = 0; j < b->warp_count; j++)
        b->offered[j] = larger(b->offered[j], b->before_fence[warp][j]);
}

/* A strong access to shared memory is visible to the other blocks of a cluster too. */
static bool reaches_blocks(const struct sim_warp *w, enum sim_space space) {
    return space == SIM_SPACE_GLOBAL || w->worker->cluster_size > 1;
}

void sim_check_release(struct sim_warp *w) {
    sim_check_fence(w);
    offer(w->check, w->index);
    if (reaches_blocks(w, SIM_SPACE_SHARED))
        release_block(w->check);
}

void sim_check_acquire(struct sim_warp *w) {
    struct check_block *b = w->check;
    for (uint32_t j = 0; j < b->warp_count; j++)
        b->seen[w->index][j] = larger(b->seen[w->index][j], b->offered[j]);
    /* An mbarrier also orders the lanes of one warp that meet at it. */
    b->met[w->index] = larger(b->met[w->index], b->offered[w->index]);
    b->partial = b->launch->clock;
    if (reaches_blocks(w, SIM_SPACE_SHARED))
        b->view = b->launch->clock;
}

void check_synchronise(struct sim_warp *w, const struct sim_memop *op, enum sim_space space) {
    struct check_block *b = w->check;
    bool reads = op->access != SIM_ACCESS_STORE, writes = op->access != SIM_ACCESS_LOAD;
    if (reads) {
        sim_check_acquire(w);
        if (space == SIM_SPACE_GLOBAL)
            b->view = b->launch->clock;
    }
    if (!writes)
        return;
    if (op->order & SIM_ORDER_RELEASE)
        sim_check_fence(w);
    /* A warp without a fence offers only what the last barrier has ordered already. */
    offer(b, w->index);
    if (reaches_blocks(w, space) && b->fenced)
        release_block(b);
}

/* ---------------------------------------------------------------- barriers */

static void join(struct check_block *b, uint32_t id, uint32_t warp, uint32_t now) {
    if (!b->arrived[id])
        memset(b->joined[id], 0, sizeof b->joined[id]);
    b->arrived[id] = true;
    for (uint32_t j = 0; j < b->warp_count; j++)
        b->joined[id][j] = larger(b->joined[id][j], b->seen[warp][j]);
    b->joined[id][warp] = now;
    b->tick[warp] = now;
}

void sim_check_barrier_arrive(struct sim_warp *w, uint32_t id) {
    join(w->check, id, w->index, ++w->check->launch->clock);
}

static uint32_t waiting(const struct sim_warp *w, uint32_t id) {
    uint32_t lanes = 0;
    for (const struct sim_strand *s = w->strands; s; s = s->next)
        if (s->state == STRAND_BARRIER && s->barrier == id)
            lanes |= s->mask;
    return lanes;
}

/* Reports lanes of one warp that wait in different places, or without the others. */
static void find_divergence(struct sim_warp *w, uint32_t id, uint32_t lanes) {
    const struct sim_strand *first = NULL;
    char name[24];
    for (const struct sim_strand *s = w->strands; s; s = s->next) {
        if (s->state != STRAND_BARRIER || s->barrier != id || !check_is_aligned(s))
            continue;
        if (!first) {
            first = s;
            continue;
        }
        if (s->pc == first->pc)
            continue;
        const struct sim_strand *a = first, *c = s;
        if ((a->mask & -a->mask) > (c->mask & -c->mask))
            a = s, c = first;
        struct sim_finding *f =
            check_report_pair(w, a->frame->code, a->pc->index, (unsigned)__builtin_ctz(a->mask),
                              SIM_FINDING_DIVERGENT_BARRIER, id, c->frame->code, c->pc->index,
                              w->check->linear, SIM_LANES * w->index + (unsigned)__builtin_ctz(c->mask));
        if (f)
            snprintf(f->text, sizeof f->text,
                     "%s: lanes 0x%08x of warp %u wait here, lanes 0x%08x at another instruction; a warp has "
                     "to reach it as one",
                     sim_barrier_name(id, name), a->mask, w->index, c->mask);
    }
    uint32_t missing = w->live & ~lanes;
    if (!first || !missing)
        return;
    struct sim_finding *f =
        check_report(w, first->frame->code, first->pc, (unsigned)__builtin_ctz(first->mask),
                     SIM_FINDING_DIVERGENT_BARRIER, id);
    if (f)
        snprintf(
            f->text, sizeof f->text,
            "%s: lanes 0x%08x of warp %u wait here, but live lanes 0x%08x do not; a warp has to reach it "
            "as one",
            sim_barrier_name(id, name), first->mask, w->index, missing);
}

void sim_check_barrier_complete(struct sim_block *block, uint32_t id) {
    struct check_block *b = block->check;
    uint32_t now = ++b->launch->clock, lanes[SIM_MAX_WARPS];
    bool full = !b->arrived[id];
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        lanes[i] = waiting(w, id);
        full &= lanes[i] == w->live;
        if (lanes[i] && b->launch->checks & SIM_CHECK_SYNC)
            find_divergence(w, id, lanes[i]);
    }
    if (full) {
        check_changed(b);
        b->full = now;
        /* The barrier does not order what other blocks of a cluster do here. */
        if (block->cluster->size == 1)
            b->events.first = b->events.next;
    } else {
        b->partial = now;
        for (uint32_t i = 0; i < block->warp_count; i++)
            if (lanes[i])
                join(b, id, i, now);
        for (uint32_t i = 0; i < block->warp_count; i++)
            if (lanes[i]) {
                for (uint32_t j = 0; j < block->warp_count; j++)
                    b->seen[i][j] = larger(b->seen[i][j], b->joined[id][j]);
                if (lanes[i] == block->warps[i].live)
                    b->met[i] = now;
            }
    }
    b->arrived[id] = false;
}

/* What all warps did before arriving at their cluster's barrier precedes what this warp does now. */
static void pass_cluster(struct check_block *b, uint32_t warp, bool whole) {
    for (uint32_t j = 0; j < b->warp_count; j++)
        b->seen[warp][j] = larger(b->seen[warp][j], b->cluster_joined[j]);
    if (whole)
        b->met[warp] = larger(b->met[warp], b->cluster_joined[warp]);
    b->partial = b->launch->clock;
}

/* Completes a cluster's barrier for one of its blocks: releases the block's earlier accesses to the others.
 * True if all the block's threads wait there. */
static bool complete_cluster(struct sim_block *block) {
    struct check_block *b = block->check;
    uint32_t now = ++b->launch->clock, lanes[SIM_MAX_WARPS];
    bool full = true;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        lanes[i] = waiting(w, SIM_CLUSTER_BARRIER);
        full &= lanes[i] == w->live;
        if (lanes[i] && b->launch->checks & SIM_CHECK_SYNC)
            find_divergence(w, SIM_CLUSTER_BARRIER, lanes[i]);
    }
    memcpy(b->cluster_joined, b->joined[SIM_CLUSTER_BARRIER], sizeof b->cluster_joined);
    b->arrived[SIM_CLUSTER_BARRIER] = false;
    if (full) {
        check_changed(b);
        b->full = now;
    } else {
        for (uint32_t i = 0; i < block->warp_count; i++)
            if (lanes[i])
                pass_cluster(b, i, lanes[i] == block->warps[i].live);
    }
    if (block->cluster->size > 1) {
        b->fenced = now;
        release_block(b);
    }
    return full;
}

void sim_check_cluster_complete(struct sim_cluster *cluster) {
    struct check_launch *launch = NULL;
    bool full = true;
    for (uint32_t rank = 0; rank < cluster->size; rank++)
        if (cluster->blocks[rank] && cluster->blocks[rank]->check) {
            full &= complete_cluster(cluster->blocks[rank]);
            launch = cluster->blocks[rank]->check->launch;
        }
    for (uint32_t rank = 0; launch && rank < cluster->size; rank++) {
        if (!cluster->blocks[rank])
            continue;
        struct check_block *b = cluster->blocks[rank]->check;
        b->view = cluster->size > 1 ? launch->clock : b->view;
        if (full)
            b->events.first = b->events.next;
    }
}

void sim_check_cluster_wait(struct sim_warp *w) {
    pass_cluster(w->check, w->index, w->mask == w->live);
}

/* ---------------------------------------------------------------- lanes of a warp */

void sim_check_met(struct sim_warp *w, const struct sim_code *code, const struct sim_insn *in, uint32_t lanes,
                   const uint32_t *members) {
    struct check_block *b = w->check;
    b->met[w->index] = b->tick[w->index] = b->partial = ++b->launch->clock;
    if (!(b->launch->checks & SIM_CHECK_SYNC))
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (members[lane] >> lane & 1)
            continue;
        struct sim_finding *f = check_report(w, code, in, lane, SIM_FINDING_INVALID_MASK, members[lane]);
        if (f)
            snprintf(f->text, sizeof f->text,
                     "%s: the member mask 0x%08x does not name the executing lane, %u",
                     code->source->instructions[in->index].opcode, members[lane], lane);
    }
}
