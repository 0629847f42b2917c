/* Peer access: which contexts may use the memory of which others.  It has a direction. */
#include <stdlib.h>

#include "sim/cuda/driver.h"

/* A context may use what belongs to another one. */
struct grant {
    struct grant *next;
    CUcontext from, to;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct grant *grants;

/* Call with the lock held. */
static struct grant **find(CUcontext from, CUcontext to) {
    struct grant **link = &grants;
    while (*link && ((*link)->from != from || (*link)->to != to))
        link = &(*link)->next;
    return link;
}

/* Launches see devices alone.  Call with the lock held. */
static void set_peers(CUcontext context) {
    uint32_t peers = 0;
    for (const struct grant *grant = grants; grant; grant = grant->next)
        if (grant->from == context)
            peers |= UINT32_C(1) << grant->to->device;
    atomic_store(&context->peers, peers);
}

void peer_forget(CUcontext context) {
    pthread_mutex_lock(&lock);
    for (struct grant **link = &grants; *link;) {
        struct grant *grant = *link;
        if (grant->from != context && grant->to != context) {
            link = &grant->next;
            continue;
        }
        *link = grant->next;
        set_peers(grant->from);
        free(grant);
    }
    pthread_mutex_unlock(&lock);
}

static CUresult enable(CUcontext from, CUcontext to) {
    struct grant **link = find(from, to);
    if (*link)
        return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    if (!(*link = calloc(1, sizeof **link)))
        return CUDA_ERROR_OUT_OF_MEMORY;
    **link = (struct grant){.from = from, .to = to};
    set_peers(from);
    return CUDA_SUCCESS;
}

static CUresult disable(CUcontext from, CUcontext to) {
    struct grant **link = find(from, to), *grant = *link;
    if (!grant)
        return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
    *link = grant->next;
    free(grant);
    set_peers(from);
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (Flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(peerContext, OBJECT_CONTEXT) || peerContext == context)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (peerContext->device == context->device)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    pthread_mutex_lock(&lock);
    error = enable(context, peerContext);
    pthread_mutex_unlock(&lock);
    return error;
}

/* Waits for launches that may use the access. */
CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
    CUcontext context;
    CUresult error = context_enter(&context);
    if (error)
        return error;
    if (!object_is(peerContext, OBJECT_CONTEXT))
        return CUDA_ERROR_INVALID_CONTEXT;
    work_wait();
    pthread_mutex_lock(&lock);
    error = disable(context, peerContext);
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---------------------------------------------------------------- what devices could do */

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev) {
    CUresult error = driver_check_device(dev);
    if (!error)
        error = driver_check_device(peerDev);
    if (error)
        return error;
    if (!canAccessPeer)
        return CUDA_ERROR_INVALID_VALUE;
    *canAccessPeer = dev != peerDev; /* a device is not its own peer */
    return CUDA_SUCCESS;
}

static CUresult check_pair(CUdevice from, CUdevice to) {
    CUresult error = driver_check();
    if (error)
        return error;
    return driver_has(from) && driver_has(to) && from != to ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* As over NVLink: all pairs are alike, and all atomics are native. */
CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice,
                                 CUdevice dstDevice) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    error = check_pair(srcDevice, dstDevice);
    if (error)
        return error;
    switch ((int)attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
    case 5 /* ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED */:
        *value = 0;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

#if CUDA_VERSION >= 13000
/* All that kernels can do to the device's own memory. */
static unsigned capabilities_of(CUatomicOperation operation) {
    const unsigned scalars =
        CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
    const unsigned any_sign = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED;
    switch (operation) {
    case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
    case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
        return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION |
               CU_ATOMIC_CAPABILITY_SCALAR_32;
    case CU_ATOMIC_OPERATION_EXCHANGE:
    case CU_ATOMIC_OPERATION_CAS:
        return any_sign | CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
    case CU_ATOMIC_OPERATION_FLOAT_ADD:
        return CU_ATOMIC_CAPABILITY_SIGNED | scalars | CU_ATOMIC_CAPABILITY_VECTOR_32x4;
    case CU_ATOMIC_OPERATION_FLOAT_MIN:
    case CU_ATOMIC_OPERATION_FLOAT_MAX:
        return 0;
    default:
        return any_sign | scalars;
    }
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int *capabilities, const CUatomicOperation *operations,
                                          unsigned int count, CUdevice srcDevice, CUdevice dstDevice) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!capabilities || !operations || !count)
        return CUDA_ERROR_INVALID_VALUE;
    error = check_pair(srcDevice, dstDevice);
    for (unsigned i = 0; i < count && !error; i++)
        if ((unsigned)operations[i] < CU_ATOMIC_OPERATION_MAX)
            capabilities[i] = capabilities_of(operations[i]);
        else
            error = CUDA_ERROR_INVALID_VALUE;
    return error;
}
#endif
