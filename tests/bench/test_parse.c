#include "tests/bench/test.h"

#include <string.h>

#include "base/nearest.h"
#include "bench/parse.h"

static void numbers_that_are_right(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        {"0", 0},
        {"1", 1},
        {"007", 7},
        {"1K", 1000},
        {"1Ki", 1024},
        {"3M", 3000000},
        {"2Mi", 2097152},
        {"1G", 1000000000},
        {"1Gi", 1073741824},
        {"1Ti", 1099511627776},
        {"2^20", 1048576},
        {"2^0", 1},
        {"0^0", 1},
        {"1^18446744073709551615", 1},
        {"2^63", 9223372036854775808u},
        {"10^19", 10000000000000000000u},
        {"18446744073709551615", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_error error;
        uint64_t value;
        assert_true(bench_parse_number("--size", cases[i].text, &value, &error));
        assert_int_equal(value, cases[i].value);
    }
}

static void numbers_that_are_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "not a size"},
        {"x", "not a size"},
        {"1k", "not a size"},
        {"1KiB", "not a size"},
        {"1i", "not a size"},
        {"1.5", "not a size"},
        {" 1", "not a size"},
        {"1 ", "not a size"},
        {"+1", "not a size"},
        {"0x10", "not a size"},
        {"2^", "not a size"},
        {"2^3K", "not a size"},
        {"-1", "negative"},
        {"-", "not a size"},
        {"18446744073709551616", "does not fit"},
        {"99999999999999999999999999", "does not fit"},
        {"2^64", "does not fit"},
        {"18446744073709552K", "does not fit"},
        {"99999999999T", "does not fit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_error error;
        uint64_t value;
        assert_false(bench_parse_number("--size", cases[i].text, &value, &error));
        assert_true(error.usage);
        assert_non_null(strstr(error.text, "--size"));
        assert_non_null(strstr(error.text, cases[i].says));
    }
}

