/* Device and host memory as the driver's files share it. */
#ifndef WIDELOAD_SIM_CUDA_MEMORY_H
#define WIDELOAD_SIM_CUDA_MEMORY_H

#include "sim/cuda/driver.h"

enum allocation_kind {
    ALLOCATION_DEVICE,
    ALLOCATION_MANAGED,
    ALLOCATION_HOST,
    ALLOCATION_REGISTERED,
    ALLOCATION_IMPORTED
};

/* Behind every range that a program allocated or registered: sim_allocation.user points at it. */
struct allocation {
    struct object object;
    enum allocation_kind kind;
    uint64_t base;
    size_t size;
    unsigned flags;
    CUmemoryPool pool;          /* NULL: not from a pool */
    struct graph_memory *graph; /* NULL: no graph allocates it */
    struct page_advice *advice; /* memory_range.c's: one a page; NULL: none was given yet */
};

/* alloc.c.  Errors: OUT_OF_MEMORY. */
CUresult allocation_create(CUcontext context, enum allocation_kind kind, size_t size, unsigned flags,
                           struct allocation **out);
/* For memory that the program brings.  Errors: HOST_MEMORY_ALREADY_REGISTERED, OUT_OF_MEMORY. */
CUresult allocation_register(CUcontext context, void *base, size_t size, unsigned flags,
                             struct allocation **out);
/* For memory of another process.  Errors: MAP_FAILED, OUT_OF_MEMORY. */
CUresult allocation_import(CUcontext context, const struct sim_shared *shared, struct allocation **out);
/* The allocation that begins at address; NULL when none does, or it is a module's variable. */
struct allocation *allocation_at(uint64_t address);
void allocation_destroy(struct allocation *allocation);
/* What cuMemFree does, in no stream.  Errors: INVALID_VALUE. */
CUresult memory_free(const char *function, CUdeviceptr address);

/* pool.c */
void pool_returned(CUmemoryPool pool, size_t size);

/* copy.c: whether size bytes at address are device, managed or registered memory.  If not, says so in the
 * log in the function's name and returns INVALID_VALUE.  Zero bytes are always allowed. */
CUresult memory_check(const char *function, uint64_t address, size_t size);

/* copy_box.c: whether such a copy could be done now, and the copy itself, in no stream.  function is for
 * messages. */
CUresult memory_copy_check(const char *function, const CUDA_MEMCPY3D *copy);
CUresult memory_copy(const char *function, const CUDA_MEMCPY3D *copy);
/* memset.c: the same of a fill. */
CUresult memory_set_check(const char *function, const CUDA_MEMSET_NODE_PARAMS *set);
CUresult memory_set(const char *function, const CUDA_MEMSET_NODE_PARAMS *set);
/* memory_operations.c: the same of writes of words and waits for them. */
CUresult memory_operations_check(const char *function, unsigned count,
                                 const CUstreamBatchMemOpParams *operations);
CUresult memory_operations_run(const char *function, unsigned count,
                               const CUstreamBatchMemOpParams *operations);

#endif
