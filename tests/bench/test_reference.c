/* The references in cases that are small enough for results by hand. */
#include "tests/bench/test.h"

#include <stdlib.h>
#include <string.h>

#include "bench/reference.h"

enum { OLD = 0x5a5a5a5a };

static uint32_t bits(float value) {
    uint32_t b;
    memcpy(&b, &value, 4);
    return b;
}

static void run(enum wl_reference reference, const struct wl_problem *problem, const uint32_t *in0,
                const uint32_t *in1, uint32_t *out0) {
    const uint32_t *in[BENCH_INPUTS] = {in0, in1, NULL, NULL};
    uint32_t *out[BENCH_OUTPUTS] = {out0, NULL, NULL, NULL};
    bench_reference_of(reference)(problem, in, out);
}

static void expect(const uint32_t *got, const uint32_t *expected, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal(got[i], expected[i]);
}

static void sums(void **state) {
    (void)state;
    uint32_t a[4] = {bits(1), bits(2), bits(3), bits(4)}, b[4] = {bits(10), bits(20), bits(30), bits(40)};
    uint32_t out[4] = {OLD, OLD, OLD, OLD};
    struct wl_problem problem = {.n = 4, .stride = 1};
    run(WL_REF_ADD, &problem, a, b, out);
    expect(out, (uint32_t[]){bits(11), bits(22), bits(33), bits(44)}, 4);
    memset(out, 0x5a, sizeof out);
    problem.offset = 1;
    run(WL_REF_READ_OFFSET, &problem, a, b, out);
    expect(out, (uint32_t[]){bits(22), bits(33), bits(44), OLD}, 4);
    memset(out, 0x5a, sizeof out);
    run(WL_REF_WRITE_OFFSET, &problem, a, b, out);
    expect(out, (uint32_t[]){OLD, bits(11), bits(22), bits(33)}, 4);
    memset(out, 0x5a, sizeof out);
    problem.offset = 4;
    run(WL_REF_READ_OFFSET, &problem, a, b, out);
    run(WL_REF_WRITE_OFFSET, &problem, a, b, out);
    problem.offset = UINT64_MAX;
    run(WL_REF_READ_OFFSET, &problem, a, b, out);
    run(WL_REF_WRITE_OFFSET, &problem, a, b, out);
    expect(out, (uint32_t[]){OLD, OLD, OLD, OLD}, 4);
}

static void strides(void **state) {
    (void)state;
    uint32_t in[5] = {1, 2, 3, 4, 5}, out[5];
    struct wl_problem problem = {.n = 5, .stride = 2};
    memset(out, 0x5a, sizeof out);
    run(WL_REF_STRIDE_LOAD, &problem, in, NULL, out);
    expect(out, (uint32_t[]){1, 3, 5, OLD, OLD}, 5);
    memset(out, 0x5a, sizeof out);
    run(WL_REF_STRIDE_STORE, &problem, in, NULL, out);
    expect(out, (uint32_t[]){1, OLD, 2, OLD, 3}, 5);
    memset(out, 0x5a, sizeof out);
    problem.stride = (uint64_t)1 << 48;
    run(WL_REF_STRIDE_STORE, &problem, in, NULL, out);
    expect(out, (uint32_t[]){1, OLD, OLD, OLD, OLD}, 5);
}

static void layouts(void **state) {
    (void)state;
    uint32_t aos[4] = {bits(1), bits(2), bits(3), bits(4)}, out[4], x[2] = {bits(1), bits(3)},
             y[2] = {bits(2), bits(4)}, out_x[2], out_y[2];
    struct wl_problem problem = {.n = 2, .stride = 1};
    run(WL_REF_LAYOUT_AOS, &problem, aos, NULL, out);
    expect(out, (uint32_t[]){bits(11), bits(22), bits(13), bits(24)}, 4);
    const uint32_t *in[BENCH_INPUTS] = {NULL, x, y, NULL};
    uint32_t *outs[BENCH_OUTPUTS] = {NULL, out_x, out_y, NULL};
    bench_reference_of(WL_REF_LAYOUT_SOA)(&problem, in, outs);
    expect(out_x, (uint32_t[]){bits(11), bits(13)}, 2);
    expect(out_y, (uint32_t[]){bits(22), bits(24)}, 2);
}

