/* Launches as before CUDA 4: a function's block, shared memory and parameters are set one by one and stored
 * with it.  cuda.h still declares these calls. */
#include <stdlib.h>
#include <string.h>

#include "sim/cuda/limits.h"
#include "sim/cuda/module/module.h"

enum { MOST_PARAMETERS = 32764 }; /* bytes */

struct legacy_launch {
    unsigned block[3], shared;
    size_t size; /* of the parameters, set by cuParamSetSize */
    unsigned char parameters[MOST_PARAMETERS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the function and its settings; on success the lock is held. */
static CUresult enter(CUfunction handle, CUfunction *function, struct legacy_launch **out) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (!error)
        error = function_resolve(handle, context, function);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    if (!(*function)->legacy) {
        struct legacy_launch *new = calloc(1, sizeof *new);
        if (!new) {
            pthread_mutex_unlock(&lock);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        for (int i = 0; i < 3; i++)
            new->block[i] = 1;
        (*function)->legacy = new;
    }
    *out = (*function)->legacy;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z) {
    CUfunction function;
    struct legacy_launch *set;
    CUresult error = enter(hfunc, &function, &set);
    if (error)
        return error;
    if (x < 1 || y < 1 || z < 1 || x > LIMIT_BLOCK_THREADS || y > LIMIT_BLOCK_THREADS || z > LIMIT_BLOCK_Z ||
        x * y * z > LIMIT_BLOCK_THREADS)
        error = CUDA_ERROR_INVALID_VALUE;
    else
        memcpy(set->block, (unsigned[]){(unsigned)x, (unsigned)y, (unsigned)z}, sizeof set->block);
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes) {
    CUfunction function;
    struct legacy_launch *set;
    CUresult error = enter(hfunc, &function, &set);
    if (error)
        return error;
    if (bytes > LIMIT_BLOCK_SHARED_OPTIN)
        error = CUDA_ERROR_INVALID_VALUE;
    else
        set->shared = bytes;
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes) {
    CUfunction function;
    struct legacy_launch *set;
    CUresult error = enter(hfunc, &function, &set);
    if (error)
        return error;
    if (numbytes > MOST_PARAMETERS)
        error = CUDA_ERROR_INVALID_VALUE;
    else
        set->size = numbytes;
    pthread_mutex_unlock(&lock);
    return error;
}

static CUresult set_parameter(CUfunction hfunc, int offset, const void *ptr, unsigned int numbytes) {
    CUfunction function;
    struct legacy_launch *set;
    CUresult error = enter(hfunc, &function, &set);
    if (error)
        return error;
    if (offset < 0 || offset > MOST_PARAMETERS || numbytes > (unsigned)(MOST_PARAMETERS - offset) || !ptr)
        error = CUDA_ERROR_INVALID_VALUE;
    else
        memcpy(set->parameters + offset, ptr, numbytes);
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes) {
    return set_parameter(hfunc, offset, ptr, numbytes);
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value) {
    return set_parameter(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value) {
    return set_parameter(hfunc, offset, &value, sizeof value);
}

static CUresult launch(CUfunction handle, int width, int height, CUstream stream) {
    CUfunction function;
    struct legacy_launch *set, *copy = malloc(sizeof *copy);
    CUresult error = copy ? enter(handle, &function, &set) : CUDA_ERROR_OUT_OF_MEMORY;
    if (!error) {
        *copy = *set;
        pthread_mutex_unlock(&lock);
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, copy->parameters, CU_LAUNCH_PARAM_BUFFER_SIZE,
                         &copy->size, CU_LAUNCH_PARAM_END};
        /* A negative size becomes a very large one, which is rejected. */
        error = cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, copy->block[0], copy->block[1],
                               copy->block[2], copy->shared, stream, NULL, extra);
    }
    free(copy);
    return error;
}

CUresult cuLaunch(CUfunction f) {
    return launch(f, 1, 1, NULL);
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height) {
    return launch(f, grid_width, grid_height, NULL);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream) {
    return launch(f, grid_width, grid_height, hStream);
}

/* Devices never run at the same time, so launches that meet each other are refused, and one alone is one. */
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList, unsigned int numDevices,
                                              unsigned int flags) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    const CUDA_LAUNCH_PARAMS *one = launchParamsList;
    if (one && numDevices > 1 && numDevices <= driver.devices) {
        log_note("cuLaunchCooperativeKernelMultiDevice: several devices do not run at the same time");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    unsigned all = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                   CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
    if (!one || numDevices != 1 || flags & ~all || !one->hStream || one->hStream == CU_STREAM_LEGACY ||
        one->hStream == CU_STREAM_PER_THREAD)
        return CUDA_ERROR_INVALID_VALUE;
    return cuLaunchCooperativeKernel(one->function, one->gridDimX, one->gridDimY, one->gridDimZ,
                                     one->blockDimX, one->blockDimY, one->blockDimZ, one->sharedMemBytes,
                                     one->hStream, one->kernelParams);
}
