/* An open device, inside the library. */
#ifndef WIDELOAD_LIB_CONTEXT_H
#define WIDELOAD_LIB_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "lib/device.h"
#include "lib/driver.h"
#include "lib/kernels.h"
#include "lib/mask.h"
#include "lib/processors.h"
#include "lib/tuned/tuned.h"

struct wl_context {
    struct wl__driver driver;
    CUdevice device;
    CUcontext cuda;              /* the device's primary context, retained; or the application's */
    bool retained;               /* cuda was retained here */
    const struct wl__host *host; /* the host device (lib/host/): no driver is open; else NULL */
    unsigned block_limit;        /* threads per block */
    unsigned multiprocessors;
    unsigned shared_each; /* bytes of shared memory that a multiprocessor has for blocks */
    unsigned capability;  /* compute capability: 90 is 9.0 */
    bool starts_early;    /* the driver can start a kernel while the one before it ends, in graphs too */
    const struct wl__tuned *tuned;
    bool log;             /* each operation logs its choice to stderr */
    pthread_mutex_t lock; /* protects `parts`, and the filling of the two tables as kernels are first used */
    struct wl__parts parts;
    CUmodule modules[WL_MODULE_COUNT + WL_FURTHER_MODULES];
    /* Read without the lock; NULL: not loaded yet. */
    _Atomic(CUfunction) kernels[WL_KERNEL_COUNT + WL_FURTHER_KERNELS];
    /* The kernel waits for those before it (lib/cuda/earlier.cuh), as loaded: so it may start early.  Set
     * before `kernels`. */
    _Atomic bool awaits[WL_KERNEL_COUNT];
    /* The kernel may use all shared memory. */
    _Atomic bool all_shared[WL_KERNEL_COUNT + WL_FURTHER_KERNELS];
};

/* Gives the kernel's handle; loads its module if necessary.  The context must be the thread's current one.
 * Allowed while a stream of the thread captures.  After the first time it takes no lock. */
wl_error wl__kernel_get(wl_context *context, wl__kernel kernel, CUfunction *out);
/* Whether the device has bulk copies between global and shared memory, and mbarriers that wait for them: for
 * the kernels that include lib/cuda/bulk.cuh. */
static inline bool wl__has_bulk(const wl_context *on) {
    return on->capability >= 90;
}
/* Whether it has asynchronous loads to shared memory: for the kernels that include lib/cuda/async.cuh. */
static inline bool wl__has_async(const wl_context *on) {
    return on->capability >= 80;
}
/* Bytes of shared memory to request so that `blocks` fit a multiprocessor and no more; never less than
 * `least`, which a block needs. */
static inline uint32_t wl__shared_for(const wl_context *on, uint32_t blocks, uint32_t least) {
    const uint32_t reserved = 1024, unit = 128; /* per block, by CUDA; the unit of allocation */
    uint32_t share = on->shared_each / blocks;
    share = share > reserved ? (share - reserved) / unit * unit : 0;
    return share > least ? share : least;
}
/* Blocks that keep so many bytes in flight while one more stores, if each has loaded so many; at least 2. */
static inline uint32_t wl__blocks_in_flight(uint32_t in_flight, uint64_t each) {
    const uint64_t beside = (in_flight + each / 2) / each;
    return 1 + (beside ? (uint32_t)beside : 1);
}
/* Whether its driver can start kernels early, also in graphs: from CUDA 12.4 and compute capability 9.0 on.
 */
bool wl__starts_early(const wl_context *context);

/* Asks the driver for what kernels are chosen by: the compute capability and what a block may have. */
wl_error wl__read_device(wl_context *context);
void wl__unload_kernels(wl_context *context);

#endif
