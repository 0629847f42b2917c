/* Permutations whose last dimension keeps its place, as copies of rows: where these are fast. */
#include "lib/copy/rows.h"
#include "lib/permute/permute_movers.h"
#include "lib/small/small.h"

bool wl__permute_has_rows(const struct wl__permute_shape *shape) {
    return shape->rank > 1 && shape->by_out[0] == 0;
}

uint64_t wl__permute_row_bytes(const struct wl__permute_shape *shape) {
    return shape->dim[0].size * shape->width;
}

bool wl__permute_parts_rows(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape) {
    return shape->dim[1].out * shape->width >= tuned->torn_apart;
}

bool wl__permute_tears_rows(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape) {
    return shape->width == 8 && wl__permute_row_bytes(shape) < tuned->torn_row &&
           wl__permute_parts_rows(tuned, shape) && wl__small_can(shape);
}

/* DRAM reads 64 bytes at a time.  Where a row ends within these, the input's next row wants the rest, and has
 * it read again if that is much later. */
static bool splits_reads(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape) {
    const uint64_t row = wl__permute_row_bytes(shape);
    return shape->width == 16 && row % 64 != 0 && row < tuned->split_row &&
           shape->dim[1].out * shape->width >= tuned->split_apart;
}

bool wl__permute_has_long_rows(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape) {
    return wl__permute_row_bytes(shape) >= tuned->rows[__builtin_ctz(shape->width)] &&
           !wl__permute_tears_rows(tuned, shape) && !splits_reads(tuned, shape);
}

bool wl__permute_rows_beat_strips(const wl_context *context, const struct wl__permute_shape *shape) {
    const struct wl__tuned_permute *tuned = &context->tuned->permute;
    const bool seams = shape->width == 4 && wl__permute_row_bytes(shape) >= context->tuned->rows.seams_4;
    return wl__permute_bytes(shape) <=
           (seams ? tuned->cached : tuned->strips.small_array[__builtin_ctz(shape->width)]);
}

wl_error wl__permute_run_rows(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                              wl_devptr from, wl_stream stream) {
    struct wl__rows rows = {
        .to = to, .from = from, .row_bytes = wl__permute_row_bytes(shape), .rank = shape->rank - 1};
    for (unsigned i = 1; i < shape->rank; i++) {
        const unsigned d = shape->by_out[i];
        rows.outer[i - 1] = (struct wl__rows_dimension){shape->dim[d].size, shape->dim[d].out * shape->width,
                                                        shape->dim[d].in * shape->width};
    }
    return wl__rows_move(context, &(struct wl__choice){0}, &rows, stream);
}
