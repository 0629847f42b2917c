/* Initialization of the driver, devices' primary contexts, and both in a forked child. */
#include <pthread.h>
#include <stdatomic.h>

#include "sim/cudart/runtime.h"

enum { MAX_DEVICES = 64 };

/* Can be read without the lock once the state says that it is set. */
static CUcontext primaries[MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool ready, forked;
static _Thread_local int device;

/* A child inherits the parent's state but neither its threads nor the device.  As in CUDA, it cannot use the
 * runtime unless the parent had not initialized it. */
static void in_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    runtime_registration_unlock();
    if (atomic_load(&ready))
        atomic_store(&forked, true);
}

/* Runs before main, so that a fork during the first call is noticed too. */
__attribute__((constructor)) static void watch_forks(void) {
    (void)pthread_atfork(NULL, NULL, in_child);
}

CUresult runtime_initialize(void) {
    if (atomic_load_explicit(&forked, memory_order_relaxed))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (atomic_load_explicit(&ready, memory_order_acquire))
        return CUDA_SUCCESS;
    CUresult error = cuInit(0);
    if (!error)
        atomic_store_explicit(&ready, true, memory_order_release);
    return error;
}

CUresult runtime_primary(int which, CUcontext *out) {
    CUresult error = runtime_initialize();
    if (error)
        return error;
    if (which < 0 || which >= MAX_DEVICES)
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    if (!primaries[which]) {
        CUdevice handle;
        error = cuDeviceGet(&handle, which);
        if (!error)
            error = cuDevicePrimaryCtxRetain(&primaries[which], handle);
    }
    *out = primaries[which];
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult runtime_enter(void) {
    CUcontext context;
    CUresult error = runtime_initialize();
    if (!error)
        error = cuCtxGetCurrent(&context);
    if (error || context)
        return error;
    error = runtime_primary(device, &context);
    return error ? error : cuCtxSetCurrent(context);
}

int runtime_device(void) {
    CUdevice current;
    CUcontext context;
    /* A context that the program made current itself determines the device. */
    if (runtime_initialize() == CUDA_SUCCESS && cuCtxGetCurrent(&context) == CUDA_SUCCESS && context &&
        cuCtxGetDevice(&current) == CUDA_SUCCESS)
        return current;
    return device;
}

cudaError_t cudaGetDevice(int *out) {
    CUresult error = runtime_initialize();
    if (error)
        return runtime_driver_result(error);
    if (!out)
        return runtime_result(cudaErrorInvalidValue);
    *out = runtime_device();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int which) {
    CUcontext context;
    CUresult error = runtime_primary(which, &context);
    if (!error)
        error = cuCtxSetCurrent(context);
    if (!error)
        device = which;
    return runtime_driver_result(error);
}

cudaError_t cudaInitDevice(int which, unsigned int deviceFlags, unsigned int flags) {
    CUcontext context;
    if (flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
        return runtime_result(cudaErrorInvalidValue);
    CUresult error = runtime_initialize();
    if (!error && flags & cudaInitDeviceFlagsAreValid)
        error = cuDevicePrimaryCtxSetFlags(which, deviceFlags & (unsigned)CU_CTX_FLAGS_MASK);
    if (!error)
        error = runtime_primary(which, &context);
    return runtime_driver_result(error);
}

/* The primary context stays retained, so its handle stays valid in threads that have it current. */
cudaError_t cudaDeviceReset(void) {
    CUresult error = runtime_initialize();
    if (!error)
        error = cuDevicePrimaryCtxReset(runtime_device());
    return runtime_driver_result(error);
}

cudaError_t cudaDeviceSynchronize(void) {
    CUresult error = runtime_enter();
    return runtime_driver_result(error ? error : cuCtxSynchronize());
}

/* The device's default schedule, map-host and so on are the flags of its primary context. */
cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    if (flags & ~(unsigned)cudaDeviceMask)
        return runtime_result(cudaErrorInvalidValue);
    CUresult error = runtime_initialize();
    if (!error)
        error = cuDevicePrimaryCtxSetFlags(runtime_device(), flags & (unsigned)CU_CTX_FLAGS_MASK);
    return runtime_driver_result(error);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    int active;
    CUresult error = runtime_initialize();
    if (!error && !flags)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error)
        error = cuDevicePrimaryCtxGetState(runtime_device(), flags, &active);
    if (!error)
        *flags |= cudaDeviceMapHost; /* always set, with unified addressing */
    return runtime_driver_result(error);
}

cudaStream_t runtime_per_thread(cudaStream_t stream) {
    return stream ? stream : cudaStreamPerThread;
}
