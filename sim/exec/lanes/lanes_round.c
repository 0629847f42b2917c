/* Compiled with -frounding-math.  The loops read operands from and write results to memory that fesetround()
 * might access, so the compiler keeps them between its calls. */
#include <fenv.h>

#include "sim/exec/lanes/float.h"
#include "sim/exec/lanes/lanes_handlers.h"

/* Sets a rounding mode; returns the previous one. */
static int begin_rounding(enum sim_rounding rounding) {
    static const int modes[] = {[SIM_RN] = FE_TONEAREST,
                                [SIM_RZ] = FE_TOWARDZERO,
                                [SIM_RM] = FE_DOWNWARD,
                                [SIM_RP] = FE_UPWARD,
                                [SIM_RNA] = FE_TONEAREST};
    const int before = fegetround();
    if (modes[rounding] != before)
        fesetround(modes[rounding]);
    return before;
}

static void end_rounding(int before) {
    if (fegetround() != before)
        fesetround(before);
}

#define IN_F32(x, m)  flush_if(x, (m).ftz)
#define OUT_F32(x, m) finish_f32(x, m)
#define IN_F64(x, m)  (x)
#define OUT_F64(x, m) (x)

static inline float finish_f32(float x, struct sim_modifiers m) {
    x = flush_if(x, m.ftz);
    return m.sat ? saturate(x) : canonical(x);
}

#define SIM_OPERAND(T, x) GET_##T(x##_raw) const LANE_##T x = IN_##T(x##_raw, m);
#define SIM_ROUNDED(T, gets, value)                                                                          \
    const int before = begin_rounding(in->mod.rounding);                                                     \
    SIM_ACTIVE_LANES(T, gets, OUT_##T(value, m))                                                             \
    end_rounding(before);                                                                                    \
    return in + 1;
#define SIM_RAW(T, x) const LANE_##T *x##_raw_s = SIM_SLOT(w, in->x);

#define ROUND1(pattern, T, value)                                                                            \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        SIM_RAW(T, a) SIM_ROUNDED(T, SIM_OPERAND(T, a), value)                                               \
    }
#define ROUND2(pattern, T, value)                                                                            \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        SIM_RAW(T, a) SIM_RAW(T, b) SIM_ROUNDED(T, SIM_OPERAND(T, a) SIM_OPERAND(T, b), value)               \
    }
#define ROUND3(pattern, T, value)                                                                            \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        SIM_RAW(T, a)                                                                                        \
        SIM_RAW(T, b)                                                                                        \
        SIM_RAW(T, c) SIM_ROUNDED(T, SIM_OPERAND(T, a) SIM_OPERAND(T, b) SIM_OPERAND(T, c), value)           \
    }

#include "sim/exec/lanes/ops_round.h"

#include "sim/exec/lanes/lanes_list.h"
#undef ROUND1
#undef ROUND2
#undef ROUND3
#define ROUND1(pattern, T, value)                                                                            \
    SIM_ROW(pattern, SIM_ID, T, NONE, T, NONE, NONE, NONE, .flags = SIM_ROW_FALLBACK)
#define ROUND2(pattern, T, value)                                                                            \
    SIM_ROW(pattern, SIM_ID, T, NONE, T, T, NONE, NONE, .flags = SIM_ROW_FALLBACK)
#define ROUND3(pattern, T, value) SIM_ROW(pattern, SIM_ID, T, NONE, T, T, T, NONE, .flags = SIM_ROW_FALLBACK)

const struct sim_row sim_rows_round[] = {
#include "sim/exec/lanes/ops_round.h"
    {.pattern = NULL}};
