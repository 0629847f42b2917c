/* Races: bytes and threads, for each pair of accesses, and which of several accesses are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/check/findings.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* Six lines precede the body: the fifth has the declarations, the sixth loads the parameters. */
#define KERNEL(name, body)                                                                                   \
    ".visible .entry " name "(.param .u64 p, .param .u64 q) {\n"                                             \
    ".reg .b32 r<9>, t; .reg .b64 d<9>; .reg .pred a, c; .shared .align 16 .b8 s[256];\n"                    \
    "ld.param.u64 d1, [p]; ld.param.u64 d2, [q]; mov.u32 t, %tid.x; mov.u32 r8, s;\n" body "ret;\n}\n"

static struct findings f;

static void launch(const char *kernel, unsigned grid, unsigned threads, uint64_t p, uint64_t q) {
    findings_clear(&f);
    if (!harness_launch(&f.h, kernel, grid, threads, 0, (const void *[]){&p, &q}))
        fail_msg("%s", f.h.fault.text);
}

static void found(enum sim_finding_kind kind, uint32_t line, uint32_t other_line) {
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].kind, kind);
    assert_int_equal(f.list[0].at.ptx_line, line);
    assert_int_equal(f.list[0].other.ptx_line, other_line);
}

/* ---------------------------------------------------------------- each pair of accesses */

enum { SIZES = 5, WINDOW = 16 };
static const unsigned sizes[SIZES] = {1, 2, 4, 8, 16};

/* The thread in warp `warp` that runs its half of kernel k. */
static unsigned thread_of(unsigned k, unsigned warp) {
    return 32 * warp + (7 + 4 * warp) * k % 32;
}

static void put_access(char *text, size_t size, bool store, unsigned bytes, const char *space,
                       unsigned which) {
    static const char *const types[] = {"b8", "b16", "b32", "b64", "v2.b64"};
    const char *type = types[__builtin_ctz(bytes)];
    const unsigned long long all = 0x1111111111111111 * which;
    if (!store)
        snprintf(text, size, bytes == 16 ? "ld.%s.%s {d3, d4}, [d%u]" : "ld.%s.%s d3, [d%u]", space, type,
                 which);
    else if (bytes == 16)
        snprintf(text, size, "st.%s.%s [d%u], {0x%llx, 0x%llx}", space, type, which, all, all);
    else
        snprintf(text, size, "st.%s.%s [d%u], 0x%llx", space, type, which, all >> (64 - 8 * bytes));
}

enum { BODY_LINES = 3, KERNEL_LINES = 3 + BODY_LINES + 1 };

/* Kernels 0 to SIZES * SIZES - 1: accesses of each size by two threads of two warps, the first by warp 0. */
static void load_pairs(const char *space, bool first_stores, bool second_stores) {
    const size_t room = SIZES * SIZES * 1024;
    char *text = malloc(room);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, room, HEAD);
    for (unsigned k = 0; k < SIZES * SIZES; k++) {
        char first[128], second[128];
        put_access(first, sizeof first, first_stores, sizes[k / SIZES], space, 1);
        put_access(second, sizeof second, second_stores, sizes[k % SIZES], space, 2);
        at += (size_t)snprintf(
            text + at, room - at,
            ".visible .entry k%u(.param .u64 p, .param .u64 q) {\n"
            ".reg .b32 r<9>, t; .reg .b64 d<9>; .reg .pred a, c; .shared .align 16 .b8 s[64];\n"
            "ld.param.u64 d1, [p]; ld.param.u64 d2, [q]; mov.u32 t, %%tid.x; mov.u32 r8, s;\n"
            "setp.eq.u32 a, t, %u; setp.eq.u32 c, t, %u;\n@a %s;\n@c %s;\nret; }\n",
            k, thread_of(k, 0), thread_of(k, 1), first, second);
    }
    findings_load(&f, text);
    free(text);
    findings_watch(&f, SIM_CHECK_RACE);
}

