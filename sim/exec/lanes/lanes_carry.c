#include "sim/exec/lanes/integer.h"
#include "sim/exec/lanes/lanes_handlers.h"

enum carry {
    CARRY_IN = 1,
    CARRY_OUT = 2,
    CARRY_HIGH = 4,   /* the high half of a mad's product */
    CARRY_SIGNED = 8, /* of a signed product */
};

static uint32_t carry_in(const struct sim_warp *w, const struct sim_insn *in) {
    return in->small & CARRY_IN ? w->cc : 0;
}

static const struct sim_insn *finish(struct sim_warp *w, const struct sim_insn *in, uint32_t carry) {
    if (in->small & CARRY_OUT)
        w->cc = sim_merge(w->cc, carry, w->mask);
    return in + 1;
}

SIM_HANDLER(add_carry_32) {
    SOURCE_U32(a) SOURCE_U32(b) uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask, carries = carry_in(w, in);
    uint32_t out = 0;
    SIM_FOR_LANES
    if (mask & (1u << i)) {
        const uint64_t sum = (uint64_t)a_s[i] + b_s[i] + (carries >> i & 1);
        d[i] = (uint32_t)sum;
        out |= (uint32_t)(sum >> 32) << i;
    }
    return finish(w, in, out);
}

SIM_HANDLER(add_carry_64) {
    SOURCE_U64(a) SOURCE_U64(b) uint64_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask, carries = carry_in(w, in);
    uint32_t out = 0;
    SIM_FOR_LANES
    if (mask & (1u << i)) {
        const sim_u128 sum = (sim_u128)a_s[i] + b_s[i] + (carries >> i & 1);
        d[i] = (uint64_t)sum;
        out |= (uint32_t)(sum >> 64) << i;
    }
    return finish(w, in, out);
}

/* a - b is a + ~b + 1, so the flag is set if there is no borrow.  sub.cc and subc together give what PTX
 * documents; an addc after a sub.cc, or a subc after an add.cc, gives what hardware gives. */
static uint32_t no_borrow(const struct sim_warp *w, const struct sim_insn *in) {
    return in->small & CARRY_IN ? w->cc : SIM_ALL_LANES;
}

SIM_HANDLER(sub_borrow_32) {
    SOURCE_U32(a) SOURCE_U32(b) uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask, carries = no_borrow(w, in);
    uint32_t out = 0;
    SIM_FOR_LANES
    if (mask & (1u << i)) {
        const uint64_t sum = (uint64_t)a_s[i] + (uint32_t)~b_s[i] + (carries >> i & 1);
        d[i] = (uint32_t)sum;
        out |= (uint32_t)(sum >> 32) << i;
    }
    return finish(w, in, out);
}

SIM_HANDLER(sub_borrow_64) {
    SOURCE_U64(a) SOURCE_U64(b) uint64_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask, carries = no_borrow(w, in);
    uint32_t out = 0;
    SIM_FOR_LANES
    if (mask & (1u << i)) {
        const sim_u128 sum = (sim_u128)a_s[i] + ~b_s[i] + (carries >> i & 1);
        d[i] = (uint64_t)sum;
        out |= (uint32_t)(sum >> 64) << i;
    }
    return finish(w, in, out);
}

SIM_HANDLER(mad_carry_32) {
    SOURCE_U32(a) SOURCE_U32(b) SOURCE_U32(c) uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask, carries = carry_in(w, in);
    uint32_t out = 0;
    SIM_FOR_LANES
    if (mask & (1u << i)) {
        const uint64_t product = in->small & CARRY_SIGNED
                                     ? (uint64_t)((int64_t)(int32_t)a_s[i] * (int32_t)b_s[i])
                                     : (uint64_t)a_s[i] * b_s[i];
        const uint32_t half = (uint32_t)(in->small & CARRY_HIGH ? product >> 32 : product);
        const uint64_t sum = (uint64_t)half + c_s[i] + (carries >> i & 1);
        d[i] = (uint32_t)sum;
        out |= (uint32_t)(sum >> 32) << i;
    }
    return finish(w, in, out);
}

SIM_HANDLER(mad_carry_64) {
    SOURCE_U64(a) SOURCE_U64(b) SOURCE_U64(c) uint64_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask, carries = carry_in(w, in);
    uint32_t out = 0;
    SIM_FOR_LANES
    if (mask & (1u << i)) {
        const uint64_t half = !(in->small & CARRY_HIGH) ? a_s[i] * b_s[i]
                              : in->small & CARRY_SIGNED
                                  ? (uint64_t)high_s64((int64_t)a_s[i], (int64_t)b_s[i])
                                  : high_u64(a_s[i], b_s[i]);
        const sim_u128 sum = (sim_u128)half + c_s[i] + (carries >> i & 1);
        d[i] = (uint64_t)sum;
        out |= (uint32_t)(sum >> 64) << i;
    }
    return finish(w, in, out);
}

/* Every row of this list uses the flag. */
#include "sim/exec/lanes/lanes_list.h"
#undef RUN
#define RUN(pattern, body, D, E, A, B, C, F, parameter)                                                      \
    SIM_ROW(pattern, body, D, E, A, B, C, F, .small = parameter, .flags = SIM_OP_CARRY)

const struct sim_row sim_rows_carry[] = {
#include "sim/exec/lanes/ops_carry.h"
    {.pattern = NULL}};
