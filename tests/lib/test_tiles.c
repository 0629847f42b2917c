/* The cutting of a batch of matrices into launches and tiles: each tile belongs to exactly one block, and
 * each element to exactly one tile, however few blocks a launch may have.  And the tiles of long rows that
 * are stored by whole chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/transpose/problem.h"
#include "lib/transpose/tiles.h"

#define ROWS  70
#define COLS  50
#define BATCH 4

/* Removes the tile from the remaining part of the launch's matrices. */
static void take(uint8_t *left, const struct wl_transpose_tiles *launch, uint32_t block, unsigned matrices) {
    struct wl_tile tile = wl_find_tile(launch, block);
    if (!wl_is_tile(launch, &tile))
        return;
    uint64_t matrix = launch->from_stride ? (tile.from - launch->from) / launch->from_stride : 0;
    assert_true(matrix < matrices && tile.down < launch->tiles_down && tile.across < launch->tiles_across);
    assert_true(tile.to - launch->to == matrix * launch->to_stride);
    size_t at = (matrix * launch->tiles_down + tile.down) * launch->tiles_across + tile.across;
    assert_int_equal(left[at], 1);
    left[at] = 0;
}

static void check(const wl_transpose_layout *layout, struct wl__tile_shape shape, uint32_t limit) {
    static uint8_t covered[BATCH][ROWS][COLS], left[BATCH * ROWS * COLS * 4];
    const wl_devptr to = 1 << 20, from = (1 << 21) + 154;
    const unsigned width = 2;
    memset(covered, 0, sizeof(covered));
    struct wl__tiles tiles;
    struct wl_transpose_tiles launch;
    wl__tiles_start(&tiles, shape, width, to, from, layout, &(struct wl__digits){0}, limit);
    while (wl__tiles_next(&tiles, &launch)) {
        const uint32_t blocks = launch.blocks;
        assert_true(blocks >= 1 && blocks <= limit);
        /* Only the last band, and the first and last stretch, have blocks without a tile. */
        const uint32_t stretch = launch.paired ? 2 * launch.apart : 1;
        uint32_t down = (launch.tiles_down + launch.band - 1) / launch.band * launch.band;
        uint32_t across = (launch.late + launch.tiles_across + stretch - 1) / stretch * stretch,
                 each = down * across;
        unsigned matrices = blocks / each;
        assert_int_equal(blocks, matrices * each);
        /* The launch covers its rows even if its tiles begin `extra` rows early; and no tile is empty. */
        assert_true((uint64_t)launch.tiles_down * shape.rows >= launch.rows + shape.extra);
        assert_true((uint64_t)(launch.tiles_down - 1) * shape.rows < launch.rows + shape.extra);
        assert_true((uint64_t)launch.tiles_across * shape.cols >= launch.cols);
        assert_true((uint64_t)(launch.tiles_across - 1) * shape.cols < launch.cols);
        const size_t tiles_all = (size_t)matrices * launch.tiles_down * launch.tiles_across;
        memset(left, 1, tiles_all);
        for (uint32_t block = 0; block < blocks; block++)
            take(left, &launch, block, matrices);
        for (size_t tile = 0; tile < tiles_all; tile++)
            assert_int_equal(left[tile], 0);

        uint64_t first = (launch.from - from) / width, there = (launch.to - to) / width;
        uint64_t matrix = first / layout->from_stride, row = first % layout->from_stride / layout->from_ld;
        uint64_t col = first % layout->from_stride % layout->from_ld;
        assert_true(there == matrix * layout->to_stride + col * layout->to_ld + row);
        for (uint64_t b = 0; b < matrices; b++)
            for (uint64_t r = 0; r < launch.rows; r++)
                for (uint64_t c = 0; c < launch.cols; c++)
                    covered[matrix + b][row + r][col + c]++;
    }
    for (uint64_t b = 0; b < layout->batch; b++)
        for (uint64_t r = 0; r < layout->rows; r++)
            for (uint64_t c = 0; c < layout->cols; c++)
                assert_int_equal(covered[b][r][c], 1);
}

