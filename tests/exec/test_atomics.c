/* Atomics: which of two numbers is larger, where they are neighbours, and how many lanes' work one lane does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static struct harness h;

static void load(const char *text) {
    harness_start(&h);
    harness_load(&h, "atomics.ptx", text, strlen(text));
}

/* The smaller and the larger of neighbours, of numbers whose signs differ, and of the ends. */
static void neighbours(void **state) {
    (void)state;
    static const struct {
        const char *type;
        bool is_signed;
        unsigned bytes;
    } types[] = {{"s32", true, 4}, {"u32", false, 4}, {"s64", true, 8}, {"u64", false, 8}};
    static const int64_t numbers[] = {5, 6, 7, -1, 0, 1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[1024];
        const unsigned bits = 8 * types[i].bytes;
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 to, .param .b64 b) {\n.reg .b64 %%d<2>; .reg .b%u %%b<3>;\n"
                 "ld.param.u64 %%d1, [to]; ld.param.b%u %%b0, [b];\n"
                 "atom.global.min.%s %%b1, [%%d1], %%b0; atom.global.max.%s %%b2, [%%d1+8], %%b0;\n"
                 "st.global.b%u [%%d1+16], %%b1; st.global.b%u [%%d1+24], %%b2; ret;\n}\n",
                 bits, bits, types[i].type, types[i].type, bits, bits);
        load(text);
        int64_t *to = harness_buffer(&h, 4 * sizeof *to);
        for (size_t n = 0; n < COUNT * COUNT; n++) {
            const bool wide = types[i].bytes == 8;
            const int64_t a = wide ? numbers[n / COUNT] : (int32_t)numbers[n / COUNT],
                          b = wide ? numbers[n % COUNT] : (int32_t)numbers[n % COUNT];
            const bool less = types[i].is_signed ? a < b
                              : wide             ? (uint64_t)a < (uint64_t)b
                                                 : (uint32_t)a < (uint32_t)b;
            const int64_t expected[] = {less ? a : b, less ? b : a, a, a};
            to[0] = to[1] = a;
            to[2] = to[3] = ~a;
            assert_true(harness_launch(&h, "k", 1, 1, 0, (const void *[]){&to, &b}));
            for (unsigned k = 0; k < 4; k++)
                assert_memory_equal(&to[k], &expected[k], types[i].bytes);
        }
        harness_close(&h);
    }
}

/* The word's address is a parameter, comes from a call, or from memory: where ptxas sees that it is the same
 * in all lanes, one lane adds for all. */
static void one_lane(void **state) {
    (void)state;
    static const struct {
        const char *address;
        bool alone;
    } cases[] = {
        {"ld.param.u64 %d1, [to];", true},
        {"ld.param.u64 %d0, [to]; { .param .b64 a; .param .b64 r; st.param.b64 [a], %d0; call (r), same, (a);"
         " ld.param.b64 %d1, [r]; }",
         false},
        {"ld.param.u64 %d0, [to]; ld.global.u64 %d1, [%d0+8];", false},
        {"mov.u64 %d0, to; ld.param.u64 %d1, [%d0];", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .func (.param .b64 r) same (.param .b64 a) {\n.reg .b64 %%d0;\n"
                 "ld.param.b64 %%d0, [a]; st.param.b64 [r], %%d0; ret;\n}\n"
                 ".visible .entry k(.param .u64 to) {\n.reg .b64 %%d<2>;\n%s\n"
                 "red.global.add.u32 [%%d1], 1; ret;\n}\n",
                 cases[i].address);
        load(text);
        uint64_t *to = harness_buffer(&h, 2 * sizeof *to);
        to[0] = 0;
        to[1] = (uintptr_t)to;
        assert_true(harness_launch(&h, "k", 1, 32, 0, (const void *[]){&to}));
        assert_int_equal(to[0], 32);
        assert_int_equal(h.counters.global_reduction_requests, 1);
        assert_int_equal(h.counters.global_reduction_transactions, cases[i].alone ? 1 : 32);
        harness_close(&h);
    }
}

/* Sums of floats in shared memory are loops: one lane a round changes the word, unless it stays as it is. */
static void rounds(void **state) {
    (void)state;
    static const struct {
        const char *number;
        uint64_t rounds;
    } cases[] = {{"3F800000", 32}, {"3F800001", 32}, {"00000000", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k() {\n.reg .f32 %%f<2>; .shared .align 4 .b8 tile[4];\n"
                 "mov.f32 %%f0, 0f%s; atom.shared.add.f32 %%f1, [tile], %%f0; ret;\n}\n",
                 cases[i].number);
        load(text);
        assert_true(harness_launch(&h, "k", 1, 32, 0, NULL));
        assert_int_equal(h.counters.shared_load_requests, cases[i].rounds);
        assert_int_equal(h.counters.shared_atomic_requests, cases[i].rounds);
        harness_close(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours), cmocka_unit_test(one_lane),
                                       cmocka_unit_test(rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
