/* A line of an ops_*.h list becomes a function over the 32 lanes.
 *
 * Each list is included twice: first with these macros, which make the functions, then after lanes_list.h,
 * which makes the rows that name them.  The line number connects the two.
 *
 * Loops over all lanes have no branch, so the compiler can vectorise them.  On x86-64 each exists twice, for
 * AVX2 and for any processor, and the loader picks one.  A destination may be the same slot as a source: a
 * lane's sources are read before its destination is written.
 */
#ifndef WIDELOAD_SIM_LANES_HANDLERS_H
#define WIDELOAD_SIM_LANES_HANDLERS_H

#include "sim/exec/clones.h"
#include "sim/exec/lanes/lanes_rows.h"
#include "sim/exec/warp.h"

#ifdef __clang__
#define SIM_IVDEP /* clang needs its own pragma, and warns if it cannot vectorise */
#else
#define SIM_IVDEP _Pragma("GCC ivdep")
#endif

#define SIM_CAT2(x, y) x##y
#define SIM_CAT(x, y)  SIM_CAT2(x, y)
#define SIM_ID         SIM_CAT(op_, __LINE__)

#define SIM_HANDLER(name) static const struct sim_insn *name(struct sim_warp *w, const struct sim_insn *in)

/* Registers are untyped: a slot may be written as a float and read as an integer. */
typedef float sim_f32 __attribute__((may_alias));
typedef double sim_f64 __attribute__((may_alias));

static inline uint32_t sim_merge(uint32_t old, uint32_t new_, uint32_t mask) {
    return (old & ~mask) | (new_ & mask);
}

/* Inactive lanes and absent operands may have any value here: it is never used. */
static inline uint32_t sim_predicate(const struct sim_warp *w, int32_t ref) {
    return *(const uint32_t *)SIM_SLOT(w, ref);
}

/* Per type: its slot, a lane's C value in expressions, and how a result is stored.  Values of 16 and 8 bits
 * are widened to int, and a signed 8-bit result is sign-extended to 16 bits, as in a 16-bit register. */
#define SIM_SOURCE_AS(lane, x) const lane *x##_s = SIM_SLOT(w, in->x);
#define SOURCE_PRED(x)         const uint32_t x##_s = sim_predicate(w, in->x);
#define SOURCE_U8(x)           SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_S8(x)           SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_B8(x)           SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_U16(x)          SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_S16(x)          SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_B16(x)          SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_F16(x)          SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_BF16(x)         SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_U32(x)          SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_S32(x)          SIM_SOURCE_AS(int32_t, x)
#define SOURCE_B32(x)          SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_F16X2(x)        SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_BF16X2(x)       SIM_SOURCE_AS(uint32_t, x)
#define SOURCE_F32(x)          SIM_SOURCE_AS(sim_f32, x)
#define SOURCE_U64(x)          SIM_SOURCE_AS(uint64_t, x)
#define SOURCE_S64(x)          SIM_SOURCE_AS(int64_t, x)
#define SOURCE_B64(x)          SIM_SOURCE_AS(uint64_t, x)
#define SOURCE_F64(x)          SIM_SOURCE_AS(sim_f64, x)

#define GET_PRED(x)   const bool x = (x##_s & (1u << i)) != 0;
#define GET_U8(x)     const uint32_t x = (uint8_t)x##_s[i];
#define GET_S8(x)     const int32_t x = (int8_t)x##_s[i];
#define GET_B8(x)     const uint32_t x = (uint8_t)x##_s[i];
#define GET_U16(x)    const uint32_t x = (uint16_t)x##_s[i];
#define GET_S16(x)    const int32_t x = (int16_t)x##_s[i];
#define GET_B16(x)    const uint32_t x = (uint16_t)x##_s[i];
#define GET_F16(x)    const uint16_t x = (uint16_t)x##_s[i];
#define GET_BF16(x)   const uint16_t x = (uint16_t)x##_s[i];
#define GET_U32(x)    const uint32_t x = x##_s[i];
#define GET_S32(x)    const int32_t x = x##_s[i];
#define GET_B32(x)    const uint32_t x = x##_s[i];
#define GET_F16X2(x)  const uint32_t x = x##_s[i];
#define GET_BF16X2(x) const uint32_t x = x##_s[i];
#define GET_F32(x)    const float x = x##_s[i];
#define GET_U64(x)    const uint64_t x = x##_s[i];
#define GET_S64(x)    const int64_t x = x##_s[i];
#define GET_B64(x)    const uint64_t x = x##_s[i];
#define GET_F64(x)    const double x = x##_s[i];

#define LANE_U8     uint32_t
#define LANE_S8     uint32_t
#define LANE_B8     uint32_t
#define LANE_U16    uint32_t
#define LANE_S16    uint32_t
#define LANE_B16    uint32_t
#define LANE_F16    uint32_t
#define LANE_BF16   uint32_t
#define LANE_U32    uint32_t
#define LANE_S32    int32_t
#define LANE_B32    uint32_t
#define LANE_F16X2  uint32_t
#define LANE_BF16X2 uint32_t
#define LANE_F32    sim_f32
#define LANE_TF32   sim_f32
#define LANE_U64    uint64_t
#define LANE_S64    int64_t
#define LANE_B64    uint64_t
#define LANE_F64    sim_f64

