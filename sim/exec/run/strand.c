/* Divergence, calls and exits. */
#include <stdlib.h>
#include <string.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/handlers.h"
#include "sim/exec/run/strand.h"

/* ---------------------------------------------------------------- allocation, from the worker's lists */

struct sim_strand *sim_strand_new(struct sim_warp *w) {
    struct sim_strand *s = w->worker->free_strands;
    if (s)
        w->worker->free_strands = s->next;
    else if (!(s = malloc(sizeof *s)))
        sim_fault_memory(w);
    *s = (struct sim_strand){.next = w->strands};
    w->strands = s;
    return s;
}

void sim_strand_remove(struct sim_warp *w, struct sim_strand *s) {
    struct sim_strand **at = &w->strands;
    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->next = w->worker->free_strands;
    w->worker->free_strands = s;
}

struct heap_frame {
    struct sim_frame frame;
    struct heap_frame *next;
    size_t capacity;
    _Alignas(64) char slots[];
};

static struct sim_frame *new_frame(struct sim_warp *w, const struct sim_code *code) {
    struct heap_frame **at = (struct heap_frame **)&w->worker->free_frames, *f;
    while ((f = *at) && f->capacity < code->frame_bytes)
        at = &f->next;
    if (f) {
        *at = f->next;
    } else {
        size_t bytes = (sizeof *f + code->frame_bytes + 63) & ~(size_t)63;
        if (!(f = aligned_alloc(64, bytes)))
            sim_fault_memory(w);
        f->capacity = code->frame_bytes;
    }
    f->frame = (struct sim_frame){.code = code, .slots = f->slots, .references = 1};
    return &f->frame;
}

void sim_frame_release(struct sim_warp *w, struct sim_frame *frame) {
    while (frame && --frame->references == 0) {
        struct sim_frame *caller = frame->caller;
        if (caller) { /* the first frame of a warp belongs to the worker */
            struct heap_frame *f = (struct heap_frame *)frame;
            f->next = (struct heap_frame *)w->worker->free_frames;
            w->worker->free_frames = (struct sim_frame *)f;
        }
        frame = caller;
    }
}

void sim_frames_free(struct sim_frame *list) {
    for (struct heap_frame *f = (struct heap_frame *)list, *next; f; f = next) {
        next = f->next;
        free(f);
    }
}

static void zero_slots(const struct sim_code *code, char *slots) {
    for (size_t i = 0; i < code->zero_count; i++)
        memset(slots + code->zero[2 * i], 0, code->zero[2 * i + 1]);
}

/* ---------------------------------------------------------------- running */

static const struct sim_insn *enter_strand(struct sim_warp *w, struct sim_strand *s) {
    w->strand = s;
    w->mask = s->mask;
    w->base[0] = s->frame->slots;
    w->base[1] = s->frame->code->pool;
    return s->pc;
}

/* Selects a strand that can run; NULL leaves the warp. */
static const struct sim_insn *next_strand(struct sim_warp *w) {
    for (struct sim_strand *s = w->strands; s; s = s->next)
        if (s->state == STRAND_READY)
            return enter_strand(w, s);
    w->strand = NULL;
    return NULL;
}

bool sim_warp_start(struct sim_warp *w, struct sim_frame *frame, uint32_t lanes) {
    w->strands = NULL;
    w->joins = NULL;
    w->live = w->born = lanes;
    w->cc = 0;
    w->arrived[0] = w->arrived[1] = 0;
    struct sim_strand *s = sim_strand_new(w);
    s->pc = frame->code->insns;
    s->frame = frame;
    s->mask = lanes;
    zero_slots(frame->code, frame->slots);
    return true;
}

bool sim_warp_run(struct sim_warp *w) {
    w->fuel = w->worker->turn;
    w->unspent = 0;
    w->waits = false;
    const struct sim_insn *in = next_strand(w);
    if (!in)
        return false;
    while (in)
        in = in->run(w, in);
    return true;
}

