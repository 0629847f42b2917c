/* Floating-point operations by their definition, slow and simple: exact integers of some thousand bits,
 * rounded once.  Shares no code with what it checks.  mode: n to nearest, ties to even; a ties away; z m
 * p. */
#ifndef WIDELOAD_TESTS_LANES_EXACT_H
#define WIDELOAD_TESTS_LANES_EXACT_H

#include <stdbool.h>
#include <stdint.h>

struct exact_format {
    int exponent_bits, mantissa_bits;
};
#define EXACT_F16  ((struct exact_format){5, 10})
#define EXACT_BF16 ((struct exact_format){8, 7})
#define EXACT_TF32 ((struct exact_format){8, 10})
#define EXACT_F32  ((struct exact_format){8, 23})
#define EXACT_F64  ((struct exact_format){11, 52})

bool exact_is_nan(uint64_t bits, struct exact_format format);
bool exact_is_subnormal(uint64_t bits, struct exact_format format);
/* The same format with many more exponents, and whether a number in it is too small for a normal number of
 * the first: how .ftz treats a result that was rounded with an unbounded exponent. */
struct exact_format exact_wider(struct exact_format format);
bool exact_is_tiny(uint64_t wide, struct exact_format format);
uint64_t exact_one(struct exact_format format);
uint64_t exact_sign(struct exact_format format);
/* All exponent and mantissa bits set. */
uint64_t exact_nan(struct exact_format format);

/* a * b + c */
uint64_t exact_sum(uint64_t a, uint64_t b, uint64_t c, struct exact_format format, char mode);
uint64_t exact_product(uint64_t a, uint64_t b, struct exact_format format, char mode);
uint64_t exact_quotient(uint64_t a, uint64_t b, struct exact_format format, char mode);
uint64_t exact_root(uint64_t a, struct exact_format format, char mode);
/* Converts from one format to another. */
uint64_t exact_convert(uint64_t a, struct exact_format from, struct exact_format to, char mode);
/* From an integer. */
uint64_t exact_from_integer(bool negative, uint64_t magnitude, struct exact_format to, char mode);
/* Rounds to a whole number in the same format. */
uint64_t exact_whole(uint64_t a, struct exact_format format, char mode);
/* Converts to an integer between two limits, in two's complement; a NaN gives nan. */
uint64_t exact_to_integer(uint64_t a, struct exact_format from, char mode, int64_t least, uint64_t most,
                          uint64_t nan);

#endif