static void every_cut(void **state) {
    (void)state;
    static const uint32_t limits[] = {1, 2, 3, 5, 7, 12, 30, 100, 1000000};
    static const struct wl__tile_shape shapes[] = {
        {8, 8, 0, 0, 0, 0},  {8, 4, 7, 1, 2, 0},     {5, 7, 3, 2, 4, 0}, {1, 1, 0, 4, 7, 0},
        {1, 1, 0, 16, 0, 0}, {64, 64, 31, 32, 1, 0}, {1, 1, 0, 0, 35, 0}};
    static const uint64_t sizes[][2] = {{1, 1}, {8, 8}, {9, 7}, {70, 50}, {1, 50}, {70, 1}, {33, 49}};
    for (unsigned l = 0; l < sizeof(limits) / sizeof(*limits); l++)
        for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
            for (unsigned n = 0; n < sizeof(sizes) / sizeof(*sizes); n++)
                for (uint64_t batch = 1; batch <= BATCH; batch += 3) {
                    uint64_t rows = sizes[n][0], cols = sizes[n][1];
                    wl_transpose_layout layout = {
                        rows, cols, cols + 3, rows + 5, batch, rows * (cols + 3) + 2, cols * (rows + 5) + 1};
                    check(&layout, shapes[s], limits[l]);
                }
}

static void check_division(uint32_t n, uint32_t count) {
    uint32_t rest, quotient = wl_divide(n, wl_divisor(count), &rest);
    assert_int_equal(quotient, n / count);
    assert_int_equal(rest, n % count);
}

/* Divisions by multiplication in the tightest cases: dividends next to multiples. */
static void divisions(void **state) {
    (void)state;
    static const uint32_t counts[] = {1,          2,          3,          7,         641,
                                      65535,      65536,      65537,      1000003,   16777213,
                                      1073741823, 2147483647, 2147483648, 4294967295};
    for (unsigned c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
        uint64_t count = counts[c], step = UINT32_MAX / count / 100000 + 1;
        for (uint64_t q = 0; q * count <= UINT32_MAX; q += step)
            for (int64_t near = -1; near <= 1; near++) {
                int64_t n = (int64_t)(q * count) + near;
                if (n >= 0 && n <= UINT32_MAX)
                    check_division((uint32_t)n, (uint32_t)count);
            }
        check_division(UINT32_MAX, (uint32_t)count);
    }
}

struct long_rows {
    unsigned width;
    uint64_t rows, cols, batch, past; /* where rows of the output begin in a chunk, in bytes */
    uint32_t strips;
};

/* Tuned as for a Hopper GPU. */
static struct wl__problem problem_of(const struct long_rows *of) {
    return (struct wl__problem){
        .tuned = &wl__tuned_for(90)->transpose,
        .width = of->width,
        .row = (unsigned)__builtin_ctz(of->width),
        .to_places = of->past,
        .layout = {.rows = of->rows, .cols = of->cols, .batch = of->batch},
    };
}

/* Whether tiles of whole chunks have so many strips, on multiprocessors with so many KB of shared memory. */
static bool have_strips(const struct long_rows *of, unsigned shared) {
    wl_context context = {.shared_each = shared << 10};
    struct wl__problem problem = problem_of(of);
    problem.context = &context;
    return wl__chunk_strips(&problem) == of->strips;
}

