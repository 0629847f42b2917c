/* Squares in place on devices with less shared memory than the one that runs the tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "device.h"
#include "lib/inplace/transpose_inplace.h"

#define LITTLE (64 << 10)

/* The driver's launch function, and its last arguments. */
static CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          CUstream, void **, void **);
static unsigned launches, most_shared;

static CUresult look_and_launch(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                                unsigned block_y, unsigned block_z, unsigned shared, CUstream stream,
                                void **arguments, void **extra) {
    launches++;
    most_shared = shared > most_shared ? shared : most_shared;
    return launch(function, x, y, z, block_x, block_y, block_z, shared, stream, arguments, extra);
}

/* 2-byte elements on a device whose blocks have at most 64 KB of shared memory. */
static void little_shared(void **state) {
    (void)state;
    const uint64_t side = 3075;
    context->starts_early = false; /* launches by cuLaunchKernel */
    struct array matrix = array_make(context, side * side / 2 + 1, 0, 5);
    const struct wl__problem p = {.context = context,
                                  .tuned = &context->tuned->inplace,
                                  .width = 2,
                                  .row = 1,
                                  .rows = side,
                                  .cols = side,
                                  .shorter = side,
                                  .longer = side,
                                  .shared_limit = LITTLE,
                                  .matrix = matrix.device};
    launch = context->driver.cuLaunchKernel;
    context->driver.cuLaunchKernel = look_and_launch;
    wl_error error = wl__inplace_exchange(&p, side);
    context->driver.cuLaunchKernel = launch;
    assert_int_equal(error, WL_ERROR_OK);
    assert_int_equal(launches, 1);
    assert_in_range(most_shared, 1, LITTLE);
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    uint16_t *words = (uint16_t *)array_words(&matrix);
    for (uint64_t r = 0; r < side; r++)
        for (uint64_t c = 0; c < r; c++) {
            uint16_t kept = words[r * side + c];
            words[r * side + c] = words[c * side + r];
            words[c * side + r] = kept;
        }
    array_compare(context, &matrix, "64 KB of shared memory");
    array_free(context, &matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(little_shared)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
