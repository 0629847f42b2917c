/* atom and red: each lane in turn reads, computes and writes.  Integer operations use the host's atomics,
 * because parallel blocks may use one address.  Kernels whose results depend on the order run on one thread
 * (struct sim_code, ordered). */
#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/lanes/half.h"
#include "sim/exec/memory/access.h"

/* A sum of f32.  In global memory, subnormal operands and results are flushed to zero with their sign; in
 * shared memory they are not.  A NaN is canonical. */
static uint64_t f32_sum(uint64_t old, uint64_t b, bool shared) {
    const float x = float_f32((uint32_t)old), y = float_f32((uint32_t)b);
    return bits_f32(canonical(shared ? x + y : flush(flush(x) + flush(y))));
}

/* A sum of f64.  Global memory preserves a NaN, the addend's first, then the one in memory; shared memory
 * uses an addition of registers. */
static uint64_t f64_sum(uint64_t old, uint64_t b, bool shared) {
    const double x = float_f64(old), y = float_f64(b);
    if (!shared && (x != x || y != y))
        return y != y ? b : old;
    return bits_f64(nan_of_2(x + y, y, x));
}

typedef uint16_t half_fn(uint16_t a, uint16_t b, struct sim_modifiers m);

static uint64_t half_lanes(uint64_t a, uint64_t b, unsigned halves, half_fn *f) {
    uint64_t result = 0;
    for (unsigned i = 0; i < halves; i++)
        result |= (uint64_t)f((uint16_t)(a >> 16 * i), (uint16_t)(b >> 16 * i), (struct sim_modifiers){0})
                  << 16 * i;
    return result;
}

static uint64_t half_result(const struct sim_memop *op, uint64_t old, uint64_t b) {
    bool brain = op->type == PTX_TYPE_BF16 || op->type == PTX_TYPE_BF16X2;
    unsigned halves = op->width / 2;
    switch (op->atomic) {
    case SIM_ATOMIC_ADD:
        return half_lanes(old, b, halves, brain ? bf16_add : f16_add);
    case SIM_ATOMIC_MIN:
        return half_lanes(old, b, halves, brain ? bf16_min : f16_min);
    default:
        return half_lanes(old, b, halves, brain ? bf16_max : f16_max);
    }
}

static int64_t signed_value(const struct sim_memop *op, uint64_t value) {
    return op->width == 4 ? (int32_t)value : (int64_t)value;
}

static uint64_t result(const struct sim_memop *op, bool shared, uint64_t old, uint64_t b, uint64_t c) {
    bool is_signed = op->type == PTX_TYPE_S32 || op->type == PTX_TYPE_S64;
    bool half = op->type == PTX_TYPE_F16 || op->type == PTX_TYPE_BF16 || op->type == PTX_TYPE_F16X2 ||
                op->type == PTX_TYPE_BF16X2;
    if (half && op->atomic != SIM_ATOMIC_EXCH)
        return half_result(op, old, b);
    switch (op->atomic) {
    case SIM_ATOMIC_ADD:
        return op->type == PTX_TYPE_F32   ? f32_sum(old, b, shared)
               : op->type == PTX_TYPE_F64 ? f64_sum(old, b, shared)
                                          : old + b;
    case SIM_ATOMIC_MIN:
        if (is_signed)
            return signed_value(op, old) < signed_value(op, b) ? old : b;
        return old < b ? old : b;
    case SIM_ATOMIC_MAX:
        if (is_signed)
            return signed_value(op, old) > signed_value(op, b) ? old : b;
        return old > b ? old : b;
    case SIM_ATOMIC_AND:
        return old & b;
    case SIM_ATOMIC_OR:
        return old | b;
    case SIM_ATOMIC_XOR:
        return old ^ b;
    case SIM_ATOMIC_EXCH:
        return b;
    case SIM_ATOMIC_CAS:
        return old == b ? c : old;
    case SIM_ATOMIC_INC:
        return old >= b ? 0 : old + 1;
    case SIM_ATOMIC_DEC:
        return old == 0 || old > b ? b : old - 1;
    }
    return old;
}

