#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

struct pair {
    short a;
    long long b;
    char c;
};

static const char *ptx;

static void test_widths(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    unsigned char *in = harness_buffer(&h, 8192), *out = harness_buffer(&h, 8192);
    for (int i = 0; i < 8192; i++)
        in[i] = (unsigned char)(i * 37 + i / 256);
    for (int t = 0; t < 32; t++) { /* doubles that are numbers */
        double d = t * 1.5 - 7;
        memcpy(in + 512 + 8 * t, &d, sizeof d);
    }
    assert_true(harness_launch(&h, "widths", 1, 32, 0, (const void *[]){&in, &out}));
    for (int t = 0; t < 32; t++) {
        assert_int_equal(((signed char *)out)[t], ((signed char *)in)[t] / 2);
        assert_int_equal(((short *)(out + 64))[t], ((short *)(in + 64))[t] / 2);
        assert_true(((long long *)(out + 192))[t] == ((long long *)(in + 192))[t] / 2);
        assert_true(((double *)(out + 512))[t] == ((double *)(in + 512))[t] * 0.5);
    }
    assert_memory_equal(out + 1024, in + 1024, 512);
    assert_memory_equal(out + 2048, in + 2048, 512);
    assert_memory_equal(out + 4096, in + 4096, 128);
    assert_memory_equal(out + 4352, in + 4352, 128);
    assert_int_equal(out[512 + 256], 0xa5); /* nothing was written between the parts */
    harness_close(&h);
}

static void test_local_memory(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *pick = harness_buffer(&h, 32 * 4), *out = harness_buffer(&h, 1024 * 4);
    for (int i = 0; i < 32; i++)
        pick[i] = i * i * 977 % 100000;
    assert_true(harness_launch(&h, "local_array", 8, 128, 0, (const void *[]){&pick, &out}));
    for (int t = 0; t < 1024; t++) {
        int sum = 0;
        for (int k = 0; k < 64; k++) {
            int at = (k * 7 + pick[t & 31]) & 63;
            sum += at * pick[at & 3];
        }
        assert_int_equal(out[t], sum);
    }
    /* Each thread stores 64 words: 4 sectors per word and warp, as on hardware. */
    assert_int_equal(h.counters.local_store_transactions, 8192);
    harness_close(&h);
}

static void test_generic_addresses(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = harness_buffer(&h, 128), *out = harness_buffer(&h, 128), which = 2;
    for (int i = 0; i < 32; i++)
        in[i] = 10 * i;
    assert_true(harness_launch(&h, "generic", 1, 32, 0, (const void *[]){&in, &out, &which}));
    for (int t = 0; t < 32; t++)
        assert_int_equal(out[t], t % 3 == 0 ? in[t] + 2000 : t % 3 == 1 ? in[t] + 1100 : in[t] + 202);
    harness_close(&h);
}

static void test_module_variables(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 128);
    const int expected[] = {1, 2, 3, 5, 8, 13, 'w', 'i', 'd', 'e', 'l', 'o', 'a', 'd', 1, 2, 3, 4, 5, 6, 40};
    assert_true(harness_launch(&h, "module_variables", 1, 32, 0, (const void *[]){&out}));
    for (int i = 0; i < 21; i++)
        assert_int_equal(out[i], expected[i]);
    uint64_t address;
    size_t size;
    assert_true(sim_module_variable(h.module, "counter", &address, &size));
    assert_int_equal(size, 4);
    assert_int_equal(*(int *)(uintptr_t)address, 41);
    assert_false(sim_module_variable(h.module, "nothing", &address, &size));
    harness_close(&h);
}

static void test_dynamic_shared(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = harness_buffer(&h, 1024), *out = harness_buffer(&h, 1024);
    for (int i = 0; i < 256; i++)
        in[i] = i * 3;
    assert_true(harness_launch(&h, "dynamic_shared", 1, 256, 1024, (const void *[]){&in, &out}));
    for (int i = 0; i < 256; i++)
        assert_int_equal(out[i], in[255 - i] * 3);
    struct sim_function_info info;
    sim_function_info(sim_module_function(h.module, "dynamic_shared"), &info);
    assert_int_equal(info.shared_bytes, 128);
    harness_close(&h);
}

