/* Which blocks the host device cuts a copy into.  Results are the same whatever it chooses; the speed is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/host/plan.h"

/* As of a last-level cache of 32 MB. */
static struct wl__host host = {.stream_from = 16 << 20};

static struct wl__host_plan plan_of(struct wl__strided all) {
    struct wl__host_plan plan;
    uint64_t bytes = all.bytes;
    for (unsigned d = 0; d < all.rank; d++)
        bytes *= all.dim[d].size;
    wl__host_plan(&plan, &host, &all, bytes);
    return plan;
}

/* Of n matrices that are transposed each: the output's have `cols` rows. */
static struct wl__host_plan matrices(uint64_t width, uint64_t n, uint64_t rows, uint64_t cols) {
    const int64_t each = (int64_t)width, row = (int64_t)cols * each, col = (int64_t)rows * each;
    const int64_t whole = (int64_t)(rows * cols) * each;
    return plan_of((struct wl__strided){
        .bytes = width, .rank = 3, .dim = {{rows, each, row}, {cols, col, each}, {n, whole, whole}}});
}

static void tiles_past_the_caches(void **state) {
    (void)state;
    static const struct {
        uint64_t width, rows, cols;
        uint64_t across, down; /* elements of a block along the output's rows and along the input's */
    } cases[] = {
        {1, 8192, 16384, 256, 256}, /* 64 KB */
        {2, 8192, 8192, 256, 128},  /* the output's rows have 512 bytes, and the block 64 KB */
        {4, 4096, 8192, 128, 128},  /* 512 bytes on either side */
        {8, 4096, 4096, 64, 128},   /* the same, and the rest for the input's rows */
        {16, 2048, 4096, 32, 128},
        {1, 1000, 134217, 250, 262}, /* blocks of one size rather than a small one at the end */
        {4, 60, 1 << 20, 60, 273},   /* what one side lacks goes to the other */
        {4, 1 << 20, 60, 273, 60},
        {1, 128, 1 << 20, 128, 512}, /* the least rows of the output, and of the input */
        {4, 1 << 20, 16, 1024, 16},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct wl__host_plan plan = matrices(cases[i].width, 1, cases[i].rows, cases[i].cols);
        assert_int_equal(plan.stores, STAGED_TILES);
        assert_int_equal(plan.block[plan.across], cases[i].across);
        assert_int_equal(plan.block[plan.down], cases[i].down);
        assert_int_equal(plan.order[0], plan.across);
    }
}

/* Rows of less than two lines in the output, or a line in the input, and matrices of less than 8 KB. */
static void matrices_too_small_for_tiles(void **state) {
    (void)state;
    assert_int_not_equal(matrices(1, 1, 127, 1 << 20).stores, STAGED_TILES);
    assert_true(matrices(4, 1, 1 << 20, 15).block_bytes <= WL_HOST_BLOCK);
    assert_int_equal(matrices(4, 1 << 13, 64, 32).stores, STAGED_TILES);
    assert_int_equal(matrices(4, 1 << 13, 64, 31).stores, STAGED);
}

static void blocks_in_the_caches(void **state) {
    (void)state;
    const struct wl__host_plan plan = matrices(1, 1, 2048, 2048);
    assert_int_equal(plan.stores, STAGED_TILES);
    assert_int_equal(plan.block_bytes, WL_HOST_BLOCK);
    assert_int_equal(matrices(1, 1, 1999, 2001).stores, STORED);
}

int main(void) {
    host.kernels = wl__host_kernels();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_past_the_caches),
        cmocka_unit_test(matrices_too_small_for_tiles),
        cmocka_unit_test(blocks_in_the_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
