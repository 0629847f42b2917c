#include "lib/permute/permute_batch.h"

/* The least rows of a tile of transposes, and the least columns of a panel. */
#define TILE_ROWS  32
#define PANEL_COLS 4

/* Digits have the output's order, so that blocks that follow each other write near each other. */
bool wl__permute_as_batch(const struct wl__permute_shape *shape, wl_transpose_layout *layout,
                          struct wl__digits *digits) {
    const unsigned last = shape->by_out[0];
    *digits = (struct wl__digits){.count = 0};
    if (shape->rank < 2 || last == 0)
        return false;
    const uint64_t rows = shape->dim[last].size, cols = shape->dim[0].size;
    *layout = (wl_transpose_layout){.rows = rows,
                                    .cols = cols,
                                    .from_ld = shape->dim[last].in,
                                    .to_ld = shape->dim[0].out,
                                    .batch = 1,
                                    .from_stride = rows * shape->dim[last].in,
                                    .to_stride = cols * shape->dim[0].out};
    unsigned outer[WL_RANK_MAX], count = 0;
    for (unsigned i = 1; i < shape->rank; i++)
        if (shape->by_out[i] != 0)
            outer[count++] = shape->by_out[i];
    for (unsigned i = 0; i < count; i++) {
        const unsigned d = outer[i];
        layout->batch *= shape->dim[d].size;
        layout->from_stride = shape->dim[d].in;
        layout->to_stride = shape->dim[d].out;
        if (i + 1 < count) {
            digits->digit[i].size = shape->dim[d].size;
            digits->digit[i].from = shape->dim[d].in;
            digits->digit[i].to = shape->dim[d].out;
            digits->count++;
        }
    }
    /* Without digits there may be several launches. */
    const uint64_t blocks = (rows / TILE_ROWS + 2) * (cols / PANEL_COLS + 1);
    return !digits->count || (blocks <= INT32_MAX && layout->batch <= INT32_MAX / blocks);
}
