/* Whose turn it is, to the last basic block: how far a launch with a limit comes, when lanes that wait for
 * others go on without them, and how many blocks there are at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

/* As in sim/exec/worker.h: basic blocks of a turn, and turns. */
enum { TURN = 65536, PATIENCE = 64 };

/* %r1 is the thread's number, %r2 to %r4 are the kernel's numbers, %rd1 is its buffer. */
#define KERNEL(body)                                                                                         \
    ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"              \
    ".visible .entry k(.param .u64 to, .param .u32 a, .param .u32 b, .param .u32 c) {\n.reg .b32 %r<9>;\n"   \
    ".reg .b64 %rd<3>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [to]; ld.param.u32 %r2, [a];\n"                \
    "ld.param.u32 %r3, [b]; ld.param.u32 %r4, [c]; mov.u32 %r1, %tid.x; mov.u32 %r5, 0;\n" body              \
    "\nret;\n}\n"

static struct harness h;
static uint32_t *word;

static void load(const char *text) {
    harness_start(&h);
    harness_load(&h, "turns.ptx", text, strlen(text));
    word = harness_buffer(&h, sizeof *word);
    h.with.threads = 1;
}

static bool launched(unsigned grid, unsigned block, size_t shared, uint32_t a, uint32_t b, uint32_t c) {
    *word = 0;
    return harness_launch(&h, "k", grid, block, shared, (const void *[]){&word, &a, &b, &c});
}

#define ROUNDS(number)                                                                                       \
    ".pragma \"nounroll\"; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, " number "; @%p1 bra L;"

/* The kernel has a block more before its rounds, and one behind them.  The last block of a turn only begins
 * the next. */
static void limits(void **state) {
    (void)state;
    static const struct {
        uint32_t limit, blocks;
        bool ends;
    } cases[] = {
        {0, 3 * TURN, true},
        {100, 99, true},
        {100, 100, false},
        {TURN - 1, TURN - 2, true},
        {TURN - 1, TURN - 1, false},
        {TURN, TURN - 1, true},
        {TURN, TURN, false},
        /* A second turn begins. */
        {TURN + 1, 2 * (TURN - 1), true},
        {TURN + 1, 2 * (TURN - 1) + 1, false},
        {2 * TURN, 2 * (TURN - 1), true},
        {2 * TURN, 2 * (TURN - 1) + 1, false},
    };
    load(KERNEL("L: " ROUNDS("%r2")));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        h.with.limit = cases[i].limit;
        if (launched(1, 1, 0, cases[i].blocks - 2, 0, 0) != cases[i].ends)
            fail_msg("%u blocks with a limit of %u", cases[i].blocks, cases[i].limit);
        if (!cases[i].ends)
            assert_int_equal(h.fault.kind, SIM_FAULT_TIME);
    }
    harness_close(&h);
    /* A turn ends at a barrier, too: with this limit there are four. */
    load(KERNEL("bar.sync 0; bar.sync 0; bar.sync 0;"));
    h.with.limit = 4 * TURN;
    assert_true(launched(1, 64, 0, 0, 0, 0));
    h.with.limit = 3 * TURN;
    assert_false(launched(1, 64, 0, 0, 0, 0));
    harness_close(&h);
}

static void see_barrier(void *argument, const struct sim_instruction_count *count) {
    if (strcmp(count->opcode, "xor.b32") == 0)
        *(uint64_t *)argument = count->counters.inst_executed;
}

/* One lane makes its rounds, for which the others wait: they meet, unless it takes all the turns that others
 * have patience for.  An atomic shows that lanes may wait for each other here. */
static void patience(void **state) {
    (void)state;
    load(KERNEL("atom.global.add.u32 %r6, [%rd1], 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra MEET;\nL: " ROUNDS(
        "%r2") "\nMEET: xor.b32 %r6, %r6, 1;"));
    uint64_t warps = 0;
    h.with.each = see_barrier;
    h.with.argument = &warps;
    const uint32_t most = PATIENCE * (TURN - 1) - 1; /* rounds, beside the block before them */
    const uint32_t rounds[] = {TURN / 2, 2 * TURN, most};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        assert_true(launched(1, 32, 0, rounds[i], 0, 0));
        assert_int_equal(warps, 1);
    }
    assert_true(launched(1, 32, 0, most + 1, 0, 0));
    assert_int_equal(warps, 2);
    harness_close(&h);
}

/* Each block takes a number; the first a wait until b have been taken, the others until c are.  Of what each
 * needs, a multiprocessor holds one, so that there are 132 at once. */
static void residents(void **state) {
    (void)state;
    static const struct {
        uint32_t grid, a, b, c;
        bool ends;
    } cases[] = {
        {132, 0, 0, 132, true},
        {133, 0, 0, 132, true},
        {133, 0, 0, 133, false},
        /* 67 of them are left, so that twice as many would be too many. */
        {197, 65, 132, 197, true},
        {198, 65, 132, 198, false},
        /* 66, and just twice as many. */
        {198, 66, 132, 198, true},
        {199, 66, 132, 199, false},
    };
    load(KERNEL("atom.global.add.u32 %r6, [%rd1], 1; mov.u32 %r6, %ctaid.x; setp.lt.u32 %p1, %r6, %r2;\n"
                "selp.u32 %r3, %r3, %r4, %p1;\n"
                "L: ld.volatile.global.u32 %r6, [%rd1]; setp.lt.u32 %p1, %r6, %r3; @%p1 bra L;"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        h.with.limit = cases[i].ends ? 0 : 20000 * TURN;
        if (launched(cases[i].grid, 1, 120 << 10, cases[i].a, cases[i].b, cases[i].c) != cases[i].ends)
            fail_msg("%u blocks, %u until %u, all until %u: %s", cases[i].grid, cases[i].a, cases[i].b,
                     cases[i].c, h.fault.text);
        if (!cases[i].ends)
            assert_int_equal(h.fault.kind, SIM_FAULT_TIME);
    }
    harness_close(&h);
}

/* Functions by their places in the module: malloc, which has no code here, f, and k. */
static void calls(void **state) {
    (void)state;
    static const struct {
        int64_t offset;
        const char *fault;
    } cases[] = {
        {0, NULL},
        {-1, "which is no function"},
        {1, "call of k with other parameters than it has"},
        {2, "which is no function"},
        {3, "which is no function"},
        {INT64_C(1) << 40, "which is no function"},
        {INT64_MIN, "which is no function"},
    };
    harness_start(&h);
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.visible .func f() { ret; }\n"
        ".visible .entry k(.param .u64 offset) {\n.reg .b64 %rd<3>;\n"
        "ld.param.u64 %rd1, [offset]; mov.u64 %rd2, f; add.u64 %rd1, %rd1, %rd2;\n"
        "F: .callprototype () _ (); call %rd1, (), F; ret;\n}\n";
    harness_load(&h, "calls.ptx", text, strlen(text));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool right = harness_launch(&h, "k", 1, 1, 0, (const void *[]){&cases[i].offset});
        if (right != !cases[i].fault || (!right && !strstr(h.fault.text, cases[i].fault)))
            fail_msg("f + %lld: %s", (long long)cases[i].offset, h.fault.text);
    }
    harness_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(patience),
                                       cmocka_unit_test(residents), cmocka_unit_test(calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
