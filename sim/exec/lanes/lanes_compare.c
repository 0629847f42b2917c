#include <string.h>

#include "sim/exec/lanes/float.h"
#include "sim/exec/lanes/half.h"
#include "sim/exec/lanes/lanes_handlers.h"

/* Handles the result forms of set, and setp's |q and third operand. */
static __attribute__((noinline)) const struct sim_insn *
deliver_rest(struct sim_warp *w, const struct sim_insn *in, uint32_t yes) {
    static const uint32_t truth[] = {
        [SIM_FORM_INT] = UINT32_MAX, [SIM_FORM_F32] = 0x3f800000, [SIM_FORM_F16] = 0x3c00,
        [SIM_FORM_BF16] = 0x3f80,    [SIM_FORM_SHORT] = 0xffff,
    };
    const unsigned combine = SIM_COMPARE_COMBINE(in->small), form = SIM_COMPARE_FORM(in->small);
    const uint32_t with = combine ? sim_predicate(w, in->c) : 0;
    uint32_t no = ~yes;
    if (combine == SIM_COMBINE_AND)
        yes &= with, no &= with;
    else if (combine == SIM_COMBINE_OR)
        yes |= with, no |= with;
    else if (combine == SIM_COMBINE_XOR)
        yes ^= with, no ^= with;
    uint32_t *d = SIM_SLOT(w, in->d);
    if (form == SIM_FORM_PREDICATE) {
        *d = sim_merge(*d, yes, w->mask);
        if (in->e != SIM_NO_OPERAND) {
            uint32_t *e = SIM_SLOT(w, in->e);
            *e = sim_merge(*e, no, w->mask);
        }
        return in + 1;
    }
    SIM_FOR_LANES
    if (w->mask >> i & 1)
        d[i] = yes >> i & 1 ? truth[form] : 0;
    return in + 1;
}

/* yes: the lanes whose condition holds. */
static inline const struct sim_insn *deliver(struct sim_warp *w, const struct sim_insn *in, uint32_t yes) {
    if (in->small != 0 || in->e != SIM_NO_OPERAND)
        return deliver_rest(w, in, yes);
    uint32_t *d = SIM_SLOT(w, in->d);
    *d = sim_merge(*d, yes, w->mask);
    return in + 1;
}

/* Lane i's bit among 32 or 64 flags.  A loop over 64-bit lanes is vectorised only if it collects 64-bit
 * flags.  They use bits 0-15 and 32-47, so that the compiler cannot reduce them to 32 bits. */
#define SIM_PLACES_4(i, at)                                                                                  \
    [i] = UINT64_C(1) << (at), UINT64_C(2) << (at), UINT64_C(4) << (at), UINT64_C(8) << (at)
static const uint64_t places[SIM_LANES] = {
    SIM_PLACES_4(0, 0),   SIM_PLACES_4(4, 4),   SIM_PLACES_4(8, 8),   SIM_PLACES_4(12, 12),
    SIM_PLACES_4(16, 32), SIM_PLACES_4(20, 36), SIM_PLACES_4(24, 40), SIM_PLACES_4(28, 44),
};
#define PLACE_4(i)   (1u << (i))
#define PLACE_8(i)   places[i]
#define FLAGS_4(yes) (yes)
#define FLAGS_8(yes) ((uint32_t)(yes) | (uint32_t)((yes) >> 16))

/* Inactive lanes are compared too: this is cheaper than skipping them, and harmless. */
#define SIM_COMPARE_LANES(T, bytes, condition)                                                               \
    SOURCE_##T(a) SOURCE_##T(b) WIDE_##T yes = 0;                                                            \
    SIM_FOR_LANES {                                                                                          \
        GET_##T(a) GET_##T(b) yes |= (condition) ? PLACE_##bytes(i) : 0;                                     \
    }                                                                                                        \
    return deliver(w, in, FLAGS_##bytes(yes));
#define SIM_COMPARE_WITH(T, bytes, condition) SIM_COMPARE_LANES(T, bytes, condition)

#define COMPARE(names, types, T, condition)                                                                  \
    SIM_CLONES SIM_HANDLER(SIM_ID) {                                                                         \
        SIM_COMPARE_WITH(T, BYTES_##T, condition)                                                            \
    }
#define COMPARE_FTZ COMPARE
#define COMPARE_HALF(names, ftz, types, T)
#define COMPARE_HALF2(names, ftz, types, T)

#define TEST(name, types, T, condition)                                                                      \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        const WIDE_##T *a_s = SIM_SLOT(w, in->a);                                                            \
        uint32_t yes = 0;                                                                                    \
        SIM_FOR_LANES {                                                                                      \
            const WIDE_##T bits = a_s[i];                                                                    \
            yes |= (condition) ? 1u << i : 0;                                                                \
        }                                                                                                    \
        return deliver(w, in, yes);                                                                          \
    }

#include "sim/exec/lanes/ops_compare.h"

/* The relations of two halves, by the comparison's name; in->count is the index in this table. */
static const struct {
    char name[4];
    bool less, equal, greater, unordered;
} relations[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},   {"lt", true, false, false, false},
    {"le", true, true, false, false},  {"gt", false, false, true, false},  {"ge", false, true, true, false},
    {"equ", false, true, false, true}, {"neu", true, false, true, true},   {"ltu", true, false, false, true},
    {"leu", true, true, false, true},  {"gtu", false, false, true, true},  {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true},
};

