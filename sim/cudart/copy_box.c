/* Copies of rectangles and boxes between pitched buffers and CUDA arrays. */
#include "sim/cudart/array.h"

/* The driver's memory types of a copy's two ends. */
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

/* ---------------------------------------------------------------- rectangles of arrays */

/* One side of the copy is array; kind determines the other.  x is in bytes. */
static cudaError_t copy_2d_array(CUDA_MEMCPY2D *copy, enum cudaMemcpyKind kind, bool wait,
                                 cudaStream_t stream) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    cudaError_t error = ends(kind, &copy->dstMemoryType, &copy->srcMemoryType);
    if (error)
        return error;
    if ((copy->dstArray && copy->dstMemoryType == CU_MEMORYTYPE_HOST) ||
        (copy->srcArray && copy->srcMemoryType == CU_MEMORYTYPE_HOST))
        return cudaErrorInvalidMemcpyDirection;
    if (copy->dstArray)
        copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    else if (copy->WidthInBytes > copy->dstPitch)
        return cudaErrorInvalidPitchValue;
    if (copy->srcArray)
        copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    else if (copy->WidthInBytes > copy->srcPitch)
        return cudaErrorInvalidPitchValue;
    if (!copy->WidthInBytes || !copy->Height)
        return cudaSuccess;
    return (cudaError_t)(wait ? cuMemcpy2DUnaligned(copy) : cuMemcpy2DAsync(copy, stream));
}

static cudaError_t copy_2d_to(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind, bool wait,
                              cudaStream_t stream) {
    CUDA_MEMCPY2D copy = {
        .srcHost = src,
        .srcDevice = (CUdeviceptr)(uintptr_t)src,
        .srcPitch = spitch,
        .dstArray = (CUarray)dst,
        .dstXInBytes = x,
        .dstY = y,
        .WidthInBytes = width,
        .Height = height,
    };
    return runtime_result(dst ? copy_2d_array(&copy, kind, wait, stream) : cudaErrorInvalidValue);
}

static cudaError_t copy_2d_from(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y,
                                size_t width, size_t height, enum cudaMemcpyKind kind, bool wait,
                                cudaStream_t stream) {
    CUDA_MEMCPY2D copy = {
        .srcArray = runtime_array(src),
        .srcXInBytes = x,
        .srcY = y,
        .dstHost = dst,
        .dstDevice = (CUdeviceptr)(uintptr_t)dst,
        .dstPitch = dpitch,
        .WidthInBytes = width,
        .Height = height,
    };
    return runtime_result(src ? copy_2d_array(&copy, kind, wait, stream) : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d_to(dst, wOffset, hOffset, src, spitch, width, height, kind, true, NULL);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                     size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    return copy_2d_to(dst, wOffset, hOffset, src, spitch, width, height, kind, false, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d_from(dst, dpitch, src, wOffset, hOffset, width, height, kind, true, NULL);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                       size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return copy_2d_from(dst, dpitch, src, wOffset, hOffset, width, height, kind, false, stream);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
    CUDA_MEMCPY2D copy = {
        .srcArray = runtime_array(src),
        .srcXInBytes = wOffsetSrc,
        .srcY = hOffsetSrc,
        .dstArray = (CUarray)dst,
        .dstXInBytes = wOffsetDst,
        .dstY = hOffsetDst,
        .WidthInBytes = width,
        .Height = height,
    };
    return runtime_result(dst && src ? copy_2d_array(&copy, kind, true, NULL) : cudaErrorInvalidValue);
}

/* ---------------------------------------------------------------- boxes */

/* Without arrays, the extent's width and every position's x are in bytes. */
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
    return ends(kind, &out->dstMemoryType, &out->srcMemoryType);
}

/* With an array, its position and the extent count elements. */
static cudaError_t use_arrays(CUDA_MEMCPY3D *copy, cudaArray_t dst, cudaArray_t src) {
    size_t to = 1, from = 1;
    cudaError_t error = dst ? runtime_element_bytes(dst, &to) : cudaSuccess;
    if (!error && src)
        error = runtime_element_bytes(src, &from);
    if (error)
        return error;
    if (dst && src && to != from)
        return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(copy->WidthInBytes, dst ? to : from, &copy->WidthInBytes) ||
        __builtin_mul_overflow(copy->dstXInBytes, to, &copy->dstXInBytes) ||
        __builtin_mul_overflow(copy->srcXInBytes, from, &copy->srcXInBytes))
        return cudaErrorInvalidValue;
    if ((dst && copy->dstMemoryType == CU_MEMORYTYPE_HOST) ||
        (src && copy->srcMemoryType == CU_MEMORYTYPE_HOST))
        return cudaErrorInvalidMemcpyDirection;
    if (dst) {
        copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy->dstArray = (CUarray)dst;
    }
    if (src) {
        copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy->srcArray = (CUarray)src;
    }
    return cudaSuccess;
}

