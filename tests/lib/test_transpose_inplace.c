/* wl_transpose_inplace against plain C: every strategy of its table, every width, squares and tall, wide,
 * nearly square and coprime shapes, misaligned; the matrix has guards, the workspace is poisoned and has
 * guards.  On the simulator, or the device that WIDELOAD_DEVICE names. */
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
#include "element.h"
#include "lib/context.h"

static size_t words_of(size_t bytes) {
    return (bytes + 3) / 4;
}

/* The matrix begins `shift` elements into an array of words, whose other bytes must not change. */
static void run(unsigned width, uint64_t rows, uint64_t cols, unsigned shift, const char *way) {
    if (left_to_release() || left_to_newer())
        return;
    char what[128];
    snprintf(what, sizeof(what), "width %u, %llu x %llu, shift %u", width, (unsigned long long)rows,
             (unsigned long long)cols, shift);
    size_t bytes = rows * cols * width, needed = 1;
    if (wl_transpose_inplace_workspace(context, width, rows, cols, &needed))
        fail_msg("%s: %s", what, wl_message());
    if (rows == cols)
        assert_int_equal(needed, 0);
    assert_true(needed <= bytes / 100 + 256 * 1024 ||
                needed <= 160 * width * (rows > cols ? rows : cols) + 17 * 1024);
    struct array matrix =
        array_make(context, words_of(bytes + (size_t)shift * width), 0, (uint32_t)(rows + cols));
    struct array workspace = array_make(context, words_of(needed), 0, 7);
    if (wl_transpose_inplace(context, width, matrix.device + (uint64_t)shift * width, rows, cols,
                             needed ? workspace.device : 0, needed, NULL) ||
        wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
    if (way && !strstr(wl_explain(), way))
        fail_msg("%s: not by %s: %s", what, way, wl_explain());
    uint8_t *from = malloc(bytes + 1), *to = (uint8_t *)array_words(&matrix) + (size_t)shift * width;
    assert_non_null(from);
    memcpy(from, to, bytes);
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < cols; c++)
            copy_element(to + (c * rows + r) * width, from + (r * cols + c) * width, width);
    array_compare(context, &matrix, what);
    free(from);
    uint32_t *words;
    free(array_fetch(context, &workspace, &words, what));
    array_free(context, &workspace);
    array_free(context, &matrix);
}

static void each_width(uint64_t rows, uint64_t cols, unsigned shift, const char *way) {
    for (unsigned width = 1; width <= 16; width *= 2)
        run(width, rows, cols, shift, way);
}

static void squares(void **state) {
    (void)state;
    static const unsigned sides[] = {2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 191, 256, 300};
    for (unsigned i = 0; i < sizeof(sides) / sizeof(*sides); i++)
        each_width(sides[i], sides[i], i % 4, "square");
    /* Each alignment of each width. */
    for (unsigned shift = 0; shift < 17; shift++)
        each_width(67, 67, shift, "square");
    /* Rows of whole vectors, cut by an edge at any vector. */
    for (unsigned side = 16; side <= 400; side += 48)
        for (unsigned shift = 0; shift <= 16; shift += 8) {
            run(1, side, side, shift, "square");
            run(2, side, side, shift, "square");
        }
    /* More than one group of tiles per side, and an odd number. */
    run(1, 1168, 1168, 16, "square");
    run(2, 1160, 1160, 8, "square");
    run(4, 8 * 64 * 2 + 5, 8 * 64 * 2 + 5, 1, "square");
    /* 2-byte elements in large tiles. */
    run(2, 3073, 3073, 3, "square");
}

static void lines(void **state) {
    (void)state;
    each_width(1, 1, 0, "nothing");
    each_width(1, 1000, 1, "nothing");
    each_width(777, 1, 3, "nothing");
    each_width(0, 5, 0, NULL);
    each_width(5, 0, 0, NULL);
    assert_int_equal(wl_transpose_inplace(context, 4, 0, 0, 7, 0, 0, NULL), WL_ERROR_OK);
}

/* The size in bytes from which on nearly square matrices use panels. */
static const struct wl__tuned *measured;
static struct wl__tuned changed;
static void go_by_panels_from(uint32_t bytes) {
    changed = *measured;
    changed.inplace.workspace_to = 0;
    for (unsigned row = 0; row < 5; row++)
        changed.inplace.panels_from[row] = bytes;
    context->tuned = &changed;
}

/* The size in bytes up to which others go through the workspace. */
static void go_through_workspace_to(uint32_t bytes) {
    changed = *measured;
    changed.inplace.workspace_to = bytes;
    context->tuned = &changed;
}

static void go_as_measured(void) {
    context->tuned = measured;
}