unsigned sim_relation_find(const char *name) {
    for (unsigned i = 0; i < sizeof relations / sizeof *relations; i++)
        if (strncmp(relations[i].name, name, sizeof relations[i].name) == 0)
            return i;
    return 0;
}

static bool holds(unsigned relation, float a, float b) {
    return a < b    ? relations[relation].less
           : a > b  ? relations[relation].greater
           : a == b ? relations[relation].equal
                    : relations[relation].unordered;
}

/* Returns the lanes whose 16 bits from shift on satisfy the comparison. */
static uint32_t compare_halves(const struct sim_warp *w, const struct sim_insn *in, unsigned shift,
                               bool bf16) {
    SOURCE_U32(a) SOURCE_U32(b) uint32_t yes = 0;
    SIM_FOR_LANES {
        const uint16_t x = (uint16_t)(a_s[i] >> shift), y = (uint16_t)(b_s[i] >> shift);
        const bool is =
            bf16 ? holds(in->count, bf16_value(x), bf16_value(y))
                 : holds(in->count, f16_value(f16_flush(x, in->mod)), f16_value(f16_flush(y, in->mod)));
        yes |= (uint32_t)is << i;
    }
    return yes;
}

SIM_HANDLER(compare_f16) {
    return deliver(w, in, compare_halves(w, in, 0, false));
}

SIM_HANDLER(compare_bf16) {
    return deliver(w, in, compare_halves(w, in, 0, true));
}

/* setp writes the two halves' results to p and q; set packs them into one register. */
static const struct sim_insn *compare_pair(struct sim_warp *w, const struct sim_insn *in, bool bf16) {
    uint32_t yes[2] = {compare_halves(w, in, 0, bf16), compare_halves(w, in, 16, bf16)};
    const unsigned combine = SIM_COMPARE_COMBINE(in->small), form = SIM_COMPARE_FORM(in->small);
    const uint32_t with = combine ? sim_predicate(w, in->c) : 0;
    for (unsigned half = 0; half < 2; half++)
        yes[half] = combine == SIM_COMBINE_AND   ? yes[half] & with
                    : combine == SIM_COMBINE_OR  ? yes[half] | with
                    : combine == SIM_COMBINE_XOR ? yes[half] ^ with
                                                 : yes[half];
    uint32_t *d = SIM_SLOT(w, in->d);
    if (form == SIM_FORM_PREDICATE) {
        *d = sim_merge(*d, yes[0], w->mask);
        if (in->e != SIM_NO_OPERAND) {
            uint32_t *e = SIM_SLOT(w, in->e);
            *e = sim_merge(*e, yes[1], w->mask);
        }
        return in + 1;
    }
    const uint32_t truth = form == SIM_FORM_F16 ? 0x3c00 : form == SIM_FORM_BF16 ? 0x3f80 : 0xffff;
    SIM_FOR_LANES
    if (w->mask >> i & 1)
        d[i] = (yes[0] >> i & 1 ? truth : 0) | (yes[1] >> i & 1 ? truth << 16 : 0);
    return in + 1;
}

SIM_HANDLER(compare_f16x2) {
    return compare_pair(w, in, false);
}

SIM_HANDLER(compare_bf16x2) {
    return compare_pair(w, in, true);
}

#include "sim/exec/lanes/lanes_list.h"
#undef COMPARE
#undef COMPARE_FTZ
#undef COMPARE_HALF
#undef COMPARE_HALF2
#undef TEST

/* The types of the result and of the third operand are filled in from the words. */
#define SIM_COMPARE_ROW(names, ftz, set_types, types, T, run)                                                \
    SIM_ROW("{setp." names "{|.and|.or|.xor}" ftz "." types "|set." names "{|.and|.or|.xor}" ftz             \
            "." set_types "." types "}",                                                                     \
            run, PRED, PRED, T, T, PRED, NONE, .flags = SIM_ROW_COMPARE)
#define COMPARE(names, types, T, condition) SIM_COMPARE_ROW(names, "", "{u32|s32|f32}", types, T, SIM_ID)
#define COMPARE_FTZ(names, types, T, condition)                                                              \
    SIM_COMPARE_ROW(names, ".ftz", "{u32|s32|f32}", types, T, SIM_ID)
#define COMPARE_HALF(names, ftz, types, T)                                                                   \
    SIM_COMPARE_ROW(names, ftz, "{f16|bf16|u16|s16|u32|s32}", types, T, SIM_CAT(compare_, types_##T))
#define COMPARE_HALF2(names, ftz, types, T)                                                                  \
    SIM_COMPARE_ROW(names, ftz, "{f16x2|bf16x2|u32|s32}", types, T, SIM_CAT(compare_, types_##T))
#define types_F16    f16
#define types_BF16   bf16
#define types_F16X2  f16x2
#define types_BF16X2 bf16x2
#define TEST(name, types, T, condition)                                                                      \
    SIM_ROW(name "." types, SIM_ID, PRED, NONE, T, NONE, NONE, NONE, .small = 0)

const struct sim_row sim_rows_compare[] = {
#include "sim/exec/lanes/ops_compare.h"
    {.pattern = NULL}};