void sim_warp_end(struct sim_warp *w) {
    while (w->strands) {
        sim_frame_release(w, w->strands->frame);
        sim_strand_remove(w, w->strands);
    }
    sim_joins_end(w);
}

const struct sim_insn *sim_strand_next(struct sim_warp *w) {
    return next_strand(w);
}

static inline void count_block(struct sim_warp *w, const struct sim_insn *in) {
    struct sim_block_tally *tally = &w->worker->blocks[in->imm];
    tally->warps++;
    tally->lanes += (unsigned)__builtin_popcount(w->mask);
}

/* The strand's turn is over: other strands, then other warps, run first.  A strand that runs very long may
 * wait for lanes that are parked at its joins, so these finally resume.  If nothing in the kernel can wait
 * that way, the loop is just long. */
static const struct sim_insn *yield(struct sim_warp *w, const struct sim_insn *in) {
    struct sim_strand *self = w->strand;
    self->pc = in;
    w->waits = self->spinning;
    bool release = self->spinning && self->lock && ++self->spins % SIM_SPINS == 0;
    self->spinning = false;
    self->spent += w->worker->turn - w->unspent;
    if (w->worker->code->may_spin && self->spent >= (uint64_t)SIM_TURN * SIM_PATIENCE) {
        self->spent = 0;
        w->waits = release = true;
    }
    if (release)
        sim_join_release(w);
    /* Moves to the end of the list, so that the others run first. */
    struct sim_strand **at = &w->strands;
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
    while (*at)
        at = &(*at)->next;
    *at = self;
    self->next = NULL;
    w->strand = NULL;
    return NULL;
}

/* Gives up the rest of the turn, at the next basic block. */
static void give_up(struct sim_warp *w) {
    if (w->fuel > 1) {
        w->unspent = w->fuel - 1;
        w->fuel = 1;
    }
    w->strand->spinning = true;
}

void sim_poll(struct sim_warp *w, const struct sim_insn *in, uint64_t value, bool lock) {
    struct sim_strand *s = w->strand;
    int which = s->polled[0] == in ? 0 : 1;
    if (s->polled[which] != in || s->seen[which] != value) {
        /* Replaces the older of the two. */
        if (which == 1 && s->polled[1] != in) {
            s->polled[0] = s->polled[1];
            s->seen[0] = s->seen[1];
        }
        s->polled[which] = in;
        s->seen[which] = value;
        s->polls = s->spins = 0;
        return;
    }
    if (++s->polls % SIM_POLLS == 0) {
        s->lock = lock;
        give_up(w);
    }
}

void sim_rest(struct sim_warp *w) {
    w->strand->lock = false;
    give_up(w);
}

const struct sim_insn *sim_run_enter(struct sim_warp *w, const struct sim_insn *in) {
    if (--w->fuel == 0)
        return yield(w, in);
    count_block(w, in);
    return in + 1;
}

/* ---------------------------------------------------------------- branches */

const struct sim_insn *sim_run_jump(struct sim_warp *w, const struct sim_insn *in) {
    (void)w;
    return ((const struct sim_branch *)in->extra)->target;
}

/* Sends lanes of the running strand to target as a strand of their own. */
static void split(struct sim_warp *w, uint32_t lanes, const struct sim_insn *target) {
    struct sim_strand *s = w->strand;
    s->mask &= ~lanes;
    w->mask = s->mask;
    if (sim_join_park(w, lanes, target))
        return;
    struct sim_strand *other = sim_strand_new(w);
    other->pc = target;
    other->frame = s->frame;
    other->frame->references++;
    other->join = s->join;
    other->mask = lanes;
}