static void test_structures(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    struct pair p = {-5, 123456789, 7}, *list = harness_buffer(&h, 32 * sizeof *list);
    struct pair *result = harness_buffer(&h, 32 * sizeof *result);
    int *out = harness_buffer(&h, 128);
    for (int i = 0; i < 32; i++)
        list[i] = (struct pair){(short)i, 1000 * i, (char)(2 * i)};
    assert_true(harness_launch(&h, "by_value", 1, 32, 0, (const void *[]){&p, &out, &list}));
    for (int t = 0; t < 32; t++)
        assert_int_equal(out[t], t == 0 ? -5 : t == 1 ? 123456789 : t == 2 ? 7 : 1003 * t);
    assert_true(harness_launch(&h, "struct_call", 1, 32, 0, (const void *[]){&list, &result}));
    for (int t = 0; t < 32; t++) {
        assert_int_equal(result[t].a, t % 2 ? (short)(1000 * t) : t);
        assert_true(result[t].b == (t % 2 ? t + t : 1000 * t));
        assert_int_equal(result[t].c, t % 2 ? 2 * t + 1 : 2 * t);
    }
    harness_close(&h);
}

static void test_atomics(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    enum { THREADS = 512 };
    unsigned *u = harness_buffer(&h, 64), *old = harness_buffer(&h, THREADS * 4);
    int *s = harness_buffer(&h, 8);
    unsigned long long *w = harness_buffer(&h, 8);
    float *f = harness_buffer(&h, 4);
    memset(u, 0, 64);
    u[4] = 0xffffffffu;
    *s = 0, *w = 3, *f = 1;
    assert_true(harness_launch(&h, "atomics", 4, THREADS / 4, 0, (const void *[]){&u, &s, &w, &f, &old}));
    unsigned x = 0, inc = 0, dec = 0;
    for (unsigned t = 0; t < THREADS; t++) {
        x ^= t;
        inc = inc >= 9 ? 0 : inc + 1;
        dec = dec == 0 || dec > 9 ? 9 : dec - 1;
    }
    const unsigned expected[] = {THREADS, THREADS - 1, 0xffffffffu, x,           0xffffff00u,
                                 inc,     dec,         2 * THREADS, THREADS - 1, 77};
    for (int i = 0; i < 10; i++)
        assert_int_equal(u[i], expected[i]);
    assert_int_equal(*s, -(THREADS - 1));
    assert_true(*w == 3 + ((unsigned long long)THREADS << 32));
    assert_true(*f == 1 + 0.5f * THREADS);
    for (unsigned t = 0; t < THREADS; t++) /* blocks in order: the old values are each thread's own */
        assert_int_equal(old[t], 2 * t);
    unsigned *bins = harness_buffer(&h, 64);
    memset(bins, 0, 64);
    assert_true(harness_launch(&h, "shared_atomics", 8, 256, 0, (const void *[]){&bins}));
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(bins[i], 8 * (16 * i + 16 * (15 * 16 / 2)));
    harness_close(&h);
}

/* ptxas uses wide loads for contiguous ones; the counts are those, and the values are the same. */
static void test_neighbouring_loads_count_as_wide(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *a = harness_buffer(&h, 1024), *b = harness_buffer(&h, 1024), *c = harness_buffer(&h, 1024);
    for (int i = 0; i < 256; i++) {
        a[i] = i * 7 % 31;
        b[i] = i * 5 % 29;
    }
    assert_true(harness_launch_3d(&h, "tile_product", (uint32_t[]){1, 1, 1}, (uint32_t[]){16, 16, 1}, 0,
                                  (const void *[]){&a, &b, &c}, 0));
    for (int i = 0; i < 256; i++) {
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += a[i / 16 * 16 + k] * b[k * 16 + i % 16];
        assert_int_equal(c[i], sum);
    }
    /* In SASS a warp's tile takes 16 LDS.32 and 4 LDS.128; a row of two 16-byte words costs 2 wavefronts. */
    assert_int_equal(h.counters.shared_load_requests, 8 * 20);
    assert_int_equal(h.counters.shared_load_transactions, 8 * (16 + 4 * 2));
    int from = 1;
    assert_true(harness_launch(&h, "neighbours", 1, 32, 0, (const void *[]){&a, &c, &from}));
    for (int t = 0; t < 32; t++) {
        int sum = 0;
        for (int k = 0; k < 8; k++)
            sum += a[k] - 3 * a[t + from + k];
        assert_int_equal(c[t], sum);
    }
    assert_int_equal(h.counters.shared_load_requests, 2 + 8);
    harness_close(&h);
}

static void expect_fault(const char *kernel, unsigned block, const void *const *params, struct harness *h,
                         enum sim_fault_kind kind, const char *const *words) {
    assert_false(harness_launch(h, kernel, 2, block, 0, params));
    assert_int_equal(h->fault.kind, kind);
    for (; *words; words++)
        if (!strstr(h->fault.text, *words))
            fail_msg("'%s' is not in: %s", *words, h->fault.text);
}

