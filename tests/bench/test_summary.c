/* The summary: the rows that it selects from handmade plans, and its text. */
#include "tests/bench/test.h"

#include <stdlib.h>
#include <string.h>

#include "bench/summary.h"
#include "tests/bench/runs.h"

static struct wl_rung rung(const char *name, enum wl_reference reference, const char *library) {
    return (struct wl_rung){.name = name, .reference = reference, .library = library};
}

static struct bench_row timed(const struct wl_rung *rung, double gbps) {
    return (struct bench_row){
        .rung = rung, .status = BENCH_VERIFIED, .bytes = 1 << 20, .has_time = true, .gbps = gbps};
}

static struct bench_row counted(const struct wl_rung *rung, uint64_t sectors, uint64_t shared,
                                uint64_t instructions) {
    return (struct bench_row){.rung = rung,
                              .status = BENCH_VERIFIED,
                              .bytes = 1 << 20,
                              .has_counters = true,
                              .counters = {.gld_transactions = sectors,
                                           .shared_load_transactions = shared,
                                           .inst_executed = instructions}};
}

/* Returns the experiment's line in a summary of one section, with single spaces between words. */
static char *line_of(const char *experiment, struct bench_row *rows, size_t count) {
    struct bench_section section = {
        .experiment = bench_find_experiment(experiment), .rows = rows, .row_count = count};
    struct bench_plan plan = {
        .sections = &section, .section_count = 1, .row_count = count, .simulator = !rows[0].has_time};
    for (size_t i = 0; i < count; i++)
        rows[i].experiment = section.experiment;
    char *text = written(bench_put_summary, &plan), *begin = text, *to = text;
    while (*begin && (strncmp(begin, experiment, strlen(experiment)) != 0 || begin[-1] != '\n'))
        begin++;
    for (char *from = begin; *from && *from != '\n'; from++)
        if (*from != ' ' || from[1] != ' ')
            *to++ = *from;
    *to = 0;
    return text;
}

#define says(experiment, rows, expected)                                                                     \
    do {                                                                                                     \
        char *line = line_of(experiment, rows, sizeof(rows) / sizeof *(rows));                               \
        assert_string_equal(line, expected);                                                                 \
        free(line);                                                                                          \
    } while (0)

static void rows_of_a_gpu(void **state) {
    (void)state;
    struct wl_rung copy = rung("copy-row", WL_REF_TRANSPOSE_COPY, NULL),
                   naive = rung("naive-row", WL_REF_TRANSPOSE, NULL),
                   pad = rung("shared-pad", WL_REF_TRANSPOSE, NULL),
                   more = rung("shared-pad-unroll", WL_REF_TRANSPOSE, NULL),
                   ours = rung("wideload", WL_REF_TRANSPOSE, NULL),
                   geam = rung("geam", WL_REF_TRANSPOSE, "cuBLAS"),
                   permute = rung("permute", WL_REF_TRANSPOSE, "cuTENSOR"),
                   memcpy = rung("memcpy", WL_REF_SAME_BYTES, "CUDA driver");
    struct bench_row rows[] = {timed(&copy, 2358),     timed(&naive, 1037), timed(&pad, 3532),
                               timed(&more, 3987),     timed(&ours, 4184),  timed(&geam, 3972),
                               timed(&permute, 999.5), timed(&memcpy, 4444)};
    says("transpose", rows, "transpose GB/s 1037 3987 shared-pad-unroll 4184 3972 geam a padded shared tile");
    /* Rows that are wrong, or were not run, have no figure. */
    rows[3].status = BENCH_FAILED;
    rows[4].status = BENCH_SKIPPED;
    rows[5].status = rows[6].status = BENCH_PENDING;
    says("transpose", rows, "transpose GB/s 1037 3532 shared-pad - a padded shared tile");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        rows[i].status = BENCH_FAILED;
    says("transpose", rows, "transpose - - - a padded shared tile");
}

static void operations(void **state) {
    (void)state;
    struct wl_rung naive = rung("naive", WL_REF_MATMUL, NULL), tile = rung("tile", WL_REF_MATMUL, NULL);
    struct bench_row rows[] = {timed(&naive, 1), timed(&tile, 1)};
    for (size_t i = 0; i < 2; i++) {
        rows[i].operations = 1000;
        rows[i].gops = i ? 30542 : 512.25;
    }
    says("matmul", rows, "matmul GOP/s 512.2 30542 tile - 8 x 8 outputs per thread");
}

static void the_worst_case(void **state) {
    (void)state;
    struct wl_rung plain = rung("plain", WL_REF_READ_OFFSET, NULL),
                   unroll = rung("unroll", WL_REF_READ_OFFSET, NULL);
    struct bench_row rows[] = {timed(&plain, 3233),  timed(&plain, 3173),  timed(&plain, 3220),
                               timed(&unroll, 9000), timed(&unroll, 4365), timed(&unroll, 9001)};
    static const uint64_t offsets[] = {0, 11, 128};
    for (size_t i = 0; i < 6; i++)
        rows[i].problem.offset = offsets[i % 3];
    says("read-offset", rows, "read-offset 11 GB/s 3173 4365 unroll - one more sector per warp");
    /* For strides it is the best of all. */
    struct wl_rung load = rung("load", WL_REF_STRIDE_LOAD, NULL),
                   store = rung("store", WL_REF_STRIDE_STORE, NULL);
    struct bench_row strides[] = {timed(&load, 2632), timed(&load, 427), timed(&store, 2656),
                                  timed(&store, 196)};
    for (size_t i = 0; i < 4; i++)
        strides[i].problem.stride = i % 2 ? 32 : 1;
    says("stride", strides, "stride 32 GB/s 427.0 2656 store by 1 - from 8 on, 7 of 8 bytes idle");
}

/* The first of sectors, wavefronts and instructions in which the ladder's ends differ. */
static void counters_of_the_simulator(void **state) {
    (void)state;
    struct wl_rung low = rung("low", WL_REF_COPY, NULL), high = rung("high", WL_REF_COPY, NULL),
                   ours = rung("wideload", WL_REF_COPY, NULL),
                   driver = rung("driver", WL_REF_COPY, "CUDA driver");
    struct bench_row traffic[] = {counted(&low, 81920, 0, 9), counted(&high, 32768, 4096, 9),
                                  counted(&ours, 32800, 0, 9), counted(&driver, 0, 0, 0)};
    says("copy", traffic, "copy sectors 80.0 32.0 high 32.0 wide loads, many in flight");
    struct bench_row shared[] = {counted(&low, 32768, 32768, 1), counted(&high, 32768, 1024, 9)};
    says("copy", shared, "copy shared 32.0 1.0 high - wide loads, many in flight");
    struct bench_row instructions[] = {counted(&low, 32768, 0, 1024000), counted(&high, 32769, 0, 1024)};
    says("copy", instructions, "copy inst 1000 1.0 high - wide loads, many in flight");
}

static void lessons_are_short(void **state) {
    (void)state;
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(experiments[i].lesson);
        assert_in_range(strlen(experiments[i].lesson), 10, 28);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_gpu),     cmocka_unit_test(operations),
        cmocka_unit_test(the_worst_case),    cmocka_unit_test(counters_of_the_simulator),
        cmocka_unit_test(lessons_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
