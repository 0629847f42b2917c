/* Errors that verification must find, and results that it must accept. */
#include "tests/bench/test.h"

#include <stdio.h>
#include <string.h>

#include "bench/verify.h"
#include "tests/bench/fake.h"

struct outcome {
    enum bench_verdict verdict, again; /* again: a second run of the same rung, not spoilt */
    bool counted;
    char text[400];
};

static const struct wl_rung *rung(const char *experiment, const char *name) {
    size_t count;
    const struct wl_rung *ladder = wl__ladder(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(ladder[i].experiment, experiment) == 0 && strcmp(ladder[i].name, name) == 0)
            return &ladder[i];
    fail_msg("no rung %s/%s", experiment, name);
    return NULL;
}

static const struct bench_matrix *uneven(void) {
    return bench_default_matrices()->items;
}

/* spoilt: members of the fake that say how. */
static struct outcome verify_with(const struct wl_rung *r, struct wl_problem problem,
                                  struct fake_state spoilt) {
    struct outcome outcome = {.text = ""};
    struct bench_needs needs = {0};
    struct bench_workspace workspace;
    struct base_error error;
    wl_context *context;
    wl_counters counters;
    memset(&fake, 0, sizeof fake);
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    if (problem.stride == 0)
        problem.stride = 1;
    problem.matrix = uneven();
    problem.nnz = strcmp(r->experiment, "csr-transpose")
                      ? 0
                      : bench_sparse_entries(uneven(), 9, problem.rows, problem.cols);
    bench_needs_add(&needs, NULL, r, &problem);
    assert_true(bench_workspace_open(&workspace, context, &needs, &problem, 9, &error));
    fake = spoilt;
    outcome.verdict =
        bench_verify(&workspace, r, &problem, &counters, &outcome.counted, outcome.text, sizeof outcome.text);
    if (outcome.counted)
        assert_int_equal(counters.launches, 1);
    fake.fault = FAKE_RIGHT;
    char text[400];
    bool counted;
    outcome.again = bench_verify(&workspace, r, &problem, &counters, &counted, text, sizeof text);
    bench_workspace_close(&workspace);
    wl_close(context);
    assert_int_equal(fake_allocations, 0);
    return outcome;
}

static struct outcome verify(const struct wl_rung *r, struct wl_problem problem, enum fake_fault fault) {
    return verify_with(r, problem, (struct fake_state){.fault = fault});
}

static void every_right_rung_passes(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 1, 31, 33, 1000};
    size_t count;
    const struct wl_rung *ladder = wl__ladder(&count);
    for (size_t i = 0; i < count && ladder[i].reference < WL_REF_COPY_BYTES; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (uint64_t step = 1; step < 2000; step *= 11) {
                uint64_t n = sizes[s];
                struct wl_problem problem = {.n = n,
                                             .rows = n,
                                             .cols = n / 2 + 1,
                                             .m = n / 4,
                                             .k = n / 3,
                                             .offset = step - 1,
                                             .stride = step};
                struct outcome outcome = verify(&ladder[i], problem, FAKE_RIGHT);
                assert_int_equal(outcome.verdict, BENCH_RIGHT);
                assert_true(outcome.counted);
            }
}

