#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

#define N 256

static const char *ptx;

static int *inputs(struct harness *h, int modulo, int shift) {
    int *in = harness_buffer(h, N * sizeof *in);
    for (int i = 0; i < N; i++)
        in[i] = (int)((unsigned)i * 2654435761u >> 16) % modulo - shift;
    return in;
}

static void test_if_else(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 1000, 300), *out = harness_buffer(&h, N * sizeof *out);
    assert_true(harness_launch(&h, "if_else", 2, 128, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], in[i] & 1 ? in[i] * 3 + 1 : in[i] & 2 ? in[i] / 2 : -in[i]);
    /* Each side's lanes meet before the single store. */
    assert_int_equal(h.counters.global_store_requests, N / 32);
    assert_int_equal(h.counters.gst_transactions, N / 8);
    harness_close(&h);
}

static void test_ragged_loop(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 100, 0), *out = harness_buffer(&h, N * sizeof *out);
    in[3] = in[9] = 5;
    assert_true(harness_launch(&h, "ragged_loop", 4, 64, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int k = 0; k < (i & 31); k++) {
            if (in[k] == 5)
                continue;
            if (sum > 1000)
                break;
            sum += in[k] * k;
        }
        assert_int_equal(out[i], sum);
    }
    assert_int_equal(h.counters.global_store_requests, N / 32);
    harness_close(&h);
}

static void test_early_return(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 100, 50), *out = harness_buffer(&h, N * sizeof *out);
    int n = N - 7;
    assert_true(harness_launch(&h, "early_return", 2, 128, 0, (const void *[]){&in, &out, &n}));
    for (int i = 0; i < N; i++) {
        int positive = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
            positive += k < n && in[k] >= 0;
        assert_int_equal(out[i], i >= n ? (int)0xa5a5a5a5 : in[i] < 0 ? 7 : in[i] + positive);
    }
    harness_close(&h);
}

static void test_and_else(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 10, 0), *out = harness_buffer(&h, N * sizeof *out);
    assert_true(harness_launch(&h, "and_else", 1, 32, 0, (const void *[]){&in, &out}));
    int taken = 0;
    for (int i = 0; i < 32; i++) {
        bool both = i & 1 && in[32 + in[i]] > 5;
        taken += both;
        assert_int_equal(out[i], both ? in[i] : (int)0xa5a5a5a5);
        assert_int_equal(out[32 + i], both ? (int)0xa5a5a5a5 : in[i]);
        assert_int_equal(out[64 + i], i);
    }
    assert_in_range(taken, 1, 15);
    /* Each of the three once, although lanes come to the else from both tests. */
    assert_int_equal(h.counters.global_store_requests, 3);
    harness_close(&h);
}

static void test_loop_end(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 10, 0), *out = harness_buffer(&h, N * sizeof *out);
    for (int k = 0; k < 32; k++)
        in[k] = 1 + k % 11;
    for (int k = 0; k < 11; k++)
        in[32 + k] = k == 2 ? 8 : k == 6 ? 19 : 99;
    assert_true(harness_launch(&h, "loop_end", 1, 32, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < 32; i++) {
        int left = i == 8 ? 2 : i == 19 ? 6 : -1, round = left < 0 ? in[i] : left;
        assert_int_equal(out[i], left < 0 ? (int)0xa5a5a5a5 : -left);
        assert_int_equal(out[32 + i], left < 0 ? round : (int)0xa5a5a5a5);
        assert_int_equal(out[64 + i], round);
    }
    /* The breaks' own store twice, by one lane each; the one after the loop once, and the final one. */
    assert_int_equal(h.counters.global_store_requests, 4);
    harness_close(&h);
}

static int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void test_recursion(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, N * sizeof *out);
    assert_true(harness_launch(&h, "recursion", 1, N, 0, (const void *[]){&out}));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], fibonacci(i % 12));
    assert_int_equal(h.counters.global_store_requests, N / 32);
    harness_close(&h);
}

