/* Streams and events of a redistribution: the order between what it does and what the ranks' streams do. */
#include <stdio.h>

#include "lib/error.h"
#include "lib/redistribute/redistribute.h"

/* Whether a rank's stream has to wait for others, or others for it. */
static bool is_involved(const struct wl__member *member) {
    return member->sends || member->receives;
}

/* ---------------------------------------------------------------- making them */

/* Lets a rank's device store into another rank's memory. */
static wl_error enable_peer(const struct wl__member *on, const struct wl__member *peer, const char *call) {
    const wl_error error = wl__enable_peer(on->context, peer->context);
    if (error != WL_ERROR_UNSUPPORTED)
        return error;
    char message[256];
    snprintf(message, sizeof(message), "%s", wl_message());
    return wl__fail(error, "%s: %s", call, message);
}

static wl_error enable_peers(const wl_redistribution *plan, unsigned from, const char *call) {
    wl_error error = WL_ERROR_OK;
    for (unsigned to = 0; to < plan->ranks && !error; to++)
        if (wl__sends(plan, from, to))
            error = enable_peer(&plan->members[from], &plan->members[to], call);
    return error;
}

static wl_error make_event(const struct wl__driver *driver, CUevent *event) {
    return wl__driver_check(driver, driver->cuEventCreate(event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
}

/* ---------------------------------------------------------------- streams */

/* The context is current. */
static wl_error make_lane(struct wl__member *member, unsigned lane) {
    const enum wl__part part = lane == WL__LANE_PUSH ? WL__PART_PUSH : WL__PART_REST;
    const wl_error error = wl__part_stream(&member->lanes[lane], member->parts, part, member->context, 0);
    return error ? error : make_event(&member->context->driver, &member->done[lane]);
}

static wl_error make_lanes_of(struct wl__member *member) {
    wl_error error = WL_ERROR_OK;
    member->parts = wl__take_parts(member->context);
    for (unsigned lane = 0; lane < WL__LANES && !error; lane++)
        error = make_lane(member, lane);
    return error;
}

wl_error wl__make_lanes(wl_redistribution *plan, const char *call) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < plan->ranks && !error; r++) {
        struct wl__member *member = &plan->members[r];
        if (!is_involved(member))
            continue;
        error = wl__enter(member->context);
        if (error)
            return error;
        error = make_event(&member->context->driver, &member->begun);
        if (!error && member->sends)
            error = make_lanes_of(member);
        if (!error)
            error = enable_peers(plan, r, call);
        wl__leave(member->context);
    }
    return error;
}

void wl__free_lanes(wl_redistribution *plan) {
    for (unsigned r = 0; r < plan->ranks; r++) {
        struct wl__member *member = &plan->members[r];
        const struct wl__driver *driver = &member->context->driver;
        if (!member->begun || driver->cuCtxPushCurrent(member->context->cuda))
            continue;
        (void)driver->cuEventDestroy(member->begun);
        for (unsigned lane = 0; lane < WL__LANES; lane++) {
            if (member->done[lane])
                (void)driver->cuEventDestroy(member->done[lane]);
            if (member->lanes[lane])
                wl__free_part_stream(member->lanes[lane], member->parts, member->context);
        }
        wl__give_parts(member->context, member->parts);
        wl__leave(member->context);
    }
}

/* ---------------------------------------------------------------- using them */

/* Puts the rank ahead of the message. */
static wl_error fail_rank(wl_error error, unsigned rank) {
    char message[1024];
    snprintf(message, sizeof(message), "%s", wl_message());
    return wl__fail(error, "wl_redistribute: the streams of rank %u: %s", rank, message);
}

/* Does something in the context of each rank that sends or receives, until it fails. */
typedef wl_error step_fn(wl_redistribution *plan, unsigned rank, wl_stream stream);

static wl_error for_ranks(wl_redistribution *plan, const wl_stream *streams, step_fn *step) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < plan->ranks && !error; r++) {
        wl_context *context = plan->members[r].context;
        if (!is_involved(&plan->members[r]))
            continue;
        error = wl__enter(context);
        if (!error) {
            error = step(plan, r, streams ? streams[r] : NULL);
            wl__leave(context);
        }
        if (error)
            return fail_rank(error, r);
    }
    return WL_ERROR_OK;
}

