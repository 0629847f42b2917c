/* Which instructions the simulator doubts: each reason, next to similar code that it does not doubt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

enum { ONE_WARP = 32, TWO_WARPS = 64, WORDS = 4096 };

/* The doubts about all instructions whose opcode begins with these words. */
struct seen {
    const char *opcode;
    unsigned doubts;
    bool ran;
};

static void see(void *argument, const struct sim_instruction_count *count) {
    struct seen *seen = argument;
    if (strncmp(count->opcode, seen->opcode, strlen(seen->opcode)) != 0)
        return;
    seen->ran = true;
    seen->doubts |= count->doubts;
}

/* A kernel's body has its thread's number in %t, 4 times that in %t4, the address of 16 KB of zeros, which
 * are its threads' words, in %base, and the address of its own word, unused by other threads, in %own. */
static unsigned doubts_of(const char *body, const char *opcode, unsigned threads, unsigned launches,
                          const uint32_t grid[3]) {
    char text[8192];
    const int size =
        snprintf(text, sizeof text,
                 ".version 7.0\n.target sm_80\n.address_size 64\n"
                 ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
                 ".visible .func (.param .b32 r) twice (.param .b32 a) {\n"
                 ".reg .b32 %%v<2>; ld.param.u32 %%v0, [a]; add.u32 %%v0, %%v0, %%v0;"
                 " st.param.b32 [r], %%v0; ret; }\n"
                 ".visible .entry run(.param .u64 to) {\n"
                 ".reg .b32 %%t, %%t4, %%r<16>; .reg .b64 %%base, %%own, %%d<8>; .reg .pred %%p<8>;\n"
                 ".reg .f32 %%f<4>;\n"
                 ".shared .align 16 .b8 tile[1024]; .local .align 16 .b8 mine[64];\n"
                 "mov.u32 %%t, %%tid.x; shl.b32 %%t4, %%t, 2; ld.param.u64 %%base, [to];\n"
                 "cvta.to.global.u64 %%base, %%base;\n"
                 "cvt.u64.u32 %%own, %%t4; add.u64 %%own, %%own, %%base; mov.u32 %%r0, 0;\n%s ret;\n}\n",
                 body);
    assert_in_range(size, 1, sizeof text - 1);
    struct harness h;
    struct seen seen = {.opcode = opcode};
    harness_start(&h);
    harness_load(&h, "doubt", text, (size_t)size);
    h.with.each = see;
    h.with.argument = &seen;
    uint32_t *to = harness_buffer(&h, WORDS * sizeof *to);
    memset(to, 0, WORDS * sizeof *to);
    for (unsigned i = 0; i < launches; i++) {
        seen = (struct seen){.opcode = opcode};
        if (!harness_launch_3d(&h, "run", grid, (const uint32_t[]){threads, 1, 1}, 0, (const void *[]){&to},
                               1))
            fail_msg("%s: %s", body, h.fault.text);
    }
    if (!seen.ran)
        fail_msg("%s: no %s ran", body, opcode);
    harness_close(&h);
    return seen.doubts;
}

static void expect_in(const uint32_t grid[3], unsigned launches, const char *body, const char *opcode,
                      unsigned threads, unsigned doubts) {
    unsigned found = doubts_of(body, opcode, threads, launches, grid);
    if (found != doubts)
        fail_msg("%s\n%s has doubts 0x%x, not 0x%x", body, opcode, found, doubts);
}

static void expect_last(unsigned launches, const char *body, const char *opcode, unsigned threads,
                        unsigned doubts) {
    expect_in((const uint32_t[]){1, 1, 1}, launches, body, opcode, threads, doubts);
}

static void expect(const char *body, const char *opcode, unsigned threads, unsigned doubts) {
    expect_last(1, body, opcode, threads, doubts);
}

#define TICKET "atom.global.add.u32 %r1, [%base], 1; and.b32 %r1, %r1, 63;\n"
#define PLACE  "mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %d0, %base;\n"

