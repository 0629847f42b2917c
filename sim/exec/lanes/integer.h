/* Integer arithmetic of one lane that C's operators lack or leave undefined in some cases. */
#ifndef WIDELOAD_SIM_INTEGER_H
#define WIDELOAD_SIM_INTEGER_H

#include "sim/exec/inline.h"

#include <stdint.h>

__extension__ typedef unsigned __int128 sim_u128;
__extension__ typedef __int128 sim_s128;

SIM_INLINE uint64_t high_u64(uint64_t a, uint64_t b) {
    return (uint64_t)((sim_u128)a * b >> 64);
}

SIM_INLINE int64_t high_s64(int64_t a, int64_t b) {
    return (int64_t)((sim_s128)a * b >> 64);
}

SIM_INLINE int32_t min_s32(int32_t a, int32_t b) {
    return a < b ? a : b;
}

SIM_INLINE int32_t max_s32(int32_t a, int32_t b) {
    return a > b ? a : b;
}

SIM_INLINE int32_t clamp_s32(int64_t x) {
    return (int32_t)(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x);
}

SIM_INLINE uint32_t low24_u(uint32_t x) {
    return x & 0xffffff;
}

SIM_INLINE int32_t low24_s(uint32_t x) {
    return (int32_t)(x << 8) >> 8;
}

SIM_INLINE uint32_t byte_u(uint32_t x, unsigned i) {
    return x >> 8 * i & 0xff;
}

SIM_INLINE int32_t byte_s(uint32_t x, unsigned i) {
    return (int8_t)(x >> 8 * i);
}

/* a - b| for numbers of at most 16 bits. */
SIM_INLINE uint32_t distance(int32_t a, int32_t b) {
    return (uint32_t)(a < b ? b - a : a - b);
}

/* Packs the low halves of two values into one 32-bit register. */
SIM_INLINE uint32_t pair_u16(uint32_t low, uint32_t high) {
    return (low & 0xffff) | high << 16;
}

/* Division.  The quotient of two 32-bit integers, rounded to double, is on the same side of every integer as
 * the exact one: its error is less than a * 2^-53 / b, and the next integer above is at least 1 / b away
 * unless the quotient is one.  So truncating it is exact, and vector units can divide doubles.  PTX leaves
 * division by zero open: the hardware's sequences give all ones for quotient and remainder.  INT_MIN / -1
 * wraps to INT_MIN, with remainder 0. */
SIM_INLINE uint32_t div_u32(uint32_t a, uint32_t b) {
    const double q = (double)a / (double)(b ? b : 1);
    const uint32_t top = q >= 0x1p31;
    const uint32_t low = (uint32_t)(int32_t)(top ? q - 0x1p31 : q);
    return b ? low + (top << 31) : UINT32_MAX;
}

SIM_INLINE uint32_t rem_u32(uint32_t a, uint32_t b) {
    return b ? a - div_u32(a, b) * b : UINT32_MAX;
}

SIM_INLINE int32_t div_s32(int32_t a, int32_t b) {
    const double q = (double)a / (double)(b ? b : 1);
    return b ? (int32_t)(q < 0x1p31 ? q : -0x1p31) : -1;
}

SIM_INLINE int32_t rem_s32(int32_t a, int32_t b) {
    return b ? (int32_t)((uint32_t)a - (uint32_t)div_s32(a, b) * (uint32_t)b) : -1;
}

SIM_INLINE uint64_t div_u64(uint64_t a, uint64_t b) {
    return !b ? UINT64_MAX : (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

SIM_INLINE uint64_t rem_u64(uint64_t a, uint64_t b) {
    return !b ? UINT64_MAX : (a | b) >> 32 ? a % b : (uint32_t)a % (uint32_t)b;
}

SIM_INLINE int64_t div_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}

SIM_INLINE int64_t rem_s64(int64_t a, int64_t b) {
    return b == 0 ? -1 : b == -1 ? 0 : a % b;
}

#endif
