/* wl_transpose_inplace. */
#include "lib/inplace/transpose_inplace.h"
#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/inplace/inplace.h"

static wl_error make_problem(struct wl__problem *p, wl_context *context, unsigned width, uint64_t rows,
                             uint64_t cols) {
    int limit = 0;
    wl_error error =
        wl__driver_check(&context->driver,
                         context->driver.cuDeviceGetAttribute(
                             &limit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, context->device),
                         "cuDeviceGetAttribute");
    *p = (struct wl__problem){
        .context = context,
        .tuned = &context->tuned->inplace,
        .width = width,
        .row = (unsigned)__builtin_ctz(width),
        .rows = rows,
        .cols = cols,
        .shorter = rows < cols ? rows : cols,
        .longer = rows < cols ? cols : rows,
        .shared_limit = (uint64_t)limit,
    };
    return error;
}

static uint64_t round_up(uint64_t n, uint64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

wl_error wl__inplace_launch(const struct wl__problem *p, const wl__kernel kernels[5], uint64_t blocks,
                            uint32_t threads, uint64_t shared_bytes, void **arguments, uint64_t *first) {
    for (*first = 0; *first < blocks;) {
        uint64_t left = blocks - *first, now = left < WL_GRID_X_LIMIT ? left : WL_GRID_X_LIMIT;
        wl_error error =
            wl__launch_shared(p->context, kernels[p->row], (uint32_t)now, 1, (struct wl__block){threads, 1},
                              (uint32_t)shared_bytes, arguments, p->stream);
        if (error)
            return error;
        *first += now;
    }
    return WL_ERROR_OK;
}

/* ---------------------------------------------------------------- nothing to do */

static bool can_nothing(const struct wl__problem *p) {
    return p->shorter <= 1;
}

static wl_error run_nothing(const struct wl__problem *p) {
    (void)p;
    return WL_ERROR_OK;
}

/* ---------------------------------------------------------------- squares */

static bool can_square(const struct wl__problem *p) {
    return p->rows == p->cols;
}

/* A kernel for squares: its tile's side, threads and bytes. */
struct exchange {
    const wl__kernel *kernels;
    uint32_t tile, threads, bytes;
};

static struct exchange exchange_of(const struct wl__problem *p, uint64_t ld) {
    static const wl__kernel any[5] = WL_INPLACE_EACH(square), small[5] = {[1] = WL_KERNEL_inplace_small2},
                            aligned[5] = {WL_KERNEL_inplace_aligned1, WL_KERNEL_inplace_aligned2};
    const uint32_t tile = WL_INPLACE_TILE(p->width), bytes = WL_INPLACE_PAIR_BYTES(p->width);
    if (p->width <= 2 && (p->shorter * p->width | ld * p->width | p->matrix) % 16 == 0 &&
        !WL_MASKED(aligned[p->row]))
        return (struct exchange){aligned, tile, WL_INPLACE_ALIGNED_THREADS(p->width),
                                 WL_INPLACE_ALIGNED_BYTES(p->width)};
    if (p->width == 2 && (p->shorter < p->tuned->small_side || bytes > p->shared_limit) &&
        !WL_MASKED(small[1]))
        return (struct exchange){small, WL_INPLACE_SMALL_TILE, WL_INPLACE_SMALL_THREADS,
                                 WL_INPLACE_SMALL_BYTES};
    return (struct exchange){any, tile, WL_INPLACE_THREADS(p->width), bytes};
}

wl_error wl__inplace_exchange(const struct wl__problem *p, uint64_t ld) {
    const struct exchange exchange = exchange_of(p, ld);
    wl_devptr matrix = p->matrix;
    uint32_t side = (uint32_t)p->shorter;
    const uint64_t group = WL_INPLACE_GROUP(p->width);
    uint64_t first, groups = round_up(p->shorter, exchange.tile * group) / (exchange.tile * group);
    groups += groups & 1;
    uint64_t blocks = groups / 2 * (groups + 1) * group * group;
    void *arguments[] = {&matrix, &ld, &side, &first};
    return wl__inplace_launch(p, exchange.kernels, blocks, exchange.threads, exchange.bytes, arguments,
                              &first);
}

static wl_error run_square(const struct wl__problem *p) {
    return wl__inplace_exchange(p, p->shorter);
}

/* ---------------------------------------------------------------- small ones, through the workspace */

static bool can_small(const struct wl__problem *p) {
    return p->rows * p->cols * p->width <= p->tuned->workspace_to;
}

static uint64_t small_workspace(const struct wl__problem *p) {
    return p->rows * p->cols * p->width;
}

static wl_error run_small(const struct wl__problem *p) {
    wl_error error = wl_transpose(p->context, p->width, p->workspace, p->matrix, p->rows, p->cols, p->stream);
    return error ? error : wl_copy(p->context, p->matrix, p->workspace, small_workspace(p), p->stream);
}

/* ---------------------------------------------------------------- the table */

static const struct wl__mover movers[] = {
    {"nothing", "a row or a column is its own transpose", can_nothing, NULL, run_nothing},
    {"square", "tiles change places across the diagonal", can_square, NULL, run_square},
    {"through-workspace", "the matrix is small", can_small, NULL, run_small},
    {"near-square", "the sides differ by at most 16: tiles change places, and rows are closed up or opened",
     wl__inplace_can_near, NULL, wl__inplace_near},
    {"bands", "bands of rows are transposed on chip, and segments of columns follow their cycles",
     wl__inplace_can_bands, NULL, wl__inplace_bands},
    {"cycles", "elements follow their cycles", NULL, wl__cost_floor, wl__inplace_elements},
};

/* The bytes of workspace that each mover needs. */
static uint64_t (*const workspaces[])(const struct wl__problem *p) = {NULL,
                                                                      NULL,
                                                                      small_workspace,
                                                                      wl__inplace_near_workspace,
                                                                      wl__inplace_bands_workspace,
                                                                      wl__inplace_elements_workspace};

static const struct wl__mover *pick(const struct wl__problem *p, uint64_t *workspace) {
    const struct wl__mover *mover = wl__mover_pick(WL_MOVERS(movers), 0, p);
    *workspace = mover && workspaces[mover - movers] ? workspaces[mover - movers](p) : 0;
    return mover;
}

wl_error wl_transpose_inplace_workspace(wl_context *context, unsigned width, uint64_t rows, uint64_t cols,
                                        size_t *bytes) {
    static const char call[] = "wl_transpose_inplace_workspace";
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_width(call, width);
    if (!error && wl__multiply(wl__multiply(rows, cols), width) > INT64_MAX)
        error =
            wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: rows * cols * width exceeds the address space", call);
    if (!error && !bytes)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: bytes is NULL", call);
    if (!error && wl__is_host(context)) {
        *bytes = 0;
        return WL_ERROR_OK;
    }
    struct wl__problem p;
    if (!error)
        error = make_problem(&p, context, width, rows, cols);
    uint64_t workspace;
    if (!error && !pick(&p, &workspace))
        error = WL_ERROR_MASKED;
    if (!error)
        *bytes = workspace;
    return error;
}

wl_error wl_transpose_inplace(wl_context *context, unsigned width, wl_devptr matrix, uint64_t rows,
                              uint64_t cols, wl_devptr workspace, size_t workspace_bytes, wl_stream stream) {
    static const char call[] = "wl_transpose_inplace";
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_width(call, width);
    if (error)
        return error;
    struct wl__array whole = {"matrix", matrix, wl__multiply(wl__multiply(rows, cols), width)};
    struct wl__reach reach = {.context = context};
    struct wl__choice choice = {.operation = call,
                                .facts = {{"width", width}, {"rows", rows}, {"cols", cols}}};
    error = wl__check_array(call, &reach, &whole, width);
    if (!error && whole.bytes && wl__is_host(context))
        return wl__host_transpose_inplace(context, &choice, width, matrix, rows, cols);
    struct wl__problem p;
    if (!error && whole.bytes)
        error = make_problem(&p, context, width, rows, cols);
    if (error || whole.bytes == 0)
        return error;
    struct wl__array room = {"workspace", workspace, 0};
    const struct wl__mover *mover = pick(&p, &room.bytes);
    if (!mover)
        return WL_ERROR_MASKED;
    if (workspace_bytes < room.bytes)
        error =
            wl__fail(WL_ERROR_INVALID_ARGUMENT,
                     "%s: workspace_bytes is %llu: %llu are needed, as wl_transpose_inplace_workspace says",
                     call, (unsigned long long)workspace_bytes, (unsigned long long)room.bytes);
    if (!error)
        error = wl__check_array(call, &reach, &room, 16);
    if (!error)
        error = wl__check_apart(call, &whole, &room);
    if (error)
        return error;
    p.matrix = matrix;
    p.workspace = workspace;
    p.stream = stream;
    return wl__mover_run(context, mover, &choice, &p);
}
