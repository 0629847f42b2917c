/* wl_transpose and wl_transpose_batched against a plain loop: every width, awkward shapes, every alignment,
 * leading dimensions and strides; outputs poisoned, with guards, every byte compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "check_transpose.h"
#include "device.h"

static const unsigned widths[] = {1, 2, 4, 8, 16};
#define WIDTHS 5

static void check_plain(unsigned width, uint64_t rows, uint64_t cols) {
    check_transpose(width, (wl_transpose_layout){.rows = rows, .cols = cols, .batch = 1}, 0, 0, NULL);
}

/* ---------------------------------------------------------------- shapes and places */

static void small(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 49};
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned r = 0; r < sizeof(sizes) / sizeof(*sizes); r++)
            for (unsigned c = 0; c < sizeof(sizes) / sizeof(*sizes); c++)
                check_plain(widths[w], sizes[r], sizes[c]);
}

/* The same with parts of larger matrices. */
static void small_pieces(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 16, 31, 33};
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned r = 0; r < sizeof(sizes) / sizeof(*sizes); r++)
            for (unsigned c = 0; c < sizeof(sizes) / sizeof(*sizes); c++) {
                wl_transpose_layout layout = {.rows = sizes[r], .cols = sizes[c], .batch = 2};
                layout.from_ld = layout.cols + 3, layout.to_ld = layout.rows + 5;
                bool line = layout.rows == 1 || layout.cols == 1;
                check_transpose(widths[w], layout, r % 3, c % 5,
                                line                             ? ": line: "
                                : widths[w] >= 16 || has_async() ? NULL
                                                                 : ": shifted: ");
                layout.from_ld = 48, layout.to_ld = 64;
                check_transpose(widths[w], layout, 0, 0, NULL);
            }
}

/* Near one and two tiles of each kernel, and primes. */
static void around_tiles(void **state) {
    (void)state;
    static const uint64_t sizes[] = {32, 63, 64, 65, 127, 128, 129, 191, 256, 257};
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned r = 0; r < sizeof(sizes) / sizeof(*sizes); r++)
            for (unsigned c = 0; c < sizeof(sizes) / sizeof(*sizes); c++)
                check_plain(widths[w], sizes[r], sizes[c]);
}

/* Many tiles down and across. */
static void many_tiles(void **state) {
    (void)state;
    for (unsigned w = 0; w < WIDTHS; w++) {
        check_plain(widths[w], 5000, 80);
        check_plain(widths[w], 4993, 71);
        check_plain(widths[w], 80, 4000);
        check_plain(widths[w], 37, 4001);
    }
}

/* Rows of the input at multiples of 128 KB: pairs of columns of tiles 8 KB apart are walked down alternately,
 * in stretches of 16 KB of memory, of which the first and the last may be partial. */
static void far_apart(void **state) {
    (void)state;
    for (unsigned w = 0; w < WIDTHS; w++) {
        const uint64_t pitch = (128 << 10) / widths[w];
        wl_transpose_layout layout = {.rows = 40, .cols = pitch * 3 / 8, .batch = 1, .from_ld = pitch};
        check_transpose(widths[w], layout, 0, 0, NULL);
        check_transpose(widths[w], layout, 6000 / widths[w], 3, NULL);
        layout.rows = 33, layout.cols = pitch / 8 - 7, layout.batch = 2;
        check_transpose(widths[w], layout, 11, 0, NULL);
    }
}

/* So many rows that they are cut into bands, the last one partial: at any alignment, and in whole vectors. */
static void tall(void **state) {
    (void)state;
    for (unsigned w = 0; w < WIDTHS; w++) {
        if (left_to_release())
            continue;
        wl_transpose_layout layout = {.rows = 33001, .cols = 1100 / widths[w] + 1, .batch = 1};
        check_transpose(widths[w], layout, 0, 0, NULL);
        layout.rows = 32064, layout.cols = 1136 / widths[w];
        check_transpose(widths[w], layout, 0, 0, NULL);
    }
}