/* The library's operations: widths, shifts and fields that do not fill words. */
static void every_operation_passes(void **state) {
    (void)state;
    static const struct wl_structure structure = {"i8+f32x3+f64", 24, 3, {{0, 1}, {4, 12}, {16, 8}}};
    static const uint64_t sizes[] = {0, 1, 7, 33, 260};
    size_t count, found = 0;
    const struct wl_rung *ladder = wl__ladder(&count);
    for (size_t i = 0; i < count; i++) {
        /* Those of several devices: test_several.c. */
        if (ladder[i].reference < WL_REF_COPY_BYTES || ladder[i].open)
            continue;
        found++;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (uint32_t width = 1; width <= 16; width *= 2) {
                uint64_t n = sizes[s], shift = s % 3;
                struct wl_problem problem = {
                    .n = n, .width = width, .from_shift = shift, .to_shift = 2 * shift};
                const char *of = ladder[i].experiment;
                if (strncmp(of, "transpose", 9) == 0 || strcmp(of, "permute") == 0) {
                    problem.batch = strcmp(of, "transpose-any") == 0 ? 2 : 1;
                    problem.rows = problem.sizes[0] = n;
                    problem.cols = problem.sizes[1] = n / 2 + 1;
                    problem.n = problem.batch * problem.rows * problem.cols;
                    problem.rank = 2;
                    problem.order[0] = 1;
                } else if (strcmp(of, "add-any") == 0) {
                    problem.width = 2;
                    problem.type = width % 2 ? WL_TYPE_F16 : WL_TYPE_BF16;
                } else if (strcmp(of, "copy-any") == 0) {
                    problem.width = 1;
                } else if (width == 16) {
                    problem.structure = &structure;
                    problem.width = 0;
                } else {
                    problem.fields = 3;
                }
                struct outcome outcome = verify(&ladder[i], problem, FAKE_RIGHT);
                if (outcome.verdict != BENCH_RIGHT)
                    fail_msg("%s/%s: %s", of, ladder[i].name, outcome.text);
            }
    }
    assert_true(found >= 9);
}

/* Messages name the wrong element, in units of its own width. */
static void names_elements(void **state) {
    (void)state;
    struct wl_problem problem = {.n = 1000, .width = 1, .from_shift = 1};
    struct outcome outcome = verify(rung("copy-any", "wideload"), problem, FAKE_ONE_WRONG);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    assert_non_null(strstr(outcome.text, "out0[12]: got 0x"));
    outcome = verify(rung("copy-any", "wideload"), problem, FAKE_NEVER_WRITES);
    assert_non_null(strstr(outcome.text, "out0[0]: never written"));
    problem.n = 997; /* the last word has 3 bytes that must not be written */
    outcome = verify(rung("copy-any", "wideload"), problem, FAKE_TOUCHES_OTHERS);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    assert_non_null(strstr(outcome.text, "out0[999]: got 0x"));
    assert_non_null(strstr(outcome.text, "untouched"));
    problem = (struct wl_problem){.n = 40, .rows = 8, .cols = 5, .batch = 1, .width = 16};
    outcome = verify(rung("transpose-any", "wideload"), problem, FAKE_LAST_WRONG);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    assert_non_null(strstr(outcome.text, "out0[39]: got 0x"));
    outcome = verify(rung("transpose-any", "wideload"), problem, FAKE_INPUT_CHANGED);
    assert_non_null(strstr(outcome.text, "an input was changed"));
    /* In place, the output initially holds the matrix; leaving it unchanged is wrong too. */
    outcome = verify(rung("transpose-inplace", "wideload"), problem, FAKE_NEVER_WRITES);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    outcome = verify(rung("transpose-inplace", "wideload"), problem, FAKE_WORK_OVERRUN);
    assert_non_null(strstr(outcome.text, "work: byte 0 past its end"));
}

static void catches(const char *experiment, const char *name, enum fake_fault fault, const char *says) {
    struct wl_problem problem = {.n = 1000, .rows = 40, .cols = 25, .m = 20, .k = 30};
    struct outcome outcome = verify(rung(experiment, name), problem, fault);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    if (!strstr(outcome.text, says))
        fail_msg("'%s' does not say '%s'", outcome.text, says);
    /* A spoilt input is restored for the following rows. */
    assert_int_equal(outcome.again, BENCH_RIGHT);
}

