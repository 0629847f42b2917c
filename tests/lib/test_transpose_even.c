/* Tables of bytes in an even number of columns whose output's rows begin anywhere: tiles with pads, of which
 * a warp takes columns that lie apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_transpose.h"
#include "device.h"
#include "without_small.h"

static struct wl__tuned *tuned;

/* Arrays from so many bytes on are moved so, from `large` on by larger tiles. */
static void take(uint32_t array, uint32_t large) {
    tuned->transpose.pieces.even.array = array;
    tuned->transpose.pieces.even.large = large;
}

static int open_with_tables(void **state) {
    const int failed = open_device(state);
    if (!failed)
        tuned = leave_out_small(context);
    return failed;
}

static const char *pieces(void) {
    return wl__has_bulk(context) ? ": pieces: " : NULL;
}

/* All numbers of columns, which end within the four times four that a warp takes, or with them; tiles of one
 * strip, two and four. */
static void columns(void **state) {
    (void)state;
    for (uint64_t cols = 64; cols <= 156; cols += 2) {
        take(0, cols % 3 ? 0 : UINT32_MAX);
        check_transpose(1,
                        (wl_transpose_layout){.rows = 1101 + cols % 7, .cols = cols, .batch = 1 + cols % 3},
                        cols % 32 | 1, cols % 5 ? 0 : 16, pieces());
    }
}

/* Rows of the output begin at each byte of a sector but its first: columns at the same one, or at others. */
static void places(void **state) {
    (void)state;
    static const uint64_t cols[] = {64, 66, 68, 72, 120, 128};
    for (unsigned n = 0; n < sizeof(cols) / sizeof(*cols); n++)
        for (unsigned shift = 1; shift < 32; shift++) {
            take(0, shift % 2 ? 0 : UINT32_MAX);
            check_transpose(1, (wl_transpose_layout){.rows = 1024, .cols = cols[n], .batch = 1}, shift, 0,
                            pieces());
            check_transpose(1, (wl_transpose_layout){.rows = 1024 + shift, .cols = cols[n], .batch = 1}, 0, 0,
                            pieces());
        }
}

/* Rows of the output with gaps, which no byte enters. */
static void gaps(void **state) {
    (void)state;
    take(0, 0);
    for (uint64_t cols = 64; cols <= 156; cols += 22) {
        wl_transpose_layout layout = {.rows = 1500, .cols = cols, .batch = 2};
        layout.to_ld = layout.rows + 7, layout.to_stride = layout.cols * layout.to_ld + 3;
        check_transpose(1, layout, 1, 0, pieces());
    }
}

/* Where others begin: arrays that are smaller, one column more, rows of the output that begin at sectors. */
static void bounds(void **state) {
    (void)state;
    const wl_transpose_layout table = {.rows = 1101, .cols = 112, .batch = 1};
    take(1101 * 112, 0);
    check_transpose(1, table, 0, 0, pieces());
    take(1101 * 112 + 1, 0);
    check_transpose(1, table, 0, 0, wl__has_bulk(context) ? ": windows: " : NULL);
    take(0, 0);
    check_transpose(1, (wl_transpose_layout){.rows = 1101, .cols = 156, .batch = 1}, 0, 0, pieces());
    check_transpose(1, (wl_transpose_layout){.rows = 1101, .cols = 160, .batch = 1}, 0, 0,
                    wl__has_bulk(context) ? ": windows: " : NULL);
    check_transpose(1, (wl_transpose_layout){.rows = 1120, .cols = 112, .batch = 1}, 0, 0,
                    wl__has_bulk(context) ? ": async: " : NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(places),
        cmocka_unit_test(gaps),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, open_with_tables, close_device);
}
