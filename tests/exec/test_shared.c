/* The layout of shared variables.  In relocatable code a kernel's own ones are at module scope, and each
 * kernel has only those that it and the functions that it calls name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

/* a and b together are more than a block can have. */
static const char text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".weak .shared .align 16 .b8 a[150000];\n"
    ".weak .shared .align 16 .b8 b[150000];\n"
    ".weak .shared .align 4 .b8 both[64];\n"
    ".weak .shared .align 4 .b8 called[32];\n"
    ".func store(.param .b32 value) { .reg .b32 %r<2>; ld.param.b32 %r0, [value]; st.shared.u32 [called], "
    "%r0; ret; }\n"
    ".visible .entry one(.param .u64 to) {\n"
    ".reg .b32 %r<4>; .reg .b64 %d<2>; .shared .align 4 .b8 own[16]; ld.param.u64 %d0, [to];\n"
    "st.shared.u32 [a+149996], 1; st.shared.u32 [both], 2; st.shared.u32 [own], 3;\n"
    "ld.shared.u32 %r0, [a+149996]; ld.shared.u32 %r1, [both]; ld.shared.u32 %r2, [own];\n"
    "st.global.u32 [%d0], %r0; st.global.u32 [%d0+4], %r1; st.global.u32 [%d0+8], %r2; ret; }\n"
    ".visible .entry two(.param .u64 to) {\n"
    ".reg .b32 %r<4>; .reg .b64 %d<2>; ld.param.u64 %d0, [to];\n"
    "{ .param .b32 p; st.param.b32 [p], 6; call store, (p); }\n"
    "mov.u32 %r3, b; st.shared.u32 [%r3+149996], 4; st.shared.u32 [both+60], 5;\n"
    "ld.shared.u32 %r0, [b+149996]; ld.shared.u32 %r1, [both+60]; ld.shared.u32 %r2, [called];\n"
    "st.global.u32 [%d0], %r0; st.global.u32 [%d0+4], %r1; st.global.u32 [%d0+8], %r2; ret; }\n";

static size_t shared_bytes(const struct harness *h, const char *kernel) {
    struct sim_function_info info;
    const struct sim_function *function = sim_module_function(h->module, kernel);
    assert_non_null(function);
    sim_function_info(function, &info);
    return info.shared_bytes;
}

static void test_kernels_apart(void **state) {
    (void)state;
    struct harness h = {.memory = sim_memory_create(1 << 20)};
    struct ptx_error error;
    assert_non_null(h.memory);
    if (!sim_module_load(h.memory, "shared", text, strlen(text), &h.module, &error))
        fail_msg("%s", error.text);
    uint32_t *to = harness_buffer(&h, 12);
    static const struct {
        const char *kernel;
        size_t at_least;
        uint32_t first;
    } cases[] = {{"one", 150000 + 64 + 16, 1}, {"two", 150000 + 64 + 32, 4}};
    for (size_t i = 0; i < 2; i++) {
        if (!harness_launch(&h, cases[i].kernel, 1, 1, 0, (const void *[]){&to}))
            fail_msg("%s", h.fault.text);
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(to[k], cases[i].first + k);
        /* The variables that they share may be preceded by padding for the other's alignment. */
        assert_in_range(shared_bytes(&h, cases[i].kernel), cases[i].at_least, cases[i].at_least + 256);
    }
    harness_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
