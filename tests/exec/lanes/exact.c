#include "tests/exec/lanes/exact.h"

#include <string.h>

__extension__ typedef unsigned __int128 uwide;

/* An unsigned integer of many 32-bit words, lowest first; bit 0 is 2^-2400.  This is enough for the product
 * of two f64 subnormals (2^-2148) and for that of two large numbers (2^2048). */
enum { WORDS = 150, POINT = 2400 };
struct big {
    uint32_t word[WORDS];
};

static void big_add_at(struct big *x, uint64_t value, int bit) {
    for (int k = 0; k < 64; k += 32) {
        uint64_t carry = (value >> k & 0xffffffff) << (bit % 32);
        for (int at = (bit + k) / 32; carry && at < WORDS; at++) {
            carry += x->word[at];
            x->word[at] = (uint32_t)carry;
            carry >>= 32;
        }
    }
}

static int big_compare(const struct big *x, const struct big *y) {
    for (int i = WORDS - 1; i >= 0; i--)
        if (x->word[i] != y->word[i])
            return x->word[i] < y->word[i] ? -1 : 1;
    return 0;
}

static struct big big_minus(const struct big *x, const struct big *y) {
    struct big r;
    int64_t borrow = 0;
    for (int i = 0; i < WORDS; i++) {
        borrow += (int64_t)x->word[i] - y->word[i];
        r.word[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    return r;
}

static struct big big_plus(const struct big *x, const struct big *y) {
    struct big r;
    uint64_t carry = 0;
    for (int i = 0; i < WORDS; i++) {
        carry += (uint64_t)x->word[i] + y->word[i];
        r.word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return r;
}

static bool big_bit(const struct big *x, int bit) {
    return bit >= 0 && bit < 32 * WORDS && (x->word[bit / 32] >> bit % 32 & 1);
}

static int big_top(const struct big *x) {
    for (int at = WORDS - 1; at >= 0; at--)
        for (int bit = 31; x->word[at] && bit >= 0; bit--)
            if (x->word[at] >> bit & 1)
                return 32 * at + bit;
    return -1;
}

static bool big_any_below(const struct big *x, int bit) {
    if (bit <= 0)
        return false;
    for (int at = 0; at < bit / 32; at++)
        if (x->word[at])
            return true;
    return bit % 32 && (x->word[bit / 32] & ((1u << bit % 32) - 1));
}

static uint64_t ones(int bits) {
    return (UINT64_C(1) << bits) - 1;
}

uint64_t exact_sign(struct exact_format f) {
    return UINT64_C(1) << (f.exponent_bits + f.mantissa_bits);
}

static uint64_t infinity(struct exact_format f) {
    return ones(f.exponent_bits) << f.mantissa_bits;
}

uint64_t exact_nan(struct exact_format f) {
    return exact_sign(f) - 1;
}

static int bias(struct exact_format f) {
    return (1 << (f.exponent_bits - 1)) - 1;
}

uint64_t exact_one(struct exact_format f) {
    return (uint64_t)bias(f) << f.mantissa_bits;
}

bool exact_is_nan(uint64_t bits, struct exact_format f) {
    return (bits & exact_nan(f)) > infinity(f);
}

static bool is_infinite(uint64_t bits, struct exact_format f) {
    return (bits & exact_nan(f)) == infinity(f);
}

static bool is_zero(uint64_t bits, struct exact_format f) {
    return (bits & exact_nan(f)) == 0;
}

bool exact_is_subnormal(uint64_t bits, struct exact_format f) {
    return (bits & infinity(f)) == 0 && !is_zero(bits, f);
}

struct exact_format exact_wider(struct exact_format f) {
    f.exponent_bits = 11;
    return f;
}

bool exact_is_tiny(uint64_t wide, struct exact_format f) {
    const struct exact_format wider = exact_wider(f);
    return (wide & exact_nan(wider)) < (uint64_t)(bias(wider) - bias(f) + 1) << f.mantissa_bits;
}

static bool is_negative(uint64_t bits, struct exact_format f) {
    return (bits & exact_sign(f)) != 0;
}

/* A finite value as mantissa * 2^exponent. */
static uint64_t mantissa(uint64_t bits, struct exact_format f, int *exponent) {
    const int field = (int)(bits >> f.mantissa_bits & ones(f.exponent_bits));
    *exponent = (field ? field : 1) - bias(f) - f.mantissa_bits;
    return (bits & ones(f.mantissa_bits)) | (field ? UINT64_C(1) << f.mantissa_bits : 0);
}

/* Whether a value rounds away from zero, given the next bit and the rest below the kept bits. */
static bool rounds_up(char mode, bool negative, bool odd, bool half, bool rest) {
    switch (mode) {
    case 'n':
        return half && (rest || odd);
    case 'a':
        return half;
    case 'm':
        return negative && (half || rest);
    case 'p':
        return !negative && (half || rest);
    default:
        return false;
    }
}

/* x * 2^-POINT rounded; more: the true value is slightly above x. */
static uint64_t round_big(const struct big *x, bool more, bool negative, struct exact_format f, char mode) {
    const uint64_t sign = negative ? exact_sign(f) : 0;
    const int top = big_top(x);
    if (top < 0 && !more)
        return sign;
    const int lowest = 1 - bias(f) - f.mantissa_bits + POINT; /* the last place of subnormals */
    const int last = top - f.mantissa_bits > lowest ? top - f.mantissa_bits : lowest;
    uint64_t kept = 0;
    for (int bit = top; bit >= last; bit--)
        kept = kept << 1 | big_bit(x, bit);
    kept += rounds_up(mode, negative, kept & 1, big_bit(x, last - 1), more || big_any_below(x, last - 1));
    int place = last;
    if (kept >> (f.mantissa_bits + 1)) {
        kept >>= 1;
        place++;
    }
    if (!(kept >> f.mantissa_bits))
        return sign | kept; /* subnormal */
    const int field = place - POINT + f.mantissa_bits + bias(f);
    if (field >= (int)ones(f.exponent_bits)) {
        const bool to_infinity = mode == 'n' || mode == 'a' || mode == (negative ? 'm' : 'p');
        return sign | (to_infinity ? infinity(f) : infinity(f) - 1);
    }
    return sign | (uint64_t)field << f.mantissa_bits | (kept & ones(f.mantissa_bits));
}

/* |a * b| */
static struct big big_product(uint64_t a, uint64_t b, struct exact_format f) {
    struct big r;
    int ea, eb;
    const uint64_t ma = mantissa(a, f, &ea), mb = mantissa(b, f, &eb);
    memset(&r, 0, sizeof r);
    for (int k = 0; k < 56; k += 8) /* mantissas have at most 53 bits, so none of these overflows */
        big_add_at(&r, ma * (mb >> k & 0xff), POINT + ea + eb + k);
    return r;
}

uint64_t exact_product(uint64_t a, uint64_t b, struct exact_format f, char mode) {
    const bool negative = is_negative(a, f) != is_negative(b, f);
    if (exact_is_nan(a, f) || exact_is_nan(b, f))
        return exact_nan(f);
    if (is_infinite(a, f) || is_infinite(b, f))
        return is_zero(a, f) || is_zero(b, f) ? exact_nan(f) : infinity(f) | (negative ? exact_sign(f) : 0);
    const struct big r = big_product(a, b, f);
    return round_big(&r, false, negative, f, mode);
}

uint64_t exact_sum(uint64_t a, uint64_t b, uint64_t c, struct exact_format f, char mode) {
    const bool first = is_negative(a, f) != is_negative(b, f), second = is_negative(c, f);
    if (exact_is_nan(a, f) || exact_is_nan(b, f) || exact_is_nan(c, f))
        return exact_nan(f);
    if (is_infinite(a, f) || is_infinite(b, f)) {
        if (is_zero(a, f) || is_zero(b, f) || (is_infinite(c, f) && first != second))
            return exact_nan(f);
        return infinity(f) | (first ? exact_sign(f) : 0);
    }
    if (is_infinite(c, f))
        return c;
    const struct big x = big_product(a, b, f), y = big_product(c, exact_one(f), f);
    if (first == second) {
        const struct big r = big_plus(&x, &y);
        return round_big(&r, false, first, f, mode);
    }
    const int order = big_compare(&x, &y);
    if (order == 0)
        return mode == 'm' ? exact_sign(f) : 0;
    const struct big r = order > 0 ? big_minus(&x, &y) : big_minus(&y, &x);
    return round_big(&r, false, order > 0 ? first : second, f, mode);
}

uint64_t exact_quotient(uint64_t a, uint64_t b, struct exact_format f, char mode) {
    const uint64_t sign = is_negative(a, f) != is_negative(b, f) ? exact_sign(f) : 0;
    if (exact_is_nan(a, f) || exact_is_nan(b, f) || (is_infinite(a, f) && is_infinite(b, f)) ||
        (is_zero(a, f) && is_zero(b, f)))
        return exact_nan(f);
    if (is_infinite(a, f) || is_zero(b, f))
        return infinity(f) | sign;
    if (is_infinite(b, f) || is_zero(a, f))
        return sign;
    int ea, eb;
    uint64_t rest = mantissa(a, f, &ea);
    const uint64_t divisor = mantissa(b, f, &eb);
    struct big r;
    memset(&r, 0, sizeof r);
    /* Long division, one bit at a time, 130 places past the point of ma / mb. */
    big_add_at(&r, rest / divisor, POINT + ea - eb);
    rest %= divisor;
    int place = POINT + ea - eb;
    for (int k = 0; k < 130; k++) {
        rest *= 2;
        place--;
        if (rest >= divisor) {
            rest -= divisor;
            big_add_at(&r, 1, place);
        }
    }
    return round_big(&r, rest != 0, sign != 0, f, mode);
}

uint64_t exact_root(uint64_t a, struct exact_format f, char mode) {
    if (is_zero(a, f))
        return a;
    if (exact_is_nan(a, f) || is_negative(a, f))
        return exact_nan(f);
    if (is_infinite(a, f))
        return a;
    int e;
    uint64_t m = mantissa(a, f, &e);
    if (e % 2 != 0) {
        m *= 2;
        e--;
    }
    /* Bit by bit: the largest root with root^2 <= m, by the digit-by-digit method; 70 more binary places. */
    uwide rest = 0, root = 0;
    for (int k = 62; k >= -140; k -= 2) {
        rest = rest << 2 | (k >= 0 ? m >> k & 3 : 0);
        const uwide trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    struct big r;
    memset(&r, 0, sizeof r);
    big_add_at(&r, (uint64_t)root, POINT + e / 2 - 70);
    big_add_at(&r, (uint64_t)(root >> 64), POINT + e / 2 - 70 + 64);
    return round_big(&r, rest != 0, false, f, mode);
}

uint64_t exact_convert(uint64_t a, struct exact_format from, struct exact_format to, char mode) {
    const uint64_t sign = is_negative(a, from) ? exact_sign(to) : 0;
    if (exact_is_nan(a, from))
        return exact_nan(to);
    if (is_infinite(a, from))
        return infinity(to) | sign;
    const struct big r = big_product(a, exact_one(from), from);
    return round_big(&r, false, sign != 0, to, mode);
}

uint64_t exact_from_integer(bool negative, uint64_t magnitude, struct exact_format to, char mode) {
    struct big r;
    memset(&r, 0, sizeof r);
    big_add_at(&r, magnitude, POINT);
    return round_big(&r, false, negative, to, mode);
}

/* The big number rounded to an integer. */
static struct big whole(uint64_t a, struct exact_format f, char mode) {
    struct big r = big_product(a, exact_one(f), f);
    const bool up = rounds_up(mode, is_negative(a, f), big_bit(&r, POINT), big_bit(&r, POINT - 1),
                              big_any_below(&r, POINT - 1));
    memset(r.word, 0, POINT / 8); /* POINT is a multiple of 32 */
    if (up)
        big_add_at(&r, 1, POINT);
    return r;
}

uint64_t exact_whole(uint64_t a, struct exact_format f, char mode) {
    if (exact_is_nan(a, f))
        return exact_nan(f);
    if (is_infinite(a, f))
        return a;
    const struct big r = whole(a, f, mode);
    return round_big(&r, false, is_negative(a, f), f, mode);
}

uint64_t exact_to_integer(uint64_t a, struct exact_format f, char mode, int64_t least, uint64_t most,
                          uint64_t nan) {
    if (exact_is_nan(a, f))
        return nan;
    const bool negative = is_negative(a, f);
    const uint64_t limit = negative ? 0 - (uint64_t)least : most;
    uint64_t magnitude = limit;
    if (!is_infinite(a, f)) {
        const struct big r = whole(a, f, mode);
        if (big_top(&r) < POINT + 64) {
            magnitude = 0;
            for (int bit = 63; bit >= 0; bit--)
                magnitude = magnitude << 1 | big_bit(&r, POINT + bit);
            if (magnitude > limit)
                magnitude = limit;
        }
    }
    return negative ? 0 - magnitude : magnitude;
}