static void test_order(void **state) {
    (void)state;
    expect(TICKET PLACE "st.global.u32 [%d0+256], %t;", "st.global", TWO_WARPS, SIM_DOUBT_ORDER);
    expect(TICKET PLACE "ld.global.u32 %r2, [%d0+256]; st.global.u32 [%own], %r2;", "ld.global", TWO_WARPS,
           SIM_DOUBT_ORDER);
    /* Its address matters, not its data. */
    expect(TICKET "st.global.u32 [%own], %r1;", "st.global", TWO_WARPS, 0);
    expect(TICKET PLACE "st.global.u32 [%d0+256], %t;", "atom", TWO_WARPS, 0);
    /* The lanes of one warp have an order. */
    expect(TICKET PLACE "st.global.u32 [%d0+256], %t;", "st.global", ONE_WARP, 0);
    /* Through shared memory, and through data read from such a place. */
    expect("setp.eq.u32 %p0, %t, 0; @!%p0 bra ON; " TICKET "st.shared.u32 [tile], %r1;\nON: bar.sync 0;"
           " ld.shared.u32 %r1, [tile];" PLACE "st.global.u32 [%d0+256], %t;",
           "st.global", TWO_WARPS, SIM_DOUBT_ORDER);
    expect("setp.eq.u32 %p0, %t, 0; @!%p0 bra ON; st.shared.u32 [tile], %t;\nON: bar.sync 0;"
           " ld.shared.u32 %r1, [tile];" PLACE "st.global.u32 [%d0+256], %t;",
           "st.global", TWO_WARPS, 0);
    /* By way of shared memory alone, to a register where nothing else was. */
    expect("setp.eq.u32 %p0, %t, 0; @!%p0 bra ON; " TICKET "st.shared.u32 [tile], %r1;\nON: bar.sync 0;"
           " ld.shared.u32 %r5, [tile]; mul.wide.u32 %d0, %r5, 4; add.u64 %d0, %d0, %base;"
           " st.global.u32 [%d0+256], %t;",
           "st.global", TWO_WARPS, SIM_DOUBT_ORDER);
    /* The value that is stored there has no order, its place has. */
    expect("setp.eq.u32 %p0, %t, 0; @!%p0 bra ON; " TICKET
           "mov.u32 %r6, tile; mad.lo.u32 %r6, %r1, 4, %r6; st.shared.u32 [%r6], %t;\nON: bar.sync 0;"
           " ld.shared.u32 %r5, [tile]; mul.wide.u32 %d0, %r5, 4; add.u64 %d0, %d0, %base;"
           " st.global.u32 [%d0+256], %t;",
           "st.global", TWO_WARPS, 0);
}

static void test_turns(void **state) {
    (void)state;
    /* A loop that continues until its compare-and-swap succeeds. */
    expect("AGAIN: ld.global.u32 %r1, [%base]; add.u32 %r2, %r1, 1; atom.global.cas.b32 %r3, [%base], %r1, "
           "%r2;\n"
           "setp.ne.u32 %p0, %r1, %r3; @%p0 bra AGAIN;",
           "ld.global", TWO_WARPS, SIM_DOUBT_TURNS);
    /* A loop that waits for what it reads. */
    expect("AGAIN: ld.volatile.global.u32 %r1, [%own]; add.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r1, 0;"
           " @%p0 bra AGAIN; st.global.u32 [%own+1024], %r0;",
           "ld.volatile", TWO_WARPS, SIM_DOUBT_TURNS);
    expect("AGAIN: ld.global.u32 %r1, [%own]; add.u32 %r0, %r0, 1; setp.ne.u32 %p0, %r1, 0;"
           " @%p0 bra AGAIN; st.global.u32 [%own+1024], %r0;",
           "ld.global", TWO_WARPS, 0);
    /* A loop that reads its condition from memory that it writes. */
    expect("AGAIN: ld.global.u32 %r1, [%own]; st.global.u32 [%own], %r1; setp.ne.u32 %p0, %r1, 0; @%p0 bra "
           "AGAIN;",
           "st.global", TWO_WARPS, SIM_DOUBT_TURNS);
    /* Code after the loop is not in it. */
    expect("AGAIN: ld.volatile.global.u32 %r1, [%own]; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;"
           " st.global.u32 [%own], %r0;",
           "st.global", TWO_WARPS, 0);
    /* The same for shared memory, unless the threads wait for each other in the loop. */
    expect("AGAIN: ld.volatile.shared.u32 %r1, [tile]; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;",
           "ld.volatile", TWO_WARPS, SIM_DOUBT_TURNS);
    expect("AGAIN: ld.volatile.shared.u32 %r1, [tile]; bar.sync 0; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;",
           "ld.volatile", TWO_WARPS, 0);
    expect("AGAIN: ld.volatile.shared.u32 %r1, [tile]; bar.warp.sync -1; setp.ne.u32 %p0, %r1, 0;"
           " @%p0 bra AGAIN;",
           "ld.volatile", TWO_WARPS, SIM_DOUBT_TURNS);
    expect("AGAIN: ld.volatile.global.u32 %r1, [%own]; bar.sync 0; setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;",
           "ld.volatile", TWO_WARPS, SIM_DOUBT_TURNS);
    /* ptxas makes a loop of it, in shared memory only. */
    expect("mov.f32 %f0, 0f3F800000; atom.shared.add.f32 %f1, [tile], %f0;", "atom", TWO_WARPS,
           SIM_DOUBT_TURNS);
    expect("mov.f32 %f0, 0f3F800000; atom.shared.add.f32 %f1, [tile], %f0;", "atom", ONE_WARP, 0);
    expect("atom.shared.add.u32 %r1, [tile], %t;", "atom", TWO_WARPS, 0);
}

