/* Names of kernels in tables: short, and distinct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/demangle.h"
#include "prof/labels.h"

enum { MOST = 8 };

struct group {
    const char *names[MOST], *labels[MOST];
};

static const struct group groups[] = {
    {{"vectors(float4*)", "void strided<float>(float*, int)", "plain"},
     {"vectors", "strided<float>", "plain"}},
    {{"void a::f<a::b<c::d> >(int)"}, {"f<b<d>>"}},
    {{"void f<(anonymous namespace)::g, (bool)1>(int)"}, {"f<g, (bool)1>"}},
    /* Only the distinguishing argument is kept; others are left out. */
    {{"void f<int, float, 3>(int)", "void f<int, double, 3>(int)"}, {"f<float, ..>", "f<double, ..>"}},
    {{"void f<int, 1>()", "void f<int, 2>()", "void f<long, 1>()"}, {"f<int, 1>", "f<int, 2>", "f<long, 1>"}},
    /* Inside an argument, after it, and with several differences. */
    {{"void f<x::p<int, a>::q*, 7>()", "void f<x::p<int, b>::q*, 7>()"}, {"f<p<a>, ..>", "f<p<b>, ..>"}},
    {{"void f<x::p<int, a>, 7>()", "void f<x::p<int, b>, 7>()"}, {"f<p<a>, ..>", "f<p<b>, ..>"}},
    {{"void f<int>()", "void f<int*>()", "void f<int, 1>()"}, {"f<int>", "f<int*>", "f<int, 1>"}},
    /* Distinguished by their parameters, or by their scopes. */
    {{"f(int)", "f(a::b const*)"}, {"f(int)", "f(b const*)"}},
    {{"a::f(int)", "b::f(int)"}, {"a::f", "b::f"}},
    {{"void a::f<int>(int)", "void b::f<int>(int)"}, {"a::f<..>", "b::f<..>"}},
    {{"void x::_kernel_agent<x::ScanAgent<int*>, int*>(int*)",
      "void x::_kernel_agent<x::SortAgent<int*>, int*>(int*)"},
     {"ScanAgent<int*>", "SortAgent<int*>"}},
    {{"void scan<x::policy<int, float, double>::Inner, a::long_enough_a_name_to_be_left_out>()"},
     {"scan<..>"}},
    {{"", "<", "f<", "f<a", "(", "f<>()"}, {0}},
    {{"f<a, b>()"}, {"f<a, b>"}},
};

static void test_labels(void **state) {
    (void)state;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        char labels[MOST][PROF_LABEL], *names[MOST];
        size_t count = 0;
        /* Separate allocations, so that a sanitizer detects reads beyond them. */
        for (; count < MOST && groups[g].names[count]; count++)
            assert_non_null(names[count] = strdup(groups[g].names[count]));
        assert_true(prof_labels_make((const char *const *)names, count, labels));
        for (size_t i = 0; i < count; i++) {
            if (groups[g].labels[i])
                assert_string_equal(labels[i], groups[g].labels[i]);
            free(names[i]);
        }
    }
}

static void test_words(void **state) {
    (void)state;
    static const char *const known = "_Z1gIN1a1bEEvT_";
    static const struct {
        const char *words, *plain;
    } cases[] = {{"", ""},
                 {"no name at all", "no name at all"},
                 {"kernel _Z1fIiEvi, in _Z1gv: x", "kernel f<int>, in g: x"},
                 {"_Z1gv", "g"},
                 {"a_Z1gv _Zwhat _Z", "a_Z1gv _Zwhat _Z"},
                 {"kernel _Z1gIN1a.., _Z1hIN1a..", "kernel g<b>, _Z1hIN1a.."}};
    char *plain = prof_demangle("_Z1gv");
    bool there = plain && strcmp(plain, "g()") == 0; /* there is a C++ runtime */
    free(plain);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *words = prof_demangle_words(cases[i].words, known);
        assert_non_null(words);
        if (there)
            assert_string_equal(words, cases[i].plain);
        free(words);
    }
}

/* Longer than a label, with more arguments than are compared, deeper than is examined. */
static void test_large(void **state) {
    (void)state;
    static char texts[3][20000];
    for (int kind = 0; kind < 3; kind++) {
        const char *names[3] = {texts[0], texts[1], texts[2]};
        char labels[3][PROF_LABEL];
        for (int i = 0; i < 3; i++) {
            char *to = texts[i];
            to += sprintf(to, "void f<");
            for (int k = 0; k < 2000; k++)
                to += sprintf(to, kind == 0 ? "x" : kind == 1 ? "%d, " : "g<", k);
            to += sprintf(to, "%d", i);
            for (int k = 0; k < 2000 && kind == 2; k++)
                *to++ = '>';
            strcpy(to, ">(int)");
        }
        assert_true(prof_labels_make(names, 3, labels));
        for (int i = 0; i < 3; i++)
            assert_int_equal(strncmp(labels[i], "f<", 2), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_labels), cmocka_unit_test(test_words),
                                       cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
