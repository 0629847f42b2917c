#include "tests/bench/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/inputs.h"

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t *filled(enum bench_kind kind, uint64_t seed, unsigned stream, size_t count) {
    uint32_t *values = malloc(4 * count);
    assert_non_null(values);
    bench_fill_input(kind, seed, stream, values, count);
    return values;
}

static void unique_by_index(void **state) {
    (void)state;
    enum { COUNT = 1 << 20 };
    static const enum bench_kind kinds[] = {BENCH_KIND_BITS, BENCH_KIND_FLOAT, BENCH_KIND_NORMAL};
    for (unsigned k = 0; k < 3; k++) {
        uint32_t *values = filled(kinds[k], 7, 0, COUNT), *again = filled(kinds[k], 7, 0, COUNT);
        assert_memory_equal(values, again, 4 * COUNT);
        qsort(values, COUNT, 4, ascending);
        for (size_t i = 1; i < COUNT; i++)
            assert_true(values[i - 1] < values[i]);
        free(values);
        free(again);
    }
}

static void floats_are_integers_that_add(void **state) {
    (void)state;
    enum { COUNT = 1 << 16 };
    uint32_t *values = filled(BENCH_KIND_FLOAT, 3, 1, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        float value;
        memcpy(&value, &values[i], 4);
        assert_true(value >= 1 && value <= 16777216.0f && value == (float)(int)value);
    }
    free(values);
}

static void normals_are_unchanged_by_a_product_with_1(void **state) {
    (void)state;
    enum { COUNT = 1 << 16 };
    uint32_t *values = filled(BENCH_KIND_NORMAL, 3, 1, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        float value;
        memcpy(&value, &values[i], 4);
        assert_true(isnormal(value));
    }
    free(values);
}

static void streams_and_seeds_differ(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    uint32_t *a = filled(BENCH_KIND_BITS, 1, 0, COUNT), *b = filled(BENCH_KIND_BITS, 1, 1, COUNT),
             *c = filled(BENCH_KIND_BITS, 2, 0, COUNT);
    unsigned same = 0;
    for (size_t i = 0; i < COUNT; i++)
        same += (a[i] == b[i]) + (a[i] == c[i]);
    assert_true(same < 3);
    free(a);
    free(b);
    free(c);
}

static void check_sparse(uint64_t rows, uint64_t cols, uint64_t *empty_rows, uint64_t *empty_cols) {
    uint64_t nnz = bench_sparse_entries(5, rows, cols);
    struct bench_sparse matrix = {
        .rows = rows,
        .cols = cols,
        .nnz = nnz,
        .row_starts = malloc(4 * (rows + 1)),
        .columns = malloc(4 * nnz + 4),
        .entry_rows = malloc(4 * nnz + 4),
        .values = malloc(4 * nnz + 4),
    };
    unsigned char *seen = calloc(cols + 1, 1);
    assert_non_null(seen);
    bench_sparse_fill(5, &matrix);
    assert_int_equal(matrix.row_starts[0], 0);
    assert_int_equal(matrix.row_starts[rows], nnz);
    *empty_rows = *empty_cols = 0;
    for (uint64_t r = 0; r < rows; r++) {
        *empty_rows += matrix.row_starts[r] == matrix.row_starts[r + 1];
        for (uint64_t e = matrix.row_starts[r]; e < matrix.row_starts[r + 1]; e++) {
            assert_int_equal(matrix.entry_rows[e], r);
            assert_true(matrix.columns[e] < cols);
            assert_true(e == matrix.row_starts[r] || matrix.columns[e - 1] < matrix.columns[e]);
            seen[matrix.columns[e]] = 1;
        }
    }
    for (uint64_t c = 0; c < cols; c++)
        *empty_cols += !seen[c];
    free(seen);
    free(matrix.row_starts);
    free(matrix.columns);
    free(matrix.entry_rows);
    free(matrix.values);
}

static void sparse_matrices(void **state) {
    (void)state;
    uint64_t empty_rows, empty_cols;
    check_sparse(4096, 4096, &empty_rows, &empty_cols);
    assert_true(empty_rows > 100 && empty_cols > 100);
    double average = (double)bench_sparse_entries(1, 65536, 65536) / 65536;
    assert_true(average > 15.5 && average < 16.5);
    check_sparse(1, 4097, &empty_rows, &empty_cols);
    assert_int_equal(empty_rows, 0);
    check_sparse(4097, 1, &empty_rows, &empty_cols);
    check_sparse(33, 65, &empty_rows, &empty_cols);
    check_sparse(1, 1, &empty_rows, &empty_cols);
    assert_int_equal(empty_cols, 0);
    check_sparse(0, 0, &empty_rows, &empty_cols);
    check_sparse(7, 0, &empty_rows, &empty_cols);
    check_sparse(0, 7, &empty_rows, &empty_cols);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unique_by_index),
        cmocka_unit_test(floats_are_integers_that_add),
        cmocka_unit_test(normals_are_unchanged_by_a_product_with_1),
        cmocka_unit_test(streams_and_seeds_differ),
        cmocka_unit_test(sparse_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