static void sizes(void **state) {
    (void)state;
    struct base_error error;
    struct bench_size size;
    assert_true(bench_parse_size("--size", "2^20", &size, &error));
    assert_int_equal(size.dimensions, 1);
    assert_true(bench_parse_size("--size", "1x4097", &size, &error));
    assert_int_equal(size.dimensions, 2);
    assert_int_equal(size.extent[1], 4097);
    assert_true(bench_parse_size("--size", "1600x1007x1Ki", &size, &error));
    assert_int_equal(size.dimensions, 3);
    assert_int_equal(size.extent[2], 1024);
    assert_true(bench_parse_size("--size", "0x7", &size, &error));
    assert_int_equal(size.extent[0], 0);
    static const char *const wrong[] = {"x",    "1x",   "x1",          "1xx2", "1x2x3x4x5x6x7x8x9",
                                        "-1x2", "2x-1", "2^31x2^31x2", "1X2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(bench_parse_size("--size", wrong[i], &size, &error));
    assert_false(bench_parse_size("--size", "2^40x2^40", &size, &error));
    assert_non_null(strstr(error.text, "2^60"));
    /* An empty dimension does not excuse an impossible one. */
    assert_false(bench_parse_size("--size", "0x2^63", &size, &error));
}

static void lists(void **state) {
    (void)state;
    struct base_error error;
    struct bench_numbers numbers;
    assert_true(bench_parse_numbers("--offset", "0,11,1Ki", &numbers, &error));
    assert_int_equal(numbers.count, 3);
    assert_int_equal(numbers.items[2], 1024);
    bench_numbers_free(&numbers);
    static const char *const wrong[] = {"", ",", "1,", ",1", "1,,2", "1;2", "1,-2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(bench_parse_numbers("--offset", wrong[i], &numbers, &error));
        bench_numbers_free(&numbers);
    }
    assert_true(bench_parse_numbers("--offset", "3,1,3,1", &numbers, &error));
    assert_int_equal(numbers.count, 2);
    assert_int_equal(numbers.items[0], 3);
    bench_numbers_free(&numbers);
    struct bench_names names;
    assert_true(bench_parse_names("--kernel", "shared,shared-pad", &names, &error));
    assert_int_equal(names.count, 2);
    assert_string_equal(names.items[1], "shared-pad");
    bench_names_free(&names);
    assert_false(bench_parse_names("--kernel", "a,,b", &names, &error));
    bench_names_free(&names);
}

static void ranges(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        uint64_t second, last;
    } cases[] = {
        {"0:32", 33, 1, 32},
        {"5:5", 1, 0, 5},
        {"0:128:8", 17, 8, 128},
        {"0:130:8", 17, 8, 128},
        {"0:1:8", 1, 0, 0},
        {"1:64:x2", 7, 2, 64},
        {"3:100:x3", 4, 9, 81},
        {"1Ki:1Gi:x4", 11, 4096, 1 << 30},
        {"0:4095", 4096, 1, 4095},
        {"2^4:2^6:2^4", 4, 32, 64},
        {"0,1:3,128", 5, 1, 128},
        {"0:8:4,4:12:4", 4, 4, 12},
        /* The step after the last value does not fit into 64 bits. */
        {"18446744073709551614:18446744073709551615", 2, UINT64_MAX, UINT64_MAX},
        {"2^62:18446744073709551615:x2", 2, (uint64_t)1 << 63, (uint64_t)1 << 63},
        {"0:18446744073709551615:2^63", 2, (uint64_t)1 << 63, (uint64_t)1 << 63},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_error error;
        struct bench_numbers numbers;
        if (!bench_parse_numbers("--offset", cases[i].text, &numbers, &error))
            fail_msg("%s", error.text);
        assert_int_equal(numbers.count, cases[i].count);
        if (numbers.count > 1)
            assert_int_equal(numbers.items[1], cases[i].second);
        assert_int_equal(numbers.items[numbers.count - 1], cases[i].last);
        bench_numbers_free(&numbers);
    }
}

static void ranges_that_are_wrong(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {":", "not a range"},
        {"0:", "not a range"},
        {":32", "not a range"},
        {"0:32:", "not a range"},
        {"0:32:x", "not a range"},
        {"0:1:2:3", "not a range"},
        {"0:32,", "not a size"},
        {"a:32", "not a size"},
        {"0:b", "not a size"},
        {"0:8:c", "not a size"},
        {"0:-8", "negative"},
        {"0:2^64", "does not fit"},
        {"32:0", "backwards"},
        {"0:32:0", "never end"},
        {"1:32:x1", "never end"},
        {"1:32:x0", "never end"},
        {"0:32:x2", "stays 0"},
        {"1x2:3x4", "single numbers"},
        {"0:4096", "more than 4096"},
        {"0:18446744073709551615", "more than 4096"},
        {"0:4000,5000:9000", "more than 4096"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct base_error error;
        struct bench_numbers numbers;
        assert_false(bench_parse_numbers("--stride", cases[i].text, &numbers, &error));
        assert_true(error.usage);
        assert_non_null(strstr(error.text, "--stride"));
        if (!strstr(error.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].says);
        bench_numbers_free(&numbers);
    }
}