/* Every place of an element in a line, for either side. */
static void alignments(void **state) {
    (void)state;
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned shift = 0; shift < 128 / widths[w]; shift++) {
            if (left_to_release())
                continue;
            wl_transpose_layout layout = {.rows = 150, .cols = 141, .batch = 1};
            check_transpose(widths[w], layout, shift, 0, NULL);
            check_transpose(widths[w], layout, 0, shift, NULL);
            check_transpose(widths[w], layout, shift, shift * 5 % (128 / widths[w]), NULL);
            layout = (wl_transpose_layout){.rows = 144, .cols = 160, .batch = 1};
            check_transpose(widths[w], layout, shift, 1, NULL);
            check_transpose(widths[w], layout, 1, shift, NULL);
        }
}

/* The number of rows decides between tiles: sizes near that limit, and both edges of a matrix's columns. */
static void many_rows(void **state) {
    (void)state;
    static const struct {
        unsigned width;
        uint64_t rows, cols;
    } cases[] = {{4, 7167, 129}, {4, 7168, 131}, {4, 7301, 257}, {4, 511, 127}, {4, 512, 251},
                 {4, 577, 126},  {8, 511, 127},  {8, 512, 66},   {8, 579, 131}};
    for (unsigned n = 0; n < sizeof(cases) / sizeof(*cases); n++)
        for (unsigned shift = 0; shift < 4; shift++) {
            wl_transpose_layout layout = {.rows = cases[n].rows, .cols = cases[n].cols, .batch = 1};
            layout.from_ld = layout.cols + shift, layout.to_ld = layout.rows + (shift + 1) % 3;
            check_transpose(cases[n].width, layout, shift * 3 % 8, shift, NULL);
        }
}

/* Every remainder of a pitch by 16 bytes, for either side. */
static void leading_dimensions(void **state) {
    (void)state;
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned gap = 0; gap <= 16; gap++) {
            wl_transpose_layout layout = {
                .rows = 80, .cols = 96, .batch = 1, .from_ld = 96 + gap, .to_ld = 80};
            check_transpose(widths[w], layout, 0, 0, NULL);
            layout =
                (wl_transpose_layout){.rows = 80, .cols = 96, .batch = 1, .from_ld = 96, .to_ld = 80 + gap};
            check_transpose(widths[w], layout, 0, 0, NULL);
            layout = (wl_transpose_layout){
                .rows = 61, .cols = 77, .batch = 1, .from_ld = 77 + gap, .to_ld = 61 + 3 * gap};
            check_transpose(widths[w], layout, gap % 3, gap % 5, NULL);
        }
}

/* A tile of windows ends with a matrix's last rows, whose columns end with the next tile's first ones. */
static void ends(void **state) {
    (void)state;
    for (unsigned w = 0; w < 2; w++)
        for (unsigned more = 0; more <= 17; more++)
            for (unsigned shift = 0; shift < 16; shift += 5)
                check_transpose(
                    widths[w], (wl_transpose_layout){.rows = 256, .cols = 240 / widths[w] + more, .batch = 1},
                    0, shift, NULL);
}

/* Windows whose rows of the output all begin at sectors, which load no rows before their own: whole tiles,
 * and a last one that ends anywhere.  And such where only the array, a row or a matrix does not begin at one.
 */
static void windows_at_sectors(void **state) {
    (void)state;
    static const uint64_t sizes[] = {513, 545, 560, 576, 640};
    const char *kernel = has_async() ? ": windows: " : ": shifted: ";
    for (unsigned w = 0; w < 2; w++)
        for (unsigned r = 0; r < sizeof(sizes) / sizeof(*sizes); r++) {
            const uint64_t half = 16 / widths[w], ld = (sizes[r] + 31) / 32 * 32;
            wl_transpose_layout layout = {
                .rows = sizes[r], .cols = 301, .batch = 3, .from_ld = 303, .to_ld = ld};
            check_transpose(widths[w], layout, 0, r, kernel);
            check_transpose(widths[w], layout, (unsigned)half, r, kernel);
            layout.to_stride = 301 * ld + half;
            check_transpose(widths[w], layout, 0, r, kernel);
            layout.to_stride = 301 * ld + 1;
            check_transpose(widths[w], layout, 0, r, kernel);
            layout.to_stride = 0, layout.to_ld = ld + half;
            check_transpose(widths[w], layout, 0, r, kernel);
        }
}

