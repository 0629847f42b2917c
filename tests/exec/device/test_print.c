/* printf and assert in kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const char *ptx;
enum { ASSERT_LINE = 66 }; /* in print.cu */

struct output {
    char text[2][1 << 16];
    size_t size[2], calls;
};

static void collect(void *argument, bool error, const char *text, size_t size) {
    struct output *out = argument;
    assert_true(out->size[error] + size < sizeof out->text[error]);
    memcpy(out->text[error] + out->size[error], text, size);
    out->size[error] += size;
    out->text[error][out->size[error]] = 0;
    out->calls++;
}

static void start(struct harness *h, struct output *out) {
    harness_open(h, ptx);
    memset(out, 0, sizeof *out);
    h->with.print = collect;
    h->with.print_argument = out;
    h->with.print_bytes = 1 << 20;
}

static struct output out;

static void test_conversions(void **state) {
    (void)state;
    struct harness h;
    start(&h, &out);
    char *text = harness_buffer(&h, 7);
    strcpy(text, "string");
    void *nothing = NULL;
    assert_true(harness_launch(&h, "conversions", 1, 1, 0, (const void *[]){&text, &nothing}));
    char expect[2048];
    int n = 0;
#define LINE(...) n += snprintf(expect + n, sizeof expect - (size_t)n, __VA_ARGS__)
    LINE("plain\n");
    LINE("%d|%5d|%-5d|%05d|%+d|% d\n", -7, 42, 42, 42, 42, 42);
    LINE("%u|%x|%X|%#x|%o|%#o\n", 3000000000u, 0xbeefu, 0xbeefu, 0xbeefu, 8u, 8u);
    LINE("%lld|%llu|%llx|%ld\n", -5000000000ll, 18446744073709551615ull, 0x123456789abcdefull, -1l);
    LINE("4464|44|4464|44\n");
    LINE("%f|%.2f|%10.3f|%-10.1f|%e|%G|%g|%a\n", 1.5, 3.14159, 2.71828, 9.87, 12345.678, 1e-10, 100000.0,
         1.0);
    LINE("abc|    d|e  |\n");
    LINE("string|    string|string    |str|  string|string  |\n");
    LINE("0x1234|(nil)|(null)\n");
    LINE("%%| 99.5%%|7%%\n");
    LINE("     1|2     |2.000\n");
    LINE("1.000000 and 2.000000 and 3 and 4 and 5.000000\n");
#undef LINE
    assert_string_equal(out.text[0], expect);
    assert_int_equal(out.size[1], 0);
    assert_int_equal(out.calls, 12);
    harness_close(&h);
}

static void test_fields(void **state) {
    (void)state;
    struct harness h;
    start(&h, &out);
    char *text = harness_buffer(&h, 7);
    strcpy(text, "string");
    void *nothing = NULL;
    assert_true(harness_launch(&h, "fields", 1, 1, 0, (const void *[]){&text, &nothing}));
    static char expect[1 << 16];
    /* Widths above 4096 are treated as 4096. */
    snprintf(expect, sizeof expect,
             "|(null)|  (null)|(null)  |(null)| (null)||str|string\n"
             "5|7  |8||0|1.500000|2\n"
             "0xff    |+0000009| 3   |-3   |     st|\n"
             "%4095d|%4096d|%4096d|%4096d|%-4096d|%4096d|\n",
             1, 2, 3, 4, 5, 6);
    assert_string_equal(out.text[0], expect);
    harness_close(&h);
}

static void test_widths(void **state) {
    (void)state;
    struct harness h;
    start(&h, &out);
    char *empty = harness_buffer(&h, 1);
    *empty = 0;
    assert_true(harness_launch(&h, "widths", 1, 1, 0, (const void *[]){&empty}));
    static char expect[1 << 14];
    snprintf(expect, sizeof expect, "%4095d|%4096d| |0xff    |\n", 1, 2);
    assert_string_equal(out.text[0], expect);
    harness_close(&h);
}

static void test_unknown_conversion(void **state) {
    (void)state;
    struct harness h;
    start(&h, &out);
    assert_true(harness_launch(&h, "unknown_conversion", 1, 1, 0, NULL));
    assert_string_equal(out.text[0], "%y 5\n");
    harness_close(&h);
}

static void test_local_text(void **state) {
    (void)state;
    struct harness h;
    start(&h, &out);
    assert_true(harness_launch(&h, "local_text", 1, 3, 0, (const void *[]){&(int){0}}));
    assert_string_equal(out.text[0], "abcde\nbcdef\ncdefg\n");
    harness_close(&h);
}

