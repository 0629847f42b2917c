/* Batches of copies, prefetches and discards: forwarded to the driver, whose structures have other names. */
#include <stdint.h>

#include "sim/cudart/runtime.h"

#if CUDA_VERSION >= 13000
static CUdeviceptr *addresses(const void *list) {
    return (CUdeviceptr *)(uintptr_t)list;
}

cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,
                                 size_t numAttrs, cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemcpyBatchAsync(addresses(dsts), addresses(srcs), (size_t *)(uintptr_t)sizes, count,
                                   (CUmemcpyAttributes *)(void *)attrs, attrsIdxs, numAttrs, stream);
    return runtime_driver_result(error);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                   unsigned long long flags, cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemcpy3DBatchAsync(numOps, (CUDA_MEMCPY3D_BATCH_OP *)(void *)opList, flags, stream);
    return runtime_driver_result(error);
}

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                      struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemPrefetchBatchAsync(addresses(dptrs), sizes, count, (CUmemLocation *)(void *)prefetchLocs,
                                        prefetchLocIdxs, numPrefetchLocs, flags, stream);
    return runtime_driver_result(error);
}

cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                     cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(
        error ? error : cuMemDiscardBatchAsync(addresses(dptrs), sizes, count, flags, stream));
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                size_t numPrefetchLocs, unsigned long long flags,
                                                cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemDiscardAndPrefetchBatchAsync(addresses(dptrs), sizes, count,
                                                  (CUmemLocation *)(void *)prefetchLocs, prefetchLocIdxs,
                                                  numPrefetchLocs, flags, stream);
    return runtime_driver_result(error);
}
#endif

/* CUDA 12's version also reports the index of the failed copy; SIZE_MAX: none in particular. */
cudaError_t rt_cudaMemcpyBatchAsync_v12(void **dsts, void **srcs, size_t *sizes, size_t count, void *attrs,
                                        size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                        cudaStream_t stream);
cudaError_t rt_cudaMemcpyBatchAsync_v12(void **dsts, void **srcs, size_t *sizes, size_t count, void *attrs,
                                        size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                        cudaStream_t stream) {
    if (failIdx)
        *failIdx = SIZE_MAX;
#if CUDA_VERSION >= 13000
    return cudaMemcpyBatchAsync(dsts, (const void *const *)srcs, sizes, count, attrs, attrsIdxs, numAttrs,
                                stream);
#else
    (void)dsts, (void)srcs, (void)sizes, (void)count, (void)attrs, (void)attrsIdxs, (void)numAttrs,
        (void)stream;
    return runtime_unsupported("cudaMemcpyBatchAsync");
#endif
}

cudaError_t rt_cudaMemcpyBatchAsync_ptsz_v12(void **dsts, void **srcs, size_t *sizes, size_t count,
                                             void *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                             cudaStream_t stream);
cudaError_t rt_cudaMemcpyBatchAsync_ptsz_v12(void **dsts, void **srcs, size_t *sizes, size_t count,
                                             void *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx,
                                             cudaStream_t stream) {
    return rt_cudaMemcpyBatchAsync_v12(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx,
                                       runtime_per_thread(stream));
}

cudaError_t rt_cudaMemcpy3DBatchAsync_v12(size_t numOps, void *opList, size_t *failIdx,
                                          unsigned long long flags, cudaStream_t stream);
cudaError_t rt_cudaMemcpy3DBatchAsync_v12(size_t numOps, void *opList, size_t *failIdx,
                                          unsigned long long flags, cudaStream_t stream) {
    if (failIdx)
        *failIdx = SIZE_MAX;
#if CUDA_VERSION >= 13000
    return cudaMemcpy3DBatchAsync(numOps, opList, flags, stream);
#else
    (void)numOps, (void)opList, (void)flags, (void)stream;
    return runtime_unsupported("cudaMemcpy3DBatchAsync");
#endif
}

cudaError_t rt_cudaMemcpy3DBatchAsync_ptsz_v12(size_t numOps, void *opList, size_t *failIdx,
                                               unsigned long long flags, cudaStream_t stream);
cudaError_t rt_cudaMemcpy3DBatchAsync_ptsz_v12(size_t numOps, void *opList, size_t *failIdx,
                                               unsigned long long flags, cudaStream_t stream) {
    return rt_cudaMemcpy3DBatchAsync_v12(numOps, opList, failIdx, flags, runtime_per_thread(stream));
}
