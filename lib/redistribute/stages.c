/* What the calls of a plan between processes need: streams, events, and memory for staging. */
#include "lib/error.h"
#include "lib/redistribute/exchange.h"

/* ---------------------------------------------------------------- memory, streams and events */

/* Gives the staged flows that have no slots yet their places from `base` on, and returns the bytes of all. */
static uint64_t place_slots(struct wl__flow *flows, unsigned count, wl_devptr base, bool sends) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!flows[i].staged || (sends ? flows[i].mapped : flows[i].near))
            continue;
        flows[i].slots = base + bytes;
        bytes += wl__slots_of(&flows[i]) * flows[i].slot_bytes;
    }
    return bytes;
}

wl_error wl__alloc_staging(wl_devptr *staging, const struct wl__exchange *exchange, uint64_t bytes) {
    const struct wl__driver *driver = &exchange->context->driver;
    CUdeviceptr address = 0;
    const wl_error error =
        bytes ? wl__driver_check(driver, driver->cuMemAlloc(&address, bytes), "cuMemAlloc") : WL_ERROR_OK;
    *staging = address;
    return error ? wl__fail(error, "no %llu bytes of memory for staging", (unsigned long long)bytes)
                 : WL_ERROR_OK;
}

static wl_error make_staging(struct wl__exchange *exchange) {
    const uint64_t sent = place_slots(exchange->sends, exchange->send_count, 0, true),
                   bytes = sent + place_slots(exchange->receives, exchange->receive_count, 0, false);
    const wl_error error = wl__alloc_staging(&exchange->staging, exchange, bytes);
    place_slots(exchange->sends, exchange->send_count, exchange->staging, true);
    place_slots(exchange->receives, exchange->receive_count, exchange->staging + sent, false);
    return error;
}

/* What crosses the link has multiprocessors of its own: packing if it is mapped, and otherwise NCCL, which
 * takes those that are free.  Packing and unpacking go ahead of the own part, for which no other rank waits.
 */
static wl_error make_streams(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    int least = 0, most = 0;
    wl_error error = wl__driver_check(driver, driver->cuCtxGetStreamPriorityRange(&least, &most),
                                      "cuCtxGetStreamPriorityRange");
    exchange->parts = exchange->rounds ? wl__take_parts(exchange->context) : NULL;
    for (unsigned stage = 0; stage < WL__STAGES && !error; stage++) {
        const bool pushes = stage == WL__STAGE_PACK && exchange->pair_count;
        if (!exchange->stages[stage])
            error = wl__part_stream(&exchange->stages[stage], exchange->parts,
                                    pushes ? WL__PART_PUSH : WL__PART_REST, exchange->context,
                                    stage == WL__STAGE_OWN ? least : (least + most) / 2);
    }
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

wl_error wl__make_stages(struct wl__exchange *exchange) {
    wl_error error = wl__enter(exchange->context);
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
            wl__free_part_stream(exchange->stages[stage], exchange->parts, exchange->context);
    wl__give_parts(exchange->context, exchange->parts);
    exchange->parts = NULL;
    wl__unmap_staging(exchange);
    if (exchange->staging)
        (void)driver->cuMemFree(exchange->staging);
    if (exchange->near_staging)
        (void)driver->cuMemFree(exchange->near_staging);
}

/* ---------------------------------------------------------------- connections */

wl_error wl__send_byte(struct wl__exchange *exchange, unsigned peer) {
    struct wl__communicator *communicator = exchange->communicator;
    const int result =
        communicator->nccl.ncclSend((const void *)(uintptr_t)exchange->letters, 1, WL__NCCL_INT8, (int)peer,
                                    communicator->comm, exchange->stages[WL__STAGE_LINK]);
    return wl__nccl_check(communicator, result, "ncclSend");
}

wl_error wl__receive_byte(struct wl__exchange *exchange, unsigned peer) {
    struct wl__communicator *communicator = exchange->communicator;
    const wl_devptr to = exchange->letters + (uint64_t)(1 + peer) * WL__RECORD_BYTES;
    const int result = communicator->nccl.ncclRecv((void *)(uintptr_t)to, 1, WL__NCCL_INT8, (int)peer,
                                                   communicator->comm, exchange->stages[WL__STAGE_LINK]);
    return wl__nccl_check(communicator, result, "ncclRecv");
}

/* A byte to each rank that will get something, and one from each that will send; both with a pair. */
static wl_error send_a_little(struct wl__exchange *exchange) {
    struct wl__communicator *communicator = exchange->communicator;
    const struct wl__nccl *nccl = &communicator->nccl;
    wl_error error = wl__nccl_check(communicator, nccl->ncclGroupStart(), "ncclGroupStart");
    if (error)
        return error;
    for (unsigned i = 0; i < exchange->send_count && !error; i++)
        if (!exchange->sends[i].mapped)
            error = wl__send_byte(exchange, exchange->sends[i].peer);
    for (unsigned i = 0; i < exchange->receive_count && !error; i++)
        if (!exchange->receives[i].mapped)
            error = wl__receive_byte(exchange, exchange->receives[i].peer);
    for (unsigned i = 0; i < exchange->pair_count && !error; i++) {
        error = wl__send_byte(exchange, exchange->pairs[i].peer);
        if (!error)
            error = wl__receive_byte(exchange, exchange->pairs[i].peer);
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
