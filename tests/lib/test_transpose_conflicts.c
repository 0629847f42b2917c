/* Passes over shared memory of transposes' kernels, of shapes that had bank conflicts: the simulator counts
 * what an H200's hardware counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wideload.h"

static const struct {
    wl_transpose_layout layout;
    const char *kernel;
    uint64_t most; /* passes of loads per 1280 bytes */
} rows[] = {
    /* Columns that all begin in the same banks, 4-way and 2-way: 161 and 74 where lanes begin with the same
     * word of their vectors. */
    {{.batch = 17, .rows = 4095, .cols = 31}, ": pieces: ", 44},
    {{.batch = 11, .rows = 4105, .cols = 49}, ": pieces: ", 44},
    {{.batch = 17, .rows = 4099, .cols = 31}, ": pieces: ", 44},
    /* The last words of matrices' rows have two columns: 69 to 242 where their lanes take another way. */
    {{.batch = 226, .rows = 221, .cols = 30}, ": matrices: ", 46},
    {{.batch = 9375, .rows = 16, .cols = 10}, ": matrices: ", 62},
    /* And few lanes side by side: 91 and 135 where tasks of the next rows are taken for those of matrices
     * that are not there. */
    {{.batch = 1744, .rows = 86, .cols = 10}, ": matrices: ", 78},
    {{.batch = 247, .rows = 1009, .cols = 6}, ": matrices: ", 84},
    /* Columns shorter than a vector: 191 where lanes are parted by the first bytes of vectors alone, and 201
     * where they are as in longer columns. */
    {{.batch = 523, .rows = 6, .cols = 783}, ": matrices: ", 116},
    {{.batch = 4000, .rows = 3, .cols = 197}, ": matrices: ", 102},
    /* Tables whose columns begin in other rows: 80, 160 and 80 where a warp takes columns side by side. */
    {{.batch = 1, .rows = 199734, .cols = 84}, ": pieces: ", 47},
    {{.batch = 1, .rows = 131101, .cols = 128}, ": pieces: ", 42},
    {{.batch = 1, .rows = 254203, .cols = 66}, ": pieces: ", 45},
};

static wl_context *context;
static wl_devptr from, to;
enum { BYTES = 17 << 20 };

static int open_device(void **state) {
    (void)state;
    return wl_open(&context, "sim") || wl_alloc(context, &from, BYTES) || wl_alloc(context, &to, BYTES) ||
                   wl_fill(context, from, 0, BYTES, NULL)
               ? -1
               : 0;
}

static int close_device(void **state) {
    (void)state;
    const bool freed = wl_free(context, from) == 0 && wl_free(context, to) == 0;
    wl_close(context);
    return freed ? 0 : -1;
}

static void few_conflicts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const wl_transpose_layout *l = &rows[i].layout;
        const uint64_t bytes = l->batch * l->rows * l->cols;
        wl_counters counters;
        assert_in_range(bytes, 1, BYTES);
        assert_int_equal(wl_reset_counters(context), WL_ERROR_OK);
        assert_int_equal(wl_transpose_batched(context, 1, to, from, l, NULL), WL_ERROR_OK);
        assert_non_null(strstr(wl_explain(), rows[i].kernel));
        assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
        assert_int_equal(wl_get_counters(context, &counters), WL_ERROR_OK);
        const uint64_t passes = counters.shared_load_transactions * 1280 / bytes;
        if (passes > rows[i].most)
            fail_msg("%llu x %llu x %llu: %llu passes per 1280 bytes, %llu at most",
                     (unsigned long long)l->batch, (unsigned long long)l->rows, (unsigned long long)l->cols,
                     (unsigned long long)passes, (unsigned long long)rows[i].most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_conflicts)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
