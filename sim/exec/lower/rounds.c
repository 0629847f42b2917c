/* The tests that unrolled loops run besides their instructions (unroll.c). */
#include "sim/exec/handlers.h"
#include "sim/exec/lower/flow.h"
#include "sim/exec/worker.h"

const struct sim_insn *sim_run_enter_loop(struct sim_warp *w, const struct sim_insn *in) {
    uint32_t *d = SIM_SLOT(w, in->d);
    *d = in->small ? *d | w->mask : *d & ~w->mask;
    return in + 1;
}

/* left: the distance from the counter to the bound, modulo the counter's width. */
static bool is_sure(const struct sim_rounds *rounds, __int128 counter, __int128 bound, uint64_t left) {
    switch ((enum flow_test)rounds->test) {
    case FLOW_LESS:
        return counter + rounds->reach < bound;
    case FLOW_AT_MOST:
        return counter + rounds->reach <= bound;
    case FLOW_GREATER:
        return counter - rounds->reach > bound;
    default:
        return left > (uint64_t)rounds->reach;
    }
}

/* a: the counter; b: its bound. */
const struct sim_insn *sim_run_rounds(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_rounds *rounds = in->extra;
    const void *a = SIM_SLOT(w, in->a), *b = SIM_SLOT(w, in->b);
    uint32_t sure = 0;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        const uint64_t counter = rounds->wide ? ((const uint64_t *)a)[i] : ((const uint32_t *)a)[i];
        const uint64_t bound = rounds->wide ? ((const uint64_t *)b)[i] : ((const uint32_t *)b)[i];
        uint64_t left = rounds->down ? counter - bound : bound - counter;
        __int128 from = counter, to = bound;
        if (!rounds->wide)
            left = (uint32_t)left;
        if (rounds->sign)
            from = rounds->wide ? (int64_t)counter : (int32_t)counter,
            to = rounds->wide ? (int64_t)bound : (int32_t)bound;
        sure |= (uint32_t)is_sure(rounds, from, to, left) << i;
    }
    *(uint32_t *)SIM_SLOT(w, in->d) = sure & w->mask;
    return in + 1;
}
