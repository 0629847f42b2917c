/* Linking texts: names that are private to each text remain distinct, in whatever form. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"

static void test_own_names(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD ".global .u32 s = 1;\n.global .u32 s$2 = 2;\n.visible .entry a() { .reg .u32 %r<2>; "
             "ld.global.u32 %r1, [s]; ld.global.u32 %r1, [s$2]; ret; }\n",
        HEAD ".global .u32 s = 3;\n.global .u32 s$1 = 4;\n.visible .entry b() { .reg .u32 %r<2>; "
             "ld.global.u32 %r1, [s]; ld.global.u32 %r1, [s$1]; ret; }\n",
        HEAD ".global .u32 s = 5;\n.global .u32 s$$12 = 6;\n",
    };
    struct ptx_text list[3];
    for (size_t i = 0; i < 3; i++)
        list[i] = (struct ptx_text){"text", texts[i], strlen(texts[i])};
    char *linked;
    size_t size;
    struct ptx_error error;
    assert_true(ptx_link(list, 3, &linked, &size, &error));
    struct ptx_module *module;
    if (!ptx_parse("linked", linked, size, &module, &error))
        fail_msg("%s", error.text);
    assert_int_equal(module->variable_count, 6);
    for (unsigned i = 0; i < 6; i++) {
        assert_non_null(module->variables[i]->init);
        assert_int_equal(*(const unsigned char *)module->variables[i]->init, i + 1);
    }
    /* Each entry reads its own text's variable. */
    for (unsigned f = 0; f < 2; f++)
        for (unsigned i = 0; i < 2; i++)
            assert_ptr_equal(module->functions[f]->instructions[i].operands[1].variable,
                             module->variables[2 * f + i]);
    ptx_module_free(module);
    free(linked);
}

/* The highest target; if sm_90 and sm_90a occur, sm_90a, which has more instructions, in any order. */
static void test_targets(void **state) {
    (void)state;
    static const struct {
        const char *targets[3], *linked;
    } cases[] = {
        {{"sm_90", "sm_90a", "sm_90"}, "sm_90a"},  {{"sm_90a", "sm_90", "sm_80"}, "sm_90a"},
        {{"sm_90", "sm_90", "sm_90a"}, "sm_90a"},  {{"sm_90", "sm_80", "sm_86"}, "sm_90"},
        {{"sm_90a", "sm_100", "sm_90"}, "sm_100"}, {{"sm_75", "sm_75", "sm_75"}, "sm_75"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char texts[3][200];
        struct ptx_text list[3];
        for (int t = 0; t < 3; t++) {
            snprintf(texts[t], sizeof texts[t],
                     ".version 8.4\n.target %s\n.address_size 64\n.visible .entry k%d() { ret; }\n",
                     cases[i].targets[t], t);
            list[t] = (struct ptx_text){"text", texts[t], strlen(texts[t])};
        }
        char *linked;
        size_t size;
        struct ptx_error error;
        struct ptx_module *module;
        assert_true(ptx_link(list, 3, &linked, &size, &error));
        assert_true(ptx_parse("linked", linked, size, &module, &error));
        assert_string_equal(module->target, cases[i].linked);
        ptx_module_free(module);
        free(linked);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_own_names), cmocka_unit_test(test_targets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
