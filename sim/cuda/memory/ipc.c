/* Device memory and events of other processes. */
#include "sim/cuda/memory/ipc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/stream/event.h"

struct import {
    struct import *next;
    struct allocation *allocation;
    CUipcMemHandle handle;
    unsigned references;
};

enum handle_kind { HANDLE_OF_MEMORY, HANDLE_OF_EVENT };

/* The contents of a handle. */
struct handle {
    struct sim_share_name name;
    uint64_t kind, device, zeros[2];
};
_Static_assert(sizeof(struct handle) == sizeof(CUipcMemHandle), "it has no padding");
_Static_assert(sizeof(struct handle) == sizeof(CUipcEventHandle), "it has no padding");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct import *imports;

bool ipc_is_capable(const struct allocation *allocation) {
    return allocation && allocation->kind == ALLOCATION_DEVICE && !allocation->pool && !allocation->graph;
}

/* As NVIDIA's driver does, accepts any address in an allocation; the handle stands for all of it. */
CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    struct sim_allocation found;
    if (!pHandle || !sim_memory_find(driver.memory, dptr, 1, &found) || !ipc_is_capable(found.user))
        return CUDA_ERROR_INVALID_VALUE;
    struct handle handle = {.kind = HANDLE_OF_MEMORY, .device = found.device};
    work_hold();
    const bool exported = sim_memory_export(driver.memory, found.base, &handle.name);
    /* Other processes may write there from now on, so the check forgets which bytes are unwritten. */
    if (exported && found.kind == SIM_MEMORY_DEVICE)
        sim_check_freed(check_session(), found.base);
    work_resume();
    if (!exported)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(pHandle, &handle, sizeof handle);
    return CUDA_SUCCESS;
}

/* *device: on which it lies.  Errors: INVALID_VALUE if it is not a handle of this kind, INVALID_DEVICE if
 * this process has no such device, INVALID_HANDLE if its object no longer exists, INVALID_CONTEXT if this
 * process made it. */
static CUresult open_shared(const void *from, enum handle_kind kind, struct sim_shared *out,
                            CUdevice *device) {
    struct handle handle;
    memcpy(&handle, from, sizeof handle);
    if (handle.kind != kind || handle.zeros[0] || handle.zeros[1] || !sim_share_is_name(&handle.name))
        return CUDA_ERROR_INVALID_VALUE;
    if (handle.device >= driver.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = (CUdevice)handle.device;
    if (!sim_share_open(&handle.name, out))
        return CUDA_ERROR_INVALID_HANDLE;
    if (handle.name.process != getpid())
        return CUDA_SUCCESS;
    close(out->file);
    return CUDA_ERROR_INVALID_CONTEXT;
}

/* Call with the lock held. */
static CUresult import(CUcontext context, const CUipcMemHandle *handle, struct import **out) {
    struct sim_shared shared;
    CUdevice device;
    CUresult error = open_shared(handle, HANDLE_OF_MEMORY, &shared, &device);
    if (error)
        return error;
    struct import *made = calloc(1, sizeof *made);
    error = made ? allocation_import(context, device, &shared, &made->allocation) : CUDA_ERROR_OUT_OF_MEMORY;
    close(shared.file);
    if (error) {
        free(made);
        return error;
    }
    made->handle = *handle;
    made->next = imports;
    imports = made;
    *out = made;
    return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    if (!pdptr || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    struct import *at = imports;
    while (at && (memcmp(&at->handle, &handle, sizeof handle) != 0 ||
                  at->allocation->object.context->device != context->device))
        at = at->next;
    if (!at)
        error = import(context, &handle, &at);
    else if (at->allocation->object.context != context)
        error = CUDA_ERROR_INVALID_HANDLE; /* only one context per device may have it open */
    if (!error) {
        at->references++;
        *pdptr = (CUdeviceptr)at->allocation->base;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    struct import **link = &imports;
    while (*link && (*link)->allocation->base != dptr)
        link = &(*link)->next;
    struct import *at = *link;
    const bool last = at && --at->references == 0;
    if (last)
        *link = at->next;
    pthread_mutex_unlock(&lock);
    if (!last)
        return at ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    work_wait();
    allocation_destroy(at->allocation);
    free(at);
    return CUDA_SUCCESS;
}

void ipc_forget(const struct allocation *allocation) {
    pthread_mutex_lock(&lock);
    struct import **link = &imports;
    while (*link && (*link)->allocation != allocation)
        link = &(*link)->next;
    struct import *gone = *link;
    if (gone)
        *link = gone->next;
    pthread_mutex_unlock(&lock);
    free(gone);
}

/* ---------------------------------------------------------------- events */

/* Work runs when it is submitted, so recorded work is finished in every process.  Processes share only
 * whether the event exists, as an exported byte of device memory. */
CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!pHandle)
        return CUDA_ERROR_INVALID_VALUE;
    struct handle handle = {.kind = HANDLE_OF_EVENT};
    work_hold();
    error = event_export(event, &handle.name);
    work_resume();
    if (!error)
        memcpy(pHandle, &handle, sizeof handle);
    return error;
}

CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    struct sim_shared shared;
    CUdevice device;
    error = phEvent ? open_shared(&handle, HANDLE_OF_EVENT, &shared, &device) : CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    close(shared.file);
    return event_create(context, CU_EVENT_DISABLE_TIMING, phEvent);
}
