/* The tiles of short rows: how far apart their loads lie in shared memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/permute/permute_plan.h"
#include "lib/permute/permute_strips.h"

/* They lie as in the input, modulo a line; but not where a warp's lanes would want the same banks: then only
 * their places modulo 16 bytes are kept. */
static void loads_part_banks(void **state) {
    (void)state;
    static const struct {
        uint64_t along, row;
        unsigned apart; /* of loads, modulo a line */
    } all[] = {{512, 13, 16}, {1024, 17, 112}, {640, 21, 16}, {515, 13, 39}, {512, 77, 0}};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const uint64_t sizes[] = {60, all[i].along, all[i].row};
        struct wl__permute_shape shape;
        struct wl__permute_strips_plan plan;
        wl__permute_reduce(&shape, 1, 0, 0, 3, sizes, (const unsigned[]){1, 0, 2});
        assert_true(wl__permute_plan_strips(&wl__tuned_hopper.permute, &plan, &shape, 0, 0));
        assert_int_equal(plan.strips.pitch % WL_PERMUTE_LINE, all[i].apart);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_part_banks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
