#include "sim/exec/lanes/half.h"
#include "sim/exec/lanes/lanes_handlers.h"

/* A line's value becomes an inline function of 16-bit operands.  Two handlers call it: one for single values,
 * one for pairs in a register. */
#define HALF_ID SIM_CAT(half_, __LINE__)
/* OP1's loop for partial masks, used for all masks: with half the lanes active it costs as much. */
#define SIM_SELECTED_LANES(D, gets, value)                                                                   \
    LANE_##D *d_s = SIM_SLOT(w, in->d);                                                                      \
    const struct sim_modifiers m = in->mod;                                                                  \
    const uint32_t mask = w->mask;                                                                           \
    SIM_IVDEP SIM_FOR_LANES {                                                                                \
        gets const LANE_##D result = value;                                                                  \
        d_s[i] = mask & (1u << i) ? result : d_s[i];                                                         \
    }
#define SINGLE_ID SIM_CAT(single_, __LINE__)
#define PAIR_ID   SIM_CAT(pair_, __LINE__)

#define HALF1(pattern, type, T, value)                                                                       \
    SIM_INLINE uint16_t HALF_ID(uint32_t x, struct sim_modifiers m) {                                        \
        const uint16_t a = (uint16_t)x;                                                                      \
        (void)m;                                                                                             \
        return (uint16_t)(value);                                                                            \
    }                                                                                                        \
    SIM_CLONES SIM_HANDLER(SINGLE_ID) {                                                                      \
        SOURCE_U32(a) SIM_SELECTED_LANES(U32, GET_U32(a), HALF_ID(a, m)) return in + 1;                      \
    }                                                                                                        \
    SIM_CLONES SIM_HANDLER(PAIR_ID) {                                                                        \
        SOURCE_U32(a)                                                                                        \
        SIM_SELECTED_LANES(U32, GET_U32(a), HALF_ID(a, m) | (uint32_t)HALF_ID(a >> 16, m) << 16)             \
        return in + 1;                                                                                       \
    }
#define HALF2(pattern, type, T, value)                                                                       \
    SIM_INLINE uint16_t HALF_ID(uint32_t x, uint32_t y, struct sim_modifiers m) {                            \
        const uint16_t a = (uint16_t)x, b = (uint16_t)y;                                                     \
        return (uint16_t)(value);                                                                            \
    }                                                                                                        \
    SIM_CLONES SIM_HANDLER(SINGLE_ID) {                                                                      \
        SOURCE_U32(a)                                                                                        \
        SOURCE_U32(b) SIM_SELECTED_LANES(U32, GET_U32(a) GET_U32(b), HALF_ID(a, b, m)) return in + 1;        \
    }                                                                                                        \
    SIM_CLONES SIM_HANDLER(PAIR_ID) {                                                                        \
        SOURCE_U32(a)                                                                                        \
        SOURCE_U32(b)                                                                                        \
        SIM_SELECTED_LANES(U32, GET_U32(a) GET_U32(b),                                                       \
                           HALF_ID(a, b, m) | (uint32_t)HALF_ID(a >> 16, b >> 16, m) << 16)                  \
        return in + 1;                                                                                       \
    }
#define HALF3(pattern, type, T, value)                                                                       \
    SIM_INLINE uint16_t HALF_ID(uint32_t x, uint32_t y, uint32_t z, struct sim_modifiers m) {                \
        const uint16_t a = (uint16_t)x, b = (uint16_t)y, c = (uint16_t)z;                                    \
        return (uint16_t)(value);                                                                            \
    }                                                                                                        \
    SIM_CLONES SIM_HANDLER(SINGLE_ID) {                                                                      \
        SOURCE_U32(a)                                                                                        \
        SOURCE_U32(b)                                                                                        \
        SOURCE_U32(c)                                                                                        \
        SIM_SELECTED_LANES(U32, GET_U32(a) GET_U32(b) GET_U32(c), HALF_ID(a, b, c, m)) return in + 1;        \
    }                                                                                                        \
    SIM_CLONES SIM_HANDLER(PAIR_ID) {                                                                        \
        SOURCE_U32(a)                                                                                        \
        SOURCE_U32(b)                                                                                        \
        SOURCE_U32(c)                                                                                        \
        SIM_SELECTED_LANES(U32, GET_U32(a) GET_U32(b) GET_U32(c),                                            \
                           HALF_ID(a, b, c, m) | (uint32_t)HALF_ID(a >> 16, b >> 16, c >> 16, m) << 16)      \
        return in + 1;                                                                                       \
    }

#include "sim/exec/lanes/ops_half.h"

#include "sim/exec/lanes/lanes_list.h"
#undef HALF1
#undef HALF2
#undef HALF3
#define SIM_HALF_ROWS(pattern, type, T, A, B, C)                                                             \
    SIM_ROW(pattern "." #type, SINGLE_ID, T, NONE, A, B, C, NONE, .small = 0)                                \
    SIM_ROW(pattern "." #type "x2", PAIR_ID, T##X2, NONE, A##_PAIR, B##_PAIR, C##_PAIR, NONE, .small = 0)
#define PTX_TYPE_F16_PAIR              PTX_TYPE_F16X2
#define PTX_TYPE_BF16_PAIR             PTX_TYPE_BF16X2
#define PTX_TYPE_NONE_PAIR             PTX_TYPE_NONE
#define HALF1(pattern, type, T, value) SIM_HALF_ROWS(pattern, type, T, T, NONE, NONE)
#define HALF2(pattern, type, T, value) SIM_HALF_ROWS(pattern, type, T, T, T, NONE)
#define HALF3(pattern, type, T, value) SIM_HALF_ROWS(pattern, type, T, T, T, T)

const struct sim_row sim_rows_half[] = {
#include "sim/exec/lanes/ops_half.h"
    {.pattern = NULL}};
