#include "lib/tiles.h"

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ceil((n + extra) / each), where the sum may be no number. */
static uint64_t pieces(uint64_t n, uint64_t extra, uint64_t each) {
    uint64_t whole = n / each, rest = n % each + extra;
    return whole + rest / each + (rest % each != 0);
}

void wl__tiles_start(struct wl__tiles *tiles, struct wl__tile_shape shape, unsigned width, wl_devptr to,
                     wl_devptr from, const wl_transpose_layout *layout, uint32_t limit) {
    *tiles = (struct wl__tiles){.shape = shape, .width = width, .to = to, .from = from, .layout = layout};
    uint64_t across = lesser(pieces(layout->cols, 0, shape.cols), limit);
    uint64_t down = lesser(pieces(layout->rows, shape.extra, shape.rows), limit / across);
    /* As many as `down` rows of tiles hold when the first begins `extra` rows too early. */
    tiles->rows = lesser(down * shape.rows - shape.extra, layout->rows);
    tiles->cols = lesser(across * shape.cols, layout->cols);
    tiles->batch = limit / (across * down);
}

bool wl__tiles_next(struct wl__tiles *tiles, struct wl_transpose_tiles *launch) {
    const wl_transpose_layout *layout = tiles->layout;
    if (tiles->matrix >= layout->batch)
        return false;
    uint64_t width = tiles->width;
    uint64_t rows = lesser(tiles->rows, layout->rows - tiles->row);
    uint64_t cols = lesser(tiles->cols, layout->cols - tiles->col);
    uint64_t batch = lesser(tiles->batch, layout->batch - tiles->matrix);
    uint32_t down = (uint32_t)pieces(rows, tiles->shape.extra, tiles->shape.rows);
    uint32_t across = (uint32_t)pieces(cols, 0, tiles->shape.cols);
    const uint64_t column =
        width * (tiles->matrix * layout->from_stride + tiles->row * layout->from_ld + tiles->col);
    uint32_t group = tiles->shape.group,
             late = (uint32_t)((tiles->from + column) / (width * tiles->shape.cols) % group);
    uint32_t first_group = (uint32_t)lesser(group - late, across);
    uint32_t last_group = (across - first_group) % group;
    *launch = (struct wl_transpose_tiles){
        .from = tiles->from + column,
        .to =
            tiles->to + width * (tiles->matrix * layout->to_stride + tiles->col * layout->to_ld + tiles->row),
        .rows = rows,
        .cols = cols,
        .from_pitch = width * layout->from_ld,
        .to_pitch = width * layout->to_ld,
        .from_stride = width * layout->from_stride,
        .to_stride = width * layout->to_stride,
        .tile_rows = tiles->shape.rows,
        .tiles_down = down,
        .tiles_across = across,
        .blocks = (uint32_t)batch * (down * across),
        .group = group,
        .first_group = first_group,
        .by_matrix = wl_divisor(down * across),
        .by_group = wl_divisor(lesser((uint64_t)group * down, UINT32_MAX)),
        .by_first = wl_divisor(first_group),
        .by_width = wl_divisor(group),
        .by_last = wl_divisor(last_group ? last_group : group),
    };

    tiles->row += rows;
    if (tiles->row == layout->rows) {
        tiles->row = 0;
        tiles->col += cols;
    }
    if (tiles->col == layout->cols) {
        tiles->col = 0;
        tiles->matrix += batch;
    }
    return true;
}
