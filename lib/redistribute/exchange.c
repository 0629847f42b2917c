/* A plan's part in the caller's communicator, and how ranks tell each other of themselves. */
#include "lib/redistribute/exchange.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/host/host.h"

/* ---------------------------------------------------------------- joining */

/* Keeps the message of what this rank cannot do, for all ranks. */
static void refuse(struct wl__exchange *exchange, wl_error error) {
    exchange->refused = error;
    snprintf(exchange->words, sizeof(exchange->words), "%s", wl_message());
}

static wl_error ask_communicator(struct wl__exchange *exchange, int *device) {
    struct wl__communicator *communicator = exchange->communicator;
    const struct wl__nccl *nccl = &communicator->nccl;
    int ranks = 0, rank = 0, state = WL__NCCL_SUCCESS;
    wl_error error = wl__nccl_check(communicator, nccl->ncclCommGetAsyncError(communicator->comm, &state),
                                    "ncclCommGetAsyncError");
    if (!error)
        error = wl__nccl_check(communicator, state, "NCCL");
    if (!error)
        error =
            wl__nccl_check(communicator, nccl->ncclCommCount(communicator->comm, &ranks), "ncclCommCount");
    if (!error)
        error = wl__nccl_check(communicator, nccl->ncclCommUserRank(communicator->comm, &rank),
                               "ncclCommUserRank");
    if (!error)
        error = wl__nccl_check(communicator, nccl->ncclCommCuDevice(communicator->comm, device),
                               "ncclCommCuDevice");
    exchange->ranks = (unsigned)ranks;
    exchange->rank = (unsigned)rank;
    return error;
}

/* NCCL works in the primary context of the communicator's device. */
static wl_error retain_primary(struct wl__exchange *exchange, int ordinal) {
    const struct wl__driver *driver = &exchange->context->driver;
    wl_error error = wl__driver_check(driver, driver->cuDeviceGet(&exchange->device, ordinal), "cuDeviceGet");
    if (!error)
        error =
            wl__driver_check(driver, driver->cuDevicePrimaryCtxRetain(&exchange->primary, exchange->device),
                             "cuDevicePrimaryCtxRetain");
    if (error || exchange->primary == exchange->context->cuda)
        return error;
    if (exchange->device != exchange->context->device)
        refuse(exchange,
               wl__fail(WL_ERROR_INVALID_ARGUMENT, "the communicator is on device %d, and the context on %d",
                        (int)exchange->device, (int)exchange->context->device));
    else
        refuse(exchange, wl__fail(WL_ERROR_INVALID_ARGUMENT,
                                  "the context is not the primary context of its device, which NCCL uses"));
    return WL_ERROR_OK;
}

/* The stream and the memory for what ranks tell each other. */
static wl_error make_letters(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    const size_t bytes = (size_t)(exchange->ranks + 1) * WL__RECORD_BYTES;
    exchange->records = malloc(bytes);
    exchange->boxes = calloc(exchange->ranks, 2 * sizeof(*exchange->boxes));
    exchange->machines = calloc(exchange->ranks, sizeof(*exchange->machines));
    if (!exchange->records || !exchange->boxes || !exchange->machines)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "no memory for what %u ranks say", exchange->ranks);
    int least = 0, most = 0;
    CUdeviceptr letters = 0;
    wl_error error =
        wl__driver_check(driver, driver->cuCtxPushCurrent(exchange->primary), "cuCtxPushCurrent");
    if (error)
        return error;
    error = wl__driver_check(driver, driver->cuMemAlloc(&letters, bytes), "cuMemAlloc");
    exchange->letters = letters;
    if (!error)
        error = wl__driver_check(driver, driver->cuCtxGetStreamPriorityRange(&least, &most),
                                 "cuCtxGetStreamPriorityRange");
    /* NCCL's kernels go first where blocks of other kernels wait as well: other ranks wait for them. */
    if (!error)
        error = wl__driver_check(driver,
                                 driver->cuStreamCreateWithPriority(&exchange->stages[WL__STAGE_LINK],
                                                                    CU_STREAM_NON_BLOCKING, most),
                                 "cuStreamCreateWithPriority");
    if (!error)
        error = wl__driver_check(driver, driver->cuEventCreate(&exchange->finished, CU_EVENT_DISABLE_TIMING),
                                 "cuEventCreate");
    wl__leave(exchange->context);
    return error;
}