/* What lies before the input is not read, though its first vector has some of it: tests/lib/CMakeLists.txt
 * looks for loads of unwritten bytes. */
static void nothing_before_is_read(void **state) {
    (void)state;
    const uint64_t rows = 640, cols = 903, shift = 5, bytes = rows * cols;
    void *const host = calloc(1, bytes);
    wl_devptr to, from;
    assert_non_null(host);
    assert_int_equal(wl_alloc(context, &to, bytes), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &from, bytes + shift), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, from + shift, host, bytes), WL_ERROR_OK);
    assert_int_equal(wl_transpose(context, 1, to, from + shift, rows, cols, NULL), WL_ERROR_OK);
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    wl_free(context, to);
    wl_free(context, from);
    free(host);
}

/* Words and wider elements whose rows begin at multiples of 256 bytes: whole tiles, and partial ones at
 * either end, down to a single row, column or vector; the other side's rows at any allowed place. */
static void loaded(void **state) {
    (void)state;
    static const uint64_t sizes[] = {4, 16, 28, 32, 36, 64, 68, 100, 128, 132};
    const char *kernels[WIDTHS] = {[2] = has_async() ? ": async: " : ": vectors: ",
                                   [3] = ": vectors: ",
                                   [4] = has_async() ? ": async: " : ": shifted: "};
    for (unsigned w = 2; w < WIDTHS; w++)
        for (unsigned r = 0; r < sizeof(sizes) / sizeof(*sizes); r++)
            for (unsigned c = 0; c < sizeof(sizes) / sizeof(*sizes); c++)
                for (unsigned batch = 1; batch <= 2; batch++) {
                    const uint64_t ld = 256 / widths[w], sector = 32 / widths[w];
                    wl_transpose_layout layout = {.rows = sizes[r], .cols = sizes[c], .batch = batch};
                    layout.from_ld = (sizes[c] / ld + 1 + r % 2) * ld;
                    layout.to_ld = (sizes[r] / sector + 1 + c % 3) * sector;
                    check_transpose(widths[w], layout, c % 5 * sector, r % 3 * ld, kernels[w]);
                }
}

/* Rows that begin at different places in a vector: tiles with and without a window that extends beyond the
 * matrix, the last row by itself, output rows at every place; and so many tiles that they run in clusters.
 * Small matrices use this kernel if they fill tiles, or if their rows are too far apart to be loaded
 * whole. */
