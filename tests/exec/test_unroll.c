/* Loops that ptxas unrolls: with any numbers, they compute the same as the original loop, and count the loads
 * of the unrolled one; loops that ptxas leaves as they are count their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

enum { LANES = 32, TABLE = 64, MOST = 300, DRAWS = 40, OWN_LOADS = 2 };

struct lane {
    uint64_t begin, bound;
};

struct result {
    uint64_t counter;
    uint32_t sum, unused;
};

struct loop {
    const char *test, *type;
    int64_t step;
    bool negated, unrolled;
    /* Additional instructions in the loop; before its first one; options after .target. */
    const char *more, *pragma, *options;
};

static uint32_t table[TABLE];

static bool is_wide(const struct loop *loop) {
    return strcmp(loop->type + 1, "64") == 0;
}

static uint64_t cut(const struct loop *loop, uint64_t value) {
    return is_wide(loop) ? value : (uint32_t)value;
}

/* Whether the loop's test holds. */
static bool holds(const struct loop *loop, uint64_t a, uint64_t b) {
    const bool sign = loop->type[0] == 's';
    const int64_t x = is_wide(loop) ? (int64_t)a : (int32_t)a, y = is_wide(loop) ? (int64_t)b : (int32_t)b;
    const int order = sign ? (x > y) - (x < y) : (a > b) - (a < b);
    const bool is = strcmp(loop->test, "lt") == 0 || strcmp(loop->test, "lo") == 0   ? order < 0
                    : strcmp(loop->test, "le") == 0 || strcmp(loop->test, "ls") == 0 ? order <= 0
                    : strcmp(loop->test, "gt") == 0 || strcmp(loop->test, "hi") == 0 ? order > 0
                    : strcmp(loop->test, "ge") == 0 || strcmp(loop->test, "hs") == 0 ? order >= 0
                    : strcmp(loop->test, "ne") == 0                                  ? order != 0
                                                                                     : order == 0;
    return is != loop->negated;
}

/* Executes the loop alone; returns its number of rounds, or MOST + 1. */
static unsigned rounds_of(const struct loop *loop, const struct lane *lane, unsigned index,
                          struct result *out) {
    unsigned rounds = 0;
    *out = (struct result){.counter = lane->begin, .sum = index};
    do {
        out->sum = out->sum * 5 + table[out->sum % TABLE];
        out->counter = cut(loop, out->counter + (uint64_t)loop->step);
        rounds++;
    } while (holds(loop, out->counter, lane->bound) && rounds <= MOST);
    return rounds;
}

static void load(struct harness *h, const struct loop *loop) {
    char text[8192];
    const char *bits = is_wide(loop) ? "64" : "32";
    int size = snprintf(
        text, sizeof text,
        ".version 7.0\n.target sm_75%s\n.address_size 64\n"
        ".visible .entry run(.param .u64 in, .param .u64 table, .param .u64 to) {\n"
        ".reg .b%s %%i, %%n; .reg .b32 %%a, %%r<4>; .reg .b64 %%d<8>; .reg .pred %%p, %%q;\n"
        "mov.u32 %%a, %%tid.x; ld.param.u64 %%d1, [in]; ld.param.u64 %%d2, [table]; ld.param.u64 "
        "%%d3, [to];\n"
        "mul.wide.u32 %%d4, %%a, 16; add.u64 %%d1, %%d1, %%d4; add.u64 %%d3, %%d3, %%d4;\n"
        "ld.global.b%s %%i, [%%d1]; ld.global.b%s %%n, [%%d1+8];\n"
        "LOOP: %s\n"
        "and.b32 %%r1, %%a, %d; mul.wide.u32 %%d5, %%r1, 4; add.u64 %%d5, %%d5, %%d2;\n"
        "ld.global.u32 %%r2, [%%d5]; mad.lo.u32 %%a, %%a, 5, %%r2; %s\n"
        "add.s%s %%i, %%i, %lld; setp.%s.%s %%p, %%i, %%n; @%s%%p bra LOOP;\n"
        "OUT: mov.u64 %%d6, 0; %s st.global.u64 [%%d3], %%d6; st.global.u32 [%%d3+8], %%a; ret;\n}\n",
        loop->options ? loop->options : "", bits, bits, bits, loop->pragma ? loop->pragma : "", TABLE - 1,
        loop->more ? loop->more : "", bits, (long long)loop->step, loop->test, loop->type,
        loop->negated ? "!" : "", is_wide(loop) ? "mov.b64 %d6, %i;" : "cvt.u64.u32 %d6, %i;");
    assert_in_range(size, 1, sizeof text - 1);
    harness_start(h);
    harness_load(h, "unroll", text, (size_t)size);
}

