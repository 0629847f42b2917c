/* redistribute: the transpose of a matrix whose rows lie on several devices.  The table, and its launches. */
#include "ladder/redistribute/pipelined.h"
#include "lib/error.h"

#define TILE     32
#define ELEMENTS 256

/* ---------------------------------------------------------------- pieces in turn */

/* Moves a piece, by work in the default stream of one of the two devices. */
typedef wl_error piece_fn(const struct wl_problem *problem, unsigned from, unsigned to);

/* All pieces that cross.  A device begins with its successor, so that not all send to one. */
static wl_error each_piece(const struct wl_problem *problem, piece_fn *move) {
    wl_error error = WL_ERROR_OK;
    for (unsigned turn = 1; turn < problem->gpus; turn++)
        for (unsigned from = 0; from < problem->gpus && !error; from++)
            error = move(problem, from, (from + turn) % problem->gpus);
    return error;
}

static wl_error keep_own(const struct wl_problem *problem) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < problem->gpus && !error; r++)
        error = wl__piece_keep(problem, r, NULL);
    return error;
}

/* Outputs may be written when all devices have come to the call, and are there when all have done their part.
 */
static wl_error transpose_by(const struct wl_problem *problem, piece_fn *move) {
    wl_error error = wl__group_meet(problem->group);
    if (!error)
        error = each_piece(problem, move);
    if (!error)
        error = keep_own(problem);
    return error ? error : wl__group_meet(problem->group);
}

static wl_error exchange_by(const struct wl_problem *problem, piece_fn *move) {
    wl_error error = wl__group_meet(problem->group);
    if (!error)
        error = each_piece(problem, move);
    return error ? error : wl__group_meet(problem->group);
}

/* ---------------------------------------------------------------- kernels that cross */

static const char *words_only(wl_context *context, const struct wl_problem *problem) {
    (void)context;
    return problem->width == 4 ? NULL : "the kernel moves elements of 4 bytes; wideload moves any";
}

/* Transposes a piece on device `on`, which is one of the two. */
static wl_error transpose_on(const struct wl_problem *problem, unsigned on, unsigned from, unsigned to,
                             bool tiled) {
    struct wl_piece piece = wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
    wl_devptr out = problem->parts->out[to] + 4 * piece.row, in = problem->parts->in[from] + 4 * piece.col;
    uint64_t out_pitch = problem->rows, in_pitch = problem->cols, first;
    uint64_t tiles = (piece.rows + TILE - 1) / TILE * ((piece.cols + TILE - 1) / TILE);
    void *arguments[] = {&out, &in, &piece.rows, &piece.cols, &out_pitch, &in_pitch, &first};
    return wl__launch_linear(
        problem->group->contexts[on], tiled ? WL_KERNEL_redistribute_tile : WL_KERNEL_redistribute_elements,
        tiled ? tiles : piece.rows * piece.cols, tiled ? 1 : ELEMENTS,
        tiled ? (struct wl__block){TILE, 8} : (struct wl__block){ELEMENTS, 1}, arguments, &first, NULL);
}

static wl_error scatter_piece(const struct wl_problem *problem, unsigned from, unsigned to) {
    return transpose_on(problem, from, from, to, false);
}

static wl_error load_piece(const struct wl_problem *problem, unsigned from, unsigned to) {
    return transpose_on(problem, to, from, to, true);
}

static wl_error store_piece(const struct wl_problem *problem, unsigned from, unsigned to) {
    return transpose_on(problem, from, from, to, true);
}

static wl_error scatter(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    (void)context, (void)stream;
    return transpose_by(problem, scatter_piece);
}

static wl_error load(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    (void)context, (void)stream;
    return transpose_by(problem, load_piece);
}

static wl_error store(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    (void)context, (void)stream;
    return transpose_by(problem, store_piece);
}

/* ---------------------------------------------------------------- through memory of their own */

static wl_error pack_piece(const struct wl_problem *problem, unsigned from, unsigned to) {
    struct wl_piece piece = wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
    return wl__piece_pack(problem, from, to, 0, piece.cols, NULL);
}

static wl_error send_piece(const struct wl_problem *problem, unsigned from, unsigned to) {
    return wl__peer_copy(problem, from, to, wl__piece_received(problem, from, to),
                         wl__piece_sent(problem, from, to), wl__piece_bytes(problem, from, to));
}

