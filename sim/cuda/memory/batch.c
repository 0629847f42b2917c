/* Batches of copies, prefetches and discards.  CUDA orders nothing within a batch; here its operations run in
 * list order, one call each.  The whole batch is checked before the first operation runs. */
#include <stdint.h>

#include "sim/cuda/memory/array.h"
#include "sim/cuda/memory/memory.h"

#if CUDA_VERSION >= 12080

/* CUDA allows no batches on default streams. */
static bool is_null_stream(CUstream stream) {
    return !stream || stream == CU_STREAM_LEGACY;
}

/* Checks the first indices of ranges that share attributes: they start at 0, increase and stay below count.
 * So there are at most count of them, which is checked first: there may be no more to read. */
static bool are_starts(const size_t *starts, size_t number, size_t count) {
    if (!starts || !number || number > count || starts[0] != 0)
        return false;
    for (size_t i = 1; i < number; i++)
        if (starts[i] <= starts[i - 1] || starts[i] >= count)
            return false;
    return true;
}

/* ---------------------------------------------------------------- copies */

static bool is_order(CUmemcpySrcAccessOrder order) {
    return order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY;
}

/* *failed: index of the faulty copy; SIZE_MAX: none in particular. */
static CUresult copy_batch(const CUdeviceptr *dsts, const CUdeviceptr *srcs, const size_t *sizes,
                           size_t count, const CUmemcpyAttributes *attrs, const size_t *starts, size_t number,
                           CUstream stream, size_t *failed) {
    CUcontext context;
    *failed = SIZE_MAX;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!dsts || !srcs || !sizes || !count || !attrs || !are_starts(starts, number, count) ||
        is_null_stream(stream))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < number; i++)
        if (!is_order(attrs[i].srcAccessOrder))
            return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!dsts[i] || !srcs[i] || !sizes[i]) {
            *failed = i;
            return CUDA_ERROR_INVALID_VALUE;
        }
    for (size_t i = 0; i < count && !error; i++) {
        error = cuMemcpyAsync(dsts[i], srcs[i], sizes[i], stream);
        if (error)
            *failed = i;
    }
    return error;
}

#undef cuMemcpyBatchAsync
ENTRY_EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                         CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                         size_t *failIdx, CUstream hStream);
CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                            CUstream hStream) {
    size_t failed;
    CUresult error = copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream, &failed);
    if (error && failIdx)
        *failIdx = failed;
    return error;
}

ENTRY_EXPORT CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                            CUstream hStream);
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                               CUstream hStream) {
    size_t failed;
    return copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream, &failed);
}

/* Bytes per element of an operand; 0 if it is invalid.  Pointers have no element size of their own. */
static size_t element_of(const CUmemcpy3DOperand *operand) {
    if (operand->type == CU_MEMCPY_OPERAND_TYPE_POINTER)
        return 1;
    if (operand->type != CU_MEMCPY_OPERAND_TYPE_ARRAY || !object_is(operand->op.array.array, OBJECT_ARRAY))
        return 0;
    return operand->op.array.array->element;
}

/* One side of a box copy: its start and its rows. */
struct side {
    CUmemorytype type;
    CUarray array;
    CUdeviceptr address;
    size_t x, y, z, pitch, height;
};

/* memory_copy_check() rejects rows and layers that are shorter than the box. */
static bool make_side(const CUmemcpy3DOperand *operand, const CUextent3D *extent, size_t element,
                      struct side *out) {
    if (operand->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        const CUoffset3D *at = &operand->op.array.offset;
        *out = (struct side){
            .type = CU_MEMORYTYPE_ARRAY, .array = operand->op.array.array, .y = at->y, .z = at->z};
        return !__builtin_mul_overflow(at->x, element, &out->x);
    }
    size_t row = operand->op.ptr.rowLength, height = operand->op.ptr.layerHeight;
    *out = (struct side){.type = CU_MEMORYTYPE_UNIFIED,
                         .address = operand->op.ptr.ptr,
                         .height = height ? height : extent->height};
    return operand->op.ptr.ptr && !__builtin_mul_overflow(row ? row : extent->width, element, &out->pitch);
}