static void catches_what_is_wrong(void **state) {
    (void)state;
    catches("copy", "scalar", FAKE_NEVER_WRITES, "out0[0]: never written");
    catches("copy", "scalar", FAKE_ONE_WRONG, "out0[3]: got 0x");
    catches("copy", "scalar", FAKE_LAST_WRONG, "out0[999]: got 0x");
    catches("add", "scalar", FAKE_ONE_WRONG, "out0[3]: got");
    catches("add", "scalar", FAKE_NAN, "out0[3]: got nan");
    catches("copy", "scalar", FAKE_PAST_END, "out0: byte 0 past its end");
    catches("copy", "scalar", FAKE_BEFORE_START, "out0: byte 1 before its start");
    catches("copy", "scalar", FAKE_COPIES_PAST_END, "out0: byte 0 past its end");
    catches("copy", "scalar", FAKE_INPUT_CHANGED, "in0[2]: got");
    catches("copy", "scalar", FAKE_INPUT_PAST_END, "in0: byte 0 past its end");
    catches("layout", "soa", FAKE_ONE_WRONG, "out1[3]: got");
    catches("transpose", "naive-row", FAKE_ONE_WRONG, "out0[3]: got");
    catches("matmul", "naive", FAKE_ONE_WRONG, "out0[3]: got");
    catches("matmul", "naive", FAKE_NEVER_WRITES, "out0[0]: never written");
}

/* Guards are checked up to their last byte. */
static void guards_to_their_ends(void **state) {
    (void)state;
    static const uint64_t distances[] = {0, 1, BENCH_GUARD_BYTES / 2, BENCH_GUARD_BYTES - 1};
    struct wl_problem problem = {.n = 1000};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        char says[80];
        struct outcome outcome =
            verify_with(rung("copy", "scalar"), problem,
                        (struct fake_state){.fault = FAKE_PAST_END, .distance = distances[i]});
        assert_int_equal(outcome.verdict, BENCH_WRONG);
        snprintf(says, sizeof says, "out0: byte %u past its end was overwritten", (unsigned)distances[i]);
        assert_string_equal(outcome.text, says);
        outcome = verify_with(rung("copy", "scalar"), problem,
                              (struct fake_state){.fault = FAKE_BEFORE_START, .distance = distances[i]});
        assert_int_equal(outcome.verdict, BENCH_WRONG);
        snprintf(says, sizeof says, "out0: byte %u before its start was overwritten",
                 (unsigned)distances[i] + 1);
        assert_string_equal(outcome.text, says);
    }
}

static void says(const char *experiment, const char *name, struct wl_problem problem, enum fake_fault fault,
                 const char *text) {
    struct outcome outcome = verify(rung(experiment, name), problem, fault);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    assert_string_equal(outcome.text, text);
}

/* Every array of a rung and its guards are compared; each is spoilt in turn. */
static void all_arrays(void **state) {
    (void)state;
    static const char *const rungs[][2] = {{"copy", "scalar"},         {"add", "scalar"},
                                           {"layout", "soa"},          {"matmul", "naive"},
                                           {"csr-transpose", "fast"},  {"csr-transpose", "triplet"},
                                           {"transpose", "naive-row"}, {"permute", "wideload"}};
    struct wl_problem problem = {.n = 1000,
                                 .rows = 40,
                                 .cols = 25,
                                 .m = 20,
                                 .k = 30,
                                 .width = 4,
                                 .rank = 2,
                                 .sizes = {40, 25},
                                 .order = {1, 0}};
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        const struct wl_rung *r = rung(rungs[i][0], rungs[i][1]);
        struct wl_problem sparse = problem;
        sparse.nnz = bench_sparse_entries(uneven(), 9, problem.rows, problem.cols);
        struct bench_extents extents = bench_extents_of(r->reference, &sparse);
        char says[40];
        for (unsigned k = 0, number = 0; k < BENCH_OUTPUTS; k++) {
            if (!(r->outputs >> k & 1))
                continue;
            struct fake_state spoilt = {.output = number++};
            spoilt.fault = FAKE_ONE_WRONG;
            assert_int_equal(verify_with(r, problem, spoilt).verdict, BENCH_WRONG);
            spoilt.fault = FAKE_PAST_END;
            snprintf(says, sizeof says, "out%u: byte 0 past its end", k);
            assert_non_null(strstr(verify_with(r, problem, spoilt).text, says));
            spoilt.fault = FAKE_BEFORE_START;
            snprintf(says, sizeof says, "out%u: byte 1 before its start", k);
            assert_non_null(strstr(verify_with(r, problem, spoilt).text, says));
        }
        for (unsigned k = 0, number = 0; k < BENCH_INPUTS; k++) {
            if (extents.in[k].kind == BENCH_KIND_NONE)
                continue;
            struct fake_state spoilt = {.input = number++, .fault = FAKE_INPUT_CHANGED};
            struct outcome outcome = verify_with(r, problem, spoilt);
            snprintf(says, sizeof says, "in%u[2]: got", k);
            assert_non_null(strstr(outcome.text, says));
            assert_non_null(strstr(outcome.text, "an input was changed"));
            assert_int_equal(outcome.again, BENCH_RIGHT);
            spoilt.fault = FAKE_INPUT_PAST_END;
            snprintf(says, sizeof says, "in%u: byte 0 past its end", k);
            assert_non_null(strstr(verify_with(r, problem, spoilt).text, says));
        }
    }
}

