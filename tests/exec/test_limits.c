/* Limits to the byte: the last valid access, and the first invalid one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/check/check.h"
#include "tests/exec/harness.h"

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                                        \
    ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .shared .align 16 .b8 dynamic[];\n"
/* %r1 is the thread's number, %rd1 the parameter, %rd2 the thread's number in 64 bits. */
#define KERNEL(body)                                                                                         \
    HEAD ".visible .entry k(.param .align 8 .b8 p[32]) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"             \
         ".reg .pred %p<3>;\nld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1;\n" body     \
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
    if (h.module)
        sim_module_unload(h.module);
    h.module = NULL;
    harness_load(&h, "limits.ptx", text, strlen(text));
}

/* Launches one warp, with `shared` bytes of dynamic shared memory and 32 bytes of parameters. */
static bool launched(size_t shared, const void *parameters) {
    const void *const params[] = {parameters};
    return harness_launch(&h, "k", 1, 32, shared, params);
}

/* The report names the thread with the first byte beyond. */
static void the_last_byte(void **state) {
    (void)state;
    uint64_t parameters[4] = {0};
    /* Shared memory is allocated in granules of 128 bytes. */
    load(KERNEL("ld.shared.u8 %r2, [%rd2+97];"));
    assert_true(launched(129, parameters));
    assert_false(launched(128, parameters));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_int_equal(h.fault.thread[0], 31);
    load(KERNEL("ld.shared.u8 %r2, [%rd2+118];"));
    assert_false(launched(128, parameters));
    assert_int_equal(h.fault.thread[0], 10);
    static const char *const texts[] = {
        KERNEL("add.u64 %rd2, %rd1, %rd2; ld.global.u8 %r2, [%rd2+40];"),
        KERNEL("add.u64 %rd2, %rd1, %rd2; ld.u8 %r2, [%rd2+40];"),
        KERNEL("add.u64 %rd2, %rd1, %rd2; st.global.u8 [%rd2+40], %r1;"),
        /* In descending order, and again after the first access has found the allocation. */
        KERNEL("sub.u64 %rd2, 31, %rd2; add.u64 %rd2, %rd1, %rd2; ld.global.u8 %r2, [%rd2+40];"),
        KERNEL(
            "mov.u32 %r3, 0; add.u64 %rd2, %rd1, %rd2; L: ld.global.u8 %r2, [%rd2]; add.u64 %rd2, %rd2, 40;\n"
            "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra L;"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        load(texts[i]);
        for (unsigned bytes = 70; bytes <= 74; bytes++) {
            parameters[0] = (uintptr_t)harness_buffer(&h, bytes);
            assert_int_equal(launched(0, parameters), bytes >= 72);
            if (bytes == 71) {
                assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
                assert_int_equal(h.fault.thread[0], i == 3 ? 0 : 31);
            }
        }
    }
}

/* Address patterns are cached: when one recurs a byte closer to the end, the bytes before the first lane's
 * and after it are checked too. */
static void a_byte_beside(void **state) {
    (void)state;
    static const char *const texts[] = {
        /* Lane 1 is a byte before the others, which reach the beginning. */
        KERNEL(
            "setp.eq.u32 %p1, %r1, 1; selp.u64 %rd2, 0, 1, %p1; add.u64 %rd1, %rd1, %rd2; mov.u32 %r3, 0;\n"
            "L: ld.global.u8 %r2, [%rd1]; sub.u64 %rd1, %rd1, 1;\n"
            "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra L;"),
        /* It is a byte after them, and they reach the end. */
        KERNEL(
            "setp.eq.u32 %p1, %r1, 1; selp.u64 %rd2, 1, 0, %p1; add.u64 %rd1, %rd1, %rd2; mov.u32 %r3, 0;\n"
            "L: ld.global.u8 %r2, [%rd1+62]; add.u64 %rd1, %rd1, 1;\n"
            "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra L;"),
    };
    uint64_t parameters[4] = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        load(texts[i]);
        parameters[0] = (uintptr_t)harness_buffer(&h, 64);
        assert_false(launched(0, parameters));
        assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
        assert_int_equal(h.fault.thread[0], 1);
        parameters[0] = (uintptr_t)harness_buffer(&h, 66) + (i == 0);
        assert_true(launched(0, parameters));
    }
}

static void count_finding(void *context, const struct sim_finding *finding) {
    unsigned *count = context;
    *count += finding->kind == SIM_FINDING_OUT_OF_BOUNDS;
}

/* Constants of 71 bytes have no 72nd byte, for the first lane and for the last.  Hardware reads on, and so
 * does a launch without checks. */
