/* The lowering's messages for what it refuses, word by word, and its output for what it accepts: values that
 * instructions compute, and the instructions that are reported after a launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/exec/program.h"
#include "tests/exec/harness.h"

#define HEAD ".version 8.6\n.target sm_90\n.address_size 64\n"
#define REGISTERS                                                                                            \
    ".reg .b16 %h<6>; .reg .b32 %r<9>; .reg .f32 %f<6>; .reg .f64 %g<3>; .reg .b64 %d<6>; .reg .pred "       \
    "%p<3>;\n"
#define KERNEL(body)                                                                                         \
    HEAD ".visible .entry k(.param .u64 p) {\n" REGISTERS "ld.param.u64 %d1, [p];\n" body "\nret;\n}\n"

/* Loads a module and unloads it.  message: the refusal's message; NULL: it must load. */
static void expect(const char *text, const char *message) {
    struct sim_memory *memory = sim_memory_create(1 << 24);
    struct sim_module *module;
    struct ptx_error error = {.pos = {0, 0}};
    assert_non_null(memory);
    const bool taken = sim_module_load(memory, "lowering", text, strlen(text), &module, &error);
    if (taken)
        sim_module_unload(module);
    sim_memory_destroy(memory);
    if (taken && message)
        fail_msg("taken, and not refused for '%s'", message);
    if (!taken && !message)
        fail_msg("%s", error.text);
    if (message)
        assert_string_equal(error.message, message);
}

static void test_messages(void **state) {
    (void)state;
    static const struct {
        const char *line, *message;
    } cases[] = {
#define RED "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"
        {RED " [%r1], %r2, [%r3];", NULL},
        {RED " [%r1], %r2;", "'" RED "' takes 3 operands"},
    /* These signal barriers in a cluster's shared memory with words. */
#define STORE(space, type) "st.async." space ".mbarrier::complete_tx::bytes." type
#define REFUSED(opcode)    "instruction '" opcode "' is not supported"
        {STORE("shared::cluster", "b32") " [%r1], %r2, [%r3];", NULL},
        {STORE("shared::cluster", "b8") " [%r1], %r2, [%r3];", REFUSED(STORE("shared::cluster", "b8"))},
        {STORE("global", "b32") " [%d1], %r2, [%d2];", REFUSED(STORE("global", "b32"))},
        {"cp.async.ca.shared.global [%r1], [%d1];",
         "'cp.async.ca.shared.global' takes two addresses and a size"},
        {"cp.async.ca.shared.global [%r1], [%d1], %r2;",
         "'cp.async.ca.shared.global' takes two addresses and a size"},
        {"cp.async.ca.shared.global [%r1], [%d1], 12;",
         "'cp.async.ca.shared.global' copies 4, 8 or 16 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s%s", HEAD ".visible .entry k() {\n", REGISTERS, cases[i].line,
                 "\nret;\n}\n");
        expect(text, cases[i].message);
    }
}

