/* The kind of memory at an address. */
#include <string.h>

#include "sim/cuda/memory/ipc.h"

/* Whether the current context's kernels may; without a context, those of the range's device. */
static bool may_access(const struct sim_allocation *range) {
    CUcontext context;
    if (context_current(&context))
        return true;
    return range->access & SIM_ACCESS_OF(context->device) ||
           (range->access & SIM_ACCESS_BY_PEERS && atomic_load(&context->peers) >> range->device & 1);
}

/* Writes one attribute of a known range to the caller's variable, which has the attribute's own type. */
static CUresult get(const struct sim_allocation *range, uint64_t address, CUpointer_attribute attribute,
                    void *data) {
    const struct allocation *allocation = range->user;
    bool host = range->kind == SIM_MEMORY_HOST;
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
        CUcontext current = NULL;
        (void)context_current(&current); /* a module's variables do not store their context */
        *(CUcontext *)data = allocation ? allocation->object.context : current;
        return CUDA_SUCCESS;
    }
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(CUdeviceptr *)data = (CUdeviceptr)address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host && range->kind != SIM_MEMORY_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
        *(void **)data = (void *)(uintptr_t)address;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *(unsigned *)data = 1; /* every operation is synchronous */
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case 20 /* MEMORY_BLOCK_ID */:
        *(unsigned long long *)data = range->serial;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = range->kind == SIM_MEMORY_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = (int)range->device;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case 19 /* MAPPING_BASE_ADDR */:
        *(CUdeviceptr *)data = (CUdeviceptr)range->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case 18 /* MAPPING_SIZE */:
        *(size_t *)data = range->size;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *(unsigned long long *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)data = ipc_is_capable(allocation);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case 21 /* IS_HW_DECOMPRESS_CAPABLE */:
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *(int *)data = may_access(range) ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE
                                         : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *(CUmemoryPool *)data = allocation ? allocation->pool : NULL;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* As an H200's driver (13.0) does, rejects pageable and freed memory and needs no context.  The memory of a
 * graph being recorded differs: in that driver it is only an address, here it is memory already, which even
 * the host can read. */
CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr) {
    CUresult error = driver_check();
    if (error)
        return error;
    struct sim_allocation range;
    if (!data || !sim_memory_find(driver.memory, ptr, 1, &range))
        return CUDA_ERROR_INVALID_VALUE;
    return get(&range, ptr, attribute, data);
}

/* An attribute's value for an address that is in no allocation. */
static CUresult get_default(CUpointer_attribute attribute, void *data) {
    switch ((int)attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = -2; /* as CUDA answers */
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case 18 /* MAPPING_SIZE */:
    case 19 /* MAPPING_BASE_ADDR */:
    case 20 /* MEMORY_BLOCK_ID */:
        memset(data, 0, 8);
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case 21 /* IS_HW_DECOMPRESS_CAPABLE */:
        memset(data, 0, 4);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Unlike cuPointerGetAttribute, this accepts every address. */
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr ptr) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!numAttributes || !attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    struct sim_allocation range;
    bool known = sim_memory_find(driver.memory, ptr, 1, &range);
    for (unsigned i = 0; i < numAttributes; i++) {
        if (!data[i])
            return CUDA_ERROR_INVALID_VALUE;
        error = known ? get(&range, ptr, attributes[i], data[i]) : CUDA_ERROR_INVALID_VALUE;
        if (error && error != CUDA_ERROR_NOT_SUPPORTED)
            error = get_default(attributes[i], data[i]);
        if (error)
            return error;
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr) {
    CUresult error = driver_check();
    if (error)
        return error;
    struct sim_allocation range;
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        !sim_memory_find(driver.memory, ptr, 1, &range))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}