static CUresult make_box(const CUDA_MEMCPY3D_BATCH_OP *op, CUDA_MEMCPY3D *out) {
    size_t of_src = element_of(&op->src), of_dst = element_of(&op->dst), width;
    bool src_array = op->src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY;
    bool dst_array = op->dst.type == CU_MEMCPY_OPERAND_TYPE_ARRAY;
    size_t element = src_array ? of_src : of_dst;
    struct side src, dst;
    if (!of_src || !of_dst || (src_array && dst_array && of_src != of_dst) || !is_order(op->srcAccessOrder) ||
        !op->extent.width || !op->extent.height || !op->extent.depth ||
        __builtin_mul_overflow(op->extent.width, element, &width) ||
        !make_side(&op->src, &op->extent, element, &src) || !make_side(&op->dst, &op->extent, element, &dst))
        return CUDA_ERROR_INVALID_VALUE;
    *out = (CUDA_MEMCPY3D){
        .srcXInBytes = src.x,
        .srcY = src.y,
        .srcZ = src.z,
        .srcMemoryType = src.type,
        .srcDevice = src.address,
        .srcArray = src.array,
        .srcPitch = src.pitch,
        .srcHeight = src.height,
        .dstXInBytes = dst.x,
        .dstY = dst.y,
        .dstZ = dst.z,
        .dstMemoryType = dst.type,
        .dstDevice = dst.address,
        .dstArray = dst.array,
        .dstPitch = dst.pitch,
        .dstHeight = dst.height,
        .WidthInBytes = width,
        .Height = op->extent.height,
        .Depth = op->extent.depth,
    };
    return CUDA_SUCCESS;
}

static CUresult copy_boxes(const char *function, size_t count, const CUDA_MEMCPY3D_BATCH_OP *list,
                           unsigned long long flags, CUstream stream, size_t *failed) {
    CUcontext context;
    CUDA_MEMCPY3D box;
    *failed = SIZE_MAX;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!count || !list || flags || is_null_stream(stream))
        return CUDA_ERROR_INVALID_VALUE;
    for (int doing = 0; doing < 2; doing++)
        for (size_t i = 0; i < count; i++) {
            error = make_box(&list[i], &box);
            if (!error)
                error = doing ? cuMemcpy3DAsync(&box, stream) : memory_copy_check(function, &box);
            if (error) {
                *failed = i;
                return error;
            }
        }
    return CUDA_SUCCESS;
}

#undef cuMemcpy3DBatchAsync
ENTRY_EXPORT CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                                           unsigned long long flags, CUstream hStream);
CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                              unsigned long long flags, CUstream hStream) {
    size_t failed;
    CUresult error = copy_boxes(__func__, numOps, opList, flags, hStream, &failed);
    if (error && failIdx)
        *failIdx = failed;
    return error;
}

ENTRY_EXPORT CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                              unsigned long long flags, CUstream hStream);
CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, unsigned long long flags,
                                 CUstream hStream) {
    size_t failed;
    return copy_boxes(__func__, numOps, opList, flags, hStream, &failed);
}
#endif

/* ---------------------------------------------------------------- managed memory */

#if CUDA_VERSION >= 13000
/* Checks that the ranges are managed memory. */
static CUresult check_ranges(const CUdeviceptr *addresses, const size_t *sizes, size_t count,
                             unsigned long long flags, CUstream stream) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!addresses || !sizes || !count || flags || is_null_stream(stream))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        struct sim_allocation range;
        if (!addresses[i] || !sizes[i] || !sim_memory_find(driver.memory, addresses[i], sizes[i], &range) ||
            range.kind != SIM_MEMORY_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs,
                                 size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream) {
    CUresult error = check_ranges(dptrs, sizes, count, flags, hStream);
    if (!error && (!prefetchLocs || !are_starts(prefetchLocIdxs, numPrefetchLocs, count)))
        error = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0, location = 0; i < count && !error; i++) {
        if (location + 1 < numPrefetchLocs && i == prefetchLocIdxs[location + 1])
            location++;
        error = cuMemPrefetchAsync(dptrs[i], sizes[i], prefetchLocs[location], 0, hStream);
    }
    return error;
}

/* Discarded memory may read as anything until it is written; here it keeps its contents. */
CUresult cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                CUstream hStream) {
    return check_ranges(dptrs, sizes, count, flags, hStream);
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                           CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream) {
    return cuMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                   hStream);
}
#endif
