/* Copies of rows in several dimensions: how dimensions are joined, and every kernel with each number of
 * dimensions, against plain loops.  On the simulator, or the device that WIDELOAD_DEVICE names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "device.h"
#include "lib/copy/rows.h"

static void joined(void **state) {
    (void)state;
    /* Sizes for one pass, contiguous rows that become longer, and dimensions that become one. */
    static const struct {
        struct wl__rows given, expected;
    } cases[] = {
        {{1, 2, 10, 0, {{0}}}, {1, 2, 10, 0, {{0}}}},
        {{1, 2, 10, 2, {{1, 77, 88}, {1, 99, 5}}}, {1, 2, 10, 0, {{0}}}},
        {{1, 2, 10, 1, {{7, 10, 10}}}, {1, 2, 70, 0, {{0}}}},
        {{1, 2, 10, 1, {{7, 10, 11}}}, {1, 2, 10, 1, {{7, 10, 11}}}},
        {{1, 2, 10, 3, {{7, 10, 10}, {1, 5, 6}, {4, 70, 80}}}, {1, 2, 70, 1, {{4, 70, 80}}}},
        {{1, 2, 10, 2, {{7, 20, 30}, {4, 140, 210}}}, {1, 2, 10, 1, {{28, 20, 30}}}},
        {{1, 2, 10, 2, {{7, 20, 30}, {4, 140, 211}}}, {1, 2, 10, 2, {{7, 20, 30}, {4, 140, 211}}}},
        {{1, 2, 10, 3, {{7, 20, 70}, {7, 140, 10}, {4, 980, 490}}},
         {1, 2, 10, 3, {{7, 20, 70}, {7, 140, 10}, {4, 980, 490}}}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wl__rows rows = cases[i].given;
        const struct wl__rows *expected = &cases[i].expected;
        wl__rows_join(&rows);
        assert_int_equal(rows.rank, expected->rank);
        assert_true(rows.row_bytes == expected->row_bytes && rows.to == 1 && rows.from == 2);
        for (unsigned k = 0; k < rows.rank; k++)
            assert_memory_equal(&rows.outer[k], &expected->outer[k], sizeof(rows.outer[k]));
    }
}

/* Rows are dense in `to`, in reverse order of dimensions in `from`, with `slack` bytes after each row. */
static void copy(unsigned rank, const uint64_t *sizes, uint64_t row_bytes, uint64_t slack, unsigned to_shift,
                 unsigned from_shift) {
    struct wl__rows rows = {.row_bytes = row_bytes, .rank = rank};
    uint64_t count = 1;
    for (unsigned i = 0; i < rank; i++) {
        rows.outer[i] = (struct wl__rows_dimension){sizes[i], count * row_bytes, 0};
        count *= sizes[i];
    }
    uint64_t pitch = row_bytes + slack;
    for (unsigned i = rank; i-- > 0; pitch *= sizes[i])
        rows.outer[i].from_pitch = pitch;
    struct array in = array_make(context, (from_shift + pitch) / 4 + 1, 0, 5),
                 out = array_make(context, (to_shift + count * row_bytes) / 4 + 1, 0, 6);
    rows.to = out.device + to_shift;
    rows.from = in.device + from_shift;
    char *to = (char *)array_words(&out) + to_shift;
    const char *from = (const char *)array_words(&in) + from_shift;
    for (uint64_t row = 0; row < count; row++) {
        uint64_t rest = row, at = 0;
        for (unsigned i = 0; i < rank; rest /= sizes[i++])
            at += rest % sizes[i] * rows.outer[i].from_pitch;
        memcpy(to + row * row_bytes, from + at, row_bytes);
    }
    char what[128];
    snprintf(what, sizeof(what), "rank %u, rows of %llu and %llu more, +%u to +%u", rank,
             (unsigned long long)row_bytes, (unsigned long long)slack, from_shift, to_shift);
    wl__rows_join(&rows);
    if (wl__rows_move(context, &(struct wl__choice){.operation = "rows"}, &rows, NULL) ||
        wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
    array_compare(context, &out, what);
    array_compare(context, &in, what);
    array_free(context, &out);
    array_free(context, &in);
}

static void every_rank(void **state) {
    (void)state;
    static const uint64_t sizes[WL_ROWS_RANK] = {3, 2, 5, 2, 3, 2, 4};
    /* Lengths on both sides of the strategies' limits. */
    static const uint64_t lengths[] = {16, 64, 336, 8, 24, 328, 4, 60, 324, 2, 30, 514, 1, 33, 211};
    for (unsigned rank = 1; rank <= WL_ROWS_RANK; rank++)
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            uint64_t length = lengths[i], step = length & -length;
            copy(rank, sizes, length, 0, 0, 0);
            copy(rank, sizes, length, step, 0, (unsigned)step);
            copy(rank, sizes, length, 3 * step, (unsigned)step, 0);
        }
}

/* Sizes whose reciprocals are rounded. */
static void sizes_that_divide_badly(void **state) {
    (void)state;
    static const uint64_t sizes[][3] = {{1021, 3, 2}, {7, 641, 3}, {2, 3, 1009}, {6700, 1, 1}, {255, 17, 2}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (uint64_t length = 12; length < 24; length += 4)
            copy(3, sizes[i], length, 4, 4, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined),
        cmocka_unit_test(every_rank),
        cmocka_unit_test(sizes_that_divide_badly),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