/* In block order, and within a block in the order of its warps' calls, for any number of worker threads. */
static void test_order(void **state) {
    (void)state;
    char expect[1 << 14];
    int n = 0;
    for (int b = 0; b < 100; b++) {
        for (int t = 3; t < 96; t += 40)
            n += snprintf(expect + n, sizeof expect - (size_t)n, "block %d thread %d\n", b, t);
        n += snprintf(expect + n, sizeof expect - (size_t)n, "block %d ends\n", b);
    }
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct harness h;
        start(&h, &out);
        h.with.threads = threads;
        assert_true(harness_launch(&h, "order", 100, 96, 0, NULL));
        assert_string_equal(out.text[0], expect);
        harness_close(&h);
    }
}

static void test_results(void **state) {
    (void)state;
    struct harness h;
    start(&h, &out);
    int *results = harness_buffer(&h, 12);
    assert_true(harness_launch(&h, "results", 1, 1, 0, (const void *[]){&results}));
    assert_int_equal(results[0], 3);
    assert_int_equal(results[1], 0);
    assert_int_equal(results[2], 0);
    assert_string_equal(out.text[0], "1 two 3.000000\nnone\n");
    harness_close(&h);
    /* Without a print callback, the result is still computed. */
    harness_open(&h, ptx);
    results = harness_buffer(&h, 12);
    assert_true(harness_launch(&h, "results", 1, 1, 0, (const void *[]){&results}));
    assert_int_equal(results[0], 3);
    harness_close(&h);
}

/* The last lines are kept, for any number of worker threads.  Each takes 16 bytes plus its arguments. */
static void test_full_buffer(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct harness h;
        start(&h, &out);
        h.with.threads = threads;
        h.with.print_bytes = 24 * 250;
        assert_true(harness_launch(&h, "flood", 64, 1, 0, (const void *[]){&(int){100}}));
        assert_int_equal(out.calls, 250);
        assert_memory_equal(out.text[0], "61 50\n61 51\n", 12);
        assert_memory_equal(out.text[0] + out.size[0] - 6, "63 99\n", 6);
        harness_close(&h);
    }
}

/* One line takes 16 bytes plus two arguments: it fits into 24 bytes, but not into 23. */
static void test_one_line(void **state) {
    (void)state;
    for (unsigned bytes = 23; bytes <= 24; bytes++) {
        struct harness h;
        start(&h, &out);
        h.with.print_bytes = bytes;
        assert_true(harness_launch(&h, "flood", 1, 1, 0, (const void *[]){&(int){1}}));
        assert_string_equal(out.text[0], bytes == 24 ? "0 0\n" : "");
        harness_close(&h);
    }
}

static void test_bad_string(void **state) {
    (void)state;
    struct harness h;
    start(&h, &out);
    char *text = harness_buffer(&h, 4);
    memcpy(text, "abcd", 4); /* not terminated */
    assert_false(harness_launch(&h, "bad_string", 1, 1, 0, (const void *[]){&text}));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_non_null(strstr(h.fault.text, "printf: the string"));
    assert_true(h.fault.address == (uint64_t)(uintptr_t)text + 4);
    text = NULL;
    assert_true(harness_launch(&h, "bad_string", 1, 1, 0, (const void *[]){&text}));
    assert_string_equal(out.text[0], "1 (null)\n");
    harness_close(&h);
}

static void test_assert(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct harness h;
        start(&h, &out);
        h.with.threads = threads;
        assert_false(harness_launch(&h, "asserts", 8, 64, 0, (const void *[]){&(int){190}}));
        assert_int_equal(h.fault.kind, SIM_FAULT_ASSERT);
        assert_int_equal(h.fault.block[0], 2);
        assert_int_equal(h.fault.thread[0], 62);
        assert_non_null(strstr(h.fault.text, "assertion `value < limit && \"too large\"` failed"));
        char line[256];
        snprintf(line, sizeof line,
                 "print.cu:%u: void check(int, int): block: [2,0,0], thread: [62,0,0] Assertion `value "
                 "< limit && \"too large\"` failed.\n",
                 ASSERT_LINE);
        const char *found = strstr(out.text[1], line);
        assert_non_null(found);
        assert_non_null(strstr(found + strlen(line), "thread: [63,0,0]"));
        int lines = 0;
        for (const char *c = out.text[1]; *c; c++)
            lines += *c == '\n';
        assert_int_equal(lines, 2);
        /* Earlier blocks were complete, its own first warp had printed; later blocks print nothing. */
        assert_non_null(strstr(out.text[0], "after 1\n"));
        assert_non_null(strstr(out.text[0], "before 2\n"));
        assert_null(strstr(out.text[0], " 3\n"));
        harness_close(&h);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions), cmocka_unit_test(test_fields),
        cmocka_unit_test(test_widths),      cmocka_unit_test(test_unknown_conversion),
        cmocka_unit_test(test_local_text),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_results),     cmocka_unit_test(test_full_buffer),
        cmocka_unit_test(test_one_line),    cmocka_unit_test(test_bad_string),
        cmocka_unit_test(test_assert),
    };
    ptx = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
