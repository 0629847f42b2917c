/* Division that rounds up. */
#ifndef WIDELOAD_LIB_DIVIDE_H
#define WIDELOAD_LIB_DIVIDE_H

#include <stdint.h>

static inline uint64_t wl__divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

#endif