static void slots(void **state) {
    (void)state;
    static const uint64_t sizes[] = {48, 63, 65, 113, 124, 125, 249, 250};
    const char *kernel = has_async() ? ": slots: " : NULL;
    for (unsigned r = 0; r < sizeof(sizes) / sizeof(*sizes); r++)
        for (unsigned c = 0; c < sizeof(sizes) / sizeof(*sizes); c++)
            for (unsigned gap = 1; gap <= 3; gap++) {
                if (left_to_release())
                    continue;
                const uint64_t tiles = (sizes[r] + 63) / 64 * ((sizes[c] + 123) / 124);
                wl_transpose_layout layout = {.rows = sizes[r], .cols = sizes[c], .batch = 32 / tiles + 1};
                layout.to_ld = sizes[r] + (r + c) % 9;
                const bool full = layout.to_ld > layout.rows && (c == 4 || c == 5 || (r >= 3 && c >= 3));
                layout.from_ld = (sizes[c] + 3) / 4 * 4 + gap + (full ? 0 : 8);
                check_transpose(4, layout, c % 8, (r + gap) % 8, kernel);
                layout.batch = c < 6 ? 132 : 66, layout.to_ld = sizes[r] + 1 + (r + c) % 8;
                if ((r == 3 || r == 5) && c >= 4)
                    check_transpose(2, layout, (r + c) % 16, gap, kernel);
            }
    /* 2-byte elements without gaps in the output: too many rows for panels. */
    for (unsigned gap = 1; gap <= 3; gap++)
        check_transpose(2, (wl_transpose_layout){.rows = 449, .cols = 250, .batch = 17, .from_ld = 252 + gap},
                        gap, 5, kernel);
    check_transpose(4, (wl_transpose_layout){.rows = 1001, .cols = 1003, .batch = 21}, 1, 2, kernel);
    /* Bank conflicts, a tall matrix, and too few tiles. */
    check_transpose(2, (wl_transpose_layout){.rows = 16387, .cols = 253, .batch = 1}, 0, 0,
                    has_async() ? ": windows: " : NULL);
    check_transpose(2, (wl_transpose_layout){.rows = 1001, .cols = 125, .batch = 17, .from_ld = 129}, 0, 0,
                    has_async() ? ": windows: " : NULL);
    check_transpose(4, (wl_transpose_layout){.rows = 257, .cols = 259, .batch = 1}, 0, 0, ": shifted: ");
}

/* Matrices that are large enough for clusters of blocks: blocks without a tile, partial last tiles, clusters
 * across the end of a column of tiles and of a matrix. */
static void clusters(void **state) {
    (void)state;
    const char *kernel = has_async() ? ": clusters: " : ": shifted: ";
    check_transpose(1, (wl_transpose_layout){.rows = 4111, .cols = 4003, .batch = 1}, 0, 0, kernel);
    check_transpose(
        1, (wl_transpose_layout){.rows = 4000, .cols = 4321, .batch = 1, .from_ld = 4330, .to_ld = 4009}, 5,
        3, kernel);
    check_transpose(1, (wl_transpose_layout){.rows = 3999, .cols = 4003, .batch = 1}, 1, 0,
                    has_async() ? ": windows: " : ": shifted: ");
    /* 2-byte elements whose rows begin at the same place in a vector. */
    const char *windows = has_async() ? ": windows: " : ": shifted: ";
    check_transpose(2, (wl_transpose_layout){.rows = 2050, .cols = 2111, .batch = 2, .from_ld = 2112}, 0, 0,
                    windows);
    check_transpose(
        2, (wl_transpose_layout){.rows = 2001, .cols = 2233, .batch = 1, .from_ld = 2240, .to_ld = 2004}, 3,
        7, windows);
}

/* Contiguous rows that are not whole vectors: one piece of one strip, of two, several, one that is cut; one
 * that takes half of a multiprocessor's shared memory; batches. */
static void pieces(void **state) {
    (void)state;
    static const uint64_t rows[] = {64, 72, 128, 136, 200, 520}, cols[] = {33, 49, 63, 81, 130, 196, 879};
    for (unsigned width = 1; width <= 4; width *= 2)
        for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++)
            for (unsigned c = 0; c < sizeof(cols) / sizeof(*cols); c++)
                for (unsigned batch = 1; batch <= 3; batch += 2) {
                    /* Long rows need 32 blocks, and many rows would take long here. */
                    const unsigned more = cols[c] > 230 ? 32 : 0;
                    if (left_to_release() || (more && rows[r] > 72))
                        continue;
                    const unsigned strip = 128 / width;
                    const bool large = strip * cols[c] * width > 115712 - 256;
                    wl_transpose_layout layout = {
                        .rows = (rows[r] + 15) / 16 * 16 * 2 / width, .cols = cols[c], .batch = batch + more};
                    const bool odd = cols[c] % 2 != 0 || (width > 1 && cols[c] % 4 != 0 && layout.rows > 520);
                    const bool is =
                        has_async() && layout.rows >= strip && !large && odd && layout.rows * width % 32 == 0;
                    const char *kernel = is ? ": pieces: " : NULL;
                    check_transpose(width, layout, 0, 0, kernel);
                    check_transpose(width, layout, 32 / width, 48 / width, kernel);
                    check_transpose(width, layout, 16 / width, 32 / width, NULL);
                    layout.to_ld = layout.rows + 32 / width;
                    layout.from_stride = (layout.rows * cols[c] + 31) / 16 * 16;
                    check_transpose(width, layout, 96 / width, 16 / width, kernel);
                    check_transpose(width, layout, 1, 3, NULL);
                }
}

