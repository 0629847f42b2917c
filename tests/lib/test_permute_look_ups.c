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

static const struct {
    unsigned width, rank;
    uint64_t sizes[6];
    unsigned order[6];
    unsigned lanes, phase, pitch; /* the pitch modulo a line */
    double most;                  /* wavefronts */
} all[] = {
    /* Columns that are 128 bytes apart lie on the same banks: more lanes go along a run. */
    {1, 4, {5, 32768, 16, 8}, {1, 3, 2, 0}, 32, 128, 0, 2},
    {1, 4, {4, 66477, 43, 56}, {2, 1, 3, 0}, 16, 128, 0, 2},
    {2, 4, {5, 98, 78, 751}, {2, 1, 3, 0}, 32, 32, 96, 2.5},
    /* Loads of bytes lie further apart, those of pairs do not. */
    {1, 5, {24, 3, 7, 65536, 3}, {4, 0, 3, 2, 1}, 2, 16, 32, 3.1},
    {1, 4, {53, 14, 5155, 8}, {1, 3, 2, 0}, 4, 16, 16, 2.5},
    {1, 5, {200, 4, 5, 24869, 7}, {3, 0, 4, 2, 1}, 16, 16, 48, 2.9},
    {2, 5, {5, 512, 5, 907, 4}, {0, 1, 4, 3, 2}, 2, 128, 0, 7},
    {2, 5, {30, 11, 7, 512, 17}, {0, 2, 4, 3, 1}, 8, 16, 16, 2},
    /* They would not fit. */
    {1, 5, {11, 112, 10, 960, 7}, {3, 1, 4, 2, 0}, 8, 32, 96, 2.6},
    /* Few wavefronts are left as they are. */
    {1, 6, {49, 112, 32, 4, 10, 6}, {5, 1, 0, 2, 4, 3}, 8, 128, 0, 1.5},
};

static void lanes_have_banks_of_their_own(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct wl__permute_bulk_plan of;
        plan(&of, all[i].width, all[i].rank, all[i].sizes, all[i].order);
        assert_int_equal(of.bulk.lanes, all[i].lanes);
        assert_int_equal(of.bulk.phase, all[i].phase);
        assert_int_equal(of.bulk.pitch % WL_PERMUTE_LINE, all[i].pitch);
        assert_true(of.bulk.run_table >= of.bulk.loads * of.bulk.pitch);
        assert_int_equal(of.memory - of.bulk.barrier, 8 + sizeof(struct wl_permute_place));
        assert_true(of.blocks * (of.memory + WL_PERMUTE_RESERVED) <= WL_PERMUTE_SHARED);
        assert_true(wl__permute_look_ups_wavefronts(&of.bulk, all[i].width) <= all[i].most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_have_banks_of_their_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
