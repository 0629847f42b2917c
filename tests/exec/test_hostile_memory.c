/* Hostile PTX: addresses, sizes and freed memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/hostile.h"

static void test_addresses(void **state) {
    (void)state;
    hostile_refused(KERNEL(".local .b32 x; selp.b32 %r1, %r2, %r3, x;"), "x");
    hostile_refused(KERNEL(".reg .b16 %h; ld.global.u32 %h, [%rd1];"), "too small");
    hostile_refused(KERNEL(".reg .b16 %h; st.global.u32 [%rd1], %h;"), "too small");
    hostile_refused(
        HEAD ".param .b8 x[60000];\n.entry k(.param .u64 p) { .reg .b32 %r; st.param.b32 [x], %r; ret; }\n",
        "x");
}

static void test_sizes(void **state) {
    (void)state;
    hostile_refused(KERNEL(".local .b8 x[600000];"), "local memory is");
    hostile_refused(KERNEL(".local .b8 x[9223372036854775807];"), "");
    hostile_refused(KERNEL(".shared .b8 x[300000];"), "shared memory is");
    hostile_refused(KERNEL(".shared .b8 x[4611686018427387904];"), "");
    hostile_refused(HEAD ".shared .b8 x[200000];\n.shared .b8 y[200000];\n"
                         ".entry k() { .reg .b32 %r; ld.shared.b32 %r, [x]; ld.shared.b32 %r, [y]; ret; }\n",
                    "of shared memory");
}

static void test_wild_pointers(void **state) {
    (void)state;
#define FAULTS(access)                                                                                       \
    assert_int_equal(hostile_launched(KERNEL("ld.param.u64 %rd1, [p];\n" access)).kind, SIM_FAULT_ADDRESS)
    FAULTS("ld.global.u32 %r1, [%rd1-4];");
    FAULTS("ld.u32 %r1, [%rd1-4];");
    FAULTS("st.global.u32 [%rd1-4], %r1;");
    FAULTS("st.shared.u32 [%rd1-4], %r1;");
    FAULTS("ld.local.u32 %r1, [%rd1-4];");
    FAULTS("atom.global.add.u32 %r1, [%rd1-4], 1;");
    FAULTS("red.shared.add.u32 [%rd1-4], 1;");
    FAULTS("cp.async.ca.shared.global [%rd1-4], [%rd1-4], 4;");
    FAULTS("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1-16];");
    /* Missing constants read as zeros, as on hardware. */
    assert_int_equal(hostile_launched(KERNEL("ld.param.u64 %rd1, [p];\nld.const.u32 %r1, [%rd1-4];")).kind,
                     SIM_FAULT_NONE);
    /* Outside of shared memory, only its granule and the 1 KB before it may be accessed. */
#define SHARED(access) hostile_launched(KERNEL(".shared .b32 s[25]; mov.u32 %r1, s;\n" access)).kind
    assert_int_equal(SHARED("st.shared.u32 [%r1+124], %r1;"), SIM_FAULT_NONE);
    assert_int_equal(SHARED("st.shared.u32 [%r1+128], %r1;"), SIM_FAULT_ADDRESS);
    assert_int_equal(SHARED("st.shared.u32 [%r1-1024], %r1;"), SIM_FAULT_NONE);
    assert_int_equal(SHARED("st.shared.u32 [%r1-1028], %r1;"), SIM_FAULT_ADDRESS);
    assert_int_equal(SHARED("atom.shared.add.u32 %r2, [%r1-4], 1;"), SIM_FAULT_NONE);
    assert_int_equal(SHARED("atom.shared.cas.b64 %rd1, [%r1-8], 1, 2;"), SIM_FAULT_NONE);
    assert_int_equal(SHARED("red.shared.add.f64 [%r1-8], 0d3ff0000000000000;"), SIM_FAULT_NONE);
    assert_int_equal(SHARED("atom.shared.add.u32 %r2, [%r1+128], 1;"), SIM_FAULT_ADDRESS);
    assert_int_equal(SHARED("mbarrier.init.shared.b64 [%r1-8], 1;"), SIM_FAULT_ADDRESS);
    assert_int_equal(SHARED("mbarrier.init.shared.b64 [%r1+104], 1;"), SIM_FAULT_ADDRESS);
}