/* Matrices of a batch that begin at every place in a vector, in tiles of one load and of several, of bytes by
 * words and one by one; the output's rows begin at sectors, and anywhere. */
static void pieces_of_batches(void **state) {
    (void)state;
    static const struct {
        unsigned width;
        uint64_t rows, cols;
    } all[] = {{1, 1101, 50}, {1, 1101, 60},  {1, 1101, 64}, {1, 1101, 77}, {1, 1101, 82},
               {1, 1101, 96}, {1, 1101, 104}, {1, 1024, 77}, {2, 1003, 26}, {2, 1003, 56},
               {2, 1003, 77}, {2, 1024, 77},  {4, 600, 49},  {4, 603, 56},  {4, 1024, 81},
               {8, 501, 35},  {8, 512, 35},   {8, 302, 99},  {8, 514, 100}};
    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (unsigned gap = 0; gap < 16 / all[i].width; gap++) {
            wl_transpose_layout layout = {.rows = all[i].rows, .cols = all[i].cols, .batch = 3};
            layout.from_stride = all[i].rows * all[i].cols + gap;
            check_transpose(all[i].width, layout, 0, 0, has_async() ? ": pieces: " : NULL);
        }
}

/* The same with contiguous rows of the output. */
static void columns(void **state) {
    (void)state;
    static const uint64_t rows[] = {65, 81, 98, 102, 104, 130, 196, 599}, cols[] = {160, 192, 208, 400};
    for (unsigned width = 1; width <= 4; width *= 2)
        for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++)
            for (unsigned c = 0; c < sizeof(cols) / sizeof(*cols); c++)
                for (unsigned batch = 1; batch <= 3; batch += 2) {
                    wl_transpose_layout layout = {.rows = rows[r], .cols = cols[c] / width, .batch = batch};
                    const uint64_t bytes = rows[r] * cols[c];
                    const bool is = has_async() && rows[r] * width % 16 != 0 &&
                                    (width < 4 || rows[r] < 449) &&
                                    (width == 4 || bytes > 115456 || (width == 2 && bytes >= 24 << 10));
                    const char *kernel = is ? ": columns: " : NULL;
                    check_transpose(width, layout, 0, 0, kernel);
                    check_transpose(width, layout, 16 / width, 32 / width, kernel);
                    layout.from_ld = layout.cols + 48 / width;
                    layout.to_stride = (layout.cols * rows[r] + 31) / 16 * 16;
                    check_transpose(width, layout, 48 / width, 16 / width, kernel);
                    check_transpose(width, layout, 1, 3, NULL);
                }
}

/* Devices without a kernel for many small matrices use one tile for each: slow on the simulator. */
static uint64_t many(uint64_t batch) {
    return getenv("WIDELOAD_ARCH") && batch > 40 ? 40 : batch;
}

/* Small matrices of any size, whole: one per block and many, with fewer in the last block; every place in a
 * vector where the arrays can begin and end; gaps between rows and matrices that are loaded, and gaps that
 * are not. */