/* Both sides of each bound. */
static void chunks(void **state) {
    (void)state;
    static const struct long_rows cases[] = {
        /* Bytes of all, of a row of the output, and tiles. */
        {8, 209716, 40, 1, 8, 4},
        {8, 209715, 40, 1, 8, 0},
        {4, 102400, 30, 6, 4, 4},
        {4, 102399, 30, 6, 4, 0},
        {8, 192000, 64, 1, 8, 4},
        {8, 191999, 64, 1, 8, 0},
        /* Columns and bytes of a row of the input, by width. */
        {1, 5000001, 19, 1, 1, 16},
        {1, 6000001, 17, 1, 1, 0},
        {1, 5000001, 63, 1, 1, 4},
        {1, 5000001, 65, 1, 1, 0},
        {2, 5000001, 9, 1, 2, 16},
        {2, 9000001, 7, 1, 2, 0},
        {2, 2000001, 127, 1, 2, 4},
        {2, 2000001, 129, 1, 2, 0},
        {4, 5000001, 10, 1, 4, 8},
        {4, 5000001, 9, 1, 4, 0},
        {4, 2000001, 100, 1, 4, 4},
        {4, 2000001, 101, 1, 4, 0},
        {8, 5000001, 10, 1, 8, 8},
        {8, 5000001, 9, 1, 8, 0},
        {8, 2000001, 137, 1, 8, 4},
        {8, 2000001, 138, 1, 8, 0},
        {16, 5000001, 4, 1, 16, 16},
        {16, 5000001, 3, 1, 16, 0},
        {16, 2000001, 67, 1, 16, 4},
        {16, 2000001, 69, 1, 16, 0},
        /* Bank conflicts. */
        {1, 5000001, 20, 1, 1, 0},
        {2, 5000001, 16, 1, 2, 0},
        {2, 5000001, 20, 1, 2, 8},
        {4, 5000001, 16, 1, 4, 8},
        {8, 5000001, 16, 1, 8, 4},
        {16, 2000001, 32, 1, 16, 4},
        {16, 2000001, 48, 1, 16, 0},
        {16, 2000001, 49, 1, 16, 4},
        /* Rows at sectors, and at chunks. */
        {1, 5000032, 31, 1, 32, 0},
        {1, 5000016, 31, 1, 16, 8},
        {2, 5000016, 31, 1, 32, 0},
        {2, 5000008, 31, 1, 16, 4},
        {4, 5000008, 31, 1, 32, 4},
        {4, 5000008, 32, 1, 32, 0},
        {4, 5000008, 32, 1, 16, 4},
        {16, 5000008, 31, 1, 128, 4},
        {16, 5000008, 31, 1, 256, 0},
        /* Bytes that a tile loads: pairs, and 16-byte elements. */
        {2, 5000001, 21, 1, 2, 4},
        {2, 5000001, 13, 1, 2, 8},
        {2, 5000001, 12, 1, 2, 16},
        {16, 5000001, 12, 1, 16, 4},
        {16, 5000001, 11, 1, 16, 8},
        {4, 5000001, 17, 1, 4, 4},
        {8, 5000001, 15, 1, 8, 8},
        {1, 5000001, 37, 1, 1, 4},
        {1, 5000001, 35, 1, 1, 8},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (!have_strips(&cases[i], 228))
            fail_msg("case %u", i);
}

/* A tile of 100 KB fits a multiprocessor of an H200, but not one of 100 KB, of which CUDA keeps some. */
static void chunks_fit(void **state) {
    (void)state;
    assert_true(have_strips(&(struct long_rows){8, 2000001, 128, 1, 8, 4}, 100));
    assert_true(have_strips(&(struct long_rows){8, 2000001, 132, 1, 8, 4}, 228));
    assert_true(have_strips(&(struct long_rows){8, 2000001, 132, 1, 8, 0}, 100));
}

/* Both sides of each bound of bytes in an even number of columns. */
static void even_tables(void **state) {
    (void)state;
    static const struct long_rows cases[] = {
        /* Bytes of all, for which tiles have one strip, then two or four. */
        {1, 262145, 64, 1, 1, 1},
        {1, 262143, 64, 1, 1, 0},
        {1, 1638401, 64, 1, 1, 4},
        {1, 1638399, 64, 1, 1, 1},
        {1, 119838, 128, 8, 1, 2},
        {1, 99999, 128, 8, 1, 1},
        {1, 1310721, 80, 1, 1, 4},
        {1, 1300001, 82, 1, 1, 2},
        /* Columns. */
        {1, 500001, 62, 1, 1, 0},
        {1, 500001, 65, 1, 1, 0},
        {1, 500001, 66, 1, 1, 1},
        {1, 500001, 156, 1, 1, 1},
        {1, 500001, 158, 1, 1, 0},
        /* Rows of the output: bytes, and where they begin in a sector. */
        {1, 1025, 64, 300, 1, 1},
        {1, 1023, 64, 300, 1, 0},
        {1, 500000, 64, 1, 0, 0},
        {1, 500000, 64, 1, 16, 1},
        {1, 500001, 64, 1, 0, 1},
        {2, 500001, 64, 1, 2, 0},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct wl__problem problem = problem_of(&cases[i]);
        if (wl__even_strips(&problem) != cases[i].strips)
            fail_msg("case %u: %u strips", i, wl__even_strips(&problem));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_cut), cmocka_unit_test(divisions),
                                       cmocka_unit_test(chunks), cmocka_unit_test(chunks_fit),
                                       cmocka_unit_test(even_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
