/* What the calls of a plan between processes need: who sends what, streams, events, and memory for staging.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/redistribute/exchange.h"

uint64_t wl__round_bytes = (uint64_t)64 << 20;

/* Chunks begin where any kernel's widest accesses may. */
#define ALIGNMENT ((uint64_t)256)

/* ---------------------------------------------------------------- flows */

/* The most bytes of a chunk.  The slots of all ranks together are no longer than a round. */
static uint64_t chunk_limit(unsigned ranks) {
    const uint64_t least = wl__round_bytes < WL__CHUNK_LEAST ? wl__round_bytes : WL__CHUNK_LEAST,
                   each = ranks > 1 ? wl__round_bytes / (ranks - 1) : wl__round_bytes,
                   whole = each / ALIGNMENT * ALIGNMENT;
    return whole > least ? whole : least;
}

static void add_flow(struct wl__exchange *exchange, const struct wl__request *request, unsigned from,
                     unsigned to) {
    const bool sends = from == exchange->rank;
    struct wl__flow flow = {.peer = sends ? to : from};
    if (!wl__piece_between(&flow.all, request, from, to))
        return;
    if (from == to) {
        exchange->keeps = true;
        exchange->own = flow.all;
        return;
    }
    wl__find_cut(&flow.cut, &flow.all, chunk_limit(exchange->ranks));
    flow.staged = !wl__chunk_is_dense(&flow.all, &flow.cut, sends);
    flow.slot_bytes = (wl__chunk_most(&flow.cut, &flow.all) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (flow.cut.chunks > exchange->rounds)
        exchange->rounds = flow.cut.chunks;
    if (sends)
        exchange->sends[exchange->send_count++] = flow;
    else
        exchange->receives[exchange->receive_count++] = flow;
}

/* Each rank begins with the next one, so that not all pack for the same. */
static wl_error make_flows(struct wl__exchange *exchange, const struct wl__request *request) {
    const unsigned ranks = exchange->ranks, rank = exchange->rank;
    exchange->sends = calloc(ranks, sizeof(*exchange->sends));
    exchange->receives = calloc(ranks, sizeof(*exchange->receives));
    if (!exchange->sends || !exchange->receives)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "no memory for a plan of %u ranks", ranks);
    for (unsigned distance = 0; distance < ranks; distance++) {
        add_flow(exchange, request, rank, (rank + distance) % ranks);
        if (distance)
            add_flow(exchange, request, (rank + ranks - distance) % ranks, rank);
    }
    return WL_ERROR_OK;
}

static bool has_flow(const struct wl__flow *flows, unsigned count, unsigned peer) {
    for (unsigned i = 0; i < count; i++)
        if (flows[i].peer == peer)
            return true;
    return false;
}

/* Whether another rank may keep this one waiting. */
static bool is_peer(const struct wl__exchange *exchange, unsigned rank) {
    return has_flow(exchange->sends, exchange->send_count, rank) ||
           has_flow(exchange->receives, exchange->receive_count, rank);
}

/* As many of them as there is room for. */
static void name_peers(struct wl__exchange *exchange) {
    const size_t room = sizeof(exchange->missing);
    unsigned count = 0, named = 0;
    for (unsigned r = 0; r < exchange->ranks; r++)
        count += is_peer(exchange, r);
    size_t used = (size_t)snprintf(exchange->missing, room, "rank %u waits for %s", exchange->rank,
                                   count == 0   ? "its stream"
                                   : count == 1 ? "rank"
                                                : "ranks");
    for (unsigned r = 0; r < exchange->ranks && used + 16 < room; r++)
        if (is_peer(exchange, r))
            used += (size_t)snprintf(exchange->missing + used, room - used, "%s %u", named++ ? "," : "", r);
    if (named < count)
        snprintf(exchange->missing + used, room - used, " ...");
}

/* ---------------------------------------------------------------- memory, streams and events */

static unsigned slots_of(const struct wl__flow *flow) {
    return flow->cut.chunks < WL__SLOTS ? (unsigned)flow->cut.chunks : WL__SLOTS;
}

/* Gives the staged flows their places from `base` on, and returns the bytes of all. */
static uint64_t place_slots(struct wl__flow *flows, unsigned count, wl_devptr base) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        flows[i].slots = base + bytes;
        bytes += flows[i].staged ? slots_of(&flows[i]) * flows[i].slot_bytes : 0;
    }
    return bytes;
}

static wl_error make_staging(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    const uint64_t sent = place_slots(exchange->sends, exchange->send_count, 0),
                   bytes = sent + place_slots(exchange->receives, exchange->receive_count, 0);
    CUdeviceptr staging = 0;
    if (bytes == 0)
        return WL_ERROR_OK;
    const wl_error error = wl__driver_check(driver, driver->cuMemAlloc(&staging, bytes), "cuMemAlloc");
    if (error)
        return wl__fail(error, "no %llu bytes of memory for staging", (unsigned long long)bytes);
    exchange->staging = staging;
    place_slots(exchange->sends, exchange->send_count, staging);
    place_slots(exchange->receives, exchange->receive_count, staging + sent);
    return WL_ERROR_OK;
}

