#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/gate.h"

static void test_good(void **state) {
    (void)state;
    static const struct {
        const char *text, *metric;
        enum prof_comparison comparison;
        double bound;
    } cases[] = {
        {"gld_efficiency<80", "gld_efficiency", PROF_LESS, 80},
        {" gst_efficiency  <= 12.5 % ", "gst_efficiency", PROF_LESS_EQUAL, 12.5},
        {"shared_ld_bank_conflict>0", "shared_ld_bank_conflict", PROF_GREATER, 0},
        {"inst_executed>=1e6", "inst_executed", PROF_GREATER_EQUAL, 1e6},
        {"branch==3", "branch", PROF_EQUAL, 3},
        {"branch!=-3", "branch", PROF_UNEQUAL, -3},
        {"smsp__inst_executed.sum>5", "inst_executed", PROF_GREATER, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct prof_gate gate;
        struct base_error error;
        assert_true(prof_gate_parse(cases[i].text, &gate, &error));
        assert_string_equal(gate.metric->name, cases[i].metric);
        assert_int_equal(gate.comparison, cases[i].comparison);
        assert_true(gate.bound == cases[i].bound);
    }
}

static void test_bad(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "names no metric"},
        {"<80", "names no metric"},
        {"gld_efficiency", "no comparison"},
        {"gld_efficiency 80", "no comparison"},
        {"gld_efficiency=80", "no comparison"},
        {"gld_eficiency<80", "did you mean 'gld_efficiency'"},
        {"gld_efficiency<", "no number"},
        {"gld_efficiency<nan", "no number"},
        {"gld_efficiency<0x10", "no number"},
        {"gld_efficiency<1e999", "no number"},
        {"gld_efficiency<80%%", "left over"},
        {"inst_executed<80%", "left over"},
        {"gld_efficiency<80,gst_efficiency<80", "left over"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct prof_gate gate;
        struct base_error error = {0};
        assert_false(prof_gate_parse(cases[i].text, &gate, &error));
        assert_true(error.usage);
        if (!strstr(error.text, cases[i].says))
            fail_msg("'%s': %s", cases[i].text, error.text);
    }
}

static void test_judgement(void **state) {
    (void)state;
    /* Results for values below, at and above 2. */
    static const struct {
        enum prof_comparison comparison;
        bool fails[3];
    } cases[] = {
        {PROF_LESS, {true, false, false}},    {PROF_LESS_EQUAL, {true, true, false}},
        {PROF_GREATER, {false, false, true}}, {PROF_GREATER_EQUAL, {false, true, true}},
        {PROF_EQUAL, {false, true, false}},   {PROF_UNEQUAL, {true, false, true}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct prof_gate gate = {.comparison = cases[i].comparison, .bound = 2};
        for (int v = 0; v < 3; v++)
            assert_int_equal(prof_gate_fails(&gate, v + 1), cases[i].fails[v]);
        assert_false(prof_gate_fails(&gate, NAN));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_judgement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
