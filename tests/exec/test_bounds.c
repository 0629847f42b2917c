/* At a limit, or one byte beyond: copies that read partially, waits, parameters, variables of modules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/check/check.h"
#include "tests/exec/harness.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"
/* %r1 is the thread's number; %rd1 and %rd2 are the parameters. */
#define KERNEL(body)                                                                                         \
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"          \
         ".reg .pred %p<3>;\nld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u32 %r1, %tid.x;\n" body    \
         "\nret;\n}\n"

static struct harness h;

static int setup(void **state) {
    (void)state;
    harness_start(&h);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

static void load(const char *text) {
    sim_module_unload(h.module);
    h.module = NULL;
    harness_load(&h, "bounds.ptx", text, strlen(text));
}

/* SIM_FAULT_NONE, or the launch's fault. */
static enum sim_fault_kind launched(const char *kernel, unsigned threads, size_t shared, uint64_t p,
                                    uint64_t q) {
    return harness_launch(&h, kernel, 1, threads, shared, (const void *[]){&p, &q}) ? SIM_FAULT_NONE
                                                                                    : h.fault.kind;
}

/* A copy reads the given number of bytes, at most 16; with 0 it reads nothing. */
static void partial_copies(void **state) {
    (void)state;
    load(KERNEL(
        ".shared .align 16 .b8 s[16];\n"
        "cvt.u32.u64 %r2, %rd2; cp.async.cg.shared.global [s], [%rd1], 16, %r2; cp.async.wait_all;\n"));
    for (unsigned bytes = 1; bytes <= 17; bytes++) {
        const uint64_t buffer = (uintptr_t)harness_buffer(&h, bytes);
        for (unsigned size = 0; size <= 18; size++)
            assert_int_equal(launched("k", 32, 0, buffer, size),
                             size <= bytes || bytes >= 16 ? SIM_FAULT_NONE : SIM_FAULT_ADDRESS);
    }
    const uint64_t buffer = (uintptr_t)harness_buffer(&h, 64);
    for (uint64_t offset = 1; offset < 16; offset++) {
        assert_int_equal(launched("k", 1, 0, buffer + offset, 4), SIM_FAULT_MISALIGNED);
        assert_int_equal(launched("k", 1, 0, buffer + offset, 16), SIM_FAULT_MISALIGNED);
        assert_int_equal(launched("k", 1, 0, buffer + offset, 0), SIM_FAULT_NONE);
    }
    assert_int_equal(launched("k", 1, 0, 1 << 20, 0), SIM_FAULT_NONE);
    assert_int_equal(launched("k", 1, 0, 1 << 20, 1), SIM_FAULT_ADDRESS);
    /* Next to a lane that reads 4 bytes, one with too large a size reads 16. */
    load(KERNEL(
        ".shared .align 16 .b8 s[32];\n"
        "cvt.u32.u64 %r2, %rd2; setp.eq.u32 %p1, %r1, 0; selp.u32 %r2, 4, %r2, %p1;\n"
        "mul.wide.u32 %rd3, %r1, 16; add.u64 %rd1, %rd1, %rd3; mov.u32 %r3, s; mad.lo.u32 %r3, %r1, 16, "
        "%r3;\ncp.async.cg.shared.global [%r3], [%rd1], 16, %r2; cp.async.wait_all;\n"));
    for (unsigned bytes = 31; bytes <= 33; bytes++)
        for (unsigned size = 15; size <= 18; size++)
            assert_int_equal(launched("k", 2, 0, (uintptr_t)harness_buffer(&h, bytes), size),
                             bytes >= 32 || size == 15 ? SIM_FAULT_NONE : SIM_FAULT_ADDRESS);
}

struct findings {
    unsigned count;
};

static void count_finding(void *argument, const struct sim_finding *finding) {
    (void)finding;
    ((struct findings *)argument)->count++;
}

/* Under the checks a lane with an invalid barrier is reported and not waited for; the others' waits end
 * normally. */
static void waits(void **state) {
    (void)state;
#define WAIT(size)                                                                                           \
    KERNEL(".shared .align 8 .b8 s[" size "]; mov.u64 %rd3, s;\n"                                            \
           "setp.eq.u32 %p1, %r1, 33; @%p1 add.u64 %rd3, %rd3, %rd1;\n"                                      \
           "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [s], 1; bar.sync 0;\n"               \
           "setp.lt.u32 %p1, %r1, 32; @%p1 bra A;\n"                                                         \
           "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%rd3], 0;\n"                                      \
           "setp.eq.u32 %p1, %r1, 33; @%p1 bra E; @%p2 bra E; trap;\n"                                       \
           "A: setp.ne.u32 %p1, %r1, 0; @%p1 bra E; mov.u32 %r2, 0;\n"                                       \
           "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100000; @%p1 bra L;\n"                             \
           "mbarrier.arrive.shared::cta.b64 %rd3, [s];\nE:")
    static const struct {
        const char *text;
        unsigned beside;
    } cases[] = {
        {WAIT("8"), 0},  {WAIT("8"), 1},  {WAIT("8"), 2},  {WAIT("8"), 3},  {WAIT("8"), 4},
        {WAIT("8"), 8},  {WAIT("15"), 0}, {WAIT("15"), 8}, {WAIT("15"), 7}, {WAIT("15"), 16},
        {WAIT("16"), 1}, {WAIT("16"), 4}, {WAIT("16"), 6}, {WAIT("16"), 7}, {WAIT("16"), 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct findings found = {0};
        load(cases[i].text);
        h.check = sim_check_create(h.memory, SIM_CHECK_MEMORY, count_finding, &found);
        assert_non_null(h.check);
        if (launched("k", 64, 0, cases[i].beside, 0) != SIM_FAULT_NONE)
            fail_msg("%zu: %s", i, h.fault.text);
        assert_int_equal(found.count, cases[i].beside != 0);
        sim_check_destroy(h.check);
        h.check = NULL;
    }
}

/* A parameter through its address in a register, in any slot of the frame. */
static void parameters(void **state) {
    (void)state;
    load(HEAD ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .b64 %a, %b;\n"
              "mov.u64 %a, q; ld.param.u64 %a, [%a]; ld.param.u64 %b, [p]; st.global.u64 [%a], %b; ret; }\n"
              ".visible .entry l(.param .u64 p, .param .u64 q) {\n.reg .b64 %b, %a;\n"
              "mov.u64 %a, q; ld.param.u64 %a, [%a]; ld.param.u64 %b, [p]; st.global.u64 [%a], %b; ret; }\n");
    uint64_t *to = harness_buffer(&h, 8);
    for (int i = 0; i < 2; i++) {
        *to = 0;
        assert_int_equal(launched(i ? "l" : "k", 1, 0, 77, (uintptr_t)to), SIM_FAULT_NONE);
        assert_int_equal(*to, 77);
    }
}

static bool loads(const char *format, unsigned number, const char *why) {
    char text[1024];
    struct ptx_error error = {.pos = {0, 0}};
    snprintf(text, sizeof text, format, number);
    sim_module_unload(h.module);
    h.module = NULL;
    if (sim_module_load(h.memory, "bounds.ptx", text, strlen(text), &h.module, &error))
        return true;
    if (!*why || !strstr(error.text, why))
        fail_msg("%s", error.text);
    return false;
}

static size_t shared_bytes(const char *kernel) {
    struct sim_function_info info;
    const struct sim_function *function = sim_module_function(h.module, kernel);
    assert_non_null(function);
    sim_function_info(function, &info);
    return info.shared_bytes;
}

/* A block has 227 KiB of shared memory, for one variable or for all together. */
static void shared_sizes(void **state) {
    (void)state;
    enum { MOST = 227 << 10 };
    static const char one[] = HEAD ".visible .entry k() { .shared .b8 a[%u]; ret; }\n";
    static const char two[] = HEAD ".visible .entry k() { .shared .b8 a[%u]; .shared .b8 b[100]; ret; }\n";
    assert_true(loads(one, MOST, ""));
    assert_int_equal(shared_bytes("k"), MOST);
    assert_false(loads(one, MOST + 1, "does not fit"));
    assert_true(loads(two, MOST - 100, ""));
    assert_int_equal(shared_bytes("k"), MOST);
    assert_false(loads(two, MOST - 99, "bytes of shared memory: a block has"));
    assert_int_equal(sim_memory_used(h.memory), 0);
}

/* Tensor maps require sm_90. */
static void least_target(void **state) {
    (void)state;
    static const char text[] = ".version 8.6\n.target sm_%u\n.address_size 64\n"
                               ".visible .entry k(.param .u64 p) { .reg .b64 %%rd; ld.param.u64 %%rd, [p];\n"
                               "prefetch.tensormap [%%rd]; ret; }\n";
    assert_true(loads(text, 90, ""));
    assert_false(loads(text, 89, "needs .target sm_90 or higher"));
}

/* The part of a module's shared variables that a kernel and its functions name, to the byte. */
static void shared_reach(void **state) {
    (void)state;
    load(HEAD
         ".shared .align 4 .b8 a[64];\n.shared .b8 b[1];\n.shared .b8 c[1];\n"
         ".func f() { .reg .b32 %r; ld.shared.u8 %r, [a]; ld.shared.u8 %r, [b]; ret; }\n"
         ".func g() { .reg .b32 %r; ld.shared.u8 %r, [b]; ret; }\n"
         ".func h() { .reg .b32 %r; ld.shared.u8 %r, [c]; ret; }\n"
         ".visible .entry none() { ret; }\n"
         ".visible .entry kf() { call f; ret; }\n"
         ".visible .entry kg() { .reg .b32 %r; ld.shared.u8 %r, [a]; call g; ret; }\n"
         ".visible .entry kh() { .reg .b32 %r; ld.shared.u8 %r, [c]; ld.shared.u8 %r, [a]; call f; ret; }\n"
         ".visible .entry own() { .reg .b32 %r; .shared .b8 d[3]; ld.shared.u8 %r, [d]; ret; }\n");
    assert_int_equal(shared_bytes("none"), 0);
    assert_int_equal(shared_bytes("kf"), 65);
    assert_int_equal(shared_bytes("kg"), 65);
    assert_int_equal(shared_bytes("kh"), 66);
    assert_int_equal(shared_bytes("own"), 3);
}

/* Dynamic shared memory begins after each kernel's own, even if these differ by a byte. */
static void dynamic_behind_own(void **state) {
    (void)state;
#define OWN(name, size, last)                                                                                \
    ".visible .entry " name "(.param .u64 p, .param .u64 q) { .reg .b32 %r<3>; .reg .pred %p;\n"             \
    ".shared .b8 own[" size "]; mov.u32 %r1, 1; mov.u32 %r2, 2;\n"                                           \
    "st.shared.u8 [own+" last "], %r1; st.shared.u8 [dynamic], %r2; ld.shared.u8 %r0, [own+" last "];\n"     \
    "setp.ne.u32 %p, %r0, 1; @%p trap; ret; }\n"
    load(HEAD OWN("k", "1024", "1023") OWN("l", "1025", "1024"));
    assert_int_equal(launched("k", 1, 16, 0, 0), SIM_FAULT_NONE);
    assert_int_equal(launched("l", 1, 16, 0, 0), SIM_FAULT_NONE);
}

/* Variables inside functions, including the last one, and outside. */
static void variables(void **state) {
    (void)state;
    load(HEAD ".global .align 8 .u64 outer = 5;\n"
              ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .b64 %rd<5>;\n"
              ".global .align 8 .u64 inner = 6; .global .align 8 .u64 where[2] = {inner, outer};\n"
              "ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [where]; ld.global.u64 %rd2, [%rd2];\n"
              "ld.global.u64 %rd3, [where+8]; ld.global.u64 %rd3, [%rd3];\n"
              "st.global.u64 [%rd1], %rd2; st.global.u64 [%rd1+8], %rd3; ret; }\n");
    uint64_t *to = harness_buffer(&h, 16);
    assert_int_equal(launched("k", 1, 0, (uintptr_t)to, 0), SIM_FAULT_NONE);
    assert_int_equal(to[0], 6);
    assert_int_equal(to[1], 5);
}

/* Nested calls: at most 4095 frames above a kernel's, and 512 KiB of local memory per thread. */
static void stacks(void **state) {
    (void)state;
#define RECURSIVE(variables)                                                                                 \
    HEAD ".func f(.param .b64 n) {\n.reg .b64 %rd<3>; .reg .pred %p;" variables                              \
         "ld.param.b64 %rd1, [n]; setp.eq.u64 %p, %rd1, 1; @%p ret; sub.u64 %rd1, %rd1, 1;\n"                \
         "{ .param .b64 m; st.param.b64 [m], %rd1; call f, (m); } ret; }\n"                                  \
         ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .b64 %rd<3>; ld.param.u64 %rd1, [p];\n"    \
         "{ .param .b64 m; st.param.b64 [m], %rd1; call f, (m); } ret; }\n"
    load(RECURSIVE(""));
    assert_int_equal(launched("k", 1, 0, 4095, 0), SIM_FAULT_NONE);
    assert_int_equal(launched("k", 1, 0, 4096, 0), SIM_FAULT_STACK);
    load(RECURSIVE(".local .align 16 .b8 x[1024];"));
    assert_int_equal(launched("k", 1, 0, 512, 0), SIM_FAULT_NONE);
    assert_int_equal(launched("k", 1, 0, 513, 0), SIM_FAULT_STACK);
}

/* An index of brx.idx must select one of its targets. */
static void targets(void **state) {
    (void)state;
    load(KERNEL("cvt.u32.u64 %r2, %rd1; T: .branchtargets A, B; brx.idx %r2, T;\nA: bra E; B: bra E; E:"));
    assert_int_equal(launched("k", 32, 0, 0, 0), SIM_FAULT_NONE);
    assert_int_equal(launched("k", 32, 0, 1, 0), SIM_FAULT_NONE);
    assert_int_equal(launched("k", 32, 0, 2, 0), SIM_FAULT_TRAP);
    assert_int_equal(launched("k", 32, 0, UINT32_MAX, 0), SIM_FAULT_TRAP);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(partial_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(waits, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(shared_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(least_target, setup, teardown),
        cmocka_unit_test_setup_teardown(shared_reach, setup, teardown),
        cmocka_unit_test_setup_teardown(dynamic_behind_own, setup, teardown),
        cmocka_unit_test_setup_teardown(variables, setup, teardown),
        cmocka_unit_test_setup_teardown(stacks, setup, teardown),
        cmocka_unit_test_setup_teardown(targets, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
