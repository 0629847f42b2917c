/* Linear copies and fills, also of variables. */
#include "sim/cudart/runtime.h"

static CUdeviceptr address(const void *pointer) {
    return (CUdeviceptr)(uintptr_t)pointer;
}

/* wait: the copy is synchronous, and the stream is the default one. */
static CUresult copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, bool wait,
                     cudaStream_t stream) {
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return wait ? cuMemcpyHtoD(address(to), from, count)
                    : cuMemcpyHtoDAsync(address(to), from, count, stream);
    case cudaMemcpyDeviceToHost:
        return wait ? cuMemcpyDtoH(to, address(from), count)
                    : cuMemcpyDtoHAsync(to, address(from), count, stream);
    case cudaMemcpyDeviceToDevice:
        return wait ? cuMemcpyDtoD(address(to), address(from), count)
                    : cuMemcpyDtoDAsync(address(to), address(from), count, stream);
    default: /* determined by the addresses */
        return wait ? cuMemcpy(address(to), address(from), count)
                    : cuMemcpyAsync(address(to), address(from), count, stream);
    }
}

static cudaError_t checked_copy(void *to, const void *from, size_t count, enum cudaMemcpyKind kind, bool wait,
                                cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (error)
        return runtime_driver_result(error);
    if ((unsigned)kind > cudaMemcpyDefault)
        return runtime_result(cudaErrorInvalidMemcpyDirection);
    return runtime_driver_result(copy(to, from, count, kind, wait, stream));
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
    return checked_copy(dst, src, count, kind, true, NULL);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return checked_copy(dst, src, count, kind, false, stream);
}

/* ---------------------------------------------------------------- between devices */

static CUresult copy_peer(void *to, int to_device, const void *from, int from_device, size_t count, bool wait,
                          cudaStream_t stream) {
    CUcontext to_context, from_context;
    CUresult error = runtime_enter();
    if (!error)
        error = runtime_primary(to_device, &to_context);
    if (!error)
        error = runtime_primary(from_device, &from_context);
    if (error)
        return error;
    return wait ? cuMemcpyPeer(address(to), to_context, address(from), from_context, count)
                : cuMemcpyPeerAsync(address(to), to_context, address(from), from_context, count, stream);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
    return runtime_driver_result(copy_peer(dst, dstDevice, src, srcDevice, count, true, NULL));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                cudaStream_t stream) {
    return runtime_driver_result(copy_peer(dst, dstDevice, src, srcDevice, count, false, stream));
}

/* ---------------------------------------------------------------- fills */

cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuMemsetD8(address(devPtr), (unsigned char)value, count));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (!error)
        error = cuMemsetD8Async(address(devPtr), (unsigned char)value, count, stream);
    return runtime_driver_result(error);
}

static CUresult fill_rows(void *to, size_t pitch, int value, size_t width, size_t height, bool wait,
                          cudaStream_t stream) {
    unsigned char byte = (unsigned char)value;
    return wait ? cuMemsetD2D8(address(to), pitch, byte, width, height)
                : cuMemsetD2D8Async(address(to), pitch, byte, width, height, stream);
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : fill_rows(devPtr, pitch, value, width, height, true, NULL));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error
                                       : fill_rows(devPtr, pitch, value, width, height, false, stream));
}

/* Fills slice by slice, because rows between two slices must not change. */
static CUresult fill_box(struct cudaPitchedPtr to, int value, struct cudaExtent extent, bool wait,
                         cudaStream_t stream) {
    CUresult error = runtime_enter();
    if (error || !extent.width || !extent.height || !extent.depth)
        return error;
    size_t slice, reach;
    if (extent.width > to.pitch || (extent.depth > 1 && extent.height > to.ysize) ||
        __builtin_mul_overflow(to.pitch, to.ysize, &slice) ||
        __builtin_mul_overflow(slice, extent.depth - 1, &reach))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t z = 0; !error && z < extent.depth; z++)
        error =
            fill_rows((char *)to.ptr + z * slice, to.pitch, value, extent.width, extent.height, wait, stream);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent) {
    return runtime_driver_result(fill_box(pitchedDevPtr, value, extent, true, NULL));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
    return runtime_driver_result(fill_box(pitchedDevPtr, value, extent, false, stream));
}

/* ---------------------------------------------------------------- variables */

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    CUdeviceptr at;
    size_t size;
    if (!devPtr)
        return runtime_result(cudaErrorInvalidValue);
    cudaError_t error = runtime_symbol(symbol, &at, &size);
    if (!error)
        *devPtr = (void *)(uintptr_t)at;
    return runtime_result(error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    CUdeviceptr at;
    if (!size)
        return runtime_result(cudaErrorInvalidValue);
    return runtime_result(runtime_symbol(symbol, &at, size));
}

cudaError_t runtime_symbol_part(const void *symbol, size_t count, size_t offset, void **out) {
    CUdeviceptr at;
    size_t size;
    cudaError_t error = runtime_symbol(symbol, &at, &size);
    if (error)
        return error;
    if (offset > size || count > size - offset)
        return cudaErrorInvalidValue;
    *out = (void *)(uintptr_t)(at + offset);
    return cudaSuccess;
}

static cudaError_t copy_to(const void *symbol, const void *from, size_t count, size_t offset,
                           enum cudaMemcpyKind kind, bool wait, cudaStream_t stream) {
    void *to;
    cudaError_t error = runtime_symbol_part(symbol, count, offset, &to);
    if (!error && kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        error = cudaErrorInvalidMemcpyDirection;
    return error ? runtime_result(error) : checked_copy(to, from, count, kind, wait, stream);
}

static cudaError_t copy_from(void *to, const void *symbol, size_t count, size_t offset,
                             enum cudaMemcpyKind kind, bool wait, cudaStream_t stream) {
    void *from;
    cudaError_t error = runtime_symbol_part(symbol, count, offset, &from);
    if (!error && kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        error = cudaErrorInvalidMemcpyDirection;
    return error ? runtime_result(error) : checked_copy(to, from, count, kind, wait, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
    return copy_to(symbol, src, count, offset, kind, true, NULL);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to(symbol, src, count, offset, kind, false, stream);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
    return copy_from(dst, symbol, count, offset, kind, true, NULL);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_from(dst, symbol, count, offset, kind, false, stream);
}