static uint64_t state_of_random = 88172645463325252u;

static uint64_t draw(void) {
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    return state_of_random ^= state_of_random << 17;
}

/* Values near the ends of the range, and values exactly or nearly a few rounds apart. */
static struct lane draw_lane(const struct loop *loop) {
    const uint64_t anchors[] = {0, UINT64_MAX, INT64_MAX, INT32_MAX, draw(), 1000};
    const uint64_t begin = anchors[draw() % 6] + draw() % 9 - 4;
    const uint64_t bound = begin + (uint64_t)loop->step * (draw() % 23) + (draw() % 4 ? 0 : draw() % 5 - 2);
    return (struct lane){cut(loop, begin), cut(loop, bound)};
}

/* Whether the counter reaches its bound without overflow, or there is one round. */
static bool is_regular(const struct loop *loop, const struct lane *lane, unsigned rounds) {
    const bool sign = loop->type[0] == 's';
    const __int128 from = !sign           ? (__int128)lane->begin
                          : is_wide(loop) ? (int64_t)lane->begin
                                          : (int32_t)lane->begin;
    const __int128 to = !sign           ? (__int128)lane->bound
                        : is_wide(loop) ? (int64_t)lane->bound
                                        : (int32_t)lane->bound;
    const __int128 end = from + (__int128)loop->step * rounds, before = end - loop->step;
    return rounds == 1 || (loop->step > 0 ? before <= to && end >= to && from <= to
                                          : before >= to && end <= to && from >= to);
}

/* The loads of the unrolled loop, or of the original one. */
static uint64_t loads_of(const unsigned *rounds, bool unrolled) {
    unsigned most = 0, fours = 0, twos = 0, ones = 0;
    for (unsigned i = 0; i < LANES; i++) {
        most = rounds[i] > most ? rounds[i] : most;
        fours = rounds[i] / 4 > fours ? rounds[i] / 4 : fours;
        twos |= rounds[i] & 2;
        ones |= rounds[i] & 1;
    }
    return unrolled ? 4 * fours + twos + ones : most;
}

static void check(const struct loop *loop) {
    struct harness h;
    load(&h, loop);
    struct lane *in = harness_buffer(&h, LANES * sizeof *in);
    uint32_t *numbers = harness_buffer(&h, sizeof table);
    struct result *out = harness_buffer(&h, LANES * sizeof *out);
    memcpy(numbers, table, sizeof table);
    for (unsigned drawn = 0; drawn < DRAWS; drawn++) {
        struct result expected[LANES];
        unsigned rounds[LANES];
        for (unsigned i = 0; i < LANES; i++)
            do {
                in[i] = draw_lane(loop);
                rounds[i] = rounds_of(loop, &in[i], i, &expected[i]);
            } while (rounds[i] > MOST || (drawn % 2 && !is_regular(loop, &in[i], rounds[i])));
        assert_true(harness_launch(&h, "run", 1, LANES, 0, (const void *[]){&in, &numbers, &out}));
        for (unsigned i = 0; i < LANES; i++)
            if (out[i].counter != expected[i].counter || out[i].sum != expected[i].sum)
                fail_msg("%s.%s by %lld: lane %u from %llx to %llx", loop->test, loop->type,
                         (long long)loop->step, i, (unsigned long long)in[i].begin,
                         (unsigned long long)in[i].bound);
        /* With overflow, lanes meet wherever that leads. */
        if (drawn % 2 && h.counters.global_load_requests != OWN_LOADS + loads_of(rounds, loop->unrolled))
            fail_msg("%s.%s by %lld: %llu loads and not %llu", loop->test, loop->type, (long long)loop->step,
                     (unsigned long long)h.counters.global_load_requests,
                     (unsigned long long)(OWN_LOADS + loads_of(rounds, loop->unrolled)));
    }
    harness_close(&h);
}

