#include "tests/bench/test.h"

#include <math.h>

#include "bench/statistics.h"

static void near(double got, double expected) {
    assert_true(fabs(got - expected) <= 1e-12);
}

static void summaries(void **state) {
    (void)state;
    double one[] = {3};
    struct bench_summary s = bench_summarise(one, 1);
    near(s.median, 3);
    near(s.iqr, 0);
    near(s.min, 3);
    assert_int_equal(s.n, 1);
    double odd[] = {5, 1, 4, 2, 3};
    s = bench_summarise(odd, 5);
    near(s.median, 3);
    near(s.iqr, 2); /* 4 - 2 */
    near(s.min, 1);
    double even[] = {4, 1, 3, 2};
    s = bench_summarise(even, 4);
    near(s.median, 2.5);
    near(s.iqr, 1.5); /* 3.25 - 1.75 */
}

static enum bench_stop feed(struct bench_samples *samples, const struct bench_stop_rule *rule, double value,
                            double cost) {
    assert_true(bench_samples_add(samples, value, cost));
    return bench_samples_stop(samples, rule);
}

static void stops_on_a_narrow_spread(void **state) {
    (void)state;
    struct bench_stop_rule rule = {0, 15};
    struct bench_samples samples = {0};
    /* Ten samples are complete long before half a second has passed. */
    for (int i = 0; i < 49; i++)
        assert_int_equal(feed(&samples, &rule, 1.0, 0.0101), BENCH_STOP_NOT);
    assert_int_equal(feed(&samples, &rule, 1.0, 0.0101), BENCH_STOP_SPREAD);
    bench_samples_free(&samples);
    /* Half a second passes long before there are ten samples. */
    for (int i = 0; i < 9; i++)
        assert_int_equal(feed(&samples, &rule, 1.0, 1), BENCH_STOP_NOT);
    assert_int_equal(feed(&samples, &rule, 1.0, 1), BENCH_STOP_SPREAD);
    bench_samples_free(&samples);
}

static void stops_when_the_spread_is_steady(void **state) {
    (void)state;
    struct bench_stop_rule rule = {0, 1000};
    struct bench_samples samples = {0};
    enum bench_stop stop = BENCH_STOP_NOT;
    int i = 0;
    for (; i < 1000 && stop == BENCH_STOP_NOT; i++)
        stop = feed(&samples, &rule, i % 2 ? 1.0 : 1.1, 0.1);
    assert_int_equal(stop, BENCH_STOP_STEADY);
    assert_string_equal(bench_stop_name(stop), "steady");
    assert_int_equal(i, 22); /* checked at 10, at 15 (where the median is 1.1, so the ratio falls), at 22 */
    bench_samples_free(&samples);
}

static void stops_at_the_cap(void **state) {
    (void)state;
    struct bench_stop_rule rule = {0, 2};
    struct bench_samples samples = {0};
    assert_int_equal(feed(&samples, &rule, 1, 1.5), BENCH_STOP_NOT);
    assert_int_equal(feed(&samples, &rule, 2, 1.5), BENCH_STOP_TIME);
    bench_samples_free(&samples);
}

static void stops_at_the_count(void **state) {
    (void)state;
    struct bench_stop_rule rule = {3, 0.001};
    struct bench_samples samples = {0};
    assert_int_equal(feed(&samples, &rule, 1, 1), BENCH_STOP_NOT);
    assert_int_equal(feed(&samples, &rule, 2, 1), BENCH_STOP_NOT);
    assert_int_equal(feed(&samples, &rule, 2, 1), BENCH_STOP_COUNT);
    bench_samples_free(&samples);
    assert_string_equal(bench_stop_name(BENCH_STOP_COUNT), "count");
    assert_null(bench_stop_name(BENCH_STOP_NOT));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries),
        cmocka_unit_test(stops_on_a_narrow_spread),
        cmocka_unit_test(stops_when_the_spread_is_steady),
        cmocka_unit_test(stops_at_the_cap),
        cmocka_unit_test(stops_at_the_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