const struct sim_insn *sim_run_branch(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_branch *branch = in->extra;
    uint32_t condition = *(const uint32_t *)SIM_SLOT(w, in->a);
    uint32_t taken = (in->small ? ~condition : condition) & w->mask;
    if (taken == 0)
        return in + 1;
    if (taken == w->mask)
        return branch->target;
    w->worker->blocks[branch->block].splits++;
    sim_join_expect(w, branch->join, branch->nearer, branch->block);
    /* Lanes that are already at the join, on either side of the branch, need no strand. */
    if (in + 1 == branch->join) {
        split(w, w->mask & ~taken, in + 1);
        return branch->target;
    }
    split(w, taken, branch->target);
    return in + 1;
}

const struct sim_insn *sim_run_switch(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_switch *table = in->extra;
    const uint32_t *index = SIM_SLOT(w, in->a);
    const struct sim_insn *stay = NULL;
    uint32_t left = w->mask;
    bool parted = false;
    sim_join_expect(w, table->join, table->nearer, table->block);
    while (left) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t value = index[lane], same = 0;
        if (value >= table->count)
            sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, value, "brx.idx: index %u is past its %zu targets",
                            value, table->count);
        for (unsigned i = lane; i < SIM_LANES; i++)
            if (left >> i & 1 && index[i] == value)
                same |= 1u << i;
        left &= ~same;
        /* Counted once, if the first target has not taken all the lanes. */
        if (left && !parted)
            w->worker->blocks[table->block].splits++;
        parted = true;
        if (left == 0)
            stay = table->targets[value];
        else
            split(w, same, table->targets[value]);
    }
    return stay;
}

/* ---------------------------------------------------------------- calls */

static void copy_params(const char *from, const struct sim_frame_param *source, char *to,
                        const struct sim_frame_param *target, size_t count, uint32_t mask) {
    for (size_t i = 0; i < count; i++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            if (mask >> lane & 1)
                memcpy(to + target[i].offset + lane * target[i].stride,
                       from + source[i].offset + lane * source[i].stride, source[i].size);
}

static const struct sim_code *indirect_callee(struct sim_warp *w, const struct sim_insn *in,
                                              const struct sim_call *call) {
    const uint64_t *address = SIM_SLOT(w, in->a);
    unsigned lane = (unsigned)__builtin_ctz(w->mask);
    uint64_t first = address[lane];
    const struct sim_module *m = w->strand->frame->code->module;
    uint64_t index = first & ~SIM_WINDOW_MASK;
    if ((first & SIM_WINDOW_MASK) != SIM_CODE_ADDRESS || index >= m->ptx->function_count ||
        !m->codes[index].insns)
        sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, first, "call through %#llx, which is no function",
                        (unsigned long long)first);
    const struct sim_code *callee = &m->codes[index];
    bool fits = callee->source->param_count == call->argument_count &&
                callee->source->return_count == call->result_count && !callee->source->entry;
    for (size_t i = 0; fits && i < call->argument_count; i++)
        fits = callee->params[i].size == call->arguments[i].size;
    for (size_t i = 0; fits && i < call->result_count; i++)
        fits = callee->returns[i].size == call->results[i].size;
    if (!fits)
        sim_fault_raise(w, in, lane, SIM_FAULT_TRAP, first, "call of %s with other parameters than it has",
                        callee->source->name);
    return callee;
}

