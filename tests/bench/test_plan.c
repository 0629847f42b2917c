/* Requests: refusals, and the rows of accepted ones. */
#include "tests/bench/test.h"

#include <string.h>

#include "bench/plan.h"
#include "tests/bench/fake.h"

static const char *one_name[1];

static struct bench_request request_for(const char *experiment) {
    struct bench_request request = {.seed = 1, .seconds = 2};
    if (experiment) {
        one_name[0] = experiment;
        request.experiments = one_name;
        request.experiment_count = 1;
    }
    return request;
}

/* Whether the request is accepted; *error says why not. */
static bool admit(const struct bench_request *request, struct bench_plan *plan, struct base_error *error) {
    wl_context *context;
    bool right = bench_plan_make(plan, request, error);
    if (right) {
        assert_int_equal(wl_open(&context, NULL), WL_ERROR_OK);
        right = bench_plan_admit(plan, context, request, error);
        wl_close(context);
    }
    return right;
}

static void refused(const struct bench_request *request, const char *says) {
    struct bench_plan plan;
    struct base_error error;
    assert_false(admit(request, &plan, &error));
    assert_true(error.usage);
    if (!strstr(error.text, says))
        fail_msg("'%s' does not say '%s'", error.text, says);
    bench_plan_free(&plan);
}

static size_t rows(const struct bench_request *request) {
    struct bench_plan plan;
    struct base_error error;
    if (!admit(request, &plan, &error))
        fail_msg("%s", error.text);
    size_t count = plan.row_count;
    bench_plan_free(&plan);
    return count;
}

static struct bench_size size(const char *text) {
    struct bench_size s;
    struct base_error error;
    assert_true(bench_parse_size("--size", text, &s, &error));
    return s;
}

static void defaults(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    struct bench_plan plan;
    struct base_error error;
    struct bench_request request = request_for(NULL);
    assert_true(admit(&request, &plan, &error));
    assert_true(plan.section_count > 10);
    /* test_variants.c tests the requests for library operations. */
    for (size_t s = 0; s < 10; s++) {
        const struct wl_problem *p = &plan.sections[s].rows[0].problem;
        const char *name = plan.sections[s].experiment->name;
        if (strcmp(name, "matmul") == 0) {
            assert_int_equal(p->m, 1600);
            assert_int_equal(p->n, 1007);
            assert_int_equal(p->k, 1600);
        } else if (strcmp(name, "transpose") == 0) {
            assert_int_equal(p->rows, 1024);
            assert_int_equal(p->cols, 1024);
        } else if (strcmp(name, "csr-transpose") == 0) {
            assert_int_equal(p->rows, 65536);
            assert_true(p->nnz > 1000000 && p->nnz < 1100000);
        } else {
            assert_int_equal(p->n, strcmp(name, "layout") == 0 ? 1 << 19 : 1 << 20);
        }
    }
    bench_plan_free(&plan);
    request = request_for("read-offset");
    assert_int_equal(rows(&request), 3);
    request = request_for("stride");
    assert_int_equal(rows(&request), 12);
}

static void lists_make_rows(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    uint64_t offsets[] = {1, 2};
    struct bench_block blocks[] = {{128, 1}, {64, 2}, {32, 1}};
    struct bench_request request = request_for("read-offset");
    request.offsets = (struct bench_numbers){offsets, 2};
    request.blocks = (struct bench_blocks){blocks, 3};
    assert_int_equal(rows(&request), 6);
    /* A kernel with a fixed block, and a row without a kernel, keep one row. */
    request = request_for("transpose");
    request.blocks = (struct bench_blocks){blocks, 3};
    assert_int_equal(rows(&request), 7);
    request = request_for("copy");
    request.blocks = (struct bench_blocks){blocks, 3};
    assert_int_equal(rows(&request), 7);
    char *kernels[] = {(char *)"scalar"};
    request = request_for(NULL);
    request.kernels = (struct bench_names){kernels, 1};
    assert_int_equal(rows(&request), 2);
}

static void several_sizes(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    static const char *const names[] = {"copy", "add"};
    struct bench_size two[] = {size("1000"), size("33")};
    struct bench_request request = request_for(NULL);
    request.experiments = names;
    request.experiment_count = 2;
    request.sizes = (struct bench_sizes){two, 2};
    struct bench_plan plan;
    struct base_error error;
    assert_true(admit(&request, &plan, &error));
    assert_int_equal(plan.section_count, 4);
    assert_int_equal(plan.row_count, 8);
    static const bool goes_on[] = {false, true, false, true};
    for (size_t s = 0; s < 4; s++) {
        const struct bench_section *section = &plan.sections[s];
        assert_string_equal(section->experiment->name, names[s / 2]);
        assert_int_equal(bench_section_goes_on(&plan, section), goes_on[s]);
        for (size_t i = 0; i < section->row_count; i++)
            assert_int_equal(section->rows[i].problem.n, s % 2 ? 33 : 1000);
    }
    bench_plan_free(&plan);
    /* One unsuitable size makes the whole request fail. */
    struct bench_size mixed[] = {size("1000"), size("8x8")};
    request = request_for("copy");
    request.sizes = (struct bench_sizes){mixed, 2};
    refused(&request, "copy takes N");
    request = request_for("transpose");
    request.sizes = (struct bench_sizes){mixed, 2};
    assert_int_equal(rows(&request), 6);
}

