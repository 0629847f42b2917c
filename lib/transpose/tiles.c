#include "lib/transpose/tiles.h"

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ceil((n + extra) / each); the sum may overflow. */
static uint64_t pieces(uint64_t n, uint64_t extra, uint64_t each) {
    uint64_t whole = n / each, rest = n % each + extra;
    return whole + rest / each + (rest % each != 0);
}

void wl__tiles_start(struct wl__tiles *tiles, struct wl__tile_shape shape, unsigned width, wl_devptr to,
                     wl_devptr from, const wl_transpose_layout *layout, const struct wl__digits *digits,
                     uint32_t limit) {
    *tiles = (struct wl__tiles){.shape = shape,
                                .width = width,
                                .to = to,
                                .from = from,
                                .layout = layout,
                                .digits = digits,
                                .limit = limit};
    uint64_t across = lesser(pieces(layout->cols, 0, shape.cols), limit);
    uint64_t down = lesser(pieces(layout->rows, shape.extra, shape.rows), limit / across);
    /* As many rows as `down` rows of tiles hold if the first begins `extra` rows early. */
    tiles->rows = lesser(down * shape.rows - shape.extra, layout->rows);
    tiles->cols = lesser(across * shape.cols, layout->cols);
    tiles->batch = limit / (across * down);
}

/* Whole multiples, if a launch may have that many blocks. */
static uint64_t whole(uint64_t n, uint64_t each, uint64_t others, uint64_t limit) {
    uint64_t padded = (n + each - 1) / each * each;
    return padded * others <= limit ? padded : 0;
}

/* Sets bands and pairs, if the launch may have the blocks without a tile that they add. */
static void set_walk(struct wl_transpose_tiles *launch, const struct wl__tile_shape *shape, uint64_t width,
                     uint64_t batch, uint32_t limit) {
    uint64_t down = launch->tiles_down, across = launch->tiles_across;
    const uint64_t stretch = 2 * (uint64_t)shape->pair;
    /* The addresses of a pair's columns differ in one bit: so stretches begin at multiples of them. */
    const uint64_t late = shape->pair > 1 ? launch->from / (width * shape->cols) % stretch : 0;
    const uint64_t stretches = shape->pair ? whole(across + late, stretch, batch * down, limit) : 0;
    if (stretches) {
        launch->paired = 1;
        launch->apart = shape->pair;
        launch->late = (uint32_t)late;
        across = stretches;
    }
    launch->band = (uint32_t)down;
    const uint64_t bands = shape->band ? whole(down, shape->band, batch * across, limit) : 0;
    if (bands) {
        launch->band = shape->band;
        down = bands;
    }
    launch->blocks = (uint32_t)(batch * down * across);
    launch->by_matrix = wl_divisor(down * across);
    launch->by_band = wl_divisor(launch->band * across);
    launch->by_column = wl_divisor((uint64_t)launch->band << launch->paired);
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
        .batch = wl__batch_of(tiles->width, tiles->digits),
        .tile_rows = tiles->shape.rows,
        .tile_extra = tiles->shape.extra,
        .tile_pad = tiles->shape.pad,
        .tiles_down = down,
        .tiles_across = across,
    };
    set_walk(launch, &tiles->shape, width, batch, tiles->limit);

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
