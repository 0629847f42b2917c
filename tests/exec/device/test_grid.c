/* Blocks, warps and lanes that wait for each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const char *ptx;

static void test_grid_barrier(void **state) {
    (void)state;
    enum { BLOCKS = 40, THREADS = 96, N = BLOCKS * THREADS, ROUNDS = 7 };
    static int expect[2][N];
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct harness h;
        harness_open(&h, ptx);
        h.with.cooperative = true;
        h.with.threads = threads;
        int *a = harness_buffer(&h, sizeof expect[0]), *b = harness_buffer(&h, sizeof expect[0]);
        for (int i = 0; i < N; i++)
            a[i] = expect[0][i] = i * i % 101;
        int n = N, rounds = ROUNDS;
        assert_true(harness_launch(&h, "rounds", BLOCKS, THREADS, 0, (const void *[]){&a, &b, &n, &rounds}));
        for (int r = 0; r < ROUNDS; r++)
            for (int i = 0; i < N; i++)
                expect[(r + 1) & 1][i] = expect[r & 1][(i + 1) % N] + expect[r & 1][(i + N - 1) % N];
        assert_memory_equal(b, expect[1], sizeof expect[1]);
        /* Waiting keeps a warp's lanes together: each round has 2 loads per warp, besides the barrier's. */
        assert_int_equal(h.counters.global_store_requests, ROUNDS * BLOCKS * 3);
        harness_close(&h);
    }
}

static void test_valid_only_when_cooperative(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 4);
    assert_true(harness_launch(&h, "grid_is_valid", 4, 32, 0, (const void *[]){&out}));
    assert_int_equal(*out, 0);
    int *a = harness_buffer(&h, 128), n = 32, rounds = 1;
    assert_false(harness_launch(&h, "rounds", 2, 32, 0, (const void *[]){&a, &a, &n, &rounds}));
    assert_int_equal(h.fault.kind, SIM_FAULT_STOP);
    h.with.cooperative = true;
    assert_true(harness_launch(&h, "grid_is_valid", 4, 32, 0, (const void *[]){&out}));
    assert_int_equal(*out, 1);
    harness_close(&h);
}

static void test_chain(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    enum { BLOCKS = 300 };
    int *flags = harness_buffer(&h, 4 * BLOCKS), *sums = harness_buffer(&h, 4 * BLOCKS);
    memset(flags, 0, 4 * BLOCKS);
    assert_true(harness_launch(&h, "chain", BLOCKS, 64, 0, (const void *[]){&flags, &sums}));
    for (int b = 0; b < BLOCKS; b++)
        assert_int_equal(sums[b], b * (b + 1) / 2);
    harness_close(&h);
}

static void test_own_barrier(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    enum { BLOCKS = 132 };
    int *arrived = harness_buffer(&h, 4), *out = harness_buffer(&h, 4 * BLOCKS);
    *arrived = 0;
    assert_true(harness_launch(&h, "own_barrier", BLOCKS, 64, 0, (const void *[]){&arrived, &out}));
    for (int b = 0; b < BLOCKS; b++)
        assert_int_equal(out[b], BLOCKS);
    harness_close(&h);
}

static void test_lock(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *taken = harness_buffer(&h, 4), *count = harness_buffer(&h, 4);
    *taken = *count = 0;
    assert_true(harness_launch(&h, "lock", 8, 64, 0, (const void *[]){&taken, &count}));
    assert_int_equal(*count, 512);
    harness_close(&h);
}

static void test_relay(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *turn = harness_buffer(&h, 4);
    *turn = 0;
    assert_true(harness_launch(&h, "relay", 2, 64, 0, (const void *[]){&turn}));
    assert_int_equal(*turn, 128);
    harness_close(&h);
}

static void test_ping_pong(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 256), count = 1000;
    assert_true(harness_launch(&h, "ping_pong", 1, 64, 0, (const void *[]){&out, &count}));
    assert_int_equal(out[63], 1000);
    harness_close(&h);
}

/* A fault in one of several running blocks leaves nothing behind. */
static void test_fault_among_others(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    h.with.cooperative = true;
    int *a = harness_buffer(&h, 4 * 100), *b = harness_buffer(&h, 4 * 200), n = 200, rounds = 2;
    assert_false(harness_launch(&h, "rounds", 4, 64, 0, (const void *[]){&a, &b, &n, &rounds}));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    harness_close(&h);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_barrier), cmocka_unit_test(test_valid_only_when_cooperative),
        cmocka_unit_test(test_chain),        cmocka_unit_test(test_own_barrier),
        cmocka_unit_test(test_lock),         cmocka_unit_test(test_relay),
        cmocka_unit_test(test_ping_pong),    cmocka_unit_test(test_fault_among_others),
    };
    ptx = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
