/* wl_csr_transpose by ranges of columns: which matrices go so, and that all others are sorted after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "csr.h"
#include "device.h"
#include "lib/sparse/ranges.h"
#include "lib/sparse/ranges_parameters.h"

enum { ROWS = 20000 };

/* A matrix like one of a grid: `each` entries a row, of which `places` lie on each of as many diagonals. */
static struct matrix grid(uint64_t rows, uint64_t cols, unsigned each, unsigned diagonals,
                          unsigned index_bytes, unsigned width) {
    const wl_sparse_shape shape = {rows, cols, rows * each, index_bytes, width};
    struct matrix m = {.shape = shape, .starts = allocated((rows + 1) * 8)};
    m.rows = allocated(8 * shape.entries);
    m.cols = allocated(8 * shape.entries);
    m.values = allocated(shape.entries * width);
    for (uint64_t i = 0; i < shape.entries; i++) {
        const uint64_t row = i / each, diagonal = i % each % diagonals;
        m.rows[i] = row;
        m.cols[i] = (row * cols / rows + diagonal * (cols / diagonals) + draw(3)) % cols;
    }
    for (uint64_t row = 0; row <= rows; row++)
        m.starts[row] = row * each;
    for (uint64_t i = 0; i < shape.entries * width; i++)
        m.values[i] = (unsigned char)draw(256);
    return m;
}

static void expect(struct matrix *m, bool by_ranges) {
    if (run_case(m, true) != by_ranges)
        fail_msg("%llu x %llu went by %s", (unsigned long long)m->shape.rows,
                 (unsigned long long)m->shape.cols, by_ranges ? "a sort" : "ranges");
    free_matrix(m);
}

/* Each width and kind of index; sizes that are no multiples of ranges and groups. */
static void grids_go_by_ranges(void **state) {
    (void)state;
    static const unsigned widths[] = {0, 1, 2, 4, 8, 16};
    for (unsigned i = 0; i < 12; i++) {
        if (left_to_release())
            continue;
        state_of_random = i;
        struct matrix m = grid(ROWS + draw(200), ROWS - draw(200), 1 + (unsigned)draw(20),
                               1 + (unsigned)draw(4), i % 2 ? 4 : 8, widths[i / 2]);
        expect(&m, true);
    }
}

/* Ranges of each size, from many entries in each column to one. */
static void ranges_have_each_size(void **state) {
    (void)state;
    for (unsigned each = 1; each <= 32; each *= 2) {
        if (left_to_release())
            continue;
        state_of_random = each;
        struct matrix m = grid(5000, 5000, each, 1, 4, 4);
        expect(&m, true);
    }
}

/* Puts entries of a grid's rows `first` to `first + count - 1` in one column. */
static void gather(struct matrix *m, uint64_t first, uint64_t count, uint64_t column) {
    for (uint64_t i = m->starts[first]; i < m->starts[first + count]; i++)
        m->cols[i] = column;
}

static void a_long_column_is_sorted(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    for (unsigned extra = 0; extra < 2; extra++) {
        struct matrix m = grid(ROWS, ROWS, 1, 1, 4, 4);
        /* Nothing else lies in the column. */
        for (uint64_t i = 0; i < m.shape.entries; i++)
            m.cols[i] = i;
        gather(&m, 1000, WL_COLUMN_MOST + extra, 1000);
        expect(&m, extra == 0);
    }
}

/* A range with one entry more than a block has room for. Each column of it has its share. */
static void a_full_range_is_sorted(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    for (unsigned extra = 0; extra < 2; extra++) {
        struct matrix m = grid(ROWS, ROWS, 2, 1, 4, 1);
        for (uint64_t i = 0; i < m.shape.entries; i++)
            m.cols[i] = i < WL_RANGE_ENTRIES + extra ? i % (1u << WL_RANGES_BITS) : m.rows[i];
        expect(&m, extra == 0);
    }
}

/* A range with entries of one group more than its list has room for. */
static void a_range_of_many_groups_is_sorted(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    for (unsigned extra = 0; extra < 2; extra++) {
        struct matrix m = grid(ROWS, ROWS, 1, 1, 8, 2);
        for (uint64_t i = 0; i < m.shape.entries; i++)
            m.cols[i] = ROWS / 2 + i / 2;
        for (uint64_t group = 0; group < WL_RANGE_GROUPS + extra; group++)
            m.cols[group * WL_GROUP] = group;
        expect(&m, extra == 0);
    }
}

/* All entries of a group have one position, so WL_POSITION_RANGES of them may lie in ranges of their own. */
static void a_group_with_many_ranges_is_sorted(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    for (unsigned extra = 0; extra < 2; extra++) {
        struct matrix m = grid(50000, 50000, 1, 1, 4, 0);
        /* The group's other entries lie in the first range. */
        for (uint64_t i = 0; i < WL_POSITION_RANGES + extra; i++)
            m.cols[i] = i << WL_RANGES_BITS;
        expect(&m, extra == 0);
    }
}

static void a_long_row_is_sorted(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    for (unsigned extra = 0; extra < 2; extra++) {
        struct matrix m = grid(ROWS, ROWS, 1, 1, 4, 4);
        /* Row 70 takes the entries of the rows after it. */
        for (uint64_t row = 71; row < 70 + WL_ROW_MOST + extra; row++)
            m.starts[row] = 70 + WL_ROW_MOST + extra;
        for (uint64_t i = 70; i < 70 + WL_ROW_MOST + extra; i++) {
            m.rows[i] = 70;
            m.cols[i] = i;
        }
        expect(&m, extra == 0);
    }
}

/* The survey would read the starts of all rows, which may be far more than there are entries. */
static void a_grid_among_empty_rows_is_sorted(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    enum { SOME = 5000, RANGES = 3 };
    for (unsigned extra = 0; extra < 2; extra++) {
        struct matrix m = grid(SOME, SOME, 1, 1, 4, 4);
        m.shape.rows = RANGES * WL_RANGE_GROUPS * WL_GROUP + extra;
        m.starts = realloc(m.starts, (m.shape.rows + 1) * 8);
        assert_non_null(m.starts);
        for (uint64_t row = SOME; row <= m.shape.rows; row++)
            m.starts[row] = m.shape.entries;
        expect(&m, extra == 0);
    }
}

static void what_is_not_a_grid_is_sorted(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    const wl_sparse_shape shape = {ROWS, ROWS, 4 * ROWS, 4, 4};
    struct matrix m = make_matrix(shape, UNIFORM);
    expect(&m, false);
}

int main(void) {
    wl__ranges_least = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_go_by_ranges),
        cmocka_unit_test(ranges_have_each_size),
        cmocka_unit_test(a_long_column_is_sorted),
        cmocka_unit_test(a_full_range_is_sorted),
        cmocka_unit_test(a_range_of_many_groups_is_sorted),
        cmocka_unit_test(a_group_with_many_ranges_is_sorted),
        cmocka_unit_test(a_long_row_is_sorted),
        cmocka_unit_test(a_grid_among_empty_rows_is_sorted),
        cmocka_unit_test(what_is_not_a_grid_is_sorted),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
