/* cuMemset*: rows of 8-, 16- or 32-bit values. */
#include <string.h>

#include "sim/cuda/check.h"
#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/memory.h"

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

CUresult memory_set_check(const char *function, const CUDA_MEMSET_NODE_PARAMS *set) {
    unsigned element = set->elementSize;
    if (!set->width || !set->height)
        return CUDA_SUCCESS;
    if ((element != 1 && element != 2 && element != 4) || set->width > SIZE_MAX / element ||
        set->dst % element)
        return CUDA_ERROR_INVALID_VALUE;
    size_t row = set->width * element, rows = set->height;
    if (rows > 1 && (set->pitch < row || set->pitch > LIMIT_PITCH || set->pitch % element))
        return CUDA_ERROR_INVALID_VALUE;
    if (rows > 1 && (rows - 1) > (SIZE_MAX - row) / set->pitch)
        return CUDA_ERROR_INVALID_VALUE;
    return memory_check(function, set->dst, (rows > 1 ? (rows - 1) * set->pitch : 0) + row);
}

CUresult memory_set(const char *function, const CUDA_MEMSET_NODE_PARAMS *set) {
    struct work work;
    work_begin(&work);
    CUresult error = memory_set_check(function, set);
    for (size_t i = 0; i < set->height && set->width && !error; i++) {
        CUdeviceptr row = set->dst + i * set->pitch;
        fill((unsigned char *)(uintptr_t)row, set->value, set->elementSize, set->width);
        sim_check_written(check_session(), row, set->width * set->elementSize);
    }
    work_end(&work);
    return error;
}

/* width: bytes per value; count: values per row; pitch: bytes between rows.  wait: a synchronous call. */
static CUresult set(const char *function, CUdeviceptr to, size_t pitch, uint32_t value, unsigned width,
                    size_t count, size_t rows, bool wait, CUstream stream) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(stream, wait, &context, &capturing);
    if (error || !count || !rows)
        return error;
    CUDA_MEMSET_NODE_PARAMS what = {
        .dst = to, .pitch = pitch, .value = value, .elementSize = width, .width = count, .height = rows};
    return capturing ? capture_set(stream, &what) : memory_set(function, &what);
}

CUresult cuMemsetD8(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
    return set(__func__, dstDevice, 0, uc, 1, N, 1, true, NULL);
}

CUresult cuMemsetD16(CUdeviceptr dstDevice, unsigned short us, size_t N) {
    return set(__func__, dstDevice, 0, us, 2, N, 1, true, NULL);
}

CUresult cuMemsetD32(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
    return set(__func__, dstDevice, 0, ui, 4, N, 1, true, NULL);
}

CUresult cuMemsetD2D8(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height) {
    return set(__func__, dstDevice, dstPitch, uc, 1, Width, Height, true, NULL);
}

CUresult cuMemsetD2D16(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                       size_t Height) {
    return set(__func__, dstDevice, dstPitch, us, 2, Width, Height, true, NULL);
}

CUresult cuMemsetD2D32(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height) {
    return set(__func__, dstDevice, dstPitch, ui, 4, Width, Height, true, NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
    return set(__func__, dstDevice, 0, uc, 1, N, 1, false, hStream);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
    return set(__func__, dstDevice, 0, us, 2, N, 1, false, hStream);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
    return set(__func__, dstDevice, 0, ui, 4, N, 1, false, hStream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width,
                           size_t Height, CUstream hStream) {
    return set(__func__, dstDevice, dstPitch, uc, 1, Width, Height, false, hStream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width,
                            size_t Height, CUstream hStream) {
    return set(__func__, dstDevice, dstPitch, us, 2, Width, Height, false, hStream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width,
                            size_t Height, CUstream hStream) {
    return set(__func__, dstDevice, dstPitch, ui, 4, Width, Height, false, hStream);
}