/* Words of each kind: bits, floats, indices. */
static void words_in_full(void **state) {
    (void)state;
    struct wl_problem problem = {.n = 100};
    char text[200];
    uint32_t in[2][4], changed;
    float sum, wrong;

    enum bench_kind kind = bench_extents_of(WL_REF_COPY, &problem).in[0].kind;
    assert_int_equal(kind, BENCH_KIND_BITS);
    bench_fill_input(kind, 9, 0, in[0], 4);
    snprintf(text, sizeof text, "out0[3]: got 0x%08x, expected 0x%08x", in[0][3] ^ 1, in[0][3]);
    says("copy", "scalar", problem, FAKE_ONE_WRONG, text);
    snprintf(text, sizeof text, "out0[0]: never written, expected 0x%08x", in[0][0]);
    says("copy", "scalar", problem, FAKE_NEVER_WRITES, text);
    snprintf(text, sizeof text, "in0[2]: got 0x%08x, expected 0x%08x: an input was changed", in[0][2] + 1,
             in[0][2]);
    says("copy", "scalar", problem, FAKE_INPUT_CHANGED, text);

    kind = bench_extents_of(WL_REF_ADD, &problem).in[0].kind;
    assert_int_equal(kind, BENCH_KIND_FLOAT);
    for (unsigned i = 0; i < 2; i++)
        bench_fill_input(kind, 9, i, in[i], 4);
    float terms[2];
    memcpy(&terms[0], &in[0][3], 4);
    memcpy(&terms[1], &in[1][3], 4);
    sum = terms[0] + terms[1];
    memcpy(&changed, &sum, 4);
    uint32_t right = changed;
    changed ^= 1;
    memcpy(&wrong, &changed, 4);
    snprintf(text, sizeof text, "out0[3]: got %.9g (0x%08x), expected %.9g (0x%08x)", (double)wrong, changed,
             (double)sum, right);
    says("add", "scalar", problem, FAKE_ONE_WRONG, text);

    problem = (struct wl_problem){.rows = 40, .cols = 25};
    struct outcome outcome = verify(rung("csr-transpose", "fast"), problem, FAKE_ONE_WRONG);
    unsigned got, expected;
    assert_int_equal(sscanf(outcome.text, "out0[3]: got %u, expected %u", &got, &expected), 2);
    assert_int_equal(got, expected ^ 1);
}

/* Stores an element as a number, with its last byte first. */
static void put_number(char *out, const unsigned char *bytes, unsigned width) {
    for (unsigned i = width; i-- > 0;)
        out += sprintf(out, "%02x", bytes[i]);
}

