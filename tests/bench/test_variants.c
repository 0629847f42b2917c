/* Widths, types, fields and orders: their syntax, refusals, and the resulting sections and rows. */
#include "tests/bench/test.h"

#include <stdio.h>
#include <string.h>

#include "bench/variant.h"
#include "tests/bench/fake.h"

/* The parsed values of options; the caller frees the lists. */
struct given {
    const char *experiment, *size, *bytes, *width, *type, *fields, *order, *matrix, *from, *to;
};

static const char *one_name[1];

static bool parse(const struct given *given, struct bench_request *request, struct base_error *error) {
    *request = (struct bench_request){.seed = 1, .seconds = 1};
    one_name[0] = given->experiment;
    request->experiments = one_name;
    request->experiment_count = given->experiment != NULL;
    return (!given->size || bench_parse_sizes("--size", given->size, &request->sizes, error)) &&
           (!given->bytes || bench_parse_numbers("--bytes", given->bytes, &request->bytes, error)) &&
           (!given->width || bench_parse_numbers("--width", given->width, &request->widths, error)) &&
           (!given->type || bench_parse_types("--type", given->type, &request->types, error)) &&
           (!given->fields || bench_parse_fields("--fields", given->fields, &request->fields, error)) &&
           (!given->order || bench_parse_orders("--order", given->order, &request->orders, error)) &&
           (!given->matrix || bench_parse_matrices("--matrix", given->matrix, &request->matrices, error)) &&
           (!given->from || bench_parse_numbers("--from-shift", given->from, &request->from_shifts, error)) &&
           (!given->to || bench_parse_numbers("--to-shift", given->to, &request->to_shifts, error));
}

static void release(struct bench_request *request) {
    bench_sizes_free(&request->sizes);
    bench_numbers_free(&request->bytes);
    bench_numbers_free(&request->widths);
    bench_numbers_free(&request->types);
    bench_field_choices_free(&request->fields);
    bench_orders_free(&request->orders);
    bench_matrices_free(&request->matrices);
    bench_numbers_free(&request->from_shifts);
    bench_numbers_free(&request->to_shifts);
}

static void refused(struct given given, const char *says) {
    struct bench_request request;
    struct bench_plan plan = {0};
    struct base_error error = {.text = ""};
    assert_false(parse(&given, &request, &error) && bench_plan_make(&plan, &request, &error));
    assert_true(error.usage);
    if (!strstr(error.text, says))
        fail_msg("'%s' does not say '%s'", error.text, says);
    bench_plan_free(&plan);
    release(&request);
}

/* Checks the texts of the sections' variants, in order, and the number of rows. */
static void makes(struct given given, size_t count, const char *const texts[], size_t rows) {
    struct bench_request request;
    struct bench_plan plan;
    struct base_error error;
    memset(&fake, 0, sizeof fake);
    if (!parse(&given, &request, &error) || !bench_plan_make(&plan, &request, &error))
        fail_msg("%s", error.text);
    assert_int_equal(plan.section_count, count);
    assert_int_equal(plan.row_count, rows);
    for (size_t s = 0; s < count; s++) {
        char text[200], size[80];
        const struct wl_problem *problem = &plan.sections[s].rows[0].problem;
        bench_size_text(plan.sections[s].experiment, problem, size, sizeof size);
        int at = snprintf(text, sizeof text, "%s ", size);
        bench_variant_text(plan.sections[s].experiment, problem, text + at, sizeof text - (size_t)at);
        assert_string_equal(text, texts[s]);
    }
    bench_plan_free(&plan);
    release(&request);
}