const struct sim_insn *sim_run_call(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_call *call = in->extra;
    struct sim_strand *s = w->strand;
    const struct sim_code *callee = call->callee;
    if (!callee) {
        callee = indirect_callee(w, in, call);
        /* Lanes that call another function run this same instruction again as a strand of their own. */
        const uint64_t *address = SIM_SLOT(w, in->a);
        uint64_t first = address[__builtin_ctz(w->mask)];
        uint32_t others = 0;
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            if (w->mask >> lane & 1 && address[lane] != first)
                others |= 1u << lane;
        if (others) {
            sim_join_expect(w, in + 1, NULL, 0);
            split(w, others, in);
        }
    }
    struct sim_frame *caller = s->frame;
    if (caller->depth + 1 >= SIM_MAX_CALL_DEPTH)
        sim_fault_raise(w, in, (unsigned)__builtin_ctz(w->mask), SIM_FAULT_STACK, 0,
                        "call depth exceeds %d: stack overflow", SIM_MAX_CALL_DEPTH);
    size_t local_base = caller->local_base + caller->code->local_bytes;
    if (callee->local_bytes) {
        if (local_base + callee->local_bytes > SIM_LOCAL_BELOW + SIM_MAX_LOCAL_BYTES)
            sim_fault_raise(w, in, (unsigned)__builtin_ctz(w->mask), SIM_FAULT_STACK, 0,
                            "local memory exceeds %u bytes a thread: stack overflow", SIM_MAX_LOCAL_BYTES);
        sim_local_reserve(w, local_base + callee->local_bytes);
    }
    struct sim_frame *frame = new_frame(w, callee); /* nothing faults from here on: the strand receives it */
    frame->caller = caller;                         /* takes over the strand's reference */
    frame->return_to = in;
    frame->depth = caller->depth + 1;
    frame->local_base = (uint32_t)local_base;
    zero_slots(callee, frame->slots);
    copy_params(caller->slots, call->arguments, frame->slots, callee->params, call->argument_count, w->mask);
    s->frame = frame;
    w->base[0] = frame->slots;
    w->base[1] = callee->pool;
    return callee->insns;
}

const struct sim_insn *sim_run_return(struct sim_warp *w, const struct sim_insn *in) {
    (void)in;
    struct sim_strand *s = w->strand;
    struct sim_frame *frame = s->frame, *caller = frame->caller;
    const struct sim_insn *call_insn = frame->return_to;
    const struct sim_call *call = call_insn->extra;
    copy_params(frame->slots, frame->code->returns, caller->slots, call->results, call->result_count,
                w->mask);
    s->frame = caller;
    caller->references++;
    sim_frame_release(w, frame);
    w->base[0] = caller->slots;
    w->base[1] = caller->code->pool;
    return call_insn + 1;
}

/* ---------------------------------------------------------------- exits */

const struct sim_insn *sim_run_exit(struct sim_warp *w, const struct sim_insn *in) {
    (void)in;
    struct sim_strand *s = w->strand;
    uint32_t gone = s->mask;
    w->live &= ~gone;
    struct sim_join *j = s->join;
    sim_frame_release(w, s->frame);
    sim_strand_remove(w, s);
    sim_join_leave(w, j, gone);
    sim_warp_settle(w);
    return next_strand(w);
}

const struct sim_insn *sim_run_trap(struct sim_warp *w, const struct sim_insn *in) {
    sim_fault_raise(w, in, (unsigned)__builtin_ctz(w->mask), SIM_FAULT_STOP, 0, "%s",
                    in->small ? "brkpt, and no debugger is there" : "trap");
}

/* ---------------------------------------------------------------- wrappers */

const struct sim_insn *sim_run_guarded(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t all = w->mask, guard = *(const uint32_t *)SIM_SLOT(w, in->guard);
    uint32_t mask = all & (in->guard_negated ? ~guard : guard);
    if (mask == 0)
        return in + 1;
    w->mask = mask;
    in->body(w, in);
    w->mask = all;
    return in + 1;
}

/* Whether the member masks of the running lanes, which may differ, name a live lane that is not in the
 * strand.  If so, the strand waits. */
static bool must_wait(struct sim_warp *w, const struct sim_insn *in, int32_t ref) {
    if (w->mask == w->live)
        return false;
    const uint32_t *named = SIM_SLOT(w, ref);
    uint32_t members = 0;
    for (unsigned i = 0; i < SIM_LANES; i++)
        members |= w->mask >> i & 1 ? named[i] : 0;
    if ((members & w->live & ~w->mask) == 0)
        return false;
    w->strand->members = members;
    w->strand->state = STRAND_WARP_SYNC;
    w->strand->pc = in;
    sim_warp_settle(w);
    return true;
}