#define SET_U8(v)     (uint8_t)(v)
#define SET_S8(v)     (uint16_t)(int8_t)(v)
#define SET_B8(v)     (uint8_t)(v)
#define SET_U16(v)    (uint16_t)(v)
#define SET_S16(v)    (uint16_t)(v)
#define SET_B16(v)    (uint16_t)(v)
#define SET_F16(v)    (uint16_t)(v)
#define SET_BF16(v)   (uint16_t)(v)
#define SET_U32(v)    (uint32_t)(v)
#define SET_S32(v)    (int32_t)(v)
#define SET_B32(v)    (uint32_t)(v)
#define SET_F16X2(v)  (uint32_t)(v)
#define SET_BF16X2(v) (uint32_t)(v)
#define SET_F32(v)    (v)
#define SET_TF32(v)   (v)
#define SET_U64(v)    (uint64_t)(v)
#define SET_S64(v)    (int64_t)(v)
#define SET_B64(v)    (uint64_t)(v)
#define SET_F64(v)    (v)

/* The integer of the same width as a slot: masks of that width keep all lanes of a loop equally wide. */
#define WIDE_U16 uint32_t
#define WIDE_S16 uint32_t
#define WIDE_U32 uint32_t
#define WIDE_S32 uint32_t
#define WIDE_F32 uint32_t
#define WIDE_U64 uint64_t
#define WIDE_S64 uint64_t
#define WIDE_F64 uint64_t

#define BYTES_U16 4
#define BYTES_S16 4
#define BYTES_U32 4
#define BYTES_S32 4
#define BYTES_F32 4
#define BYTES_U64 8
#define BYTES_S64 8
#define BYTES_F64 8

#define SIM_FOR_LANES for (unsigned i = 0; i < SIM_LANES; i++)

#define SIM_EVERY_LANE(D, gets, value)                                                                       \
    LANE_##D *d_s = SIM_SLOT(w, in->d);                                                                      \
    const uint32_t mask = w->mask;                                                                           \
    if (mask == SIM_ALL_LANES) {                                                                             \
        SIM_IVDEP SIM_FOR_LANES {                                                                            \
            gets d_s[i] = SET_##D(value);                                                                    \
        }                                                                                                    \
    } else {                                                                                                 \
        SIM_IVDEP SIM_FOR_LANES {                                                                            \
            gets d_s[i] = mask & (1u << i) ? SET_##D(value) : d_s[i];                                        \
        }                                                                                                    \
    }                                                                                                        \
    return in + 1;

/* d = value, an expression of a (b, c, f). */
#define OP1(pattern, D, A, value)                                                                            \
    SIM_CLONES SIM_HANDLER(SIM_ID) {                                                                         \
        SOURCE_##A(a) SIM_EVERY_LANE(D, GET_##A(a), value)                                                   \
    }
#define OP2(pattern, D, A, B, value)                                                                         \
    SIM_CLONES SIM_HANDLER(SIM_ID) {                                                                         \
        SOURCE_##A(a) SOURCE_##B(b) SIM_EVERY_LANE(D, GET_##A(a) GET_##B(b), value)                          \
    }
#define OP3(pattern, D, A, B, C, value)                                                                      \
    SIM_CLONES SIM_HANDLER(SIM_ID) {                                                                         \
        SOURCE_##A(a) SOURCE_##B(b) SOURCE_##C(c) SIM_EVERY_LANE(D, GET_##A(a) GET_##B(b) GET_##C(c), value) \
    }
#define OP4(pattern, D, A, B, C, F, value)                                                                   \
    SIM_CLONES SIM_HANDLER(SIM_ID) {                                                                         \
        SOURCE_##A(a) SOURCE_##B(b) SOURCE_##C(c) SOURCE_##F(f)                                              \
            SIM_EVERY_LANE(D, GET_##A(a) GET_##B(b) GET_##C(c) GET_##F(f), value)                            \
    }

/* Rare or costly operations: one loop, for any processor.  value may use m, the modifiers.  Fallbacks. */
#define SIM_ACTIVE_LANES(D, gets, value)                                                                     \
    LANE_##D *d_s = SIM_SLOT(w, in->d);                                                                      \
    const struct sim_modifiers m = in->mod;                                                                  \
    const uint32_t mask = w->mask;                                                                           \
    (void)m;                                                                                                 \
    SIM_FOR_LANES                                                                                            \
    if (mask & (1u << i)) {                                                                                  \
        gets d_s[i] = SET_##D(value);                                                                        \
    }
#define SLOW1(pattern, D, A, value)                                                                          \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        SOURCE_##A(a) SIM_ACTIVE_LANES(D, GET_##A(a), value) return in + 1;                                  \
    }
#define SLOW2(pattern, D, A, B, value)                                                                       \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        SOURCE_##A(a) SOURCE_##B(b) SIM_ACTIVE_LANES(D, GET_##A(a) GET_##B(b), value) return in + 1;         \
    }
#define SLOW3(pattern, D, A, B, C, value)                                                                    \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        SOURCE_##A(a) SOURCE_##B(b) SOURCE_##C(c)                                                            \
                SIM_ACTIVE_LANES(D, GET_##A(a) GET_##B(b) GET_##C(c), value) return in +                     \
            1;                                                                                               \
    }

/* Predicates: one word holds all lanes. */
#define PREDICATE1(pattern, value)                                                                           \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        const uint32_t a = sim_predicate(w, in->a);                                                          \
        uint32_t *d = SIM_SLOT(w, in->d);                                                                    \
        *d = sim_merge(*d, value, w->mask);                                                                  \
        return in + 1;                                                                                       \
    }
#define PREDICATE2(pattern, value)                                                                           \
    SIM_HANDLER(SIM_ID) {                                                                                    \
        const uint32_t a = sim_predicate(w, in->a), b = sim_predicate(w, in->b);                             \
        uint32_t *d = SIM_SLOT(w, in->d);                                                                    \
        *d = sim_merge(*d, value, w->mask);                                                                  \
        return in + 1;                                                                                       \
    }

/* Handlers that the .c file defines itself. */
#define RUN(pattern, body, D, E, A, B, C, F, small)
#define SYNC(pattern, body, D, E, A, B, C, F, small, member)

#endif
