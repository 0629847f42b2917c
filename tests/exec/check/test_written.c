/* Unwritten bytes: for each pair of a store and a read, for several lanes, and after they were written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/check/findings.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
#define KERNEL(name, body)                                                                                   \
    ".visible .entry " name "(.param .u64 p, .param .u64 q) {\n"                                             \
    ".reg .b32 r<9>, t; .reg .b64 d<9>; .reg .pred a, c; .shared .align 16 .b8 s[256];\n"                    \
    "ld.param.u64 d1, [p]; ld.param.u64 d2, [q]; mov.u32 t, %tid.x; mov.u32 r8, s;\n" body "ret;\n}\n"

static struct findings f;

static void launch(const char *kernel, unsigned threads, uint64_t p, uint64_t q) {
    findings_clear(&f);
    if (!harness_launch(&f.h, kernel, 1, threads, 0, (const void *[]){&p, &q}))
        fail_msg("%s", f.h.fault.text);
}

static void found(uint64_t address, const char *text) {
    assert_int_equal(f.count, 1);
    assert_int_equal(f.list[0].kind, SIM_FINDING_UNINITIALIZED);
    assert_true(f.list[0].address == address);
    assert_memory_equal(f.list[0].text, text, strlen(text));
}

/* ---------------------------------------------------------------- each pair of accesses */

/* The unwritten bytes on each side of the window are more than any padding. */
enum { MOST = 5, WINDOW = 16, AROUND = 32, BYTES = 2 * AROUND + WINDOW };

/* Kernels 10 i + k: a thread stores 2^i bytes and reads 2^k, or, if k is 5 or 6, adds to 2^(k - 3) of
 * them. */
static void load_pairs(const char *space) {
    static const char *const types[] = {"b8", "b16", "b32", "b64", "v2.b64"};
    char text[32768];
    size_t at = (size_t)snprintf(text, sizeof text, HEAD);
    for (unsigned i = 0; i < MOST; i++)
        for (unsigned k = 0; k < MOST + (*space == 'l' ? 0 : 2); k++) {
            at += (size_t)snprintf(
                text + at, sizeof text - at,
                ".visible .entry k%u(.param .u64 p, .param .u64 q) {\n"
                ".reg .b64 d<9>; .shared .align 16 .b8 s[%u]; .local .align 16 .b8 x[%u]; mov.u64 d0, %s;\n"
                "ld.param.u64 d1, [p]; ld.param.u64 d2, [q]; add.u64 d1, d1, d0; add.u64 d2, d2, d0;\n"
                "st.%s.%s [d1], %s;\n",
                10 * i + k, BYTES, BYTES,
                *space == 's'   ? "s"
                : *space == 'l' ? "x"
                                : "0",
                space, types[i], i == 4 ? "{d1, d2}" : "d1");
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   k == 4   ? "ld.%s.v2.b64 {d3, d4}, [d2];\nret;\n}\n"
                                   : k < 4  ? "ld.%s.%s d3, [d2];\nret;\n}\n"
                                   : k == 5 ? "red.%s.add.u32 [d2], 1;\nret;\n}\n"
                                            : "red.%s.add.u64 [d2], 1;\nret;\n}\n",
                                   space, types[k % MOST]);
        }
    findings_load(&f, text);
}

/* The first byte that must not be read, as an offset in the read; -1: none. */
static int misread(bool global, unsigned at1, unsigned bytes1, unsigned at2, unsigned bytes2) {
    const unsigned element = bytes2 < 8 ? bytes2 : 8;
    for (unsigned e = 0; e < bytes2; e += element) {
        unsigned missing = 0, first = 0;
        for (unsigned i = e; i < e + element; i++)
            if (at2 + i - at1 >= bytes1)
                first = missing++ ? first : i;
        if (missing == element || (missing && global))
            return (int)first;
    }
    return -1;
}

static void check_pair(const char *space, uint64_t base, unsigned i, unsigned k, unsigned at1, unsigned at2) {
    const bool global = *space == 'g';
    const unsigned bytes1 = 1u << i, bytes2 = k < MOST ? 1u << k : k == MOST ? 4 : 8;
    char kernel[8], text[200];
    findings_watch(&f, SIM_CHECK_INIT);
    snprintf(kernel, sizeof kernel, "k%u", 10 * i + k);
    launch(kernel, 1, base + at1, base + at2);
    const int first = misread(global, at1, bytes1, at2, bytes2);
    if (first < 0) {
        assert_int_equal(f.count, 0);
        return;
    }
    const unsigned long long address = base + at2 + (unsigned)first;
    const char *how = k < MOST ? "load" : "reduction";
    if (!global)
        snprintf(text, sizeof text, "%u-byte %s %s at offset 0x", bytes2 < 8 ? bytes2 : 8, space, how);
    else if (first)
        snprintf(text, sizeof text, "%u-byte global %s at 0x%llx reads what nobody wrote at 0x%llx: byte ",
                 bytes2, how, address - (unsigned)first, address);
    else
        snprintf(text, sizeof text, "%u-byte global %s at 0x%llx reads what nobody wrote: byte ", bytes2, how,
                 address);
    found(*space == 'l' ? f.list[0].address : address, text);
    if (*space == 'l')
        assert_int_equal(f.list[0].address % 16, address % 16);
}