static void check_pair(const char *space, uint64_t base, bool first_stores, bool second_stores, unsigned k,
                       unsigned at1, unsigned at2) {
    const unsigned bytes1 = sizes[k / SIZES], bytes2 = sizes[k % SIZES];
    char kernel[8], text[256];
    snprintf(kernel, sizeof kernel, "k%u", k);
    launch(kernel, 1, 64, base + at1, base + at2);
    if (at1 >= at2 + bytes2 || at2 >= at1 + bytes1) {
        assert_int_equal(f.count, 0);
        return;
    }
    found(second_stores && first_stores ? SIM_FINDING_WRITE_AFTER_WRITE
          : second_stores               ? SIM_FINDING_WRITE_AFTER_READ
                                        : SIM_FINDING_READ_AFTER_WRITE,
          3 + k * KERNEL_LINES + 6, 3 + k * KERNEL_LINES + 5);
    const struct sim_finding *one = &f.list[0];
    const unsigned address = bytes2 < 4 || at1 < at2 ? at2 : at1 & ~3u;
    const unsigned end = at1 + bytes1 < at2 + bytes2 ? at1 + bytes1 : at2 + bytes2;
    assert_true(one->address == base + address);
    assert_int_equal(one->count, bytes2 < 4 ? 1 : (end - address + 3) / 4);
    assert_int_equal(one->at.thread[0], thread_of(k, 1));
    assert_int_equal(one->other.thread[0], thread_of(k, 0));
    snprintf(text, sizeof text,
             "%s %s at %s0x%llx races with a %s by another thread: no barrier orders the two threads", space,
             second_stores ? "store" : "load", base ? "" : "offset ", (unsigned long long)base + address,
             first_stores ? "store" : "load");
    assert_string_equal(one->text, text);
}

static void pairs_of_accesses(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < 6; kind++) {
        const bool global = kind >= 3, first_stores = kind % 3 != 2, second_stores = kind % 3 != 1;
        const char *space = global ? "global" : "shared";
        load_pairs(space, first_stores, second_stores);
        const uint64_t base = global ? (uintptr_t)harness_buffer(&f.h, 2 * WINDOW) : 0;
        for (unsigned k = 0; k < SIZES * SIZES; k++)
            for (unsigned at1 = 0; at1 < WINDOW; at1 += sizes[k / SIZES])
                for (unsigned at2 = 0; at2 < WINDOW; at2 += sizes[k % SIZES])
                    check_pair(space, base, first_stores, second_stores, k, at1, at2);
    }
}

/* ---------------------------------------------------------------- lanes of one instruction */

/* Lanes 0 and 1 store the same values except for one element, or one of its bytes. */
static void lanes_of_one_store(void **state) {
    (void)state;
#define ELEMENT(i, word)                                                                                     \
    "setp.eq.and.u64 a, d1, " #i ", c; mov.u32 " word ", 7; @a add.u32 " word ", 7, r7;\n"
    findings_load(
        &f,
        HEAD KERNEL("four", "cvt.u32.u64 r7, d2; setp.eq.u32 c, t, 1;\n" ELEMENT(0, "r1") ELEMENT(1, "r2")
                                ELEMENT(2, "r3") ELEMENT(3, "r4") "st.shared.v4.b32 [s], {r1, r2, r3, r4};\n")
            KERNEL("byte", "cvt.u32.u64 r7, d2; mul.lo.u32 r1, t, r7; st.shared.u8 [s+3], r1;\n")
                KERNEL("half", "cvt.u32.u64 r7, d2; mul.lo.u32 r1, t, r7; st.shared.u16 [s+2], r1;\n")
                    KERNEL("word", "cvt.u32.u64 r7, d2; mul.lo.u32 r1, t, r7; st.global.u32 [d1], r1;\n"));
    findings_watch(&f, SIM_CHECK_RACE);
    for (unsigned element = 0; element < 4; element++)
        for (unsigned byte = 0; byte < 4; byte++) {
            char text[128];
            launch("four", 1, 2, element, 1u << 8 * byte);
            found(SIM_FINDING_WRITE_AFTER_WRITE, 12, 12);
            snprintf(text, sizeof text, "lanes of one shared store write different values to offset 0x%x",
                     4 * element);
            assert_string_equal(f.list[0].text, text);
            assert_int_equal(f.list[0].at.thread[0], 1);
            assert_int_equal(f.list[0].other.thread[0], 0);
        }
    launch("four", 1, 2, 4, 1);
    assert_int_equal(f.count, 0);
    launch("byte", 1, 2, 0, 1);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].address, 3);
    launch("half", 1, 2, 0, 256);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].address, 2);
    const uint64_t buffer = (uintptr_t)harness_buffer(&f.h, 4);
    launch("word", 1, 2, buffer, 1 << 24);
    assert_int_equal(f.count, 1);
    assert_true(f.list[0].address == buffer);
    launch("byte", 1, 2, 0, 0);
    launch("byte", 1, 2, 0, 256);
    launch("half", 1, 2, 0, 65536);
    launch("word", 1, 2, buffer, 0);
    assert_int_equal(f.count, 0);
}

