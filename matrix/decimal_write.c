/* The shortest decimal of a binary number, as in R. Giulietti's Schubfach: in units of the power of ten just
 * below the gap to the next number, at most one multiple of ten units reads back as the number; if there is
 * none, the nearest whole number of units does. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matrix/decimal.h"
#include "matrix/powers.h"

typedef unsigned __int128 u128;

/* mantissa * 2^exponent.  What lies less than 2^(exponent - 1) away reads back as it. */
struct binary {
    uint64_t mantissa; /* less than 2^54, not 0 */
    int exponent;
};

/* A number in units of 10^power as a fixed-point number with `shift` bits after the point.  It is at least
 * this, and less than SLACK more. */
enum { SLACK = 8 };

static inline u128 scale(uint64_t quarters, const struct power *power) {
    const u128 low = (u128)quarters * (uint64_t)power->mantissa;
    return (u128)quarters * (uint64_t)(power->mantissa >> 64) + (uint64_t)(low >> 64);
}

/* Whether a whole number lies between both bounds, for certain. */
static inline bool is_within(uint64_t number, unsigned shift, u128 low, u128 high) {
    const u128 scaled = (u128)number << shift;
    return scaled > low + SLACK && scaled < high;
}

/* digits * 10^*power is the number.  0: not to be said with this precision. */
static uint64_t shortest(struct binary binary, int *power) {
    /* floor(exponent * log10(2)) */
    *power = (int)((int64_t)binary.exponent * 1292913986 >> 32);
    const struct power *ten = decimal_power(-*power);
    /* Of quarters * 2^(exponent - 2) * ten, scale() has dropped 64 bits. */
    const unsigned shift = (unsigned)-(binary.exponent - 2 + ten->exponent + 64);
    const u128 low = scale(4 * binary.mantissa - 2, ten), middle = scale(4 * binary.mantissa, ten),
               high = scale(4 * binary.mantissa + 2, ten);
    const uint64_t tens = (uint64_t)(high >> shift) / 10 * 10;
    if (is_within(tens, shift, low, high))
        return tens;
    const uint64_t nearest = (uint64_t)((middle + ((u128)1 << (shift - 1))) >> shift);
    return is_within(nearest, shift, low, high) ? nearest : 0;
}

/* ---------------------------------------------------------------- text */

size_t decimal_write_unsigned(char *text, uint64_t number) {
    static const char pairs[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
        "4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
        "828384858687888990919293949596979899";
    char digits[DECIMAL_INTEGER];
    size_t at = sizeof digits;
    for (; number >= 100; number /= 100)
        memcpy(digits + (at -= 2), pairs + 2 * (number % 100), 2);
    if (number >= 10)
        memcpy(digits + (at -= 2), pairs + 2 * number, 2);
    else
        digits[--at] = (char)('0' + number);
    memcpy(text, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

size_t decimal_write_signed(char *text, int64_t number) {
    if (number >= 0)
        return decimal_write_unsigned(text, (uint64_t)number);
    *text = '-';
    return 1 + decimal_write_unsigned(text + 1, -(uint64_t)number);
}

/* Writes digits * 10^power: as 0.00123, 123.45 or 123000 where that is not long, and else as 1.23e-07. */
static size_t put(char *text, uint64_t digits, int power) {
    enum { LONGEST = 17 };
    for (; digits % 10 == 0; digits /= 10)
        power++;
    char *at = text;
    int count = (int)decimal_write_unsigned(text, digits),
        point = count + power; /* digits before the point */
    if (point > LONGEST || point < -3) {
        memmove(text + 2, text + 1, (size_t)count - 1);
        text[1] = '.';
        at += count > 1 ? count + 1 : 1;
        *at++ = 'e';
        return (size_t)(at - text) + decimal_write_signed(at, point - 1);
    }
    if (point >= count) {
        memset(text + count, '0', (size_t)(point - count));
        return (size_t)point;
    }
    if (point > 0) {
        memmove(text + point + 1, text + point, (size_t)(count - point));
        text[point] = '.';
        return (size_t)count + 1;
    }
    memmove(text + 2 - point, text, (size_t)count);
    memcpy(text, "0.000", (size_t)(2 - point));
    return (size_t)(count + 2 - point);
}

/* ---------------------------------------------------------------- numbers */

/* Writes a number that is neither negative nor NaN, from its bits. */
static size_t write_bits(char *text, uint64_t bits, int exponent_bits, int mantissa_bits) {
    const uint64_t hidden = (uint64_t)1 << mantissa_bits, fraction = bits & (hidden - 1);
    const int most = (1 << exponent_bits) - 1, biased = (int)(bits >> mantissa_bits);
    if (biased == most) {
        memcpy(text, "inf", 3);
        return 3;
    }
    if (bits == 0) {
        *text = '0';
        return 1;
    }
    struct binary binary = {.mantissa = biased ? fraction | hidden : fraction,
                            .exponent = (biased ? biased : 1) - (most >> 1) - mantissa_bits};
    /* Whole numbers are frequent. */
    if (binary.exponent <= 0 && binary.exponent >= -mantissa_bits &&
        !(binary.mantissa & (((uint64_t)1 << -binary.exponent) - 1)))
        return decimal_write_unsigned(text, binary.mantissa >> -binary.exponent);
    /* The gap below a power of two is half as large as the one above. */
    if (fraction == 0 && biased > 1) {
        binary.mantissa *= 2;
        binary.exponent--;
    }
    int power;
    const uint64_t digits = shortest(binary, &power);
    if (digits)
        return put(text, digits, power);
    return (size_t)sprintf(text, "%.17g", ldexp((double)binary.mantissa, binary.exponent));
}

size_t decimal_write(char *text, const void *number, unsigned bytes) {
    const int exponent_bits = bytes == 2   ? 5
                              : bytes == 4 ? 8
                                           : 11,
              mantissa_bits = 8 * (int)bytes - 1 - exponent_bits;
    const uint64_t infinity = (((uint64_t)1 << exponent_bits) - 1) << mantissa_bits;
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    uint64_t bits = 0;
    memcpy(&bits, number, bytes); /* of a little-endian machine */
    const uint64_t magnitude = bits & (sign - 1);
    if (magnitude > infinity) {
        memcpy(text, "nan", 3);
        return 3;
    }
    if (magnitude == bits)
        return write_bits(text, magnitude, exponent_bits, mantissa_bits);
    *text = '-';
    return 1 + write_bits(text + 1, magnitude, exponent_bits, mantissa_bits);
}
