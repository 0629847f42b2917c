/* The recorder's JSON: records are readable whatever a name contains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "sim/cuda/record/profile_text.h"

static void test_strings(void **state) {
    (void)state;
    static const struct {
        const char *text, *read;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"a\"b\\c\n\t\x01", "a\"b\\c\n\t\x01"},
        {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        /* The first and the last character of each length. */
        {"\x7f", "\x7f"},
        {"\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf"},
        {"\xe0\xa0\x80\xef\xbf\xbf", "\xe0\xa0\x80\xef\xbf\xbf"},
        {"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
        {"\xc1\xbf", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf5\x80\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        /* Invalid UTF-8: stray bytes, overlong ones, a surrogate, past the end, truncated. */
        {"\x80z", "\xef\xbf\xbdz"},
        {"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xff", "\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile_text text = {0};
        profile_put(&text, "{");
        profile_put_name(&text, "number");
        profile_put_number(&text, UINT64_MAX >> 1);
        profile_put_name(&text, "string");
        profile_put_string(&text, cases[i].text);
        profile_put_name(&text, "nothing");
        profile_put_string(&text, NULL);
        profile_put_name(&text, "signed");
        profile_put_signed(&text, INT64_MIN);
        profile_put(&text, "}");
        assert_false(text.failed);
        json_t *object = json_loadb(text.data, text.size, 0, NULL);
        assert_non_null(object);
        assert_string_equal(json_string_value(json_object_get(object, "string")), cases[i].read);
        assert_true(json_integer_value(json_object_get(object, "number")) == INT64_MAX);
        assert_true(json_integer_value(json_object_get(object, "signed")) == INT64_MIN);
        assert_true(json_is_null(json_object_get(object, "nothing")));
        json_decref(object);
        profile_text_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_strings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
