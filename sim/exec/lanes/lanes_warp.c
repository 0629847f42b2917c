/* Instructions across lanes.  A .sync instruction may run for several groups at once: converged lanes with
 * different member masks form separate groups. */
#include <string.h>

#include "sim/exec/check/hooks.h"
#include "sim/exec/lanes/lanes_handlers.h"

enum shuffle { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };
enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNIFORM, VOTE_BALLOT };
enum reduce {
    REDUCE_ADD,
    REDUCE_MIN_U,
    REDUCE_MAX_U,
    REDUCE_MIN_S,
    REDUCE_MAX_S,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
};

/* Takes the next group out of *left: the first lane and all lanes with the same member mask, whether the mask
 * names them or not, as on an H200. */
static uint32_t next_group(const uint32_t *members, uint32_t *left) {
    const unsigned first = (unsigned)__builtin_ctz(*left);
    uint32_t group = 1u << first, different = 0;
    SIM_FOR_LANES {
        different |= *left & (1u << i) ? members[i] ^ members[first] : 0;
    }
    if (!different) { /* the usual case */
        group = *left;
        *left = 0;
        return group;
    }
    for (uint32_t others = *left & ~group; others; others &= others - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(others);
        if (members[lane] == members[first])
            group |= 1u << lane;
    }
    *left &= ~group;
    return group;
}

/* c: the last lane of a segment in its low 5 bits; in bits 8-12 the bits of a lane number that select the
 * segment.  A lane whose source is outside its segment keeps its own value and gets a false predicate.  An
 * inactive source gives 0, as on an H200. */
SIM_CLONES SIM_HANDLER(shuffle) {
    SOURCE_U32(a) SOURCE_U32(b) SOURCE_U32(c) uint32_t *d = SIM_SLOT(w, in->d);
    const uint32_t mask = w->mask;
    uint32_t from[SIM_LANES], values[SIM_LANES], inside = 0;
    SIM_FOR_LANES {
        values[i] = mask & (1u << i) ? a_s[i] : 0;
    }
    switch (in->small) {
    case SHUFFLE_UP: /* below lane 0 it wraps to a large number */
        SIM_FOR_LANES {
            from[i] = i - (b_s[i] & 31);
        }
        break;
    case SHUFFLE_DOWN:
        SIM_FOR_LANES {
            from[i] = i + (b_s[i] & 31);
        }
        break;
    case SHUFFLE_BUTTERFLY:
        SIM_FOR_LANES {
            from[i] = i ^ (b_s[i] & 31);
        }
        break;
    default:
        SIM_FOR_LANES {
            from[i] = (i & c_s[i] >> 8 & 31) | (b_s[i] & 31 & ~(c_s[i] >> 8));
        }
    }
    const bool up = in->small == SHUFFLE_UP;
    SIM_FOR_LANES {
        const uint32_t segment = c_s[i] >> 8 & 31, last = (i & segment) | (c_s[i] & 31 & ~segment);
        const bool ok = up ? (int32_t)from[i] >= (int32_t)last : from[i] <= last;
        inside |= ok ? 1u << i : 0;
        from[i] = ok ? from[i] & 31 : i;
    }
    if (w->check || (mask != SIM_ALL_LANES && w->strand))
        sim_check_shuffle(w, in, from);
    SIM_FOR_LANES {
        d[i] = mask & (1u << i) ? values[from[i]] : d[i];
    }
    if (in->e != SIM_NO_OPERAND) {
        uint32_t *e = SIM_SLOT(w, in->e);
        *e = sim_merge(*e, inside, mask);
    }
    return in + 1;
}

static void vote_of(struct sim_warp *w, const struct sim_insn *in, uint32_t votes, uint32_t group) {
    const uint32_t yes = votes & group;
    uint32_t *d = SIM_SLOT(w, in->d);
    if (in->small == VOTE_BALLOT) {
        SIM_FOR_LANES
        if (group & (1u << i))
            d[i] = yes;
        return;
    }
    const bool result = in->small == VOTE_ALL   ? yes == group
                        : in->small == VOTE_ANY ? yes != 0
                                                : yes == group || yes == 0;
    *d = sim_merge(*d, result ? UINT32_MAX : 0, group);
}

SIM_HANDLER(vote) {
    vote_of(w, in, sim_predicate(w, in->a), w->mask);
    return in + 1;
}

SIM_HANDLER(vote_sync) {
    const uint32_t votes = sim_predicate(w, in->a);
    SOURCE_U32(b)
    for (uint32_t left = w->mask; left;)
        vote_of(w, in, votes, next_group(b_s, &left));
    return in + 1;
}

