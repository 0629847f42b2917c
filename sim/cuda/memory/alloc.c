/* Device and managed memory: allocates, frees and reports what is free. */
#include <stdlib.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/ipc.h"

static void release(struct object *object) {
    struct allocation *allocation = (struct allocation *)object;
    if (allocation->kind == ALLOCATION_IMPORTED)
        ipc_forget(allocation);
    sim_check_freed(check_session(), allocation->base);
    if (allocation->pool)
        pool_returned(allocation);
    sim_memory_free(driver.memory, allocation->base);
    if (allocation->graph)
        graph_memory_forget(allocation->graph);
    free(allocation->advice);
    free(allocation);
}

static enum sim_memory_kind sim_kind(enum allocation_kind kind) {
    switch (kind) {
    case ALLOCATION_DEVICE:
        return SIM_MEMORY_DEVICE;
    case ALLOCATION_MANAGED:
        return SIM_MEMORY_MANAGED;
    default:
        return SIM_MEMORY_HOST;
    }
}

static void enter(CUcontext context, struct allocation *allocation, enum allocation_kind kind, uint64_t base,
                  size_t size, unsigned flags) {
    allocation->kind = kind;
    allocation->base = base;
    allocation->size = size;
    allocation->flags = flags;
    origin_note(&allocation->origin);
    sim_memory_set_user(driver.memory, base, allocation);
    object_add(&allocation->object, OBJECT_ALLOCATION, context, release);
}

CUresult allocation_create(CUcontext context, CUdevice device, enum allocation_kind kind, size_t size,
                           unsigned flags, struct allocation **out) {
    struct allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const uint64_t base =
        sim_memory_alloc(sim_memory_of(driver.memory, (unsigned)device), size, sim_kind(kind));
    if (!base) {
        free(allocation);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    enter(context, allocation, kind, base, size, flags);
    *out = allocation;
    return CUDA_SUCCESS;
}

CUresult allocation_register(CUcontext context, void *base, size_t size, unsigned flags,
                             struct allocation **out) {
    struct allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (!sim_memory_register(context->memory, base, size)) {
        free(allocation);
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    enter(context, allocation, ALLOCATION_REGISTERED, (uint64_t)(uintptr_t)base, size, flags);
    *out = allocation;
    return CUDA_SUCCESS;
}

CUresult allocation_import(CUcontext context, CUdevice device, const struct sim_shared *shared,
                           struct allocation **out) {
    struct allocation *allocation = calloc(1, sizeof *allocation);
    if (!allocation)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const uint64_t base = sim_memory_import(sim_memory_of(driver.memory, (unsigned)device), shared);
    if (!base) {
        free(allocation);
        return CUDA_ERROR_MAP_FAILED;
    }
    sim_memory_set_access(driver.memory, base,
                          SIM_ACCESS_BY_PEERS | SIM_ACCESS_OF(device) | SIM_ACCESS_OF(context->device));
    enter(context, allocation, ALLOCATION_IMPORTED, base, shared->size, 0);
    *out = allocation;
    return CUDA_SUCCESS;
}

struct allocation *allocation_at(uint64_t address) {
    struct sim_allocation found;
    if (!sim_memory_find(driver.memory, address, 0, &found) || found.base != address)
        return NULL;
    return found.user;
}

void allocation_destroy(struct allocation *allocation) {
    object_destroy(&allocation->object);
}

CUresult cuMemAlloc(CUdeviceptr *dptr, size_t bytesize) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    if (!dptr || !bytesize)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *allocation;
    error = allocation_create(context, context->device, ALLOCATION_DEVICE, bytesize, 0, &allocation);
    if (!error)
        *dptr = (CUdeviceptr)allocation->base;
    return error;
}

CUresult cuMemAllocPitch(CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height,
                         unsigned int ElementSizeBytes) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    if (!dptr || !pPitch || !WidthInBytes || !Height || WidthInBytes > LIMIT_PITCH)
        return CUDA_ERROR_INVALID_VALUE;
    if (ElementSizeBytes != 4 && ElementSizeBytes != 8 && ElementSizeBytes != 16)
        return CUDA_ERROR_INVALID_VALUE;
    size_t pitch = (WidthInBytes + LIMIT_PITCH_ALIGN - 1) / LIMIT_PITCH_ALIGN * LIMIT_PITCH_ALIGN;
    if (Height > SIZE_MAX / pitch)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct allocation *allocation;
    error = allocation_create(context, context->device, ALLOCATION_DEVICE, pitch * Height, 0, &allocation);
    if (error)
        return error;
    *dptr = (CUdeviceptr)allocation->base;
    *pPitch = pitch;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    if (!dptr || !bytesize || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *allocation;
    error = allocation_create(context, context->device, ALLOCATION_MANAGED, bytesize, flags, &allocation);
    if (!error)
        *dptr = (CUdeviceptr)allocation->base;
    return error;
}

CUresult memory_free(const char *function, CUdeviceptr dptr) {
    struct allocation *allocation = allocation_at(dptr);
    bool host =
        allocation && (allocation->kind == ALLOCATION_HOST || allocation->kind == ALLOCATION_REGISTERED);
    if (!allocation || (host && !allocation->pool) || allocation->kind == ALLOCATION_IMPORTED) {
        check_bad_free(function, dptr);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (allocation->graph)
        return graph_memory_free_by_program(allocation->graph);
    allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr dptr) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    work_wait();
    return memory_free(__func__, dptr);
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!free_bytes || !total)
        return CUDA_ERROR_INVALID_VALUE;
    uint64_t limit = sim_memory_limit(context->memory), used = sim_memory_used(context->memory);
    *free_bytes = used < limit ? (size_t)(limit - used) : 0;
    *total = (size_t)limit;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    struct sim_allocation found;
    if (!sim_memory_find(driver.memory, dptr, 1, &found))
        return CUDA_ERROR_NOT_FOUND;
    if (pbase)
        *pbase = (CUdeviceptr)found.base;
    if (psize)
        *psize = found.size;
    return CUDA_SUCCESS;
}