/* .sync: the instruction waits until every live lane of its member mask has arrived.  Lanes that arrive in
 * several strands of one frame run it together, so that they see each other's registers. */
const struct sim_insn *sim_run_converged(struct sim_warp *w, const struct sim_insn *in) {
    if (must_wait(w, in, in->guard))
        return next_strand(w);
    if (w->check)
        sim_check_met(w, w->strand->frame->code, in, w->mask, SIM_SLOT(w, in->guard));
    return in->body(w, in);
}

const struct sim_insn *sim_run_warp_barrier(struct sim_warp *w, const struct sim_insn *in) {
    if (must_wait(w, in, in->a))
        return next_strand(w);
    if (w->check)
        sim_check_met(w, w->strand->frame->code, in, w->mask, SIM_SLOT(w, in->a));
    return in + 1;
}

/* Reports the strands whose lanes have met to the checks: each has its mask in its own frame. */
static void tell_met(struct sim_warp *w, uint32_t lanes, bool barrier) {
    for (const struct sim_strand *s = w->strands; s; s = s->next)
        if (s->state == STRAND_WARP_SYNC && (s->mask & lanes) == s->mask) {
            w->base[0] = s->frame->slots;
            w->base[1] = s->frame->code->pool;
            sim_check_met(w, s->frame->code, s->pc, s->mask, SIM_SLOT(w, barrier ? s->pc->a : s->pc->guard));
        }
}

/* Runs an instruction once for all the strands that have met at it; they then continue separately. */
static void run_together(struct sim_warp *w, struct sim_strand *first, uint32_t lanes) {
    const struct sim_insn *in = first->pc;
    bool barrier = in->body == sim_run_warp_barrier;
    if (w->check)
        tell_met(w, lanes, barrier);
    if (!barrier) {
        struct sim_strand *running = w->strand;
        uint32_t mask = w->mask;
        w->base[0] = first->frame->slots;
        w->base[1] = first->frame->code->pool;
        w->mask = lanes;
        w->strand = first;
        in->body(w, in);
        w->mask = mask;
        w->strand = running;
    }
    for (struct sim_strand *s = w->strands; s; s = s->next)
        if (s->state == STRAND_WARP_SYNC && (s->mask & lanes) == s->mask) {
            s->state = STRAND_READY;
            s->pc++;
        }
}

/* The lanes of a waiting strand and of all strands that it waits with, if complete; else 0.  Two strands
 * belong together if one names the other. */
static uint32_t waiting_with(const struct sim_warp *w, const struct sim_strand *s) {
    bool barrier = s->pc->body == sim_run_warp_barrier;
    uint32_t lanes = s->mask, named = s->members, before;
    do {
        before = lanes;
        for (const struct sim_strand *t = w->strands; t; t = t->next) {
            bool here = t->state == STRAND_WARP_SYNC && (barrier ? t->pc->body == sim_run_warp_barrier
                                                                 : t->pc == s->pc && t->frame == s->frame);
            if (here && ((t->mask & named) | (t->members & lanes))) {
                lanes |= t->mask;
                named |= t->members;
            }
        }
    } while (lanes != before);
    return named & w->live & ~lanes ? 0 : lanes;
}

void sim_warp_settle(struct sim_warp *w) {
    for (bool again = true; again;) {
        again = false;
        for (struct sim_strand *s = w->strands; s && !again; s = s->next) {
            if (s->state != STRAND_WARP_SYNC)
                continue;
            uint32_t lanes = waiting_with(w, s);
            if (lanes) {
                run_together(w, s, lanes);
                again = true;
            }
        }
        /* If checked, they wait in vain, which is a finding. */
        for (struct sim_strand *s = w->strands; s && !again && !sim_check_wants(w, SIM_CHECK_SYNC);
             s = s->next) {
            uint32_t lanes = s->state == STRAND_WARP_SYNC ? sim_apart_lanes(w, s) : 0;
            if (lanes) {
                sim_apart_run(w, lanes);
                again = true;
            }
        }
    }
}