static wl_error unpack_piece(const struct wl_problem *problem, unsigned from, unsigned to) {
    struct wl_piece piece = wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
    return wl__piece_unpack(problem, from, to, 0, piece.cols, NULL);
}

static wl_error staged(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    wl_error error = wl__group_meet(problem->group);
    (void)context, (void)stream;
    if (!error)
        error = each_piece(problem, pack_piece);
    if (!error)
        error = each_piece(problem, send_piece);
    if (!error)
        error = keep_own(problem);
    if (!error)
        error = wl__group_meet(problem->group);
    if (!error)
        error = each_piece(problem, unpack_piece);
    return error ? error : wl__group_meet(problem->group);
}

/* ---------------------------------------------------------------- the library */

static wl_error open_plan(const struct wl_problem *problem, void **state) {
    wl_redistribution *plan = NULL;
    wl_error error =
        wl_transpose_distributed_create(&plan, problem->gpus, problem->group->contexts, problem->width,
                                        problem->rows, problem->cols, NULL, NULL);
    *state = plan;
    return error;
}

static void close_plan(void *state) {
    wl_redistribution_destroy(state);
}

static wl_error library(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    (void)context, (void)stream;
    return wl_redistribute(problem->state, problem->parts->out, problem->parts->in, NULL);
}

/* ---------------------------------------------------------------- the limits */

static wl_error copy_run(const struct wl_problem *problem, unsigned from, unsigned to) {
    return wl_copy(problem->group->contexts[from], wl__run_to(problem, from, to),
                   wl__run_from(problem, from, to), wl__piece_bytes(problem, from, to), NULL);
}

static wl_error engine_run(const struct wl_problem *problem, unsigned from, unsigned to) {
    return wl__peer_copy(problem, from, to, wl__run_to(problem, from, to), wl__run_from(problem, from, to),
                         wl__piece_bytes(problem, from, to));
}

static wl_error kernel_copy(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    (void)context, (void)stream;
    return exchange_by(problem, copy_run);
}

static wl_error copy_engine(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    (void)context, (void)stream;
    return exchange_by(problem, engine_run);
}

/* ---------------------------------------------------------------- the table */

#define RUNG(title, text, what, function)                                                                    \
    .experiment = "redistribute", .name = title, .idea = text, .reference = what, .outputs = 1,              \
    .fixed_block = true, .bytes_formula = "width*rows/gpus*(cols-cols/gpus)", .bytes = wl__crossing_bytes,   \
    .launch = function
#define KERNEL_RUNG(title, text, x, y, function)                                                             \
    RUNG(title, text, WL_REF_TRANSPOSE_ANY, function), .block_x = x, .block_y = y, .applicable = words_only

static const struct wl_rung rungs[] = {
    {RUNG("kernel-copy", "no transpose: wl_copy stores as many bytes across the link", WL_REF_EXCHANGE,
          kernel_copy)},
    {KERNEL_RUNG("scatter", "each lane stores its element across the link, along columns", ELEMENTS, 1,
                 scatter)},
    {KERNEL_RUNG("load", "through a tile: the device that wants a piece loads its rows across", TILE, 8,
                 load)},
    {KERNEL_RUNG("store", "the device that has a piece stores rows of the transpose across", TILE, 8, store)},
    {RUNG("staged", "pack, let the copy engine cross (cuMemcpyPeerAsync), unpack", WL_REF_TRANSPOSE_ANY,
          staged),
     .work_bytes = wl__staging_bytes, .open = wl__pipelined_open, .close = wl__pipelined_close},
    {RUNG("pipelined", "staged in 8 chunks: one is packed, one crosses, one is unpacked",
          WL_REF_TRANSPOSE_ANY, wl__pipelined),
     .work_bytes = wl__staging_bytes, .open = wl__pipelined_open, .close = wl__pipelined_close},
    {RUNG("wideload", "wl_redistribute: 32 multiprocessors store across, the others keep the own part",
          WL_REF_TRANSPOSE_ANY, library),
     .open = open_plan, .close = close_plan},
    {RUNG("copy-engine", "as many bytes by the driver's copy, both ways at once (cuMemcpyPeerAsync)",
          WL_REF_EXCHANGE, copy_engine),
     .library = "CUDA driver", .open = wl__pipelined_open, .close = wl__pipelined_close},
};

const struct wl__rungs wl__ladder_redistribute = WL_RUNGS(rungs);
