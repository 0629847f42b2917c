/* The table of rungs: complete, in order, with correct formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ladder/ladder.h"

static const struct {
    const char *experiment, *name;
} expected[] = {
    {"copy", "scalar"},
    {"copy", "vec2"},
    {"copy", "vec4"},
    {"copy", "vec4-unroll4"},
    {"copy", "wideload"},
    {"copy", "driver"},
    {"add", "scalar"},
    {"add", "vec4-block"},
    {"add", "vec4-grid"},
    {"add", "vec4-unroll2"},
    {"add", "wideload"},
    {"read-offset", "plain"},
    {"read-offset", "ldg"},
    {"read-offset", "l2-only"},
    {"read-offset", "unroll2"},
    {"read-offset", "unroll4"},
    {"read-offset", "realigned"},
    {"read-offset", "wideload"},
    {"write-offset", "plain"},
    {"write-offset", "unroll2"},
    {"write-offset", "unroll4"},
    {"write-offset", "realigned"},
    {"write-offset", "wideload"},
    {"stride", "load"},
    {"stride", "store"},
    {"layout", "aos"},
    {"layout", "aos-vec2"},
    {"layout", "soa"},
    {"transpose", "copy-row"},
    {"transpose", "copy-col"},
    {"transpose", "naive-row"},
    {"transpose", "naive-col"},
    {"transpose", "unroll4-row"},
    {"transpose", "unroll4-col"},
    {"transpose", "diagonal-row"},
    {"transpose", "diagonal-col"},
    {"transpose", "shared"},
    {"transpose", "shared-pad"},
    {"transpose", "shared-swizzle"},
    {"transpose", "shared-pad-unroll"},
    {"transpose", "wideload"},
    {"shared", "row-row"},
    {"shared", "row-col"},
    {"shared", "row-col-pad"},
    {"shared", "rect-row-col"},
    {"shared", "rect-row-col-pad"},
    {"matmul", "naive"},
    {"matmul", "tile-square"},
    {"matmul", "tile-rect"},
    {"matmul", "register-tile"},
    {"csr-transpose", "fast"},
    {"csr-transpose", "triplet"},
    {"csr-transpose", "shared"},
    {"csr-transpose", "partition"},
    {"csr-transpose", "wideload"},
    {"copy-any", "wideload"},
    {"copy-any", "memcpy"},
    {"add-any", "wideload"},
    {"transpose-any", "wideload"},
    {"transpose-any", "memcpy"},
    {"transpose-inplace", "wideload"},
    {"transpose-inplace", "memcpy"},
    {"deinterleave", "wideload"},
    {"deinterleave", "memcpy"},
    {"interleave", "wideload"},
    {"interleave", "memcpy"},
    {"permute", "wideload"},
    {"permute", "memcpy"},
    {"redistribute", "kernel-copy"},
    {"redistribute", "scatter"},
    {"redistribute", "load"},
    {"redistribute", "store"},
    {"redistribute", "staged"},
    {"redistribute", "pipelined"},
    {"redistribute", "wideload"},
    {"redistribute", "copy-engine"},
};
#define EXPECTED (sizeof(expected) / sizeof(expected[0]))

static void complete_and_in_order(void **state) {
    (void)state;
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    assert_int_equal(count, EXPECTED);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(rungs[i].experiment, expected[i].experiment);
        assert_string_equal(rungs[i].name, expected[i].name);
    }
}

/* Whether its arrays lie on several devices. */
static bool is_several(const struct wl_rung *rung) {
    return strcmp(rung->experiment, "redistribute") == 0;
}

static void rows_are_whole(void **state) {
    (void)state;
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++) {
        assert_true(rungs[i].idea && *rungs[i].idea);
        assert_true(rungs[i].bytes_formula && *rungs[i].bytes_formula);
        assert_non_null(rungs[i].bytes);
        assert_non_null(rungs[i].launch);
        assert_true(rungs[i].outputs && rungs[i].outputs < 16);
        uint32_t threads = rungs[i].block_x * rungs[i].block_y;
        /* The library's calls may choose their own block, and the driver's have none. */
        bool calls = strcmp(rungs[i].name, "wideload") == 0 || is_several(&rungs[i]);
        if (rungs[i].library)
            assert_int_equal(threads, 0);
        else if (threads || !calls)
            assert_in_range(threads, 32, 1024);
        assert_true(rungs[i].unrolls == 0 || rungs[i].unrolls == 1 + 2 + 4 + 8);
        assert_int_equal(rungs[i].operations != NULL, rungs[i].reference == WL_REF_MATMUL);
        for (size_t j = 0; j < i; j++)
            assert_true(strcmp(rungs[i].experiment, rungs[j].experiment) != 0 ||
                        strcmp(rungs[i].name, rungs[j].name) != 0);
    }
}

