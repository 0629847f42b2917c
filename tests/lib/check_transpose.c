#include "check_transpose.h"

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
#include "element.h"

bool has_async(void) {
    const char *arch = getenv("WIDELOAD_ARCH");
    return !arch || strcmp(arch, "sm_75") != 0;
}

/* The number of elements from the first to the last of all matrices. */
static uint64_t span(uint64_t batch, uint64_t stride, uint64_t outer, uint64_t ld, uint64_t inner) {
    return (batch - 1) * stride + (outer - 1) * ld + inner;
}

/* A layout with its zeros replaced by their defaults. */
static wl_transpose_layout complete(wl_transpose_layout l) {
    l.from_ld = l.from_ld ? l.from_ld : l.cols;
    l.to_ld = l.to_ld ? l.to_ld : l.rows;
    l.from_stride = l.from_stride ? l.from_stride : l.rows * l.from_ld;
    l.to_stride = l.to_stride ? l.to_stride : l.cols * l.to_ld;
    return l;
}

void check_transpose(unsigned width, wl_transpose_layout layout, unsigned to_shift, unsigned from_shift,
                     const char *kernel) {
    if (left_to_release())
        return;
    wl_transpose_layout l = complete(layout);
    size_t from_bytes = width * (from_shift + span(l.batch, l.from_stride, l.rows, l.from_ld, l.cols));
    size_t to_bytes = width * (to_shift + span(l.batch, l.to_stride, l.cols, l.to_ld, l.rows));
    char what[200];
    snprintf(what, sizeof(what),
             "width %u, %llu x %llu, ld %llu and %llu, batch %llu of %llu and %llu, to + %u, "
             "from + %u",
             width, (unsigned long long)l.rows, (unsigned long long)l.cols, (unsigned long long)l.from_ld,
             (unsigned long long)l.to_ld, (unsigned long long)l.batch, (unsigned long long)l.from_stride,
             (unsigned long long)l.to_stride, to_shift, from_shift);

    const size_t from_words = (from_bytes + 3) / 4;
    uint32_t *random = malloc(4 * from_words);
    assert_non_null(random);
    for (size_t i = 0; i < from_words; i++)
        random[i] = mix((uint32_t)i + 12345);
    const uint8_t *from = (const uint8_t *)random;
    wl_devptr from_device;
    assert_int_equal(wl_alloc(context, &from_device, from_bytes), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, from_device, from, from_bytes), WL_ERROR_OK);
    struct array to = array_make(context, (to_bytes + 3) / 4, 0, 99);

    if (wl_transpose_batched(context, width, to.device + to_shift * width, from_device + from_shift * width,
                             &layout, NULL) ||
        wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
    if (kernel && !strstr(wl_explain(), kernel))
        fail_msg("%s: not %s, but %s", what, kernel, wl_explain());
    uint8_t *expected = (uint8_t *)array_words(&to) + to_shift * width;
    for (uint64_t b = 0; b < l.batch; b++)
        for (uint64_t r = 0; r < l.rows; r++)
            for (uint64_t c = 0; c < l.cols; c++)
                copy_element(expected + width * (b * l.to_stride + c * l.to_ld + r),
                             from + width * (from_shift + b * l.from_stride + r * l.from_ld + c), width);
    array_compare(context, &to, what);
    array_free(context, &to);
    assert_int_equal(wl_free(context, from_device), WL_ERROR_OK);
    free(random);
}
