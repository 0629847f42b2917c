#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/demangle.h"
#include "prof/doubts.h"
#include "prof/metrics.h"
#include "prof/waste.h"

static double value(const char *name, const struct prof_sums *sums) {
    struct base_error error;
    const struct prof_metric *metric = prof_metric_find("test", name, strlen(name), &error);
    assert_non_null(metric);
    return metric->of(sums);
}

static void test_arithmetic(void **state) {
    (void)state;
    struct prof_sums s = {.c = {.global_load_requests = 10,
                                .gld_transactions = 50,
                                .gld_useful_bytes = 1280,
                                .gld_moved_bytes = 1600,
                                .inst_executed = 100,
                                .thread_inst_executed = 1600,
                                .shared_load_transactions = 8,
                                .shared_useful_bytes = 512},
                          .branches = 40,
                          .divergent = 10,
                          .shared_load_conflicts = 4};
    assert_true(value("gld_efficiency", &s) == 80);
    assert_true(value("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", &s) == 80);
    assert_true(value("gld_transactions_per_request", &s) == 5);
    assert_true(value("warp_execution_efficiency", &s) == 50);
    assert_true(value("smsp__thread_inst_executed_per_inst_executed.ratio", &s) == 16);
    assert_true(value("branch_efficiency", &s) == 75);
    assert_true(value("shared_efficiency", &s) == 50);
    assert_true(value("shared_ld_bank_conflict", &s) == 4);
    assert_true(isnan(value("gst_efficiency", &s)));
    assert_true(value("gst_transactions", &s) == 0);
}

static void test_names(void **state) {
    (void)state;
    /* Names are unique, so none hides another. */
    for (size_t i = 0; i < prof_metric_count; i++) {
        struct base_error error;
        const struct prof_metric *m = &prof_metrics[i];
        assert_ptr_equal(prof_metric_find("test", m->name, strlen(m->name), &error), m);
        if (m->ncu)
            assert_ptr_equal(prof_metric_find("test", m->ncu, strlen(m->ncu), &error), m);
        assert_true(strlen(m->meaning) > 0);
    }
    struct prof_choices choices = {0};
    struct base_error error;
    assert_true(prof_choices_parse("branch,smsp__inst_executed.sum", &choices, &error));
    assert_int_equal(choices.count, 2);
    assert_string_equal(prof_choice_name(&choices.items[0]), "branch");
    assert_string_equal(prof_choice_name(&choices.items[1]), "smsp__inst_executed.sum");
    prof_choices_free(&choices);
    static const char *const bad[] = {"", "branch,", ",branch", "branch,,branch", "brnch"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(prof_choices_parse(bad[i], &choices, &error));
        prof_choices_free(&choices);
    }
}

static void reason(const struct prof_line *line, double waste, const char *words) {
    char text[200];
    prof_line_reason(line, text, sizeof text);
    assert_string_equal(text, words);
    assert_true(prof_line_waste(line) == waste);
}

static void test_bulk(void **state) {
    (void)state;
    struct prof_sums s = {.c = {.bulk_load_requests = 2,
                                .bulk_load_transactions = 40,
                                .bulk_load_useful_bytes = 1024,
                                .global_store_requests = 8,
                                .gst_transactions = 32,
                                .gst_useful_bytes = 1024,
                                .gst_moved_bytes = 1024}};
    assert_true(isnan(value("gld_efficiency", &s)));
    assert_true(value("l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", &s) == 40);
    assert_true(value("smsp__sass_inst_executed_op_tma_ld.sum", &s) == 2);
    assert_true(value("bound_pct", &s) == 100.0 * 2048 / (32 * 72));
    s.c = (wl_counters){
        .bulk_store_requests = 1, .bulk_store_transactions = 40, .bulk_store_useful_bytes = 1024};
    struct prof_figures f = prof_figures_of(&s.c);
    assert_int_equal(f.requests, 1);
    assert_int_equal(f.transactions, 40);
    assert_true(f.transactions_per_request == 40 && f.efficiency == 80);
    struct prof_line line = {.op = "cp.async.bulk", .bytes = 16, .sums = s};
    reason(&line, 8, "misaligned bulk copies: 40 sectors a copy where 32 would do");
    assert_true(prof_line_transactions(&line) == 40);
}

