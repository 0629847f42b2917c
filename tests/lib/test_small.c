/* The mover of small arrays against plain C: any strides, any alignment, outputs poisoned and guarded; and
 * where it is chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device.h"
#include "lib/small/small.h"
#include "without_small.h"

enum { GUARD = 64, POISON = 0xA5 };

static uint32_t state_of_draw = 12345;

static uint32_t draw(uint32_t below) {
    state_of_draw = state_of_draw * 1664525u + 1013904223u;
    return (state_of_draw >> 8) % below;
}

/* A random array of at most `elements` elements: its dimensions in the output's order are shuffled, and there
 * may be gaps between their elements in either array. */
static void draw_shape(struct wl__permute_shape *shape, unsigned width, uint64_t elements) {
    *shape = (struct wl__permute_shape){.width = width, .rank = 2 + draw(WL_RANK_MAX - 1)};
    const bool gaps = draw(3) == 0;
    uint64_t left = elements, in = 1, out = 1;
    for (unsigned d = 0; d < shape->rank; d++) {
        const uint64_t most = d + 1 < shape->rank ? 1 + left / 2 : left;
        shape->dim[d].size = 1 + draw((uint32_t)(draw(2) && most > 12 ? 12 : most));
        shape->dim[d].in = in;
        in *= shape->dim[d].size;
        in += gaps ? draw(4) : 0;
        left /= shape->dim[d].size;
        left += left == 0;
        shape->by_out[d] = d;
    }
    for (unsigned i = shape->rank; i > 1; i--) {
        const unsigned j = draw(i), swapped = shape->by_out[i - 1];
        shape->by_out[i - 1] = shape->by_out[j];
        shape->by_out[j] = swapped;
    }
    for (unsigned i = 0; i < shape->rank; i++) {
        const unsigned d = shape->by_out[i];
        shape->dim[d].out = out;
        out *= shape->dim[d].size;
        out += gaps ? draw(4) : 0;
    }
}

/* Element number i: its places in both arrays, in elements. */
static void find(const struct wl__permute_shape *shape, uint64_t i, uint64_t *in, uint64_t *out) {
    *in = *out = 0;
    for (unsigned d = 0; d < shape->rank; d++) {
        *in += i % shape->dim[d].size * shape->dim[d].in;
        *out += i % shape->dim[d].size * shape->dim[d].out;
        i /= shape->dim[d].size;
    }
}

static void move(const struct wl__permute_shape *shape, unsigned to_shift, unsigned from_shift) {
    const unsigned width = shape->width;
    uint64_t elements = 1, in, out, last_in = 0, last_out = 0;
    for (unsigned d = 0; d < shape->rank; d++) {
        elements *= shape->dim[d].size;
        last_in += (shape->dim[d].size - 1) * shape->dim[d].in;
        last_out += (shape->dim[d].size - 1) * shape->dim[d].out;
    }
    const uint64_t to_at = GUARD + to_shift * width, to_bytes = to_at + (last_out + 1) * width + GUARD;
    const uint64_t from_at = from_shift * width, from_bytes = from_at + (last_in + 1) * width;
    uint8_t *from = malloc(from_bytes), *expected = malloc(to_bytes), *got = malloc(to_bytes);
    for (uint64_t i = 0; i < from_bytes; i++)
        from[i] = (uint8_t)(i * 2654435761u >> 11);
    memset(expected, POISON, to_bytes);
    for (uint64_t i = 0; i < elements; i++) {
        find(shape, i, &in, &out);
        memcpy(expected + to_at + out * width, from + from_at + in * width, width);
    }
    wl_devptr to, source;
    assert_int_equal(wl_alloc(context, &to, to_bytes), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &source, from_bytes), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, source, from, from_bytes), WL_ERROR_OK);
    assert_int_equal(wl_fill(context, to, POISON, to_bytes, NULL), WL_ERROR_OK);
    assert_true(wl__small_can(shape));
    if (wl__small_move(context, shape, to + to_at, source + from_at, NULL) || wl_synchronize(context))
        fail_msg("%s", wl_message());
    assert_int_equal(wl_download(context, got, to, to_bytes), WL_ERROR_OK);
    for (uint64_t i = 0; i < to_bytes; i++)
        if (got[i] != expected[i]) {
            for (unsigned d = 0; d < shape->rank; d++)
                print_error("size %llu, in %llu, out %llu\n", (unsigned long long)shape->dim[d].size,
                            (unsigned long long)shape->dim[d].in, (unsigned long long)shape->dim[d].out);
            fail_msg("width %u, %u and %u elements further on: byte %lld of %llu", width, to_shift,
                     from_shift, (long long)i - (long long)to_at, (unsigned long long)elements * width);
        }
    assert_int_equal(wl_free(context, to), WL_ERROR_OK);
    assert_int_equal(wl_free(context, source), WL_ERROR_OK);
    free(from);
    free(expected);
    free(got);
}