static void transposes(void **state) {
    (void)state;
    uint32_t in[6] = {1, 2, 3, 4, 5, 6}, out[6];
    struct wl_problem problem = {.rows = 2, .cols = 3, .n = 6, .stride = 1};
    run(WL_REF_TRANSPOSE, &problem, in, NULL, out);
    expect(out, (uint32_t[]){1, 4, 2, 5, 3, 6}, 6);
    run(WL_REF_TRANSPOSE_COPY, &problem, in, NULL, out);
    expect(out, in, 6);
    run(WL_REF_COPY, &problem, in, NULL, out);
    expect(out, in, 6);
}

/* Sizes beyond one cache block and one thread: transposing twice gives the matrix back. */
static void transpose_twice(void **state) {
    (void)state;
    enum { ROWS = 1000, COLS = 177 };
    uint32_t *in = malloc(4 * ROWS * COLS), *once = malloc(4 * ROWS * COLS), *twice = malloc(4 * ROWS * COLS);
    assert_non_null(in);
    assert_non_null(once);
    assert_non_null(twice);
    bench_fill_input(BENCH_KIND_BITS, 1, 0, in, ROWS * COLS);
    struct wl_problem there = {.rows = ROWS, .cols = COLS}, back = {.rows = COLS, .cols = ROWS};
    run(WL_REF_TRANSPOSE, &there, in, NULL, once);
    assert_int_equal(once[5 * ROWS + 900], in[900 * COLS + 5]);
    run(WL_REF_TRANSPOSE, &back, once, NULL, twice);
    assert_memory_equal(in, twice, 4 * ROWS * COLS);
    free(in);
    free(once);
    free(twice);
}

static void tiles(void **state) {
    (void)state;
    enum { N = 1024 + 40 };
    uint32_t in[N], out[N];
    for (uint32_t i = 0; i < N; i++)
        in[i] = i + 1;
    struct wl_problem problem = {.n = N, .stride = 1};
    run(WL_REF_TILE_32x32, &problem, in, NULL, out);
    assert_int_equal(out[0], in[0]);
    assert_int_equal(out[1], in[32]);          /* out[0][1] = tile[1][0] */
    assert_int_equal(out[33 * 3], in[33 * 3]); /* the diagonal stays */
    assert_int_equal(out[31 * 32], in[31]);
    assert_int_equal(out[1024], in[1024]);
    assert_int_equal(out[1025], in[1024 + 32]); /* the partial tile has 40 elements: one row and 8 */
    assert_int_equal(out[1026], 0);             /* tile[2][0] is past the end */
    assert_int_equal(out[1024 + 32], in[1025]); /* out[1][0] = tile[0][1] */
    assert_int_equal(out[1024 + 33], in[1024 + 33]);
    /* 16 rows of 32 become 32 rows of 16. */
    run(WL_REF_TILE_32x16, &problem, in, NULL, out);
    assert_int_equal(out[0], in[0]);
    assert_int_equal(out[1], in[32]);
    assert_int_equal(out[15], in[15 * 32]);
    assert_int_equal(out[16], in[1]);
    assert_int_equal(out[511], in[511]);
    assert_int_equal(out[512 + 16], in[513]);
    run(WL_REF_TILE_COPY, &problem, in, NULL, out);
    expect(out, in, N);
}