static void test_faults(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *out = harness_buffer(&h, 64 * 4), n = 3;
    expect_fault("out_of_bounds", 32, (const void *[]){&out, &n}, &h, SIM_FAULT_ADDRESS,
                 (const char *[]){"kernel out_of_bounds", "memory.cu:", "block (1,0,0)", "thread (29,0,0)",
                                  "4-byte global store", "256 bytes", NULL});
    expect_fault("misaligned", 32, (const void *[]){&out}, &h, SIM_FAULT_MISALIGNED,
                 (const char *[]){"kernel misaligned", "thread (0,0,0)", "no multiple of 4", NULL});
    expect_fault("shared_overrun", 32, (const void *[]){&out}, &h, SIM_FAULT_ADDRESS,
                 (const char *[]){"kernel shared_overrun", "shared load", NULL});
    int *wild = NULL;
    n = 0;
    expect_fault("out_of_bounds", 32, (const void *[]){&wild, &n}, &h, SIM_FAULT_ADDRESS,
                 (const char *[]){"block (0,0,0)", "thread (0,0,0)", NULL});
    harness_close(&h);
}

/* Counts and results are the same with one worker thread and with many. */
static void test_threads_do_not_matter(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    const uint32_t grid[3] = {5, 4, 3}, block[3] = {7, 5, 3};
    enum { THREADS = 5 * 4 * 3 * 7 * 5 * 3 };
    unsigned *out = harness_buffer(&h, THREADS * 4);
    struct wl_counters first = {0};
    for (unsigned threads = 1; threads <= 9; threads += 4) {
        memset(out, 0, THREADS * 4);
        assert_true(harness_launch_3d(&h, "grid_3d", grid, block, 0, (const void *[]){&out}, threads));
        for (unsigned i = 0; i < THREADS; i++)
            assert_int_equal(out[i], i / 105 * 10000 + i % 105);
        if (threads == 1)
            first = h.counters;
        assert_memory_equal(&first, &h.counters, sizeof first);
    }
    assert_int_equal(first.global_store_requests, 60 * 4);
    harness_close(&h);
}

struct seen {
    unsigned stores, loads;
    uint64_t instructions;
    uint32_t store_line;
};

static void note(void *argument, const struct sim_instruction_count *count) {
    struct seen *seen = argument;
    seen->instructions += count->counters.inst_executed;
    assert_non_null(count->file);
    assert_non_null(strstr(count->file, "memory.cu"));
    if (strncmp(count->opcode, "st.global", 9) == 0) {
        seen->stores++;
        seen->store_line = count->line;
        assert_int_equal(count->counters.global_store_requests, 8);
        assert_int_equal(count->counters.gst_transactions, 32);
        assert_int_equal(count->counters.inst_executed, 8);
        assert_int_equal(count->counters.thread_inst_executed, 256);
    } else if (strncmp(count->opcode, "ld.shared", 9) == 0) {
        seen->loads++;
        assert_int_equal(count->counters.shared_load_requests, 8);
        assert_int_equal(count->counters.global_load_requests, 0);
    }
}

/* Each instruction's own counts, by source line; their sum is the launch's. */
static void test_counts_by_instruction(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    int *in = harness_buffer(&h, 1024), *out = harness_buffer(&h, 1024);
    memset(in, 0, 1024);
    const struct { int *in, *out; } params = {in, out};
    struct seen seen = {0};
    struct sim_launch launch = {
        .memory = h.memory,
        .function = sim_module_function(h.module, "dynamic_shared"),
        .grid = {1, 1, 1},
        .block = {256, 1, 1},
        .shared_bytes = 1024,
        .params = &params,
        .rules = count_rules_find(NULL),
        .each = note,
        .argument = &seen,
    };
    assert_true(sim_launch_run(&launch, &h.counters, &h.fault));
    assert_int_equal(seen.stores, 1);
    assert_int_equal(seen.loads, 2);
    assert_true(seen.store_line > 0);
    assert_int_equal(seen.instructions, h.counters.inst_executed);
    harness_close(&h);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    ptx = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_local_memory),
        cmocka_unit_test(test_generic_addresses),
        cmocka_unit_test(test_module_variables),
        cmocka_unit_test(test_dynamic_shared),
        cmocka_unit_test(test_structures),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_neighbouring_loads_count_as_wide),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_counts_by_instruction),
    };
    return cmocka_run_group_tests_name("exec.memory", tests, NULL, NULL);
}
