/* The cutting of arrays for wide and shifted accesses, and of grids into slabs: checks every small case for
 * what the kernels rely on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ladder/problem.h"
#include "ladder/realign.h"
#include "ladder/slabs.h"
#include "lib/slots.h"

static void wide_cuts(void **state) {
    (void)state;
    for (unsigned width = 2; width <= 4; width *= 2)
        for (unsigned a = 0; a < 4; a++)
            for (unsigned b = 0; b < 4; b++)
                for (uint64_t n = 0; n < 20; n++) {
                    const wl_devptr arrays[] = {4096 + 4 * a, 8192 + 4 * b};
                    struct wl__cut cut = wl__cut(arrays, 2, n, width);
                    assert_true(cut.head + cut.vectors * width <= n);
                    assert_true(wl__cut_threads(&cut, n) == n - cut.vectors * (width - 1));
                    if (a % width != b % width) {
                        assert_int_equal(cut.vectors, 0);
                    } else {
                        if (cut.vectors)
                            assert_int_equal((arrays[0] + 4 * cut.head) % (4 * width), 0);
                        assert_true(n - cut.vectors * width < 2 * width);
                    }
                }
}

/* Every vector that a thread loads is inside the arrays and aligned; few elements are outside the body. */
static void realigned_cuts(void **state) {
    (void)state;
    for (unsigned place = 0; place < 64; place++)
        for (uint64_t count = 0; count < 120; count++) {
            wl_devptr out = 4096 + 4 * (place % 4 * 9), a = 8192 + 4 * (place / 4 % 4),
                      b = 12288 + 4 * (place / 16);
            struct wl__realign cut = wl__realign(out, a, b, count);
            assert_true(cut.head + 4 * cut.vectors <= count);
            /* At most one line plus the shift before the body, and less than two vectors after it. */
            if (count >= 42)
                assert_true(cut.vectors >= (count - 42) / 4);
            if (cut.vectors == 0) {
                assert_true(cut.shift_a == 0 && cut.shift_b == 0);
                continue;
            }
            assert_int_equal((out + 4 * cut.head) % 128, 0);
            const struct {
                wl_devptr array;
                uint32_t shift;
            } inputs[] = {{a, cut.shift_a}, {b, cut.shift_b}};
            for (unsigned i = 0; i < 2; i++) {
                assert_true(inputs[i].shift < 4 && inputs[i].shift <= cut.head);
                assert_int_equal((inputs[i].array + 4 * (cut.head - inputs[i].shift)) % 16, 0);
                uint64_t loaded = 4 * (cut.vectors + (inputs[i].shift != 0));
                assert_true(cut.head - inputs[i].shift + loaded <= count);
            }
        }
}

/* Every vector that a thread loads for a whole slot is inside the inputs and aligned; few slots are not
 * whole. */
static void slots_of_bytes(void **state) {
    (void)state;
    for (unsigned place = 0; place < 16 * 16 * 9; place++)
        for (uint64_t bytes = 1; bytes < 100; bytes += 1 + place % 3) {
            wl_devptr out = 4096 + place % 9 * 15, inputs[] = {8192 + place / 9 % 16, 16384 + place / 144};
            struct wl__slots slots = wl__slots(out, inputs, 2, bytes);
            assert_true(slots.line % 128 == 0 && out - slots.line == slots.lead && slots.lead < 128);
            assert_true(slots.end == slots.lead + bytes && slots.count == (slots.end + 15) / 16);
            assert_true(slots.first <= slots.last);
            if (bytes >= 80)
                assert_true(16 * (slots.last - slots.first) >= bytes - 64);
            if (slots.first == slots.last)
                continue;
            assert_true(16 * slots.first >= slots.lead && 16 * slots.last <= slots.end);
            for (unsigned i = 0; i < 2; i++) {
                wl_devptr begin = inputs[i] - slots.lead + 16 * slots.first,
                          end = inputs[i] - slots.lead + 16 * slots.last;
                assert_true(begin / 16 * 16 >= inputs[i] && (end + 15) / 16 * 16 <= inputs[i] + bytes);
            }
        }
}

/* Slabs cover the items once, in order, within a launch's limits. */
static void slabs_cover(void **state) {
    (void)state;
    static const uint64_t extents[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {100, 7}, {96, 64}, {97, 65}};
    for (size_t i = 0; i < sizeof(extents) / sizeof(extents[0]); i++) {
        struct wl__slabs slabs;
        uint64_t area = 0;
        wl__slabs_start(&slabs, extents[i][0], extents[i][1], 8, 4, 3, 4);
        for (; wl__slabs_more(&slabs); wl__slabs_next(&slabs)) {
            assert_in_range(slabs.grid_x, 1, 3);
            assert_in_range(slabs.grid_y, 1, 4);
            assert_true(slabs.x % 24 == 0 && slabs.y % 16 == 0);
            assert_true(slabs.x + slabs.slab_width <= extents[i][0]);
            assert_true(slabs.y + slabs.slab_height <= extents[i][1]);
            assert_in_range(slabs.grid_x * 8 - slabs.slab_width, 0, 7);
            assert_in_range(slabs.grid_y * 4 - slabs.slab_height, 0, 3);
            area += (uint64_t)slabs.slab_width * slabs.slab_height;
        }
        assert_true(area == extents[i][0] * extents[i][1]);
    }
}

/* Coordinates in a slab fit into 31 bits, for any tile. */
static void slabs_stay_in_32_bits(void **state) {
    (void)state;
    static const uint32_t tiles[] = {1, 16, 64, 1000, 4096};
    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
        struct wl__slabs slabs;
        uint64_t width = ((uint64_t)1 << 34) + 3, covered = 0;
        wl__slabs_start(&slabs, width, 1, tiles[i], 1, WL_GRID_X_LIMIT, WL_GRID_Y_LIMIT);
        for (; wl__slabs_more(&slabs); wl__slabs_next(&slabs)) {
            assert_true(slabs.slab_width <= (uint32_t)1 << 31);
            covered += slabs.slab_width;
        }
        assert_true(covered == width);
    }
}

static void saturating(void **state) {
    (void)state;
    assert_true(wl__multiply(3, 5) == 15);
    assert_true(wl__multiply(UINT64_MAX, 2) == UINT64_MAX);
    assert_true(wl__multiply(UINT64_MAX, 0) == 0);
    assert_true(wl__add(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(wl__add(2, 1) == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_cuts),
        cmocka_unit_test(realigned_cuts),
        cmocka_unit_test(slots_of_bytes),
        cmocka_unit_test(slabs_cover),
        cmocka_unit_test(slabs_stay_in_32_bits),
        cmocka_unit_test(saturating),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