static void test_indirect_calls(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 300, 0), *out = harness_buffer(&h, N * sizeof *out);
    assert_true(harness_launch(&h, "indirect", 1, N, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], (in[i] % 3 == 0 ? 2 * i : in[i] % 3 == 1 ? 3 * i : i * i) + 32);
    harness_close(&h);
}

static void test_jump_table(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 9, 0), *out = harness_buffer(&h, N * sizeof *out);
    assert_true(harness_launch(&h, "jump_table", 2, N / 2, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < N; i++) {
        const int expected[] = {11, i, i * i, 5 - i, i / 3, i % 3, 6 ^ i, -1, -1};
        assert_int_equal(out[i], expected[in[i]]);
    }
    assert_int_equal(h.counters.global_store_requests, N / 32);
    harness_close(&h);
}

static void test_barriers(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 100, 0), *out = harness_buffer(&h, N * sizeof *out);
    assert_true(harness_launch(&h, "barrier_in_branches", 1, N, 0, (const void *[]){&in, &out}));
    for (int t = 0; t < N; t++) {
        int next = (t + 1) % N;
        assert_int_equal(out[t], t % 2 ? in[next] + 1 : -in[next]);
    }
    assert_true(harness_launch(&h, "barrier_reductions", 1, N - 13, 0, (const void *[]){&in, &out}));
    int count = 0;
    for (int t = 0; t < N - 13; t++)
        count += in[t] > 3;
    for (int t = 0; t < N - 13; t++)
        assert_int_equal(out[t], count * 4 + 2);
    assert_true(harness_launch(&h, "named_barrier", 1, 96, 0, (const void *[]){&out}));
    for (int t = 0; t < 96; t++)
        assert_int_equal(out[t], t < 64 ? 63 - t : t);
    harness_close(&h);
}

static void test_deadlock_is_reported(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, N * sizeof *out);
    assert_false(harness_launch(&h, "deadlock", 3, 64, 0, (const void *[]){&out}));
    assert_int_equal(h.fault.kind, SIM_FAULT_DEADLOCK);
    assert_non_null(strstr(h.fault.text, "kernel deadlock"));
    assert_non_null(strstr(h.fault.text, "barrier 1"));
    assert_non_null(strstr(h.fault.text, "flow.cu:"));
    assert_int_equal(h.fault.block[0], 0);
    harness_close(&h);
}

/* A lane that holds the lock waits at the loop's exit while others spin: it must make progress. */
static void test_lock_in_warp(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *lock = harness_buffer(&h, sizeof *lock), *counter = harness_buffer(&h, sizeof *counter);
    *lock = *counter = 0;
    assert_true(harness_launch(&h, "lock_in_warp", 2, 64, 0, (const void *[]){&lock, &counter}));
    assert_int_equal(*counter, 128);
    harness_close(&h);
}

static void test_shuffles(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = inputs(&h, 100, 20), *out = harness_buffer(&h, N * sizeof *out);
    assert_true(harness_launch(&h, "warp_shuffle", 1, N, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
            sum += in[k] + (k & 4 ? 1 : 0);
        assert_int_equal(out[i], sum);
    }
    in[31] = 5, in[3] = 6;
    assert_true(harness_launch(&h, "split_shuffle", 1, 32, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], (i & 16 ? 5 : 6) + 1);
    harness_close(&h);
}

static void test_spinning_warps_take_turns(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *flag = harness_buffer(&h, 4), *data = harness_buffer(&h, 128), *out = harness_buffer(&h, 128);
    *flag = 0;
    assert_true(harness_launch(&h, "producer_consumer", 1, 64, 0, (const void *[]){&flag, &data, &out}));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 7 * i);
    harness_close(&h);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    ptx = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_else),
        cmocka_unit_test(test_ragged_loop),
        cmocka_unit_test(test_early_return),
        cmocka_unit_test(test_and_else),
        cmocka_unit_test(test_loop_end),
        cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_indirect_calls),
        cmocka_unit_test(test_jump_table),
        cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_deadlock_is_reported),
        cmocka_unit_test(test_lock_in_warp),
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_spinning_warps_take_turns),
    };
    return cmocka_run_group_tests_name("exec.flow", tests, NULL, NULL);
}