static void unrolls(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    uint64_t values[] = {2, 4, 3};
    struct bench_block blocks[] = {{128, 1}, {64, 2}};
    struct bench_request request = request_for("copy");
    request.unrolls = (struct bench_numbers){values, 2};
    request.blocks = (struct bench_blocks){blocks, 2};
    struct bench_plan plan;
    struct base_error error;
    assert_true(admit(&request, &plan, &error));
    /* scalar has both, vec4 only one, and the driver's copy has no kernel */
    assert_int_equal(plan.row_count, 2 * 2 + 2 * 1 + 1);
    assert_int_equal(plan.sections[0].rows[0].problem.unroll, 2);
    assert_int_equal(plan.sections[0].rows[1].problem.unroll, 4);
    assert_int_equal(plan.sections[0].rows[4].problem.unroll, 4);
    assert_int_equal(plan.sections[0].rows[6].problem.unroll, 0);
    bench_plan_free(&plan);
    request.unrolls.count = 3;
    refused(&request, "--unroll: no chosen kernel has 3 accesses per thread; there are 1,2,4,8");
    for (size_t i = 0; i < 4; i++) {
        static const uint64_t wrong[] = {0, 16, (uint64_t)1 << 32, UINT64_MAX};
        values[0] = wrong[i];
        refused(&request, "no chosen kernel has");
    }
    values[0] = 2;
    request = request_for("add");
    request.unrolls = (struct bench_numbers){values, 1};
    refused(&request, "--unroll: each chosen kernel has its own");
}

static void too_many_rows(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    static uint64_t many[4096];
    static struct bench_size sizes[4096];
    static struct bench_block blocks[1024];
    for (size_t i = 0; i < 4096; i++) {
        many[i] = i;
        sizes[i] = (struct bench_size){.dimensions = 1, .extent = {i}};
        blocks[i % 1024] = (struct bench_block){(uint32_t)(i % 1024) + 1, 1};
    }
    struct bench_request request = request_for("read-offset");
    request.offsets = (struct bench_numbers){many, 4096};
    request.blocks = (struct bench_blocks){blocks, 24};
    assert_int_equal(rows(&request), 98304);
    request.blocks.count = 25;
    refused(&request, "more than 100000 rows");
    request.blocks.count = 1024;
    request.sizes = (struct bench_sizes){sizes, 4096};
    refused(&request, "more than 100000 rows");
    /* Of all experiments together. */
    request = request_for(NULL);
    request.sizes = (struct bench_sizes){sizes, 4096};
    refused(&request, "more than 100000 rows");
}

static void wrong_requests(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    struct bench_request request = request_for("transpos");
    refused(&request, "did you mean 'transpose'?");
    request = request_for("zzzzzzzzzzzz");
    refused(&request, "unknown experiment 'zzzzzzzzzzzz'; see");
    char *kernels[] = {(char *)"naive-rwo"};
    request = request_for("transpose");
    request.kernels = (struct bench_names){kernels, 1};
    refused(&request, "did you mean 'naive-row'?");
    uint64_t numbers[] = {0};
    request = request_for("copy");
    request.offsets = (struct bench_numbers){numbers, 1};
    refused(&request, "--offset");
    request = request_for("copy");
    request.strides = (struct bench_numbers){numbers, 1};
    refused(&request, "--stride");
    request = request_for("stride");
    request.strides = (struct bench_numbers){numbers, 1};
    refused(&request, "within 1");
    numbers[0] = UINT64_MAX;
    refused(&request, "within 1");
    struct bench_block blocks[] = {{128, 1}};
    request = request_for("shared");
    request.blocks = (struct bench_blocks){blocks, 1};
    refused(&request, "--block");
    fake.not_applicable = "block of 1000 threads: no";
    request = request_for("copy");
    refused(&request, "block of 1000 threads: no");
    fake.not_applicable = NULL;
}

