/* Random bytes for what is timed, because equal ones may be moved faster. */
#ifndef WIDELOAD_TESTS_RANDOM_BYTES_H
#define WIDELOAD_TESTS_RANDOM_BYTES_H

#include <stdlib.h>

#include "wideload.h"

static inline uint64_t random_word(uint64_t *state) {
    return *state = (*state + 0x9e3779b97f4a7c15u) * 6364136223846793005u ^ *state >> 31;
}

/* Fills whole MiB of a device's memory with 8 of them, again and again. */
static inline wl_error fill_randomly(wl_context *context, wl_devptr to, uint64_t bytes) {
    const uint64_t piece = 1 << 20, words = 8 * piece / sizeof(uint64_t);
    uint64_t *random = malloc(words * sizeof *random), state = 1;
    wl_error error = random ? WL_ERROR_OK : WL_ERROR_OUT_OF_MEMORY;
    for (uint64_t i = 0; random && i < words; i++)
        random[i] = random_word(&state);
    for (uint64_t at = 0; !error && at < bytes; at += piece)
        error = wl_upload(context, to + at, (char *)random + at % (8 * piece), piece);
    free(random);
    return error;
}

#endif