static void matrices(void **state) {
    (void)state;
    static const struct {
        uint64_t rows, cols, batch;
    } cases[] = {{2, 2, 1},    {2, 2, 4099}, {2, 3, 3000},  {3, 2, 2},    {5, 7, 1},    {5, 7, 1001},
                 {9, 9, 333},  {15, 15, 50}, {16, 17, 100}, {17, 33, 70}, {33, 33, 31}, {66, 66, 5},
                 {66, 66, 1},  {31, 101, 9}, {100, 9, 40},  {7, 200, 33}, {77, 66, 4},  {1000, 5, 7},
                 {5, 1001, 6}, {49, 49, 7},  {129, 129, 2}};
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
            wl_transpose_layout layout = {
                .rows = cases[n].rows, .cols = cases[n].cols, .batch = many(cases[n].batch)};
            const uint64_t elements = layout.rows * layout.cols, each = 32 / widths[w];
            const bool is = has_async() && elements * widths[w] <= 20 << 10 &&
                            widths[w] * layout.rows % 16 != 0 && layout.rows <= 66 && layout.cols <= 101;
            check_transpose(widths[w], layout, 0, 0, is ? ": matrices: " : NULL);
            for (unsigned shift = 1; shift < 16 / widths[w]; shift += 2) {
                check_transpose(widths[w], layout, shift, 0, is ? ": matrices: " : NULL);
                check_transpose(widths[w], layout, shift * 3, shift, is ? ": matrices: " : NULL);
            }
            layout.batch = layout.batch > 100 ? 100 : layout.batch;
            layout.from_stride = elements + each - 1;
            check_transpose(widths[w], layout, 1, 1, NULL);
            layout.from_ld = layout.cols + each - 1, layout.from_stride = 0;
            check_transpose(widths[w], layout, 0, 3, NULL);
            layout.to_stride = elements + 3;
            check_transpose(widths[w], layout, 5, 2, NULL);
            layout.from_stride = layout.rows * layout.from_ld + 2 * each;
            check_transpose(widths[w], layout, 2, 1, NULL);
        }
}

/* Bytes in columns shorter than a vector, with vectors that begin in every row and go on in the next matrix:
 * several matrices in a block and a part of them in the last one, and matrices on both sides of the least
 * that have a table of places.  Their number of columns is odd, as others' go by words. */
static void short_columns(void **state) {
    (void)state;
    for (uint64_t rows = 2; rows < 16; rows++)
        for (uint64_t cols = 13; cols < 1000; cols *= 5) {
            wl_transpose_layout layout = {
                .rows = rows, .cols = cols, .batch = many(100000 / (rows * cols) + 2)};
            check_transpose(1, layout, rows % 5, cols % 3, has_async() ? ": matrices: " : NULL);
            layout.from_stride = rows * cols + 3;
            check_transpose(1, layout, 7, rows % 4, has_async() ? ": matrices: " : NULL);
        }
}

/* Gaps between rows of the output, or between its small matrices: row ends at every place of a vector, and
 * rows without a whole vector. */
static void apart(void **state) {
    (void)state;
    static const uint64_t rows[] = {2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 50, 66, 129};
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++)
            for (unsigned gap = 0; gap < 4; gap++) {
                if (left_to_release())
                    continue;
                wl_transpose_layout layout = {.rows = rows[r], .cols = 2 + r * 7 % 23, .batch = 1 + gap * 29};
                layout.to_stride = layout.rows * layout.cols + 1 + gap * 5;
                check_transpose(widths[w], layout, gap, 0, NULL);
                layout.to_ld = layout.rows + 1 + gap * 3, layout.to_stride = 0;
                check_transpose(widths[w], layout, gap * 3, 1, NULL);
                layout.from_ld = layout.cols + 1 + gap, layout.to_stride = layout.cols * layout.to_ld + gap;
                check_transpose(widths[w], layout, gap, gap, NULL);
                layout.from_ld = layout.cols + 40 + gap;
                check_transpose(widths[w], layout, gap * 5, gap, NULL);
            }
    /* So many small matrices that blocks have several. */
    static const uint64_t small[][2] = {{2, 2}, {3, 5}, {8, 7}, {17, 9}, {33, 3}};
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned n = 0; n < sizeof(small) / sizeof(*small); n++) {
            wl_transpose_layout layout = {.rows = small[n][0], .cols = small[n][1], .batch = many(1030)};
            layout.to_stride = layout.rows * layout.cols + 1 + n;
            check_transpose(widths[w], layout, n, 1, NULL);
            layout.from_ld = layout.cols + 1, layout.from_stride = layout.rows * layout.from_ld + 1;
            check_transpose(widths[w], layout, 0, n, NULL);
        }
    static const unsigned wide[] = {1, 2, 4};
    for (unsigned n = 0; n < 3; n++) {
        wl_transpose_layout layout = {.rows = 66, .cols = 300, .batch = 40, .to_ld = 71, .from_ld = 350};
        check_transpose(wide[n], layout, 3, 1, has_async() && n < 2 ? ": panels: " : NULL);
        layout = (wl_transpose_layout){.rows = 50, .cols = 35, .batch = 9, .to_ld = 53};
        check_transpose(wide[n], layout, 3, 1, has_async() && n < 2 ? ": matrices: " : NULL);
    }
}

