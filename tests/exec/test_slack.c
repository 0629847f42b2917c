/* Memory next to shared and local memory, to the byte: the bytes that hardware lets pass, which are counted,
 * and the first ones that fault.  Each case slides a warp across both ends of the allowed range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

enum { LANES = 32 };

static struct harness h;
static uint64_t outside; /* counted by the last launch */

static void add_outside(void *argument, const struct sim_instruction_count *count) {
    (void)argument;
    outside += count->outside;
}

static int setup(void **state) {
    (void)state;
    harness_start(&h);
    h.with.each = add_outside;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

/* The bytes from `begin` to `end` are allowed; those from 0 to `own` do not count as outside. */
struct memory {
    int64_t begin, own, end;
};

/* One access per lane, `width` bytes each, from `offset` on; with `falling`, lane 31 comes first. */
static void expect(const struct memory *memory, unsigned width, bool falling, int64_t offset) {
    uint64_t counted = 0;
    int first_bad = -1;
    for (int i = 0; i < LANES; i++) {
        const int64_t at = offset + (int64_t)width * (falling ? LANES - 1 - i : i), end = at + width;
        counted += at < 0 || end > memory->own;
        if (first_bad < 0 && (at < memory->begin || end > memory->end))
            first_bad = i;
    }
    outside = 0;
    const bool passes = harness_launch(&h, "k", 1, LANES, 0, (const void *[]){&offset});
    if (passes != (first_bad < 0))
        fail_msg("%u bytes from %lld on: %s", width, (long long)offset, passes ? "no fault" : h.fault.text);
    if (passes && outside != counted)
        fail_msg("%u bytes from %lld on: %llu outside, not %llu", width, (long long)offset,
                 (unsigned long long)outside, (unsigned long long)counted);
    if (!passes) {
        assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
        if (h.fault.thread[0] != (unsigned)first_bad)
            fail_msg("%u bytes from %lld on: thread %u, not %d", width, (long long)offset, h.fault.thread[0],
                     first_bad);
    }
}

/* The kernel has `variables`, and %rd3 is the address of the lane's bytes after `base`. */
struct access {
    const char *variables, *base, *instruction;
    unsigned width;
};

static void slide(const struct access *access, const struct memory *memory) {
    const int64_t edges[] = {memory->begin, 0, memory->own, memory->end}, width = access->width;
    for (int falling = 0; falling < 2; falling++) {
        char text[2048];
        const int size = snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n%s\n"
            ".reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\nld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x;\n"
            "%s mul.wide.u32 %%rd2, %%r1, %u; add.u64 %%rd2, %%rd2, %%rd1;\n"
            "%s add.u64 %%rd3, %%rd3, %%rd2; cvt.u32.u64 %%r3, %%rd3;\n%s\nret;\n}\n",
            access->variables, falling ? "sub.u32 %r1, 31, %r1;" : "", access->width, access->base,
            access->instruction);
        assert_in_range(size, 1, sizeof text - 1);
        sim_module_unload(h.module);
        h.module = NULL;
        harness_load(&h, "slack.ptx", text, (size_t)size);
        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
            /* The last byte before the edge and the first byte after it belong to each lane in turn. */
            const int64_t edge = edges[i] / width * width;
            for (int64_t step = -LANES - 1; step <= 1; step++)
                expect(memory, access->width, falling, edge + step * width);
        }
    }
}

/* 512 bytes before a thread's local memory and 4096 past its frame's end, as in worker.h. */
static void local_memory(void **state) {
    (void)state;
    static const struct memory memory = {-512, 64, 64 + 4096};
#define LOCAL(base, instruction, width)                                                                      \
    { ".local .align 16 .b8 x[64];", base, instruction, width }
    static const struct access accesses[] = {
        LOCAL("mov.u64 %rd3, x;", "ld.local.u8 %r2, [%rd3];", 1),
        LOCAL("mov.u64 %rd3, x;", "st.local.u8 [%rd3], %r2;", 1),
        LOCAL("mov.u64 %rd3, x;", "ld.local.u32 %r2, [%rd3];", 4),
        LOCAL("mov.u64 %rd3, x;", "ld.local.v4.u32 {%r2, %r4, %r5, %r6}, [%rd3];", 16),
        LOCAL("mov.u64 %rd3, x; cvta.local.u64 %rd3, %rd3;", "ld.u8 %r2, [%rd3];", 1),
        LOCAL("mov.u64 %rd3, x; cvta.local.u64 %rd3, %rd3;", "st.u64 [%rd3], %rd2;", 8),
    };
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        slide(&accesses[i], &memory);
}

