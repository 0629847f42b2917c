/* A block's barriers to the last number: which there are, how many threads they wait for, and how they vote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/check/check.h"
#include "tests/exec/harness.h"

enum { THREADS = 64, WARPS = THREADS / 32 };

/* %r1 is the thread's number, %r2 and %r3 are the kernel's numbers, %rd1 is where the thread's word lies. */
#define KERNEL(body)                                                                                         \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                                        \
    ".visible .entry k(.param .u64 to, .param .u32 a, .param .u32 b) {\n.reg .b32 %r<9>;\n"                  \
    ".reg .b64 %rd<3>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [to]; ld.param.u32 %r2, [a];\n"                \
    "ld.param.u32 %r3, [b]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd1, %r1, 4, %rd1;\n" body "\nret;\n}\n"

static struct harness h;
static uint32_t *words;

static void load(const char *text) {
    harness_start(&h);
    harness_load(&h, "barriers.ptx", text, strlen(text));
    words = harness_buffer(&h, THREADS * sizeof *words);
}

static bool launched(uint32_t a, uint32_t b) {
    return harness_launch(&h, "k", 1, THREADS, 0, (const void *[]){&words, &a, &b});
}

/* The first so many threads say yes. */
static void votes(void **state) {
    (void)state;
    static const char *const texts[] = {
        KERNEL("setp.lt.u32 %p1, %r1, %r2; bar.red.and.pred %p2, 0, %p1; selp.u32 %r4, 1, 0, %p2;"
               "st.global.u32 [%rd1], %r4;"),
        KERNEL("setp.lt.u32 %p1, %r1, %r2; bar.red.or.pred %p2, 0, %p1; selp.u32 %r4, 1, 0, %p2;"
               "st.global.u32 [%rd1], %r4;"),
        KERNEL("setp.lt.u32 %p1, %r1, %r2; bar.red.popc.u32 %r4, 0, %p1; st.global.u32 [%rd1], %r4;"),
    };
    static const uint32_t numbers[] = {0, 1, 2, 31, 32, 33, THREADS - 1, THREADS};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        load(texts[i]);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            const uint32_t yes = numbers[n], expected = i == 0 ? yes == THREADS : i == 1 ? yes > 0 : yes;
            memset(words, 0xdd, THREADS * sizeof *words);
            assert_true(launched(yes, 0));
            for (unsigned t = 0; t < THREADS; t++)
                assert_int_equal(words[t], expected);
        }
        harness_close(&h);
    }
}

static void add_undefined(void *argument, const struct sim_instruction_count *count) {
    uint64_t *undefined = argument;
    *undefined += count->undefined;
}

static void ignore(void *context, const struct sim_finding *finding) {
    (void)context, (void)finding;
}

/* Barrier a for b threads: hardware has 16 barriers, and 12 bits for the threads. */
static const struct {
    uint32_t a, b;
    bool undefined;
    const char *checked, *unchecked; /* NULL: the launch ends */
} cases[] = {
    {0, THREADS, false, NULL, NULL},
    {15, THREADS, false, NULL, NULL},
    {15, 0, false, NULL, NULL},
    {16, THREADS, true, "barrier 16 for 64 threads: a block has only 16 barriers, and 1024 threads at most",
     NULL},
    {16, 0, true, "barrier 16 for 0 threads: a block has only 16 barriers, and 1024 threads at most", NULL},
    {15, 4096, true, "barrier 15 for 4096 threads: a block has only 16 barriers, and 1024 threads at most",
     NULL},
    {15, 4096 + THREADS, true,
     "barrier 15 for 4160 threads: a block has only 16 barriers, and 1024 threads at most", NULL},
    {UINT32_MAX, 8192, true,
     "barrier 4294967295 for 8192 threads: a block has only 16 barriers, and 1024 threads at most", NULL},
    {15, 4095, false, "barrier for 4095 threads: must be a multiple of 32",
     "barrier for 4095 threads: must be a multiple of 32"},
};

static void numbers(void **state) {
    (void)state;
    load(KERNEL("barrier.sync %r2, %r3;"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t undefined = 0;
        h.with.each = add_undefined;
        h.with.argument = &undefined;
        const bool right = launched(cases[i].a, cases[i].b);
        if (right != !cases[i].unchecked || (!right && !strstr(h.fault.text, cases[i].unchecked)))
            fail_msg("barrier %u for %u: %s", cases[i].a, cases[i].b, h.fault.text);
        assert_int_equal(undefined, cases[i].undefined ? WARPS : 0);
        h.check = sim_check_create(h.memory, SIM_CHECK_SYNC, ignore, NULL);
        assert_non_null(h.check);
        const bool clean = launched(cases[i].a, cases[i].b);
        if (clean != !cases[i].checked || (!clean && !strstr(h.fault.text, cases[i].checked)))
            fail_msg("barrier %u for %u, checked: %s", cases[i].a, cases[i].b, h.fault.text);
        sim_check_destroy(h.check);
        h.check = NULL;
    }
    harness_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(votes), cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