/* ---------------------------------------------------------------- atomics and stores */

static void atomics_and_stores(void **state) {
    (void)state;
#define LANE(number) "setp.eq.u32 a, t, " #number ";\n"
    findings_load(
        &f,
        HEAD KERNEL("kept", LANE(0) "@a st.shared.u32 [s], 1;\n@a red.shared.add.u32 [s], 1;\n" LANE(
                                32) "@a red.shared.add.u32 [s], 1;\n")
            KERNEL("after", LANE(0) "@a red.shared.add.u32 [s], 1;\n" LANE(32) "@a st.shared.u32 [s], 9;\n")
                KERNEL("last", LANE(0) "@a st.shared.u32 [s], 1;\n@a st.shared.u32 [s], 2;\n" LANE(
                                   32) "@a ld.shared.u32 r1, [s];\n"));
    findings_watch(&f, SIM_CHECK_RACE);
    /* An atomic does not hide an earlier plain store. */
    launch("kept", 1, 64, 0, 0);
    found(SIM_FINDING_WRITE_AFTER_WRITE, 11, 8);
    launch("after", 1, 64, 0, 0);
    found(SIM_FINDING_WRITE_AFTER_WRITE, 3 + 10 + 7, 3 + 10 + 5);
    launch("last", 1, 64, 0, 0);
    found(SIM_FINDING_READ_AFTER_WRITE, f.list[0].at.ptx_line, f.list[0].at.ptx_line - 2);
    assert_int_equal(f.list[0].other.thread[0], 0);
}

/* The first access is the first instruction of its kernel, after another kernel's last one. */
static void first_of_a_kernel(void **state) {
    (void)state;
    findings_load(&f, HEAD KERNEL("k", "") ".visible .entry n(.param .u64 p, .param .u64 q) {\n"
                                           ".shared .align 16 .b8 s[256]; .reg .pred a; .reg .b32 t;\n"
                                           "st.shared.u32 [s], 1;\nmov.u32 t, %tid.x; setp.eq.u32 a, t, 40;\n"
                                           "@a st.shared.u32 [s], 2;\nret; }\n");
    findings_watch(&f, SIM_CHECK_RACE);
    launch("n", 1, 64, 0, 0);
    assert_int_equal(f.list[0].at.ptx_line, 13);
    assert_int_equal(f.list[0].other.ptx_line, 11);
}

/* ---------------------------------------------------------------- choice of readers to keep */

