/* Shorthand for reference functions: operands as numbers of 128 bits, results truncated to a width. */
#ifndef WIDELOAD_TESTS_LANES_REFERENCE_H
#define WIDELOAD_TESTS_LANES_REFERENCE_H

#include "tests/exec/lanes/fake.h"

#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* The low bits of x as an unsigned and as a signed number. */
static inline wide u(wide x, unsigned bits) {
    return bits >= 128 ? x : x & (((wide)1 << bits) - 1);
}

static inline wide s(wide x, unsigned bits) {
    const wide low = u(x, bits);
    return low >> (bits - 1) & 1 ? low - ((wide)1 << bits) : low;
}

static inline wide clamp(wide x, wide least, wide most) {
    return x < least ? least : x > most ? most : x;
}

/* Division that rounds down. */
static inline wide shift_down(wide x, unsigned bits) {
    return x >> bits;
}

static inline float as_f32(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static inline double as_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t of_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : 0x7fffffff;
}

static inline uint64_t of_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* REFERENCE(name, bits, value): the low bits of value, which is computed from A, B, C, F (unsigned, with
 * these bits) and SA, SB, SC (signed). */
#define REFERENCE(name, bits, value)                                                                         \
    static uint64_t name(const uint64_t *v) {                                                                \
        const wide A = u(v[0], bits), B = u(v[1], bits), C = u(v[2], bits);                                  \
        const wide SA = s(v[0], bits), SB = s(v[1], bits), SC = s(v[2], bits);                               \
        (void)A, (void)B, (void)C, (void)SA, (void)SB, (void)SC;                                             \
        return (uint64_t)u(value, bits);                                                                     \
    }
/* The same with a result of another width. */
#define REFERENCE_TO(name, bits, to, value)                                                                  \
    static uint64_t name(const uint64_t *v) {                                                                \
        const wide A = u(v[0], bits), B = u(v[1], bits), C = u(v[2], to);                                    \
        const wide SA = s(v[0], bits), SB = s(v[1], bits), SC = s(v[2], to);                                 \
        (void)A, (void)B, (void)C, (void)SA, (void)SB, (void)SC;                                             \
        return (uint64_t)u(value, to);                                                                       \
    }

struct checked_op {
    const char *mnemonic;
    reference_fn *reference;
};

#define CHECK_ALL(list)                                                                                      \
    for (size_t i = 0; i < sizeof(list) / sizeof *(list); i++)                                               \
    check_op((list)[i].mnemonic, (list)[i].reference)

#endif
