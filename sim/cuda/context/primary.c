/* The devices' primary contexts, each shared by all that retain it. */
#include "sim/cuda/driver.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct primary {
    CUcontext context; /* NULL if nobody retains it */
    unsigned retained, flags;
} primaries[SIM_MAX_DEVICES];

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    struct primary *primary = &primaries[dev];
    if (!primary->context)
        error = context_create(&primary->context, dev, primary->flags, true);
    if (!error) {
        primary->retained++;
        *pctx = primary->context;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    struct primary *primary = &primaries[dev];
    if (!primary->retained) {
        error = CUDA_ERROR_INVALID_CONTEXT;
    } else if (--primary->retained == 0) {
        context_destroy(primary->context);
        primary->context = NULL;
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
    if (primaries[dev].context)
        context_clear(primaries[dev].context);
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
    struct primary *primary = &primaries[dev];
    primary->flags = newFlags;
    if (primary->context)
        primary->context->flags = newFlags;
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
    *outFlags = primaries[dev].flags;
    *active = primaries[dev].context != NULL;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}
