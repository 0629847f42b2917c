/* wl_transpose_inplace. */
#include "lib/inplace/transpose_inplace.h"
#include "lib/arguments.h"
#include "lib/error.h"
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

/* ---------------------------------------------------------------- narrow ones, through the workspace */

static bool can_narrow(const struct wl__problem *p) {
    return p->shorter <= WL_INPLACE_BAND;
}

static uint64_t narrow_workspace(const struct wl__problem *p) {
    return p->rows * p->cols * p->width;
}

static wl_error run_narrow(const struct wl__problem *p) {
    wl_error error = wl_transpose(p->context, p->width, p->workspace, p->matrix, p->rows, p->cols, p->stream);
    return error ? error : wl_copy(p->context, p->matrix, p->workspace, narrow_workspace(p), p->stream);
}

/* ---------------------------------------------------------------- any others, by shuffles */

/* Memory as inplace_shuffle.cu sees it: m rows of n, m < n. */
struct shape {
    uint64_t m, n, a, b; /* a = m / gcd, b = n / gcd */
    bool backwards;      /* the matrix is n x m: steps are undone, the last first */
};

static struct shape shape_of(const struct wl__problem *p) {
    uint64_t x = p->longer, y = p->shorter;
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return (struct shape){p->shorter, p->longer, p->shorter / x, p->longer / x, p->rows > p->cols};
}

/* Bytes of shared memory for a row; 0 if it does not fit. */
static uint64_t room_for_row(const struct wl__problem *p) {
    uint64_t bytes = wl__multiply(p->longer, p->width);
    return bytes > p->shared_limit ? 0 : round_up(p->longer, 32) * p->width;
}

/* The width in elements of a panel of columns: the widest of 128 to 16 bytes that lets two blocks run on a
 * multiprocessor, or else that fits; 0 if none does. */
static uint64_t panel_width(const struct wl__problem *p) {
    for (unsigned blocks = 2; blocks; blocks--)
        for (uint64_t bytes = 128; bytes >= 16; bytes /= 2)
            if (bytes >= p->width &&
                wl__multiply(p->shorter, bytes) <= p->shared_limit / blocks - 512 * (blocks - 1) &&
                (blocks == 1 || bytes >= 32))
                return bytes / p->width;
    return 0;
}

static uint64_t shuffle_workspace(const struct wl__problem *p) {
    uint64_t rows = room_for_row(p) ? 0 : p->longer, columns = panel_width(p) ? 0 : p->shorter;
    return (rows > columns ? rows : columns) * WL_INPLACE_BAND * p->width;
}

static wl_error shuffle_rows(const struct wl__problem *p, struct shape s) {
    static const wl__kernel on_chip[5] = WL_INPLACE_EACH(rows), by_bands[5] = WL_INPLACE_EACH(band_of_rows);
    wl_devptr matrix = p->matrix, band = p->workspace;
    uint64_t first, shared = room_for_row(p), row;
    uint32_t backwards = s.backwards, returns;
    if (shared && shared <= p->shared_limit) {
        /* Eight elements per thread, but at least four warps. */
        uint64_t threads = round_up(s.n / 8, 32);
        threads = threads < 128 ? 128 : threads > 1024 ? 1024 : threads;
        void *arguments[] = {&matrix, &s.m, &s.n, &s.b, &backwards, &first};
        return wl__inplace_launch(p, on_chip, s.m, (uint32_t)threads, shared, arguments, &first);
    }
    void *arguments[] = {&matrix, &band, &s.m, &s.n, &s.b, &backwards, &returns, &row, &first};
    for (row = 0; row < s.m; row += WL_INPLACE_BAND)
        for (returns = 0; returns < 2; returns++) {
            wl_error error =
                wl__inplace_launch(p, by_bands, (s.n + WL_INPLACE_MOVERS - 1) / WL_INPLACE_MOVERS,
                                   WL_INPLACE_MOVERS, 0, arguments, &first);
            if (error)
                return error;
        }
    return WL_ERROR_OK;
}

static wl_error shuffle_columns(const struct wl__problem *p, struct shape s, uint32_t rotates) {
    static const wl__kernel on_chip[5] = WL_INPLACE_EACH(columns),
                            by_bands[5] = WL_INPLACE_EACH(band_of_columns);
    wl_devptr matrix = p->matrix, band = p->workspace;
    uint64_t first, panel = panel_width(p), col;
    uint32_t backwards = s.backwards, returns;
    if (panel) {
        uint32_t log_width = (uint32_t)__builtin_ctzll(panel);
        uint64_t threads = round_up(s.m * panel / 8, 32);
        threads = threads < 128 ? 128 : threads > 1024 ? 1024 : threads;
        void *arguments[] = {&matrix, &s.m, &s.n, &s.a, &s.b, &rotates, &backwards, &log_width, &first};
        return wl__inplace_launch(p, on_chip, (s.n + panel - 1) / panel, (uint32_t)threads,
                                  s.m * panel * p->width, arguments, &first);
    }
    const uint64_t each = WL_INPLACE_MOVERS / WL_INPLACE_BAND;
    void *arguments[] = {&matrix,  &band,      &s.m,     &s.n, &s.a,  &s.b,
                         &rotates, &backwards, &returns, &col, &first};
    for (col = 0; col < s.n; col += WL_INPLACE_BAND)
        for (returns = 0; returns < 2; returns++) {
            wl_error error = wl__inplace_launch(p, by_bands, (s.m + each - 1) / each, WL_INPLACE_MOVERS, 0,
                                                arguments, &first);
            if (error)
                return error;
        }
    return WL_ERROR_OK;
}

static wl_error run_shuffles(const struct wl__problem *p) {
    struct shape s = shape_of(p);
    bool coprime = s.b == s.n;
    wl_error error = WL_ERROR_OK;
    if (!coprime && !s.backwards)
        error = shuffle_columns(p, s, true);
    if (!error && s.backwards)
        error = shuffle_columns(p, s, false);
    if (!error)
        error = shuffle_rows(p, s);
    if (!error && !s.backwards)
        error = shuffle_columns(p, s, false);
    if (!error && !coprime && s.backwards)
        error = shuffle_columns(p, s, true);
    return error;
}

/* ---------------------------------------------------------------- the table */

static const struct wl__mover movers[] = {
    {"nothing", "a row or a column is its own transpose", can_nothing, NULL, run_nothing},
    {"square", "tiles change places across the diagonal", can_square, NULL, run_square},
    {"through-workspace", "one side is at most 32, so the matrix is of the order of rows + cols", can_narrow,
     NULL, run_narrow},
    {"near-square", "the sides differ by at most 16: tiles change places, and rows are closed up or opened",
     wl__inplace_can_near, NULL, wl__inplace_near},
    {"shuffle", "elements move within columns and within rows", NULL, wl__cost_floor, run_shuffles},
};

/* The bytes of workspace that each mover needs. */
static uint64_t (*const workspaces[])(const struct wl__problem *p) = {
    NULL, NULL, narrow_workspace, wl__inplace_near_workspace, shuffle_workspace};

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
    error = wl__check_array(call, &reach, &whole, width);
    struct wl__problem p;
    if (!error)
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
    struct wl__choice choice = {.operation = call,
                                .facts = {{"width", width}, {"rows", rows}, {"cols", cols}}};
    return wl__mover_run(context, mover, &choice, &p);
}
