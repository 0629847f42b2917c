/* malloc and free in kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const char *ptx;

static void start(struct harness *h, size_t limit) {
    harness_open(h, ptx);
    h->with.heap = sim_heap_create(h->memory, limit);
    assert_non_null(h->with.heap);
}

static void stop(struct harness *h) {
    sim_heap_destroy(h->with.heap);
    harness_close(h);
}

static void test_lists(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct harness h;
        start(&h, 1 << 20);
        h.with.threads = threads;
        uint64_t *sums = harness_buffer(&h, 256 * 8);
        int length = 9;
        assert_true(harness_launch(&h, "lists", 4, 64, 0, (const void *[]){&sums, &length}));
        for (uint64_t b = 0; b < 4; b++)
            for (uint64_t t = 0; t < 64; t++)
                assert_int_equal(sums[64 * b + t], 36 + 9 * (b + t));
        stop(&h);
    }
}

/* Later launches may use what one has allocated; a full heap gives NULL. */
static void test_kept(void **state) {
    (void)state;
    struct harness h;
    start(&h, 16 * 112);
    char **kept = harness_buffer(&h, 32 * sizeof *kept);
    int *sums = harness_buffer(&h, 32 * sizeof *sums);
    uint64_t size = 100; /* takes 112 */
    assert_true(harness_launch(&h, "take", 1, 32, 0, (const void *[]){&kept, &size}));
    for (int t = 0; t < 32; t++)
        assert_int_equal(kept[t] != NULL, t < 16);
    assert_true(harness_launch(&h, "give_back", 1, 32, 0, (const void *[]){&kept, &sums, &size}));
    for (int t = 0; t < 32; t++)
        assert_int_equal(sums[t], t < 16 ? 4950 + 100 * t : 0);
    assert_true(harness_launch(&h, "take", 1, 16, 0, (const void *[]){&kept, &size}));
    for (int t = 0; t < 16; t++)
        assert_non_null(kept[t]);
    size = 0;
    assert_true(harness_launch(&h, "take", 1, 1, 0, (const void *[]){&kept, &size}));
    assert_null(kept[0]);
    size = UINT64_MAX;
    assert_true(harness_launch(&h, "take", 1, 1, 0, (const void *[]){&kept, &size}));
    assert_null(kept[0]);
    stop(&h);
}

static void test_without_heap(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    char **kept = harness_buffer(&h, 8);
    uint64_t size = 8;
    assert_true(harness_launch(&h, "take", 1, 1, 0, (const void *[]){&kept, &size}));
    assert_null(kept[0]);
    harness_close(&h);
}

static void test_limit(void **state) {
    (void)state;
    struct harness h;
    start(&h, 0);
    char **kept = harness_buffer(&h, 8);
    uint64_t size = 64;
    assert_true(sim_heap_set_limit(h.with.heap, 64));
    assert_true(harness_launch(&h, "take", 1, 1, 0, (const void *[]){&kept, &size}));
    assert_non_null(kept[0]);
    assert_false(sim_heap_set_limit(h.with.heap, 128));
    stop(&h);
}

static void test_faults(void **state) {
    (void)state;
    struct harness h;
    start(&h, 1 << 20);
    int *out = harness_buffer(&h, 4);
    assert_false(harness_launch(&h, "past_the_end", 1, 1, 0, (const void *[]){&out}));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_non_null(strstr(h.fault.text, "1 byte after allocation"));
    assert_false(harness_launch(&h, "after_free", 1, 1, 0, (const void *[]){&out}));
    assert_int_equal(h.fault.kind, SIM_FAULT_ADDRESS);
    assert_non_null(strstr(h.fault.text, "byte 12 of freed allocation"));
    char **kept = harness_buffer(&h, 8);
    uint64_t size = 40;
    assert_true(harness_launch(&h, "take", 1, 1, 0, (const void *[]){&kept, &size}));
    assert_false(harness_launch(&h, "free_inside", 1, 1, 0, (const void *[]){&kept}));
    assert_non_null(strstr(h.fault.text, "which malloc did not return: byte 16 of"));
    assert_true(harness_launch(&h, "free_twice", 1, 1, 0, (const void *[]){&kept}));
    assert_false(harness_launch(&h, "free_twice", 1, 1, 0, (const void *[]){&kept}));
    assert_non_null(strstr(h.fault.text, "byte 0 of freed allocation"));
    stop(&h);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists), cmocka_unit_test(test_kept),   cmocka_unit_test(test_without_heap),
        cmocka_unit_test(test_limit), cmocka_unit_test(test_faults),
    };
    ptx = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