static void test_memory(void **state) {
    (void)state;
    expect("mov.u32 %r1, mine; and.b32 %r2, %t4, 60; add.u32 %r1, %r1, %r2; st.local.u32 [%r1], %t;",
           "st.local", ONE_WARP, SIM_DOUBT_LOCAL);
    /* An array that is too large, or whose address is passed on, stays in memory. */
    expect(".local .align 4 .b8 more[80]; mov.u32 %r1, mine; and.b32 %r2, %t4, 60; add.u32 %r1, %r1, %r2;"
           " st.local.u32 [%r1], %t;",
           "st.local", ONE_WARP, 0);
    expect(".local .align 4 .b8 more[65]; mov.u32 %r1, mine; and.b32 %r2, %t4, 60; add.u32 %r1, %r1, %r2;"
           " st.local.u32 [%r1], %t;",
           "st.local", ONE_WARP, 0);
    expect(".local .align 4 .b8 more[64]; mov.u32 %r1, mine; and.b32 %r2, %t4, 60; add.u32 %r1, %r1, %r2;"
           " st.local.u32 [%r1], %t;",
           "st.local", ONE_WARP, SIM_DOUBT_LOCAL);
    expect("mov.u64 %d0, mine; cvta.local.u64 %d1, %d0; st.global.u64 [%base], %d1; and.b32 %r2, %t4, 60;"
           " cvt.u64.u32 %d2, %r2; add.u64 %d0, %d0, %d2; st.local.u32 [%d0], %t;",
           "st.local", ONE_WARP, 0);
    expect("st.shared.u32 [tile], %t;", "st.shared", ONE_WARP, 0);
    expect("and.b32 %r1, %t, 7; shl.b32 %r1, %r1, 4; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;"
           " cp.async.ca.shared.global [%r2], [%base], 16; cp.async.wait_all;",
           "cp.async.ca", ONE_WARP, SIM_DOUBT_KIND);
}

static void test_calls(void **state) {
    (void)state;
    static const char call[] =
        "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %%t; %s ld.param.b32 %%r1, [r]; }";
    char body[400];
    expect("{ .param .b64 n; .param .b64 r; mov.u64 %d0, 8; st.param.b64 [n], %d0; call (r), malloc, (n);"
           " ld.param.b64 %d1, [r]; }",
           "call", ONE_WARP, SIM_DOUBT_HEAP);
    snprintf(body, sizeof body, call, "call (r), twice, (a);");
    expect(body, "call", ONE_WARP, 0);
    snprintf(
        body, sizeof body, call,
        "mov.u64 %d0, twice; F: .callprototype (.param .b32 _) _ (.param .b32 _); call (r), %d0, (a), F;");
    expect(body, "call", ONE_WARP, SIM_DOUBT_CALLS);
}

#define TILE   "shl.b32 %r1, %t, 3; and.b32 %r1, %r1, 504; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2;\n"
#define BRANCH "setp.lt.u32 %p0, %t, 40; @!%p0 bra ON; st.global.u32 [%own], %t;\nON: "

