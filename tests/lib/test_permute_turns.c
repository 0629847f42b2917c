/* Blocks whose tiles fill a multiprocessor's memory take turns if there is a wave of them, and not if there
 * are fewer: the simulator counts the instructions of those that wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/context.h"
#include "without_small.h"

static const struct {
    uint64_t size[3];
    unsigned order[3], width;
    const char *kernel;
    unsigned multiprocessors; /* four blocks of each are a wave, or six where tiles are small */
    bool waits;
} rows[] = {
    {{128, 140, 49}, {2, 1, 0}, 2, ": bulk: ", 10, true}, /* 40 tiles, by look-ups */
    {{128, 140, 49}, {2, 1, 0}, 2, ": bulk: ", 11, false},
    {{7, 25000, 3}, {1, 0, 2}, 8, ": bulk: ", 23, true}, /* 143 tiles of 30 KB */
    {{7, 25000, 3}, {1, 0, 2}, 8, ": bulk: ", 25, false},
    {{200, 53, 97}, {2, 1, 0}, 4, ": bulk: ", 1, true}, /* by permute_bulk.cu */
    {{1200, 9, 33}, {1, 0, 2}, 1, ": strips: ", 1, true},
    {{1200, 9, 33}, {1, 0, 2}, 1, ": strips: ", 100, false},
};

static wl_context *context;
static const struct wl__tuned *usual;
static wl_devptr from, to;
enum { BYTES = 5 << 20 };
static uint8_t bytes[BYTES], moved[2][BYTES];

static int open_device(void **state) {
    (void)state;
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 24);
    return wl_open(&context, "sim") || wl_alloc(context, &from, BYTES) || wl_alloc(context, &to, BYTES) ||
                   wl_upload(context, from, bytes, BYTES)
               ? -1
               : (usual = context->tuned, 0);
}

static int close_device(void **state) {
    (void)state;
    const bool freed = wl_free(context, from) == 0 && wl_free(context, to) == 0;
    wl_close(context);
    return freed ? 0 : -1;
}

/* turn: see tuned.h; so large a one lets no block wait. */
enum { NEVER = 1 << 30 };

static uint64_t instructions(size_t row, uint32_t turn, unsigned run) {
    wl_counters counters;
    leave_out_small(context);
    struct wl__tuned tuned = *context->tuned;
    tuned.permute.bulk.turn = turn;
    tuned.permute.bulk.narrow.many = 0;
    context->tuned = &tuned;
    context->multiprocessors = rows[row].multiprocessors;
    assert_int_equal(wl_fill(context, to, (uint8_t)(0x5a + run), BYTES, NULL), WL_ERROR_OK);
    assert_int_equal(wl_reset_counters(context), WL_ERROR_OK);
    assert_int_equal(wl_permute(context, rows[row].width, to, from, 3, rows[row].size, rows[row].order, NULL),
                     WL_ERROR_OK);
    assert_non_null(strstr(wl_explain(), rows[row].kernel));
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    assert_int_equal(wl_get_counters(context, &counters), WL_ERROR_OK);
    assert_int_equal(wl_download(context, moved[run], to, BYTES), WL_ERROR_OK);
    context->tuned = usual;
    return counters.inst_executed;
}

static void waves_take_turns(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint64_t waiting = instructions(i, usual->permute.bulk.turn, 0),
                       none = instructions(i, NEVER, 1);
        const uint64_t size = rows[i].width * rows[i].size[0] * rows[i].size[1] * rows[i].size[2];
        assert_in_range(size, 1, BYTES - 1);
        assert_memory_equal(moved[0], moved[1], size);
        assert_int_equal(moved[0][size], 0x5a);
        if ((waiting > none) != rows[i].waits)
            fail_msg("row %zu: %llu instructions, and %llu without waiting", i, (unsigned long long)waiting,
                     (unsigned long long)none);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(waves_take_turns)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
