/* .sync instructions whose lanes are at different instructions, which CUDA leaves undefined.
 *
 * ptxas waits for a mask's lanes with WARPSYNC.COLLECTIVE, where lanes meet wherever their instruction is in
 * the code.  All run the instruction once, with their own registers for it, and continue separately.  Strands
 * here do the same once their masks are complete; those at instructions of another kind run theirs without
 * them. (An H200's results: tests/undefined.) */
#include <stddef.h>
#include <string.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/handlers.h"
#include "sim/exec/lanes/lanes.h"
#include "sim/exec/worker.h"

enum { SLOT = 8 * SIM_LANES };

/* Operands gathered from several strands. */
struct gathered {
    _Alignas(64) char d[SLOT], e[SLOT], a[SLOT], b[SLOT], c[SLOT], f[SLOT];
};

static bool waits(const struct sim_strand *s) {
    return s->state == STRAND_WARP_SYNC && s->pc->body != sim_run_warp_barrier;
}

uint32_t sim_apart_lanes(const struct sim_warp *w, const struct sim_strand *s) {
    uint32_t lanes = s->mask, named = s->members, before;
    if (!waits(s))
        return 0;
    do {
        before = lanes;
        for (const struct sim_strand *t = w->strands; t; t = t->next)
            if (waits(t) && ((t->mask & named) | (t->members & lanes))) {
                lanes |= t->mask;
                named |= t->members;
            }
    } while (lanes != before);
    return named & w->live & ~lanes ? 0 : lanes;
}

static void copy_lanes(char *to, const char *from, enum ptx_type type, uint32_t lanes) {
    if (type == PTX_TYPE_PRED) {
        uint32_t *t = (uint32_t *)to;
        *t = (*t & ~lanes) | (*(const uint32_t *)from & lanes);
        return;
    }
    size_t bytes = ptx_type_bytes(type) == 8 ? 8 : 4;
    for (; lanes; lanes &= lanes - 1) {
        size_t at = bytes * (size_t)__builtin_ctz(lanes);
        memcpy(to + at, from + at, bytes);
    }
}

static void select_frame(struct sim_warp *w, const struct sim_strand *s) {
    w->base[0] = s->frame->slots;
    w->base[1] = s->frame->code->pool;
}

static void gather(struct sim_warp *w, const struct sim_strand *s, const struct sim_op *op,
                   struct gathered *g) {
    const struct sim_insn *in = s->pc;
    select_frame(w, s);
    if (op->a)
        copy_lanes(g->a, SIM_SLOT(w, in->a), op->a, s->mask);
    if (op->b)
        copy_lanes(g->b, SIM_SLOT(w, in->b), op->b, s->mask);
    if (op->c)
        copy_lanes(g->c, SIM_SLOT(w, in->c), op->c, s->mask);
    if (op->f)
        copy_lanes(g->f, SIM_SLOT(w, in->f), op->f, s->mask);
}

static void scatter(struct sim_warp *w, const struct sim_strand *s, const struct sim_op *op,
                    const struct gathered *g) {
    const struct sim_insn *in = s->pc;
    select_frame(w, s);
    copy_lanes(SIM_SLOT(w, in->d), g->d, op->d, s->mask);
    if (op->e && in->e != SIM_NO_OPERAND)
        copy_lanes(SIM_SLOT(w, in->e), g->e, op->e, s->mask);
}

void sim_note_undefined(struct sim_warp *w, const struct sim_strand *s, const struct sim_insn *in) {
    const struct sim_code *code = s->frame->code;
    const struct sim_code_block *blocks = code->module->blocks;
    for (uint32_t b = code->block_base; b < code->block_base + code->block_count; b++)
        if (in->index - blocks[b].first < blocks[b].instructions) {
            w->worker->blocks[b].undefined++;
            w->worker->blocks[b].undefined_at = in->index;
            return;
        }
}

/* Runs first's instruction for all strands of lanes that are at one of its kind; only for first if it is a
 * matrix instruction, whose operands are not lane operands.  Returns the lanes that it ran for. */
static uint32_t run_kind(struct sim_warp *w, const struct sim_strand *first, uint32_t lanes) {
    const struct ptx_function *f = first->frame->code->source;
    struct gathered g = {.d = {0}};
    struct sim_insn in = *first->pc;
    struct sim_op op;
    uint32_t together = 0;
    if (!sim_op_find(f->instructions[in.index].opcode, &op, NULL) || op.body != in.body) {
        select_frame(w, first);
        w->mask = first->mask;
        in.body(w, first->pc);
        return first->mask;
    }
    for (const struct sim_strand *s = first; s; s = s->next)
        if (waits(s) && s->mask & lanes && s->pc->body == in.body && s->pc->small == in.small) {
            gather(w, s, &op, &g);
            together |= s->mask;
        }
    w->base[0] = (char *)&g;
    in.d = offsetof(struct gathered, d);
    in.e = op.e ? (int32_t)offsetof(struct gathered, e) : SIM_NO_OPERAND;
    in.a = offsetof(struct gathered, a);
    in.b = offsetof(struct gathered, b);
    in.c = offsetof(struct gathered, c);
    in.f = offsetof(struct gathered, f);
    w->mask = together;
    in.body(w, &in);
    for (const struct sim_strand *s = first; s; s = s->next)
        if (waits(s) && s->mask & together)
            scatter(w, s, &op, &g);
    return together;
}

void sim_apart_run(struct sim_warp *w, uint32_t lanes) {
    struct sim_strand *running = w->strand;
    uint32_t mask = w->mask, left = lanes;
    for (struct sim_strand *s = w->strands; s; s = s->next)
        if (waits(s) && s->mask & lanes) {
            if (w->check) {
                select_frame(w, s);
                sim_check_met(w, s->frame->code, s->pc, s->mask, SIM_SLOT(w, s->pc->guard));
            }
            sim_note_undefined(w, s, s->pc);
        }
    for (struct sim_strand *s = w->strands; s; s = s->next)
        if (waits(s) && s->mask & left) {
            w->strand = s;
            left &= ~run_kind(w, s, left);
        }
    for (struct sim_strand *s = w->strands; s; s = s->next)
        if (waits(s) && s->mask & lanes) {
            s->state = STRAND_READY;
            s->pc++;
        }
    w->mask = mask;
    w->strand = running;
}
