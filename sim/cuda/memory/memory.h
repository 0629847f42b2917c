/* Device and host memory: declarations shared by the driver's files. */
#ifndef WIDELOAD_SIM_CUDA_MEMORY_H
#define WIDELOAD_SIM_CUDA_MEMORY_H

#include "sim/cuda/driver.h"
#include "sim/cuda/memory/origin.h"

enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_MANAGED,
    ALLOCATION_HOST,
    ALLOCATION_REGISTERED,
    ALLOCATION_IMPORTED
};

/* A range that a program allocated or registered; sim_allocation.user points to it. */
struct allocation {
    struct object object;
    enum allocation_kind kind;
    uint64_t base;
    size_t size;
    unsigned flags;
    CUmemoryPool pool; /* NULL: not from a pool */
    struct allocation *next_of_pool, *previous_of_pool;
    struct graph_memory *graph; /* NULL: not allocated by a graph */
    struct page_advice *advice; /* memory_range.c's, one per page; NULL: none given yet */
    struct origin origin;
};

/* alloc.c: on that device, for the context, which may be another one's.  Errors: OUT_OF_MEMORY. */
CUresult allocation_create(CUcontext context, CUdevice device, enum allocation_kind kind, size_t size,
                           unsigned flags, struct allocation **out);
/* For the program's own memory.  Errors: HOST_MEMORY_ALREADY_REGISTERED, OUT_OF_MEMORY. */
CUresult allocation_register(CUcontext context, void *base, size_t size, unsigned flags,
                             struct allocation **out);
/* For another process's memory of that device, which the context's device reaches from now on.
 * Errors: MAP_FAILED, OUT_OF_MEMORY. */
CUresult allocation_import(CUcontext context, CUdevice device, const struct sim_shared *shared,
                           struct allocation **out);
/* The allocation that begins at address; NULL if none does, or if it is a module's variable. */
struct allocation *allocation_at(uint64_t address);
void allocation_destroy(struct allocation *allocation);
/* cuMemFree outside any stream.  Errors: INVALID_VALUE. */
CUresult memory_free(const char *function, CUdeviceptr address);

/* pool.c */
void pool_returned(struct allocation *allocation);

/* copy.c: whether size bytes at address are device, managed or registered memory.  If not, logs it under the
 * function's name and returns INVALID_VALUE.  Zero bytes are always allowed. */
CUresult memory_check(const char *function, uint64_t address, size_t size);

/* copy_box.c: checks a copy, and runs it outside any stream.  function: its name in messages. */
CUresult memory_copy_check(const char *function, const CUDA_MEMCPY3D *copy);
CUresult memory_copy(const char *function, const CUDA_MEMCPY3D *copy);
/* memset.c: the same for a fill. */
CUresult memory_set_check(const char *function, const CUDA_MEMSET_NODE_PARAMS *set);
CUresult memory_set(const char *function, const CUDA_MEMSET_NODE_PARAMS *set);
/* memory_operations.c: the same for writes of words and waits for them. */
CUresult memory_operations_check(const char *function, unsigned count,
                                 const CUstreamBatchMemOpParams *operations);
CUresult memory_operations_run(const char *function, unsigned count,
                               const CUstreamBatchMemOpParams *operations);

#endif