static void wrong_sizes(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    static const struct {
        const char *experiment, *size, *says;
    } cases[] = {
        {"copy", "8x8", "copy takes N"},
        {"copy", "8x8x8", "copy takes N"},
        {"transpose", "8x8x8", "transpose takes N or RxC"},
        {"matmul", "8x8", "matmul takes N or MxNxK"},
        {"copy", "2^60", "device memory"},
        {"copy", "1G", "1024.0 MiB free"},
        {"transpose", "2^31", "2^60"},
        {"transpose", "100Kx100K", "device memory"},
        {"matmul", "2^31", "2^60"},
        {"csr-transpose", "2^32", "32 bits"},
        {"csr-transpose", "1x2^31", "device memory"},
        {"csr-transpose", "2^31x1", "device memory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_request request = request_for(cases[i].experiment);
        struct bench_size one = size(cases[i].size);
        request.sizes = (struct bench_sizes){&one, 1};
        refused(&request, cases[i].says);
    }
    /* More entries than 32 bits can count, on a device with enough memory. */
    fake.memory = (uint64_t)1 << 62;
    struct bench_request request = request_for("copy");
    struct bench_size large = size("2^40");
    request.sizes = (struct bench_sizes){&large, 1};
    refused(&request, "host memory");
}

static void sizes_that_pass(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    static const struct {
        const char *experiment, *size;
    } cases[] = {{"copy", "0"},           {"copy", "1"},
                 {"transpose", "1x4097"}, {"transpose", "0x5"},
                 {"transpose", "33"},     {"matmul", "1x0x1"},
                 {"matmul", "17"},        {"csr-transpose", "0"},
                 {"csr-transpose", "9"},  {"csr-transpose", "4097x1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_request request = request_for(cases[i].experiment);
        struct bench_size one = size(cases[i].size);
        request.sizes = (struct bench_sizes){&one, 1};
        assert_true(rows(&request) > 0);
    }
}

/* The largest and smallest number of bytes that a row moves, and the number of rows that the cache holds. */
struct moved {
    uint64_t least, most;
    size_t cached;
};

static struct moved moved(const struct bench_request *request) {
    struct bench_plan plan;
    struct base_error error;
    struct moved moved = {.least = UINT64_MAX};
    if (!admit(request, &plan, &error))
        fail_msg("%s", error.text);
    for (size_t s = 0; s < plan.section_count; s++)
        for (size_t i = 0; i < plan.sections[s].row_count; i++) {
            const struct bench_row *row = &plan.sections[s].rows[i];
            moved.least = row->bytes < moved.least ? row->bytes : moved.least;
            moved.most = row->bytes > moved.most ? row->bytes : moved.most;
            moved.cached += row->fits_l2;
        }
    bench_plan_free(&plan);
    return moved;
}

static void default_sizes_follow_the_device(void **state) {
    (void)state;
    size_t count;
    const struct bench_experiment *experiments = bench_experiments(&count);
    struct bench_sizes text;
    struct base_error error;
    assert_true(bench_parse_sizes("--size", "text", &text, &error));
    for (size_t i = 0; i < count; i++) {
        struct bench_request request = request_for(experiments[i].name), by_name = request;
        by_name.sizes = text;
        fake = (struct fake_state){.gpu = false, .memory = (uint64_t)1 << 36};
        struct moved simulator = moved(&request), named = moved(&by_name);
        assert_memory_equal(&simulator, &named, sizeof named);
        fake = (struct fake_state){.gpu = true, .memory = (uint64_t)1 << 36, .l2_bytes = 16 << 20};
        named = moved(&by_name);
        assert_int_equal(named.least, simulator.least);
        assert_true(named.cached > 0);
        struct moved gpu = moved(&request);
        assert_int_equal(gpu.cached, 0);
        /* A quarter of what each of two devices has crosses. */
        assert_true(gpu.least >= (64 << 20) / (experiments[i].has_gpus ? 4 : 1));
        /* At most one doubling of three dimensions beyond it, for an experiment's largest row. */
        assert_true(gpu.most / simulator.most <= 8 * ((64 << 20) / simulator.least + 1));
    }
    bench_sizes_free(&text);
}

static void default_sizes_fit_the_memory(void **state) {
    (void)state;
    struct bench_request request = request_for("copy");
    /* The buffer that empties the cache takes 32 of 64 MiB; two arrays of 16 with guards do not fit. */
    fake = (struct fake_state){.gpu = true, .memory = 64 << 20, .l2_bytes = 16 << 20};
    struct moved small = moved(&request);
    assert_int_equal(small.most, 16 << 20);
    assert_true(small.cached > 0);
    /* An unknown cache size is treated as 128 MiB. */
    fake = (struct fake_state){.gpu = true, .l2_bytes = -1};
    assert_int_equal(moved(&request).least, 512 << 20);
    /* Explicit sizes are kept. */
    struct bench_size one = size("1000");
    request.sizes = (struct bench_sizes){&one, 1};
    assert_int_equal(moved(&request).most, 8000);
    request.sizes.count = 0;
    uint64_t bytes = 80000;
    request.bytes = (struct bench_numbers){&bytes, 1};
    assert_int_equal(moved(&request).most, 80000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(lists_make_rows),
        cmocka_unit_test(wrong_requests),
        cmocka_unit_test(wrong_sizes),
        cmocka_unit_test(sizes_that_pass),
        cmocka_unit_test(several_sizes),
        cmocka_unit_test(unrolls),
        cmocka_unit_test(too_many_rows),
        cmocka_unit_test(default_sizes_follow_the_device),
        cmocka_unit_test(default_sizes_fit_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
