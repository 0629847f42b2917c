/* An array on the device that is an allocation of its own, so that the simulator detects accesses past it,
 * and what it must hold. */
#ifndef WIDELOAD_TESTS_GUARDED_ARRAY_H
#define WIDELOAD_TESTS_GUARDED_ARRAY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "device.h"

static inline void need(wl_error error) {
    if (error)
        fail_msg("%s: %s", wl_error_name(error), wl_message());
}

/* Bytes on the device and their expected values.  The array begins at `lead`; the bytes before it are its
 * guard. */
struct array {
    size_t lead, bytes;
    unsigned char *host;
    wl_devptr base, device;
};

enum { GUARD = 64 };

static inline struct array make(size_t bytes, size_t shift, uint32_t seed) {
    struct array array = {.lead = GUARD + shift, .bytes = bytes};
    size_t total = array.lead + bytes;
    array.host = malloc(total);
    assert_non_null(array.host);
    uint32_t x = seed * 2654435761u + 12345;
    for (size_t i = 0; i < total; i++) {
        x = x * 1664525u + 1013904223u;
        array.host[i] = (unsigned char)(x >> 24);
    }
    need(wl_alloc(context, &array.base, total));
    need(wl_upload(context, array.base, array.host, total));
    array.device = array.base + array.lead;
    return array;
}

static inline unsigned char *bytes_of(const struct array *array) {
    return array->host + array->lead;
}

/* Compares everything with the device's copy, including the guard, and frees both. */
static inline void check(struct array *array, const char *what) {
    size_t total = array->lead + array->bytes;
    unsigned char *got = malloc(total);
    assert_non_null(got);
    need(wl_download(context, got, array->base, total));
    for (size_t i = 0; i < total; i++)
        if (got[i] != array->host[i])
            fail_msg("%s: byte %td is 0x%02x, not 0x%02x", what, (ptrdiff_t)(i - array->lead), got[i],
                     array->host[i]);
    free(got);
    free(array->host);
    need(wl_free(context, array->base));
}

#endif
