#include "tests/bench/fake_group.h"

#include <string.h>

#include "bench/reference.h"
#include "tests/bench/fake.h"

/* ---------------------------------------------------------------- devices, and pieces of a matrix */

wl_error wl__group_open(struct wl_group *group) {
    if (fake.no_peer_access)
        return fake_fail(WL_ERROR_UNSUPPORTED, "device 0 has no peer access to device 1");
    for (unsigned r = 0; r < group->count; r++)
        group->events[r] = &fake;
    return WL_ERROR_OK;
}

void wl__group_close(struct wl_group *group) {
    memset(group->events, 0, sizeof group->events);
}

wl_error wl__group_meet(const struct wl_group *group) {
    for (unsigned r = 0; r < group->count; r++)
        if (group->events[r] != &fake || group->contexts[r]->broken)
            return fake_fail(WL_ERROR_DRIVER, "the group is not open");
    fake.meetings++;
    return WL_ERROR_OK;
}

/* A packed piece lies in the work areas where it lies in the host's array of runs. */
static struct wl_piece piece_of(const struct wl_problem *p, unsigned from, unsigned to) {
    return wl__piece(p->rows, p->cols, p->gpus, from, to);
}

uint64_t wl__piece_bytes(const struct wl_problem *p, unsigned from, unsigned to) {
    return p->width * piece_of(p, from, to).rows * piece_of(p, from, to).cols;
}

wl_devptr wl__run_from(const struct wl_problem *p, unsigned from, unsigned to) {
    return p->parts->in[from] + p->width * piece_of(p, from, to).rows * piece_of(p, from, to).col;
}

wl_devptr wl__run_to(const struct wl_problem *p, unsigned from, unsigned to) {
    return p->parts->out[to] + p->width * piece_of(p, from, to).cols * piece_of(p, from, to).row;
}

wl_devptr wl__piece_sent(const struct wl_problem *p, unsigned from, unsigned to) {
    return p->parts->work[from] + wl__run_from(p, from, to) - p->parts->in[from];
}

wl_devptr wl__piece_received(const struct wl_problem *p, unsigned from, unsigned to) {
    return p->parts->work[to] + p->width * p->rows * p->cols + wl__run_to(p, from, to) - p->parts->out[to];
}

uint64_t wl__staging_bytes(wl_context *context, const struct wl_problem *p) {
    (void)context;
    return 2 * p->width * p->rows * p->cols;
}

uint64_t wl__crossing_bytes(const struct wl_problem *p) {
    uint64_t bytes = 0;
    for (unsigned to = 1; to < p->gpus; to++)
        bytes += wl__piece_bytes(p, 0, to);
    return bytes;
}

static void transpose_piece(const struct wl_problem *p, struct wl_piece piece, const unsigned char *in,
                            unsigned char *out, uint64_t pitch) {
    for (uint64_t r = 0; r < piece.rows; r++)
        for (uint64_t c = 0; c < piece.cols; c++)
            memcpy(out + p->width * (c * pitch + r), in + p->width * (r * p->cols + piece.col + c), p->width);
}

wl_error wl__piece_pack(const struct wl_problem *p, unsigned from, unsigned to, uint64_t first,
                        uint64_t count, wl_stream stream) {
    struct wl_piece piece = piece_of(p, from, to);
    (void)first, (void)count, (void)stream;
    transpose_piece(p, piece, fake_pointer(p->parts->in[from]), fake_pointer(wl__piece_sent(p, from, to)),
                    piece.rows);
    return WL_ERROR_OK;
}

wl_error wl__piece_unpack(const struct wl_problem *p, unsigned from, unsigned to, uint64_t first,
                          uint64_t count, wl_stream stream) {
    struct wl_piece piece = piece_of(p, from, to);
    unsigned char *out = fake_pointer(p->parts->out[to]),
                  *packed = fake_pointer(wl__piece_received(p, from, to));
    (void)first, (void)count, (void)stream;
    for (uint64_t c = 0; c < piece.cols; c++)
        memcpy(out + p->width * (c * p->rows + piece.row), packed + p->width * c * piece.rows,
               p->width * piece.rows);
    return WL_ERROR_OK;
}

wl_error wl__piece_keep(const struct wl_problem *p, unsigned device, wl_stream stream) {
    struct wl_piece own = piece_of(p, device, device);
    unsigned char *out = fake_pointer(p->parts->out[device]);
    (void)stream;
    transpose_piece(p, own, fake_pointer(p->parts->in[device]), out + p->width * own.row, p->rows);
    return WL_ERROR_OK;
}

/* ---------------------------------------------------------------- the rung */

wl_error fake_several_open(const struct wl_problem *p, void **state) {
    if (fake.fault == FAKE_OPEN_FAILS)
        return fake_fail(WL_ERROR_DRIVER, "there is no plan");
    *state = p->group->contexts[1];
    fake.opened++;
    return WL_ERROR_OK;
}

void fake_several_close(void *state) {
    fake.opened -= state != NULL;
}

wl_error fake_several(wl_context *context, const struct wl_problem *p, wl_stream stream) {
    fake.launches++;
    if (context != p->group->contexts[0] || p->state != p->group->contexts[1])
        return fake_fail(WL_ERROR_INVALID_ARGUMENT, "not what open() made");
    if (fake.fault == FAKE_NEVER_WRITES)
        return WL_ERROR_OK;
    (void)stream;
    for (unsigned i = 0; i < p->gpus * p->gpus; i++) {
        struct wl_piece piece = piece_of(p, i % p->gpus, i / p->gpus);
        unsigned char *out = fake_pointer(p->parts->out[i / p->gpus]);
        transpose_piece(p, piece, fake_pointer(p->parts->in[i % p->gpus]), out + p->width * piece.row,
                        p->rows);
    }
    unsigned last = p->gpus - 1; /* the device whose arrays are spoilt */
    unsigned char *out = fake_pointer(p->parts->out[last]), *in = fake_pointer(p->parts->in[last]);
    uint64_t bytes = p->width * piece_of(p, last, last).cols * p->rows;
    if (fake.fault == FAKE_LAST_WRONG)
        out[bytes - 1] ^= 0x80;
    if (fake.fault == FAKE_PAST_END)
        out[bytes + fake.distance] = 1;
    if (fake.fault == FAKE_INPUT_CHANGED)
        in[0] ^= 1;
    return WL_ERROR_OK;
}
