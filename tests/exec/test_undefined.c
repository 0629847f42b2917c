/* Undefined functions: the messages for those from the toolkit's device runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static void test_reasons(void **state) {
    (void)state;
    static const struct {
        const char *name, *why;
    } cases[] = {
        {"other", ""},
        {"cudaLaunchDeviceV2", ": a kernel that launches kernels (dynamic parallelism) is not supported"},
        {"__cudaCDP2GetParameterBufferV2",
         ": a kernel that launches kernels (dynamic parallelism) is not supported"},
        {"__cuda_syscall_cnpv2GetLastError",
         ": a kernel that launches kernels (dynamic parallelism) is not supported"},
        {"cudaGraphSetConditional", ": conditional nodes of graphs are not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512], expected[256];
        struct ptx_error error;
        struct sim_module *module;
        struct sim_memory *memory = sim_memory_create(1 << 20);
        assert_non_null(memory);
        snprintf(text, sizeof text,
                 ".version 7.0\n.target sm_75\n.address_size 64\n.extern .func %s();\n"
                 ".visible .entry run() { call %s, (); ret; }\n",
                 cases[i].name, cases[i].name);
        snprintf(expected, sizeof expected, "function '%s' is declared but not defined in this module%s",
                 cases[i].name, cases[i].why);
        assert_false(sim_module_load(memory, "undefined", text, strlen(text), &module, &error));
        assert_string_equal(error.message, expected);
        sim_memory_destroy(memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reasons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