static void test_reasons(void **state) {
    (void)state;
    struct prof_line line = {.op = "ld.global.f32", .bytes = 4, .has_stride = true, .stride = 4};
    wl_counters *c = &line.sums.c;
    *c = (wl_counters){
        .global_load_requests = 2, .gld_transactions = 8, .gld_useful_bytes = 256, .gld_moved_bytes = 256};
    reason(&line, 0, "");
    *c = (wl_counters){
        .global_load_requests = 2, .gld_transactions = 10, .gld_useful_bytes = 256, .gld_moved_bytes = 320};
    reason(&line, 2, "misaligned: a warp's 128 bytes in a row lie across 5 sectors where 4 would do");
    line.stride = -8;
    *c = (wl_counters){
        .global_load_requests = 2, .gld_transactions = 16, .gld_useful_bytes = 256, .gld_moved_bytes = 512};
    reason(&line, 8, "lanes 8 bytes apart: each 32-byte sector brings 16 useful bytes");
    line.has_stride = false;
    reason(&line, 8, "scattered: a request touches 8 sectors where 4 would do, each with 16 useful bytes");
    /* A broadcast transfers little, but could not cost less. */
    *c = (wl_counters){
        .global_load_requests = 2, .gld_transactions = 2, .gld_useful_bytes = 8, .gld_moved_bytes = 64};
    reason(&line, 0, "");
    *c = (wl_counters){.shared_load_requests = 2, .shared_load_transactions = 64, .shared_useful_bytes = 256};
    reason(&line, 62, "bank conflicts: 32 wavefronts a request where 1 would do");
    /* 16 bytes per lane of a warp: from one place, from two, from 32 contiguous ones, and from 32 in one
     * column of banks. */
    static const struct {
        unsigned transactions, useful, waste;
        const char *words;
    } wide[] = {{2, 16, 0, ""},
                {4, 16, 0, ""},
                {2, 32, 0, ""},
                {4, 512, 0, ""},
                {32, 512, 28, "bank conflicts: 32 wavefronts a request where 4 would do"}};
    line.bytes = 16;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        *c = (wl_counters){.shared_load_requests = 1,
                           .shared_load_transactions = wide[i].transactions,
                           .shared_useful_bytes = wide[i].useful,
                           .thread_inst_executed = 32};
        reason(&line, wide[i].waste, wide[i].words);
        prof_line_conflicts(&line);
        assert_int_equal(line.sums.shared_load_conflicts, wide[i].waste);
    }
    *c = (wl_counters){.shared_store_requests = 1,
                       .shared_store_transactions = 4,
                       .shared_useful_bytes = 64,
                       .thread_inst_executed = 32};
    reason(&line, 0, "");
    line.bytes = 8;
    *c = (wl_counters){.shared_load_requests = 1,
                       .shared_load_transactions = 2,
                       .shared_useful_bytes = 16,
                       .thread_inst_executed = 32};
    reason(&line, 1, "bank conflicts: 2 wavefronts a request where 1 would do");
    line.bytes = 4;
    *c = (wl_counters){.local_load_requests = 2, .local_load_transactions = 8};
    reason(&line, 8, "local memory: an array that is not in registers costs 4 sectors a request");
    *c = (wl_counters){
        .global_reduction_requests = 1, .global_reduction_transactions = 8, .thread_inst_executed = 32};
    reason(&line, 4,
           "atomics: lanes that name one word take turns: 8 sectors a request, where neighbouring words, one "
           "per "
           "lane, take 4");
}