static void each_nearly_square(void) {
    static const struct {
        unsigned rows, cols;
    } shapes[] = {{256, 257}, {257, 256}, {256, 272}, {272, 256}, {300, 301},
                  {301, 299}, {319, 321}, {511, 513}, {513, 511}, {384, 385}};
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        each_width(shapes[i].rows, shapes[i].cols, i % 4, "near-square");
    for (unsigned shift = 0; shift < 33; shift += 3) {
        each_width(259, 262, shift, "near-square");
        each_width(262, 259, shift, "near-square");
    }
    /* More tiles than the chunks lag behind, and many chunks. */
    for (unsigned width = 1; width <= 16; width *= 2) {
        run(width, 1021, 1023, 1, "near-square");
        run(width, 1023, 1021, 1, "near-square");
    }
    /* As many kept chunks as a block's shared memory can hold, and more. */
    run(4, 2000, 2015, 1, "near-square");
    run(4, 2015, 2000, 3, "near-square");
    run(16, 700, 716, 1, "near-square");
    run(16, 716, 700, 0, "near-square");
    /* Runs of one chunk or less. */
    run(1, 256, 257, 77, "near-square");
    run(1, 258, 256, 127, "near-square");
}

static void nearly_square_in_two_passes(void **state) {
    (void)state;
    go_by_panels_from(UINT32_MAX);
    each_nearly_square();
    go_as_measured();
}

static void nearly_square_by_panels(void **state) {
    (void)state;
    go_by_panels_from(0);
    each_nearly_square();
    go_as_measured();
    /* The smallest sizes for each. */
    run(4, 1448, 1449, 1, "near-square");
    run(4, 1447, 1448, 1, "near-square");
    run(16, 1145, 1146, 0, "near-square");
}

/* Two passes: the second lacks no wait.  check.inplace_waits runs this test under the race checker. */
static void rows_wait(void **state) {
    (void)state;
    go_by_panels_from(UINT32_MAX);
    for (unsigned width = 1; width <= 16; width *= 2) {
        run(width, 500, 503, 1, "near-square");
        run(width, 503, 500, 3, "near-square");
        run(width, 516, 500, 2, "near-square");
    }
    run(16, 700, 716, 0, "near-square");
    go_as_measured();
}

/* All in both directions. */
static void both(unsigned width, uint64_t rows, uint64_t cols, unsigned shift, const char *way) {
    run(width, rows, cols, shift, way);
    run(width, cols, rows, shift, way);
}

static void bands(void **state) {
    (void)state;
    go_through_workspace_to(0);
    static const struct {
        unsigned rows, cols;
    } shapes[] = {{257, 2},  {511, 3},   {260, 8},   {519, 31},  {513, 32},  {300, 33},   {640, 64},
                  {701, 90}, {401, 100}, {390, 128}, {391, 129}, {512, 200}, {1031, 131}, {700, 307}};
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        for (unsigned width = 1; width <= 16; width *= 2)
            both(width, shapes[i].rows, shapes[i].cols, i % 4, "bands");
    /* Each alignment, one strip and several. */
    for (unsigned shift = 0; shift < 17; shift++)
        for (unsigned width = 1; width <= 16; width *= 2) {
            if (left_to_release())
                continue;
            both(width, 271, 37, shift, "bands");
            both(width, 271, 150, shift, "bands");
        }
    /* All that may follow the last band: nothing to all rows but one of another. */
    for (unsigned rest = 0; rest < 32; rest++) {
        both(4, 96 + rest, 57, rest % 2, "bands");
        both(4, 64 + rest, 61 + 70 * (rest % 3), 0, "bands");
    }
    /* One band, and two. */
    both(16, 17, 5, 0, "bands");
    both(16, 16, 16 - 3, 0, "bands");
    both(1, 256, 2, 0, "bands");
    both(1, 383, 127, 0, "bands");
    both(4, 127, 100, 1, "bands");
    /* Segments of many sizes. */
    both(4, 300000, 2, 1, "bands");
    both(1, 520000, 3, 0, "bands");
    both(2, 262147, 5, 0, "bands");
    both(16, 40000, 7, 0, "bands");
    both(8, 33333, 29, 1, "bands");
    go_as_measured();
    both(4, 1000, 100, 0, "bands");
    run(4, 1001, 1200, 3, "bands");
}

/* Sides too short for bands. */
static void cycles(void **state) {
    (void)state;
    go_through_workspace_to(0);
    static const struct {
        unsigned rows, cols;
    } shapes[] = {{3, 2},  {7, 5},   {13, 11},   {15, 2},  {31, 30},
                  {63, 7}, {60, 44}, {127, 120}, {255, 2}, {251, 250}};
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        for (unsigned width = 1; width <= 16; width *= 2)
            if (shapes[i].rows * width < 256)
                both(width, shapes[i].rows, shapes[i].cols, i % 4, "cycles");
    go_as_measured();
}

static void small(void **state) {
    (void)state;
    static const unsigned shapes[][2] = {{2, 3}, {3, 2}, {31, 257}, {200, 100}, {64, 65}};
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        for (unsigned width = 1; width <= 8; width *= 2)
            both(width, shapes[i][0], shapes[i][1], i % 3, "through-workspace");
}