static void test_width(void **state) {
    (void)state;
    /* Contiguous loads in two blocks, without a write between them. */
    expect(TILE "ld.shared.u32 %r3, [%r1]; setp.lt.u32 %p0, %t, 40; @!%p0 bra ON; add.u32 %r3, %r3, 1;\n"
                "ON: ld.shared.u32 %r4, [%r1+4]; add.u32 %r3, %r3, %r4; st.global.u32 [%own], %r3;",
           "ld.shared", TWO_WARPS, SIM_DOUBT_WIDTH);
    expect(TILE "ld.shared.u32 %r3, [%r1]; ld.shared.u32 %r4, [%r1+4]; add.u32 %r3, %r3, %r4;"
                " st.global.u32 [%own], %r3;",
           "ld.shared", TWO_WARPS, 0);
    expect(TILE "ld.shared.u32 %r3, [%r1]; bar.sync 0; ld.shared.u32 %r4, [%r1+4]; add.u32 %r3, %r3, %r4;"
                " st.global.u32 [%own], %r3;",
           "ld.shared", TWO_WARPS, 0);
    /* A repeated load, which a shuffle has kept the front-end compiler from omitting. */
    expect(TILE "ld.shared.u32 %r3, [%r1]; shfl.sync.idx.b32 %r5, %r3, 0, 31, -1; ld.shared.u32 %r4, [%r1];"
                " add.u32 %r3, %r4, %r5; st.global.u32 [%own], %r3;",
           "ld.shared", TWO_WARPS, SIM_DOUBT_WIDTH);
    expect(TILE "ld.shared.u32 %r3, [%r1]; shfl.sync.idx.b32 %r5, %r3, 0, 31, -1; ld.shared.u32 %r4, [%r1+8];"
                " add.u32 %r3, %r4, %r5; st.global.u32 [%own], %r3;",
           "ld.shared", TWO_WARPS, 0);
    expect(TILE "ld.shared.u32 %r3, [%r1]; st.shared.u32 [%r1+512], %r3; ld.shared.u32 %r4, [%r1];"
                " add.u32 %r3, %r4, %r3; st.global.u32 [%own], %r3;",
           "ld.shared", TWO_WARPS, 0);
    /* Not contiguous. */
    expect(TILE "ld.shared.u32 %r3, [%r1]; " BRANCH "ld.shared.u32 %r4, [%r1+8]; add.u32 %r3, %r3, %r4;"
                " st.global.u32 [%own], %r3;",
           "ld.shared", TWO_WARPS, 0);
}

/* Lane t accesses word f(t). */
#define RED "mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %d0, %base; red.global.add.u32 [%d0], %t;"

static void test_words(void **state) {
    (void)state;
    expect("mov.u32 %r1, %t; " RED, "red", ONE_WARP, 0);
    expect("shl.b32 %r1, %t, 3; " RED, "red", ONE_WARP, 0);
    expect("mul.lo.u32 %r1, %t, 37; rem.u32 %r1, %r1, 101; " RED, "red", ONE_WARP, SIM_DOUBT_WORDS);
    expect("mul.lo.u32 %r1, %t, 37; rem.u32 %r1, %r1, 101; mul.wide.u32 %d0, %r1, 4; add.u64 %d0, %d0, %base;"
           " st.global.u32 [%d0], %t;",
           "st.global", ONE_WARP, 0);
    /* Of a sector two words; three, which is no doubt; three and two; and three times two. */
    static const char threes[] = "div.u32 %r2, %t, 3; rem.u32 %r1, %t, 3; mad.lo.u32 %r1, %r2, 8, %r1; " RED;
    expect(threes, "red", 1, 0);
    expect(threes, "red", 2, SIM_DOUBT_WORDS);
    expect(threes, "red", 3, 0);
    expect(threes, "red", 5, SIM_DOUBT_WORDS);
    expect(threes, "red", 30, 0);
    /* Shared memory has no sectors. */
    static const char banks[] = "shl.b32 %r1, %t, 3; mov.u32 %r2, tile; add.u32 %r1, %r1, %r2; "
                                "red.shared.add.u32 [%r1], %t;";
    expect(banks, "red", ONE_WARP, 0);
    expect(banks, "red", 2, 0);
}

/* Lanes from both sides of the first branch come together at SOME, and some of those with others at MORE,
 * where the branch has its lanes meet. */
#define CASES(value)                                                                                         \
    value "setp.gt.u32 %p0, %r1, 1; @%p0 bra RIGHT; setp.eq.u32 %p1, %r1, 1; @%p1 bra MORE;\n"               \
          "st.global.u32 [%own+2048], %t; bra SOME;\n"                                                       \
          "RIGHT: setp.gt.u32 %p2, %r1, 2; @%p2 bra OTHER; st.global.u32 [%own+1024], %t;\n"                 \
          "SOME: ld.global.nc.u32 %r2, [%own]; and.b32 %r3, %t, 1; setp.eq.u32 %p3, %r3, 0; @%p3 bra END;\n" \
          "MORE: st.global.u32 [%own+768], %t; bra END;\nOTHER: st.global.u32 [%own+1536], %t;\n"            \
          "END: st.global.u32 [%own+512], %r1;\n"