/* All bytes of elements of other widths: in a matrix of one row, whose transpose is itself. */
static void elements_in_full(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 16; width *= 2) {
        struct wl_problem problem = {.n = 8, .rows = 1, .cols = 8, .batch = 1, .width = width};
        struct bench_extent extent = bench_extents_of(WL_REF_TRANSPOSE_ANY, &problem).in[0];
        uint32_t in[32], changed[32];
        char text[200], got[40], expected[40];
        if (extent.elements <= 3)
            continue; /* it does not contain the spoilt words */
        bench_fill_input(extent.kind, 9, 0, in, extent.elements);
        memcpy(changed, in, sizeof in);
        unsigned at = 12 / width; /* word 3 */
        changed[3] ^= 1;
        put_number(got, (unsigned char *)changed + at * width, width);
        put_number(expected, (unsigned char *)in + at * width, width);
        snprintf(text, sizeof text, "out0[%u]: got 0x%s, expected 0x%s", at, got, expected);
        says("transpose-any", "wideload", problem, FAKE_ONE_WRONG, text);
        put_number(expected, (unsigned char *)in, width);
        snprintf(text, sizeof text, "out0[0]: never written, expected 0x%s", expected);
        says("transpose-any", "wideload", problem, FAKE_NEVER_WRITES, text);
        memcpy(changed, in, sizeof in);
        changed[2]++;
        at = 8 / width;
        while (memcmp((unsigned char *)in + at * width, (unsigned char *)changed + at * width, width) == 0)
            at++;
        put_number(got, (unsigned char *)changed + at * width, width);
        put_number(expected, (unsigned char *)in + at * width, width);
        snprintf(text, sizeof text, "in0[%u]: got 0x%s, expected 0x%s: an input was changed", at, got,
                 expected);
        says("transpose-any", "wideload", problem, FAKE_INPUT_CHANGED, text);
    }
}

/* Arrays that are compared in several pieces; the last one may be partial. */
static void beyond_a_chunk(void **state) {
    (void)state;
    static const uint64_t words[] = {BENCH_CHUNK_BYTES / 4, BENCH_CHUNK_BYTES / 4 + 1, BENCH_CHUNK_BYTES / 2,
                                     BENCH_CHUNK_BYTES / 2 + 4};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct wl_problem problem = {.n = words[i]};
        char text[40];
        struct outcome outcome = verify(rung("copy", "scalar"), problem, FAKE_LAST_WRONG);
        assert_int_equal(outcome.verdict, BENCH_WRONG);
        snprintf(text, sizeof text, "out0[%u]: got 0x", (unsigned)words[i] - 1);
        assert_ptr_equal(strstr(outcome.text, text), outcome.text);
        assert_int_equal(outcome.again, BENCH_RIGHT);
    }
    uint64_t elements = BENCH_CHUNK_BYTES / 16 + 3;
    struct wl_problem problem = {.n = elements, .rows = 1, .cols = elements, .batch = 1, .width = 16};
    struct outcome outcome = verify(rung("transpose-any", "wideload"), problem, FAKE_LAST_WRONG);
    char text[40];
    snprintf(text, sizeof text, "out0[%u]: got 0x", (unsigned)elements - 1);
    assert_ptr_equal(strstr(outcome.text, text), outcome.text);
}

static void catches_what_should_stay_untouched(void **state) {
    (void)state;
    struct wl_problem problem = {.n = 1000, .offset = 11, .stride = 3};
    struct outcome outcome = verify(rung("read-offset", "plain"), problem, FAKE_TOUCHES_OTHERS);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    assert_non_null(strstr(outcome.text, "out0[999]: got"));
    assert_non_null(strstr(outcome.text, "untouched"));
    outcome = verify(rung("stride", "load"), problem, FAKE_TOUCHES_OTHERS);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
}