static wl_error begin(wl_redistribution *plan, unsigned rank, wl_stream stream) {
    const struct wl__member *member = &plan->members[rank];
    return wl__driver_check(&member->context->driver,
                            member->context->driver.cuEventRecord(member->begun, stream), "cuEventRecord");
}

static wl_error wait_for(const struct wl__member *member, unsigned lane, CUevent event) {
    return wl__driver_check(&member->context->driver,
                            member->context->driver.cuStreamWaitEvent(member->lanes[lane], event, 0),
                            "cuStreamWaitEvent");
}

/* A lane of pushes waits for all that it stores to. */
static wl_error fork_rank(wl_redistribution *plan, unsigned rank, wl_stream stream) {
    const struct wl__member *member = &plan->members[rank];
    wl_error error = WL_ERROR_OK;
    (void)stream;
    for (unsigned lane = 0; lane < WL__LANES && member->sends && !error; lane++) {
        error = wait_for(member, lane, member->begun);
        for (unsigned to = 0; to < plan->ranks && lane != WL__LANE_OWN && !error; to++)
            if (wl__sends(plan, rank, to))
                error = wait_for(member, lane, plan->members[to].begun);
    }
    return error;
}

wl_error wl__fork_lanes(wl_redistribution *plan, const wl_stream *streams) {
    wl_error error = for_ranks(plan, streams, begin);
    return error ? error : for_ranks(plan, streams, fork_rank);
}

/* A join goes on after failures, so that streams wait for what can be waited for. */
struct join {
    wl_redistribution *plan;
    const wl_stream *streams;
    unsigned rank;  /* whose turn it is */
    wl_error error; /* the first one, whose message stays */
};

static bool note(struct join *join, const struct wl__driver *driver, CUresult result, const char *function) {
    if (result && !join->error)
        join->error = fail_rank(wl__driver_check(driver, result, function), join->rank);
    return result == CUDA_SUCCESS;
}

static void record(struct join *join, const struct wl__member *on, unsigned lane) {
    const struct wl__driver *driver = &on->context->driver;
    note(join, driver, driver->cuEventRecord(on->done[lane], on->lanes[lane]), "cuEventRecord");
}

static void wait(struct join *join, const struct wl__member *on, wl_stream stream, CUevent event) {
    const struct wl__driver *driver = &on->context->driver;
    note(join, driver, driver->cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
}

static void finish_rank(struct join *join, unsigned rank, wl_stream stream) {
    const struct wl__member *member = &join->plan->members[rank];
    if (!member->sends)
        return;
    record(join, member, WL__LANE_PUSH);
    record(join, member, WL__LANE_OWN);
    wait(join, member, stream, member->done[WL__LANE_PUSH]);
    wait(join, member, stream, member->done[WL__LANE_OWN]);
}

static void join_rank(struct join *join, unsigned rank, wl_stream stream) {
    const wl_redistribution *plan = join->plan;
    for (unsigned from = 0; from < plan->ranks; from++)
        if (wl__sends(plan, from, rank))
            wait(join, &plan->members[rank], stream, plan->members[from].done[WL__LANE_PUSH]);
}

static void join_ranks(struct join *join, void (*step)(struct join *, unsigned rank, wl_stream stream)) {
    for (unsigned r = 0; r < join->plan->ranks; r++) {
        const struct wl__member *member = &join->plan->members[r];
        const struct wl__driver *driver = &member->context->driver;
        join->rank = r;
        if (!is_involved(member) ||
            !note(join, driver, driver->cuCtxPushCurrent(member->context->cuda), "cuCtxPushCurrent"))
            continue;
        step(join, r, join->streams ? join->streams[r] : NULL);
        wl__leave(member->context);
    }
}

wl_error wl__join_lanes(wl_redistribution *plan, const wl_stream *streams, wl_error error) {
    struct join join = {plan, streams, 0, error};
    join_ranks(&join, finish_rank);
    join_ranks(&join, join_rank);
    return join.error;
}
