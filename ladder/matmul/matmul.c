/* matmul: ladder/matmul/matmul.cu. */
#include "ladder/slabs.h"
#include "ladder/tables.h"

static uint64_t bytes(const struct wl_problem *problem) {
    uint64_t m = problem->m, n = problem->n, k = problem->k;
    uint64_t elements = wl__add(wl__multiply(m, n), wl__add(wl__multiply(n, k), wl__multiply(m, k)));
    return wl__multiply(4, elements);
}

static uint64_t operations(const struct wl_problem *problem) {
    return wl__multiply(wl__multiply(2, problem->m), wl__multiply(problem->n, problem->k));
}

/* Each block computes a tile of tile_x x tile_y outputs. */
static wl_error launch(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                       wl__kernel kernel, struct wl__block block, uint32_t tile_x, uint32_t tile_y) {
    uint64_t n = problem->n, pitch = problem->k;
    struct wl__slabs slabs;
    wl__slabs_start(&slabs, problem->k, problem->m, tile_x, tile_y, WL_GRID_X_LIMIT, WL_GRID_Y_LIMIT);
    for (; wl__slabs_more(&slabs); wl__slabs_next(&slabs)) {
        wl_devptr a = problem->in[0] + 4 * slabs.y * n, b = problem->in[1] + 4 * slabs.x;
        wl_devptr c = problem->out[0] + 4 * (slabs.y * pitch + slabs.x);
        void *arguments[] = {&c, &a, &b, &slabs.slab_height, &n, &slabs.slab_width, &pitch};
        wl_error error = wl__launch(context, kernel, slabs.grid_x, slabs.grid_y, block, arguments, stream);
        if (error)
            return error;
    }
    return WL_ERROR_OK;
}

/* With an inner size of 0 the product is zero, and the factors need not exist. */
static wl_error check(wl_context *context, const struct wl_problem *problem, bool fixed_block) {
    return wl__check(context, problem, problem->n ? 3 : 0, 1, fixed_block, bytes(problem));
}

static wl_error naive(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->m == 0 || problem->k == 0)
        return WL_ERROR_OK;
    wl_error error = check(context, problem, false);
    if (error)
        return error;
    struct wl__block block = wl__block(problem, 16, 16);
    return launch(context, problem, stream, WL_KERNEL_matmul_naive, block, block.x, block.y);
}

static wl_error tiled(wl_context *context, const struct wl_problem *problem, wl_stream stream,
                      wl__kernel kernel, uint32_t block, uint32_t tile) {
    if (problem->m == 0 || problem->k == 0)
        return WL_ERROR_OK;
    wl_error error = check(context, problem, true);
    if (error)
        return error;
    return launch(context, problem, stream, kernel, (struct wl__block){block, block}, tile, tile);
}

static wl_error tile_square(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return tiled(context, problem, stream, WL_KERNEL_matmul_tile_square, 32, 32);
}

static wl_error tile_rect(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return tiled(context, problem, stream, WL_KERNEL_matmul_tile_rect, 16, 16);
}

static wl_error register_tile(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    return tiled(context, problem, stream, WL_KERNEL_matmul_register_tile, 16, 128);
}

#define RUNG(title, text, side, fixed, fits, function)                                                       \
    {                                                                                                        \
        .experiment = "matmul", .name = title, .idea = text, .reference = WL_REF_MATMUL, .outputs = 1,       \
        .block_x = side, .block_y = side, .fixed_block = fixed,                                              \
        .bytes_formula = "4 * (m * n + n * k + m * k)", .bytes = bytes, .operations = operations,            \
        .applicable = fits, .launch = function                                                               \
    }

static const struct wl_rung rungs[] = {
    RUNG("naive", "one output a thread, straight from global memory", 16, false, wl__block_applicable, naive),
    RUNG("tile-square", "32 x 32 tiles in shared memory", 32, true, NULL, tile_square),
    RUNG("tile-rect", "16 x 64 and 64 x 16 tiles: half the steps, 4 + 4 loads each", 16, true, NULL,
         tile_rect),
    RUNG("register-tile", "8 x 8 outputs a thread: a word from shared memory serves 8 products", 16, true,
         NULL, register_tile),
};

const struct wl__rungs wl__ladder_matmul = WL_RUNGS(rungs);