static void sections(void **state) {
    (void)state;
    makes((struct given){.experiment = "transpose-any", .size = "3x4x5,7", .width = "2,16"}, 4,
          (const char *const[]){"3x4x5 width 2", "3x4x5 width 16", "7x7 width 2", "7x7 width 16"}, 8);
    makes(
        (struct given){
            .experiment = "deinterleave", .size = "10", .width = "1,8", .fields = "2:3,f32x3+f64+i32"},
        5,
        (const char *const[]){"10 fields 2, width 1", "10 fields 3, width 1", "10 fields f32x3+f64+i32",
                              "10 fields 2, width 8", "10 fields 3, width 8"},
        10);
    makes(
        (struct given){
            .experiment = "permute", .size = "3x4x5,2x3x4x5@0213,6", .width = "4", .order = "210,021"},
        5,
        (const char *const[]){"3x4x5 order 210, width 4", "3x4x5 order 021, width 4",
                              "2x3x4x5 order 0213, width 4", "6x6x6 order 210, width 4",
                              "6x6x6 order 021, width 4"},
        5);
}
/* Each case is one section with its own order and width, whatever lists are given. */
static void cases(void **state) {
    (void)state;
    struct given all = {.experiment = "permute", .size = "cases,heads-128", .width = "1", .order = "10"};
    struct bench_request request;
    struct bench_plan plan;
    struct base_error error;
    assert_true(parse(&all, &request, &error));
    if (!bench_plan_make(&plan, &request, &error))
        fail_msg("%s", error.text);
    assert_int_equal(plan.section_count, 20);
    for (size_t s = 0; s < plan.section_count; s++) {
        const struct wl_problem *p = &plan.sections[s].rows[0].problem;
        unsigned seen = 0;
        uint64_t n = 1;
        assert_in_range(p->rank, 3, WL_RANK_MAX);
        for (unsigned d = 0; d < p->rank; d++) {
            seen |= 1u << p->order[d];
            n *= p->sizes[d];
        }
        assert_int_equal(seen, (1u << p->rank) - 1);
        assert_true(p->n == n && n > 0);
        /* At least 128 MiB are moved, so that no cache matters. */
        assert_true(2 * n * p->width >= (uint64_t)128 << 20);
    }
    bench_plan_free(&plan);
    release(&request);
    makes((struct given){.experiment = "permute", .size = "2130-f64"}, 1,
          (const char *const[]){"80x90x72x100 order 2130, width 8"}, 1);
    refused((struct given){.experiment = "permute", .size = "heads-129"}, "did you mean 'heads-128'?");
    refused((struct given){.experiment = "copy", .size = "heads-128"}, "no order after @");
}

/* A matrix with a size of its own runs at that size, once; others run at each size. */
static void matrices(void **state) {
    (void)state;
    makes((struct given){.experiment = "csr-transpose",
                         .size = "64,64x100",
                         .matrix = "uneven,uniform:3@8x9,dense-row"},
          5,
          (const char *const[]){"64x64 matrix uneven", "8x9 matrix uniform:3", "64x64 matrix dense-row:16",
                                "64x100 matrix uneven", "64x100 matrix dense-row:16"},
          10);
    makes((struct given){.experiment = "csr-transpose", .matrix = "rmat:2Ki,rmat:2048,banded"}, 2,
          (const char *const[]){"65536x65536 matrix rmat:2048", "65536x65536 matrix banded:17"}, 4);
    makes((struct given){.experiment = "csr-transpose", .matrix = "twelve"}, 12,
          (const char *const[]){"1048576x1048576 matrix uniform:16", "1048576x1048576 matrix uniform:64",
                                "4194304x4194304 matrix uniform:16", "1048576x1048576 matrix rmat:16",
                                "4194304x4194304 matrix rmat:16", "1048576x1048576 matrix banded:17",
                                "16777216x16777216 matrix laplacian2d",
                                "16777216x16777216 matrix laplacian3d", "64x1048576 matrix uniform:262144",
                                "1048576x1048576 matrix dense-row:16", "1048576x1000 matrix uniform:16",
                                "16777216x16777216 matrix hypersparse"},
          24);
    refused((struct given){.experiment = "csr-transpose", .matrix = "unifrom"}, "did you mean 'uniform'?");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat,"}, "no matrix ''");
    refused((struct given){.experiment = "csr-transpose", .matrix = "twelve-small@5"},
            "'twelve-small' is a list, whose items have sizes");
    refused((struct given){.experiment = "csr-transpose", .matrix = "twelve:5"}, "'twelve' is a list");
    refused((struct given){.experiment = "csr-transpose", .matrix = "a.mtx@5"},
            "a.mtx: a file has its own size");
    refused((struct given){.experiment = "csr-transpose", .matrix = "a.npz:5"},
            "a.npz: a file has its own size");
    refused((struct given){.experiment = "csr-transpose", .matrix = "laplacian2d:5"}, "takes no number");
    refused((struct given){.experiment = "csr-transpose", .matrix = "uniform:0"}, "1 to 2^32 - 1 entries");
    refused((struct given){.experiment = "csr-transpose", .matrix = "uniform:2^32"}, "1 to 2^32 - 1 entries");
    refused((struct given){.experiment = "csr-transpose", .matrix = "uniform:"}, "'' is not a size");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat@"}, "'' is not a size");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat@2^32"}, "32 bits");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat@8x8x8"}, "takes N or RxC");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat@8@01"}, "takes no order after @");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat@1000"},
            "--matrix: rmat has as many rows as columns, a power of two, not 1000x1000");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat", .size = "8,4x8"}, "not 4x8");
    refused((struct given){.experiment = "csr-transpose", .matrix = "rmat", .size = "0"},
            "a power of two, not 0x0");
    refused((struct given){.experiment = "csr-transpose", .matrix = "banded", .size = "8x7"},
            "--matrix: banded has as many rows as columns, not 8x7");
    refused((struct given){.experiment = "csr-transpose", .matrix = "laplacian3d@8x7"}, "not 8x7");
    refused((struct given){.experiment = "copy", .matrix = "rmat"}, "--matrix: none of the chosen");
}