static void test_counts(void **state) {
    (void)state;
    static const struct loop loops[] = {
        {.test = "lt", .type = "s32", .step = 1},
        {.test = "lt", .type = "u32", .step = 3},
        {.test = "lo", .type = "u32", .step = 1},
        {.test = "le", .type = "s32", .step = 2},
        {.test = "le", .type = "u32", .step = 1},
        {.test = "ls", .type = "u32", .step = 7},
        {.test = "gt", .type = "s32", .step = -1},
        {.test = "gt", .type = "u32", .step = -5},
        {.test = "hi", .type = "u32", .step = -1},
        {.test = "ne", .type = "s32", .step = 1},
        {.test = "ne", .type = "u32", .step = -4},
        {.test = "ne", .type = "s32", .step = -1},
        {.test = "ne", .type = "b32", .step = 12},
        {.test = "lt", .type = "s64", .step = 1},
        {.test = "lt", .type = "u64", .step = 1 << 20},
        {.test = "le", .type = "u64", .step = 9},
        {.test = "gt", .type = "s64", .step = -3},
        {.test = "ne", .type = "b64", .step = 16},
        {.test = "ge", .type = "s32", .step = 1, .negated = true},
        {.test = "eq", .type = "s32", .step = 1, .negated = true},
        {.test = "le", .type = "s32", .step = -1, .negated = true},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct loop loop = loops[i];
        loop.unrolled = true;
        check(&loop);
    }
}

/* Instructions for a loop with 9 of its own. */
#define TEN_MORE                                                                                             \
    "xor.b32 %r3, %r2, 1; xor.b32 %r3, %r3, 2; xor.b32 %r3, %r3, 3; xor.b32 %r3, %r3, 4; xor.b32 %r3, %r3, " \
    "5; xor.b32 %r3, %r3, 6; xor.b32 %r3, %r3, 7; xor.b32 %r3, %r3, 8; xor.b32 %r3, %r3, 9; xor.b32 %r3, "   \
    "%r3, 10;"
#define FORTY_MORE TEN_MORE TEN_MORE TEN_MORE TEN_MORE

static void test_limits(void **state) {
    (void)state;
    static const struct loop loops[] = {
        {.unrolled = true, .more = FORTY_MORE "xor.b32 %r3, %r3, 1;"},
        {.unrolled = false, .more = FORTY_MORE "xor.b32 %r3, %r3, 1; xor.b32 %r3, %r3, 2;"},
        {.unrolled = true, .more = "div.u32 %r3, %r2, 3;"},
        {.unrolled = false, .more = "div.u32 %r3, %r2, 3; rem.u32 %r3, %r3, 5;" TEN_MORE},
        {.unrolled = true, .more = "setp.lt.u32 %q, %r2, 9; @%q xor.b32 %r3, %r3, 1;"},
        /* Consecutive conditions; nested conditions. */
        {.unrolled = true, .more = "setp.lt.u32 %q, %r1, 20; @%q bra A; xor.b32 %r3, %r3, 1; A:"},
        {.unrolled = true,
         .more = "setp.lt.u32 %q, %r1, 20; @%q bra A; xor.b32 %r3, %r3, 1; bra.uni B;\n"
                 "A: xor.b32 %r3, %r3, 2; B: setp.gt.u32 %q, %r1, 40; @%q bra C; xor.b32 %r3, "
                 "%r3, 1; C:"},
        {.unrolled = false,
         .more = "setp.lt.u32 %q, %r1, 20; @%q bra A; setp.gt.u32 %q, %r1, 40; @%q bra B;\n"
                 "xor.b32 %r3, %r3, 1; B: xor.b32 %r3, %r3, 2; A:"},
        {.unrolled = false, .more = "setp.lt.u32 %q, %r1, 99; @%q bra A; exit; A:"},
        {.unrolled = false, .more = "A: setp.lt.u32 %q, %r1, 0; @%q bra A;"},
        {.unrolled = false, .more = "setp.gt.u32 %q, %r1, 99; @%q bra OUT;"},
        {.unrolled = false, .more = "st.global.u32 [%d3+12], %r3;"},
        {.unrolled = false, .more = "red.global.add.u32 [%d3+12], %r3;"},
        {.unrolled = false, .more = "bar.warp.sync 0xffffffff;"},
        {.unrolled = false, .more = "fence.acq_rel.gpu;"},
        {.unrolled = false, .pragma = ".pragma \"nounroll\";"},
        {.unrolled = true, .pragma = ".pragma \"used_bytes_mask 0xf\";"},
        {.unrolled = false, .options = ", debug"},
        /* The test of its last round is read, or its numbers change. */
        {.unrolled = false, .more = "selp.b32 %r3, 1, 2, %p;"},
        {.unrolled = false, .more = "add.s32 %n, %n, 0;"},
        {.unrolled = false, .more = "add.s32 %i, %i, 0;"},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct loop loop = loops[i];
        loop.test = "lt", loop.type = "s32", loop.step = 1;
        check(&loop);
    }
    /* Steps of at least 2^40: four of them may overflow 64 bits. */
    const int64_t step = INT64_C(1) << 40;
    check(&(struct loop){.test = "lt", .type = "s64", .step = step - 1, .unrolled = true});
    check(&(struct loop){.test = "lt", .type = "s64", .step = step});
    check(&(struct loop){.test = "gt", .type = "s64", .step = 1 - step, .unrolled = true});
    check(&(struct loop){.test = "gt", .type = "s64", .step = -step});
    /* Counting in the other direction. */
    check(&(struct loop){.test = "ge", .type = "s32", .step = -1});
    check(&(struct loop){.test = "eq", .type = "s32", .step = 1});
}

