#include "matrix/powers.h"

#include <pthread.h>

#include "matrix/decimal.h"

typedef unsigned __int128 u128;

static struct power table[POWERS];

/* Each step loses less than 2 of a mantissa of 2^127 or more, so 350 steps lose less than POWER_ERROR. */
static void fill(void) {
    struct power power = {.mantissa = (u128)1 << 127, .exponent = -127};
    table[-LEAST_POWER] = power;
    for (int q = 1; q <= MOST_POWER; q++) {
        /* 10 = 5/4 * 8 */
        const u128 more = power.mantissa + (power.mantissa >> 2);
        const bool carries = more < power.mantissa;
        power.mantissa = carries ? (power.mantissa >> 1) + (power.mantissa >> 3) : more;
        power.exponent += carries ? 4 : 3;
        table[q - LEAST_POWER] = power;
    }
    power = table[-LEAST_POWER];
    for (int q = -1; q >= LEAST_POWER; q--) {
        /* 1/10 = 4/5 / 8, or 8/5 / 16 */
        const u128 fifth = power.mantissa / 5;
        const unsigned rest = (unsigned)(power.mantissa % 5);
        const bool half = fifth >> 125 == 0;
        power.mantissa = half ? fifth * 8 + rest * 8 / 5 : fifth * 4 + rest * 4 / 5;
        power.exponent -= half ? 4 : 3;
        table[q - LEAST_POWER] = power;
    }
}

void decimal_prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
}

const struct power *decimal_power(int q) {
    return &table[q - LEAST_POWER];
}
