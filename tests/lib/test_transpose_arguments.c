/* wl_transpose and wl_transpose_batched: arguments that they refuse, and calls without work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "device.h"

/* The call fails, its message contains `word`, and it writes nothing. */
static void refused(struct array *to, wl_error error, const char *word) {
    assert_int_equal(error, WL_ERROR_INVALID_ARGUMENT);
    if (!strstr(wl_message(), word))
        fail_msg("\"%s\" does not say %s", wl_message(), word);
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    array_compare(context, to, word);
}

static void refusals(void **state) {
    (void)state;
    struct array to = array_make(context, 1024, 0, 1), from = array_make(context, 1024, 0, 2);
    refused(&to, wl_transpose(NULL, 4, to.device, from.device, 8, 8, NULL), "context");
    static const unsigned wrong[] = {0, 3, 5, 12, 32};
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        refused(&to, wl_transpose(context, wrong[i], to.device, from.device, 8, 8, NULL), "width");
    refused(&to, wl_transpose(context, 4, 0, from.device, 8, 8, NULL), "to is NULL");
    refused(&to, wl_transpose(context, 4, to.device, 0, 8, 8, NULL), "from is NULL");
    refused(&to, wl_transpose(context, 4, to.device + 2, from.device, 8, 8, NULL), "to is");
    refused(&to, wl_transpose(context, 8, to.device, from.device + 4, 8, 8, NULL), "from is");
    refused(&to, wl_transpose(context, 4, to.device, to.device + 252, 8, 8, NULL), "overlap");
    refused(&to, wl_transpose(context, 4, to.device, to.device, 1, 1, NULL), "overlap");
    const uint64_t huge = UINT64_C(1) << 32;
    refused(&to, wl_transpose(context, 4, to.device, from.device, huge, huge, NULL), "to goes past");
    refused(&to, wl_transpose(context, 4, to.device, from.device, UINT64_MAX, UINT64_MAX, NULL),
            "to goes past");
    refused(&to, wl_transpose(context, 1, to.device, from.device, UINT64_MAX, 1, NULL), "to goes past");
    refused(&to, wl_transpose_batched(context, 4, to.device, from.device, NULL, NULL), "layout");

    wl_transpose_layout layout = {.rows = 8, .cols = 9, .batch = 2};
    layout.from_ld = 8;
    refused(&to, wl_transpose_batched(context, 4, to.device, from.device, &layout, NULL), "from_ld is 8");
    layout.from_ld = 9, layout.to_ld = 7;
    refused(&to, wl_transpose_batched(context, 4, to.device, from.device, &layout, NULL), "to_ld is 7");
    layout.to_ld = 10, layout.from_stride = 71;
    refused(&to, wl_transpose_batched(context, 4, to.device, from.device, &layout, NULL),
            "from_stride is 71");
    layout.from_stride = 72, layout.to_stride = 87;
    refused(&to, wl_transpose_batched(context, 4, to.device, from.device, &layout, NULL), "to_stride is 87");
    layout.to_stride = 0, layout.batch = UINT64_MAX;
    refused(&to, wl_transpose_batched(context, 4, to.device, from.device, &layout, NULL), "to goes past");
    array_compare(context, &from, "the input");
    array_free(context, &to);
    array_free(context, &from);
}

/* Calls without work succeed, whatever the addresses. */
static void nothing(void **state) {
    (void)state;
    assert_int_equal(wl_transpose(context, 4, 0, 0, 0, 10, NULL), WL_ERROR_OK);
    assert_int_equal(wl_transpose(context, 1, 0, 0, 10, 0, NULL), WL_ERROR_OK);
    wl_transpose_layout layout = {.rows = 10, .cols = 10};
    assert_int_equal(wl_transpose_batched(context, 2, 0, 0, &layout, NULL), WL_ERROR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refusals), cmocka_unit_test(nothing)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
