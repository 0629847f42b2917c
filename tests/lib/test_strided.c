/* wl_copy_strided: what it refuses, on the host and on the simulator, and which movers it has on the
 * simulator. Random calls are in calls_strided.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wideload.h"

enum { BYTES = 1 << 16 };

static wl_context *context;
static wl_devptr from, to;

static int open_device(void **state) {
    if (wl_open(&context, *state) || wl_alloc(context, &from, BYTES) || wl_alloc(context, &to, BYTES)) {
        print_error("%s\n", wl_message());
        return -1;
    }
    return 0;
}

static int close_device(void **state) {
    (void)state;
    wl_free(context, from);
    wl_free(context, to);
    wl_close(context);
    return 0;
}

struct strided {
    size_t bytes;
    wl_devptr to;
    int64_t to_strides[3];
    wl_devptr from;
    int64_t from_strides[3];
    unsigned rank;
    uint64_t sizes[3];
};

static wl_error copy(const struct strided *p) {
    return wl_copy_strided(context, p->bytes, p->to, p->to_strides, p->from, p->from_strides, p->rank,
                           p->sizes, NULL);
}

static void refused(const char *says, struct strided problem) {
    if (copy(&problem) != WL_ERROR_INVALID_ARGUMENT)
        fail_msg("not refused: %s", says);
    if (!strstr(wl_message(), says) || strncmp(wl_message(), "wl_copy_strided: ", 17) != 0)
        fail_msg("'%s', not '%s'", wl_message(), says);
}

static void refuses(void **state) {
    (void)state;
    const int64_t max = INT64_MAX;
    const uint64_t sizes[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const int64_t strides[9] = {0};
    assert_int_equal(wl_copy_strided(NULL, 1, to, strides, from, strides, 1, sizes, NULL),
                     WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_copy_strided(context, 1, to, strides, from, strides, 9, sizes, NULL),
                     WL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(wl_message(), "rank is 9"));
    const char *const missing[] = {"to_stride_bytes is NULL", "from_stride_bytes is NULL", "sizes is NULL"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wl_copy_strided(context, 1, to, i == 0 ? NULL : strides, from,
                                         i == 1 ? NULL : strides, 1, i == 2 ? NULL : sizes, NULL),
                         WL_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(wl_message(), missing[i]));
    }
    refused("element_bytes is 0", (struct strided){0, to, {4}, from, {4}, 1, {4}});
    refused("to is NULL", (struct strided){4, 0, {4}, from, {4}, 1, {4}});
    refused("from is NULL", (struct strided){4, to, {4}, 0, {4}, 1, {4}});
    /* Elements of `to` that share bytes. */
    refused("to_stride_bytes[0] is 0", (struct strided){4, to, {0}, from, {4}, 1, {4}});
    refused("to_stride_bytes[0] is 3", (struct strided){4, to, {3}, from, {4}, 1, {4}});
    refused("to_stride_bytes[0] is -3", (struct strided){4, to + 64, {-3}, from, {4}, 1, {4}});
    refused("to_stride_bytes[1] is 4", (struct strided){4, to, {4, 4}, from, {4, 16}, 2, {4, 4}});
    refused("to_stride_bytes[0] is 15", (struct strided){4, to, {15, 4}, from, {4, 16}, 2, {4, 4}});
    refused("to goes past the beginning",
            (struct strided){4, to, {INT64_MIN, INT64_MIN}, from, {4, 16}, 2, {2, 2}});
    /* Arrays that overlap, from their first byte to their last. */
    refused("to and from overlap", (struct strided){4, to, {4}, to + 12, {4}, 1, {4}});
    refused("to and from overlap", (struct strided){4, to + 64, {-4}, to + 52, {4}, 1, {4}});
    refused("to and from overlap", (struct strided){4, to, {32}, to + 16, {32}, 1, {4}});
    refused("to and from overlap", (struct strided){4, to, {4}, to + 12, {0}, 1, {4}});
    /* The ends of the address space. */
    refused("to goes past the end", (struct strided){4, to, {max}, from, {4}, 1, {4}});
    refused("from goes past the end", (struct strided){4, to, {4}, from, {max}, 1, {4}});
    refused("to goes past the end", (struct strided){4, to, {4}, from, {1}, 1, {UINT64_MAX / 4}});
    refused("from goes past the beginning", (struct strided){4, to, {4}, from, {INT64_MIN}, 1, {4}});
    refused("to goes past the beginning", (struct strided){4, to, {-max}, from, {4}, 1, {4}});
}

