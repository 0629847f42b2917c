/* PTX that no compiler emits: the parser accepts it, and the lowering must refuse it or a launch must catch
 * it.  Each text once made the simulator access memory that is not its own, or would have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/hostile.h"

static void test_branches(void **state) {
    (void)state;
    hostile_refused(KERNEL("bra %r1;"), "takes a label");
    hostile_refused(KERNEL("bra 5;"), "takes a label");
    hostile_refused(KERNEL("bra;"), "takes a label");
    hostile_refused(KERNEL("L: bra T; T: .branchtargets L;"), "takes a label");
    hostile_refused(KERNEL("L: brx.idx %r1, L;"), "takes an index");
    hostile_refused(KERNEL("T: .branchtargets U; U: .branchtargets T; brx.idx %r1, T;"), "U");
}

/* Instructions with a result but without operands. */
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
            hostile_refused(text, words[i]);
        }
    }
}

static void test_calls(void **state) {
    (void)state;
    hostile_refused(HEAD ".entry other(.param .b8 a[4096]) { ret; }\n"
                         ".entry k(.param .u64 p) { .param .b8 x[4096]; call other, (x); ret; }\n",
                    "other");
    hostile_refused(HEAD ".func f(.param .u64 a) { ret; }\n.entry k(.param .u64 p) { call f, (p); ret; }\n",
                    ".param");
}

/* Every two .sync instructions at which the halves of a warp wait for each other: they continue, and each
 * lane gets its own instruction's result. */
static void test_sync_apart(void **state) {
    (void)state;
    static const char *const sync[] = {
        "shfl.sync.bfly.b32 %r2|%p2, %r1, 1, 31, -1;",
        "shfl.sync.idx.b32 %r2, %r1, 3, 31, -1;",
        "vote.sync.ballot.b32 %r2, %p1, -1;",
        "vote.sync.all.pred %p2, %p1, -1;",
        "match.all.sync.b64 %r2|%p2, %rd2, -1;",
        "match.any.sync.b32 %r2, %r1, -1;",
        "redux.sync.add.u32 %r2, %r1, -1;",
        "elect.sync %r2|%p2, -1;",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r4];",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r2, %r3}, {%r1, %r1}, {%r1}, {%r2, %r3};",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1;",
    };
    enum { COUNT = sizeof sync / sizeof *sync };
    for (size_t i = 0; i < COUNT * COUNT; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "%s.shared .align 16 .b8 s[512];\nmov.u32 %%r4, s;\nmov.u32 %%r1, %%laneid;\nmov.u64 %%rd2, 7;\n"
            "setp.lt.u32 %%p1, %%r1, 16;\n@%%p1 bra L;\n%s\nbra M;\nL: add.u32 %%r5, %%r5, 1;\n%s\n"
            "M: add.u32 %%r5, %%r2, %%r3;\nst.shared.u32 [%%r4], %%r5;\nret;\n}\n",
            KERNEL_HEAD, sync[i / COUNT], sync[i % COUNT]);
        struct sim_fault fault = hostile_launched(text);
        if (fault.kind != SIM_FAULT_NONE)
            fail_msg("%s beside %s: %s", sync[i / COUNT], sync[i % COUNT], fault.text);
    }
    /* Matrices of zeros go to the registers that each side names. */
    assert_int_equal(
        hostile_launched(KERNEL(".shared .align 16 .b8 s[512];\nmov.u32 %r4, s;\nmov.u32 %r1, %laneid;\n"
                                "mov.u32 %r2, 5;\nmov.u32 %r3, 5;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\n"
                                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r4];\nbra M;\nL:\n"
                                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r4];\n"
                                "M: add.u32 %r5, %r2, %r3;\nsetp.ne.u32 %p2, %r5, 5;\n@%p2 trap;"))
            .kind,
        SIM_FAULT_NONE);
}

/* All kinds of endless loops end at the launch's limit; kernels that end earlier are unaffected. */
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
            struct sim_fault fault = hostile_launched_for(endless[i], limits[j]);
            assert_int_equal(fault.kind, SIM_FAULT_TIME);
            assert_non_null(strstr(fault.text, "limit"));
        }
    static const char loop[] = KERNEL("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 500; @%p1 bra L;");
    assert_int_equal(hostile_launched_for(loop, 400).kind, SIM_FAULT_TIME);
    assert_int_equal(hostile_launched_for(loop, 600).kind, SIM_FAULT_NONE);
    const struct how how = {.limit = 1, .threads = 1024};
    assert_non_null(
        strstr(hostile_run(HEAD ".entry k(.param .u64 p) { }\n", how).fault.text, "PTX line 0, "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),   cmocka_unit_test(test_no_operands), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_sync_apart), cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
