/* The place in a finding: its line, the shared memory near it, and the last byte without a finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/check/findings.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* Line 5 has the declarations, and line 6 loads the parameters into rd1 and rd2. */
#define KERNEL(name, body)                                                                                   \
    ".visible .entry " name "(.param .u64 p, .param .u64 q) {\n"                                             \
    ".reg .b16 h<3>; .reg .b32 r<9>; .reg .b64 rd<9>; .reg .pred p<3>;\n"                                    \
    "ld.param.u64 rd1, [p]; ld.param.u64 rd2, [q]; mov.u32 r1, 1;\n" body "}\n"

static struct findings f;

static bool launch(const char *kernel, unsigned threads, size_t shared, uint64_t p, uint64_t q) {
    findings_clear(&f);
    return harness_launch(&f.h, kernel, 1, threads, shared, (const void *[]){&p, &q});
}

/* ---------------------------------------------------------------- lines */

/* The place is the PTX text's line if there is no source, or if the text does not name its file. */
static void source_lines(void **state) {
    (void)state;
    static const struct {
        const char *loc, *place;
    } cases[] = {{"", "PTX line 7"},
                 {".loc 1 40 1", "a.cu:40"},
                 {".loc 2 50 1", "b.cu:50"},
                 {".loc 3 50 1", "PTX line 7"},
                 {".loc 99 50 1", "PTX line 7"},
                 {".loc 0 50 1", "PTX line 7"},
                 {".loc 1 0 1", "PTX line 7"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned checked = 0; checked < 2; checked++) {
            char text[2048], expected[512], line[1024];
            snprintf(text, sizeof text,
                     HEAD KERNEL("k", "%s st.global.u32 [rd1], r1;\n") ".file 1 \"a.cu\"\n.file 2 \"b.cu\"\n",
                     cases[i].loc);
            findings_load(&f, text);
            findings_watch(&f, checked ? SIM_CHECK_MEMORY : SIM_CHECK_INIT);
            /* The very last instruction. */
            assert_int_equal(launch("k", 40, 0, 64, 0), checked);
            assert_int_equal(f.count, checked);
            if (checked) {
                sim_finding_describe(&f.list[0], line, sizeof line);
                const char *colon = strchr(cases[i].place, ':');
                snprintf(
                    expected, sizeof expected,
                    "out-of-bounds: kernel k, %s%s, block (0,0,0), thread (0,0,0): 4-byte global store at "
                    "0x40 is out of bounds: ",
                    colon ? cases[i].place : "PTX line:7", "");
                assert_memory_equal(line, expected, strlen(expected));
                assert_int_equal(f.list[0].at.ptx_line, 7);
                continue;
            }
            snprintf(expected, sizeof expected,
                     "kernel k, %s, block (0,0,0), thread (0,0,0): ", cases[i].place);
            assert_memory_equal(f.h.fault.text, expected, strlen(expected));
        }
}

/* A fault in a called function names the function and the kernel. */
static void line_in_a_function(void **state) {
    (void)state;
    findings_load(&f, HEAD ".func far(.param .u64 x) {\n.reg .b64 x0;\nld.param.u64 x0, [x];\n"
                           "st.global.u8 [x0], 1;\nret;\n}\n" KERNEL(
                               "k", "{ .param .u64 a; st.param.u64 [a], rd1; call far, (a); }\nret;\n"));
    findings_watch(&f, SIM_CHECK_RACE);
    assert_false(launch("k", 1, 0, 64, 0));
    assert_non_null(strstr(f.h.fault.text, "kernel k, in far, PTX line 7, block (0,0,0), thread (0,0,0): "));
    findings_watch(&f, SIM_CHECK_MEMORY);
    assert_true(launch("k", 1, 0, 64, 0));
    assert_non_null(strstr(f.text, "kernel k, in far, PTX line:7, block (0,0,0), thread (0,0,0): 1-byte"));
}

/* ---------------------------------------------------------------- shared memory */

struct range {
    const char *name;
    unsigned begin, end;
};

static void say(const struct range ranges[3], unsigned address, unsigned bytes, char *text, size_t size) {
    const struct range *near = NULL;
    unsigned least = 0;
    bool after = false;
    for (int i = 0; i < 3; i++) {
        const struct range *r = &ranges[i];
        if (r->begin == r->end)
            continue;
        const unsigned away = address < r->begin  ? r->begin - address
                              : address >= r->end ? address - r->end + 1
                                                  : 0;
        if (near && away >= least)
            continue;
        near = r;
        least = away;
        after = address >= r->begin;
    }
    int at = snprintf(text, size, "%u-byte shared load at offset 0x%x is out of bounds: ", bytes, address);
    text += at;
    size -= (size_t)at;
    if (!near)
        snprintf(text, size, "the block has no shared memory");
    else if (!least)
        snprintf(text, size, "it crosses the end of %s shared memory (%u bytes)", near->name,
                 near->end - near->begin);
    else
        snprintf(text, size, "%u byte%s %s %s shared memory (%u bytes)", least, least == 1 ? "" : "s",
                 after ? "after" : "before", near->name, near->end - near->begin);
}

/* Every address next to the three parts of shared memory is described by the nearest part. */
static void beside_shared_memory(void **state) {
    (void)state;
    static const unsigned sizes[][3] = {{127, 61, 40}, {61, 0, 24}, {0, 30, 0}, {0, 0, 0},  {0, 0, 4},
                                        {3, 1021, 3},  {4, 0, 0},   {12, 9, 0}, {1, 1, 600}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const unsigned *size = sizes[i], own = (size[0] + 127) / 128 * 128;
        const struct range ranges[3] = {
            {"the module's static", 0, size[0]},
            {"the kernel's static", own, own + size[1]},
            {"the dynamic", (own + size[1] + 1023) / 1024 * 1024,
             (own + size[1] + 1023) / 1024 * 1024 + size[2]},
        };
        char text[4096], first[256] = "", second[256] = "";
        if (size[0])
            snprintf(
                first, sizeof first,
                ".shared .b8 m[%u];\n.func touch() { .reg .b32 x; ld.volatile.shared.u8 x, [m]; ret; }\n",
                size[0]);
        if (size[1])
            snprintf(second, sizeof second, ".shared .b8 s[%u]; mov.u32 r8, s;\n", size[1]);
        snprintf(text, sizeof text,
                 HEAD "%s" KERNEL("load1", "%s%s cvt.u32.u64 r2, rd1; ld.shared.u8 r3, [r2]; ret;\n")
                     KERNEL("load8", "%s%s cvt.u32.u64 r2, rd1; ld.shared.u64 rd3, [r2]; ret;\n"),
                 first, second, size[0] ? "mov.u32 r7, m;" : "", second, size[0] ? "mov.u32 r7, m;" : "");
        findings_load(&f, text);
        findings_watch(&f, SIM_CHECK_MEMORY);
        for (unsigned bytes = 1; bytes <= 8; bytes += 7)
            for (unsigned address = 0; address < ranges[2].end + 64; address += bytes) {
                bool inside = false;
                for (int k = 0; k < 3; k++)
                    inside |= address >= ranges[k].begin && address + bytes <= ranges[k].end;
                assert_true(launch(bytes == 1 ? "load1" : "load8", 1, size[2], address, 0));
                assert_int_equal(f.count, !inside);
                if (inside)
                    continue;
                char expected[256];
                say(ranges, address, bytes, expected, sizeof expected);
                assert_string_equal(f.list[0].text, expected);
            }
    }
}

/* Without the memory check, accesses past shared memory are not checked. */
static void past_shared_memory_unchecked(void **state) {
    (void)state;
    findings_load(&f, HEAD KERNEL("k", ".shared .b8 s[100];\nmov.u32 r2, s; cvt.u32.u64 r3, rd1;\n"
                                       "add.u32 r2, r2, r3; ld.shared.u8 r3, [r2]; ret;\n"));
    for (unsigned at = 98; at < 106; at++) {
        findings_watch(&f, SIM_CHECK_INIT);
        assert_true(launch("k", 1, 0, at, 0));
        assert_int_equal(f.count, at < 100);
    }
}

/* ---------------------------------------------------------------- the last byte */

/* Lane 1 goes one byte too far; all others are in bounds. */
static void ends_of_local_memory(void **state) {
    (void)state;
    findings_load(&f, HEAD ".shared .align 16 .b8 many[8192];\n" KERNEL(
                          "k", ".local .align 8 .b8 x[32];\n"
                               "mov.u32 r1, %tid.x; mov.u32 r7, many; mov.u64 rd3, x; cvt.u32.u64 r2, rd2;\n"
                               "setp.eq.u32 p1, r1, 1; setp.eq.u32 p2, r1, 0; mov.u32 r3, 0;\n"
                               "selp.u32 r3, r2, r3, p1; @p2 mov.u32 r3, 31;\n"
                               "cvt.u64.u32 rd4, r3; add.u64 rd3, rd3, rd4;\n"
                               "st.local.u8 [rd3], r1; ret;\n"));
    findings_watch(&f, SIM_CHECK_ALL);
    for (unsigned at = 0; at < 32; at++) {
        assert_true(launch("k", 32, 0, 0, at));
        assert_int_equal(f.count, 0);
    }
    const unsigned far[] = {32, 33, 47, 100, 511, 512, 1023, 1024, 2048, 4096, 8000};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        assert_true(launch("k", 32, 0, 0, far[i]));
        assert_int_equal(f.count, 1);
        assert_int_equal(f.list[0].count, 1);
        assert_int_equal(f.list[0].at.thread[0], 1);
        const char *text = strstr(f.list[0].text, "is out of bounds: a thread has ");
        assert_non_null(text);
        assert_string_equal(text, "is out of bounds: a thread has 32 bytes");
    }
}

