#include "ladder/redistribute/pipelined.h"

#include <stdlib.h>

#include "lib/error.h"

/* Chunks of a piece: with more, each is too short for the copy engine; with fewer, the first pack and the
 * last unpack, in which the link is idle, take longer. */
#define CHUNKS 8

enum { PACK, LINK, UNPACK, STREAMS };

/* A device's streams, and one event for each: waits are enqueued right after the record that they mean. */
struct member {
    wl_context *context;
    CUstream streams[STREAMS];
    CUevent done[STREAMS], begun;
};

struct pipeline {
    unsigned count;
    struct member members[WL_DEVICES_MOST];
};

static wl_error make_event(const struct wl__driver *driver, CUevent *event) {
    return wl__driver_check(driver, driver->cuEventCreate(event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
}

static wl_error open_member(struct member *member) {
    const struct wl__driver *driver = &member->context->driver;
    wl_error error = wl__enter(member->context);
    if (error)
        return error;
    error = make_event(driver, &member->begun);
    for (unsigned i = 0; i < STREAMS && !error; i++) {
        error = wl__driver_check(driver, driver->cuStreamCreate(&member->streams[i], CU_STREAM_NON_BLOCKING),
                                 "cuStreamCreate");
        if (!error)
            error = make_event(driver, &member->done[i]);
    }
    wl__leave(member->context);
    return error;
}

void wl__pipelined_close(void *state) {
    struct pipeline *pipeline = state;
    for (unsigned r = 0; pipeline && r < pipeline->count; r++) {
        struct member *member = &pipeline->members[r];
        const struct wl__driver *driver = &member->context->driver;
        if (wl__enter(member->context))
            continue;
        if (member->begun)
            (void)driver->cuEventDestroy(member->begun);
        for (unsigned i = 0; i < STREAMS; i++) {
            if (member->done[i])
                (void)driver->cuEventDestroy(member->done[i]);
            if (member->streams[i])
                (void)driver->cuStreamDestroy(member->streams[i]);
        }
        wl__leave(member->context);
    }
    free(pipeline);
}

wl_error wl__pipelined_open(const struct wl_problem *problem, void **state) {
    struct pipeline *pipeline = calloc(1, sizeof(*pipeline));
    wl_error error = WL_ERROR_OK;
    if (!pipeline)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "no memory for streams");
    pipeline->count = problem->group->count;
    for (unsigned r = 0; r < pipeline->count; r++)
        pipeline->members[r].context = problem->group->contexts[r];
    for (unsigned r = 0; r < pipeline->count && !error; r++)
        error = open_member(&pipeline->members[r]);
    if (error) {
        wl__pipelined_close(pipeline);
        pipeline = NULL;
    }
    *state = pipeline;
    return error;
}

static wl_error cross(const struct wl_problem *problem, unsigned from, unsigned to, wl_devptr to_address,
                      wl_devptr from_address, uint64_t bytes, CUstream stream) {
    wl_context *on = problem->group->contexts[from];
    if (bytes == 0)
        return WL_ERROR_OK;
    wl_error error = wl__enter(on);
    if (error)
        return error;
    error = wl__driver_check(&on->driver,
                             on->driver.cuMemcpyPeerAsync(to_address, problem->group->contexts[to]->cuda,
                                                          from_address, on->cuda, bytes, stream),
                             "cuMemcpyPeerAsync");
    wl__leave(on);
    return error;
}

/* `waiting`, a stream of `on`, goes on after what is now in a stream of another member. */
static wl_error follow(const struct member *on, CUstream waiting, const struct member *other, CUevent event,
                       CUstream stream) {
    const struct wl__driver *driver = &on->context->driver;
    wl_error error = wl__enter(other->context);
    if (error)
        return error;
    error = wl__driver_check(driver, driver->cuEventRecord(event, stream), "cuEventRecord");
    wl__leave(other->context);
    if (!error)
        error = wl__enter(on->context);
    if (error)
        return error;
    error = wl__driver_check(driver, driver->cuStreamWaitEvent(waiting, event, 0), "cuStreamWaitEvent");
    wl__leave(on->context);
    return error;
}

wl_error wl__peer_copy(const struct wl_problem *problem, unsigned from, unsigned to, wl_devptr to_address,
                       wl_devptr from_address, uint64_t bytes) {
    const struct pipeline *pipeline = problem->state;
    const struct member *sender = &pipeline->members[from];
    wl_error error = follow(sender, sender->streams[LINK], sender, sender->begun, NULL);
    if (!error)
        error = cross(problem, from, to, to_address, from_address, bytes, sender->streams[LINK]);
    return error ? error : follow(sender, NULL, sender, sender->done[LINK], sender->streams[LINK]);
}

static wl_error move_chunk(const struct wl_problem *problem, unsigned from, unsigned to, uint64_t first,
                           uint64_t count) {
    const struct pipeline *pipeline = problem->state;
    const struct member *sender = &pipeline->members[from], *receiver = &pipeline->members[to];
    struct wl_piece piece = wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
    uint64_t row_bytes = problem->width * piece.rows;
    wl_error error = wl__piece_pack(problem, from, to, first, count, sender->streams[PACK]);
    if (!error)
        error = follow(sender, sender->streams[LINK], sender, sender->done[PACK], sender->streams[PACK]);
    if (!error)
        error = cross(problem, from, to, wl__piece_received(problem, from, to) + row_bytes * first,
                      wl__piece_sent(problem, from, to) + row_bytes * first, row_bytes * count,
                      sender->streams[LINK]);
    if (!error)
        error =
            follow(receiver, receiver->streams[UNPACK], sender, sender->done[LINK], sender->streams[LINK]);
    return error ? error : wl__piece_unpack(problem, from, to, first, count, receiver->streams[UNPACK]);
}

/* The k-th chunk of all pieces of all devices, so that no device's first chunk waits for another's last. */
static wl_error move_chunks(const struct wl_problem *problem, unsigned k) {
    wl_error error = WL_ERROR_OK;
    for (unsigned turn = 1; turn < problem->gpus; turn++)
        for (unsigned from = 0; from < problem->gpus && !error; from++) {
            unsigned to = (from + turn) % problem->gpus;
            struct wl_piece piece = wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
            uint64_t first = wl__share(piece.cols, CHUNKS, k);
            error = move_chunk(problem, from, to, first, wl__share(piece.cols, CHUNKS, k + 1) - first);
        }
    return error;
}

static wl_error begin(const struct member *member) {
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; i < STREAMS && !error; i++)
        error = follow(member, member->streams[i], member, member->begun, NULL);
    return error;
}

/* The last unpack of a device may be another sender's: its stream has all of them. */
static wl_error finish(const struct member *member) {
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; i < STREAMS && !error; i++)
        error = follow(member, NULL, member, member->done[i], member->streams[i]);
    return error;
}

wl_error wl__pipelined(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    const struct pipeline *pipeline = problem->state;
    wl_error error = wl__group_meet(problem->group);
    (void)context, (void)stream;
    for (unsigned r = 0; r < problem->gpus && !error; r++)
        error = begin(&pipeline->members[r]);
    for (unsigned k = 0; k < CHUNKS && !error; k++)
        error = move_chunks(problem, k);
    for (unsigned r = 0; r < problem->gpus && !error; r++)
        error = wl__piece_keep(problem, r, NULL);
    for (unsigned r = 0; r < problem->gpus && !error; r++)
        error = finish(&pipeline->members[r]);
    return error ? error : wl__group_meet(problem->group);
}
