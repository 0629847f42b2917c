/* The device's primary context, shared by all that retain it. */
#include "sim/cuda/driver.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primary; /* NULL if nobody retains it */
static unsigned retained, flags;

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (!primary)
        error = context_create(&primary, flags, true);
    if (!error) {
        retained++;
        *pctx = primary;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    if (!retained) {
        error = CUDA_ERROR_INVALID_CONTEXT;
    } else if (--retained == 0) {
        context_destroy(primary);
        primary = NULL;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* Frees the context's contents and clears its fault; existing handles keep working. */
CUresult cuDevicePrimaryCtxReset(CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    if (primary)
        context_clear(primary);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice dev, unsigned int newFlags) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (newFlags & ~(unsigned)CU_CTX_FLAGS_MASK)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    flags = newFlags;
    if (primary)
        primary->flags = newFlags;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *outFlags, int *active) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!outFlags || !active)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    *outFlags = flags;
    *active = primary != NULL;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}