/* A refusal names the source line if it is known. */
static void test_source(void **state) {
    (void)state;
#define SURFACE         "suld.b.2d.b32.trap {%r1}, [%d1, {%r1, %r1}];\n"
#define SURFACE_REFUSED "instruction 'suld.b.2d.b32.trap' is not supported (unknown instruction)"
#define FILES           "\n.file 1 \"/a/one.cu\"\n.file 2 \"two.cu\"\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {KERNEL(SURFACE) FILES, SURFACE_REFUSED},
        {KERNEL(".loc 1 5 3\n" SURFACE) FILES, SURFACE_REFUSED "; one.cu:5 of the source"},
        {KERNEL(".loc 2 7 3\n" SURFACE) FILES, SURFACE_REFUSED "; two.cu:7 of the source"},
        {KERNEL(".loc 3 7 3\n" SURFACE) FILES, SURFACE_REFUSED},
        {KERNEL(".loc 1 0 3\n" SURFACE) FILES, SURFACE_REFUSED},
        {KERNEL(".loc 0 7 3\n" SURFACE) FILES, SURFACE_REFUSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(cases[i].text, cases[i].message);
}

static void test_sizes(void **state) {
    (void)state;
    expect(HEAD ".func f(.param .b8 a[65536]) { ret; }\n", NULL);
    expect(HEAD ".func f(.param .b8 a[65537]) { ret; }\n", "parameter 'a' is too large");
#define LOCAL(variables) KERNEL(variables)
#define FULL(name)       "'" name "' does not fit: local memory is 524288 bytes a thread"
    expect(LOCAL(".local .b8 x[524288];"), NULL);
    expect(LOCAL(".local .b8 x[524289];"), FULL("x"));
    expect(LOCAL(".local .b8 x[1]; .local .b8 y[524287];"), NULL);
    expect(LOCAL(".local .b8 x[1]; .local .b8 y[524288];"), FULL("y"));
    expect(LOCAL(".local .b8 x[1]; .local .align 1048576 .b8 y[1];"), FULL("y"));
    expect(LOCAL(".local .b8 x[524288]; .local .b8 y[1];"), FULL("y"));
    expect(LOCAL(".local .b8 x[524288]; .local .b8 y[0];"), NULL);
}

/* The variables that a function's calls pass are in a frame whose size has 32 bits: each but the last begins
 * below 2^30. */
static void test_frames(void **state) {
    (void)state;
    for (unsigned variables = 512; variables <= 513; variables++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        fputs(HEAD ".func f() {\n", out);
        for (unsigned i = 0; i < variables; i++)
            fprintf(out, ".param .b8 x%u[65536];\n", i);
        fputs("ret;\n}\n", out);
        fclose(out);
        expect(text, variables == 512 ? NULL : "out of memory");
        free(text);
    }
}

enum { BUFFER = 64 };

/* Runs k with one thread and a buffer of zeros, and returns the buffer. */
static void run(const char *text, uint64_t result[BUFFER / 8], sim_instruction_fn *each, void *argument,
                struct wl_counters *counters) {
    struct sim_memory *memory = sim_memory_create(1 << 24);
    struct sim_module *module;
    struct ptx_error error;
    struct sim_fault fault;
    assert_non_null(memory);
    if (!sim_module_load(memory, "lowering", text, strlen(text), &module, &error))
        fail_msg("%s", error.text);
    const uint64_t buffer = sim_memory_alloc(memory, BUFFER, SIM_MEMORY_DEVICE);
    assert_int_not_equal(buffer, 0);
    memset((void *)(uintptr_t)buffer, 0, BUFFER);
    const struct sim_launch launch = {.memory = memory,
                                      .function = sim_module_function(module, "k"),
                                      .grid = {1, 1, 1},
                                      .block = {32, 1, 1},
                                      .params = &buffer,
                                      .rules = count_rules_find(NULL),
                                      .threads = 1,
                                      .each = each,
                                      .argument = argument};
    if (!sim_launch_run(&launch, counters, &fault))
        fail_msg("%s: %s", text, fault.text);
    memcpy(result, (const void *)(uintptr_t)buffer, BUFFER);
    sim_module_unload(module);
    sim_memory_destroy(memory);
}

static void test_values(void **state) {
    (void)state;
    static const struct {
        const char *line;
        uint64_t value; /* of %d2 */
    } cases[] = {
        /* The result fills a register that is wider than its type. */
        {"cvt.s8.s32 %r1, 200; cvt.u64.u32 %d2, %r1;", 0xffffffc8},
        {"mov.u32 %r2, 200; cvt.s8.s32 %r1, %r2; cvt.u64.u32 %d2, %r1;", 0xffffffc8},
        {"cvt.u16.u32 %d2, 70000;", 4464},
        {"cvt.s16.s32 %d2, 40000;", 0xffffffffffff9c40},
        {"cvt.s8.s32 _, 200; mov.u64 %d2, 7;", 7},
        {"mov.u32 %r1, 5; mov.u32 %r2, -3; cvt.pack.sat.s16.s32 %r3, %r1, %r2; cvt.u64.u32 %d2, %r3;",
         0x5fffd},
        /* An integer that is stored as a double becomes a double. */
        {"st.global.f64 [%d1+8], 5; ld.global.u64 %d2, [%d1+8];", 0x4014000000000000},
        {"st.global.u32 [%d1+8], 5; ld.global.u64 %d2, [%d1+8];", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        uint64_t result[BUFFER / 8];
        struct wl_counters counters;
        snprintf(text, sizeof text, "%s%s%s",
                 HEAD ".visible .entry k(.param .u64 p) {\n" REGISTERS "ld.param.u64 %d1, [p];\n",
                 cases[i].line, "\nst.global.u64 [%d1], %d2;\nret;\n}\n");
        run(text, result, NULL, NULL, &counters);
        if (result[0] != cases[i].value)
            fail_msg("%s gives %llx", cases[i].line, (unsigned long long)result[0]);
    }
}

/* An address can name blocks up to the largest rank that fits; a greater rank becomes that one. */
static void test_ranks(void **state) {
    (void)state;
    static const unsigned ranks[][2] = {{1, 1},
                                        {SIM_MAX_RANK - 1, SIM_MAX_RANK - 1},
                                        {SIM_MAX_RANK, SIM_MAX_RANK},
                                        {SIM_MAX_RANK + 1, SIM_MAX_RANK},
                                        {UINT32_MAX, SIM_MAX_RANK}};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        char text[1024];
        uint64_t result[BUFFER / 8];
        struct wl_counters counters;
        snprintf(text, sizeof text,
                 "%smov.u32 %%r1, 16; mapa.shared::cluster.u32 %%r2, %%r1, %u;\n"
                 "getctarank.shared::cluster.u32 %%r3, %%r2; st.global.u32 [%%d1], %%r3;\nret;\n}\n",
                 HEAD ".visible .entry k(.param .u64 p) {\n" REGISTERS "ld.param.u64 %d1, [p];\n",
                 ranks[i][0]);
        run(text, result, NULL, NULL, &counters);
        assert_int_equal(result[0], ranks[i][1]);
    }
}

struct told {
    char opcodes[1024];
    unsigned bytes; /* of the instruction that begins with this text */
    const char *of;
};

static void note(void *argument, const struct sim_instruction_count *count) {
    struct told *told = argument;
    strncat(told->opcodes, count->opcode, sizeof told->opcodes - strlen(told->opcodes) - 2);
    strcat(told->opcodes, " ");
    if (told->of && strncmp(count->opcode, told->of, strlen(told->of)) == 0)
        told->bytes = count->bytes;
}

/* Each instruction is reported once, in the text's order, including those of a single-instruction block. */
static void test_told(void **state) {
    (void)state;
    static const char text[] = KERNEL("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 7; @%p1 bra L;\n"
                                      "xor.b32 %r2, %r1, 5;\n"
                                      "L: and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @%p2 bra M;\n"
                                      "not.b32 %r3, %r2;\n"
                                      "M: st.global.u32 [%d1], %r3;");
    struct told told = {.of = NULL};
    struct wl_counters counters;
    uint64_t result[BUFFER / 8];
    run(text, result, note, &told, &counters);
    assert_string_equal(told.opcodes, "ld.param.u64 mov.u32 setp.lt.u32 bra xor.b32 and.b32 setp.eq.u32 bra "
                                      "not.b32 st.global.u32 ret ");
}

/* Bulk copies by a single lane: the counter for each direction, and a lane's minimum bytes. */
static void test_bulk_sites(void **state) {
    (void)state;
#define BULK(copy)                                                                                           \
    KERNEL(".shared .align 16 .b8 s[64];\nmov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra E;\n"       \
           "mbarrier.init.shared::cta.b64 [s], 1;\n" copy "\nE:")
#define TO_BARRIER ".mbarrier::complete_tx::bytes "
    static const struct {
        const char *text;
        uint64_t loads, stores, cluster;
    } cases[] = {
        {BULK("cp.async.bulk.shared::cluster.global" TO_BARRIER "[s+16], [%d1], 32, [s];"), 1, 0, 0},
        {BULK("cp.async.bulk.shared::cta.global" TO_BARRIER "[s+16], [%d1], 32, [s];"), 1, 0, 0},
        {BULK("cp.async.bulk.shared::cluster.shared::cta" TO_BARRIER "[s+16], [s+32], 16, [s];"), 0, 0, 1},
        {BULK("cp.async.bulk.global.shared::cta.bulk_group [%d1], [s+16], 32;"), 0, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct told told = {.of = "cp.async.bulk"};
        struct wl_counters counters;
        uint64_t result[BUFFER / 8];
        run(cases[i].text, result, note, &told, &counters);
        assert_int_equal(counters.bulk_load_requests, cases[i].loads);
        assert_int_equal(counters.bulk_store_requests, cases[i].stores);
        assert_int_equal(counters.dshared_bulk_requests, cases[i].cluster);
        assert_int_equal(told.bytes, 16);
    }
}

/* The bytes of a matrix that a lane moves at once: those contiguous in its row. */
static void test_matrix_sites(void **state) {
    (void)state;
    static const struct {
        const char *text, *of;
        unsigned bytes;
    } cases[] = {
#define LOAD(shape, registers) "wmma.load." shape " " registers ", [s], 8;"
#define MATRIX(load)           KERNEL(".shared .align 32 .b8 s[2048];\n" load)
        {MATRIX(LOAD("c.sync.aligned.row.m8n8k4.shared.f64", "{%g1, %g2}")), "wmma.load.c", 16},
        {MATRIX(LOAD("a.sync.aligned.row.m8n8k4.shared.f64", "{%g1}")), "wmma.load.a", 8},
        {MATRIX(LOAD("c.sync.aligned.row.m8n8k32.shared.s32", "{%r1, %r2}")), "wmma.load.c", 8},
        {MATRIX(LOAD("c.sync.aligned.row.m16n16k16.shared.f16", "{%r1, %r2, %r3, %r4}")), "wmma.load.c", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct told told = {.of = cases[i].of};
        struct wl_counters counters;
        uint64_t result[BUFFER / 8];
        run(cases[i].text, result, note, &told, &counters);
        assert_int_equal(told.bytes, cases[i].bytes);
    }
}

/* Sums of vectors of halves are native: no loop loads them first. */
static void test_vector_sums(void **state) {
    (void)state;
    struct wl_counters counters;
    uint64_t result[BUFFER / 8];
    run(KERNEL("mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000;\n"
               "mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra E;\n"
               "red.global.add.noftz.v2.f16 [%d1], {%h1, %h2};\nE:"),
        result, NULL, NULL, &counters);
    assert_int_equal(result[0], 0x40003c00);
    assert_int_equal(counters.global_reduction_requests, 1);
    assert_int_equal(counters.global_load_requests, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),     cmocka_unit_test(test_source),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_values),       cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_told),         cmocka_unit_test(test_bulk_sites),
        cmocka_unit_test(test_matrix_sites), cmocka_unit_test(test_vector_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
