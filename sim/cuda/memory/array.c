/* CUDA arrays: creation, and copies of a number of bytes, row after row. */
#include "sim/cuda/memory/array.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/memory.h"

size_t array_element_bytes(CUarray_format format, unsigned channels) {
    if (channels != 1 && channels != 2 && channels != 4)
        return 0;
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return channels;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2 * (size_t)channels;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4 * (size_t)channels;
    default:
        return 0;
    }
}

static void release(struct object *object) {
    CUarray array = (CUarray)object;
    sim_check_freed(check_session(), array->base);
    sim_memory_free(driver.memory, array->base);
    work_wait(); /* copies in flight may have found it */
    free(array);
}

static CUresult check_shape(const char *function, const CUDA_ARRAY3D_DESCRIPTOR *shape) {
    const unsigned simple = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
    if (shape->Flags & ~simple) {
        log_note("%s: cube maps and sparse arrays are not supported (flags 0x%x)", function, shape->Flags);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const bool layered = shape->Flags & CUDA_ARRAY3D_LAYERED;
    const size_t w = shape->Width, h = shape->Height, d = shape->Depth;
    if (!w || (layered && !d) || (!layered && d && !h) ||
        (shape->Flags & CUDA_ARRAY3D_TEXTURE_GATHER && (!h || d)))
        return CUDA_ERROR_INVALID_VALUE;
    const bool solid = d && !layered;
    if (w > (solid     ? LIMIT_ARRAY_3D
             : layered ? LIMIT_ARRAY_LAYERED
                       : LIMIT_ARRAY_WIDTH) ||
        h > (solid     ? LIMIT_ARRAY_3D
             : layered ? LIMIT_ARRAY_LAYERED
                       : LIMIT_ARRAY_HEIGHT) ||
        d > (solid ? LIMIT_ARRAY_3D : LIMIT_ARRAY_LAYERS))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult create(const char *function, CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *shape) {
    CUcontext context;
    CUresult error = context_enter_unsafe(&context);
    if (error)
        return error;
    if (!out || !shape)
        return CUDA_ERROR_INVALID_VALUE;
    size_t element = array_element_bytes(shape->Format, shape->NumChannels);
    if (!element) {
        log_note("%s: elements of format 0x%x with %u channels are not supported", function,
                 (unsigned)shape->Format, shape->NumChannels);
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = check_shape(function, shape);
    if (error)
        return error;
    CUarray array = calloc(1, sizeof *array);
    if (!array)
        return CUDA_ERROR_OUT_OF_MEMORY;
    array->shape = *shape;
    array->element = element;
    array->row = shape->Width * element;
    array->rows = shape->Height ? shape->Height : 1;
    array->slices = shape->Depth ? shape->Depth : 1;
    array->pitch = (array->row + LIMIT_ARRAY_PITCH - 1) / LIMIT_ARRAY_PITCH * LIMIT_ARRAY_PITCH;
    array->slice = array->pitch * array->rows;
    array->base = sim_memory_alloc(context->memory, array->slice * array->slices, SIM_MEMORY_DEVICE);
    if (!array->base) {
        free(array);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    object_add(&array->object, OBJECT_ARRAY, context, release);
    *out = array;
    return CUDA_SUCCESS;
}

CUresult cuArray3DCreate(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray) {
    return create("cuArray3DCreate", pHandle, pAllocateArray);
}

CUresult cuArrayCreate(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {0};
    if (pAllocateArray)
        shape = (CUDA_ARRAY3D_DESCRIPTOR){.Width = pAllocateArray->Width,
                                          .Height = pAllocateArray->Height,
                                          .Format = pAllocateArray->Format,
                                          .NumChannels = pAllocateArray->NumChannels};
    return create("cuArrayCreate", pHandle, pAllocateArray ? &shape : NULL);
}

static CUresult enter(CUarray array) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    return object_is(array, OBJECT_ARRAY) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuArrayDestroy(CUarray hArray) {
    CUresult error = enter(hArray);
    if (error)
        return error;
    work_wait();
    object_destroy(&hArray->object);
    return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    CUresult error = enter(hArray);
    if (error)
        return error;
    if (!pArrayDescriptor)
        return CUDA_ERROR_INVALID_VALUE;
    *pArrayDescriptor = hArray->shape;
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray) {
    CUresult error = enter(hArray);
    if (error)
        return error;
    if (!pArrayDescriptor)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR *shape = &hArray->shape;
    *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){.Width = shape->Width,
                                                .Height = shape->Height,
                                                .Format = shape->Format,
                                                .NumChannels = shape->NumChannels};
    return CUDA_SUCCESS;
}

/* ---------------------------------------------------------------- copies */

/* One end of a copy: an array from an offset on, as if its rows had no gaps; or plain memory. */
struct end {
    CUarray array; /* NULL: plain memory */
    size_t offset;
    uint64_t address;
    bool host;
};

static CUresult check_end(const char *function, const struct end *end, size_t size) {
    if (!end->array)
        return end->host ? end->address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE
                         : memory_check(function, end->address, size);
    if (!object_is(end->array, OBJECT_ARRAY))
        return CUDA_ERROR_INVALID_HANDLE;
    size_t bytes = end->array->row * end->array->rows * end->array->slices;
    return sim_within(end->offset, size, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The address of the copy's byte number `at`, and how many contiguous bytes follow. */
static uint64_t place(const struct end *end, size_t at, size_t *run) {
    if (!end->array) {
        *run = SIZE_MAX;
        return end->address + at;
    }
    size_t offset = end->offset + at, within = offset % end->array->row;
    *run = end->array->row - within;
    return end->array->base + offset / end->array->row * end->array->pitch + within;
}

/* wait: the call is synchronous.  A graph's node copies a box; a range of an array may not be one. */
static CUresult copy(const char *function, struct end to, struct end from, size_t size, bool wait,
                     CUstream stream) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(stream, wait, &context, &capturing);
    if (!error && capturing) {
        log_note("%s: it cannot be captured; cuMemcpy2DAsync can", function);
        error = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (error)
        return error;
    struct work work;
    work_begin(&work);
    error = check_end(function, &to, size);
    if (!error)
        error = check_end(function, &from, size);
    for (size_t at = 0, step; !error && at < size; at += step) {
        size_t to_run, from_run;
        uint64_t target = place(&to, at, &to_run), source = place(&from, at, &from_run);
        step = size - at;
        step = step < to_run ? step : to_run;
        step = step < from_run ? step : from_run;
        memmove((void *)(uintptr_t)target, (const void *)(uintptr_t)source, step);
        check_copied(function, target, source, step);
    }
    work_end(&work);
    return error;
}

static struct end in_array(CUarray array, size_t offset) {
    return (struct end){.array = array, .offset = offset};
}

static struct end on_device(CUdeviceptr address) {
    return (struct end){.address = address};
}

static struct end on_host(const void *address) {
    return (struct end){.address = (uint64_t)(uintptr_t)address, .host = true};
}

/* A NULL array is an error, not plain memory. */
static CUresult copy_arrays(const char *function, struct end to, struct end from, size_t size, bool wait,
                            CUstream stream, bool given) {
    return given ? copy(function, to, from, size, wait, stream) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemcpyHtoA(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount) {
    return copy_arrays(__func__, in_array(dstArray, dstOffset), on_host(srcHost), ByteCount, true, NULL,
                       dstArray);
}

CUresult cuMemcpyHtoAAsync(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                           CUstream hStream) {
    return copy_arrays(__func__, in_array(dstArray, dstOffset), on_host(srcHost), ByteCount, false, hStream,
                       dstArray);
}

CUresult cuMemcpyAtoH(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    return copy_arrays(__func__, on_host(dstHost), in_array(srcArray, srcOffset), ByteCount, true, NULL,
                       srcArray);
}

CUresult cuMemcpyAtoHAsync(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                           CUstream hStream) {
    return copy_arrays(__func__, on_host(dstHost), in_array(srcArray, srcOffset), ByteCount, false, hStream,
                       srcArray);
}

CUresult cuMemcpyDtoA(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount) {
    return copy_arrays(__func__, in_array(dstArray, dstOffset), on_device(srcDevice), ByteCount, true, NULL,
                       dstArray);
}

CUresult cuMemcpyAtoD(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
    return copy_arrays(__func__, on_device(dstDevice), in_array(srcArray, srcOffset), ByteCount, true, NULL,
                       srcArray);
}

CUresult cuMemcpyAtoA(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                      size_t ByteCount) {
    return copy_arrays(__func__, in_array(dstArray, dstOffset), in_array(srcArray, srcOffset), ByteCount,
                       true, NULL, dstArray && srcArray);
}
