/* Numbers as text: the C library's strtod() says what each text is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/decimal.h"

enum { RANDOM = 200000, TEXT = 64 };

static uint64_t state = 88172645463325252;

static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t bits_of(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* ---------------------------------------------------------------- reading */

static void expect_as_strtod(const char *text) {
    char line[200];
    double number = -7;
    snprintf(line, sizeof line, "%s\n", text);
    const char *end = decimal_read(line, &number);
    if (!end || *end != '\n' || bits_of(number) != bits_of(strtod(text, NULL)))
        fail_msg("%s: read as %a, and not as %a", text, number, strtod(text, NULL));
}

/* A mantissa of many zeros, and an exponent that takes them back, or more than them. */
static void exponents_of_long_mantissas(void **unused) {
    (void)unused;
    enum { ZEROS = 100000 };
    static const struct {
        const char *begin, *end;
    } cases[] = {{"0.", "1e100001\n"}, {"0.", "1e1000001\n"},  {"0.", "1e100309\n"},
                 {"1", "e-100000\n"},  {"1", "e-1000000\n"},   {"1", "e-100001\n"},
                 {"0.", "1e-99999\n"}, {"0.", "1e99999999\n"}, {"1", "e-99999999999\n"}};
    char *text = malloc(ZEROS + 100);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t begin = strlen(cases[i].begin);
        double number = -7;
        memcpy(text, cases[i].begin, begin);
        memset(text + begin, '0', ZEROS);
        strcpy(text + begin + ZEROS, cases[i].end);
        const char *end = decimal_read(text, &number);
        if (!end || *end != '\n' || bits_of(number) != bits_of(strtod(text, NULL)))
            fail_msg("%s..%s: read as %a, and not as %a", cases[i].begin, cases[i].end, number,
                     strtod(text, NULL));
    }
    free(text);
}

static void reals_are_the_nearest_double(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0e99",
        "1",
        "+1",
        "-1.",
        ".5",
        "-.5e1",
        "1E5",
        "1e+05",
        "1e-5",
        "00012.500",
        "1e22",
        "1e23",
        "123456789012345678",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.00000000000000000001",
        "9007199254740991",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "0.1000000000000000055511151231257827021181583404541015625",  /* a double exactly */
        "0.10000000000000001249000902703301107976585626602172851562", /* just below the middle of two */
        "1.00000000000000011102230246251565404236316680908203125",    /* the middle of two: the even one */
        "1.00000000000000011102230246251565404236316680908203126",
        "1.00000000000000033306690738754696212708950042724609375",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "inf",
        "-Infinity",
        "INF"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_as_strtod(texts[i]);
    double number;
    assert_non_null(decimal_read("nan\n", &number));
    assert_true(isnan(number));
}

static void random_texts_are_the_nearest_double(void **unused) {
    (void)unused;
    for (int i = 0; i < RANDOM; i++) {
        char text[TEXT], *at = text;
        const int digits = 1 + (int)(draw() % 24), point = (int)(draw() % 26);
        if (draw() % 2)
            *at++ = '-';
        for (int d = 0; d < digits; d++) {
            if (d == point)
                *at++ = '.';
            *at++ = (char)('0' + draw() % 10);
        }
        *at = 0;
        if (draw() % 2)
            sprintf(at, "e%d", (int)(draw() % (draw() % 4 ? 40 : 700)) - (draw() % 2 ? 20 : 350));
        expect_as_strtod(text);
    }
}

static void what_is_no_number(void **unused) {
    (void)unused;
    static const char *const texts[] = {"\n",     "-\n", "+-1\n", ".\n",  "e5\n",   "1e\n", "1e+\n",
                                        "-.e1\n", "x\n", "i\n",   "na\n", ".inf\n", " 1\n"};
    double number;
    int64_t integer;
    uint64_t natural;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(decimal_read(texts[i], &number));
    /* What follows a number is left to the caller. */
    assert_int_equal(*decimal_read("0x10\n", &number), 'x');
    assert_int_equal(*decimal_read("1D3\n", &number), 'D');
    assert_null(decimal_read_signed("\n", &integer));
    assert_null(decimal_read_signed("--1\n", &integer));
    assert_null(decimal_read_unsigned("-1\n", &natural));
    assert_null(decimal_read_unsigned("+1\n", &natural));
}

static void integers_fit_or_are_refused(void **unused) {
    (void)unused;
    int64_t integer;
    uint64_t natural;
    assert_int_equal(*decimal_read_signed("9223372036854775807\n", &integer), '\n');
    assert_int_equal(integer, INT64_MAX);
    assert_int_equal(*decimal_read_signed("-9223372036854775808\n", &integer), '\n');
    assert_int_equal(integer, INT64_MIN);
    assert_int_equal(*decimal_read_signed("+000000000000000000000012\n", &integer), '\n');
    assert_int_equal(integer, 12);
    assert_int_equal(*decimal_read_unsigned("18446744073709551615\n", &natural), '\n');
    assert_true(natural == UINT64_MAX);
    assert_null(decimal_read_signed("9223372036854775808\n", &integer));
    assert_null(decimal_read_signed("-9223372036854775809\n", &integer));
    assert_null(decimal_read_unsigned("18446744073709551616\n", &natural));
    assert_null(decimal_read_unsigned("99999999999999999999\n", &natural));
    assert_null(decimal_read_unsigned("100000000000000000000\n", &natural));
}