/* A store outside changes neither the thread's own bytes nor another thread's, and a load reads it back. */
static void local_stores(void **state) {
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".local .align 16 .b8 x[64];\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n"
        "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u64 %rd2, x; add.u64 %rd3, %rd2, %rd1;\n"
        "st.local.u32 [%rd2], 7; st.local.u32 [%rd2+60], 8; st.local.u32 [%rd3], %r1;\n"
        "ld.local.u32 %r2, [%rd2]; ld.local.u32 %r3, [%rd2+60]; ld.local.u32 %r4, [%rd3];\n"
        "setp.ne.u32 %p1, %r2, 7; @%p1 trap; setp.ne.u32 %p1, %r3, 8; @%p1 trap;\n"
        "setp.ne.u32 %p1, %r4, %r1; @%p1 trap; ret; }\n";
    harness_load(&h, "slack.ptx", text, sizeof text - 1);
    static const int64_t offsets[] = {-512, -4, 64, 64 + 4092};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (!harness_launch(&h, "k", 1, LANES, 0, (const void *[]){&offsets[i]}))
            fail_msg("at %lld: %s", (long long)offsets[i], h.fault.text);
}

/* Shared memory is allocated in granules of 128 bytes, and the system's 1024 bytes precede it. */
static void shared_memory(void **state) {
    (void)state;
    static const struct memory memory = {-1024, 72, 128};
#define SHARED(base, instruction, width)                                                                     \
    { ".shared .align 16 .b8 x[72];", base, instruction, width }
    static const struct access accesses[] = {
        SHARED("mov.u64 %rd3, x;", "ld.shared.u8 %r2, [%rd3];", 1),
        SHARED("mov.u64 %rd3, x;", "st.shared.u8 [%rd3], %r2;", 1),
        SHARED("mov.u64 %rd3, x;", "ld.shared.u8 %r2, [%r3];", 1),
        SHARED("mov.u64 %rd3, x;", "st.shared.u8 [%r3], %r2;", 1),
        SHARED("mov.u64 %rd3, x;", "ld.shared.u32 %r2, [%r3];", 4),
        SHARED("mov.u64 %rd3, x;", "ld.shared.v4.u32 {%r2, %r4, %r5, %r6}, [%rd3];", 16),
        SHARED("mov.u64 %rd3, x;", "st.shared.u64 [%r3], %rd2;", 8),
    };
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        slide(&accesses[i], &memory);
}

/* A kernel without shared memory has no system part either. */
static void no_shared_memory(void **state) {
    (void)state;
    static const struct memory memory = {0, 0, 0};
    static const struct access access = {"", "mov.u64 %rd3, 0;", "ld.shared.u8 %r2, [%r3];", 1};
    slide(&access, &memory);
}

/* The upper half of a 64-bit address before shared memory is all ones or, as for 32-bit ones, zeros. */
static void upper_halves(void **state) {
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".shared .align 16 .b8 x[72];\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<9>;\n"
        "ld.param.u64 %rd1, [p]; mov.u64 %rd2, x; add.u64 %rd3, %rd2, %rd1; st.shared.u32 [%rd2], 7;\n"
        "st.shared.u32 [%rd3], 9; ld.shared.u32 %r2, [%rd3]; setp.ne.u32 %p1, %r2, 9; @%p1 trap;\n"
        "ld.shared.u32 %r2, [%rd2]; setp.ne.u32 %p1, %r2, 7; @%p1 trap; ret; }\n";
    harness_load(&h, "slack.ptx", text, sizeof text - 1);
    static const struct {
        uint64_t offset;
        bool passes;
    } cases[] = {
        {0xfffffffffffffc00, true},  {0xfffffffffffffbfc, false}, {0xfffffffffffffffc, true},
        {0x00000000fffffc00, true},  {0x00000000fffffbfc, false}, {0x00000000fffffffc, true},
        {0x00000001fffffc00, false}, {0xfffffffefffffffc, false}, {0x7ffffffffffffffc, false},
        {0x8000000000000000, false}, {0x00000000fffff800, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool passes = harness_launch(&h, "k", 1, LANES, 0, (const void *[]){&cases[i].offset});
        if (passes != cases[i].passes)
            fail_msg("0x%llx: %s", (unsigned long long)cases[i].offset, passes ? "no fault" : h.fault.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(local_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(local_stores, setup, teardown),
        cmocka_unit_test_setup_teardown(shared_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(no_shared_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(upper_halves, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
