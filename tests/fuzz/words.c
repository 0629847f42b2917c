/* Texts on command lines and in the environment.  The first byte selects the kind. */
#include <string.h>

#include "bench/parse.h"
#include "prof/demangle.h"
#include "prof/gate.h"
#include "prof/labels.h"
#include "sim/exec/check/check.h"
#include "tests/fuzz/fuzz.h"

enum { LARGEST = 500 };

/* A message must be one line. */
static void refused(const struct base_error *error) {
    FUZZ_CHECK(error->text[0] && strlen(error->text) < sizeof error->text);
}

static void parse_gate(const char *text) {
    struct prof_gate gate;
    struct base_error error;
    if (!prof_gate_parse(text, &gate, &error))
        refused(&error);
}

static void parse_metrics(const char *text) {
    struct prof_choices choices = {0};
    struct base_error error;
    if (!prof_choices_parse(text, &choices, &error))
        refused(&error);
    prof_choices_free(&choices);
}

static void parse_numbers(const char *text) {
    struct base_error error;
    uint64_t number;
    double seconds;
    if (!bench_parse_number("--fuzz", text, &number, &error))
        refused(&error);
    if (bench_parse_positive("--fuzz", text, &seconds, &error))
        FUZZ_CHECK(seconds > 0);
    else
        refused(&error);
}

static void parse_checks(const char *text) {
    unsigned checks;
    char bad[20];
    if (sim_check_parse(text, &checks, bad, sizeof bad))
        FUZZ_CHECK((checks & ~(unsigned)SIM_CHECK_ALL) == 0);
    else
        FUZZ_CHECK(strlen(bad) < sizeof bad);
}

static void shorten(const char *text) {
    char small[20], large[2000];
    prof_short_name(text, small, sizeof small);
    prof_short_name(text, large, sizeof large);
    FUZZ_CHECK(strncmp(small, large, strlen(small)) == 0);
    char *plain = prof_demangle(text);
    FUZZ_CHECK(plain);
    prof_short_name(plain, large, sizeof large);
    free(plain);
    /* The text, and its second half. */
    const char *names[] = {text, text + strlen(text) / 2};
    char labels[2][PROF_LABEL];
    FUZZ_CHECK(prof_labels_make(names, 2, labels) && strlen(labels[0]) < PROF_LABEL &&
               strlen(labels[1]) < PROF_LABEL);
    plain = prof_demangle_words(text, names[1]);
    FUZZ_CHECK(plain);
    free(plain);
}

static void find_rules(const char *text) {
    const struct count_rules *rules = count_rules_find(text);
    FUZZ_CHECK(!rules || *count_rules_name(rules));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const parsers[])(const char *) = {parse_gate,   parse_metrics, parse_numbers,
                                                    parse_checks, shorten,       find_rules};
    if (!size || size > LARGEST)
        return 0;
    char *text = malloc(size);
    FUZZ_CHECK(text);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    parsers[data[0] % (sizeof parsers / sizeof *parsers)](text);
    free(text);
    return 0;
}