/* d of each lane: the lanes of its group that hold the same value. */
static const struct sim_insn *match_any(struct sim_warp *w, const struct sim_insn *in,
                                        const uint64_t *values) {
    SOURCE_U32(b) uint32_t *d = SIM_SLOT(w, in->d), result[SIM_LANES] = {0};
    for (uint32_t left = w->mask; left;) {
        const uint32_t group = next_group(b_s, &left);
        SIM_FOR_LANES
        if (group & (1u << i))
            for (unsigned j = 0; j < SIM_LANES; j++)
                result[i] |= (uint32_t)((group >> j & 1) && values[i] == values[j]) << j;
    }
    SIM_FOR_LANES
    if (w->mask & (1u << i))
        d[i] = result[i];
    return in + 1;
}

/* d: the group if all its lanes hold the same value, otherwise 0; the predicate says which. */
static const struct sim_insn *match_all(struct sim_warp *w, const struct sim_insn *in,
                                        const uint64_t *values) {
    SOURCE_U32(b) uint32_t *d = SIM_SLOT(w, in->d), result[SIM_LANES] = {0}, all = 0;
    for (uint32_t left = w->mask; left;) {
        const uint32_t group = next_group(b_s, &left);
        const unsigned first = (unsigned)__builtin_ctz(group);
        bool same = true;
        SIM_FOR_LANES
        same &= !(group & (1u << i)) || values[i] == values[first];
        SIM_FOR_LANES
        if (group & (1u << i))
            result[i] = same ? group : 0;
        all |= same ? group : 0;
    }
    SIM_FOR_LANES
    if (w->mask & (1u << i))
        d[i] = result[i];
    if (in->e != SIM_NO_OPERAND) {
        uint32_t *e = SIM_SLOT(w, in->e);
        *e = sim_merge(*e, all, w->mask);
    }
    return in + 1;
}

static void widen(const struct sim_warp *w, const struct sim_insn *in, uint64_t *values) {
    SOURCE_U32(a)
    SIM_FOR_LANES
    values[i] = a_s[i];
}

SIM_HANDLER(match_any_32) {
    uint64_t values[SIM_LANES];
    widen(w, in, values);
    return match_any(w, in, values);
}

SIM_HANDLER(match_any_64) {
    return match_any(w, in, SIM_SLOT(w, in->a));
}

SIM_HANDLER(match_all_32) {
    uint64_t values[SIM_LANES];
    widen(w, in, values);
    return match_all(w, in, values);
}

SIM_HANDLER(match_all_64) {
    return match_all(w, in, SIM_SLOT(w, in->a));
}

static uint32_t reduce_two(enum reduce how, uint32_t x, uint32_t y) {
    switch (how) {
    case REDUCE_ADD:
        return x + y;
    case REDUCE_MIN_U:
        return x < y ? x : y;
    case REDUCE_MAX_U:
        return x > y ? x : y;
    case REDUCE_MIN_S:
        return (int32_t)x < (int32_t)y ? x : y;
    case REDUCE_MAX_S:
        return (int32_t)x > (int32_t)y ? x : y;
    case REDUCE_AND:
        return x & y;
    case REDUCE_OR:
        return x | y;
    case REDUCE_XOR:
        return x ^ y;
    }
    return x;
}

SIM_HANDLER(reduce) {
    SOURCE_U32(a) SOURCE_U32(b) uint32_t *d = SIM_SLOT(w, in->d), result[SIM_LANES] = {0};
    for (uint32_t left = w->mask; left;) {
        const uint32_t group = next_group(b_s, &left);
        uint32_t value = a_s[__builtin_ctz(group)];
        for (uint32_t rest = group & (group - 1); rest; rest &= rest - 1)
            value = reduce_two(in->small, value, a_s[__builtin_ctz(rest)]);
        SIM_FOR_LANES
        if (group & (1u << i))
            result[i] = value;
    }
    SIM_FOR_LANES
    if (w->mask & (1u << i))
        d[i] = result[i];
    return in + 1;
}

SIM_HANDLER(active_mask) {
    uint32_t *d = SIM_SLOT(w, in->d);
    SIM_FOR_LANES
    if (w->mask & (1u << i))
        d[i] = w->mask;
    return in + 1;
}

/* The lowest lane is elected. */
SIM_HANDLER(elect) {
    SOURCE_U32(a) uint32_t *d = SIM_SLOT(w, in->d), result[SIM_LANES] = {0}, elected = 0;
    for (uint32_t left = w->mask; left;) {
        const uint32_t group = next_group(a_s, &left);
        const unsigned leader = (unsigned)__builtin_ctz(group);
        elected |= 1u << leader;
        SIM_FOR_LANES
        if (group & (1u << i))
            result[i] = leader;
    }
    SIM_FOR_LANES
    if (w->mask & (1u << i))
        d[i] = result[i];
    if (in->e != SIM_NO_OPERAND) {
        uint32_t *e = SIM_SLOT(w, in->e);
        *e = sim_merge(*e, elected, w->mask);
    }
    return in + 1;
}

#include "sim/exec/lanes/lanes_list.h"

const struct sim_row sim_rows_warp[] = {
#include "sim/exec/lanes/ops_warp.h"
    {.pattern = NULL}};
