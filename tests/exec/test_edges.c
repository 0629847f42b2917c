#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const char *ptx;

static void test_addresses_wrap_around(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 128), *null = NULL;
    for (int first = -40; first <= 0; first += 4) {
        assert_false(harness_launch(&h, "around_null", 1, 32, 0, (const void *[]){&null, &out, &first}));
        assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
        assert_int_equal(h.fault.thread[0], 0);
    }
    uint64_t top = -4ull;
    /* Nothing is there, which reads as 0, as past hardware's constants. */
    assert_true(harness_launch(&h, "constant_at_the_top", 1, 32, 0, (const void *[]){&top, &out}));
    assert_int_equal(out[31], 0);
    harness_close(&h);
}

/* Each lane has its own data behind a function's parameter or a call's result. */
static void test_atomics_through_calls(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *counters = harness_buffer(&h, 4 * 1024);
    memset(counters, 0, 4 * 1024);
    int stride = 8;
    assert_true(harness_launch(&h, "bump_by_call", 1, 32, 0, (const void *[]){&counters, &stride}));
    for (int i = 0; i < 32; i++)
        assert_int_equal(counters[8 * i], 1);
    assert_int_equal(h.counters.global_reduction_transactions, 32);
    assert_true(harness_launch(&h, "bump_result_of_call", 1, 32, 0, (const void *[]){&counters}));
    assert_true(h.counters.global_reduction_transactions > 16);
    stride = 1 << 28;
    assert_false(harness_launch(&h, "bump_by_call", 1, 32, 0, (const void *[]){&counters, &stride}));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_int_equal(h.fault.thread[0], 1);
    harness_close(&h);
}

/* Every frame, join and strand is freed: the sanitizers check this. */
static void test_faults_give_everything_back(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = harness_buffer(&h, 128), *out = harness_buffer(&h, 4 * 64);
    assert_false(harness_launch(&h, "fault_in_the_deep", 1, 64, 0, (const void *[]){&in, &out}));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_int_equal(h.fault.thread[0], 21);
    assert_false(harness_launch(&h, "local_overflow", 1, 64, 0, (const void *[]){&out}));
    assert_int_equal(h.fault.kind, SIM_FAULT_STACK);
    harness_close(&h);
}

/* A frame's local memory ends exactly, and accesses more than 4 KB past that fault, whatever was called
 * before. */
static void test_local_bounds(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 128);
    for (int call_first = 0; call_first < 2; call_first++)
        for (int at = 15; at <= 1100; at += 1085) {
            bool ok = harness_launch(&h, "past_local", 1, 32, 0, (const void *[]){&out, &at, &call_first});
            assert_int_equal(ok, at < 16);
        }
    harness_close(&h);
}

static void test_groups_across_strands(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = harness_buffer(&h, 128), *out = harness_buffer(&h, 128), low = 0, high = 0;
    for (int i = 0; i < 32; i++) {
        in[i] = i % 5;
        *(i < 8 ? &low : &high) += in[i] + (i < 16);
    }
    assert_true(harness_launch(&h, "groups_across_strands", 1, 32, 0, (const void *[]){&in, &out}));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 8 ? low : high);
    harness_close(&h);
}

static void test_cluster_barrier(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 192 * sizeof *out);
    assert_true(harness_launch(&h, "cluster_barrier", 1, 96, 0, (const void *[]){&out}));
    for (int i = 0; i < 192; i++)
        assert_int_equal(out[i], 10 * (95 - i % 96) + i / 96);
    harness_close(&h);
}

static void test_groups_of_warps(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 3 * 128 * sizeof *out);
    assert_true(harness_launch(&h, "tiles_of_warps", 3, 128, 128 * sizeof(int), (const void *[]){&out}));
    for (int i = 0; i < 3 * 128; i++)
        assert_int_equal(out[i], 2 * (i % 128 ^ 63) + 1000 * (i % 128 / 64 * 64 + 5));
    harness_close(&h);
}

