/* Copies of rectangles and boxes between pitched buffers. */
#include "sim/cudart/runtime.h"

/* What the driver calls the two ends of a copy. */
static cudaError_t ends(enum cudaMemcpyKind kind, CUmemorytype *to, CUmemorytype *from) {
    static const struct {
        CUmemorytype to, from;
    } types[] = {
        [cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
        [cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
        [cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
        [cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
    };
    if ((unsigned)kind >= sizeof types / sizeof *types)
        return cudaErrorInvalidMemcpyDirection;
    *to = types[kind].to;
    *from = types[kind].from;
    return cudaSuccess;
}

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, bool wait, cudaStream_t stream) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    CUDA_MEMCPY2D copy = {
        .srcHost = src,
        .srcDevice = (CUdeviceptr)(uintptr_t)src,
        .srcPitch = spitch,
        .dstHost = dst,
        .dstDevice = (CUdeviceptr)(uintptr_t)dst,
        .dstPitch = dpitch,
        .WidthInBytes = width,
        .Height = height,
    };
    cudaError_t error = ends(kind, &copy.dstMemoryType, &copy.srcMemoryType);
    if (!error && (width > dpitch || width > spitch))
        error = cudaErrorInvalidPitchValue;
    if (error || !width || !height)
        return error;
    return (cudaError_t)(wait ? cuMemcpy2DUnaligned(&copy) : cuMemcpy2DAsync(&copy, stream));
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
    return runtime_result(copy_2d(dst, dpitch, src, spitch, width, height, kind, true, NULL));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return runtime_result(copy_2d(dst, dpitch, src, spitch, width, height, kind, false, stream));
}

/* Without arrays the extent's width, and every position's x, are bytes. */
static cudaError_t fill_3d(CUDA_MEMCPY3D *out, struct cudaPitchedPtr dst, struct cudaPos dst_at,
                           struct cudaPitchedPtr src, struct cudaPos src_at, struct cudaExtent extent,
                           enum cudaMemcpyKind kind) {
    *out = (CUDA_MEMCPY3D){
        .srcXInBytes = src_at.x,
        .srcY = src_at.y,
        .srcZ = src_at.z,
        .srcHost = src.ptr,
        .srcDevice = (CUdeviceptr)(uintptr_t)src.ptr,
        .srcPitch = src.pitch,
        .srcHeight = src.ysize,
        .dstXInBytes = dst_at.x,
        .dstY = dst_at.y,
        .dstZ = dst_at.z,
        .dstHost = dst.ptr,
        .dstDevice = (CUdeviceptr)(uintptr_t)dst.ptr,
        .dstPitch = dst.pitch,
        .dstHeight = dst.ysize,
        .WidthInBytes = extent.width,
        .Height = extent.height,
        .Depth = extent.depth,
    };
    cudaError_t error = ends(kind, &out->dstMemoryType, &out->srcMemoryType);
    if (!error && (extent.width > src.pitch || extent.width > dst.pitch))
        error = cudaErrorInvalidPitchValue;
    return error;
}

cudaError_t runtime_copy_3d(CUDA_MEMCPY3D *out, const struct cudaMemcpy3DParms *p) {
    if (!p)
        return cudaErrorInvalidValue;
    if (p->srcArray || p->dstArray) {
        runtime_note("cudaMemcpy3D: CUDA arrays are not supported");
        return cudaErrorNotSupported;
    }
    if (!p->srcPtr.ptr || !p->dstPtr.ptr)
        return cudaErrorInvalidValue;
    return fill_3d(out, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, p->kind);
}

cudaError_t runtime_copy_1d(CUDA_MEMCPY3D *out, void *to, const void *from, size_t count,
                            enum cudaMemcpyKind kind) {
    struct cudaPos start = {0};
    return fill_3d(out, (struct cudaPitchedPtr){to, count, count, 1}, start,
                   (struct cudaPitchedPtr){(void *)(uintptr_t)from, count, count, 1}, start,
                   (struct cudaExtent){count, 1, 1}, kind);
}

struct cudaMemcpy3DParms runtime_copy_params(const CUDA_MEMCPY3D *copy) {
    bool from_host = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
    bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST;
    bool unified =
        copy->srcMemoryType == CU_MEMORYTYPE_UNIFIED || copy->dstMemoryType == CU_MEMORYTYPE_UNIFIED;
    return (struct cudaMemcpy3DParms){
        .srcPos = {copy->srcXInBytes, copy->srcY, copy->srcZ},
        .srcPtr = {from_host ? (void *)(uintptr_t)copy->srcHost : (void *)(uintptr_t)copy->srcDevice,
                   copy->srcPitch, copy->srcPitch, copy->srcHeight},
        .dstPos = {copy->dstXInBytes, copy->dstY, copy->dstZ},
        .dstPtr = {to_host ? copy->dstHost : (void *)(uintptr_t)copy->dstDevice, copy->dstPitch,
                   copy->dstPitch, copy->dstHeight},
        .extent = {copy->WidthInBytes, copy->Height, copy->Depth},
        .kind = unified     ? cudaMemcpyDefault
                : from_host ? to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice
                : to_host   ? cudaMemcpyDeviceToHost
                            : cudaMemcpyDeviceToDevice,
    };
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, bool wait, cudaStream_t stream) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    CUDA_MEMCPY3D copy;
    cudaError_t error = runtime_copy_3d(&copy, p);
    if (error || !copy.WidthInBytes || !copy.Height || !copy.Depth)
        return error;
    return (cudaError_t)(wait ? cuMemcpy3D(&copy) : cuMemcpy3DAsync(&copy, stream));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    return runtime_result(copy_3d(p, true, NULL));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return runtime_result(copy_3d(p, false, stream));
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, bool wait, cudaStream_t stream) {
    CUcontext to, from;
    CUresult entered = runtime_enter();
    if (!entered && !p)
        entered = CUDA_ERROR_INVALID_VALUE;
    if (!entered)
        entered = runtime_primary(p->dstDevice, &to);
    if (!entered)
        entered = runtime_primary(p->srcDevice, &from);
    if (entered)
        return (cudaError_t)entered;
    if (p->srcArray || p->dstArray) {
        runtime_note("cudaMemcpy3DPeer: CUDA arrays are not supported");
        return cudaErrorNotSupported;
    }
    CUDA_MEMCPY3D plain;
    cudaError_t error =
        fill_3d(&plain, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, cudaMemcpyDeviceToDevice);
    if (error || !plain.WidthInBytes || !plain.Height || !plain.Depth)
        return error;
    CUDA_MEMCPY3D_PEER copy = {
        .srcXInBytes = plain.srcXInBytes,
        .srcY = plain.srcY,
        .srcZ = plain.srcZ,
        .srcMemoryType = plain.srcMemoryType,
        .srcDevice = plain.srcDevice,
        .srcContext = from,
        .srcPitch = plain.srcPitch,
        .srcHeight = plain.srcHeight,
        .dstXInBytes = plain.dstXInBytes,
        .dstY = plain.dstY,
        .dstZ = plain.dstZ,
        .dstMemoryType = plain.dstMemoryType,
        .dstDevice = plain.dstDevice,
        .dstContext = to,
        .dstPitch = plain.dstPitch,
        .dstHeight = plain.dstHeight,
        .WidthInBytes = plain.WidthInBytes,
        .Height = plain.Height,
        .Depth = plain.Depth,
    };
    return (cudaError_t)(wait ? cuMemcpy3DPeer(&copy) : cuMemcpy3DPeerAsync(&copy, stream));
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    return runtime_result(copy_3d_peer(p, true, NULL));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    return runtime_result(copy_3d_peer(p, false, stream));
}