static void sparse_results(void **state) {
    (void)state;
    static const char *const names[] = {"fast", "triplet"};
    struct wl_problem problem = {.rows = 40, .cols = 25};
    struct outcome outcome = verify(rung("csr-transpose", "fast"), problem, FAKE_SWAPS_ENTRIES);
    assert_int_equal(outcome.verdict, BENCH_RIGHT);
    outcome = verify(rung("csr-transpose", "fast"), problem, FAKE_MOVES_ENTRY);
    assert_int_equal(outcome.verdict, BENCH_WRONG);
    assert_non_null(strstr(outcome.text, "sorted by row"));
    for (unsigned i = 0; i < 2; i++) {
        outcome = verify(rung("csr-transpose", names[i]), problem, FAKE_ONE_WRONG);
        assert_int_equal(outcome.verdict, BENCH_WRONG);
        outcome = verify(rung("csr-transpose", names[i]), problem, FAKE_NEVER_WRITES);
        assert_int_equal(outcome.verdict, BENCH_WRONG);
        outcome = verify(rung("csr-transpose", names[i]), problem, FAKE_WORK_OVERRUN);
        assert_int_equal(outcome.verdict, BENCH_WRONG);
        assert_non_null(strstr(outcome.text, "work: byte 0 past its end"));
    }
    /* One column holds everything: long columns use another sort. */
    problem = (struct wl_problem){.rows = 4000, .cols = 1};
    outcome = verify(rung("csr-transpose", "fast"), problem, FAKE_RIGHT);
    assert_int_equal(outcome.verdict, BENCH_RIGHT);
}

