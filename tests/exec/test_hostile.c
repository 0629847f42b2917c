/* PTX that no compiler writes: what the parser lets through, and the lowering must refuse or a launch must
 * catch.  Each text once made the simulator leave its own memory, or would have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/sim.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL_HEAD                                                                                          \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"
#define KERNEL(body) KERNEL_HEAD body "\nret;\n}\n"

static bool load(struct sim_memory *memory, const char *text, struct sim_module **module,
                 struct ptx_error *error) {
    *error = (struct ptx_error){.pos = {0, 0}};
    return sim_module_load(memory, "hostile.ptx", text, strlen(text), module, error);
}

static void refused(const char *text, const char *why) {
    struct sim_memory *memory = sim_memory_create(1 << 24);
    struct sim_module *module;
    struct ptx_error error;
    assert_non_null(memory);
    if (load(memory, text, &module, &error)) {
        sim_module_unload(module);
        fail_msg("accepted: %s", text);
    }
    if (!strstr(error.text, why))
        fail_msg("'%s' does not say '%s'", error.text, why);
    assert_true(error.pos.line > 3 && error.pos.column > 0);
    assert_true(sim_memory_used(memory) == 0);
    sim_memory_destroy(memory);
}

/* Launches k with one parameter, 0.  What fault it has. */
static struct sim_fault launched_for(const char *text, uint32_t limit) {
    struct sim_memory *memory = sim_memory_create(1 << 24);
    struct sim_module *module;
    struct ptx_error error;
    assert_non_null(memory);
    if (!load(memory, text, &module, &error))
        fail_msg("%s", error.text);
    const uint64_t zero[2] = {0};
    const struct sim_launch launch = {
        .memory = memory,
        .function = sim_module_function(module, "k"),
        .grid = {1, 1, 1},
        .block = {32, 1, 1},
        .params = zero,
        .rules = count_rules_find(NULL),
        .threads = 1,
        .limit = limit,
    };
    struct wl_counters counters;
    struct sim_fault fault = {.kind = SIM_FAULT_NONE};
    sim_launch_run(&launch, &counters, &fault);
    sim_module_unload(module);
    sim_memory_destroy(memory);
    return fault;
}

static struct sim_fault launched(const char *text) {
    return launched_for(text, 0);
}

static void test_branches(void **state) {
    (void)state;
    refused(KERNEL("bra %r1;"), "takes a label");
    refused(KERNEL("bra 5;"), "takes a label");
    refused(KERNEL("bra;"), "takes a label");
    refused(KERNEL("L: bra T; T: .branchtargets L;"), "takes a label");
    refused(KERNEL("L: brx.idx %r1, L;"), "takes an index");
    refused(KERNEL("T: .branchtargets U; U: .branchtargets T; brx.idx %r1, T;"), "U");
}

/* What has a result, and nothing to put it in. */
static void test_no_operands(void **state) {
    (void)state;
    static const char *const words[] = {
        "mbarrier.pending_count.b64",
        "mbarrier.arrive.shared.b64",
        "mbarrier.try_wait.shared.b64",
        "bar.red.popc.u32",
        "barrier.red.and.pred",
        "mov.u32",
        "ld.global.u32",
        "atom.global.add.u32",
        "shfl.sync.idx.b32",
        "vote.sync.all.pred",
        "setp.eq.u32",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16",
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16",
        "elect.sync",
        "activemask.b32",
        "cvt.u32.u64",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[512];
        static const char *const guards[] = {"", "@%p1 "};
        for (size_t g = 0; g < 2; g++) {
            snprintf(text, sizeof text, "%s%s%s%s", KERNEL_HEAD, guards[g], words[i], ";\nret;\n}\n");
            refused(text, words[i]);
        }
    }
}

static void test_calls(void **state) {
    (void)state;
    refused(HEAD ".entry other(.param .b8 a[4096]) { ret; }\n"
                 ".entry k(.param .u64 p) { .param .b8 x[4096]; call other, (x); ret; }\n",
            "other");
    refused(HEAD ".func f(.param .u64 a) { ret; }\n.entry k(.param .u64 p) { call f, (p); ret; }\n",
            ".param");
}

static void test_addresses(void **state) {
    (void)state;
    refused(KERNEL(".local .b32 x; selp.b32 %r1, %r2, %r3, x;"), "x");
    refused(KERNEL(".reg .b16 %h; ld.global.u32 %h, [%rd1];"), "too small");
    refused(KERNEL(".reg .b16 %h; st.global.u32 [%rd1], %h;"), "too small");
    refused(HEAD
            ".param .b8 x[60000];\n.entry k(.param .u64 p) { .reg .b32 %r; st.param.b32 [x], %r; ret; }\n",
            "x");
}