/* Columns of matrices that are too large, or whose rows are too far apart, to be loaded whole: every
 * misalignment of rows; windows that begin before the array and end after it. */
static void panels(void **state) {
    (void)state;
    static const struct {
        uint64_t rows, cols, gap, batch;
    } cases[] = {{257, 257, 0, 100}, {129, 300, 0, 100}, {66, 66, 37, 2}, {50, 33, 100, 3},
                 {3, 5, 64, 40},     {33, 500, 51, 2},   {519, 66, 1, 2}, {520, 33, 0, 3}};
    for (unsigned w = 0; w < WIDTHS; w++)
        for (unsigned n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
            wl_transpose_layout layout = {.rows = cases[n].rows,
                                          .cols = cases[n].cols,
                                          .from_ld = cases[n].cols + cases[n].gap,
                                          .batch = cases[n].batch};
            if (layout.batch >= 100)
                layout.cols += 400 / widths[w], layout.from_ld = layout.cols, layout.batch = w == 0 ? 30 : 3;
            const char *kernel = has_async() && widths[w] < 4 && cases[n].rows == 66 ? ": panels: " : NULL;
            check_transpose(widths[w], layout, 0, 0, kernel);
            check_transpose(widths[w], layout, 3, 1, kernel);
            layout.from_ld += 1;
            check_transpose(widths[w], layout, 1, 5, kernel);
            layout.to_stride = layout.rows * layout.cols + 7,
            layout.from_stride = layout.rows * layout.from_ld + 3;
            check_transpose(widths[w], layout, 0, 0, kernel);
        }
}

/* Bytes by words: few and many rows above the fewest, columns that are no whole groups of four, columns of
 * the output that begin at words and elsewhere, several matrices in a block and a part of them in the last
 * one, and whole rows that go to every place in a sector. */
static void groups(void **state) {
    (void)state;
    static const uint64_t rows[] = {8, 9, 11, 12, 31, 64, 101}, cols[] = {2, 4, 6, 10, 22, 64};
    for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++)
        for (unsigned c = 0; c < sizeof(cols) / sizeof(*cols); c++) {
            wl_transpose_layout layout = {
                .rows = rows[r], .cols = cols[c], .batch = many(20000 / (rows[r] * cols[c]) + 1)};
            check_transpose(1, layout, r + c, c, NULL);
            layout.from_ld = layout.cols + 2, layout.from_stride = layout.rows * layout.from_ld + c;
            check_transpose(1, layout, 4, 2 * r, NULL);
        }
    for (unsigned r = 0; r < sizeof(rows) / sizeof(*rows); r++)
        for (unsigned shift = 0; shift < 5; shift++) {
            wl_transpose_layout layout = {
                .rows = rows[r], .cols = 100000 / rows[r] + 3 * shift, .batch = 1 + shift % 2};
            check_transpose(1, layout, 3 * shift, shift, NULL);
            layout.from_ld = layout.cols + 77;
            check_transpose(1, layout, shift, 5 * shift, NULL);
        }
    static const uint64_t whole[] = {30, 36, 64, 96};
    for (unsigned c = 0; c < sizeof(whole) / sizeof(*whole); c++)
        for (unsigned more = 0; more < 32; more += 3) {
            wl_transpose_layout layout = {.rows = 2000 + more, .cols = whole[c], .batch = 1 + more % 2};
            check_transpose(1, layout, 5 * more % 16, 0, NULL);
            layout.rows = 40 + more, layout.to_ld = 64 + more;
            check_transpose(1, layout, 0, 0, NULL);
        }
}

