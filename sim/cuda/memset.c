/* cuMemset*: rows of 8-, 16- or 32-bit values. */
#include <string.h>

#include "sim/cuda/check.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory.h"

static void fill(unsigned char *to, uint32_t value, unsigned width, size_t count) {
    if (width == 1)
        memset(to, (int)(value & 0xff), count);
    else if (width == 2)
        for (uint16_t *at = (uint16_t *)(void *)to, *end = at + count; at < end; at++)
            *at = (uint16_t)value;
    else
        for (uint32_t *at = (uint32_t *)(void *)to, *end = at + count; at < end; at++)
            *at = value;
}

/* width: bytes of a value; count: values in a row; rows are pitch bytes apart. */
static CUresult set(const char *function, CUdeviceptr to, size_t pitch, uint32_t value, unsigned width,
                    size_t count, size_t rows, CUstream stream) {
    CUcontext context;
    CUresult error = stream_enter(stream, &context);
    if (error)
        return error;
    if (!count || !rows)
        return CUDA_SUCCESS;
    if (count > SIZE_MAX / width || to % width)
        return CUDA_ERROR_INVALID_VALUE;
    size_t row = count * width;
    if (rows > 1 && (pitch < row || pitch > LIMIT_PITCH || pitch % width))
        return CUDA_ERROR_INVALID_VALUE;
    if (rows > 1 && (rows - 1) > (SIZE_MAX - row) / pitch)
        return CUDA_ERROR_INVALID_VALUE;
    error = memory_check(function, to, (rows > 1 ? (rows - 1) * pitch : 0) + row);
    if (error)
        return error;
    for (size_t i = 0; i < rows; i++) {
        fill((unsigned char *)(uintptr_t)to + i * pitch, value, width, count);
        sim_check_written(check_session(), to + i * pitch, row);
    }
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
    return set(__func__, dstDevice, 0, uc, 1, N, 1, NULL);
}

CUresult cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N) {
    return set(__func__, dstDevice, 0, us, 2, N, 1, NULL);
}

CUresult cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
    return set(__func__, dstDevice, 0, ui, 4, N, 1, NULL);
}

CUresult cuMemsetD2D8(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height) {
    return set(__func__, dstDevice, dstPitch, uc, 1, Width, Height, NULL);
}

CUresult cuMemsetD2D16(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                       size_t Height) {
    return set(__func__, dstDevice, dstPitch, us, 2, Width, Height, NULL);
}

CUresult cuMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height) {
    return set(__func__, dstDevice, dstPitch, ui, 4, Width, Height, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
    return set(__func__, dstDevice, 0, uc, 1, N, 1, hStream);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
    return set(__func__, dstDevice, 0, us, 2, N, 1, hStream);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
    return set(__func__, dstDevice, 0, ui, 4, N, 1, hStream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream) {
    return set(__func__, dstDevice, dstPitch, uc, 1, Width, Height, hStream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream) {
    return set(__func__, dstDevice, dstPitch, us, 2, Width, Height, hStream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream) {
    return set(__func__, dstDevice, dstPitch, ui, 4, Width, Height, hStream);
}