static void test_short_names(void **state) {
    (void)state;
    static const struct {
        const char *mangled, *name;
    } cases[] = {
        {"_Z7stridedIfEvPT_PKS0_i", "strided<float>"},
        {"_Z7vectorsP6float4PKS_", "vectors"},
        {"plain_c_name", "plain_c_name"},
        {"_ZN5space5inner4copyEPi", "copy"},
        {"_ZN12_GLOBAL__N_14copyEPi", "copy"},
        {"_Z4copyB2v1B24cw51cXTLSUwv1sDUaKthqaNgPi", "copy[abi:v1]"}, /* the hash goes */
        {"_Zwhat", "_Zwhat"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = prof_demangle(cases[i].mangled), text[80];
        assert_non_null(name);
        prof_short_name(name, text, sizeof text);
        /* Without a C++ runtime, names stay mangled. */
        if (strncmp(name, "_Z", 2) != 0 || i > 5)
            assert_string_equal(text, cases[i].name);
        free(name);
    }
    char text[8];
    prof_short_name("a_long_name(int)", text, sizeof text);
    assert_string_equal(text, "a_long_");
}

/* Whether the metric is in doubt if a launch has this line and a second one that is not in doubt. */
static bool doubted(const char *doubt, struct prof_line line, const char *metric) {
    struct prof_line lines[] = {line, {.sums.c = {.global_store_requests = 5, .gst_transactions = 20}}};
    struct prof_sums sums = {0};
    struct prof_doubted out;
    lines[0].doubts = prof_doubt_bit(doubt);
    for (size_t i = 0; i < 2; i++)
        prof_sums_add(&sums, &lines[i].sums);
    prof_doubted_find(lines, 2, &sums, &out);
    const unsigned bits = prof_doubts_of(&out, &sums, prof_metric_named(metric));
    assert_true(bits == 0 || bits == prof_doubt_bit(doubt));
    return bits != 0;
}

static void test_doubts(void **state) {
    (void)state;
    const struct prof_line load = {.sums.c = {.global_load_requests = 2,
                                              .gld_transactions = 9,
                                              .gld_useful_bytes = 64,
                                              .gld_moved_bytes = 288}};
    const struct prof_line each = {
        .sums.c = {
            .global_load_requests = 2, .gld_transactions = 2, .gld_useful_bytes = 64, .gld_moved_bytes = 64}};
    const struct prof_line shared = {.sums = {.c = {.shared_load_requests = 2, .shared_load_transactions = 3},
                                              .shared_load_conflicts = 1}};
    const struct prof_line sum = {
        .sums.c = {.global_reduction_requests = 1, .global_reduction_transactions = 1}};
    /* Doubt about how often it runs affects everything computed from that. */
    assert_true(doubted("lanes", load, "global_load_requests"));
    assert_true(doubted("lanes", load, "gld_transactions"));
    assert_true(doubted("lanes", load, "gld_transactions_per_request"));
    assert_true(doubted("lanes", load, "gld_efficiency"));
    assert_false(doubted("lanes", load, "gst_transactions"));
    assert_false(doubted("lanes", load, "inst_executed"));
    assert_true(doubted("data", load, "global_load_requests"));
    /* Doubt about addresses: only its transactions, unless they depend on the number of requests. */
    assert_false(doubted("order", load, "global_load_requests"));
    assert_true(doubted("order", load, "gld_transactions"));
    assert_false(doubted("order", each, "gld_transactions"));
    assert_false(doubted("order", each, "gld_efficiency"));
    assert_true(doubted("pairs", shared, "shared_load_transactions"));
    assert_true(doubted("pairs", shared, "shared_ld_bank_conflict"));
    assert_false(doubted("pairs", shared, "shared_store_transactions"));
    assert_false(doubted("width", load, "gld_transactions"));
    /* A call affects the whole launch's instructions and the stack, and nothing else. */
    assert_true(doubted("calls", load, "gst_transactions"));
    assert_true(doubted("calls", load, "local_load_requests"));
    assert_false(doubted("calls", load, "shared_load_transactions"));
    assert_false(doubted("calls", load, "global_atomic_requests"));
    assert_true(doubted("calls", sum, "global_atomic_requests"));
    assert_true(doubted("heap", (struct prof_line){0}, "global_atomic_requests"));
    /* An unknown reason may be any of them. */
    assert_int_equal(prof_doubt_bit("newfangled"), prof_doubt_bit("unknown"));
    assert_true(doubted("newfangled", load, "global_load_requests"));
    char text[40];
    prof_doubts_text(prof_doubt_bit("lanes") | prof_doubt_bit("data"), text, sizeof text);
    assert_string_equal(text, "lanes data");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_bulk),        cmocka_unit_test(test_names),
        cmocka_unit_test(test_reasons),    cmocka_unit_test(test_short_names), cmocka_unit_test(test_doubts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
