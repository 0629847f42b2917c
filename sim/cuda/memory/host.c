/* Host memory that kernels can access: allocated here, or the program's own and registered. */
#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/memory/memory.h"

static CUresult allocate(void **out, size_t size, unsigned flags) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    unsigned all = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (!out || !size || flags & ~all)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *allocation;
    error = allocation_create(context, context->device, ALLOCATION_HOST, size, flags, &allocation);
    if (!error)
        *out = (void *)(uintptr_t)allocation->base;
    return error;
}

CUresult cuMemAllocHost(void **pp, size_t bytesize) {
    return allocate(pp, bytesize, 0);
}

CUresult cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags) {
    return allocate(pp, bytesize, Flags);
}

CUresult cuMemFreeHost(void *p) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    struct allocation *allocation = allocation_at((uint64_t)(uintptr_t)p);
    if (!allocation || allocation->kind != ALLOCATION_HOST) {
        check_bad_free(__func__, (uint64_t)(uintptr_t)p);
        return CUDA_ERROR_INVALID_VALUE;
    }
    work_wait();
    allocation_destroy(allocation);
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *p, size_t bytesize, unsigned int Flags) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    unsigned all = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
    if (!p || !bytesize || bytesize > UINTPTR_MAX - (uintptr_t)p)
        return CUDA_ERROR_INVALID_VALUE;
    if (Flags & ~all)
        return Flags & ~all & ~(unsigned)CU_MEMHOSTREGISTER_IOMEMORY ? CUDA_ERROR_INVALID_VALUE
                                                                     : CUDA_ERROR_NOT_SUPPORTED;
    if (Flags & CU_MEMHOSTREGISTER_READ_ONLY)
        return CUDA_ERROR_NOT_SUPPORTED; /* as READ_ONLY_HOST_REGISTER_SUPPORTED says */
    struct allocation *allocation;
    return allocation_register(context, p, bytesize, Flags, &allocation);
}

CUresult cuMemHostUnregister(void *p) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    struct allocation *allocation = allocation_at((uint64_t)(uintptr_t)p);
    if (!allocation || allocation->kind != ALLOCATION_REGISTERED)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    work_wait();
    allocation_destroy(allocation);
    work_wait(); /* the program may free its memory now */
    return CUDA_SUCCESS;
}

/* The host allocation that contains p; NULL if there is none. */
static const struct allocation *host_of(const void *p) {
    struct sim_allocation found;
    if (!p || !sim_memory_find(driver.memory, (uint64_t)(uintptr_t)p, 1, &found) ||
        found.kind != SIM_MEMORY_HOST)
        return NULL;
    return found.user;
}

/* Kernels use host addresses unchanged. */
CUresult cuMemHostGetDevicePointer(CUdeviceptr *pdptr, void *p, unsigned int Flags) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!pdptr || Flags || !host_of(p))
        return CUDA_ERROR_INVALID_VALUE;
    *pdptr = (CUdeviceptr)(uintptr_t)p;
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int *pFlags, void *p) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    const struct allocation *allocation = host_of(p);
    if (!pFlags || !allocation || allocation->kind != ALLOCATION_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    /* With unified addressing, every host allocation is mapped. */
    *pFlags = allocation->flags | CU_MEMHOSTALLOC_DEVICEMAP;
    return CUDA_SUCCESS;
}