/* Panels that are alike but for their loads, one after the other: what is kept of the first, which is loaded
 * by bulk, does not suit the second. */
static void alike(void **state) {
    (void)state;
    wl_transpose_layout layout = {.rows = 135, .cols = 217, .from_ld = 247, .batch = many(200)};
    check_transpose(1, layout, 0, 0, NULL);
    layout = (wl_transpose_layout){.rows = 135, .cols = 25823, .from_ld = 25847, .batch = 1};
    check_transpose(1, layout, 0, 0, NULL);
}

static void batches(void **state) {
    (void)state;
    for (unsigned w = 0; w < WIDTHS; w++)
        for (uint64_t batch = 1; batch <= 5; batch++) {
            check_transpose(widths[w], (wl_transpose_layout){.rows = 49, .cols = 64, .batch = batch}, 0, 0,
                            NULL);
            check_transpose(widths[w], (wl_transpose_layout){.rows = 64, .cols = 49, .batch = batch}, 3, 1,
                            NULL);
            check_transpose(widths[w], (wl_transpose_layout){.rows = 1, .cols = 37, .batch = batch}, 0, 1,
                            NULL);
            check_transpose(widths[w], (wl_transpose_layout){.rows = 37, .cols = 1, .batch = batch}, 1, 0,
                            NULL);
            /* A matrix's last row need not be whole: the next matrix begins in its gap. */
            check_transpose(widths[w],
                            (wl_transpose_layout){.rows = 20,
                                                  .cols = 30,
                                                  .batch = batch,
                                                  .from_ld = 48,
                                                  .to_ld = 32,
                                                  .from_stride = 19 * 48 + 30,
                                                  .to_stride = 29 * 32 + 20},
                            0, 0, NULL);
            check_transpose(widths[w],
                            (wl_transpose_layout){.rows = 130,
                                                  .cols = 66,
                                                  .batch = batch,
                                                  .from_ld = 67,
                                                  .to_ld = 131,
                                                  .from_stride = 10007,
                                                  .to_stride = 9001},
                            1, 2, NULL);
            /* Runs of elements, with and without gaps between matrices. */
            check_transpose(widths[w],
                            (wl_transpose_layout){
                                .rows = 1, .cols = 300, .batch = batch, .from_stride = 301, .to_stride = 303},
                            1, 0, NULL);
            check_transpose(widths[w],
                            (wl_transpose_layout){.rows = 1, .cols = 300, .batch = batch, .to_ld = 3}, 1, 0,
                            NULL);
        }
}

/* The word: a pattern of tests, all of which run without it. */
int main(int count, char **words) {
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small),
        cmocka_unit_test(small_pieces),
        cmocka_unit_test(around_tiles),
        cmocka_unit_test(many_tiles),
        cmocka_unit_test(tall),
        cmocka_unit_test(far_apart),
        cmocka_unit_test(alignments),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(leading_dimensions),
        cmocka_unit_test(ends),
        cmocka_unit_test(windows_at_sectors),
        cmocka_unit_test(nothing_before_is_read),
        cmocka_unit_test(clusters),
        cmocka_unit_test(pieces),
        cmocka_unit_test(pieces_of_batches),
        cmocka_unit_test(columns),
        cmocka_unit_test(matrices),
        cmocka_unit_test(short_columns),
        cmocka_unit_test(apart),
        cmocka_unit_test(panels),
        cmocka_unit_test(groups),
        cmocka_unit_test(alike),
        cmocka_unit_test(batches),
        cmocka_unit_test(loaded),
        cmocka_unit_test(slots),
    };
    return cmocka_run_group_tests(tests, open_without_small, close_device);
}
