/* Linear copies. */
#include <inttypes.h>
#include <string.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/memory/memory.h"

CUresult memory_check(const char *function, uint64_t address, size_t size) {
    struct sim_allocation found;
    if (!size || sim_memory_find(driver.memory, address, size, &found))
        return CUDA_SUCCESS;
    char where[256];
    if (sim_memory_find(driver.memory, address, 1, &found)) {
        address = found.base +
                  found.size; /* the beginning is valid; report where the range leaves the allocation */
        sim_memory_describe_end(&found, where, sizeof where);
    } else {
        sim_memory_describe(driver.memory, address, where, sizeof where);
    }
    log_error("%s: %zu bytes reach 0x%" PRIx64 ", %s", function, size, address, where);
    check_bad_range(function, address, size, where);
    return CUDA_ERROR_INVALID_VALUE;
}

/* For copies that accept either kind of address.  An address outside all allocations is host memory.  A range
 * that begins in an allocation must end there. */
static CUresult check_any(const char *function, uint64_t address, size_t size) {
    struct sim_allocation found;
    if (!address)
        return CUDA_ERROR_INVALID_VALUE;
    return sim_memory_find(driver.memory, address, 0, &found) ? memory_check(function, address, size)
                                                              : CUDA_SUCCESS;
}

enum end { DEVICE, HOST, ANY };

static CUresult check_end(const char *function, enum end end, uint64_t address, size_t size) {
    return end == DEVICE ? memory_check(function, address, size) : check_any(function, address, size);
}

static CUmemorytype type_of(enum end end) {
    return end == DEVICE ? CU_MEMORYTYPE_DEVICE : end == HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
}

/* Captures the copy as a box of one row. */
static CUresult capture(uint64_t to, enum end to_end, uint64_t from, enum end from_end, size_t size,
                        CUstream stream) {
    CUDA_MEMCPY3D box = {
        .srcMemoryType = type_of(from_end),
        .srcHost = (const void *)(uintptr_t)from,
        .srcDevice = from,
        .dstMemoryType = type_of(to_end),
        .dstHost = (void *)(uintptr_t)to,
        .dstDevice = to,
        .WidthInBytes = size,
        .Height = 1,
        .Depth = 1,
    };
    return capture_copy(stream, &box);
}

/* wait: the call is synchronous. */
static CUresult copy(const char *function, uint64_t to, enum end to_end, uint64_t from, enum end from_end,
                     size_t size, bool wait, CUstream stream) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(stream, wait, &context, &capturing);
    if (error || !size)
        return error;
    if (capturing)
        return capture(to, to_end, from, from_end, size, stream);
    struct work work;
    work_begin(&work);
    error = check_end(function, to_end, to, size);
    if (!error)
        error = check_end(function, from_end, from, size);
    if (!error) {
        memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
        check_copied(function, to, from, size);
        sim_memory_copied(driver.memory, to, from, size);
    }
    work_end(&work);
    return error;
}

static uint64_t host(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
    return copy(__func__, dst, ANY, src, ANY, ByteCount, true, NULL);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
    return copy(__func__, dst, ANY, src, ANY, ByteCount, false, hStream);
}

CUresult cuMemcpyHtoD(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
    return copy(__func__, dstDevice, DEVICE, host(srcHost), HOST, ByteCount, true, NULL);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream) {
    return copy(__func__, dstDevice, DEVICE, host(srcHost), HOST, ByteCount, false, hStream);
}

CUresult cuMemcpyDtoH(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
    return copy(__func__, host(dstHost), HOST, srcDevice, DEVICE, ByteCount, true, NULL);
}

CUresult cuMemcpyDtoHAsync(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
    return copy(__func__, host(dstHost), HOST, srcDevice, DEVICE, ByteCount, false, hStream);
}

CUresult cuMemcpyDtoD(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
    return copy(__func__, dstDevice, DEVICE, srcDevice, DEVICE, ByteCount, true, NULL);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
    return copy(__func__, dstDevice, DEVICE, srcDevice, DEVICE, ByteCount, false, hStream);
}

/* Addresses are those of one space, so they imply the contexts. */
static CUresult copy_peer(const char *function, CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                          CUcontext from_context, size_t size, bool wait, CUstream stream) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!object_is(to_context, OBJECT_CONTEXT) || !object_is(from_context, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    return copy(function, to, DEVICE, from, DEVICE, size, wait, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount) {
    return copy_peer(__func__, dstDevice, dstContext, srcDevice, srcContext, ByteCount, true, NULL);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream) {
    return copy_peer(__func__, dstDevice, dstContext, srcDevice, srcContext, ByteCount, false, hStream);
}