static void products(void **state) {
    (void)state;
    /* (2 x 3) (3 x 2), with a sum that wraps. */
    uint32_t a[6] = {1, 2, 3, 4, 5, 0x80000000}, b[6] = {7, 8, 9, 10, 11, 12}, c[4];
    struct wl_problem problem = {.m = 2, .n = 3, .k = 2};
    run(WL_REF_MATMUL, &problem, a, b, c);
    expect(c, (uint32_t[]){58, 64, 4 * 7 + 5 * 9 + 0x80000000u, 4 * 8 + 5 * 10}, 4);
    problem.n = 0;
    run(WL_REF_MATMUL, &problem, a, b, c);
    expect(c, (uint32_t[]){0, 0, 0, 0}, 4);
}

/* More rows than a block and more columns than a slice, against a loop that follows the definition. */
static void product_of_odd_sizes(void **state) {
    (void)state;
    enum { M = 13, N = 37, K = 1031 };
    uint32_t *a = malloc(4 * M * N), *b = malloc(4 * N * K), *c = malloc(4 * M * K);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    bench_fill_input(BENCH_KIND_BITS, 1, 0, a, M * N);
    bench_fill_input(BENCH_KIND_BITS, 1, 1, b, N * K);
    struct wl_problem problem = {.m = M, .n = N, .k = K};
    run(WL_REF_MATMUL, &problem, a, b, c);
    for (unsigned i = 0; i < M; i++)
        for (unsigned j = 0; j < K; j++) {
            uint32_t sum = 0;
            for (unsigned p = 0; p < N; p++)
                sum += a[i * N + p] * b[p * K + j];
            assert_int_equal(c[i * K + j], sum);
        }
    free(a);
    free(b);
    free(c);
}

static void sparse(void **state) {
    (void)state;
    /* | . 1 2 |
     * | . . . |
     * | 3 . 4 | */
    uint32_t row_starts[] = {0, 2, 2, 4}, columns[] = {1, 2, 0, 2}, values[] = {1, 2, 3, 4},
             rows[] = {0, 0, 2, 2};
    uint32_t starts[4], out_rows[4], out_values[4], out_columns[4];
    const uint32_t *in[BENCH_INPUTS] = {row_starts, columns, values, rows};
    uint32_t *out[BENCH_OUTPUTS] = {starts, out_rows, out_values, out_columns};
    struct wl_problem problem = {.rows = 3, .cols = 3, .nnz = 4};
    bench_reference_of(WL_REF_CSR_TO_CSC)(&problem, in, out);
    expect(starts, (uint32_t[]){0, 1, 2, 4}, 4);
    expect(out_rows, (uint32_t[]){2, 0, 0, 2}, 4);
    expect(out_values, (uint32_t[]){3, 1, 2, 4}, 4);
    memset(out_rows, 0, sizeof out_rows);
    bench_reference_of(WL_REF_COO_TRANSPOSE)(&problem, in, out);
    expect(starts, (uint32_t[]){0, 1, 2, 4}, 4);
    expect(out_columns, (uint32_t[]){0, 1, 2, 2}, 4);
    expect(out_rows, (uint32_t[]){2, 0, 0, 2}, 4);
    expect(out_values, (uint32_t[]){3, 1, 2, 4}, 4);
}

static void nothing(void **state) {
    (void)state;
    struct wl_problem problem = {.stride = 1, .width = 4};
    uint32_t starts[1] = {OLD}, row_starts[1] = {0}, none[1];
    const uint32_t *in[BENCH_INPUTS] = {row_starts, none, none, none};
    uint32_t *out[BENCH_OUTPUTS] = {starts, none, none, none};
    for (int reference = WL_REF_COPY; reference <= WL_REF_SAME_BYTES; reference++)
        bench_reference_of((enum wl_reference)reference)(&problem, in, out);
    assert_int_equal(starts[0], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
        cmocka_unit_test(strides),
        cmocka_unit_test(layouts),
        cmocka_unit_test(transposes),
        cmocka_unit_test(transpose_twice),
        cmocka_unit_test(tiles),
        cmocka_unit_test(products),
        cmocka_unit_test(product_of_odd_sizes),
        cmocka_unit_test(sparse),
        cmocka_unit_test(nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