static void random_shapes(void **state) {
    (void)state;
    const char *wanted = getenv("WIDELOAD_TEST_CASES");
    unsigned cases = wanted && *wanted ? (unsigned)atoi(wanted) : 300;
    for (uint32_t i = 0; i < cases; i++) {
        if (i % 3)
            go_by_panels_from(i % 3 == 1 ? 0 : UINT32_MAX);
        else
            go_through_workspace_to(i % 2 ? 0 : 1 << 16);
        uint32_t a = mix(3 * i), b = mix(3 * i + 1), c = mix(3 * i + 2);
        uint64_t rows = 1 + a % (a & 1 << 20 ? 40 : 400), cols = 1 + b % (b & 1 << 20 ? 40 : 300);
        if (c & 1 << 20)
            cols = rows + b % 18;
        if (c & 1 << 21) {
            uint64_t swap = rows;
            rows = cols;
            cols = swap;
        }
        run(1u << c % 5, rows, cols, c / 8 % 33, NULL);
    }
    go_as_measured();
}

/* Graph nodes run more than once: counters and flags must be reset each time. */
static void again(void **state) {
    (void)state;
    size_t needed;
    assert_int_equal(wl_transpose_inplace_workspace(context, 4, 500, 507, &needed), WL_ERROR_OK);
    struct array matrix = array_make(context, 500 * 507, 0, 1),
                 workspace = array_make(context, words_of(needed), 0, 2);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(
            wl_transpose_inplace(context, 4, matrix.device, 500, 507, workspace.device, needed, NULL),
            WL_ERROR_OK);
        assert_int_equal(
            wl_transpose_inplace(context, 4, matrix.device, 507, 500, workspace.device, needed, NULL),
            WL_ERROR_OK);
    }
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    array_compare(context, &matrix, "there and back");
    array_free(context, &matrix);
    array_free(context, &workspace);
}

static void expect_refusal(wl_error error, const char *argument) {
    assert_int_equal(error, WL_ERROR_INVALID_ARGUMENT);
    if (!strstr(wl_message(), argument))
        fail_msg("'%s' is not named: %s", argument, wl_message());
}

static void refusals(void **state) {
    (void)state;
    size_t needed = 0;
    expect_refusal(wl_transpose_inplace_workspace(NULL, 4, 3, 5, &needed), "context");
    expect_refusal(wl_transpose_inplace_workspace(context, 3, 3, 5, &needed), "width");
    expect_refusal(wl_transpose_inplace_workspace(context, 4, UINT64_MAX / 2, 5, &needed), "rows");
    expect_refusal(wl_transpose_inplace_workspace(context, 4, 3, 5, NULL), "bytes");
    assert_int_equal(wl_transpose_inplace_workspace(context, 4, 300, 301, &needed), WL_ERROR_OK);
    struct array array = array_make(context, 300 * 301, 0, 3),
                 room = array_make(context, words_of(needed), 0, 4);
    wl_devptr matrix = array.device, workspace = room.device;
    expect_refusal(wl_transpose_inplace(NULL, 4, matrix, 300, 301, workspace, needed, NULL), "context");
    expect_refusal(wl_transpose_inplace(context, 0, matrix, 300, 301, workspace, needed, NULL), "width");
    expect_refusal(wl_transpose_inplace(context, 4, 0, 300, 301, workspace, needed, NULL), "matrix");
    expect_refusal(wl_transpose_inplace(context, 4, matrix + 2, 300, 301, workspace, needed, NULL), "matrix");
    expect_refusal(wl_transpose_inplace(context, 4, matrix, UINT64_MAX, 301, workspace, needed, NULL),
                   "matrix");
    expect_refusal(wl_transpose_inplace(context, 4, matrix, 300, 301, workspace, needed - 1, NULL),
                   "workspace_bytes");
    expect_refusal(wl_transpose_inplace(context, 4, matrix, 300, 301, 0, needed, NULL), "workspace");
    expect_refusal(wl_transpose_inplace(context, 4, matrix, 300, 301, workspace + 4, needed, NULL),
                   "workspace");
    expect_refusal(wl_transpose_inplace(context, 4, matrix, 300, 301, matrix + 64, needed, NULL), "overlap");
    array_compare(context, &array, "refused");
    array_compare(context, &room, "refused");
    array_free(context, &room);
    array_free(context, &array);
}

static int open_and_remember(void **state) {
    int failed = open_device(state);
    if (!failed)
        measured = context->tuned;
    return failed;
}

/* usage: test_lib_transpose_inplace [TEST] */
int main(int count, char **arguments) {
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares),
        cmocka_unit_test(lines),
        cmocka_unit_test(nearly_square_in_two_passes),
        cmocka_unit_test(nearly_square_by_panels),
        cmocka_unit_test(rows_wait),
        cmocka_unit_test(bands),
        cmocka_unit_test(cycles),
        cmocka_unit_test(small),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(again),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("transpose_inplace", tests, open_and_remember, close_device);
}