/* Lanes half the address space apart, whose bounds wrap around and look small. */
static void test_lanes_far_apart(void **state) {
    (void)state;
#define FAR                                                                                                  \
    "mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;\n"                              \
    "mov.u64 %rd1, 0; @%p1 mov.u64 %rd1, 0x8000000000000020; @%p2 mov.u64 %rd1, 32;\n"
    assert_int_equal(hostile_launched(KERNEL(".shared .b8 x[64];" FAR "ld.shared.u32 %r2, [%rd1];")).kind,
                     SIM_FAULT_ADDRESS);
    assert_int_equal(hostile_launched(KERNEL(".local .b8 x[64];" FAR "st.local.u32 [%rd1], %r2;")).kind,
                     SIM_FAULT_ADDRESS);
}

/* The same under the checks, which examine the access first.  A lowest and a highest lane that are 2^64 apart
 * span 0, modulo 2^64. */
static void test_lanes_all_addresses_apart(void **state) {
    (void)state;
#define ROUND                                                                                                \
    "mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1;\n"                              \
    "mov.u64 %rd1, 32; @%p1 mov.u64 %rd1, 0x8000000000000020; @%p2 mov.u64 %rd1, 24;\n"
    static const char *const texts[] = {
        KERNEL(".shared .align 8 .b8 x[64];" ROUND "ld.shared.u64 %rd2, [%rd1];"),
        KERNEL(".local .align 8 .b8 x[64];" ROUND "st.local.u64 [%rd1], %rd2;")};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(hostile_launched(texts[i]).kind, SIM_FAULT_ADDRESS);
        for (unsigned checks = SIM_CHECK_MEMORY; checks <= SIM_CHECK_ALL; checks = 2 * checks + 1) {
            const struct outcome outcome = hostile_run(texts[i], (struct how){.checks = checks});
            assert_int_equal(outcome.fault.kind, SIM_FAULT_NONE);
            assert_true(outcome.findings >= 1);
        }
        assert_int_equal(
            hostile_run(texts[i], (struct how){.checks = SIM_CHECK_RACE | SIM_CHECK_INIT}).fault.kind,
            SIM_FAULT_ADDRESS);
    }
}

/* A parameter's bytes are limited to its size, however they are accessed.  Hardware reads on, and so does a
 * launch without checks. */
static void test_parameters(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum sim_fault_kind kind;
    } loads[] = {
        {KERNEL("ld.param.u64 %rd1, [p];"), SIM_FAULT_NONE},
        {KERNEL("ld.param.u32 %r1, [p+4];"), SIM_FAULT_NONE},
        {KERNEL("ld.param.u64 %rd1, [p+1];"), SIM_FAULT_MISALIGNED},
        {KERNEL("ld.param.u64 %rd1, [p+8];"), SIM_FAULT_ADDRESS},
        {KERNEL("ld.param.u8 %r1, [p+8];"), SIM_FAULT_ADDRESS},
        {KERNEL("ld.param.u8 %r1, [p-1];"), SIM_FAULT_ADDRESS},
        {KERNEL("ld.param.u64 %rd1, [p+9223372036854775807];"), SIM_FAULT_MISALIGNED},
        {KERNEL("ld.param.u8 %r1, [p+9223372036854775807];"), SIM_FAULT_ADDRESS},
        {KERNEL("mov.u64 %rd1, p; ld.param.u32 %r1, [%rd1+4];"), SIM_FAULT_NONE},
        {KERNEL("mov.u64 %rd1, p; ld.param.u32 %r1, [%rd1+8];"), SIM_FAULT_ADDRESS},
        {KERNEL("mov.u64 %rd1, p; ld.param.u64 %rd1, [%rd1+4];"), SIM_FAULT_MISALIGNED},
        {KERNEL("mov.u64 %rd1, p; ld.param.u64 %rd1, [%rd1-4];"), SIM_FAULT_MISALIGNED},
        {KERNEL("mov.u64 %rd1, p; ld.param.u64 %rd1, [%rd1-8];"), SIM_FAULT_ADDRESS},
        {KERNEL("mov.u64 %rd1, p; cvta.param.u64 %rd1, %rd1; ld.u32 %r1, [%rd1+4];"), SIM_FAULT_NONE},
        {KERNEL("mov.u64 %rd1, p; cvta.param.u64 %rd1, %rd1; ld.u32 %r1, [%rd1+8];"), SIM_FAULT_ADDRESS},
        {HEAD ".visible .entry k(.param .u64 a, .param .u64 p) { .reg .b64 %r<3>;\n"
              " ld.param.u64 %r1, [p+9223372036854775800]; ret; }\n",
         SIM_FAULT_ADDRESS},
    };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        struct sim_fault fault = hostile_run(loads[i].text, (struct how){.checks = SIM_CHECK_MEMORY}).fault;
        if (fault.kind != loads[i].kind)
            fail_msg("%s: %d %s", loads[i].text, (int)fault.kind, fault.text);
        fault = hostile_launched(loads[i].text);
        if (fault.kind == SIM_FAULT_ADDRESS)
            fail_msg("%s: %s", loads[i].text, fault.text);
    }
}