static void lists_of_sizes(void **state) {
    (void)state;
    struct base_error error;
    struct bench_sizes sizes;
    assert_true(bench_parse_sizes("--size", "1Mi,512x1Ki,1048576,512x1024,1x2x3", &sizes, &error));
    assert_int_equal(sizes.count, 3);
    assert_int_equal(sizes.items[1].dimensions, 2);
    assert_int_equal(sizes.items[1].extent[1], 1024);
    assert_int_equal(sizes.items[2].dimensions, 3);
    bench_sizes_free(&sizes);
    assert_true(bench_parse_sizes("--size", "1Ki:1Gi:x4,7", &sizes, &error));
    assert_int_equal(sizes.count, 12);
    assert_int_equal(sizes.items[10].dimensions, 1);
    assert_int_equal(sizes.items[10].extent[0], 1 << 30);
    bench_sizes_free(&sizes);
    static const struct {
        const char *text, *says;
    } wrong[] = {{"", "not a size"},       {"1,", "not a size"},
                 {"1x2:3x4:x2", "single"}, {"512x512:1024x1024", "single"},
                 {"2^60:2^61:x2", "2^60"}, {"1,2^61", "2^60"},
                 {"1:8x8", "single"},      {"8:1", "backwards"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(bench_parse_sizes("--size", wrong[i].text, &sizes, &error));
        assert_true(error.usage);
        if (!strstr(error.text, wrong[i].says))
            fail_msg("'%s' does not say '%s'", error.text, wrong[i].says);
        bench_sizes_free(&sizes);
    }
}

static void blocks(void **state) {
    (void)state;
    struct base_error error;
    struct bench_blocks blocks;
    assert_true(bench_parse_blocks("--block", "512,32x8,1,1024", &blocks, &error));
    assert_int_equal(blocks.count, 4);
    assert_int_equal(blocks.items[0].x, 512);
    assert_int_equal(blocks.items[0].y, 1);
    assert_int_equal(blocks.items[1].x, 32);
    assert_int_equal(blocks.items[1].y, 8);
    bench_blocks_free(&blocks);
    assert_true(bench_parse_blocks("--block", "128:1024:x2,32x8,256x1", &blocks, &error));
    assert_int_equal(blocks.count, 5);
    assert_int_equal(blocks.items[3].x, 1024);
    assert_int_equal(blocks.items[4].y, 8);
    bench_blocks_free(&blocks);
    static const char *const wrong[] = {"0",         "1025", "32x33", "32x0",         "8x8x8",
                                        "2^32x2^32", "",     "a",     "512:2048:512", "8x8:8x16"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(bench_parse_blocks("--block", wrong[i], &blocks, &error));
        bench_blocks_free(&blocks);
    }
}

static void positive_numbers(void **state) {
    (void)state;
    struct base_error error;
    double value;
    assert_true(bench_parse_positive("--peak", "4814.5", &value, &error));
    assert_true(value == 4814.5);
    static const char *const wrong[] = {"", "0", "-1", "nan", "inf", "1e999", "1x", "GB"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(bench_parse_positive("--peak", wrong[i], &value, &error));
}

static void nearest_names(void **state) {
    (void)state;
    static const char *const names[] = {"copy", "add", "transpose", "csr-transpose", "matmul"};
    assert_int_equal(base_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(base_edit_distance("", "abc"), 3);
    assert_int_equal(base_edit_distance("COPY", "copy"), 0);
    assert_string_equal(base_nearest("transpos", names, 5), "transpose");
    assert_string_equal(base_nearest("mamtul", names, 5), "matmul");
    assert_string_equal(base_nearest("cpoy", names, 5), "copy");
    assert_null(base_nearest("zzzzzzzzzz", names, 5));
    assert_null(base_nearest("nope", names, 5));
    assert_int_equal(base_edit_distance("abcd", "badc"), 2);
    assert_int_equal(base_edit_distance("abc", "ca"), 3);
    assert_int_equal(base_edit_distance("", "ab"), 2);
    assert_null(base_nearest("x", names, 0));
    char longest[500];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_null(base_nearest(longest, names, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_that_are_right),
        cmocka_unit_test(numbers_that_are_wrong),
        cmocka_unit_test(sizes),
        cmocka_unit_test(lists),
        cmocka_unit_test(ranges),
        cmocka_unit_test(ranges_that_are_wrong),
        cmocka_unit_test(lists_of_sizes),
        cmocka_unit_test(blocks),
        cmocka_unit_test(positive_numbers),
        cmocka_unit_test(nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