/* An instruction that was within an allocation goes past its end, with all lanes or with one. */
static void past_what_was_within(void **state) {
    (void)state;
    findings_load(
        &f,
        HEAD KERNEL("all",
                    "mov.u32 r1, %tid.x; mov.u32 r2, 0;\nL: mul.lo.u64 rd3, rd2, 1; st.global.u8 [rd1], r2;\n"
                    "add.u64 rd1, rd1, rd3; add.u32 r2, r2, 1; setp.lt.u32 p1, r2, 2;\n"
                    "@p1 bra L; ret;\n")
            KERNEL("one", "mov.u32 r1, %tid.x; mov.u32 r2, 0; mov.u64 rd3, rd1; setp.eq.u32 p2, r1, 7;\n"
                          "L: st.global.u8 [rd3], r2; @p2 add.u64 rd3, rd1, rd2;\n"
                          "add.u32 r2, r2, 1; setp.lt.u32 p1, r2, 2; @p1 bra L; ret;\n"));
    findings_watch(&f, SIM_CHECK_MEMORY);
    const uint64_t size = 100, at = (uintptr_t)harness_buffer(&f.h, size);
    for (uint64_t beside = size - 2; beside < size + 600; beside++)
        for (int one = 0; one < 2; one++) {
            assert_true(launch(one ? "one" : "all", 32, 0, at, beside));
            assert_int_equal(f.count, beside >= size);
            if (!f.count)
                continue;
            assert_int_equal(f.list[0].count, one ? 1 : 32);
            assert_int_equal(f.list[0].at.thread[0], one ? 7 : 0);
            assert_true(f.list[0].address == at + beside);
        }
    unsigned char *bytes = (unsigned char *)(uintptr_t)at;
    assert_int_equal(bytes[0], 1); /* from the remaining lanes */
    assert_int_equal(bytes[98], 1);
}

static int close_all(void **state) {
    (void)state;
    findings_close(&f);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_lines),         cmocka_unit_test(line_in_a_function),
        cmocka_unit_test(beside_shared_memory), cmocka_unit_test(past_shared_memory_unchecked),
        cmocka_unit_test(ends_of_local_memory), cmocka_unit_test(past_what_was_within),
    };
    return cmocka_run_group_tests(tests, NULL, close_all);
}