static void types_and_shifts(void **state) {
    (void)state;
    makes(
        (struct given){
            .experiment = "add-any", .size = "100", .type = "f16,bf16,f16", .from = "0:3", .to = "5"},
        2, (const char *const[]){"100 type f16", "100 type bf16"}, 8);
    makes((struct given){.experiment = "copy-any", .size = "100,200", .from = "1", .to = "0,2"}, 2,
          (const char *const[]){"100 ", "200 "}, 4);
}

/* As many elements as move the given number of bytes. */
static void bytes(void **state) {
    (void)state;
    makes((struct given){.experiment = "deinterleave", .bytes = "1200", .width = "1,4", .fields = "3,i8+i32"},
          3, (const char *const[]){"200 fields 3, width 1", "85 fields i8+i32", "50 fields 3, width 4"}, 6);
    makes((struct given){.experiment = "copy", .bytes = "800,0"}, 2, (const char *const[]){"100 ", "0 "}, 6);
    refused((struct given){.experiment = "transpose", .bytes = "800"}, "--bytes: a size of transpose");
    refused((struct given){.experiment = "copy", .bytes = "800", .size = "1"}, "give one");
}

static void wrong_words(void **state) {
    (void)state;
    refused((struct given){.experiment = "transpose-any", .width = "3"}, "1, 2, 4, 8 or 16 bytes, not 3");
    refused((struct given){.experiment = "transpose-any", .width = "0"}, "not 0");
    refused((struct given){.experiment = "transpose-any", .width = "32"}, "not 32");
    refused((struct given){.experiment = "copy", .width = "4"}, "--width: none of the chosen");
    refused((struct given){.experiment = "copy", .type = "f32"}, "--type: none of the chosen");
    refused((struct given){.experiment = "copy", .fields = "3"}, "--fields: none of the chosen");
    refused((struct given){.experiment = "copy", .order = "10"}, "--order: none of the chosen");
    refused((struct given){.experiment = "copy", .from = "1"}, "--from-shift: none of the chosen");
    refused((struct given){.experiment = "copy", .to = "1"}, "--to-shift: none of the chosen");
    refused((struct given){.experiment = "copy-any", .to = "2^49"},
            "--to-shift: 562949953421312 is beyond 2^48");
    refused((struct given){.experiment = "copy-any", .from = "2^49"}, "--from-shift");
    refused((struct given){.experiment = "add-any", .type = "f23"}, "did you mean 'f32'?");
    refused((struct given){.experiment = "add-any", .type = ""}, "no type ''");
    refused((struct given){.experiment = "interleave", .fields = "0"}, "1 to 256 fields");
    refused((struct given){.experiment = "interleave", .fields = "257"}, "1 to 256 fields");
    refused((struct given){.experiment = "interleave", .fields = "f32+"}, "no type ''");
    refused((struct given){.experiment = "interleave", .fields = "f32x0"}, "not a member");
    refused((struct given){.experiment = "interleave", .fields = "f64x129"}, "has 1032 bytes");
    refused((struct given){.experiment = "interleave", .fields = "i8x2000"}, "not a member");
    refused((struct given){.experiment = "interleave",
                           .fields = "i8+i8+i8+i8+i8+i8+i8+i8+i8+i8+i8+i8+i8+i8+i8+i8+i8"},
            "more than 16 members");
    refused((struct given){.experiment = "interleave",
                           .fields = "packed:i8x100+i8x100+i8x100+i8x100+i8x100+i8x100+i8x100+i8x100+i8x100"},
            "more than 63 letters");
    refused((struct given){.experiment = "permute", .order = "0123456789"}, "not an order of 1 to 8");
    refused((struct given){.experiment = "permute", .order = "022"}, "each of its dimensions");
    refused((struct given){.experiment = "permute", .order = "13"}, "each of its dimensions");
    refused((struct given){.experiment = "permute", .order = ""}, "each of its dimensions");
    refused((struct given){.experiment = "permute", .order = "10,1x"}, "not an order");
    refused((struct given){.experiment = "permute", .size = "3x4@012"}, "2 extents and an order of 3");
    refused((struct given){.experiment = "permute", .size = "3x4", .order = "012"},
            "has 3 dimensions and the size has 2");
    refused((struct given){.experiment = "copy", .size = "3@0"}, "takes no order");
    refused((struct given){.experiment = "copy", .size = "3/4"}, "has no width");
    refused((struct given){.experiment = "transpose-any", .size = "3/3"}, "not 3");
    refused((struct given){.experiment = "transpose-any", .size = "3/"}, "'' is not a size");
    refused((struct given){.experiment = "transpose-any", .size = "1x2x3x4"}, "takes N, RxC or BxRxC, not 4");
    refused((struct given){.experiment = "transpose-any", .size = "2^60", .width = "16"}, "2^60");
    refused((struct given){.experiment = "deinterleave", .size = "2^59", .fields = "2"}, "2^60 bytes");
    refused((struct given){.experiment = "permute", .size = "2^20", .order = "3210"}, "2^60");
}

