/* Lanes that wait in vain for others of their warp, and faults that end a launch. */
#include <stdio.h>
#include <string.h>

#include "sim/exec/check/state.h"
#include "sim/exec/handlers.h"

/* Whether lanes only exit from here on: lanes that have exited are not waited for. */
static bool leads_to_exit(const struct sim_insn *in) {
    for (int steps = 0; steps < 8; steps++) {
        if (in->run == sim_run_exit)
            return true;
        if (in->run == sim_run_enter || in->run == sim_run_enter_join)
            in++;
        else if (in->run == sim_run_jump)
            in = ((const struct sim_branch *)in->extra)->target;
        else
            return false;
    }
    return false;
}

/* The first PTX instruction from here on. */
static uint32_t first_insn(const struct sim_insn *in) {
    while (in->run == sim_run_enter || in->run == sim_run_enter_join)
        in++;
    return in->index;
}

bool check_is_aligned(const struct sim_strand *s) {
    const struct ptx_instruction *ptx = &s->frame->code->source->instructions[s->pc->index];
    return strcmp(ptx->name, "bar") == 0 || ptx_has_word(ptx, "aligned");
}

void sim_check_let_go(struct sim_warp *w, const struct sim_join *join) {
    const bool wanted = sim_check_wants(w, SIM_CHECK_SYNC);
    if (leads_to_exit(join->at))
        return;
    for (const struct sim_strand *s = w->strands; s; s = s->next) {
        bool barrier = s->state == STRAND_BARRIER && check_is_aligned(s);
        bool sync = s->state == STRAND_WARP_SYNC && s->members & join->arrived;
        if (!barrier && !sync)
            continue;
        if (!wanted) {
            sim_note_undefined(w, s, s->pc);
            continue;
        }
        unsigned other = (unsigned)__builtin_ctz(join->arrived);
        struct sim_finding *f = check_report_pair(
            w, s->frame->code, s->pc->index, (unsigned)__builtin_ctz(s->mask), SIM_FINDING_DIVERGENT_BARRIER,
            barrier ? s->barrier : s->members, join->frame->code, first_insn(join->at), w->check->linear,
            SIM_LANES * w->index + other);
        if (!f)
            continue;
        char name[24];
        if (barrier)
            snprintf(f->text, sizeof f->text,
                     "%s: lanes 0x%08x of warp %u wait here, while lanes 0x%08x have gone past it",
                     sim_barrier_name(s->barrier, name), s->mask, w->index, join->arrived);
        else
            snprintf(
                f->text, sizeof f->text,
                "lanes 0x%08x of warp %u wait here for the lanes of mask 0x%08x, while lanes 0x%08x have "
                "gone past it",
                s->mask, w->index, s->members, join->arrived);
    }
}

void sim_check_shuffle(struct sim_warp *w, const struct sim_insn *in, const uint32_t from[SIM_LANES]) {
    const struct sim_code *code = check_code(w);
    const struct ptx_instruction *ptx = &code->source->instructions[in->index];
    const uint32_t *members = ptx_has_word(ptx, "sync") ? SIM_SLOT(w, in->f) : NULL;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), source = from[lane];
        const uint32_t bit = 1u << source;
        /* Code that leaves a lane out of the mask does not use its value. */
        if (w->mask & bit || (members && !(members[lane] & bit)))
            continue;
        if (!sim_check_wants(w, SIM_CHECK_SYNC)) {
            sim_note_undefined(w, w->strand, in);
            return;
        }
        struct sim_finding *f = check_report(w, code, in, lane, SIM_FINDING_UNDEFINED_SHUFFLE, 0);
        if (f)
            snprintf(f->text, sizeof f->text, "%s: lane %u reads lane %u, which %s: the value is undefined",
                     ptx->opcode, lane, source,
                     !(w->born & bit)   ? "does not exist"
                     : !(w->live & bit) ? "has exited"
                                        : "is elsewhere");
    }
}

void sim_check_fault(struct sim_warp *w, const struct sim_insn *in, unsigned lane, enum sim_fault_kind kind,
                     uint64_t address, const char *text) {
    enum sim_finding_kind found;
    switch (kind) {
    case SIM_FAULT_ADDRESS:
        found = SIM_FINDING_OUT_OF_BOUNDS;
        break;
    case SIM_FAULT_MISALIGNED:
        found = SIM_FINDING_MISALIGNED;
        break;
    case SIM_FAULT_STACK:
        found = SIM_FINDING_STACK_OVERFLOW;
        break;
    case SIM_FAULT_DEADLOCK:
        found = SIM_FINDING_DEADLOCK;
        break;
    default: /* an error of the program's own code, or of the simulator */
        return;
    }
    if (!(w->check->launch->checks & sim_finding_check(found)))
        return;
    struct sim_finding *f = check_report(w, check_code(w), in, lane, found, address);
    if (f)
        snprintf(f->text, sizeof f->text, "%s", text);
}
