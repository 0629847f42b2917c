/* cuStreamWaitValue*, cuStreamWriteValue*, cuStreamBatchMemOp: words of device memory that a stream writes or
 * waits for. */
#include <inttypes.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/memory/memory.h"

static bool is_64(CUstreamBatchMemOpType type) {
    return type == CU_STREAM_MEM_OP_WAIT_VALUE_64 || type == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

static bool is_wait(CUstreamBatchMemOpType type) {
    return type == CU_STREAM_MEM_OP_WAIT_VALUE_32 || type == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static CUresult check(const char *function, const CUstreamBatchMemOpParams *one) {
    switch ((int)one->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        if (one->waitValue.flags & ~(unsigned)(CU_STREAM_WAIT_VALUE_NOR | CU_STREAM_WAIT_VALUE_FLUSH))
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        if (one->writeValue.flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
            return CUDA_ERROR_INVALID_VALUE;
        break;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return one->flushRemoteWrites.flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_BARRIER:
        return one->memoryBarrier.flags > 1 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    /* Both structures begin with the same fields. */
    size_t size = is_64(one->operation) ? 8 : 4;
    return one->writeValue.address % size ? CUDA_ERROR_INVALID_VALUE
                                          : memory_check(function, one->writeValue.address, size);
}

CUresult memory_operations_check(const char *function, unsigned count,
                                 const CUstreamBatchMemOpParams *operations) {
    CUresult error = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && !error; i++)
        error = check(function, &operations[i]);
    return error;
}

/* CUDA's four conditions; the first is a cyclic comparison. */
static bool is_met(unsigned condition, uint64_t found, uint64_t value, bool wide) {
    switch (condition) {
    case CU_STREAM_WAIT_VALUE_GEQ:
        return wide ? (int64_t)(found - value) >= 0 : (int32_t)((uint32_t)found - (uint32_t)value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ:
        return found == value;
    case CU_STREAM_WAIT_VALUE_AND:
        return (found & value) != 0;
    default:
        return (wide ? ~(found | value) : (uint32_t) ~(found | value)) != 0;
    }
}

/* All earlier work in any stream is done.  So if the condition is not met now, only a later call could meet
 * it, and waiting would prevent that call. */
static CUresult wait(const char *function, const CUstreamBatchMemOpParams *one) {
    bool wide = is_64(one->operation);
    const void *address = (const void *)(uintptr_t)one->waitValue.address;
    uint64_t found = wide ? __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE)
                          : __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE);
    uint64_t value = wide ? one->waitValue.value64 : one->waitValue.value;
    if (is_met(one->waitValue.flags & CU_STREAM_WAIT_VALUE_NOR, found, value, wide))
        return CUDA_SUCCESS;
    log_error(
        "%s: waiting for a value that is written later is not supported: streams run as they are filled",
        function);
    return CUDA_ERROR_NOT_SUPPORTED;
}

static void write(const CUstreamBatchMemOpParams *one) {
    void *address = (void *)(uintptr_t)one->writeValue.address;
    if (is_64(one->operation))
        __atomic_store_n((uint64_t *)address, one->writeValue.value64, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)address, one->writeValue.value, __ATOMIC_RELEASE);
    sim_check_written(check_session(), one->writeValue.address, is_64(one->operation) ? 8 : 4);
}

CUresult memory_operations_run(const char *function, unsigned count,
                               const CUstreamBatchMemOpParams *operations) {
    struct work work;
    work_begin(&work);
    CUresult error = memory_operations_check(function, count, operations);
    for (unsigned i = 0; i < count && !error; i++) {
        const CUstreamBatchMemOpParams *one = &operations[i];
        if (is_wait(one->operation))
            error = wait(function, one);
        else if (one->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
                 one->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64)
            write(one);
    }
    work_end(&work);
    return error;
}

static CUresult submit(const char *function, CUstream stream, unsigned count,
                       const CUstreamBatchMemOpParams *operations, unsigned flags) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(stream, false, &context, &capturing);
    if (!error && (flags || !count || count > 256 || !operations))
        error = CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    if (!capturing)
        return memory_operations_run(function, count, operations);
    struct graph_work work;
    return capture_work(graph_work_batch(&work, context, count, operations, 0), stream, &work);
}

static CUresult wait_value(const char *function, CUstream stream, CUdeviceptr address, uint64_t value,
                           bool wide, unsigned flags) {
    CUstreamBatchMemOpParams one = {
        .waitValue = {.operation = wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32,
                      .address = address,
                      .value64 = value,
                      .flags = flags}};
    return submit(function, stream, 1, &one, 0);
}

static CUresult write_value(const char *function, CUstream stream, CUdeviceptr address, uint64_t value,
                            bool wide, unsigned flags) {
    CUstreamBatchMemOpParams one = {
        .writeValue = {.operation = wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32,
                       .address = address,
                       .value64 = value,
                       .flags = flags}};
    return submit(function, stream, 1, &one, 0);
}

/* The first versions forward here; entries.awk sees that their parameters are the same. */
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return wait_value(__func__, stream, addr, value, false, flags);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return wait_value(__func__, stream, addr, value, true, flags);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
    return write_value(__func__, stream, addr, value, false, flags);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
    return write_value(__func__, stream, addr, value, true, flags);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                            unsigned int flags) {
    return submit(__func__, stream, count, paramArray, flags);
}