/* Packing and unpacking go ahead of the own part, for which no other rank waits. */
static wl_error make_streams(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    int least = 0, most = 0;
    wl_error error = wl__driver_check(driver, driver->cuCtxGetStreamPriorityRange(&least, &most),
                                      "cuCtxGetStreamPriorityRange");
    for (unsigned stage = 0; stage < WL__STAGES && !error; stage++)
        if (!exchange->stages[stage])
            error = wl__driver_check(
                driver,
                driver->cuStreamCreateWithPriority(&exchange->stages[stage], CU_STREAM_NON_BLOCKING,
                                                   stage == WL__STAGE_OWN ? least : (least + most) / 2),
                "cuStreamCreateWithPriority");
    return error;
}

static wl_error make_events(const struct wl__driver *driver, CUevent *events, unsigned count) {
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; i < count && !error; i++)
        error = wl__driver_check(driver, driver->cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING),
                                 "cuEventCreate");
    return error;
}

static void free_events(const struct wl__driver *driver, CUevent *events, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (events[i])
            (void)driver->cuEventDestroy(events[i]);
}

static wl_error make_resources(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    wl_error error = make_staging(exchange);
    if (!error)
        error = make_streams(exchange);
    if (!error)
        error = make_events(driver, exchange->packed, WL__SLOTS);
    if (!error)
        error = make_events(driver, exchange->moved, WL__SLOTS);
    if (!error)
        error = make_events(driver, exchange->unpacked, WL__SLOTS);
    if (!error)
        error = make_events(driver, exchange->done, WL__STAGES);
    return error ? error : make_events(driver, &exchange->begun, 1);
}

wl_error wl__make_stages(struct wl__exchange *exchange, const struct wl__request *request) {
    wl_error error = make_flows(exchange, request);
    if (error)
        return error;
    name_peers(exchange);
    error = wl__enter(exchange->context);
    if (error)
        return error;
    error = make_resources(exchange);
    wl__leave(exchange->context);
    return error;
}

void wl__free_stages(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    free_events(driver, exchange->packed, WL__SLOTS);
    free_events(driver, exchange->moved, WL__SLOTS);
    free_events(driver, exchange->unpacked, WL__SLOTS);
    free_events(driver, exchange->done, WL__STAGES);
    free_events(driver, &exchange->begun, 1);
    for (unsigned stage = 0; stage < WL__STAGES; stage++)
        if (exchange->stages[stage] && stage != WL__STAGE_LINK)
            (void)driver->cuStreamDestroy(exchange->stages[stage]);
    if (exchange->staging)
        (void)driver->cuMemFree(exchange->staging);
}

/* ---------------------------------------------------------------- connections */

/* A byte to each rank that will get something, and one from each that will send. */
static wl_error send_a_little(struct wl__exchange *exchange) {
    struct wl__communicator *communicator = exchange->communicator;
    const struct wl__nccl *nccl = &communicator->nccl;
    const CUstream stream = exchange->stages[WL__STAGE_LINK];
    wl_error error = wl__nccl_check(communicator, nccl->ncclGroupStart(), "ncclGroupStart");
    if (error)
        return error;
    for (unsigned i = 0; i < exchange->send_count && !error; i++)
        error = wl__nccl_check(communicator,
                               nccl->ncclSend((const void *)(uintptr_t)exchange->letters, 1, WL__NCCL_INT8,
                                              (int)exchange->sends[i].peer, communicator->comm, stream),
                               "ncclSend");
    for (unsigned i = 0; i < exchange->receive_count && !error; i++) {
        const unsigned peer = exchange->receives[i].peer;
        const wl_devptr to = exchange->letters + (uint64_t)(1 + peer) * WL__RECORD_BYTES;
        error = wl__nccl_check(
            communicator,
            nccl->ncclRecv((void *)(uintptr_t)to, 1, WL__NCCL_INT8, (int)peer, communicator->comm, stream),
            "ncclRecv");
    }
    const wl_error end = wl__nccl_check(communicator, nccl->ncclGroupEnd(), "ncclGroupEnd");
    return error ? error : end;
}

wl_error wl__connect(struct wl__exchange *exchange, const char *call) {
    if (exchange->send_count + exchange->receive_count == 0)
        return WL_ERROR_OK;
    wl_error error = wl__enter(exchange->context);
    if (!error) {
        const struct wl__driver *driver = &exchange->context->driver;
        error = send_a_little(exchange);
        if (!error)
            error = wl__driver_check(
                driver, driver->cuEventRecord(exchange->finished, exchange->stages[WL__STAGE_LINK]),
                "cuEventRecord");
        wl__leave(exchange->context);
    }
    exchange->connects = !error;
    return error ? wl__communicator_abort(exchange->communicator, call) : WL_ERROR_OK;
}
