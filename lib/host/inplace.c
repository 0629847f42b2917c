/* wl_transpose_inplace on the host. */
#include <stdlib.h>

#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/host/kernels.h"
#include "lib/host/threads.h"

/* Bytes of a row of a tile, and of a thread's share. */
#define TILE_ROW    128
#define SHARE_BYTES (1 << 18)

struct square {
    const struct wl__host_kernels *kernels;
    unsigned width;
    unsigned char *matrix;
    uint64_t side, tiles, tile; /* tiles of a side; elements of a tile's side */
};

static uint64_t size_of_tile(const struct square *p, uint64_t tile) {
    const uint64_t left = p->side - tile * p->tile;
    return left < p->tile ? left : p->tile;
}

/* Exchanges two tiles that lie opposite each other across the diagonal, or transposes one that lies on it. */
static void exchange(const struct square *p, uint64_t row, uint64_t col) {
    _Alignas(WL_HOST_LINE) unsigned char upper[TILE_ROW * TILE_ROW], lower[TILE_ROW * TILE_ROW];
    const unsigned width = p->width;
    const int64_t pitch = (int64_t)(p->side * width), dense = (int64_t)(p->tile * width);
    const uint64_t rows = size_of_tile(p, row), cols = size_of_tile(p, col);
    unsigned char *at = p->matrix + (row * p->side + col) * p->tile * width;
    unsigned char *opposite = p->matrix + (col * p->side + row) * p->tile * width;
    wl__host_transpose *transpose = p->kernels->transpose[__builtin_ctz(width)];
    wl__host_line *copy = p->kernels->line_any;
    transpose(upper, dense, at, pitch, rows, cols, NULL, 0);
    if (row != col) {
        transpose(lower, dense, opposite, pitch, cols, rows, NULL, 0);
        copy(at, pitch, lower, dense, rows, cols * width);
    }
    copy(opposite, pitch, upper, dense, cols, rows * width);
}

/* Tiles are numbered along rows of the upper triangle: as many in two rows as a row and one more, if each is
 * taken together with its mirror image. */
static void exchange_tiles(const void *problem, uint64_t first, uint64_t end) {
    const struct square *p = problem;
    uint64_t row = 0, left = first;
    while (left >= p->tiles - row)
        left -= p->tiles - row++;
    uint64_t col = row + left;
    for (uint64_t i = first; i < end; i++) {
        exchange(p, row, col);
        if (++col == p->tiles)
            col = ++row;
    }
}

static void transpose_square(const wl_context *context, unsigned width, unsigned char *matrix,
                             uint64_t side) {
    struct square p = {context->host->kernels, width, matrix, side, 0, TILE_ROW / width};
    p.tiles = (side + p.tile - 1) / p.tile;
    wl__host_share(exchange_tiles, &p, p.tiles * (p.tiles + 1) / 2,
                   SHARE_BYTES / (2 * p.tile * p.tile * width) + 1);
}

static wl_error through_buffer(const wl_context *context, unsigned width, wl_devptr matrix, uint64_t rows,
                               uint64_t cols) {
    const int64_t each = width;
    const uint64_t bytes = rows * cols * width;
    struct wl__choice none = {0};
    wl_devptr buffer;
    wl_error error = wl__host_alloc(&buffer, bytes);
    if (error)
        return error;
    const struct wl__strided transposed = {
        buffer, matrix, width, 2, {{rows, each, (int64_t)cols * each}, {cols, (int64_t)rows * each, each}}};
    wl__host_move(context, &none, &transposed);
    wl__host_move(context, &none, &(struct wl__strided){.to = matrix, .from = buffer, .bytes = bytes});
    wl__host_free(buffer);
    return WL_ERROR_OK;
}

wl_error wl__host_transpose_inplace(const wl_context *context, struct wl__choice *choice, unsigned width,
                                    wl_devptr matrix, uint64_t rows, uint64_t cols) {
    const bool nothing = rows == 1 || cols == 1, square = rows == cols;
    choice->kernel = nothing ? "host-nothing" : square ? "host-square" : "host-buffer";
    choice->why = nothing  ? "a row or a column is its own transpose"
                  : square ? "tiles change places across the diagonal"
                           : "through memory of the matrix's size";
    wl__choice_begin(context, choice);
    wl_error error = WL_ERROR_OK;
    if (!nothing && square)
        transpose_square(context, width, wl__host_pointer(matrix), rows);
    else if (!nothing)
        error = through_buffer(context, width, matrix, rows, cols);
    wl__choice_end();
    return error;
}