static void constants(void **state) {
    (void)state;
#define CONSTANTS(size, body)                                                                                \
    ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 8 .b8 c[" size "];\n"                      \
    ".visible .entry k(.param .align 8 .b8 p[32]) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"                  \
    "mov.u32 %r1, %tid.x; " body "cvt.u64.u32 %rd2, %r1; mov.u64 %rd1, c; add.u64 %rd1, %rd1, %rd2;\n"       \
    "ld.const.u8 %r2, [%rd1+40];\nret;\n}\n"
    static const struct {
        const char *text;
        bool right;
    } cases[] = {
        {CONSTANTS("72", ""), true},
        {CONSTANTS("71", ""), false},
        {CONSTANTS("72", "sub.u32 %r1, 31, %r1; "), true},
        {CONSTANTS("71", "sub.u32 %r1, 31, %r1; "), false},
        {CONSTANTS("71", "mul.lo.u32 %r1, %r1, 1000000; "), false},
    };
    uint64_t parameters[4] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        load(cases[i].text);
        assert_true(launched(0, parameters));
        unsigned found = 0;
        h.check = sim_check_create(h.memory, SIM_CHECK_MEMORY, count_finding, &found);
        assert_non_null(h.check);
        assert_true(launched(0, parameters));
        sim_check_destroy(h.check);
        h.check = NULL;
        assert_int_equal(found != 0, !cases[i].right);
    }
}

/* An argument of a call has its size, whatever is loaded or stored at once. */
static void arguments(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool right;
    } cases[] = {
        {KERNEL("{ .param .b64 q; st.param.v2.u32 [q], {%r1, %r1}; ld.param.v2.u32 {%r2, %r3}, [q]; }"),
         true},
        {KERNEL("{ .param .b32 q; st.param.v2.u32 [q], {%r1, %r1}; }"), false},
        {KERNEL("{ .param .b32 q; st.param.u32 [q], %r1; ld.param.v2.u32 {%r2, %r3}, [q]; }"), false},
        {KERNEL("{ .param .b64 q; ld.param.v2.u32 {%r2, %r3}, [q+4]; }"), false},
        {KERNEL("{ .param .b64 q; ld.param.u32 %r2, [q+4]; }"), true},
        {KERNEL("{ .param .b64 q; ld.param.u32 %r2, [q+5]; }"), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_error error;
        struct sim_module *module;
        const char *text = cases[i].text;
        const bool loaded = sim_module_load(h.memory, "limits.ptx", text, strlen(text), &module, &error);
        if (loaded)
            sim_module_unload(module);
        if (loaded != cases[i].right)
            fail_msg("%s: %s", text, loaded ? "taken" : error.text);
    }
}

/* Parameters that are read through an address of each lane's own. */
static void parameters_by_lane(void **state) {
    (void)state;
    uint64_t parameters[4] = {0, 0x1111222233334444, 0x5555666677778888, 0x9999aaaabbbbcccc};
    uint32_t *out = harness_buffer(&h, 4 * 32);
    parameters[0] = (uintptr_t)out;
    load(KERNEL("mov.u64 %rd3, p; and.b64 %rd4, %rd2, 7; mad.lo.u64 %rd3, %rd4, 4, %rd3;\n"
                "ld.param.u32 %r2, [%rd3]; mad.lo.u64 %rd1, %rd2, 4, %rd1; st.global.u32 [%rd1], %r2;"));
    assert_true(launched(0, parameters));
    for (unsigned i = 0; i < 32; i++) {
        uint32_t word;
        memcpy(&word, (char *)parameters + 4 * (i & 7), 4);
        assert_int_equal(out[i], word);
    }
}

