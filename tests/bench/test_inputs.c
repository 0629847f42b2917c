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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unique_by_index),
        cmocka_unit_test(floats_are_integers_that_add),
        cmocka_unit_test(normals_are_unchanged_by_a_product_with_1),
        cmocka_unit_test(streams_and_seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
