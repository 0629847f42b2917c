/* Tiles of elements that are looked up: what keeps a warp's lanes from the same banks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/permute/permute_bulk_box.h"

static void plan(struct wl__permute_bulk_plan *plan, unsigned width, unsigned rank, const uint64_t *sizes,
                 const unsigned *order) {
    const uint64_t to = UINT64_C(1) << 41, from = UINT64_C(1) << 40;
    struct wl__permute_shape shape;
    wl__permute_reduce(&shape, width, to, from, rank, sizes, order);
    assert_true(wl__permute_plan_bulk(&wl__tuned_hopper.permute, plan, &shape, to, from, true));
    assert_true(plan->narrow && !plan->words && !plan->groups && !plan->element);
}

/* Columns that are 128 bytes apart lie on the same banks: all lanes go along a run, of elements of each
 * width. */
static void more_lanes_lie_along_runs(void **state) {
    (void)state;
    struct wl__permute_bulk_plan of;
    plan(&of, 1, 4, (const uint64_t[]){5, 32768, 16, 8}, (const unsigned[]){1, 3, 2, 0});
    assert_int_equal(of.bulk.column_in, 128);
    assert_int_equal(of.bulk.lanes, 32);
    assert_true(wl__permute_look_ups_wavefronts(&of.bulk, 1) <= 2);
    plan(&of, 2, 4, (const uint64_t[]){5, 98, 78, 751}, (const unsigned[]){2, 1, 3, 0});
    assert_int_equal(of.bulk.lanes, 32);
}

/* Loads of bytes that would lie a multiple of 128 bytes apart do not; no tile is more than its block has. */
static void loads_of_bytes_lie_further_apart(void **state) {
    (void)state;
    struct wl__permute_bulk_plan of;
    plan(&of, 1, 5, (const uint64_t[]){24, 3, 7, 65536, 3}, (const unsigned[]){4, 0, 3, 2, 1});
    assert_int_equal(of.bulk.phase, WL_PERMUTE_ACCESS);
    assert_int_not_equal(of.bulk.pitch % WL_PERMUTE_LINE, 0);
    assert_true(of.memory <= WL_PERMUTE_BULK_MEMORY);
    assert_true(of.bulk.run_table >= of.bulk.loads * of.bulk.pitch);
    assert_int_equal(of.memory - of.bulk.barrier, 8 + sizeof(struct wl_permute_place));
    assert_true(wl__permute_look_ups_wavefronts(&of.bulk, 1) <= 3.1);
    plan(&of, 2, 3, (const uint64_t[]){4, 551440, 4}, (const unsigned[]){2, 1, 0});
    assert_int_equal(of.bulk.pitch % WL_PERMUTE_LINE, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_lanes_lie_along_runs),
        cmocka_unit_test(loads_of_bytes_lie_further_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
