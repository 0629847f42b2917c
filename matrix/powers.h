/* Powers of ten in 128 bits. */
#ifndef WIDELOAD_MATRIX_POWERS_H
#define WIDELOAD_MATRIX_POWERS_H

enum { LEAST_POWER = -350, MOST_POWER = 350, POWERS = MOST_POWER - LEAST_POWER + 1 };

/* 10^q is at least mantissa * 2^exponent, and less than (mantissa + POWER_ERROR) * 2^exponent.  The
 * mantissa's first bit is 1. */
struct power {
    unsigned __int128 mantissa;
    int exponent;
};
enum { POWER_ERROR = 2048 };

/* Of LEAST_POWER <= q <= MOST_POWER, after decimal_prepare(). */
const struct power *decimal_power(int q);

#endif