/* A pragma of the module, and of the kernel; the latter affects all that follows. */
static void test_pragmas(void **state) {
    (void)state;
    static const char *const around[][2] = {
        {"", ""}, {".pragma \"nounroll\";\n", ""}, {"", " .pragma \"nounroll\";\n"}};
    for (size_t i = 0; i < 3; i++) {
        char text[2048];
        int size = snprintf(
            text, sizeof text,
            ".version 7.0\n.target sm_75\n.address_size 64\n%s.visible .entry run(.param .u64 in)%s {\n"
            ".reg .b32 %%i, %%n, %%a; .reg .b64 %%d<2>; .reg .pred %%p;\n"
            "mov.u32 %%i, 0; mov.u32 %%n, %%tid.x; ld.param.u64 %%d1, [in];\n"
            "LOOP: ld.global.u32 %%a, [%%d1]; add.s32 %%i, %%i, 1; setp.lt.s32 %%p, %%i, %%n;\n"
            "@%%p bra LOOP; ret;\n}\n",
            around[i][0], around[i][1]);
        struct harness h;
        harness_start(&h);
        harness_load(&h, "unroll", text, (size_t)size);
        uint32_t *in = harness_buffer(&h, 4);
        /* 1, 1, 2, 3 ... 29 rounds: 29 loads, or seven times four, then two and one. */
        enum { THREADS = 30 };
        const uint64_t loads = i ? 29 : 31;
        assert_true(harness_launch(&h, "run", 1, THREADS, 0, (const void *[]){&in}));
        assert_int_equal(h.counters.global_load_requests, loads);
        assert_int_equal(h.counters.gld_transactions, loads);
        /* The lanes' own counts are the same. */
        assert_int_equal(h.counters.thread_inst_executed, THREADS * 4 + (1 + 29 * 30 / 2) * 4);
        assert_int_equal(h.counters.inst_executed, 4 + loads * 4);
        harness_close(&h);
    }
}