static void test_named_barriers(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 128);
    assert_true(harness_launch(&h, "partial_arrival", 1, 41, 0, (const void *[]){&out}));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 77);
    assert_true(harness_launch(&h, "pairs_at_one_barrier", 1, 128, 0, (const void *[]){&out}));
    for (int i = 0; i < 32; i++)
        assert_int_equal(out[i], 2);
    harness_close(&h);
}

static void test_long_loops_still_meet(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 128), steps = 3 << 20;
    assert_true(harness_launch(&h, "long_ragged_loop", 1, 32, 0, (const void *[]){&out, &steps}));
    assert_int_equal(h.counters.global_store_requests, 1);
    harness_close(&h);
}

static void test_cluster_registers(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 128);
    assert_true(harness_launch(&h, "cluster_registers", 1, 32, 0, (const void *[]){&out}));
    assert_int_equal(out[3], 0);
    harness_close(&h);
}

/* Each remaining lane writes which lanes are with it. */
static void test_returns_do_not_part(void **state) {
    (void)state;
    static const char *const kernels[] = {"return_in_if", "late_return_in_if", "return_in_loop", "trap_in_if",
                                          "trap_in_function"};
    struct harness h;
    harness_open(&h, ptx);
    int *in = harness_buffer(&h, 256);
    unsigned *out = harness_buffer(&h, 1024);
    for (int i = 0; i < 64; i++)
        in[i] = (i * 7 + i / 3) % 13;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        memset(out, 0, 1024);
        assert_true(harness_launch(&h, kernels[k], 1, 32, 0, (const void *[]){&in, &out}));
        unsigned left = 0;
        for (int i = 0; i < 32; i++)
            left |= (unsigned)(out[i] != 0) << i;
        assert_int_not_equal(left, 0);
        for (int i = 0; i < 32; i++)
            assert_int_equal(out[i], left >> i & 1 ? left : 0);
    }
    assert_true(harness_launch(&h, "late_return_in_loop", 1, 32, 0, (const void *[]){&in, &out}));
    assert_int_equal(out[0], 0x00010001);
    assert_int_equal(out[2], 0x02000204);
    assert_int_equal(out[7], 0x40800080);
    harness_close(&h);
}

/* Branches to invalid places are refused without a leak. */
static void test_wild_branches(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "bra LIST; LIST: .branchtargets A; A: ret;",
        "bra 5; ret;",
        "bra; ret;",
        "@%p1 bra f; ret;",
        "LIST: .branchtargets LIST; mov.u32 %r1, 0; brx.idx %r1, LIST;",
        "A: mov.u32 %r1, 0; brx.idx %r1, A;",
    };
    struct sim_memory *memory = sim_memory_create(1 << 20);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[512];
        int size = snprintf(text, sizeof text,
                            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry f()\n{\n"
                            ".reg .pred %%p<3>; .reg .u32 %%r<4>;\n%s\n}\n",
                            bodies[i]);
        struct sim_module *module;
        struct ptx_error error;
        assert_false(sim_module_load(memory, "wild", text, (size_t)size, &module, &error));
        assert_non_null(strstr(error.text, "wild:"));
    }
    sim_memory_destroy(memory);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    ptx = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses_wrap_around),
        cmocka_unit_test(test_atomics_through_calls),
        cmocka_unit_test(test_faults_give_everything_back),
        cmocka_unit_test(test_local_bounds),
        cmocka_unit_test(test_groups_across_strands),
        cmocka_unit_test(test_named_barriers),
        cmocka_unit_test(test_cluster_barrier),
        cmocka_unit_test(test_groups_of_warps),
        cmocka_unit_test(test_long_loops_still_meet),
        cmocka_unit_test(test_cluster_registers),
        cmocka_unit_test(test_returns_do_not_part),
        cmocka_unit_test(test_wild_branches),
    };
    return cmocka_run_group_tests_name("exec.edges", tests, NULL, NULL);
}