static void test_sizes(void **state) {
    (void)state;
    refused(KERNEL(".local .b8 x[600000];"), "local memory is");
    refused(KERNEL(".local .b8 x[9223372036854775807];"), "");
    refused(KERNEL(".shared .b8 x[300000];"), "shared memory is");
    refused(KERNEL(".shared .b8 x[4611686018427387904];"), "");
    refused(HEAD ".shared .b8 x[200000];\n.shared .b8 y[200000];\n"
                 ".entry k() { .reg .b32 %r; ld.shared.b32 %r, [x]; ld.shared.b32 %r, [y]; ret; }\n",
            "of shared memory");
}

static void test_wild_pointers(void **state) {
    (void)state;
#define FAULTS(access)                                                                                       \
    assert_int_equal(launched(KERNEL("ld.param.u64 %rd1, [p];\n" access)).kind, SIM_FAULT_ADDRESS)
    FAULTS("ld.global.u32 %r1, [%rd1-4];");
    FAULTS("ld.const.u32 %r1, [%rd1-4];");
    FAULTS("ld.u32 %r1, [%rd1-4];");
    FAULTS("st.global.u32 [%rd1-4], %r1;");
    FAULTS("st.shared.u32 [%rd1-4], %r1;");
    FAULTS("ld.local.u32 %r1, [%rd1-4];");
    FAULTS("atom.global.add.u32 %r1, [%rd1-4], 1;");
    FAULTS("red.shared.add.u32 [%rd1-4], 1;");
    FAULTS("cp.async.ca.shared.global [%rd1-4], [%rd1-4], 4;");
    FAULTS("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1-16];");
}

/* Lanes half the address space apart, whose bounds wrap round to look small. */
static void test_lanes_far_apart(void **state) {
    (void)state;
#define FAR                                                                                                  \
    "mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;\n"                              \
    "mov.u64 %rd1, 0; @%p1 mov.u64 %rd1, 0x8000000000000020; @%p2 mov.u64 %rd1, 32;\n"
    assert_int_equal(launched(KERNEL(".shared .b8 x[64];" FAR "ld.shared.u32 %r2, [%rd1];")).kind,
                     SIM_FAULT_ADDRESS);
    assert_int_equal(launched(KERNEL(".local .b8 x[64];" FAR "st.local.u32 [%rd1], %r2;")).kind,
                     SIM_FAULT_ADDRESS);
}

/* A copy of fewer bytes than it fills may end where the allocation does. */
static void test_zero_fill_at_the_end(void **state) {
    (void)state;
    assert_int_equal(launched(HEAD ".global .align 16 .b8 g[20];\n"
                                   ".entry k(.param .u64 p) { .reg .b32 %r; .shared .align 16 .b8 s[16];\n"
                                   "mov.u32 %r, 4; cp.async.cg.shared.global [s], [g+16], 16, %r; ret; }\n")
                         .kind,
                     SIM_FAULT_NONE);
    assert_int_equal(launched(HEAD ".global .align 16 .b8 g[20];\n"
                                   ".entry k(.param .u64 p) { .reg .b32 %r; .shared .align 16 .b8 s[16];\n"
                                   "mov.u32 %r, 5; cp.async.cg.shared.global [s], [g+16], 16, %r; ret; }\n")
                         .kind,
                     SIM_FAULT_ADDRESS);
}

/* Loops that never end, however they do it, end at the launch's limit; what ends before it does not notice.
 */
static void test_limit(void **state) {
    (void)state;
    static const char *const endless[] = {
        KERNEL("L: bra L;"),
        KERNEL("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3; L: @%p1 bra L; bar.sync 0;"),
        KERNEL("mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3; @%p1 bra M; L: bra L; M: bar.warp.sync -1;"),
        KERNEL(".shared .b32 s; L: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"),
        HEAD ".func f() { L: bra L; }\n.entry k(.param .u64 p) { call f; ret; }\n",
    };
    static const uint32_t limits[] = {1, 2, 1000, 200000};
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
        for (size_t j = 0; j < sizeof limits / sizeof *limits; j++) {
            struct sim_fault fault = launched_for(endless[i], limits[j]);
            assert_int_equal(fault.kind, SIM_FAULT_TIME);
            assert_non_null(strstr(fault.text, "limit"));
        }
    static const char loop[] = KERNEL("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 500; @%p1 bra L;");
    assert_int_equal(launched_for(loop, 400).kind, SIM_FAULT_TIME);
    assert_int_equal(launched_for(loop, 600).kind, SIM_FAULT_NONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_wild_pointers),
        cmocka_unit_test(test_lanes_far_apart),
        cmocka_unit_test(test_zero_fill_at_the_end),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_no_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