/* ---------------------------------------------------------------- writing */

static const char *written(const void *number, unsigned bytes) {
    static char text[TEXT];
    const size_t length = decimal_write(text, number, bytes);
    assert_true(length <= DECIMAL_REAL);
    text[length] = 0;
    return text;
}

static void reals_are_written_short(void **unused) {
    (void)unused;
    static const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-3, "-3"},
                 {0.1, "0.1"},
                 {-0.5, "-0.5"},
                 {1e-3, "0.001"},
                 {1.5e-4, "0.00015"},
                 {1.5e-5, "1.5e-5"},
                 {123.456, "123.456"},
                 {1e15, "1000000000000000"},
                 {1e16, "10000000000000000"},
                 {9007199254740993e1, "90071992547409940"},
                 {1e17, "1e17"},
                 {1.25e17, "1.25e17"},
                 {1e100, "1e100"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e308"},
                 {HUGE_VAL, "inf"},
                 {-HUGE_VAL, "-inf"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(&cases[i].number, 8), cases[i].text);
    const double nan = -number_of(0x7ff8000000000001);
    assert_string_equal(written(&nan, 8), "nan");
    const float tenth = 0.1F, large = 16777216e6F;
    assert_string_equal(written(&tenth, 4), "0.1");
    assert_string_equal(written(&large, 4), "16777216000000");
}

/* Digits of the shortest text that reads back as the number. */
static int least_digits(double number) {
    char text[TEXT];
    int digits = 1;
    while (snprintf(text, sizeof text, "%.*e", digits - 1, number), strtod(text, NULL) != number)
        digits++;
    return digits;
}

static int count_digits(const char *text) {
    int digits = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && !digits))
            continue;
        digits++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return digits - zeros;
}

static void doubles_read_back_and_are_shortest(void **unused) {
    (void)unused;
    for (int i = 0; i < RANDOM; i++) {
        uint64_t bits = draw();
        if (i % 4 == 1)
            bits = bits_of((double)(int64_t)(bits % 2000000) / 1000);
        else if (i % 4 == 2)
            bits &= 0x800fffffffffffff >> bits % 50; /* subnormal */
        else if (i % 4 == 3)
            bits &= 0xfff0000000000000; /* a power of two */
        const double number = number_of(bits);
        if (isnan(number))
            continue;
        const char *text = written(&number, 8);
        if (bits_of(strtod(text, NULL)) != bits)
            fail_msg("%a is written as %s", number, text);
        /* A shorter one may lie in the middle of two large integers. */
        const bool has_middle = fabs(number) > 0x1p53 && fabs(number) < 0x1p120;
        if (i % 4 != 3 && !has_middle && isfinite(number) && number != 0 &&
            count_digits(text) != least_digits(number))
            fail_msg("%a is written as %s, with more than %d digits", number, text, least_digits(number));
    }
}

static void all_halves_and_random_floats_read_back(void **unused) {
    (void)unused;
    for (unsigned bits = 0; bits < 1 << 16; bits++) {
        const uint16_t half = (uint16_t)bits;
        const int exponent = bits >> 10 & 31, fraction = bits & 1023;
        const double sign = bits >> 15 ? -1 : 1;
        const double number =
            sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
        const char *text = written(&half, 2);
        if (exponent == 31) {
            assert_string_equal(text, fraction ? "nan" : sign < 0 ? "-inf" : "inf");
            continue;
        }
        /* Below a power of two, numbers are half as far apart. */
        const double away = strtod(text, NULL) - number, gap = ldexp(1, (exponent ? exponent : 1) - 25);
        const bool is_inner = !fraction && exponent > 1 && away * sign < 0;
        if (fabs(away) * (is_inner ? 4 : 2) > gap)
            fail_msg("the half 0x%04x is written as %s", bits, text);
    }
    for (int i = 0; i < RANDOM; i++) {
        const uint32_t bits = (uint32_t)draw();
        float number;
        memcpy(&number, &bits, sizeof number);
        if (!isnan(number) && strtof(written(&number, 4), NULL) != number)
            fail_msg("%a is written as %s", number, written(&number, 4));
    }
}

static void integers_are_written(void **unused) {
    (void)unused;
    char text[TEXT], expected[TEXT];
    for (int i = 0; i < 3000; i++) {
        const uint64_t number = i == 0   ? 0
                                : i == 1 ? UINT64_MAX
                                : i == 2 ? (uint64_t)INT64_MIN
                                         : draw() >> i % 64;
        text[decimal_write_unsigned(text, number)] = 0;
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)number);
        assert_string_equal(text, expected);
        text[decimal_write_signed(text, (int64_t)number)] = 0;
        snprintf(expected, sizeof expected, "%lld", (long long)number);
        assert_string_equal(text, expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponents_of_long_mantissas),
        cmocka_unit_test(reals_are_the_nearest_double),
        cmocka_unit_test(random_texts_are_the_nearest_double),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(integers_fit_or_are_refused),
        cmocka_unit_test(reals_are_written_short),
        cmocka_unit_test(doubles_read_back_and_are_shortest),
        cmocka_unit_test(all_halves_and_random_floats_read_back),
        cmocka_unit_test(integers_are_written),
    };
    decimal_prepare();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
