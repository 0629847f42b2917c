/* Pages of device memory, to the last unit of a page and the last page of a range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/exec/memory/pages.h"

enum { PAGE = SIM_PAGE_BYTES, UNIT = 512, LARGEST = (1 << 20) - UNIT }; /* of the pieces that share pages */

/* Takes all available pages, one by one; returns their number. */
static size_t take_all(struct sim_pages *pages, uint64_t *taken, size_t room) {
    size_t count = 0;
    for (uint64_t base; (base = sim_pages_take(pages, PAGE, true)); count++) {
        assert_true(count < room);
        assert_true(!count || base == taken[count - 1] - PAGE);
        taken[count] = base;
    }
    return count;
}

/* Ranges of several lengths: what follows the last page's mark in memory differs. */
static void last_page(void **state) {
    (void)state;
    for (size_t wanted = 2; wanted < 60; wanted++) {
        struct sim_pages *pages = sim_pages_create(wanted * PAGE);
        assert_non_null(pages);
        uint64_t taken[60];
        const size_t count = take_all(pages, taken, 60);
        assert_true(count + 1 >= wanted && count <= wanted);
        const uint64_t end = taken[0] + PAGE, begin = taken[count - 1];
        assert_true(sim_pages_hold(pages, end - 1, 1));
        assert_true(sim_pages_hold(pages, begin, end - begin));
        assert_false(sim_pages_hold(pages, begin, end - begin + 1));
        assert_false(sim_pages_hold(pages, end - 1, 2));
        assert_false(sim_pages_hold(pages, end, 0));
        assert_false(sim_pages_hold(pages, end, 1));
        assert_false(sim_pages_hold(pages, begin - 1, 1));
        assert_false(sim_pages_hold(pages, begin - 1, 2));
        /* All of them at once, and not one more. */
        for (size_t i = 0; i < count; i++)
            sim_pages_give(pages, taken[i], PAGE, false);
        assert_false(sim_pages_hold(pages, begin, 1));
        assert_true(sim_pages_take(pages, (count + 1) * PAGE, true) == 0);
        assert_true(sim_pages_take(pages, count * PAGE + 1, true) == 0);
        assert_true(sim_pages_take(pages, SIZE_MAX / 2, true) == 0);
        assert_true(sim_pages_take(pages, count * PAGE, true) == begin);
        sim_pages_destroy(pages);
    }
}

static void no_range(void **state) {
    (void)state;
    assert_null(sim_pages_create(0));
    assert_null(sim_pages_create(2 * (uint64_t)PAGE - 1));
    /* More addresses than exist: as close to that as possible. */
    struct sim_pages *pages = sim_pages_create(SIZE_MAX / 2);
    if (pages) {
        assert_true(sim_pages_take(pages, PAGE, true) != 0);
        sim_pages_destroy(pages);
    }
}

static struct sim_pages *create(void) {
    struct sim_pages *pages = sim_pages_create(64 * (uint64_t)PAGE);
    assert_non_null(pages);
    return pages;
}

/* A shared page holds pieces up to its last unit; the next piece is in the page below. */
static void last_unit(void **state) {
    (void)state;
    struct sim_pages *pages = create();
    const uint64_t first = sim_pages_take(pages, UNIT, true);
    assert_true(first && first % PAGE == 0);
    assert_true(sim_pages_take(pages, LARGEST, true) == first + UNIT);
    assert_true(sim_pages_take(pages, LARGEST, true) == first + UNIT + LARGEST);
    assert_true(sim_pages_take(pages, UNIT, true) == first + PAGE - UNIT);
    /* The first and the last unit are free, but there is no room for a piece of two. */
    sim_pages_give(pages, first, UNIT, false);
    sim_pages_give(pages, first + PAGE - UNIT, UNIT, false);
    assert_true(sim_pages_take(pages, UNIT + 1, true) == first - PAGE);
    assert_true(sim_pages_take(pages, UNIT, false) == first - 2 * PAGE); /* which shares with neither */
    sim_pages_give(pages, first - PAGE, UNIT + 1, false);
    assert_true(sim_pages_take(pages, UNIT, true) == first);
    assert_true(sim_pages_take(pages, UNIT, true) == first + PAGE - UNIT);
    /* A hole of two in the middle. */
    sim_pages_give(pages, first, UNIT, false);
    sim_pages_give(pages, first + UNIT, LARGEST, false);
    assert_true(sim_pages_take(pages, LARGEST - UNIT, true) == first);
    assert_true(sim_pages_take(pages, UNIT + 1, true) == first + LARGEST - UNIT);
    assert_true(sim_pages_take(pages, UNIT, true) == first - PAGE);
    sim_pages_destroy(pages);
}

/* A piece returns to its own page, also from the first unit of a page above another. */
static void neighbours(void **state) {
    (void)state;
    struct sim_pages *pages = create();
    const uint64_t upper = sim_pages_take(pages, LARGEST, true);
    assert_true(sim_pages_take(pages, LARGEST, true) && sim_pages_take(pages, 2 * UNIT, true));
    const uint64_t lower = sim_pages_take(pages, UNIT, true);
    assert_true(lower == upper - PAGE);
    sim_pages_give(pages, upper, LARGEST, false);
    assert_true(sim_pages_hold(pages, upper, PAGE));
    sim_pages_give(pages, upper + LARGEST, LARGEST, false);
    sim_pages_give(pages, upper + PAGE - 2 * UNIT, 2 * UNIT, false);
    assert_false(sim_pages_hold(pages, upper, 1));
    assert_true(sim_pages_hold(pages, lower, PAGE));
    sim_pages_give(pages, lower, UNIT, false);
    assert_false(sim_pages_hold(pages, lower, 1));
    sim_pages_destroy(pages);
}

/* From 1 MiB on a piece has its own pages. */
static void own_pages(void **state) {
    (void)state;
    struct sim_pages *pages = create();
    const uint64_t shared = sim_pages_take(pages, (1 << 20) - 1, true);
    assert_true(sim_pages_take(pages, 1 << 20, true) == shared - PAGE);
    assert_true(sim_pages_take(pages, UNIT, true) == shared + (1 << 20));
    assert_true(sim_pages_take(pages, PAGE, true) == shared - 2 * PAGE);
    assert_true(sim_pages_take(pages, PAGE + 1, true) == shared - 4 * PAGE);
    sim_pages_give(pages, shared - PAGE, 1 << 20, false);
    assert_false(sim_pages_hold(pages, shared - PAGE, 1));
    assert_true(sim_pages_hold(pages, shared, 1));
    sim_pages_give(pages, shared, (1 << 20) - 1, false);
    assert_true(sim_pages_take(pages, UNIT, true) == shared);
    sim_pages_destroy(pages);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_page),  cmocka_unit_test(no_range),  cmocka_unit_test(last_unit),
        cmocka_unit_test(neighbours), cmocka_unit_test(own_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
