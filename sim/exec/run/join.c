/* Joins: the places where lanes that parted at a branch meet again. */
#include <stdlib.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/handlers.h"
#include "sim/exec/run/strand.h"

static struct sim_join *new_join(struct sim_warp *w) {
    struct sim_join *j = w->worker->free_joins;
    if (j)
        w->worker->free_joins = j->next;
    else if (!(j = malloc(sizeof *j)))
        sim_fault_memory(w);
    j->next = w->joins;
    w->joins = j;
    return j;
}

/* The join has no lanes left, but lanes that gave up a nearer one may still have it on their chain. */
static void remove_join(struct sim_warp *w, struct sim_join *j) {
    if (j->nearer) {
        for (struct sim_join *other = w->joins; other; other = other->next)
            if (other->outer == j)
                other->outer = j->outer;
        for (struct sim_strand *s = w->strands; s; s = s->next)
            if (s->join == j)
                s->join = j->outer;
    }
    struct sim_join **at = &w->joins;
    while (*at != j)
        at = &(*at)->next;
    *at = j->next;
    j->next = w->worker->free_joins;
    w->worker->free_joins = j;
}

void sim_joins_end(struct sim_warp *w) {
    while (w->joins) {
        sim_frame_release(w, w->joins->frame);
        remove_join(w, w->joins);
    }
}

/* The innermost join, starting with j, that the lanes have not given up. */
static struct sim_join *expecting(struct sim_join *j, uint32_t lanes) {
    while (j && j->nearer && !(j->expected & lanes))
        j = j->outer;
    return j;
}

/* Makes a strand of a join's parked lanes, at the join and under the outer one. */
static void revive(struct sim_warp *w, struct sim_join *j) {
    struct sim_strand *s = sim_strand_new(w);
    s->pc = j->at;
    s->frame = j->frame; /* takes over the join's reference */
    s->mask = j->arrived;
    s->join = expecting(j->outer, s->mask);
}

/* Call when lanes no longer come to a join: if all others have arrived, these continue. */
static void check_join(struct sim_warp *w, struct sim_join *j) {
    if (j->arrived != j->expected)
        return;
    if (j->expected)
        revive(w, j);
    else
        sim_frame_release(w, j->frame);
    remove_join(w, j);
}

/* Resumes parked lanes before the others arrive. */
static void let_go(struct sim_warp *w, struct sim_join *j) {
    j->frame->references++;
    revive(w, j);
    j->expected &= ~j->arrived;
    j->arrived = 0;
}

bool sim_warp_release(struct sim_warp *w) {
    for (struct sim_join *j = w->joins; j; j = j->next)
        if (j->arrived) {
            sim_check_let_go(w, j);
            let_go(w, j);
            check_join(w, j);
            return true;
        }
    return false;
}

void sim_join_release(struct sim_warp *w) {
    for (struct sim_join *j = w->strand->join; j; j = j->outer)
        if (j->arrived)
            let_go(w, j);
}

void sim_join_leave(struct sim_warp *w, struct sim_join *j, uint32_t lanes) {
    while (j) {
        struct sim_join *outer = j->outer;
        j->expected &= ~lanes;
        check_join(w, j);
        j = outer;
    }
}

static bool is_given_up(const struct sim_code_block *block, const struct sim_join *j) {
    for (uint32_t i = 0; i < block->given_up_count; i++)
        if (block->given_up[i] == j->block)
            return true;
    return false;
}

/* The running strand begins a block from which it cannot reach some of the nearer joins that it is under.
 * Lanes that it could have met there no longer wait for it. */
static void give_up(struct sim_warp *w, const struct sim_insn *in) {
    struct sim_strand *s = w->strand;
    const struct sim_code_block *block = &s->frame->code->module->blocks[in->imm];
    if (!block->given_up_count)
        return;
    for (struct sim_join *j = s->join, *outer; j && j->frame == s->frame; j = outer) {
        outer = j->outer;
        if (j->nearer && j->expected & s->mask && is_given_up(block, j)) {
            j->expected &= ~s->mask;
            check_join(w, j);
        }
    }
    s->join = expecting(s->join, s->mask);
}

const struct sim_insn *sim_run_enter_join(struct sim_warp *w, const struct sim_insn *in) {
    struct sim_strand *s = w->strand;
    give_up(w, in);
    while (s->join && s->join->at == in && s->join->frame == s->frame) {
        struct sim_join *j = s->join;
        j->arrived |= s->mask;
        j->expected |= s->mask; /* at a nearer join some of the lanes may have given it up */
        if (j->arrived != j->expected) {
            sim_frame_release(w, s->frame);
            sim_strand_remove(w, s);
            return sim_strand_next(w);
        }
        s->mask = w->mask = j->arrived;
        s->join = expecting(j->outer, s->mask);
        sim_frame_release(w, j->frame);
        remove_join(w, j);
        give_up(w, in); /* for lanes parked here directly, which have not given up joins yet */
    }
    return sim_run_enter(w, in);
}

static void expect(struct sim_warp *w, const struct sim_insn *at, uint32_t block, bool nearer) {
    struct sim_strand *s = w->strand;
    struct sim_join *j = new_join(w);
    j->outer = s->join;
    j->at = at;
    j->frame = s->frame;
    j->frame->references++;
    j->expected = s->mask;
    j->arrived = 0;
    j->nearer = nearer;
    j->block = block;
    s->join = j;
}

/* Whether the strand is under such a join already, as at a loop's exit that is seen again.  The joins outside
 * the first one that is not nearer belong to other branches. */
static bool is_under(const struct sim_strand *s, const struct sim_insn *at, uint32_t block, bool nearer) {
    for (const struct sim_join *j = s->join; j && j->frame == s->frame; j = j->outer) {
        if (j->at == at && (!nearer || !j->nearer || j->block == block))
            return true;
        if (!j->nearer)
            break;
    }
    return false;
}

void sim_join_expect(struct sim_warp *w, const struct sim_insn *farther, const struct sim_insn *nearer,
                     uint32_t block) {
    if (farther && !is_under(w->strand, farther, block, false))
        expect(w, farther, block, false);
    if (nearer && !is_under(w->strand, nearer, block, true))
        expect(w, nearer, block, true);
}

bool sim_join_park(struct sim_warp *w, uint32_t lanes, const struct sim_insn *target) {
    struct sim_join *j = w->strand->join;
    if (!j || j->at != target || j->frame != w->strand->frame)
        return false;
    j->arrived |= lanes;
    return true;
}