/* A call's argument is limited to its size too. */
static void test_arguments(void **state) {
    (void)state;
#define CALLS(access)                                                                                        \
    HEAD ".func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r], 0; ret; }\n"                            \
         ".entry k(.param .u64 p) { .reg .b32 %r<3>; .reg .b64 %d; .param .b32 x; .param .b32 y; " access    \
         " call (y), f, (x); ret; }\n"
    assert_int_equal(hostile_launched(CALLS("st.param.b32 [x+0], %r1;")).kind, SIM_FAULT_NONE);
    assert_int_equal(hostile_launched(CALLS("st.param.b8 [x+3], %r1;")).kind, SIM_FAULT_NONE);
    hostile_refused(CALLS("st.param.b32 [x+1], %r1;"), "'x' has no byte 1");
    hostile_refused(CALLS("st.param.b32 [x+4], %r1;"), "'x' has no byte 4");
    hostile_refused(CALLS("st.param.b8 [x+4], %r1;"), "'x' has no byte 4");
    hostile_refused(CALLS("st.param.b64 [x], %d;"), "'x' has no byte 0");
    hostile_refused(CALLS("st.param.b32 [x-4], %r1;"), "'x' has no byte -4");
    hostile_refused(CALLS("ld.param.b32 %r1, [y+4];"), "'y' has no byte 4");
    hostile_refused(CALLS("ld.param.b32 %r1, [y+9223372036854775807];"),
                    "'y' has no byte 9223372036854775807");
    hostile_refused(CALLS("ld.param.b32 %r1, [y-9223372036854775808];"),
                    "'y' has no byte -9223372036854775808");
}

#define BULK_HEAD                                                                                            \
    ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"                    \
    ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n ld.param.u64 %rd1, [p]; mov.u32 %r1, "         \
    "%tid.x;\n"
#define BULK(body) BULK_HEAD body "\nret;\n}\n"

/* A bulk copy's barrier is 8 bytes of shared memory, which may have fewer bytes. */
static void test_bulk_barriers(void **state) {
    (void)state;
    static const char *const offsets[] = {
        "0", "8", "4096", "1048576", "0x7ffffffffffffff8", "0xfffffffffffffff8"};
    static const size_t sizes[] = {0, 1, 4, 7, 8, 13, 1031};
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const struct sim_fault fault = hostile_run_with(
                BULK("mov.u64 %rd2, 0; mov.u64 %rd3, $; mov.u32 %r2, 0;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd2], [%rd1], %r2, "
                     "[%rd3];"),
                offsets[o], (struct how){.shared = sizes[i], .buffer = 64});
            const bool inside = sizes[i] >= 8 * o + 8;
            /* Inside shared memory, it was not initialised. */
            assert_int_equal(fault.kind, inside && o < 2 ? SIM_FAULT_TRAP : SIM_FAULT_ADDRESS);
        }
    static const struct {
        const char *place;
        enum sim_fault_kind kind;
    } places[] = {
        {"", SIM_FAULT_NONE},         {"+1", SIM_FAULT_MISALIGNED}, {"+2", SIM_FAULT_MISALIGNED},
        {"+3", SIM_FAULT_MISALIGNED}, {"+4", SIM_FAULT_MISALIGNED}, {"+5", SIM_FAULT_MISALIGNED},
        {"+6", SIM_FAULT_MISALIGNED}, {"+7", SIM_FAULT_MISALIGNED}, {"+60", SIM_FAULT_MISALIGNED},
        {"+56", SIM_FAULT_TRAP},      {"+64", SIM_FAULT_ADDRESS},   {"-8", SIM_FAULT_ADDRESS},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct sim_fault fault = hostile_run_with(
            BULK(".shared .align 16 .b8 s[64]; mbarrier.init.shared::cta.b64 [s], 1;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+16], [%rd1], "
                 "16, [s$];"),
            places[i].place, (struct how){.threads = 1, .buffer = 64});
        assert_int_equal(fault.kind, places[i].kind);
    }
}