static void readers(void **state) {
    (void)state;
#define PARTLY_KNOWN(begin)                                                                                  \
    begin "setp.lt.u32 a, t, 2; @a ld.shared.u32 r1, [s];\n"                                                 \
          "setp.eq.u32 a, t, 0; setp.eq.or.u32 c, t, 2, a; mov.u32 r2, s; @!a add.u32 r2, r2, 4;\n"          \
          "@c ld.shared.u32 r1, [r2];\nsetp.eq.u32 a, t, 63;\n@a st.shared.u32 [s], 1;\n"
    findings_load(
        &f,
        HEAD KERNEL("first", PARTLY_KNOWN("bar.warp.sync -1; bar.sync 0;\n"))
            KERNEL("newest",
                   PARTLY_KNOWN("st.shared.u32 [s+64], 1; bar.sync 0; ld.volatile.shared.u32 r3, [s+64];\n"))
                KERNEL("partial",
                       "mov.u32 r2, 0; setp.ge.u32 a, t, 64; @a bra Z;\n"
                       "setp.ge.u32 a, t, 32; @!a bra L; bar.sync 1, 64;\n"
                       "L: ld.shared.u32 r1, [s]; add.u32 r2, r2, 1; setp.lt.u32 c, r2, 3; @c bra L;\n"
                       "@a bra E; bar.sync 1, 64; bar.sync 2, 64; bra E;\n"
                       "Z: bar.sync 2, 64; setp.eq.u32 a, t, 70;\n@a st.shared.u32 [s], 1;\nE: bar.sync 0;\n")
                    KERNEL("again", "setp.lt.u32 a, t, 2; @a ld.global.u32 r1, [d1];\nbar.sync 0;\n"
                                    "setp.eq.u32 a, t, 0;\n@a ld.global.u32 r1, [d1];\n"
                                    "setp.eq.u32 a, t, 63;\n@a st.global.u32 [d1], 1;\n"));
    findings_watch(&f, SIM_CHECK_RACE);
    /* Two readers are enough, unless some threads were ordered since the last full barrier. */
    launch("first", 1, 64, 0, 0);
    found(SIM_FINDING_WRITE_AFTER_READ, 12, 8);
    launch("newest", 1, 64, 0, 0);
    found(SIM_FINDING_WRITE_AFTER_READ, 11 + 12, 11 + 10);
    /* Warp 2 waits for warp 0, whose reads are known, but not for warp 1, which is still recorded. */
    launch("partial", 1, 96, 0, 0);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].kind, SIM_FINDING_WRITE_AFTER_READ);
    assert_int_equal(f.list[0].at.thread[0], 70);
    assert_int_equal(f.list[0].other.thread[0] / 32, 1);
    /* In global memory the reads before the barrier are kept, and one after it is another. */
    const uint64_t buffer = (uintptr_t)harness_buffer(&f.h, 4);
    launch("again", 1, 64, buffer, 0);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].other.ptx_line, f.list[0].at.ptx_line - 2);
}

/* Lane 1 reads, then lane 0 with the same instruction, the first of all: these two are enough. */
static void readers_one_by_one(void **state) {
    (void)state;
    findings_load(
        &f, HEAD KERNEL(
                "k", "mov.u32 r2, 1;\nL: setp.eq.u32 a, t, r2;\n@a ld.shared.u32 r1, [s];\n"
                     "setp.eq.u32 a, r2, 1; mov.u32 r2, 0; @a bra L;\n"
                     "setp.eq.u32 a, t, 0; setp.eq.or.u32 c, t, 2, a; mov.u32 r2, s; @!a add.u32 r2, r2, 4;\n"
                     "@c ld.shared.u32 r1, [r2];\nsetp.eq.u32 a, t, 1; @a st.shared.u32 [s], 1;\n"));
    findings_watch(&f, SIM_CHECK_RACE);
    launch("k", 1, 32, 0, 0);
    found(SIM_FINDING_WRITE_AFTER_READ, 13, 9);
    assert_int_equal(f.list[0].other.thread[0], 0);
}

/* ---------------------------------------------------------------- blocks */

/* Other blocks are not ordered by accesses to a block's own shared memory, or by its own barrier. */
static void blocks_without_a_word(void **state) {
    (void)state;
#define BLOCKS(first, second)                                                                                \
    "mov.u32 r1, %ctaid.x; setp.ne.u32 c, r1, 0; setp.eq.u32 a, t, 0;\n"                                     \
    "@c bra S; @a st.global.u32 [d1], 1; " first " ret;\nS: " second " @a ld.global.u32 r1, [d1];\n"
#define MEET "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
    findings_load(&f, HEAD KERNEL("shared", BLOCKS("membar.gl; red.shared.add.u32 [s], 1;",
                                                   "atom.shared.add.u32 r3, [s], 1;"))
                          KERNEL("told", BLOCKS(MEET, "ld.volatile.global.u32 r3, [d2];"))
                              KERNEL("heard", BLOCKS("membar.gl; @a st.volatile.global.u32 [d2], 1;", MEET))
                                  KERNEL("both", BLOCKS("membar.gl; @a st.volatile.global.u32 [d2], 1;",
                                                        "ld.volatile.global.u32 r3, [d2];")));
    findings_watch(&f, SIM_CHECK_RACE);
    const uint64_t buffer = (uintptr_t)harness_buffer(&f.h, 8);
    static const char *const kernels[] = {"shared", "told", "heard", "both"};
    for (unsigned i = 0; i < 4; i++) {
        launch(kernels[i], 2, 32, buffer, buffer + 4);
        assert_int_equal(f.count, i < 3);
        if (i < 3)
            assert_int_equal(f.list[0].kind, SIM_FINDING_READ_AFTER_WRITE);
    }
}

