#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wideload.h"

static void names_and_texts(void **state) {
    (void)state;
    assert_string_equal(wl_error_name(WL_ERROR_OK), "WL_ERROR_OK");
    assert_string_equal(wl_error_name(WL_ERROR_OUT_OF_MEMORY), "WL_ERROR_OUT_OF_MEMORY");
    assert_string_equal(wl_error_text(WL_ERROR_OUT_OF_MEMORY), "out of memory");
    assert_string_equal(wl_error_text(WL_ERROR_KERNEL_FAULT), "a kernel faulted");
    assert_string_equal(wl_error_name((wl_error)99), "WL_ERROR_UNKNOWN");
    assert_string_equal(wl_error_name((wl_error)-1), "WL_ERROR_UNKNOWN");
    assert_non_null(wl_error_text((wl_error)99));
    assert_string_equal(wl_version(), WL_VERSION_STRING);
}

static void message_is_empty_before_a_failure(void **state) {
    (void)state;
    assert_string_equal(wl_message(), "");
}

static void null_arguments(void **state) {
    (void)state;
    wl_devptr address;
    wl_device_info info;
    wl_counters counters;
    char byte = 0;
    assert_int_equal(wl_open(NULL, "sim"), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_alloc(NULL, &address, 4), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_free(NULL, 256), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_upload(NULL, 256, &byte, 1), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_download(NULL, &byte, 256, 1), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_fill(NULL, 256, 0, 1, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_synchronize(NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy(NULL, 256, 512, 1, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_get_device_info(NULL, &info), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_get_counters(NULL, &counters), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_reset_counters(NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_set_arch(NULL, "fermi"), WL_ERROR_INVALID_ARGUMENT);
    assert_string_not_equal(wl_message(), "");
    wl_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_is_empty_before_a_failure),
        cmocka_unit_test(names_and_texts),
        cmocka_unit_test(null_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