/* C's rules: a member begins at a multiple of its type's size, the structure ends at one of the widest. */
static void structures(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t bytes, count, offset[3], size[3];
    } expected[] = {
        {"f32x3+f64+i32", 32, 3, {0, 16, 24}, {12, 8, 4}},
        {"packed:f32x3+f64+i32", 24, 3, {0, 12, 20}, {12, 8, 4}},
        {"i8+i16+i8", 6, 3, {0, 2, 4}, {1, 2, 1}},
        {"u8x5", 5, 1, {0}, {5}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct bench_field_choices choices;
        struct base_error error;
        assert_true(bench_parse_fields("--fields", expected[i].text, &choices, &error));
        assert_int_equal(choices.count, 1);
        const struct wl_structure *structure = &choices.items[0].structure;
        assert_int_equal(structure->bytes, expected[i].bytes);
        assert_int_equal(structure->count, expected[i].count);
        for (uint32_t f = 0; f < structure->count; f++) {
            assert_int_equal(structure->fields[f].offset, expected[i].offset[f]);
            assert_int_equal(structure->fields[f].bytes, expected[i].size[f]);
        }
        bench_field_choices_free(&choices);
    }
    /* The default's layout, written by hand, matches its text. */
    const struct bench_field_choices *defaults = bench_default_fields();
    for (size_t i = 0; i < defaults->count; i++)
        if (!defaults->items[i].count) {
            struct bench_field_choices choices;
            struct base_error error;
            assert_true(bench_parse_fields("--fields", defaults->items[i].structure.text, &choices, &error));
            assert_memory_equal(&choices.items[0].structure, &defaults->items[i].structure,
                                sizeof(struct wl_structure));
            bench_field_choices_free(&choices);
        }
}

/* NumPy's notation gives the same order. */
static void orders(void **state) {
    (void)state;
    struct bench_orders list;
    struct base_error error;
    assert_true(bench_parse_orders("--order", "0,2,1,3", &list, &error));
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].rank, 4);
    assert_int_equal(list.items[0].axis[1], 2);
    bench_orders_free(&list);
    assert_true(bench_parse_orders("--order", "210,10,210", &list, &error));
    assert_int_equal(list.count, 2);
    bench_orders_free(&list);
    assert_true(bench_parse_orders("--order", "0", &list, &error));
    assert_int_equal(list.items[0].rank, 1);
    bench_orders_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections), cmocka_unit_test(cases),       cmocka_unit_test(types_and_shifts),
        cmocka_unit_test(bytes),    cmocka_unit_test(wrong_words), cmocka_unit_test(structures),
        cmocka_unit_test(orders),   cmocka_unit_test(matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
