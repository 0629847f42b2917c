/* mbarrier and asynchronous copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const char *ptx;
static unsigned arch;

static int *numbers(struct harness *h, int count) {
    int *in = harness_buffer(h, 4 * (size_t)count);
    for (int i = 0; i < count; i++)
        in[i] = i * i % 1009;
    return in;
}

static void test_arrive_and_wait(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = numbers(&h, 256), *out = harness_buffer(&h, 3 * 1024);
    if (!harness_launch(&h, "arrive_and_wait", 3, 256, 0, (const void *[]){&out, &in}))
        fail_msg("%s", h.fault.text);
    for (int i = 0; i < 3 * 256; i++) {
        int t = i % 256;
        assert_int_equal(out[i], in[255 - t] + 1000 * t + (t < 64 ? -(255 - t) + 50 : 0));
    }
    harness_close(&h);
}

static void test_copies(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = numbers(&h, 512), *out = harness_buffer(&h, 2 * 1024);
    if (!harness_launch(&h, "copies", 2, 256, 0, (const void *[]){&out, &in}))
        fail_msg("%s", h.fault.text);
    for (int i = 0; i < 2 * 256; i++)
        assert_int_equal(out[i], in[255 - i % 256] + 2 * in[511 - i % 256]);
    harness_close(&h);
}

static void pipeline(const char *kernel, int width) {
    for (int count = 1; count <= 7; count += 3) {
        struct harness h;
        harness_open(&h, ptx);
        int *in = numbers(&h, width * count), *out = harness_buffer(&h, 4 * (size_t)width);
        if (!harness_launch(&h, kernel, 2, 256, 0, (const void *[]){&out, &in, &count}))
            fail_msg("%s", h.fault.text);
        for (int t = 0; t < width; t++) {
            int sum = 0;
            for (int i = 0; i < count; i++)
                sum += (i + 1) * in[width * i + width - 1 - t];
            assert_int_equal(out[t], sum);
        }
        harness_close(&h);
    }
}

static void test_pipelines(void **state) {
    (void)state;
    pipeline("pipelined", 256);
    pipeline("roles", 128);
    pipeline("thread_pipeline", 256);
}

static void test_pending(void **state) {
    (void)state;
    if (arch < 80)
        skip();
    struct harness h;
    harness_open(&h, ptx);
    unsigned *out = harness_buffer(&h, 20);
    assert_true(harness_launch(&h, "pending", 1, 1, 0, (const void *[]){&out}));
    assert_int_equal(out[0], 5);
    assert_int_equal(out[1], 4);
    assert_int_equal(out[2], 3);
    assert_int_equal(out[3], 2);
    assert_int_equal(out[4], 0);
    harness_close(&h);
}

static void test_faults(void **state) {
    (void)state;
    if (arch < 80)
        skip();
    struct harness h;
    harness_open(&h, ptx);
    assert_false(harness_launch(&h, "not_initialised", 1, 1, 0, NULL));
    assert_non_null(strstr(h.fault.text, "is not initialised"));
    assert_false(harness_launch(&h, "too_many", 1, 1, 0, NULL));
    assert_non_null(strstr(h.fault.text, "must not complete"));
    harness_close(&h);
}

static void test_partial_copies(void **state) {
    (void)state;
    if (arch < 80)
        skip();
    struct harness h;
    harness_open(&h, ptx);
    int *in = numbers(&h, 128), *out = harness_buffer(&h, 512);
    for (int i = 0; i < 128; i++)
        in[i] |= 0x01010100;
    assert_true(harness_launch(&h, "partial_copies", 1, 32, 0, (const void *[]){&out, &in}));
    for (int t = 0; t < 32; t++) {
        unsigned char expect[16] = {0};
        memcpy(expect, in + 4 * t, t < 16 ? (size_t)t : t % 3 == 0 ? 16 : 0);
        assert_memory_equal(out + 4 * t, expect, 16);
    }
    harness_close(&h);
}

static void test_bytes(void **state) {
    (void)state;
    if (arch < 90)
        skip();
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 384);
    assert_true(harness_launch(&h, "bytes", 1, 96, 0, (const void *[]){&out}));
    for (int t = 0; t < 96; t++)
        assert_int_equal(out[t], t < 32 || t >= 64 ? 21 : (int)0xa5a5a5a5);
    harness_close(&h);
}

static void test_bulk(void **state) {
    (void)state;
    if (arch < 90)
        skip();
    struct harness h;
    harness_open(&h, ptx);
    int *in = numbers(&h, 1024), *out = harness_buffer(&h, 4096), bytes = 4080;
    assert_true(harness_launch(&h, "bulk", 1, 128, 0, (const void *[]){&out, &in, &bytes}));
    for (int i = 0; i < 1020; i++)
        assert_int_equal(out[i], in[i] + 1);
    assert_int_equal(out[1020], (int)0xa5a5a5a5);
    /* The last 112 bytes are 4 sectors, like a line. */
    assert_int_equal(h.counters.bulk_load_requests, 1);
    assert_int_equal(h.counters.bulk_load_transactions, 128);
    assert_int_equal(h.counters.bulk_load_useful_bytes, 4080);
    assert_int_equal(h.counters.bulk_store_requests, 1);
    assert_int_equal(h.counters.bulk_store_transactions, 128);
    assert_int_equal(h.counters.bulk_store_useful_bytes, 4080);
    assert_int_equal(h.counters.dshared_bulk_requests, 0);
    assert_int_equal(h.counters.global_load_requests + h.counters.global_store_requests, 0);
    bytes = 4104;
    assert_false(harness_launch(&h, "bulk", 1, 128, 0, (const void *[]){&out, &in, &bytes}));
    assert_int_equal(h.fault.kind, SIM_FAULT_MISALIGNED);
    bytes = 4112;
    assert_false(harness_launch(&h, "bulk", 1, 128, 0, (const void *[]){&out, &in, &bytes}));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    harness_close(&h);
}

static void test_deadlock(void **state) {
    (void)state;
    if (arch < 90)
        skip();
    struct harness h;
    harness_open(&h, ptx);
    assert_false(harness_launch(&h, "waits_for_ever", 1, 64, 0, NULL));
    assert_int_equal(h.fault.kind, SIM_FAULT_DEADLOCK);
    assert_non_null(strstr(h.fault.text, "mbarrier's phase"));
    harness_close(&h);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrive_and_wait), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_pipelines),       cmocka_unit_test(test_pending),
        cmocka_unit_test(test_faults),          cmocka_unit_test(test_partial_copies),
        cmocka_unit_test(test_bytes),           cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_deadlock),
    };
    ptx = argc > 1 ? argv[1] : NULL;
    const char *number = ptx ? strrchr(ptx, '_') : NULL;
    arch = number ? (unsigned)atoi(number + 1) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
