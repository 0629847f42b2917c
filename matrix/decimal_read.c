#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "matrix/decimal.h"
#include "matrix/powers.h"

typedef unsigned __int128 u128;

enum {
    MOST_DIGITS = 19,          /* that surely fit 64 bits */
    MOST_EXPONENT = 100000000, /* more than what a mantissa has of zeros in a line of a file */
};

static inline bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* digits * 10^exponent; with `more`, less than (digits + 1) * 10^exponent. */
struct decimal {
    uint64_t digits;
    int exponent;
    bool more;
};

/* Takes digits in: after the point, each lowers the exponent.  Leading zeros are not counted. */
static inline const char *take_digits(const char *at, struct decimal *decimal, int *count, bool fraction) {
    for (; is_digit(*at); at++) {
        if (*count == MOST_DIGITS) {
            decimal->more |= *at != '0';
            decimal->exponent += !fraction;
            continue;
        }
        decimal->digits = 10 * decimal->digits + (uint64_t)(*at - '0');
        decimal->exponent -= fraction;
        *count += decimal->digits != 0;
    }
    return at;
}

/* The digits, the point and the exponent.  NULL: no number. */
static inline const char *scan(const char *text, struct decimal *decimal) {
    int count = 0, power = 0;
    const char *at = take_digits(text, decimal, &count, false);
    bool any = at > text;
    if (*at == '.') {
        const char *fraction = at + 1;
        at = take_digits(fraction, decimal, &count, true);
        any |= at > fraction;
    }
    if (!any)
        return NULL;
    if (*at != 'e' && *at != 'E')
        return at;
    at++;
    const bool negative = *at == '-';
    at += negative || *at == '+';
    if (!is_digit(*at))
        return NULL;
    for (; is_digit(*at); at++)
        if (power < MOST_EXPONENT)
            power = 10 * power + (*at - '0');
    decimal->exponent += negative ? -power : power;
    return at;
}

/* Rounds value * 2^exponent, whose value is not 0, to a double's bits.  False: it is no normal one. */
static inline bool round_to_bits(u128 value, int exponent, uint64_t *bits) {
    const uint64_t high = (uint64_t)(value >> 64);
    const int top = 127 - __builtin_clzll(high);
    const int biased = top + exponent + 1023;
    if (biased < 1 || biased > 2046)
        return false;
    const uint64_t mantissa = (uint64_t)(value >> (top - 52));
    const u128 rest = value << (127 - top + 53), half = (u128)1 << 127;
    const bool up = rest > half || (rest == half && mantissa % 2);
    *bits = ((uint64_t)(biased - 1) << 52) + mantissa + up;
    return *bits >> 52 <= 2046;
}

/* If all that the number can be rounds to one double, that is it. */
static bool round_exactly(const struct decimal *decimal, double *number) {
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const int q = decimal->exponent;
    /* Both are doubles without rounding, so one operation rounds once. */
    if (decimal->digits >> 53 == 0 && !decimal->more && q >= -22 && q <= 22) {
        *number = q < 0 ? (double)decimal->digits / exact[-q] : (double)decimal->digits * exact[q];
        return true;
    }
    if (decimal->digits == 0 || q < LEAST_POWER || q > MOST_POWER)
        return false;
    const struct power *power = decimal_power(q);
    const int shift = __builtin_clzll(decimal->digits);
    const uint64_t digits = decimal->digits << shift, ten = (uint64_t)(power->mantissa >> 64);
    const u128 low = (u128)digits * ten;
    /* The power is less than ten + 2, and with `more` the digits less than one more. */
    const u128 slack = 2 * (u128)digits + (decimal->more ? ((u128)ten + 2) << shift : 0), high = low + slack;
    uint64_t from, to;
    if (high < low || !round_to_bits(low, power->exponent + 64 - shift, &from) ||
        !round_to_bits(high, power->exponent + 64 - shift, &to) || from != to)
        return false;
    memcpy(number, &from, sizeof from);
    return true;
}

static const char *read_word(const char *text, double *number) {
    static const char *const words[] = {"infinity", "inf", "nan"};
    for (int i = 0; i < 3; i++)
        if (strncasecmp(text, words[i], strlen(words[i])) == 0) {
            *number = i < 2 ? __builtin_inf() : __builtin_nan("");
            return text + strlen(words[i]);
        }
    return NULL;
}

const char *decimal_read(const char *text, double *number) {
    struct decimal decimal = {0};
    const bool negative = *text == '-';
    const char *start = text + (negative || *text == '+');
    const char *end = scan(start, &decimal);
    if (!end)
        end = is_digit(*start) || *start == '.' ? NULL : read_word(start, number);
    else if (!round_exactly(&decimal, number))
        *number = strtod(start, NULL);
    if (end && negative)
        *number = -*number;
    return end;
}

const char *decimal_read_unsigned(const char *text, uint64_t *number) {
    const char *at = text;
    uint64_t value = 0;
    bool fits = true;
    for (; is_digit(*at); at++) {
        /* 19 digits fit. */
        if (at - text < MOST_DIGITS)
            value = 10 * value + (uint64_t)(*at - '0');
        else
            fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
                   !__builtin_add_overflow(value, (uint64_t)(*at - '0'), &value);
    }
    *number = value;
    return fits && at > text ? at : NULL;
}

const char *decimal_read_signed(const char *text, int64_t *number) {
    uint64_t magnitude;
    const bool negative = *text == '-';
    const char *end = decimal_read_unsigned(text + (negative || *text == '+'), &magnitude);
    if (!end || magnitude > (uint64_t)INT64_MAX + negative)
        return NULL;
    *number = (int64_t)(negative ? -magnitude : magnitude);
    return end;
}
