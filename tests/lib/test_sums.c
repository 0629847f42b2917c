/* The kernels of wl_add for long arrays, at small sizes: bit for bit the results of the general kernels,
 * which test_add.c compares with C.  On the simulator, or the device that WIDELOAD_DEVICE names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "device.h"
#include "lib/slots.h"

static const struct {
    unsigned bytes;
    wl__kernel any, alike;
} kinds[] = {
    {1, WL_KERNEL_add_any_8, WL_KERNEL_add_alike_8},
    {2, WL_KERNEL_add_any_16, WL_KERNEL_add_alike_16},
    {4, WL_KERNEL_add_any_32, WL_KERNEL_add_alike_32},
    {8, WL_KERNEL_add_any_64, WL_KERNEL_add_alike_64},
    {2, WL_KERNEL_add_any_f16, WL_KERNEL_add_alike_f16},
    {2, WL_KERNEL_add_any_bf16, WL_KERNEL_add_alike_bf16},
    {4, WL_KERNEL_add_any_f32, WL_KERNEL_add_alike_f32},
    {8, WL_KERNEL_add_any_f64, WL_KERNEL_add_alike_f64},
};

static void add(wl__kernel kernel, wl_devptr out, wl_devptr a, wl_devptr b, uint64_t bytes,
                const char *what) {
    const wl_devptr inputs[] = {a, b};
    if (wl__slots_launch(context, kernel, out, inputs, 2, bytes, NULL) || wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
}

/* All three arrays begin `shift` bytes past 16; a and b are in other sectors and lines than the output. */
static void compare(size_t kind, uint64_t bytes, unsigned shift) {
    char what[80];
    snprintf(what, sizeof(what), "kind %zu, %llu bytes from +%u", kind, (unsigned long long)bytes, shift);
    const size_t words = bytes / 4 + 64;
    struct array a = array_make(context, words, 0, 5), b = array_make(context, words, 0, 6),
                 out = array_make(context, words, 0, 7);
    wl_devptr to = out.device + 48 + shift, x = a.device + 16 + shift, y = b.device + 128 + shift;
    add(kinds[kind].any, to, x, y, bytes, what);
    uint32_t *right;
    uint32_t *fetched = array_fetch(context, &out, &right, what);
    array_send(context, &out);
    memcpy(array_words(&out), right, 4 * words);
    free(fetched);
    add(kinds[kind].alike, to, x, y, bytes, what);
    array_compare(context, &out, what);
    array_compare(context, &a, what);
    array_compare(context, &b, what);
    /* In place of an input. */
    add(kinds[kind].any, x, x, y, bytes, what);
    fetched = array_fetch(context, &a, &right, what);
    array_send(context, &a);
    memcpy(array_words(&a), right, 4 * words);
    free(fetched);
    add(kinds[kind].alike, x, x, y, bytes, what);
    array_compare(context, &a, what);
    array_free(context, &a);
    array_free(context, &b);
    array_free(context, &out);
}

static void every_kind_and_shift(void **state) {
    (void)state;
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
        for (unsigned shift = 0; shift < 16; shift += kinds[kind].bytes)
            for (uint64_t elements = 1; elements < 12000; elements = elements * 3 + shift % 3)
                compare(kind, elements * kinds[kind].bytes, shift);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_and_shift)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
