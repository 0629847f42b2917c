/* transpose: ladder/transpose/transpose.cu and ladder/transpose/transpose_tiled.cu. */
#include "ladder/slabs.h"
#include "ladder/tables.h"

static uint64_t bytes(const struct wl_problem *problem) {
    return wl__multiply(2 * 4, wl__multiply(problem->rows, problem->cols));
}

/* How a kernel's grid covers the matrix. */
struct shape {
    wl__kernel kernel;
    bool copies;         /* out has the shape of in */
    bool x_is_rows;      /* the grid's x dimension covers rows: the "col" kernels */
    bool small_grid;     /* block numbers have 32 bits: the diagonal kernels */
    unsigned each;       /* elements per thread in x, blockDim.x apart */
    unsigned fixed_tile; /* a square tile with a block of 32 x 8 threads; 0: any block */
};

static wl_error launch(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                       const struct shape *shape) {
    uint64_t rows = problem->rows, cols = problem->cols;
    if (rows == 0 || cols == 0)
        return WL_ERROR_OK;
    wl_error error = wl__check(context, problem, 1, 1, shape->fixed_tile != 0, bytes(problem));
    if (error)
        return error;
    struct wl__block block = shape->fixed_tile ? (struct wl__block){32, 8} : wl__block(problem, 16, 16);
    uint32_t tile_x = shape->fixed_tile ? shape->fixed_tile : block.x * shape->each;
    uint32_t tile_y = shape->fixed_tile ? shape->fixed_tile : block.y;
    uint64_t in_pitch = cols, out_pitch = shape->copies ? cols : rows;
    struct wl__slabs slabs;
    wl__slabs_start(&slabs, shape->x_is_rows ? rows : cols, shape->x_is_rows ? cols : rows, tile_x, tile_y,
                    shape->small_grid ? WL_GRID_Y_LIMIT : WL_GRID_X_LIMIT, WL_GRID_Y_LIMIT);
    for (; wl__slabs_more(&slabs); wl__slabs_next(&slabs)) {
        uint64_t row = shape->x_is_rows ? slabs.x : slabs.y, col = shape->x_is_rows ? slabs.y : slabs.x;
        uint32_t slab_rows = shape->x_is_rows ? slabs.slab_width : slabs.slab_height;
        uint32_t slab_cols = shape->x_is_rows ? slabs.slab_height : slabs.slab_width;
        wl_devptr in = problem->in[0] + 4 * (row * in_pitch + col);
        wl_devptr out = problem->out[0] + 4 * (shape->copies ? row * out_pitch + col : col * out_pitch + row);
        void *arguments[] = {&out, &in, &slab_rows, &slab_cols, &out_pitch, &in_pitch};
        error = wl__launch(context, shape->kernel, slabs.grid_x, slabs.grid_y, block, arguments, stream);
        if (error)
            return error;
    }
    return WL_ERROR_OK;
}

static wl_error copy_row(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_copy_row, .copies = true, .each = 1};
    return launch(context, problem, stream, &shape);
}

static wl_error copy_col(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_copy_col, .copies = true, .x_is_rows = true,
                                       .each = 1};
    return launch(context, problem, stream, &shape);
}

static wl_error naive_row(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_naive_row, .each = 1};
    return launch(context, problem, stream, &shape);
}

static wl_error naive_col(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_naive_col, .x_is_rows = true, .each = 1};
    return launch(context, problem, stream, &shape);
}

static wl_error unroll4_row(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_unroll4_row, .each = 4};
    return launch(context, problem, stream, &shape);
}

static wl_error unroll4_col(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_unroll4_col, .x_is_rows = true, .each = 4};
    return launch(context, problem, stream, &shape);
}

static wl_error diagonal_row(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_diagonal_row, .small_grid = true, .each = 1};
    return launch(context, problem, stream, &shape);
}

static wl_error diagonal_col(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_diagonal_col, .x_is_rows = true,
                                       .small_grid = true, .each = 1};
    return launch(context, problem, stream, &shape);
}

static wl_error shared(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_shared, .fixed_tile = 32};
    return launch(context, problem, stream, &shape);
}

static wl_error shared_pad(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_shared_pad, .fixed_tile = 32};
    return launch(context, problem, stream, &shape);
}

static wl_error shared_swizzle(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_shared_swizzle, .fixed_tile = 32};
    return launch(context, problem, stream, &shape);
}

static wl_error shared_pad_unroll(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    static const struct shape shape = {WL_KERNEL_transpose_shared_pad_unroll, .fixed_tile = 64};
    return launch(context, problem, stream, &shape);
}

static wl_error wideload(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return wl_transpose(context, 4, problem->out[0], problem->in[0], problem->rows, problem->cols, stream);
}

#define RUNG(title, text, what, x, y, fixed, fits, function)                                                 \
    {                                                                                                        \
        .experiment = "transpose", .name = title, .idea = text, .reference = what, .outputs = 1,             \
        .block_x = x, .block_y = y, .fixed_block = fixed, .bytes_formula = "2 * 4 * rows * cols",            \
        .bytes = bytes, .applicable = fits, .launch = function                                               \
    }
#define FREE(title, text, what, function)                                                                    \
    RUNG(title, text, what, 16, 16, false, wl__block_applicable, function)
#define TILED(title, text, function) RUNG(title, text, WL_REF_TRANSPOSE, 32, 8, true, NULL, function)

static const struct wl_rung rungs[] = {
    FREE("copy-row", "no transpose, along rows: the upper bound", WL_REF_TRANSPOSE_COPY, copy_row),
    FREE("copy-col", "no transpose, along columns: the lower bound", WL_REF_TRANSPOSE_COPY, copy_col),
    FREE("naive-row", "loads along rows, stores along columns", WL_REF_TRANSPOSE, naive_row),
    FREE("naive-col", "loads along columns, stores along rows", WL_REF_TRANSPOSE, naive_col),
    FREE("unroll4-row", "naive-row, four elements a thread", WL_REF_TRANSPOSE, unroll4_row),
    FREE("unroll4-col", "naive-col, four elements a thread", WL_REF_TRANSPOSE, unroll4_col),
    FREE("diagonal-row", "naive-row, blocks along diagonals against partition camping", WL_REF_TRANSPOSE,
         diagonal_row),
    FREE("diagonal-col", "naive-col, blocks along diagonals", WL_REF_TRANSPOSE, diagonal_col),
    TILED("shared", "a 32 x 32 tile in shared memory: both sides along rows", shared),
    TILED("shared-pad", "the tile's rows padded to 33 words: no bank conflicts", shared_pad),
    TILED("shared-swizzle", "word x of row y kept at x ^ y: no conflicts and no padding", shared_swizzle),
    TILED("shared-pad-unroll", "a 64 x 64 padded tile: 16 loads a thread in flight", shared_pad_unroll),
    {.experiment = "transpose",
     .name = "wideload",
     .idea = "wl_transpose: tiles of 16-byte accesses on both sides, whole sectors written",
     .reference = WL_REF_TRANSPOSE,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * 4 * rows * cols",
     .bytes = bytes,
     .launch = wideload},
};

const struct wl__rungs wl__ladder_transpose = WL_RUNGS(rungs);