/* Returns the old value. */
static uint64_t update(const struct sim_memop *op, bool shared, char *at, uint64_t b, uint64_t c) {
    if (op->width == 8) {
        uint64_t old = __atomic_load_n((uint64_t *)at, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n((uint64_t *)at, &old, result(op, shared, old, b, c), true,
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        return old;
    }
    if (op->width == 4) {
        uint32_t old = __atomic_load_n((uint32_t *)at, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n((uint32_t *)at, &old, (uint32_t)result(op, shared, old, b, c),
                                            true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        return old;
    }
    uint16_t old = __atomic_load_n((uint16_t *)at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n((uint16_t *)at, &old, (uint16_t)result(op, shared, old, b, c), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t operand(struct sim_warp *w, const struct sim_memop *op, int32_t ref, unsigned lane) {
    return op->slot == SIM_64 ? ((const uint64_t *)SIM_SLOT(w, ref))[lane]
                              : ((const uint32_t *)SIM_SLOT(w, ref))[lane];
}

/* If ptxas knows that the lanes have one address, it combines their operands and sends one lane. */
static uint32_t working_lanes(const struct sim_memop *op, const struct sim_lanes *lanes) {
    uint64_t differs = 0; /* lanes may still differ by an unwritten register */
    for (unsigned i = 0; i < SIM_LANES; i++)
        differs |= lanes->address[i] ^ lanes->address[lanes->first];
    return op->single_lane && !differs && (!op->full_warp || lanes->mask == SIM_ALL_LANES)
               ? 1u << lanes->first
               : lanes->mask;
}

/* A lane's operands in a loop, and its word. */
struct loop_lane {
    uint64_t assumed, b, c; /* assumed: the word when it was last read */
    unsigned shift, word;   /* word: the first lane with the same word */
};

/* The new value of the word, computed from its assumed value. */
static uint64_t loop_value(const struct sim_memop *op, bool shared, const struct loop_lane *lane) {
    if (op->width >= 4)
        return result(op, shared, lane->assumed, lane->b, lane->c);
    uint64_t old = lane->assumed >> lane->shift & 0xffff;
    uint64_t value = result(op, shared, old, lane->b, lane->c) & 0xffff;
    return (lane->assumed & ~(UINT64_C(0xffff) << lane->shift)) | value << lane->shift;
}

/* Counts the loop that ptxas makes of an atomic: a load, then compare-and-swaps by all lanes that have not
 * succeeded.  A lane succeeds if its word still has the value that it read.  In shared memory, except for
 * halves, each round loads again.  Interference by other warps is ignored. */
static void count_loop(struct sim_warp *w, const struct sim_memop *op, bool shared, const char *base,
                       const struct sim_lanes *lanes, const struct sim_insn *in) {
    const enum sim_space space = shared ? SIM_SPACE_SHARED : SIM_SPACE_GLOBAL;
    const unsigned bytes = op->width == 8 ? 8 : 4;
    struct loop_lane lane[SIM_LANES];
    uint64_t memory[SIM_LANES] = {0};
    struct sim_lanes words = *lanes;
    for (unsigned i = 0; i < SIM_LANES; i++)
        words.address[i] &= ~(uint64_t)(bytes - 1);
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left), first = lanes->first;
        while (!(lanes->mask >> first & 1) || words.address[first] != words.address[i])
            first++;
        unsigned shift = 8 * (unsigned)(lanes->address[i] - words.address[i]);
        /* Only the lane's own bytes; those beside them may be in no allocation. */
        memcpy((char *)&memory[first] + shift / 8,
               base ? base + lanes->address[i] : (const char *)(uintptr_t)lanes->address[i], op->width);
        lane[i] = (struct loop_lane){.b = operand(w, op, op->reg[0], i),
                                     .c = op->atomic == SIM_ATOMIC_CAS ? operand(w, op, in->c, i) : 0,
                                     .shift = shift,
                                     .word = first};
    }
    for (uint32_t left = lanes->mask; left; left &= left - 1)
        lane[__builtin_ctz(left)].assumed = memory[lane[__builtin_ctz(left)].word];
    /* ptxas skips swaps that would change nothing. */
    const bool skips = op->width == 8 && (op->atomic == SIM_ATOMIC_MIN || op->atomic == SIM_ATOMIC_MAX);
    for (bool load = true; words.mask; load = shared && op->width != 2) {
        words.first = (unsigned)__builtin_ctz(words.mask);
        for (unsigned i = 0; i < SIM_LANES; i++)
            if (!(words.mask >> i & 1))
                words.address[i] = words.address[words.first];
        if (load) {
            sim_access_pattern(w, op->to, space, &words, bytes);
            sim_access_count(w, op->to, space, &words, bytes);
            if (!shared)
                sim_access_count_peers(w, op->to, &words, bytes);
        }
        for (uint32_t left = words.mask; left && skips; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            lane[i].assumed = memory[lane[i].word];
            if (loop_value(op, shared, &lane[i]) == lane[i].assumed)
                words.mask &= ~(1u << i);
        }
        if (!words.mask)
            return;
        words.first = (unsigned)__builtin_ctz(words.mask);
        sim_access_pattern(w, op, space, &words, bytes);
        sim_access_count(w, op, space, &words, bytes);
        if (!shared)
            sim_access_count_peers(w, op, &words, bytes);
        for (uint32_t left = words.mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            uint64_t *now = &memory[lane[i].word];
            if (lane[i].assumed == *now) {
                *now = loop_value(op, shared, &lane[i]);
                words.mask &= ~(1u << i);
            } else {
                lane[i].assumed = *now;
            }
        }
    }
}

/* Returns the first lane's old value.  owner: the block whose shared memory it is; NULL: global memory. */
static uint64_t atomic_at(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                          struct sim_block *owner, struct sim_lanes *lanes) {
    unsigned bytes = op->width * op->count;
    enum sim_space space = owner ? SIM_SPACE_SHARED : SIM_SPACE_GLOBAL;
    bool far = owner && owner != w->block;
    if (far ? !sim_access_far(w, in, op, owner, lanes, bytes)
            : w->check && !sim_check_lanes(w, in, op, space, lanes, bytes)) {
        lanes->mask = 0;
        return 0;
    }
    struct sim_lanes counted = *lanes;
    counted.mask = working_lanes(op, lanes);
    char *base = owner ? owner->shared : NULL;
    const bool loops = !far && (op->loops || (owner && op->loops_shared)) && op->to;
    if (loops) {
        sim_access_pattern(w, op, space, lanes, bytes);
        sim_access_bounds(w, in, op, space, lanes, bytes);
        count_loop(w, op, owner != NULL, base, lanes, in);
    } else if (!far) {
        sim_access_checked(w, in, op, space, &counted, bytes);
        memcpy(lanes->address, counted.address, sizeof lanes->address); /* slack may have moved them */
    }
    uint64_t first = 0;
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        char *at = base ? base + lanes->address[i] : (char *)(uintptr_t)lanes->address[i];
        for (unsigned e = 0; e < op->count; e++) {
            uint64_t b = operand(w, op, op->reg[e], i);
            uint64_t c = op->atomic == SIM_ATOMIC_CAS ? operand(w, op, in->c, i) : 0;
            uint64_t old = update(op, owner != NULL, at + e * op->width, b, c);
            if (op->access != SIM_ACCESS_ATOM)
                continue;
            if (i == lanes->first)
                first = old;
            if (op->slot == SIM_64)
                ((uint64_t *)SIM_SLOT(w, op->reg[4 + e]))[i] = old;
            else
                ((uint32_t *)SIM_SLOT(w, op->reg[4 + e]))[i] = (uint32_t)old;
        }
    }
    return first;
}

/* An atomic on local memory misses the thread's own memory: it changes nothing that the thread sees. */
static void lose(struct sim_warp *w, const struct sim_memop *op, uint32_t lanes) {
    w->worker->sites[op->site].outside += (unsigned)__builtin_popcount(lanes);
    for (uint32_t left = lanes; left && op->access == SIM_ACCESS_ATOM; left &= left - 1)
        for (unsigned e = 0, i = (unsigned)__builtin_ctz(left); e < op->count; e++)
            if (op->slot == SIM_64)
                ((uint64_t *)SIM_SLOT(w, op->reg[4 + e]))[i] = 0;
            else
                ((uint32_t *)SIM_SLOT(w, op->reg[4 + e]))[i] = 0;
}

static uint64_t atomic_space(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                             enum sim_space space, struct sim_lanes *all) {
    if (space == SIM_SPACE_LOCAL && !sim_check_wants(w, SIM_CHECK_MEMORY)) {
        lose(w, op, all->mask);
        return 0;
    }
    if (space == SIM_SPACE_LOCAL || space == SIM_SPACE_PARAM)
        sim_fault_raise(w, in, all->first, SIM_FAULT_ADDRESS, all->address[all->first], "atomic on %s memory",
                        space == SIM_SPACE_LOCAL ? "local" : "parameter");
    if (space == SIM_SPACE_GLOBAL || !sim_lanes_name_blocks(w, all))
        return atomic_at(w, in, op, space == SIM_SPACE_GLOBAL ? NULL : w->block, all);
    uint64_t old = 0;
    uint32_t done = 0;
    for (uint32_t left = all->mask; left;) {
        struct sim_lanes lanes;
        struct sim_block *owner = sim_lanes_take_block(w, in, op->space, &lanes, all, &left);
        old = atomic_at(w, in, op, owner, &lanes);
        done |= lanes.mask;
    }
    sim_access_count_far(w, op, all, done & working_lanes(op, all), op->width * op->count);
    return old;
}

const struct sim_insn *sim_run_atomic(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_memop *op = in->extra;
    struct sim_lanes all;
    sim_lanes_fill(w, op, in->a, &all);
    uint64_t old = 0;
    if (op->space != SIM_SPACE_GENERIC)
        old = atomic_space(w, in, op, op->space, &all);
    else
        for (uint32_t left = all.mask; left;) {
            struct sim_lanes lanes;
            enum sim_space space = sim_lanes_take_window(w, &lanes, &all, &left);
            old = atomic_space(w, in, op, space, &lanes);
        }
    if (op->access == SIM_ACCESS_ATOM)
        sim_poll(w, in, old, op->atomic == SIM_ATOMIC_CAS || op->atomic == SIM_ATOMIC_EXCH);
    return in + 1;
}