static wl_error join(struct wl__exchange *exchange, const char *call, void *comm) {
    int device = 0;
    wl_error error = wl__communicator_get(&exchange->communicator, comm, call);
    if (error)
        return error;
    error = ask_communicator(exchange, &device);
    if (!error)
        error = retain_primary(exchange, device);
    if (!error)
        error = make_letters(exchange);
    if (error == WL_ERROR_COMMUNICATION)
        return wl__communicator_abort(exchange->communicator, call);
    if (!error)
        return WL_ERROR_OK;
    char message[1024];
    snprintf(message, sizeof(message), "%s", wl_message());
    return wl__fail(error, "%s: %s", call, message);
}

wl_error wl__exchange_open(struct wl__exchange **out, const char *call, wl_context *context, void *comm) {
    if (!context || !comm)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call, context ? "comm" : "context");
    if (wl__is_host(context))
        return wl__fail(WL_ERROR_UNSUPPORTED, "%s: the context is of the host device, which NCCL cannot use",
                        call);
    struct wl__exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "%s: no memory for a plan", call);
    exchange->context = context;
    wl_error error = join(exchange, call, comm);
    if (error)
        wl__exchange_close(exchange);
    else
        *out = exchange;
    return error;
}

/* If the abort has not ended, the driver might wait for ever in freeing, so that memory is not freed. */
void wl__exchange_close(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    const bool stuck = exchange->communicator && wl__communicator_is_stuck(exchange->communicator);
    if (!stuck && exchange->primary && !driver->cuCtxPushCurrent(exchange->primary)) {
        wl__free_stages(exchange);
        if (exchange->letters)
            (void)driver->cuMemFree(exchange->letters);
        if (exchange->finished)
            (void)driver->cuEventDestroy(exchange->finished);
        if (exchange->stages[WL__STAGE_LINK])
            (void)driver->cuStreamDestroy(exchange->stages[WL__STAGE_LINK]);
        wl__leave(exchange->context);
        (void)driver->cuDevicePrimaryCtxRelease(exchange->device);
    }
    if (exchange->communicator)
        wl__communicator_put(exchange->communicator);
    free(exchange->sends);
    free(exchange->receives);
    free(exchange->pairs);
    free(exchange->maps);
    free(exchange->machines);
    free(exchange->records);
    free(exchange->boxes);
    free(exchange);
}

/* ---------------------------------------------------------------- telling */

/* Asynchronous.  The primary context is current. */
static wl_error start_telling(struct wl__exchange *exchange, const void *record) {
    const struct wl__driver *driver = &exchange->context->driver;
    struct wl__communicator *communicator = exchange->communicator;
    const CUstream stream = exchange->stages[WL__STAGE_LINK];
    const wl_devptr letters = exchange->letters;
    wl_error error = wl__driver_check(
        driver, driver->cuMemcpyHtoDAsync(letters, record, WL__RECORD_BYTES, stream), "cuMemcpyHtoDAsync");
    if (!error)
        error = wl__nccl_check(
            communicator,
            communicator->nccl.ncclAllGather((const void *)(uintptr_t)letters,
                                             (void *)(uintptr_t)(letters + WL__RECORD_BYTES),
                                             WL__RECORD_BYTES, WL__NCCL_INT8, communicator->comm, stream),
            "ncclAllGather");
    return error
               ? error
               : wl__driver_check(driver, driver->cuEventRecord(exchange->finished, stream), "cuEventRecord");
}

static wl_error read_letters(struct wl__exchange *exchange) {
    const struct wl__driver *driver = &exchange->context->driver;
    const CUstream stream = exchange->stages[WL__STAGE_LINK];
    const wl_error error =
        wl__driver_check(driver,
                         driver->cuMemcpyDtoHAsync(exchange->records, exchange->letters + WL__RECORD_BYTES,
                                                   (size_t)exchange->ranks * WL__RECORD_BYTES, stream),
                         "cuMemcpyDtoHAsync");
    return error ? error
                 : wl__driver_check(driver, driver->cuStreamSynchronize(stream), "cuStreamSynchronize");
}

static wl_error enter(struct wl__exchange *exchange) {
    return wl__driver_check(&exchange->context->driver,
                            exchange->context->driver.cuCtxPushCurrent(exchange->primary),
                            "cuCtxPushCurrent");
}

wl_error wl__exchange_tell(struct wl__exchange *exchange, const char *call, const void *record) {
    wl_error error = enter(exchange);
    if (!error) {
        error = start_telling(exchange, record);
        wl__leave(exchange->context);
    }
    if (error)
        return wl__communicator_abort(exchange->communicator, call);
    error = wl__communicator_await(exchange->communicator, exchange->context, exchange->finished,
                                   wl__nccl_patience, call, "not all ranks have called it");
    if (error)
        return error;
    error = enter(exchange);
    if (!error) {
        error = read_letters(exchange);
        wl__leave(exchange->context);
    }
    return error ? wl__communicator_abort(exchange->communicator, call) : WL_ERROR_OK;
}