/* The kernels' heap provides its limit's bytes, in pieces rounded to 16, and not one more. */
static void the_heap(void **state) {
    (void)state;
    uint64_t parameters[4] = {0};
    uint64_t *out = harness_buffer(&h, 8);
    parameters[0] = (uintptr_t)out;
    load(KERNEL("setp.ne.u32 %p1, %r1, 0; @%p1 ret; ld.param.u64 %rd3, [p+8];\n"
                "{ .param .b64 n; .param .b64 r; st.param.b64 [n], %rd3; call (r), malloc, (n);\n"
                "ld.param.b64 %rd3, [r]; }\nst.global.u64 [%rd1], %rd3;"));
    static const struct {
        size_t limit;
        uint64_t size;
        bool fits;
    } cases[] = {
        {64, 64, true},
        {63, 64, false},
        {64, 65, false},
        {32, 17, true},
        {31, 17, false},
        {64, 0, false},
        {64, 0x8000000000000000, false},
        {64, 0x7fffffffffffffff, false},
        {64, 0xffffffffffffffff, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parameters[1] = cases[i].size;
        h.with.heap = sim_heap_create(h.memory, cases[i].limit);
        assert_true(launched(0, parameters));
        sim_heap_destroy(h.with.heap);
        h.with.heap = NULL;
        if ((*out != 0) != cases[i].fits)
            fail_msg("case %zu: 0x%llx", i, (unsigned long long)*out);
    }
}

/* Pieces are disjoint: each lane fills its own, and finds it unchanged. */
static void pieces_apart(void **state) {
    (void)state;
    load(KERNEL(
        "ld.param.u64 %rd3, [p+8]; { .param .b64 n; .param .b64 r; st.param.b64 [n], %rd3;\n"
        "call (r), malloc, (n); ld.param.b64 %rd4, [r]; }\nadd.u64 %rd5, %rd4, %rd3; mov.u64 %rd6, %rd4;\n"
        "L: st.u32 [%rd6], %r1; add.u64 %rd6, %rd6, 4; setp.lt.u64 %p1, %rd6, %rd5; @%p1 bra L;\n"
        "bar.warp.sync -1; mov.u64 %rd6, %rd4;\n"
        "M: ld.u32 %r2, [%rd6]; setp.ne.u32 %p1, %r2, %r1; @%p1 trap;\n"
        "add.u64 %rd6, %rd6, 4; setp.lt.u64 %p1, %rd6, %rd5; @%p1 bra M;"));
    static const uint64_t sizes[] = {16, 508, 512, 516, 1024, 4100, 20000, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint64_t parameters[4] = {0, sizes[i]};
        h.with.heap = sim_heap_create(h.memory, 16 << 20);
        if (!launched(0, parameters))
            fail_msg("%llu bytes: %s", (unsigned long long)sizes[i], h.fault.text);
        sim_heap_destroy(h.with.heap);
        h.with.heap = NULL;
    }
}

#define BARRIER(init, body)                                                                                  \
    KERNEL(".shared .align 8 .b64 s; setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"                                   \
           "mbarrier.init.shared::cta.b64 [s], " init ";\n" body)

/* A phase needs 1 to 2^20 - 1 arrivals (PTX ISA, mbarrier.init), and accepts no more than were announced. */
static void arrivals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool right;
    } cases[] = {
        {BARRIER("0", ""), false},
        {BARRIER("1", ""), true},
        {BARRIER("1048575", ""), true},
        {BARRIER("1048576", ""), false},
        {BARRIER("4294967295", ""), false},
        {BARRIER("3", "mbarrier.arrive.shared::cta.b64 %rd3, [s], 2;"), true},
        {BARRIER("3", "mbarrier.arrive.shared::cta.b64 %rd3, [s], 3;"), true},
        {BARRIER("3", "mbarrier.arrive.shared::cta.b64 %rd3, [s], 4;"), false},
        {BARRIER(
             "3",
             "mbarrier.arrive.shared::cta.b64 %rd3, [s], 2; mbarrier.arrive.shared::cta.b64 %rd3, [s], 2;"),
         false},
        {BARRIER("3", "mbarrier.arrive_drop.shared::cta.b64 %rd3, [s], 3;"), true},
        {BARRIER("3", "mbarrier.arrive_drop.shared::cta.b64 %rd3, [s], 4;"), false},
        {BARRIER("1048575", "mbarrier.arrive.shared::cta.b64 %rd3, [s], 1048575;"), true},
    };
    uint64_t parameters[4] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        load(cases[i].text);
        if (launched(0, parameters) != cases[i].right)
            fail_msg("%s: %s", cases[i].text, h.fault.text);
        if (!cases[i].right)
            assert_int_equal(h.fault.kind, SIM_FAULT_TRAP);
    }
}

/* A bulk copy may fill shared memory to its last 16 bytes. */
static void bulk_copies(void **state) {
    (void)state;
    uint64_t parameters[4] = {0};
    load(KERNEL(
        "mov.u64 %rd3, dynamic; setp.ne.u32 %p1, %r1, 0; @%p1 ret;\n"
        "mbarrier.init.shared::cta.b64 [%rd3], 1;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd3+16], [%rd1], 64, [%rd3];"));
    for (size_t shared = 79; shared <= 81; shared++) {
        parameters[0] = (uintptr_t)harness_buffer(&h, 64);
        assert_int_equal(launched(shared, parameters), shared >= 80);
    }
    for (size_t bytes = 63; bytes <= 64; bytes++) {
        parameters[0] = (uintptr_t)harness_buffer(&h, bytes);
        assert_int_equal(launched(80, parameters), bytes == 64);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_last_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(a_byte_beside, setup, teardown),
        cmocka_unit_test_setup_teardown(constants, setup, teardown),
        cmocka_unit_test_setup_teardown(arguments, setup, teardown),
        cmocka_unit_test_setup_teardown(parameters_by_lane, setup, teardown),
        cmocka_unit_test_setup_teardown(the_heap, setup, teardown),
        cmocka_unit_test_setup_teardown(pieces_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(arrivals, setup, teardown),
        cmocka_unit_test_setup_teardown(bulk_copies, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
