/* An operation's choice and its reason: wl_explain() and WIDELOAD_LOG.  Needs no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/choice.h"

static const struct wl__choice copied = {
    "wl_copy", "vector-shifted", "the sides differ by a byte", {{"bytes", 1 << 30}, {"shift", 1}}};
static const char copied_words[] =
    "wl_copy: bytes 1073741824, shift 1: vector-shifted: the sides differ by a byte";

static void *explain_in_a_thread(void *argument) {
    snprintf(argument, 16, "%s", wl_explain());
    return NULL;
}

/* The first test of all: this thread has chosen nothing yet. */
static void nothing_before_the_first(void **state) {
    (void)state;
    assert_string_equal(wl_explain(), "");
}

static void explains_the_threads_last(void **state) {
    (void)state;
    wl_context context = {.log = false};
    const struct wl__choice plain = {
        .operation = "wl_permute", .kernel = "copy", .why = "it is the identity"};
    wl__chose(&context, &copied);
    assert_string_equal(wl_explain(), copied_words);
    assert_string_equal(wl_explain(), copied_words);
    wl__chose(&context, &plain);
    assert_string_equal(wl_explain(), "wl_permute: copy: it is the identity");
    char elsewhere[16] = "unset";
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, explain_in_a_thread, elsewhere), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(elsewhere, "");
}

static void all_facts_and_large_ones(void **state) {
    (void)state;
    wl_context context = {.log = false};
    struct wl__choice choice = {.operation = "wl_x", .kernel = "k", .why = "w"};
    for (unsigned i = 0; i < WL_CHOICE_FACTS; i++)
        choice.facts[i] = (struct wl__fact){"n", UINT64_MAX};
    wl__chose(&context, &choice);
    char expected[512] = "wl_x: n 18446744073709551615";
    for (unsigned i = 1; i < WL_CHOICE_FACTS; i++)
        strcat(expected, ", n 18446744073709551615");
    strcat(expected, ": k: w");
    assert_string_equal(wl_explain(), expected);
}

/* Texts that are too long are truncated, and nothing is written past the end. */
static void long_texts(void **state) {
    (void)state;
    wl_context context = {.log = false};
    static char lengthy[2000];
    memset(lengthy, 'a', sizeof(lengthy) - 1);
    struct wl__choice choices[] = {
        {.operation = lengthy, .kernel = "k", .why = "w", .facts = {{"n", 1}}},
        {.operation = "wl_x", .kernel = lengthy, .why = "w", .facts = {{"n", 1}}},
        {.operation = "wl_x", .kernel = "k", .why = lengthy},
        {.operation = "wl_x", .kernel = "k", .why = "w", .facts = {{lengthy, 1}, {"n", 2}}},
    };
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        wl__chose(&context, &choices[i]);
        assert_int_equal(strlen(wl_explain()), 511);
    }
}

/* Returns what stderr receives when an operation with such a context chooses. */
static void logged(bool log, char *text, size_t size) {
    wl_context context = {.log = log};
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    wl__chose(&context, &copied);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void logs_where_it_is_asked(void **state) {
    (void)state;
    char text[512], expected[512];
    logged(false, text, sizeof(text));
    assert_string_equal(text, "");
    logged(true, text, sizeof(text));
    snprintf(expected, sizeof(expected), "wideload: %s\n", copied_words);
    assert_string_equal(text, expected);
}

/* The text from wl_explain() stays valid while the log composes its own. */
static void the_log_leaves_the_words(void **state) {
    (void)state;
    char text[512];
    wl_context context = {.log = false};
    wl__chose(&context, &(const struct wl__choice){.operation = "wl_a", .kernel = "k", .why = "w"});
    const char *words = wl_explain();
    logged(true, text, sizeof(text));
    assert_string_equal(words, "wl_a: k: w");
    assert_string_equal(wl_explain(), copied_words);
}

/* Choices of an operation's helpers are neither reported nor logged. */
static void held_choices(void **state) {
    (void)state;
    wl_context context = {.log = false};
    char text[512];
    const struct wl__choice outer = {
        .operation = "wl_permute", .kernel = "copy", .why = "it is the identity"};
    wl__choice_begin(&context, &outer);
    logged(true, text, sizeof(text));
    assert_string_equal(text, "");
    wl__choice_begin(&context, &copied);
    wl__choice_end();
    wl__chose(&context, &copied);
    wl__choice_end();
    assert_string_equal(wl_explain(), "wl_permute: copy: it is the identity");
    wl__chose(&context, &copied);
    assert_string_equal(wl_explain(), copied_words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_the_first),
        cmocka_unit_test(explains_the_threads_last),
        cmocka_unit_test(all_facts_and_large_ones),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(logs_where_it_is_asked),
        cmocka_unit_test(the_log_leaves_the_words),
        cmocka_unit_test(held_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