/* Loops with unusual counters; 30 lanes, each with its number in %n. */
static void test_other_counts(void **state) {
    (void)state;
    static const struct {
        const char *begins, *counts;
        uint64_t loads;
    } loops[] = {
        /* To a number: 1, 1, 2, 3 ... 29 rounds, seven times four, then two and one. */
        {"sub.s32 %i, 29, %n;", "add.s32 %i, %i, 1; setp.lt.s32 %p, %i, 29;", 31},
        /* The test comes before the step: 1, 2, 3 ... 30 rounds. */
        {"mov.u32 %i, 0;", "setp.lt.s32 %p, %i, %n; add.s32 %i, %i, 1;", 30},
        /* Bits that are compared as floats, whose order is the same. */
        {"mov.u32 %i, 0;", "add.s32 %i, %i, 1; setp.lt.f32 %p, %i, %n;", 29},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        char text[2048];
        int size =
            snprintf(text, sizeof text,
                     ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry run(.param .u64 in) {\n"
                     ".reg .b32 %%i, %%n, %%a; .reg .b64 %%d<2>; .reg .pred %%p;\n"
                     "mov.u32 %%n, %%tid.x; %s ld.param.u64 %%d1, [in];\n"
                     "LOOP: ld.global.u32 %%a, [%%d1]; %s @%%p bra LOOP; ret;\n}\n",
                     loops[i].begins, loops[i].counts);
        struct harness h;
        harness_start(&h);
        harness_load(&h, "unroll", text, (size_t)size);
        uint32_t *in = harness_buffer(&h, 4);
        assert_true(harness_launch(&h, "run", 1, 30, 0, (const void *[]){&in}));
        assert_int_equal(h.counters.global_load_requests, loops[i].loads);
        harness_close(&h);
    }
}

/* What is told of the instructions, by the lines that they stand in. */
struct told {
    struct sim_instruction_count of[32];
    struct wl_counters sum;
};

static void tell(void *argument, const struct sim_instruction_count *count) {
    struct told *told = argument;
    assert_in_range(count->ptx_line, 1, 31);
    assert_int_equal(told->of[count->ptx_line].ptx_line, 0); /* each is told of once */
    told->of[count->ptx_line] = *count;
    told->sum.inst_executed += count->counters.inst_executed;
    told->sum.thread_inst_executed += count->counters.thread_inst_executed;
    told->sum.global_load_requests += count->counters.global_load_requests;
    told->sum.gld_transactions += count->counters.gld_transactions;
}

/* An instruction's counts are those of all its copies, and the instructions' counts add up to the launch's.
 */
static void test_sums(void **state) {
    (void)state;
#define OTHER                                                                                                \
    "() { .reg .pred %p; .reg .b32 %i; mov.u32 %i, 0; L: add.s32 %i, %i, 1; setp.lt.s32 %p, %i, 9;"          \
    " @%p bra L; ret; }\n"
    static const char text[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry earlier" OTHER
        ".visible .entry run(.param .u64 in) { .reg .b32 %i, %n, %a; .reg .b64 %d; .reg .pred %p, %q;\n"
        "mov.u32 %n, %tid.x;\nld.param.u64 %d, [in];\nmov.u32 %i, 0;\n"
        "L: add.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, %n;\n@%p bra L;\n"
        "mov.u32 %i, 0;\nsetp.gt.u32 %q, %n, 14;\n"
        "M: ld.global.u32 %a, [%d];\n@%q bra ON;\nxor.b32 %a, %a, 1;\n"
        "ON: add.s32 %i, %i, 1;\nsetp.lt.s32 %p, %i, %n;\n@%p bra M;\n"
        "ret;\n}\n.visible .entry later" OTHER;
    /* 30 lanes make 1, 1, 2, 3 ... 29 rounds: seven times four, two and one.  They part at each test of these
     * but where all leave.  Half of them make up to 14 rounds, three times four, two and one. */
    enum { THREADS = 30, ALL = 1 + 29 * 30 / 2, HALF = 1 + 14 * 15 / 2 };
    static const struct {
        uint64_t warps, lanes, divergent;
    } expected[] = {
        {1, THREADS, 0}, {1, THREADS, 0}, {1, THREADS, 0}, {31, ALL, 0}, {31, ALL, 0},
        {31, ALL, 9},    {1, THREADS, 0}, {1, THREADS, 0}, {31, ALL, 0}, {31, ALL, 15},
        {15, HALF, 0},   {31, ALL, 0},    {31, ALL, 0},    {31, ALL, 9}, {1, THREADS, 0},
    };
    enum { FIRST = 6, LAST = FIRST + sizeof expected / sizeof *expected - 1 };
    struct harness h;
    harness_start(&h);
    harness_load(&h, "unroll", text, strlen(text));
    uint32_t *in = harness_buffer(&h, 4);
    struct told told = {0};
    h.with.each = tell;
    h.with.argument = &told;
    assert_true(harness_launch(&h, "run", 1, THREADS, 0, (const void *[]){&in}));
    for (unsigned line = 0; line < 32; line++) {
        const struct sim_instruction_count *count = &told.of[line];
        if (line < FIRST || line > LAST) {
            assert_int_equal(count->ptx_line, 0);
            continue;
        }
        if (count->counters.inst_executed != expected[line - FIRST].warps ||
            count->counters.thread_inst_executed != expected[line - FIRST].lanes ||
            count->divergent != expected[line - FIRST].divergent)
            fail_msg("line %u: %llu warps, %llu lanes, parted %llu times", line,
                     (unsigned long long)count->counters.inst_executed,
                     (unsigned long long)count->counters.thread_inst_executed,
                     (unsigned long long)count->divergent);
    }
    assert_int_equal(told.sum.inst_executed, h.counters.inst_executed);
    assert_int_equal(told.sum.thread_inst_executed, h.counters.thread_inst_executed);
    assert_int_equal(told.sum.global_load_requests, 31);
    assert_int_equal(h.counters.global_load_requests, 31);
    assert_int_equal(told.sum.gld_transactions, h.counters.gld_transactions);
    harness_close(&h);
}

static int fill(void **state) {
    (void)state;
    for (unsigned i = 0; i < TABLE; i++)
        table[i] = i * 2654435761u;
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),       cmocka_unit_test(test_limits), cmocka_unit_test(test_pragmas),
        cmocka_unit_test(test_other_counts), cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
