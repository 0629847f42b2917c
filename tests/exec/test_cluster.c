/* Clusters of blocks. */
#include "tests/exec/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *ptx;

static bool run(struct harness *h, const char *kernel, unsigned grid, unsigned block, void *out) {
    return harness_launch(h, kernel, grid, block, 0, (const void *[]){&out});
}

static void check_registers(struct harness *h, const uint32_t grid[3], const uint32_t cluster[3],
                            bool explicitly) {
    unsigned blocks = grid[0] * grid[1] * grid[2];
    unsigned *out = harness_buffer(h, 64 * blocks);
    memcpy(h->with.cluster, explicitly ? cluster : (uint32_t[3]){0}, sizeof h->with.cluster);
    assert_true(harness_launch_3d(h, "registers", grid, (uint32_t[]){1, 1, 1}, 0, (const void *[]){&out}, 3));
    for (unsigned b = 0; b < blocks; b++) {
        unsigned id[3] = {b % grid[0], b / grid[0] % grid[1], b / grid[0] / grid[1]}, *r = &out[16 * b];
        unsigned rank = 0;
        for (int d = 2; d >= 0; d--) {
            assert_int_equal(r[d], id[d] / cluster[d]);
            assert_int_equal(r[3 + d], grid[d] / cluster[d]);
            assert_int_equal(r[6 + d], id[d] % cluster[d]);
            assert_int_equal(r[9 + d], cluster[d]);
            rank = rank * cluster[d] + id[d] % cluster[d];
        }
        assert_int_equal(r[12], rank);
        assert_int_equal(r[13], cluster[0] * cluster[1] * cluster[2]);
        assert_int_equal(r[14], explicitly);
        assert_int_equal(r[15], b);
    }
}

static void test_registers(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    check_registers(&h, (uint32_t[]){3, 2, 2}, (uint32_t[]){1, 1, 1}, false);
    check_registers(&h, (uint32_t[]){3, 2, 2}, (uint32_t[]){1, 1, 1}, true);
    check_registers(&h, (uint32_t[]){12, 1, 1}, (uint32_t[]){4, 1, 1}, true);
    check_registers(&h, (uint32_t[]){6, 4, 8}, (uint32_t[]){2, 1, 4}, true);
    check_registers(&h, (uint32_t[]){16, 3, 1}, (uint32_t[]){16, 1, 1}, true);
    check_registers(&h, (uint32_t[]){5, 6, 1}, (uint32_t[]){1, 3, 1}, true);
    harness_close(&h);
}

static void test_neighbours(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    enum { BLOCKS = 12 };
    int *out = harness_buffer(&h, BLOCKS * 128 * sizeof *out);
    assert_true(run(&h, "neighbours", BLOCKS, 64, out));
    for (int b = 0; b < BLOCKS; b++)
        for (int i = 0; i < 128; i++)
            assert_int_equal(out[128 * b + i],
                             1000 * (b / 4 * 4 + (b + 1) % 4) + 10 * (63 - i % 64) + i / 64);
    /* Two warps, two rounds: 4 loads and 4 stores per block, with 4 sectors or one wavefront each. */
    assert_int_equal(h.counters.dshared_load_requests, 4 * BLOCKS);
    assert_int_equal(h.counters.dshared_load_transactions, 16 * BLOCKS);
    assert_int_equal(h.counters.shared_load_requests, 0);
    assert_int_equal(h.counters.shared_store_requests, 4 * BLOCKS);
    assert_int_equal(h.counters.shared_store_transactions, 4 * BLOCKS);
    assert_int_equal(h.counters.dshared_store_requests, 0);
    harness_close(&h);
}

static void test_stores(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 16 * 97 * sizeof *out);
    assert_true(run(&h, "stores", 16, 96, out));
    for (int b = 0; b < 16; b++) {
        for (int t = 0; t < 96; t++)
            assert_int_equal(out[97 * b + t], 100 * (b / 8 * 8 + (b + 7) % 8) + t);
        assert_int_equal(out[97 * b + 96], 95 * 96 / 2);
    }
    harness_close(&h);
}

static void test_barrier(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 6 * 96 * sizeof *out);
    assert_true(run(&h, "early", 4, 64, out));
    for (int i = 0; i < 256; i++)
        assert_int_equal(out[i], 4 * (i % 64) + (i / 64 % 2 ? 0 : 100) + (i / 64 % 2 && i % 64 >= 32));
    assert_true(run(&h, "ragged", 2, 96, out));
    for (int i = 0; i < 6 * 96; i++)
        assert_int_equal(out[i], 10 * (95 - i % 96) + i / 192 + (i / 96 % 2 ? 0 : 10000));
    harness_close(&h);
}