/* ---------------------------------------------------------------- limit on remembered accesses */

/* Block 0 of a cluster of 8 stores, makes p more accesses, and then sets q; after that its warp 1 stores. */
static void long_ago(void **state) {
    (void)state;
#define MANY(before, again, other)                                                                           \
    "mov.u32 r1, %ctaid.x; setp.ne.u32 a, r1, 0; cvt.u32.u64 r2, d1; mov.u32 r3, 0;\n" before                \
    "@a ret; setp.ge.u32 a, t, 32; @a bra W; setp.ne.u32 c, t, 0;\n"                                         \
    "F: @!c st.shared.u32 [s], 1; add.u32 r3, r3, 1; setp.lt.u32 a, r3, 2; @a bra F;\n"                      \
    "L: bar.warp.sync -1; ld.shared.u32 r4, [s+64]; sub.u32 r2, r2, 1; setp.ne.u32 a, r2, 0; @a bra "        \
    "L;\n" again "@!c st.volatile.global.u32 [d2], 1; ret;\n"                                                \
    "W: setp.ne.u32 c, t, 32; add.u32 r5, r8, 128;\n" other
#define WAIT "P: ld.volatile.global.u32 r4, [d2]; setp.ne.u32 a, r4, 1; @a bra P;\n"
    findings_load(
        &f, HEAD KERNEL("once", MANY("", "", WAIT "@!c st.shared.u32 [s], 2;\n"))
                KERNEL("twice", MANY("", "@!c st.shared.u32 [s], 3;\n",
                                     "M: @!c st.shared.u32 [r5], 2; setp.eq.u32 a, r5, r8; @a ret;\n" WAIT
                                     "mov.u32 r5, r8; bra M;\n"))
                    KERNEL("half", "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n" MANY(
                                       "mov.u32 r6, r2; @a bra B; setp.ge.u32 c, t, 32; @c bra B;\n"
                                       "H: bar.warp.sync -1; ld.shared.u32 r4, [s+64]; sub.u32 r6, r6, 1; "
                                       "setp.ne.u32 c, r6, 0; @c bra H;\n"
                                       "B: barrier.cluster.arrive; barrier.cluster.wait; mov.u32 r2, 3;\n",
                                       "", WAIT "@!c st.shared.u32 [s], 2;\n")));
    findings_watch(&f, SIM_CHECK_RACE);
    f.h.with.cluster[0] = 8, f.h.with.cluster[1] = f.h.with.cluster[2] = 1;
    const uint64_t most = (1 << 22) / 8;
    int *said = harness_buffer(&f.h, 4);
    const struct {
        const char *kernel;
        uint64_t more;
        bool found;
    } cases[] = {{"once", 100, true},
                 {"once", most - 2, true},
                 {"once", most - 1, false},
                 {"twice", most + 100, true},
                 {"half", most / 2 + 100, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        *said = 0;
        launch(cases[i].kernel, 8, 64, cases[i].more, (uintptr_t)said);
        assert_int_equal(f.count, cases[i].found);
        if (f.count)
            assert_int_equal(f.list[0].kind, SIM_FINDING_WRITE_AFTER_WRITE);
    }
    memset(f.h.with.cluster, 0, sizeof f.h.with.cluster);
}

static int close_all(void **state) {
    (void)state;
    findings_close(&f);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_accesses),
        cmocka_unit_test(lanes_of_one_store),
        cmocka_unit_test(first_of_a_kernel),
        cmocka_unit_test(atomics_and_stores),
        cmocka_unit_test(readers),
        cmocka_unit_test(readers_one_by_one),
        cmocka_unit_test(blocks_without_a_word),
        cmocka_unit_test(long_ago),
    };
    return cmocka_run_group_tests(tests, NULL, close_all);
}