static void default_blocks_are_the_texts(void **state) {
    (void)state;
    const struct {
        const char *experiment, *name;
        uint32_t x, y;
    } blocks[] = {
        {"add", "scalar", 128, 1},          {"add", "vec4-block", 32, 1},
        {"add", "vec4-grid", 128, 1},       {"read-offset", "plain", 512, 1},
        {"write-offset", "plain", 512, 1},  {"layout", "aos", 128, 1},
        {"transpose", "naive-row", 16, 16}, {"transpose", "unroll4-col", 16, 16},
        {"transpose", "shared", 32, 8},     {"matmul", "tile-square", 32, 32},
        {"matmul", "tile-rect", 16, 16},
    };
    size_t count, found = 0;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof(blocks) / sizeof(blocks[0]); j++)
            if (strcmp(rungs[i].experiment, blocks[j].experiment) == 0 &&
                strcmp(rungs[i].name, blocks[j].name) == 0) {
                assert_int_equal(rungs[i].block_x, blocks[j].x);
                assert_int_equal(rungs[i].block_y, blocks[j].y);
                found++;
            }
    assert_int_equal(found, sizeof(blocks) / sizeof(blocks[0]));
}

static void bytes_of_a_problem(void **state) {
    (void)state;
    const struct wl_problem problem = {.n = 1000,
                                       .rows = 30,
                                       .cols = 70,
                                       .m = 16,
                                       .k = 8,
                                       .nnz = 500,
                                       .offset = 11,
                                       .stride = 7,
                                       .width = 2,
                                       .gpus = 4};
    struct wl_problem fields = problem;
    fields.fields = 3;
    const struct {
        enum wl_reference reference;
        uint64_t bytes;
    } formulas[] = {
        {WL_REF_COPY, 8000},
        {WL_REF_ADD, 12000},
        {WL_REF_READ_OFFSET, 12 * 989},
        {WL_REF_WRITE_OFFSET, 12 * 989},
        {WL_REF_STRIDE_LOAD, 8 * 143},
        {WL_REF_STRIDE_STORE, 8 * 143},
        {WL_REF_LAYOUT_AOS, 16000},
        {WL_REF_LAYOUT_SOA, 16000},
        {WL_REF_TRANSPOSE_COPY, 8 * 2100},
        {WL_REF_TRANSPOSE, 8 * 2100},
        {WL_REF_TILE_COPY, 8000},
        {WL_REF_TILE_32x32, 8000},
        {WL_REF_TILE_32x16, 8000},
        {WL_REF_MATMUL, 4 * (16000 + 8000 + 128)},
        {WL_REF_CSR_TO_CSC, 4 * (31 + 71 + 2000)},
        {WL_REF_COO_TRANSPOSE, 24 * 500},
        {WL_REF_COPY_BYTES, 2 * 2000},
        {WL_REF_ADD_TYPE, 3 * 2000},
        {WL_REF_TRANSPOSE_ANY, 2 * 2000},
        {WL_REF_DEINTERLEAVE, 2 * 6000},
        {WL_REF_INTERLEAVE, 2 * 6000},
        {WL_REF_PERMUTE, 2 * 2000},
        {WL_REF_SAME_BYTES, 2 * 2000},
    };
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++) {
        bool known = is_several(&rungs[i]);
        /* The first of 4 devices has 8 rows and keeps 18 columns. */
        if (known)
            assert_int_equal(rungs[i].bytes(&problem), 2 * 8 * (70 - 18));
        for (size_t j = 0; j < sizeof(formulas) / sizeof(formulas[0]) && !is_several(&rungs[i]); j++)
            if (rungs[i].reference == formulas[j].reference) {
                bool has_fields = formulas[j].reference == WL_REF_DEINTERLEAVE ||
                                  formulas[j].reference == WL_REF_INTERLEAVE;
                assert_int_equal(rungs[i].bytes(has_fields ? &fields : &problem), formulas[j].bytes);
                known = true;
            }
        assert_true(known);
        if (rungs[i].operations)
            assert_int_equal(rungs[i].operations(&problem), 2 * 16 * 1000 * 8);
    }
}

/* Byte counts of impossible problems saturate instead of wrapping. */
static void bytes_do_not_wrap(void **state) {
    (void)state;
    const struct wl_problem problem = {.n = UINT64_MAX,
                                       .rows = UINT64_MAX,
                                       .cols = UINT64_MAX,
                                       .m = UINT64_MAX,
                                       .k = UINT64_MAX,
                                       .nnz = UINT64_MAX,
                                       .stride = 1,
                                       .width = 16,
                                       .gpus = 4};
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++)
        assert_true(rungs[i].bytes(&problem) == UINT64_MAX);
}

/* A structure counts once with its padding and once as its fields' arrays. */
static void bytes_of_structures(void **state) {
    (void)state;
    static const struct wl_structure structure = {"f32x3+f64+i32", 32, 3, {{0, 12}, {16, 8}, {24, 4}}};
    const struct wl_problem problem = {.n = 1000, .structure = &structure};
    size_t count, found = 0;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++)
        if (strstr(rungs[i].experiment, "interleave")) {
            assert_int_equal(rungs[i].bytes(&problem), 1000 * (32 + 24));
            found++;
        }
    assert_int_equal(found, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_and_in_order),
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(default_blocks_are_the_texts),
        cmocka_unit_test(bytes_of_a_problem),
        cmocka_unit_test(bytes_do_not_wrap),
        cmocka_unit_test(bytes_of_structures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
