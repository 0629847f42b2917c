/* CUDA arrays: creation, and copies of a number of bytes, row after row. */
#include "sim/cudart/array.h"

static const struct {
    enum cudaChannelFormatKind kind;
    int bits;
    CUarray_format format;
} formats[] = {
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};
enum { FORMATS = sizeof formats / sizeof *formats };

cudaError_t runtime_format(const struct cudaChannelFormatDesc *desc, CUarray_format *format,
                           unsigned *channels) {
    const int sizes[4] = {desc->x, desc->y, desc->z, desc->w};
    unsigned count = 0;
    while (count < 4 && sizes[count])
        count++;
    bool good = count == 1 || count == 2 || count == 4;
    for (unsigned i = 0; i < 4; i++)
        good &= sizes[i] == (i < count ? desc->x : 0);
    for (unsigned i = 0; good && i < FORMATS; i++)
        if (formats[i].kind == desc->f && formats[i].bits == desc->x) {
            *format = formats[i].format;
            *channels = count;
            return cudaSuccess;
        }
    runtime_note("channels of %d, %d, %d and %d bits, kind %d, are not supported", desc->x, desc->y, desc->z,
                 desc->w, (int)desc->f);
    return cudaErrorInvalidChannelDescriptor;
}

struct cudaChannelFormatDesc runtime_channels(CUarray_format format, unsigned channels) {
    for (unsigned i = 0; i < FORMATS; i++)
        if (formats[i].format == format) {
            int bits = formats[i].bits;
            return (struct cudaChannelFormatDesc){.x = bits,
                                                  .y = channels > 1 ? bits : 0,
                                                  .z = channels > 2 ? bits : 0,
                                                  .w = channels > 3 ? bits : 0,
                                                  .f = formats[i].kind};
        }
    return (struct cudaChannelFormatDesc){.f = cudaChannelFormatKindNone};
}

static cudaError_t create(cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
                          struct cudaExtent extent, unsigned flags) {
    CUresult entered = runtime_enter();
    if (entered)
        return (cudaError_t)entered;
    if (!out || !desc)
        return cudaErrorInvalidValue;
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
    cudaError_t error = runtime_format(desc, &shape.Format, &shape.NumChannels);
    CUarray array;
    if (!error)
        error = (cudaError_t)cuArray3DCreate(&array, &shape);
    if (!error)
        *out = (cudaArray_t)array;
    return error;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                            size_t height, unsigned int flags) {
    return runtime_result(create(array, desc, (struct cudaExtent){.width = width, .height = height}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags) {
    return runtime_result(create(array, desc, extent, flags));
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error || !array ? error : cuArrayDestroy((CUarray)array));
}

static CUresult describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR *out) {
    CUresult error = runtime_enter();
    return error ? error : cuArray3DGetDescriptor(out, runtime_array(array));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    CUresult error = describe(array, &shape);
    if (!error && desc)
        *desc = runtime_channels(shape.Format, shape.NumChannels);
    if (!error && extent)
        *extent = (struct cudaExtent){.width = shape.Width, .height = shape.Height, .depth = shape.Depth};
    if (!error && flags)
        *flags = shape.Flags;
    return runtime_driver_result(error);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    CUresult error = describe(array, &shape);
    if (!error && !desc)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        *desc = runtime_channels(shape.Format, shape.NumChannels);
    return runtime_driver_result(error);
}

cudaError_t runtime_element_bytes(cudaArray_const_t array, size_t *out) {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    CUresult error = describe(array, &shape);
    if (!error)
        *out = (size_t)runtime_channels(shape.Format, 1).x / 8 * shape.NumChannels;
    return (cudaError_t)error;
}

/* ---------------------------------------------------------------- copies of bytes */

/* The offset in bytes of a position, as if rows had no gaps. */
static CUresult offset_in(cudaArray_const_t array, size_t x, size_t y, size_t *out) {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    CUresult error = describe(array, &shape);
    size_t row =
        error ? 0 : (size_t)runtime_channels(shape.Format, 1).x / 8 * shape.NumChannels * shape.Width;
    if (!error && (__builtin_mul_overflow(row, y, out) || __builtin_add_overflow(*out, x, out)))
        error = CUDA_ERROR_INVALID_VALUE;
    return error;
}

/* The driver's asynchronous copies are only between arrays and the host.  For others this waits first; the
 * copy itself is immediate here. */
static cudaError_t to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                            enum cudaMemcpyKind kind, cudaStream_t stream) {
    size_t offset;
    CUresult error = offset_in(dst, x, y, &offset);
    if (error)
        return (cudaError_t)error;
    struct cudaPointerAttributes from = {.type = cudaMemoryTypeHost};
    if (kind == cudaMemcpyDefault && cudaPointerGetAttributes(&from, src))
        return cudaErrorInvalidValue;
    const bool host =
        kind == cudaMemcpyHostToDevice || (kind == cudaMemcpyDefault && from.type != cudaMemoryTypeDevice &&
                                           from.type != cudaMemoryTypeManaged);
    if (!host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (host)
        return (cudaError_t)cuMemcpyHtoAAsync((CUarray)dst, offset, src, count, stream);
    error = cuStreamSynchronize(stream);
    return (cudaError_t)(error ? error
                               : cuMemcpyDtoA((CUarray)dst, offset, (CUdeviceptr)(uintptr_t)src, count));
}

static cudaError_t from_array(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
    size_t offset;
    CUresult error = offset_in(src, x, y, &offset);
    if (error)
        return (cudaError_t)error;
    struct cudaPointerAttributes to = {.type = cudaMemoryTypeHost};
    if (kind == cudaMemcpyDefault && cudaPointerGetAttributes(&to, dst))
        return cudaErrorInvalidValue;
    const bool host =
        kind == cudaMemcpyDeviceToHost ||
        (kind == cudaMemcpyDefault && to.type != cudaMemoryTypeDevice && to.type != cudaMemoryTypeManaged);
    if (!host && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (host)
        return (cudaError_t)cuMemcpyAtoHAsync(dst, runtime_array(src), offset, count, stream);
    error = cuStreamSynchronize(stream);
    return (cudaError_t)(error
                             ? error
                             : cuMemcpyAtoD((CUdeviceptr)(uintptr_t)dst, runtime_array(src), offset, count));
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                              enum cudaMemcpyKind kind) {
    return runtime_result(to_array(dst, wOffset, hOffset, src, count, kind, NULL));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return runtime_result(to_array(dst, wOffset, hOffset, src, count, kind, stream));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum cudaMemcpyKind kind) {
    return runtime_result(from_array(dst, src, wOffset, hOffset, count, kind, NULL));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return runtime_result(from_array(dst, src, wOffset, hOffset, count, kind, stream));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc, size_t count,
                                   enum cudaMemcpyKind kind) {
    size_t to, from;
    CUresult error = offset_in(dst, wOffsetDst, hOffsetDst, &to);
    if (!error)
        error = offset_in(src, wOffsetSrc, hOffsetSrc, &from);
    if (error)
        return runtime_driver_result(error);
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return runtime_result(cudaErrorInvalidMemcpyDirection);
    return runtime_driver_result(cuMemcpyAtoA((CUarray)dst, to, runtime_array(src), from, count));
}