/* A multicast to blocks that do not exist. */
static void test_multicast(void **state) {
    (void)state;
    static const char *const masks[] = {"0x1", "0x2", "0x8000", "0xffff"};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        const struct sim_fault fault = hostile_run_with(
            BULK(".reg .b16 %h; .shared .align 16 .b8 s[64]; mbarrier.init.shared::cta.b64 [s], 1;\n"
                 "mov.u16 %h, $;\n"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[s+16], [%rd1], 16, [s], %h;"),
            masks[i], (struct how){.threads = 1, .buffer = 64});
        assert_int_equal(fault.kind, i ? SIM_FAULT_ADDRESS : SIM_FAULT_NONE);
    }
}

/* Expected bytes of a barrier are counted modulo 2^22, the size of its field. */
static void test_barrier_bytes(void **state) {
    (void)state;
    static const char *const texts[] = {
        BULK(".shared .b64 s; mbarrier.init.shared::cta.b64 [s], 1;\n"
             "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s], 0x7fffffff;\n"
             "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [s], 0x7fffffff;"),
        BULK(".shared .b64 s; mbarrier.init.shared::cta.b64 [s], 1;\n"
             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [s], 0x80000000;\n"
             "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [s], 0x80000000;"),
        BULK(".shared .b64 s; mbarrier.init.shared::cta.b64 [s], 2;\n"
             "mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [s], 0x7fffffff;\n"
             "mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [s], 0x7fffffff;"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(hostile_run(texts[i], (struct how){.threads = 1}).fault.kind, SIM_FAULT_NONE);
}

/* A lane that the checks removed for its address is not examined again when the others continue. */
static void test_wait_of_a_bad_lane(void **state) {
    (void)state;
    static const char text[] =
        BULK(".shared .b64 s; mov.u64 %rd2, s; setp.eq.u32 %p1, %r1, 33; @%p1 mov.u64 %rd2, 0x10000000000;\n"
             "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [s], 1; bar.sync 0;\n"
             "setp.lt.u32 %p1, %r1, 32; @%p1 bra A;\n"
             "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%rd2], 0;\n bra E;\n"
             "A: setp.ne.u32 %p1, %r1, 0; @%p1 bra E; mov.u32 %r2, 0;\n"
             "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100000; @%p1 bra L;\n"
             "mbarrier.arrive.shared::cta.b64 %rd3, [s];\nE:");
    assert_int_equal(hostile_run(text, (struct how){.threads = 64}).fault.kind, SIM_FAULT_ADDRESS);
    const struct outcome outcome = hostile_run(text, (struct how){.threads = 64, .checks = SIM_CHECK_MEMORY});
    assert_int_equal(outcome.fault.kind, SIM_FAULT_NONE);
    assert_int_equal(outcome.findings, 1);
}

/* Exited lanes load no part of a matrix, neither for themselves nor for others: their places hold zeros.  An
 * earlier full load has left invalid addresses in the simulator's storage. */
static void test_matrix_of_few_lanes(void **state) {
    (void)state;
    static const char *const lanes[] = {"1", "5", "17", "31"};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        const struct sim_fault fault = hostile_run_with(
            BULK(
                ".reg .b32 %f<8>;\n"
                "mul.wide.u32 %rd2, %r1, 16; add.u64 %rd2, %rd1, %rd2; mov.u32 %r2, 0x3c003c00;\n"
                "st.global.v4.u32 [%rd2], {%r2, %r2, %r2, %r2}; bar.warp.sync -1;\n"
                "wmma.load.a.sync.aligned.col.m16n16k16.global.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
                "[%rd1], 16;\n"
                "setp.ne.u32 %p1, %f0, %r2; @%p1 trap;\n"
                "setp.ge.u32 %p1, %r1, $; @%p1 exit;\n"
                "wmma.load.a.sync.aligned.col.m16n16k16.global.f16 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
                "[%rd1+1024], 16;\n"
                "or.b32 %f0, %f0, %f1; or.b32 %f0, %f0, %f2; or.b32 %f0, %f0, %f3;\n"
                "setp.ne.u32 %p1, %f0, 0; @%p1 trap;"),
            lanes[i], (struct how){.buffer = 4096});
        if (fault.kind != SIM_FAULT_NONE)
            fail_msg("%s", fault.text);
    }
}

/* An instruction that fetched narrow texels through one object fetches wide ones through another: the same
 * lanes at the same address, but more bytes, some of which do not exist. */
static void test_texels_of_two_widths(void **state) {
    (void)state;
    static const char text[] =
        HEAD ".visible .entry k(.param .u64 a, .param .u64 b) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
             ".reg .pred %p<3>;\n"
             "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x;\n"
             "setp.lt.u32 %p1, %r1, 32; selp.b64 %rd1, %rd1, %rd2, %p1; selp.b32 %r2, 4, 0, %p1;\n"
             "tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd1, {%r2}]; ret; }\n";
    struct sim_texture textures[2] = {{.width = 5,
                                       .height = 1,
                                       .depth = 1,
                                       .dimensions = 1,
                                       .fetch_only = true,
                                       .kind = SIM_TEXEL_UNSIGNED,
                                       .bits = 32,
                                       .channels = 1}};
    textures[1] = textures[0];
    textures[1].base = 16;
    textures[1].width = 1;
    textures[1].channels = 4;
    struct how how = {.threads = 64, .buffer = 32, .textures = textures};
    assert_int_equal(hostile_run(text, how).fault.kind, SIM_FAULT_NONE);
    how.buffer = 20;
    assert_int_equal(hostile_run(text, how).fault.kind, SIM_FAULT_ADDRESS);
    how.checks = SIM_CHECK_MEMORY;
    assert_int_equal(hostile_run(text, how).findings, 1);
}

#define HEAP_HEAD                                                                                            \
    HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func free (.param .b64 a);\n"      \
         ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"      \
         "ld.param.u64 %rd1, [p]; mov.u32 %r1, %ctaid.x;\n"
#define MALLOC(size, to)                                                                                     \
    "{ .param .b64 n; .param .b64 r; st.param.b64 [n], " size "; call (r), malloc, (n); ld.param.b64 " to    \
    ", [r]; }\n"
#define FREE(what) "{ .param .b64 a; st.param.b64 [a], " what "; call free, (a); }\n"

/* A store into a piece of the heap, repeated after the piece was freed. */
static void test_freed_in_a_loop(void **state) {
    (void)state;
#define STORE_AND_FREE(size)                                                                                 \
    HEAP_HEAD "mov.u32 %r2, 0;\n" MALLOC(                                                                    \
        size, "%rd2") "L: st.u32 [%rd2+1020], %r2;\n"                                                        \
                      "setp.ne.u32 %p1, %r2, 1; @%p1 bra N;\n" FREE(                                         \
                          "%rd2") "N: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 4; @%p1 bra L; ret; }\n"
    static const char *const texts[] = {STORE_AND_FREE("1024"), STORE_AND_FREE("200000"),
                                        STORE_AND_FREE("4194304")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct how how = {.threads = 1, .heap = 8 << 20};
        const struct sim_fault fault = hostile_run(texts[i], how).fault;
        assert_int_equal(fault.kind, SIM_FAULT_ADDRESS);
        assert_non_null(strstr(fault.text, "byte 1020 of freed allocation"));
        how.checks = SIM_CHECK_MEMORY;
        for (; how.checks <= SIM_CHECK_ALL; how.checks = 2 * how.checks + 1) {
            const struct outcome outcome = hostile_run(texts[i], how);
            assert_int_equal(outcome.fault.kind, SIM_FAULT_NONE);
            assert_int_equal(outcome.freed, 1);
            assert_int_equal(outcome.findings, 1);
        }
        /* On hardware too, a page with another piece stays accessible. */
        how.checks = 0;
        how.packed = true;
        assert_int_equal(hostile_run(texts[i], how).fault.kind, SIM_FAULT_ADDRESS);
    }
}

/* The freed piece's addresses are reused only for other pieces of the heap.  (Sanitizers detect a step into
 * the host's memory; this test checks the pieces' contents.) */
static void test_freed_and_taken(void **state) {
    (void)state;
    static const char *const sizes[] = {"1024", "100000", "1000000"};
    for (unsigned i = 0; i < 6; i++) {
        const struct sim_fault fault = hostile_run_with(
            HEAP_HEAD
            "mov.u32 %r2, 0;\n"
            "L: " MALLOC(
                "$",
                "%rd2") "setp.eq.u64 %p1, %rd2, 0; @%p1 trap;\n"
                        "st.u32 [%rd2+12], %r2; ld.u32 %r3, [%rd2+12];\n"
                        "setp.ne.u32 %p1, %r3, %r2; @%p1 trap;\n" FREE(
                            "%rd2") "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 5000; @%p1 bra L; ret; }\n",
            sizes[i / 2], (struct how){.threads = 1, .heap = 2000000, .packed = i & 1});
        if (fault.kind != SIM_FAULT_NONE)
            fail_msg("%s", fault.text);
    }
}

/* A block frees a piece while another one stores to it: this may fault or not, depending on timing, but no
 * memory of the process itself may be in the piece's place. */
static void test_freed_by_another_block(void **state) {
    (void)state;
    static const char *const sizes[] = {"1024", "1000000", "4194304"};
    for (unsigned i = 0; i < 6; i++) {
        const struct how how = {
            .blocks = 17, .threads = 1, .workers = 2, .heap = 8 << 20, .buffer = 64, .packed = i & 1};
        const struct sim_fault fault = hostile_run_with(
            HEAP_HEAD
            "setp.eq.u32 %p1, %r1, 0; @%p1 bra O;\nmov.u32 %r2, 0;\n"
            "W: ld.global.u64 %rd2, [%rd1]; add.u32 %r2, %r2, 1;\n"
            "setp.gt.u32 %p1, %r2, 10000000; @%p1 bra E;\n"
            "setp.eq.u64 %p1, %rd2, 0; @%p1 bra W; mov.u32 %r2, 0;\n"
            "S: st.u32 [%rd2+512], %r2; add.u32 %r2, %r2, 1;\n"
            "setp.lt.u32 %p1, %r2, 20000; @%p1 bra S; bra E;\n"
            "O: " MALLOC("$",
                         "%rd2") "st.global.u64 [%rd1], %rd2; mov.u32 %r2, 0;\n"
                                 "P: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20000; @%p1 bra P;\n" FREE(
                                     "%rd2") "E: ret; }\n",
            sizes[i / 2], how);
        assert_true(fault.kind == SIM_FAULT_NONE || fault.kind == SIM_FAULT_ADDRESS);
    }
}

/* A copy with zero fill may end at the end of the allocation. */
static void test_zero_fill_at_the_end(void **state) {
    (void)state;
    assert_int_equal(
        hostile_launched(HEAD ".global .align 16 .b8 g[20];\n"
                              ".entry k(.param .u64 p) { .reg .b32 %r; .shared .align 16 .b8 s[16];\n"
                              "mov.u32 %r, 4; cp.async.cg.shared.global [s], [g+16], 16, %r; ret; }\n")
            .kind,
        SIM_FAULT_NONE);
    assert_int_equal(
        hostile_launched(HEAD ".global .align 16 .b8 g[20];\n"
                              ".entry k(.param .u64 p) { .reg .b32 %r; .shared .align 16 .b8 s[16];\n"
                              "mov.u32 %r, 5; cp.async.cg.shared.global [s], [g+16], 16, %r; ret; }\n")
            .kind,
        SIM_FAULT_ADDRESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_wild_pointers),
        cmocka_unit_test(test_lanes_far_apart),
        cmocka_unit_test(test_lanes_all_addresses_apart),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_bulk_barriers),
        cmocka_unit_test(test_multicast),
        cmocka_unit_test(test_barrier_bytes),
        cmocka_unit_test(test_wait_of_a_bad_lane),
        cmocka_unit_test(test_matrix_of_few_lanes),
        cmocka_unit_test(test_texels_of_two_widths),
        cmocka_unit_test(test_freed_in_a_loop),
        cmocka_unit_test(test_freed_and_taken),
        cmocka_unit_test(test_freed_by_another_block),
        cmocka_unit_test(test_zero_fill_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