static void test_ways_that_come_together(void **state) {
    (void)state;
    expect(CASES("rem.u32 %r1, %t, 6;"), "ld.global.nc", ONE_WARP, SIM_DOUBT_LANES);
    /* All lanes take one path. */
    expect(CASES("mov.u32 %r1, 2;"), "ld.global.nc", ONE_WARP, 0);
    /* After the place where all meet, nothing is in doubt. */
    expect(CASES("rem.u32 %r1, %t, 6;") "atom.global.add.u32 %r3, [%own], 1; st.global.u32 [%own], %r3;",
           "atom", ONE_WARP, 0);
    /* An if and its else meet after both. */
    expect("setp.lt.u32 %p0, %t, 5; @%p0 bra ELSE; ld.global.u32 %r2, [%own]; bra END;\n"
           "ELSE: ld.global.u32 %r2, [%own+64];\nEND: st.global.u32 [%own], %r2;",
           "ld.global", ONE_WARP, 0);
}

/* The lanes of the mask read 8 bytes each, at the given distance. */
#define PARTLY(mask, factor)                                                                                 \
    "mov.u32 %r1, " mask "; shr.u32 %r1, %r1, %t; and.b32 %r1, %r1, 1; setp.eq.u32 %p0, %r1, 0;"             \
    " @%p0 bra END; mul.lo.u32 %r2, %t, " factor "; and.b32 %r2, %r2, 504; mov.u32 %r3, tile;"               \
    " add.u32 %r3, %r3, %r2; ld.shared.u64 %d0, [%r3]; st.global.u64 [%base], %d0; END: "

static void test_pairs(void **state) {
    (void)state;
    expect(PARTLY("0x20005", "24"), "ld.shared", ONE_WARP, SIM_DOUBT_PAIRS);
    /* Contiguous lanes; pairs of contiguous lanes; all lanes. */
    expect(PARTLY("0x20005", "8"), "ld.shared", ONE_WARP, 0);
    expect(PARTLY("0x20007", "24"), "ld.shared", ONE_WARP, 0);
    expect(PARTLY("0xffffffff", "24"), "ld.shared", ONE_WARP, 0);
}

/* The kernel takes a ticket, and writes where that says; what it reads first decides where it reads next. */
#define HANDED(address, from)                                                                                \
    "ld.global.u32 %r3, [" from "+8192]; and.b32 %r3, %r3, 63; mul.wide.u32 %d1, %r3, 4;"                    \
    " add.u64 %d1, %d1, %base; ld.volatile.global.u32 %r4, [%d1+512]; st.global.u32 [%own+4096], "           \
    "%r4;" TICKET PLACE "st.global.u32 [" address "+8192], %t;"

static void test_data(void **state) {
    (void)state;
    /* The first launch finds the host's data, the next one the first launch's. */
    expect_last(1, HANDED("%d0", "%own"), "ld.volatile", TWO_WARPS, 0);
    expect_last(2, HANDED("%d0", "%own"), "ld.volatile", TWO_WARPS, SIM_DOUBT_DATA);
    /* Only the address depends on it, not the data; and nothing ordered was stored. */
    expect_last(2, HANDED("%d0", "%own"), "ld.global", TWO_WARPS, 0);
    expect_last(2, HANDED("%own", "%own"), "ld.volatile", TWO_WARPS, 0);
    /* Whether it runs depends on it. */
    expect_last(2,
                "ld.global.u32 %r3, [%own+8192]; setp.eq.u32 %p0, %r3, 7; @%p0 bra ON;"
                " st.global.u32 [%own+4096], %t;\nON: " TICKET PLACE "st.volatile.global.u32 [%d0+8192], %t;",
                "st.global", TWO_WARPS, SIM_DOUBT_DATA);
    /* Through shared memory, and through a value that a branch selects. */
    expect_last(2,
                "ld.global.u32 %r3, [%own+8192]; setp.eq.u32 %p0, %r3, 7; mov.u32 %r4, 0; @%p0 bra ON;"
                " mov.u32 %r4, 1;\nON: st.shared.u32 [tile], %r4; bar.sync 0; ld.shared.u32 %r5, [tile];"
                " mul.wide.u32 %d1, %r5, 4; add.u64 %d1, %d1, %base;"
                " st.volatile.global.u32 [%d1+4096], %t; " TICKET PLACE "st.global.u32 [%d0+8192], %t;",
                "st.volatile", TWO_WARPS, SIM_DOUBT_DATA);
    /* By a branch that is a block by itself. */
    expect_last(2,
                "ld.global.u32 %r3, [%own+8192]; setp.eq.u32 %p0, %r3, 7;\nALONE: @%p0 bra ON;\n"
                "st.global.u32 [%own+4096], %t;\nON: " TICKET PLACE
                "setp.eq.u32 %p1, %t, 99; @%p1 bra ALONE; st.volatile.global.u32 [%d0+8192], %t;",
                "st.global", TWO_WARPS, SIM_DOUBT_DATA);
}

