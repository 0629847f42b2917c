/* A permutation by wl_permute against plain C, with outputs poisoned and guarded. */
#ifndef WIDELOAD_TESTS_PERMUTED_H
#define WIDELOAD_TESTS_PERMUTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "element.h"
#include "permuted_source.h"
#include "wideload.h"
#include "without_small.h"

#define GUARD_BYTES 256
#define POISON      0xA5

struct problem {
    unsigned rank;
    uint64_t sizes[WL_RANK_MAX];
    unsigned order[WL_RANK_MAX];
    const char *strategy; /* NULL: any */
};

/* Through shared memory, with the faster kernel for the device. */
static const char tiles[] = ": tiles:", bulk[] = ": bulk:", async[] = ": async:";

/* False if the case is left to the release.  to_shift and from_shift are in elements.  The input's memory
 * ends with the array, so that the simulator sees what is read beyond it. */
static bool permute(const struct problem *p, unsigned width, unsigned to_shift, unsigned from_shift) {
    if (left_to_release())
        return false;
    uint64_t n = 1;
    for (unsigned i = 0; i < p->rank; i++)
        n *= p->sizes[i];
    uint64_t bytes = n * width, to_at = GUARD_BYTES + to_shift * width, from_at = from_shift * width;
    uint64_t whole = bytes + 2 * GUARD_BYTES + 16 * width, input = from_at + bytes;
    uint8_t *in = malloc(input + 1), *out = malloc(whole), *expected = malloc(whole);
    for (uint64_t i = 0; i < input; i++)
        in[i] = (uint8_t)((i * 2654435761u) >> 11);
    memset(expected, POISON, whole);
    for (uint64_t i = 0; i < n; i++)
        copy_element(expected + to_at + i * width,
                     in + from_at + permuted_source(p->rank, p->sizes, p->order, i) * width, width);
    wl_devptr to, from;
    assert_int_equal(wl_alloc(context, &to, whole), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &from, input), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, from, in, input), WL_ERROR_OK);
    assert_int_equal(wl_fill(context, to, POISON, whole, NULL), WL_ERROR_OK);
    if (wl_permute(context, width, to + to_at, from + from_at, p->rank, p->sizes, p->order, NULL) ||
        wl_synchronize(context))
        fail_msg("%s", wl_message());
    char explained[256];
    snprintf(explained, sizeof(explained), "%s", wl_explain());
    if (p->strategy && !strstr(explained, p->strategy) &&
        !(p->strategy == tiles && (strstr(explained, bulk) || strstr(explained, async))))
        fail_msg("not %s but %s", p->strategy, explained);
    assert_int_equal(wl_download(context, out, to, whole), WL_ERROR_OK);
    for (uint64_t i = 0; i < whole; i++)
        if (out[i] != expected[i])
            fail_msg("%s: shifts %u, %u: byte %lld of %llu", explained, to_shift, from_shift,
                     (long long)i - (long long)to_at, (unsigned long long)bytes);
    wl_free(context, to);
    wl_free(context, from);
    free(in);
    free(out);
    free(expected);
    return true;
}

/* Skips a test on devices without bulk copies. */
static inline void skip_without_bulk(void) {
    const char *arch = getenv("WIDELOAD_ARCH");
    if (arch && strcmp(arch, "sm_90") != 0)
        skip();
}

/* What movers do where the values of open_tiles() do not apply. */
static const struct wl__tuned *with_batches;

/* Transposes would take most of the tiles' problems. */
static int open_tiles(void **state) {
    const int failed = open_without_small(state);
    if (failed)
        return failed;
    with_batches = context->tuned;
    leave_out_batches(context);
    return 0;
}

#endif
