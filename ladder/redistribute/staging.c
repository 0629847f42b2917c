/* Where the pieces of a redistribution lie, and how they are packed and unpacked. */
#include "ladder/tables.h"
#include "lib/error.h"

static struct wl_piece piece_of(const struct wl_problem *problem, unsigned from, unsigned to) {
    return wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
}

uint64_t wl__piece_bytes(const struct wl_problem *problem, unsigned from, unsigned to) {
    struct wl_piece piece = piece_of(problem, from, to);
    return problem->width * piece.rows * piece.cols;
}

/* All that a device sends to others.  Both saturate. */
static uint64_t sent_bytes(const struct wl_problem *problem, unsigned device) {
    struct wl_piece own = piece_of(problem, device, device);
    return wl__multiply(problem->width, wl__multiply(own.rows, problem->cols - own.cols));
}

static uint64_t received_bytes(const struct wl_problem *problem, unsigned device) {
    struct wl_piece own = piece_of(problem, device, device);
    return wl__multiply(problem->width, wl__multiply(own.cols, problem->rows - own.rows));
}

uint64_t wl__crossing_bytes(const struct wl_problem *problem) {
    uint64_t most = 0;
    for (unsigned r = 0; r < problem->gpus; r++)
        if (sent_bytes(problem, r) > most)
            most = sent_bytes(problem, r);
    return most;
}

/* The received pieces begin where an allocation could. */
static uint64_t received_at(const struct wl_problem *problem, unsigned device) {
    return (sent_bytes(problem, device) + 255) / 256 * 256;
}

uint64_t wl__staging_bytes(wl_context *context, const struct wl_problem *problem) {
    uint64_t most = 0;
    (void)context;
    for (unsigned r = 0; r < problem->gpus; r++) {
        uint64_t bytes = received_at(problem, r) + received_bytes(problem, r);
        most = bytes > most ? bytes : most;
    }
    return most;
}

wl_devptr wl__piece_sent(const struct wl_problem *problem, unsigned from, unsigned to) {
    struct wl_piece piece = piece_of(problem, from, to), own = piece_of(problem, from, from);
    uint64_t before = piece.col - (to > from ? own.cols : 0);
    return problem->parts->work[from] + problem->width * piece.rows * before;
}

wl_devptr wl__piece_received(const struct wl_problem *problem, unsigned from, unsigned to) {
    struct wl_piece piece = piece_of(problem, from, to), own = piece_of(problem, to, to);
    uint64_t before = piece.row - (from > to ? own.rows : 0);
    return problem->parts->work[to] + received_at(problem, to) + problem->width * piece.cols * before;
}

wl_devptr wl__run_from(const struct wl_problem *problem, unsigned from, unsigned to) {
    struct wl_piece piece = piece_of(problem, from, to);
    return problem->parts->in[from] + problem->width * piece.rows * piece.col;
}

wl_devptr wl__run_to(const struct wl_problem *problem, unsigned from, unsigned to) {
    struct wl_piece piece = piece_of(problem, from, to);
    return problem->parts->out[to] + problem->width * piece.cols * piece.row;
}

wl_error wl__piece_pack(const struct wl_problem *problem, unsigned from, unsigned to, uint64_t first,
                        uint64_t count, wl_stream stream) {
    struct wl_piece piece = piece_of(problem, from, to);
    const struct wl_transpose_layout layout = {
        .rows = piece.rows, .cols = count, .from_ld = problem->cols, .batch = 1};
    return wl_transpose_batched(problem->group->contexts[from], problem->width,
                                wl__piece_sent(problem, from, to) + problem->width * piece.rows * first,
                                problem->parts->in[from] + problem->width * (piece.col + first), &layout,
                                stream);
}

wl_error wl__piece_unpack(const struct wl_problem *problem, unsigned from, unsigned to, uint64_t first,
                          uint64_t count, wl_stream stream) {
    struct wl_piece piece = piece_of(problem, from, to);
    uint64_t row_bytes = problem->width * piece.rows, pitch = problem->width * problem->rows;
    return wl_copy_2d(problem->group->contexts[to],
                      problem->parts->out[to] + problem->width * piece.row + pitch * first, pitch,
                      wl__piece_received(problem, from, to) + row_bytes * first, row_bytes, row_bytes, count,
                      stream);
}

wl_error wl__piece_keep(const struct wl_problem *problem, unsigned device, wl_stream stream) {
    struct wl_piece own = piece_of(problem, device, device);
    const struct wl_transpose_layout layout = {
        .rows = own.rows, .cols = own.cols, .from_ld = problem->cols, .to_ld = problem->rows, .batch = 1};
    return wl_transpose_batched(problem->group->contexts[device], problem->width,
                                problem->parts->out[device] + problem->width * own.row,
                                problem->parts->in[device] + problem->width * own.col, &layout, stream);
}