static void random_shapes(void **state) {
    (void)state;
    for (unsigned i = 0; i < 600; i++) {
        struct wl__permute_shape shape;
        const uint64_t elements = (uint64_t)1 << (2 + draw(13));
        draw_shape(&shape, 1u << draw(5), elements);
        const unsigned to_shift = draw(20), from_shift = draw(20);
        if (!left_to_release())
            move(&shape, to_shift, from_shift);
    }
}

/* More dimensions of 2 than a box has parts, one long dimension, and boxes that end with the array or do not.
 */
static void special_shapes(void **state) {
    (void)state;
    static const struct wl__permute_shape shapes[] = {
        {1,
         8,
         {{2, 1, 128}, {2, 2, 64}, {2, 4, 32}, {2, 8, 16}, {2, 16, 8}, {2, 32, 4}, {2, 64, 2}, {2, 128, 1}},
         {7, 6, 5, 4, 3, 2, 1, 0}},
        {4, 2, {{2, 1, 5000}, {5000, 2, 1}}, {1, 0}},
        {4, 2, {{5000, 1, 2}, {2, 5000, 1}}, {1, 0}},
        {2, 2, {{32, 1, 32}, {32, 32, 1}}, {1, 0}},
        {2, 2, {{33, 1, 31}, {31, 33, 1}}, {1, 0}},
        {8, 3, {{3, 1, 3}, {3, 3, 1}, {1000, 9, 9}}, {1, 0, 2}},
        {16, 2, {{1, 1, 1}, {1, 1, 1}}, {1, 0}},
    };
    for (unsigned i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        move(&shapes[i], i, 2 * i);
}

/* Quotients by multiplication are exact. */
static void magic_numbers(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= WL_SMALL_MOST; count++) {
        const uint32_t magic = wl__small_magic(count);
        for (uint32_t n = 0; n < WL_SMALL_MOST; n++)
            assert_int_equal(n * magic >> WL_SMALL_SHIFT, n / count);
    }
}

/* Bytes are counted in 32 bits. */
static void limits(void **state) {
    (void)state;
    struct wl__permute_shape shape = {1, 2, {{1 << 15, 1, 1 << 16}, {1 << 16, 1 << 15, 1}}, {1, 0}};
    assert_false(wl__small_can(&shape));
    shape.dim[1].size--;
    assert_true(wl__small_can(&shape));
    shape.width = 2;
    assert_false(wl__small_can(&shape));
    shape = (struct wl__permute_shape){1, 2, {{2, UINT64_MAX / 2, 1}, {2, 1, 2}}, {1, 0}};
    assert_false(wl__small_can(&shape));
}

static bool is_small(unsigned width, uint64_t side) {
    wl_devptr to, from;
    assert_int_equal(wl_alloc(context, &to, width * side * side), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &from, width * side * side), WL_ERROR_OK);
    assert_int_equal(wl_transpose(context, width, to, from, side, side, NULL), WL_ERROR_OK);
    const bool is = strstr(wl_explain(), ": small:") != NULL;
    const uint64_t sizes[] = {side / 4, 4, side};
    const unsigned order[] = {2, 1, 0};
    assert_int_equal(wl_permute(context, width, to, from, 3, sizes, order, NULL), WL_ERROR_OK);
    assert_int_equal(strstr(wl_explain(), ": small:") != NULL, is);
    assert_int_equal(wl_free(context, to), WL_ERROR_OK);
    assert_int_equal(wl_free(context, from), WL_ERROR_OK);
    return is;
}

/* Both kernels: large arrays' boxes have up to 1024 elements. */
static void large_boxes(void **state) {
    (void)state;
    struct wl__tuned tuned = *context->tuned;
    const struct wl__tuned *whole = context->tuned;
    tuned.small.large = 0;
    context->tuned = &tuned;
    random_shapes(state);
    special_shapes(state);
    context->tuned = whole;
}

/* Where its time is less than what others take for their first bytes. */
static void is_chosen(void **state) {
    (void)state;
    const struct wl__tuned_small *tuned = &context->tuned->small;
    const double most = (tuned->tiles - tuned->first[1]) / (tuned->per_million[1] * 1e-6);
    assert_true(most > 64 * 64 && most < 1024 * 1024);
    assert_true(is_small(4, 64));
    assert_false(is_small(4, 1040)); /* nor its permutation, of which larger ones are small */
    const struct wl__tuned *whole = context->tuned;
    leave_out_small(context);
    assert_false(is_small(4, 64));
    context->tuned = whole;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_shapes), cmocka_unit_test(special_shapes), cmocka_unit_test(magic_numbers),
        cmocka_unit_test(limits),        cmocka_unit_test(large_boxes),    cmocka_unit_test(is_chosen),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