static void test_generic_addresses(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 8 * 32 * sizeof *out);
    assert_true(harness_launch_3d(&h, "pointers", (uint32_t[]){4, 2, 1}, (uint32_t[]){32, 1, 1}, 0,
                                  (const void *[]){&out}, 2));
    for (unsigned i = 0; i < 8 * 32; i++) {
        unsigned x = i / 32 % 4, y = i / 128, rank = x % 2 + 2 * y, t = i % 32;
        int before = 100 * (int)((rank + 1) % 4) + (int)t, own = 100 * (int)rank + (int)t;
        assert_true(out[i] == before + own || out[i] == before + own + 1);
    }
    assert_true(run(&h, "scattered", 8, 32, out));
    for (int i = 0; i < 8 * 32; i++)
        assert_int_equal(out[i], 100 * (i % 4) + 31 - i % 32 + 100 * (i % 32 / 8) + i % 32);
    assert_true(run(&h, "spaces", 4, 1, out));
    for (int b = 0; b < 4; b++) {
        assert_int_equal(out[4 * b], 1 * 16 + 3 * 4);
        assert_int_equal(out[4 * b + 1], 5 + b % 2);
        assert_int_equal(out[4 * b + 2], 1 - b % 2);
        assert_int_equal(out[4 * b + 3], 6 - b % 2 + 10 * (5 + b % 2));
    }
    harness_close(&h);
}

static void test_flags(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 64);
    assert_true(run(&h, "flags", 4, 64, out));
    for (int b = 0; b < 4; b++)
        assert_int_equal(out[b], 20);
    harness_close(&h);
}

static void test_far_barriers(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 8 * 192 * sizeof *out), *in = harness_buffer(&h, 256);
    assert_true(run(&h, "arrivals", 8, 64, out));
    for (int i = 0; i < 8 * 192; i++)
        assert_int_equal(out[i], 1000 * (i / 768 * 4 + (i / 192 + 3) % 4) + 10 * (63 - i % 64) + i / 64 % 3);
    assert_true(run(&h, "told", 4, 64, out));
    for (int b = 0; b < 4; b++) {
        for (int t = 0; t < 64; t++)
            assert_int_equal(out[65 * b + t], -2 * (1000 * (b ^ 1) + t));
        assert_int_equal(out[65 * b + 64], 64 * 1000 * (b ^ 1) + 63 * 64 / 2);
    }
    for (int i = 0; i < 64; i++)
        in[i] = 7 * i;
    assert_true(harness_launch(&h, "copies", 8, 64, 0, (const void *[]){&out, &in}));
    for (int b = 0; b < 8; b++)
        for (int t = 0; t < 64; t++) {
            assert_int_equal(out[128 * b + t], b % 4 == 2 ? -1 : 7 * t);
            assert_int_equal(out[128 * b + 64 + t], b % 4 || t < 16 ? -1 : 100 * (b + t / 16) + t % 16);
        }
    /* For each of two clusters: 256 bytes to three blocks, and three copies of 64 bytes to the first. */
    assert_int_equal(h.counters.bulk_load_requests, 2);
    assert_int_equal(h.counters.bulk_load_transactions, 2 * 3 * 8);
    assert_int_equal(h.counters.bulk_load_useful_bytes, 2 * 3 * 256);
    assert_int_equal(h.counters.dshared_bulk_requests, 2 * 3);
    assert_int_equal(h.counters.dshared_bulk_transactions, 2 * 3 * 2);
    assert_true(harness_launch(&h, "pushed", 2, 32, 0, (const void *[]){&out, &in}));
    for (int i = 0; i < 64; i++)
        assert_int_equal(out[i], 7 * (i ^ 32));
    harness_close(&h);
}

static void assert_fault(struct harness *h, const char *kernel, unsigned threads, enum sim_fault_kind kind,
                         const char *text) {
    int *out = harness_buffer(h, 256);
    assert_false(run(h, kernel, 2, threads, out));
    if (h->fault.kind != kind || !strstr(h->fault.text, text))
        fail_msg("%s: %s", kernel, h->fault.text);
}

static void test_faults(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    assert_fault(&h, "past_the_end", 32, SIM_FAULT_ADDRESS, "offset 0x80 is out of bounds");
    assert_fault(&h, "no_such_block", 32, SIM_FAULT_ADDRESS, "block 2 of a cluster of 2");
    assert_fault(&h, "ended", 32, SIM_FAULT_ADDRESS, "block 1 of the cluster, which has ended");
    assert_fault(&h, "anothers", 32, SIM_FAULT_ADDRESS, "not of its own");
    assert_fault(&h, "never_comes", 64, SIM_FAULT_DEADLOCK, "deadlock: waits at barrier");
    assert_fault(&h, "nobody_arrives", 32, SIM_FAULT_DEADLOCK, "deadlock: waits");
    int *out = harness_buffer(&h, 256);
    /* As on an H200. */
    assert_true(run(&h, "arrives_twice", 2, 32, out));
    assert_true(run(&h, "never_arrives", 2, 32, out));
    assert_false(run(&h, "ragged", 3, 32, out));
    assert_non_null(strstr(h.fault.text, "cannot be divided into clusters of 2x1x1"));
    memcpy(h.with.cluster, (uint32_t[]){8, 4, 1}, sizeof h.with.cluster);
    assert_false(harness_launch_3d(&h, "registers", (uint32_t[]){8, 4, 1}, (uint32_t[]){1, 1, 1}, 0,
                                   (const void *[]){&out}, 1));
    harness_close(&h);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    ptx = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),    cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_stores),       cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_flags),        cmocka_unit_test(test_generic_addresses),
        cmocka_unit_test(test_far_barriers), cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests_name("exec.cluster", tests, NULL, NULL);
}
