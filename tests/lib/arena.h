/* Arrays on a device for tests of kernels: poisoned, guarded, shifted by whole elements. */
#ifndef WIDELOAD_TESTS_ARENA_H
#define WIDELOAD_TESTS_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wideload.h"

/* Words (4 bytes) of guard on either side of an array. */
#define GUARD 32

struct array {
    uint32_t *host;   /* expected contents on the device: guard, shift, words, guard */
    size_t total;     /* words of all these */
    size_t words;     /* words of the array */
    size_t start;     /* the array's first word in host */
    wl_devptr base;   /* the allocation */
    wl_devptr device; /* the array's first word on the device */
};

/* Fills an array with values that depend on seed and place, also on the device.  shift: distance in words
 * from a 256-byte boundary.  Fails the test if it cannot. */
struct array array_make(wl_context *context, size_t words, unsigned shift, uint32_t seed);
uint32_t *array_words(struct array *array);
/* Sends the host's contents again. */
void array_send(wl_context *context, struct array *array);
/* Fetches the array from the device and compares its guards.  The caller frees the result; *words points to
 * the array's beginning in it. */
uint32_t *array_fetch(wl_context *context, struct array *array, uint32_t **words, const char *what);
/* Compares everything with the host's copy, bit for bit; fails the test at the first difference. */
void array_compare(wl_context *context, struct array *array, const char *what);
void array_free(wl_context *context, struct array *array);

/* A hash of its argument. */
static inline uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

#endif