static void pairs_of_accesses(void **state) {
    (void)state;
    static const char *const spaces[] = {"shared", "local", "global"};
    for (unsigned s = 0; s < 3; s++) {
        load_pairs(spaces[s]);
        const uint64_t base = AROUND + (s == 2 ? (uintptr_t)harness_buffer(&f.h, BYTES) : 0);
        for (unsigned i = 0; i < MOST; i++)
            for (unsigned k = 0; k < MOST + (s == 1 ? 0 : 2); k++) {
                const unsigned bytes2 = k < MOST ? 1u << k : k == MOST ? 4 : 8;
                for (unsigned at1 = 0; at1 < WINDOW; at1 += 1u << i)
                    for (unsigned at2 = 0; at2 < WINDOW; at2 += bytes2)
                        check_pair(spaces[s], base, i, k, at1, at2);
            }
    }
}

/* ---------------------------------------------------------------- several lanes, several times */

static void several_lanes(void **state) {
    (void)state;
    findings_load(
        &f,
        HEAD KERNEL("one_byte", "st.global.u16 [d1], 1; st.global.u8 [d1+2], 1; ld.global.u32 r1, [d1];\n")
            KERNEL("atomics", "setp.eq.u32 a, t, 0; mad.lo.u32 r1, t, 4, r8; @a st.shared.u32 [r1], 0;\n"
                              "red.shared.add.u32 [r1], 1;\n")
                KERNEL("twice", "mov.u32 r1, 0;\nL: ld.shared.u32 r2, [s]; add.u32 r1, r1, 1;\n"
                                "setp.lt.u32 a, r1, 3; @a bra L;\n")
                    KERNEL("moves", "mov.u32 r1, 0; mad.lo.u32 r3, t, 4, r8; st.shared.u32 [r3], 0;\n"
                                    "L: ld.shared.u32 r2, [r3]; add.u32 r1, r1, 1; setp.eq.u32 a, r1, 2;\n"
                                    "@a add.u32 r3, r3, 128; setp.lt.u32 a, r1, 3; @a bra L;\n"));
    findings_watch(&f, SIM_CHECK_INIT);
    const uint64_t buffer = (uintptr_t)harness_buffer(&f.h, 64);
    char text[100];
    launch("one_byte", 1, buffer, 0);
    snprintf(text, sizeof text, "4-byte global load at 0x%llx reads what nobody wrote at 0x%llx: byte 3 of ",
             (unsigned long long)buffer, (unsigned long long)buffer + 3);
    found(buffer + 3, text);
    launch("atomics", 2, 0, 0);
    found(4, "4-byte shared reduction at offset 0x4 reads what nobody wrote");
    assert_int_equal(f.list[0].at.thread[0], 1);
    launch("twice", 1, 0, 0);
    found(0, "4-byte shared load at offset 0x0 reads what nobody wrote");
    assert_int_equal(f.list[0].count, 3);
    launch("moves", 32, 0, 0);
    found(128, "4-byte shared load at offset 0x80 reads what nobody wrote");
}

/* A warp reads two allocations, one of them completely written: in packed memory they are adjacent. */
static void two_allocations(void **state) {
    (void)state;
    findings_load(&f,
                  HEAD KERNEL("k", "setp.eq.u32 a, t, 1; selp.b64 d3, d2, d1, a; ld.global.u8 r1, [d3];\n"));
    for (unsigned far = 0; far < 512; far += 511)
        for (int higher = 0; higher < 2; higher++) {
            findings_watch(&f, SIM_CHECK_INIT);
            uint64_t two[2] = {(uintptr_t)harness_buffer(&f.h, 512), (uintptr_t)harness_buffer(&f.h, 512)};
            const uint64_t written = two[higher == (two[0] < two[1])],
                           other = two[higher != (two[0] < two[1])];
            assert_true(higher == (written > other));
            sim_check_written(f.h.check, written, 512);
            launch("k", 32, written, written + 511);
            assert_int_equal(f.count, 0);
            launch("k", 32, written, other + far);
            assert_int_equal(f.count, 1);
            assert_int_equal(f.list[0].at.thread[0], 1);
            assert_true(f.list[0].address == other + far);
        }
}

static int open_packed(void **state) {
    (void)state;
    harness_start(&f.h);
    findings_watch(&f, SIM_CHECK_INIT);
    return sim_memory_pack(f.h.memory) ? 0 : -1;
}

static int close_all(void **state) {
    (void)state;
    findings_close(&f);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_accesses),
        cmocka_unit_test(several_lanes),
        cmocka_unit_test(two_allocations),
    };
    return cmocka_run_group_tests(tests, open_packed, close_all);
}