/* A block reads where another may have written: of one block alone that is no doubt. */
static void test_blocks(void **state) {
    (void)state;
    static const char body[] =
        "ld.global.u32 %r3, [%own+8192]; and.b32 %r3, %r3, 63; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %d1, "
        "%base;"
        " ld.volatile.global.u32 %r4, [%d1+512]; add.u32 %r4, %r4, %t; st.global.u32 [%own+8192], %r4;";
    static const uint32_t grids[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2},
                                        {2, 3, 1}, {3, 1, 2}, {1, 2, 2}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        expect_in(grids[i], 1, body, "ld.volatile", ONE_WARP, i ? SIM_DOUBT_DATA : 0);
    /* Where it writes elsewhere, and where each block reads its own. */
    expect_in(grids[1], 1,
              "ld.global.u32 %r3, [%own+8192]; and.b32 %r3, %r3, 63; mul.wide.u32 %d1, %r3, 4;"
              " add.u64 %d1, %d1, %base; ld.volatile.global.u32 %r4, [%d1+512]; st.shared.u32 [tile], %r4;",
              "ld.volatile", ONE_WARP, 0);
}

#define LOOP(step)                                                                                           \
    "AGAIN: ld.global.u32 %r1, [%own]; add.u32 %r0, %r0, 1; setp.eq.u32 %p0, %r0, " step "; @%p0 bra OUT;\n" \
    "setp.lt.u32 %p1, %r0, 9; @%p1 bra AGAIN;\n st.global.u32 [%own+1024], %r1; bra END;\n"                  \
    "OUT: st.global.u32 [%own+2048], %r1;\nEND: "

#define LOOP_THAT_JUMPS(place)                                                                               \
    "bra AGAIN;\nFAR: st.global.u32 [%own+1024], %r1; bra END;\n"                                            \
    "AGAIN: ld.global.u32 %r1, [%own]; add.u32 %r0, %r0, 1; setp.eq.u32 %p0, %r0, %t; @%p0 bra OUT;\n"       \
    "setp.lt.u32 %p1, %r0, 9; @%p1 bra AGAIN;\n bra " place ";\n"                                            \
    "OUT: st.global.u32 [%own+2048], %r1;\nEND: "

static void test_loops(void **state) {
    (void)state;
    /* Lanes may leave from each of its blocks, to two places, in different rounds. */
    expect(LOOP("%t"), "ld.global", ONE_WARP, SIM_DOUBT_LANES);
    expect(LOOP("100"), "ld.global", ONE_WARP, 0);
    /* A jump leads to no other place than what it jumps to. */
    expect(LOOP_THAT_JUMPS("OUT"), "ld.global", ONE_WARP, 0);
    expect(LOOP_THAT_JUMPS("FAR"), "ld.global", ONE_WARP, SIM_DOUBT_LANES);
    /* They leave in one way. */
    expect(
        "AGAIN: ld.global.u32 %r1, [%own]; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, %t; @%p0 bra AGAIN;\n"
        "st.global.u32 [%own+1024], %r1;",
        "ld.global", ONE_WARP, 0);
    /* A load that ptxas may move out, since its address and data are loop-invariant. */
    static const char steady[] =
        "AGAIN: add.u32 %%r0, %%r0, 1; and.b32 %%r1, %%r0, 1; setp.eq.u32 %%p0, %%r1, 0; @%%p0 bra ON;\n"
        "ld.global%s.u32 %%r2, [%%own+%s]; st.global.u32 [%%own+1024], %%r2;\n"
        "ON: setp.lt.u32 %%p1, %%r0, 5; @%%p1 bra AGAIN;";
    char body[600];
    snprintf(body, sizeof body, steady, ".nc", "64");
    expect(body, "ld.global.nc", ONE_WARP, SIM_DOUBT_LANES);
    snprintf(body, sizeof body, steady, "", "64");
    expect(body, "ld.global", ONE_WARP, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_ways_that_come_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