/* A side is either an array or a pitched pointer. */
static cudaError_t check_sides(const CUDA_MEMCPY3D *copy, struct cudaPitchedPtr dst,
                               struct cudaPitchedPtr src) {
    if ((copy->dstArray != NULL) == (dst.ptr != NULL) || (copy->srcArray != NULL) == (src.ptr != NULL))
        return cudaErrorInvalidValue;
    if ((dst.ptr && copy->WidthInBytes > dst.pitch) || (src.ptr && copy->WidthInBytes > src.pitch))
        return cudaErrorInvalidPitchValue;
    return cudaSuccess;
}

cudaError_t runtime_copy_3d(CUDA_MEMCPY3D *out, const struct cudaMemcpy3DParms *p) {
    if (!p)
        return cudaErrorInvalidValue;
    cudaError_t error = fill_3d(out, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, p->kind);
    if (!error)
        error = use_arrays(out, p->dstArray, p->srcArray);
    return error ? error : check_sides(out, p->dstPtr, p->srcPtr);
}

cudaError_t runtime_copy_1d(CUDA_MEMCPY3D *out, void *to, const void *from, size_t count,
                            enum cudaMemcpyKind kind) {
    struct cudaPos start = {0};
    return fill_3d(out, (struct cudaPitchedPtr){to, count, count, 1}, start,
                   (struct cudaPitchedPtr){(void *)(uintptr_t)from, count, count, 1}, start,
                   (struct cudaExtent){count, 1, 1}, kind);
}

/* Bytes per element of an array; 1 if there is no array. */
static size_t element_of(CUarray array) {
    size_t bytes;
    return array && !runtime_element_bytes((cudaArray_const_t)array, &bytes) ? bytes : 1;
}

static struct cudaPitchedPtr pointer_of(CUmemorytype type, const void *host, CUdeviceptr device, size_t pitch,
                                        size_t height) {
    if (type == CU_MEMORYTYPE_ARRAY)
        return (struct cudaPitchedPtr){0};
    uintptr_t at = type == CU_MEMORYTYPE_HOST ? (uintptr_t)host : (uintptr_t)device;
    return (struct cudaPitchedPtr){(void *)at, pitch, pitch, height};
}

static bool is_unified(const CUDA_MEMCPY3D *copy) {
    return copy->srcMemoryType == CU_MEMORYTYPE_UNIFIED || copy->dstMemoryType == CU_MEMORYTYPE_UNIFIED;
}

/* With an array, the extent and the array's position count elements. */
struct cudaMemcpy3DParms runtime_copy_params(const CUDA_MEMCPY3D *copy) {
    CUarray to = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY ? copy->dstArray : NULL;
    CUarray from = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY ? copy->srcArray : NULL;
    bool from_host = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
    bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST;
    return (struct cudaMemcpy3DParms){
        .srcArray = (cudaArray_t)from,
        .srcPos = {copy->srcXInBytes / element_of(from), copy->srcY, copy->srcZ},
        .srcPtr =
            pointer_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice, copy->srcPitch, copy->srcHeight),
        .dstArray = (cudaArray_t)to,
        .dstPos = {copy->dstXInBytes / element_of(to), copy->dstY, copy->dstZ},
        .dstPtr =
            pointer_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice, copy->dstPitch, copy->dstHeight),
        .extent = {copy->WidthInBytes / element_of(to ? to : from), copy->Height, copy->Depth},
        .kind = is_unified(copy) ? cudaMemcpyDefault
                : from_host      ? to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice
                : to_host        ? cudaMemcpyDeviceToHost
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
    CUDA_MEMCPY3D plain;
    cudaError_t error =
        fill_3d(&plain, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, cudaMemcpyDeviceToDevice);
    if (!error)
        error = use_arrays(&plain, p->dstArray, p->srcArray);
    if (!error)
        error = check_sides(&plain, p->dstPtr, p->srcPtr);
    if (error || !plain.WidthInBytes || !plain.Height || !plain.Depth)
        return error;
    CUDA_MEMCPY3D_PEER copy = {
        .srcXInBytes = plain.srcXInBytes,
        .srcY = plain.srcY,
        .srcZ = plain.srcZ,
        .srcMemoryType = plain.srcMemoryType,
        .srcDevice = plain.srcDevice,
        .srcArray = plain.srcArray,
        .srcContext = from,
        .srcPitch = plain.srcPitch,
        .srcHeight = plain.srcHeight,
        .dstXInBytes = plain.dstXInBytes,
        .dstY = plain.dstY,
        .dstZ = plain.dstZ,
        .dstMemoryType = plain.dstMemoryType,
        .dstDevice = plain.dstDevice,
        .dstArray = plain.dstArray,
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
