/* Bit fields, counts and permutations of one lane, by PTX's definitions. */
#ifndef WIDELOAD_SIM_BITS_H
#define WIDELOAD_SIM_BITS_H

#include "sim/exec/inline.h"

#include <stdbool.h>
#include <stdint.h>

/* The mask of the length low bits. */
SIM_INLINE uint32_t low_32(uint32_t length) {
    return length > 31 ? UINT32_MAX : (1u << (length & 31)) - 1;
}

SIM_INLINE uint64_t low_64(uint32_t length) {
    return length > 63 ? UINT64_MAX : (UINT64_C(1) << (length & 63)) - 1;
}

/* bfe: bits pos .. pos + length - 1 of x; the top one fills the rest if signed.  Whatever PTX says, 32-bit
 * fields use only the low 8 bits of pos and length, and 64-bit fields, which are a sequence of instructions,
 * use all.  Bits above the top of x are zeros, or its sign. */
SIM_INLINE uint32_t extract_u32(uint32_t x, uint32_t pos, uint32_t length) {
    pos &= 0xff;
    return (pos > 31 ? 0 : x >> (pos & 31)) & low_32(length & 0xff);
}

SIM_INLINE uint64_t extract_u64(uint64_t x, uint32_t pos, uint32_t length) {
    return (pos > 63 ? 0 : x >> (pos & 63)) & low_64(length);
}

SIM_INLINE int32_t extract_s32(int32_t x, uint32_t pos, uint32_t length) {
    pos &= 0xff;
    length &= 0xff;
    const uint32_t above = length > 31 ? 0 : (32 - length) & 31;
    const uint32_t field = (uint32_t)(x >> (pos > 31 ? 31 : pos)) << above;
    return length ? (int32_t)field >> above : 0;
}

SIM_INLINE int64_t extract_s64(int64_t x, uint32_t pos, uint32_t length) {
    const uint32_t above = length > 63 ? 0 : (64 - length) & 63;
    const uint64_t field = (uint64_t)(x >> (pos > 63 ? 63 : pos)) << above;
    return length ? (int64_t)field >> above : 0;
}

/* bfi: replaces bits pos .. pos + length - 1 of b by a's low bits. */
SIM_INLINE uint32_t insert_32(uint32_t a, uint32_t b, uint32_t pos, uint32_t length) {
    pos &= 0xff;
    const uint32_t field = pos > 31 ? 0 : low_32(length & 0xff) << (pos & 31);
    return (b & ~field) | (a << (pos & 31) & field);
}

SIM_INLINE uint64_t insert_64(uint64_t a, uint64_t b, uint32_t pos, uint32_t length) {
    const uint64_t field = pos > 63 ? 0 : low_64(length) << (pos & 63);
    return (b & ~field) | (a << (pos & 63) & field);
}

/* bfind: the position of the highest set bit, or all ones if there is none. */
SIM_INLINE uint32_t highest_32(uint32_t x) {
    return x ? 31u - (uint32_t)__builtin_clz(x) : UINT32_MAX;
}

SIM_INLINE uint32_t highest_64(uint64_t x) {
    return x ? 63u - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

SIM_INLINE uint32_t reverse_32(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

SIM_INLINE uint64_t reverse_64(uint64_t x) {
    return (uint64_t)reverse_32((uint32_t)x) << 32 | reverse_32((uint32_t)(x >> 32));
}

SIM_INLINE uint32_t count_32(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

SIM_INLINE uint32_t count_64(uint64_t x) {
    return count_32((uint32_t)x) + count_32((uint32_t)(x >> 32));
}

/* fns: the |n|-th set bit of mask from base on, upwards for n > 0, downwards for n < 0; base itself for 0.
 * For the one n whose |n| does not fit into an int32_t the result is 0. */
SIM_INLINE uint32_t nth_set(uint32_t mask, uint32_t base, int32_t n) {
    if (n == INT32_MIN)
        return 0;
    if (n == 0)
        return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
    const int64_t step = n > 0 ? 1 : -1;
    int64_t left = n > 0 ? n : -(int64_t)n;
    for (int64_t at = base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}

/* bmsk: length ones from bit pos on. */
SIM_INLINE uint32_t mask_of(uint32_t pos, uint32_t length) {
    return pos > 31 ? 0 : low_32(length) << (pos & 31);
}

/* szext: extends x's low bits to 32. */
SIM_INLINE uint32_t extend_u32(uint32_t x, uint32_t bits) {
    return x & low_32(bits);
}

SIM_INLINE uint32_t extend_s32(uint32_t x, uint32_t bits) {
    const bool negative = bits - 1 < 31 && (x >> ((bits - 1) & 31) & 1);
    return negative ? x | ~low_32(bits) : x & low_32(bits);
}

/* The four-nibble selector for prmt's other modes: the mode decides byte i of the result from i. */
#define SIM_SELECTOR(byte_0, byte_1, byte_2, byte_3)                                                         \
    ((uint32_t)(byte_0) | (uint32_t)(byte_1) << 4 | (uint32_t)(byte_2) << 8 | (uint32_t)(byte_3) << 12)

SIM_INLINE uint32_t selector_f4e(uint32_t n) {
    n &= 3;
    return SIM_SELECTOR(n, n + 1, n + 2, n + 3);
}

SIM_INLINE uint32_t selector_b4e(uint32_t n) {
    n &= 3;
    return SIM_SELECTOR(n, (n - 1) & 7, (n - 2) & 7, (n - 3) & 7);
}

SIM_INLINE uint32_t selector_rc8(uint32_t n) {
    return (n & 3) * 0x1111;
}

SIM_INLINE uint32_t selector_ecl(uint32_t n) {
    n &= 3;
    return SIM_SELECTOR(n, n > 1 ? n : 1, n > 2 ? n : 2, 3);
}

SIM_INLINE uint32_t selector_ecr(uint32_t n) {
    n &= 3;
    return SIM_SELECTOR(0, n < 1 ? n : 1, n < 2 ? n : 2, n);
}

SIM_INLINE uint32_t selector_rc16(uint32_t n) {
    return n & 1 ? 0x3232 : 0x1010;
}

/* The selector's nibble i decides byte i of the result: byte number (low three bits) of b:a, or, if the
 * nibble's top bit is set, eight copies of that byte's sign bit. */
SIM_INLINE uint32_t permute_byte(uint64_t bytes, uint32_t nibble) {
    const uint32_t byte = bytes >> 8 * (nibble & 7) & 0xff;
    return nibble & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

SIM_INLINE uint32_t permute(uint32_t a, uint32_t b, uint32_t selector) {
    const uint64_t bytes = (uint64_t)b << 32 | a;
    return permute_byte(bytes, selector) | permute_byte(bytes, selector >> 4) << 8 |
           permute_byte(bytes, selector >> 8) << 16 | permute_byte(bytes, selector >> 12) << 24;
}

#endif
