/* Texts that kernels print, in every space and to the last byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

#define HEAD                                                                                                 \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                                        \
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"                                \
    ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 "   \
    "e);\n"
/* %rd1 and %rd2 are the parameters; %rd3 is for the text's address. */
#define KERNEL(body)                                                                                         \
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"          \
         ".reg .pred %p<3>;\nld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];\n" body "\nret;\n}\n"
#define PRINT                                                                                                \
    "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd3; st.param.b64 [a], 0;\n"          \
    "call (r), vprintf, (f, a); }\n"

static struct harness h;
static struct {
    char text[4096];
    size_t size;
} out;

static void collect(void *argument, bool error, const char *text, size_t size) {
    (void)argument, (void)error;
    assert_true(out.size + size < sizeof out.text);
    memcpy(out.text + out.size, text, size);
    out.size += size;
    out.text[out.size] = '\0';
}

static int setup(void **state) {
    (void)state;
    harness_start(&h);
    h.with.print = collect;
    h.with.print_bytes = 1 << 20;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

static void load(const char *text) {
    harness_load(&h, "services.ptx", text, strlen(text));
}

static bool launched(unsigned blocks, uint64_t p, uint64_t q) {
    out.size = 0;
    out.text[0] = '\0';
    return harness_launch(&h, "k", blocks, 1, 0, (const void *[]){&p, &q});
}

static void prints(uint64_t p, uint64_t q, const char *wanted) {
    if (!launched(1, p, q))
        fail_msg("%s", h.fault.text);
    assert_string_equal(out.text, wanted);
}

static void faults(unsigned blocks, uint64_t p, uint64_t q) {
    assert_false(launched(blocks, p, q));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_non_null(strstr(h.fault.text, "is out of bounds"));
}

/* With the terminator as the last existing byte, and without a terminator. */
static void in_global_memory(void **state) {
    (void)state;
    load(KERNEL("mov.u64 %rd3, %rd1;\n" PRINT));
    static const size_t sizes[] = {2, 3, 63, 64, 65, 66, 127, 128, 129, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *text = harness_buffer(&h, sizes[i]), place[64];
        memset(text, 'x', sizes[i]);
        faults(1, (uintptr_t)text, 0);
        snprintf(place, sizeof place, "at 0x%llx ", (unsigned long long)(uintptr_t)text + sizes[i]);
        assert_non_null(strstr(h.fault.text, place));
        text[sizes[i] - 1] = '\0';
        prints((uintptr_t)text, 0, text);
        faults(1, (uintptr_t)text - 1, 0);
        faults(1, (uintptr_t)text + sizes[i], 0);
    }
    faults(1, 1, 0);
    faults(1, UINT64_C(3) << 56, 0); /* in the parameters */
    faults(1, UINT64_MAX, 0);
}

/* A function's arguments may be in shared memory too. */
static void in_shared_memory(void **state) {
    (void)state;
    load(KERNEL(".shared .align 1 .b8 s[5];\n"
                "mov.u32 %r1, 65; st.shared.u8 [s], %r1; st.shared.u8 [s+1], %r1; st.shared.u8 [s+2], %r1;\n"
                "st.shared.u8 [s+3], %r1; cvt.u32.u64 %r2, %rd2; st.shared.u8 [s+4], %r2;\n"
                "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; add.u64 %rd3, %rd3, %rd1;\n" PRINT));
    prints(0, 0, "AAAA");
    prints(3, 0, "A");
    faults(1, 0, 'B');
    faults(1, 4, 'B');
    faults(1, 5, 0);
    faults(1, UINT64_MAX, 0);
    /* Without a cluster there are no blocks to name. */
    faults(1, UINT64_C(1) << 24, 0);
    faults(1, UINT64_C(2) << 24, 0);
}

static void in_local_memory(void **state) {
    (void)state;
    load(KERNEL(".local .align 16 .b8 d[16];\n"
                "mov.u64 %rd4, 0x4141414141414141; st.local.u64 [d], %rd4; st.local.u64 [d+8], %rd2;\n"
                "mov.u64 %rd3, d; cvta.local.u64 %rd3, %rd3; add.u64 %rd3, %rd3, %rd1;\n" PRINT));
    prints(0, 0x0042424242424242, "AAAAAAAABBBBBBB");
    prints(15, 0x0042424242424242, "");
    prints(14, 0x0042424242424242, "B");
    faults(1, 0, 0x4242424242424242);
    faults(1, 15, 0x4242424242424242);
    faults(1, 16, 0);
    faults(1, UINT64_MAX, 0);
}

/* Other blocks of a cluster, if they exist. */
static void in_a_cluster(void **state) {
    (void)state;
    load(KERNEL(".shared .align 4 .b8 s[4];\n"
                "mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 0x00434241; st.shared.u32 [s], %r2;\n"
                "barrier.cluster.arrive; barrier.cluster.wait;\n"
                "mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; add.u64 %rd3, %rd3, %rd1;\n"
                "setp.ne.u32 %p1, %r1, 0; @%p1 bra E;\n" PRINT
                "E: barrier.cluster.arrive; barrier.cluster.wait;"));
    for (unsigned blocks = 2; blocks <= 16; blocks += blocks < 4 ? 1 : 4) {
        h.with.cluster[0] = blocks;
        h.with.cluster[1] = h.with.cluster[2] = 1;
        for (unsigned rank = 0; rank < blocks; rank++) {
            const char wanted[] = {(char)('A' + rank), 'B', 'C', '\0'};
            if (!launched(blocks, (uint64_t)rank << 24, 0))
                fail_msg("%s", h.fault.text);
            assert_string_equal(out.text, wanted);
            faults(blocks, ((uint64_t)rank << 24) + 4, 0);
        }
        /* An address that names no block belongs to the own block. */
        assert_true(launched(blocks, -(UINT64_C(1) << 24), 0));
        assert_string_equal(out.text, "ABC");
        faults(blocks, (uint64_t)blocks << 24, 0);
        faults(blocks, (uint64_t)(blocks + 1) << 24, 0);
        faults(blocks, UINT64_C(200) << 24, 0);
    }
}

/* The texts of a failed assertion: a line has room for 1023 bytes of each. */
static void assertions(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 1022, 1023, 1024, 1025, 1100};
    load(KERNEL(
        "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
        "st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 7; st.param.b64 [d], %rd1;\n"
        "st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); }\n"));
    char *file = harness_buffer(&h, 5);
    memcpy(file, "f.cu", 5);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char *text = harness_buffer(&h, lengths[i] + 1), wanted[4096];
        memset(text, 'x', lengths[i]);
        text[lengths[i]] = '\0';
        const int shown = lengths[i] < 1023 ? (int)lengths[i] : 1023;
        snprintf(wanted, sizeof wanted,
                 "f.cu:7: %.*s: block: [0,0,0], thread: [0,0,0] Assertion `%.*s` failed.\n", shown, text,
                 shown, text);
        assert_false(launched(1, (uintptr_t)text, (uintptr_t)file));
        assert_int_equal(h.fault.kind, SIM_FAULT_ASSERT);
        assert_string_equal(out.text, wanted);
        /* A text that ends with its memory, without a terminator. */
        text[lengths[i]] = 'x';
        const int all = lengths[i] + 1 < 1023 ? (int)lengths[i] + 1 : 1023;
        char *whole = wanted + 1500;
        snprintf(whole, sizeof wanted - 1500, "Assertion `%.*s` failed.\n", all, text);
        assert_false(launched(1, (uintptr_t)text, (uintptr_t)file));
        assert_non_null(strstr(out.text, whole));
    }
    assert_false(launched(1, 0, 0));
    assert_string_equal(out.text, ":7: : block: [0,0,0], thread: [0,0,0] Assertion `` failed.\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_global_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(in_shared_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(in_local_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(in_a_cluster, setup, teardown),
        cmocka_unit_test_setup_teardown(assertions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