/* The entries of a column may have any order; a wrong one is named by its index in the sorted column. */
static void sparse_entries(void **state) {
    (void)state;
    static const uint64_t shapes[][2] = {{40, 25}, {4000, 1}, {300, 3}, {3, 2000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct wl_problem problem = {.rows = shapes[i][0], .cols = shapes[i][1]};
        const struct wl_rung *r = rung("csr-transpose", "fast");
        assert_int_equal(verify(r, problem, FAKE_REVERSES_COLUMNS).verdict, BENCH_RIGHT);
        uint64_t entries = bench_sparse_entries(uneven(), 9, problem.rows, problem.cols);
        uint64_t tried = entries < 1000 ? entries : 50; /* including the first and the last one */
        for (uint64_t k = 0; k < tried; k++) {
            uint64_t e = (entries - 1) * k / (tried - 1);
            struct outcome outcome =
                verify_with(r, problem, (struct fake_state){.fault = FAKE_WRONG_ENTRIES, .distance = e});
            unsigned entry, row, expected_row, value, expected_value;
            int fields =
                sscanf(outcome.text,
                       "entry %u (each column sorted by row): got row %u value %x, expected row %u value %x",
                       &entry, &row, &value, &expected_row, &expected_value);
            if (fields != 5 || entry != e || row != expected_row || value != (expected_value ^ 1))
                fail_msg("entry %u: %s", (unsigned)e, outcome.text);
            assert_int_equal(outcome.verdict, BENCH_WRONG);
        }
    }
}

/* More entries than a chunk has, and almost as many. */
static void many_sparse_entries(void **state) {
    (void)state;
    const uint64_t chunk = BENCH_CHUNK_BYTES / 4;
    static const uint64_t rows[] = {150000, 118000};
    const struct wl_rung *r = rung("csr-transpose", "fast");
    for (unsigned i = 0; i < 2; i++) {
        struct wl_problem problem = {.rows = rows[i], .cols = 2000};
        uint64_t entries = bench_sparse_entries(uneven(), 9, problem.rows, problem.cols);
        assert_true(i == 0 ? entries > chunk : entries > chunk / 10 * 9 && entries < chunk);
        assert_int_equal(verify(r, problem, FAKE_RIGHT).verdict, BENCH_RIGHT);
        struct outcome outcome = verify_with(
            r, problem, (struct fake_state){.fault = FAKE_WRONG_ENTRIES, .distance = entries - 1});
        char says[40];
        snprintf(says, sizeof says, "entry %u (", (unsigned)entries - 1);
        assert_ptr_equal(strstr(outcome.text, says), outcome.text);
    }
}

static void device_failures(void **state) {
    (void)state;
    struct wl_problem problem = {.n = 1000};
    struct outcome outcome = verify(rung("copy", "scalar"), problem, FAKE_KERNEL_FAULT);
    assert_int_equal(outcome.verdict, BENCH_BROKEN);
    assert_non_null(strstr(outcome.text, "copy.cu:12: out of bounds by thread 0")); /* one line */
    assert_false(outcome.counted);
    outcome = verify(rung("copy", "scalar"), problem, FAKE_LAUNCH_REFUSED);
    assert_int_equal(outcome.verdict, BENCH_REFUSED);
    assert_non_null(strstr(outcome.text, "too many resources"));
    assert_int_equal(outcome.again, BENCH_RIGHT);
}

static void failures_beside_the_kernel(void **state) {
    (void)state;
    struct wl_problem problem = {.n = 1000, .rows = 40, .cols = 25, .batch = 1, .width = 4};
    struct outcome outcome = verify(rung("copy", "scalar"), problem, FAKE_LAUNCH_BREAKS);
    assert_int_equal(outcome.verdict, BENCH_BROKEN);
    outcome = verify(rung("transpose-inplace", "wideload"), problem, FAKE_PREPARE_FAILS);
    assert_int_equal(outcome.verdict, BENCH_BROKEN);
    assert_string_equal(outcome.text, "preparing the output: nothing was copied");
}

/* If any download fails, no result counts as right. */
static void failing_downloads(void **state) {
    (void)state;
    static const char *const rungs[][2] = {{"copy", "scalar"}, {"csr-transpose", "fast"}};
    for (unsigned i = 0; i < 2; i++) {
        struct wl_problem problem = {.n = 1000, .rows = 40, .cols = 25};
        struct fake_state spoilt = {.fault = FAKE_DOWNLOAD_FAILS};
        for (;; spoilt.distance++) {
            struct outcome outcome = verify_with(rung(rungs[i][0], rungs[i][1]), problem, spoilt);
            if (outcome.verdict == BENCH_RIGHT)
                break;
            assert_int_equal(outcome.verdict, BENCH_BROKEN);
            assert_string_equal(outcome.text, "download: the link is down");
        }
        assert_true(spoilt.distance > 5); /* arrays and their guards */
    }
}

/* Rows share the arrays of an experiment: verification leaves alone those that only others write. */
static void arrays_of_other_rungs(void **state) {
    (void)state;
    const struct wl_rung *rungs[] = {rung("layout", "aos"), rung("layout", "soa")};
    struct wl_problem problem = {.n = 1000, .stride = 1};
    struct bench_needs needs = {0};
    struct bench_workspace workspace;
    struct base_error error;
    wl_context *context;
    wl_counters counters;
    bool counted;
    char text[400];
    memset(&fake, 0, sizeof fake);
    assert_int_equal(wl_open(&context, "sim"), WL_ERROR_OK);
    for (unsigned i = 0; i < 2; i++)
        bench_needs_add(&needs, NULL, rungs[i], &problem);
    assert_true(bench_workspace_open(&workspace, context, &needs, &problem, 9, &error));
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bench_verify(&workspace, rungs[i], &problem, &counters, &counted, text, sizeof text),
                         BENCH_RIGHT);
        assert_true(counted);
    }
    /* Counters are returned on request, from a device that has them. */
    assert_int_equal(bench_verify(&workspace, rungs[0], &problem, NULL, &counted, text, sizeof text),
                     BENCH_RIGHT);
    assert_false(counted);
    fake.gpu = true;
    assert_int_equal(bench_verify(&workspace, rungs[0], &problem, &counters, &counted, text, sizeof text),
                     BENCH_RIGHT);
    assert_false(counted);
    bench_workspace_close(&workspace);
    wl_close(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_right_rung_passes),
        cmocka_unit_test(every_operation_passes),
        cmocka_unit_test(names_elements),
        cmocka_unit_test(catches_what_is_wrong),
        cmocka_unit_test(guards_to_their_ends),
        cmocka_unit_test(all_arrays),
        cmocka_unit_test(failures_beside_the_kernel),
        cmocka_unit_test(arrays_of_other_rungs),
        cmocka_unit_test(failing_downloads),
        cmocka_unit_test(words_in_full),
        cmocka_unit_test(elements_in_full),
        cmocka_unit_test(beyond_a_chunk),
        cmocka_unit_test(catches_what_should_stay_untouched),
        cmocka_unit_test(sparse_results),
        cmocka_unit_test(sparse_entries),
        cmocka_unit_test(many_sparse_entries),
        cmocka_unit_test(device_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