static void succeeds(struct strided problem) {
    if (copy(&problem))
        fail_msg("%s", wl_message());
}

static void accepts(void **state) {
    (void)state;
    /* Nothing at all; addresses may be NULL. */
    succeeds((struct strided){4, 0, {0}, 0, {0}, 1, {0}});
    succeeds((struct strided){4, 0, {0, 0}, 0, {0, 0}, 2, {UINT64_MAX, 0}});
    assert_int_equal(wl_copy_strided(context, 4, to, NULL, from, NULL, 0, NULL, NULL), WL_ERROR_OK);
    /* Strides of dimensions of size 1 do not matter. */
    succeeds((struct strided){4, to, {INT64_MIN, 4}, from, {INT64_MIN, 4}, 2, {1, 4}});
    /* Windows that overlap, and one element for all. */
    succeeds((struct strided){4, to, {16, 4}, from, {1, 2}, 2, {8, 4}});
    succeeds((struct strided){4, to, {16, 4}, from, {0, 0}, 2, {8, 4}});
    /* Neighbours. */
    succeeds((struct strided){4, to, {4}, to + 16, {4}, 1, {4}});
    succeeds((struct strided){4, to + 28, {-4}, to, {4}, 1, {4}});
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
}

static uint64_t size_of(const struct strided *problem, unsigned d) {
    return d < problem->rank ? problem->sizes[d] : 1;
}

/* The same by loops. */
static void expect_moved(const struct strided *p, unsigned char *at, const unsigned char *source) {
    for (uint64_t i = 0; i < size_of(p, 0); i++)
        for (uint64_t j = 0; j < size_of(p, 1); j++)
            for (uint64_t k = 0; k < size_of(p, 2); k++) {
                const int64_t index[3] = {(int64_t)i, (int64_t)j, (int64_t)k};
                int64_t to_place = 0, from_place = 0;
                for (unsigned d = 0; d < 3; d++) {
                    to_place += index[d] * p->to_strides[d];
                    from_place += index[d] * p->from_strides[d];
                }
                memcpy(at + to_place, source + from_place, p->bytes);
            }
}

static void moved_by(const char *mover, struct strided problem) {
    static unsigned char source[BYTES], target[BYTES], expected[BYTES];
    for (size_t i = 0; i < BYTES; i++) {
        source[i] = (unsigned char)(i * 37 >> 3);
        expected[i] = 0xa5;
    }
    assert_int_equal(wl_upload(context, from, source, BYTES), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, to, expected, BYTES), WL_ERROR_OK);
    expect_moved(&problem, expected + problem.to, source + problem.from);
    problem.to += to;
    problem.from += from;
    succeeds(problem);
    if (!strstr(wl_explain(), mover))
        fail_msg("%s: not %s", wl_explain(), mover);
    assert_int_equal(wl_download(context, target, to, BYTES), WL_ERROR_OK);
    assert_memory_equal(target, expected, BYTES);
}

static void movers(void **state) {
    (void)state;
    moved_by(": copy: ", (struct strided){4, 4, {64, 4}, 8, {64, 4}, 2, {8, 16}});
    moved_by(": permute: ", (struct strided){4, 4, {4, 32}, 8, {64, 4}, 2, {8, 16}});
    moved_by(": permute: ", (struct strided){12, 1, {12, 96}, 8, {192, 12}, 2, {8, 16}});
    moved_by(": transpose: ", (struct strided){4, 4, {4, 140}, 8, {200, 4}, 2, {33, 50}});
    moved_by(": rows: ", (struct strided){33, 4, {33, 264}, 8, {700, 33}, 2, {8, 16}});
    moved_by(": tiles: ", (struct strided){4, 4, {4, 140}, 8, {404, 8}, 2, {33, 50}});
    moved_by(": tiles: ", (struct strided){2, 4, {2, 140}, 10000, {200, -2}, 2, {33, 50}});
    moved_by(": units: ", (struct strided){3, 1, {4, 140}, 10000, {200, -3}, 2, {33, 40}});
    moved_by(": units: ", (struct strided){4, 4, {4}, 8, {8}, 1, {1000}});
    moved_by(": units: ", (struct strided){4, 4, {4}, 8000, {-4}, 1, {1000}});
}

static int64_t draw(int64_t count) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(state >> 33) % count;
}

/* The outer dimensions change places, so each matrix has rows of the others between its own: zyx to xyz and
 * the like, of any widths and gaps. */
static void mixed_matrices(void **state) {
    (void)state;
    unsigned moved = 0;
    for (unsigned i = 0; i < 200; i++) {
        const int64_t bytes = (int64_t)1 << draw(5);
        const int64_t x = 16 + draw(60), y = 2 + draw(4), z = 16 + draw(60), unit = draw(2) ? bytes : 16;
        /* Gaps behind rows, and behind planes of the input; whole vectors or elements. */
        const int64_t gap = draw(2) ? unit * draw(3) : 0, more = draw(2) ? unit * draw(3) : 0;
        const int64_t x_row = x * bytes + gap, z_row = z * bytes + more;
        const int64_t middle = draw(2);
        struct strided problem = {(unsigned)bytes,
                                  (wl_devptr)(bytes * draw(3)),
                                  {bytes, z_row, z_row * y},
                                  (wl_devptr)(bytes * draw(3)),
                                  {x_row * y, x_row, bytes},
                                  3,
                                  {(uint64_t)z, (uint64_t)y, (uint64_t)x}};
        if (middle) { /* only the input's matrices are mixed */
            problem.to_strides[1] = z_row * x;
            problem.to_strides[2] = z_row;
        }
        if ((x_row + 32) * y * z <= BYTES && (z_row + 32) * y * x <= BYTES) {
            moved_by(gap || more ? ": transpose: " : ": permute: ", problem);
            moved++;
        }
    }
    assert_true(moved > 100);
}

static void movers_on_host(void **state) {
    (void)state;
    moved_by(": host-copy: ", (struct strided){4, 4, {64, 4}, 8, {64, 4}, 2, {8, 16}});
    moved_by(": host-tiles: ", (struct strided){4, 4, {4, 140}, 8, {200, 4}, 2, {33, 50}});
    moved_by(": host-tiles: ", (struct strided){2, 3, {2, 140}, 10000, {200, -2}, 2, {33, 50}});
    moved_by(": host-lines: ", (struct strided){4, 4, {4, 140}, 8, {404, 8}, 2, {33, 50}});
    /* The input is contiguous, and the output's stride is far from any. */
    moved_by(": host-lines: ", (struct strided){4, 4, {8, 1000}, 10000, {100, -4}, 2, {2, 10}});
    moved_by(": host-rows: ", (struct strided){33, 4, {33, 264}, 8, {700, 33}, 2, {8, 16}});
}

int main(void) {
    static char host[] = "host", simulator[] = "sim";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(refuses, open_device, close_device, host),
        cmocka_unit_test_prestate_setup_teardown(accepts, open_device, close_device, host),
        cmocka_unit_test_prestate_setup_teardown(movers_on_host, open_device, close_device, host),
        cmocka_unit_test_prestate_setup_teardown(refuses, open_device, close_device, simulator),
        cmocka_unit_test_prestate_setup_teardown(accepts, open_device, close_device, simulator),
        cmocka_unit_test_prestate_setup_teardown(movers, open_device, close_device, simulator),
        cmocka_unit_test_prestate_setup_teardown(mixed_matrices, open_device, close_device, simulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
