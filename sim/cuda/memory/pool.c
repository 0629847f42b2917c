/* Stream-ordered allocation.  Work runs at submission, so an asynchronous allocation or free is synchronous
 * here; pools only do accounting. */
#include <stdlib.h>

#include "sim/cuda/graph/capture.h"
#include "sim/cuda/memory/memory.h"

/* Each place has its own pools.  A place is a location's type and a type of allocation, on a device. */
enum { LOCATIONS = CU_MEM_LOCATION_TYPE_HOST_NUMA + 1, MANAGED = LOCATIONS, PLACES = 2 * LOCATIONS };
enum { ALL_PLACES = SIM_MAX_DEVICES * PLACES };
/* CUDA 13's names; managed memory without a location may be anywhere. */
enum { ALLOCATION_TYPE_MANAGED = 2, LOCATION_NONE = 0, ON_DEVICE = CU_MEM_LOCATION_TYPE_DEVICE };

struct CUmemPoolHandle_st {
    struct object object;
    unsigned place;
    _Atomic uint64_t used, used_high, threshold;
    _Atomic int reuse[3]; /* FOLLOW_EVENT_DEPENDENCIES, ALLOW_OPPORTUNISTIC, ALLOW_INTERNAL_DEPENDENCIES */
    uint64_t max_size;    /* 0: no limit of its own */
    /* Under the lock: */
    uint64_t access; /* bits of the devices that reach its memory */
    struct allocation *allocations;
    _Atomic unsigned references; /* the handle, and each live allocation */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUmemoryPool default_pools[ALL_PLACES], current_pools[ALL_PLACES];

static CUdevice device_of(unsigned place) {
    return (CUdevice)(place / PLACES);
}

static unsigned device_place(CUdevice device) {
    return PLACES * (unsigned)device + ON_DEVICE;
}

static bool is_on_device(unsigned place) {
    return place % PLACES == ON_DEVICE;
}

static void unreference(CUmemoryPool pool) {
    if (atomic_fetch_sub(&pool->references, 1) == 1)
        free(pool);
}

static void release(struct object *object) {
    CUmemoryPool pool = (CUmemoryPool)object;
    pthread_mutex_lock(&lock);
    if (default_pools[pool->place] == pool)
        default_pools[pool->place] = NULL;
    if (current_pools[pool->place] == pool)
        current_pools[pool->place] = default_pools[pool->place];
    pthread_mutex_unlock(&lock);
    unreference(pool);
}

static CUmemoryPool create(unsigned place, uint64_t max_size) {
    CUmemoryPool pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    for (int i = 0; i < 3; i++)
        atomic_store(&pool->reuse[i], 1);
    atomic_store(&pool->references, 1);
    pool->place = place;
    pool->max_size = max_size;
    pool->access = SIM_ACCESS_OF(device_of(place));
    object_add(&pool->object, OBJECT_POOL, NULL, release);
    return pool;
}

/* The place's current pool, or its default one; NULL on out-of-memory. */
static CUmemoryPool pool_of(unsigned place, bool current) {
    pthread_mutex_lock(&lock);
    if (!default_pools[place])
        default_pools[place] = create(place, 0);
    if (!current_pools[place])
        current_pools[place] = default_pools[place];
    CUmemoryPool pool = current ? current_pools[place] : default_pools[place];
    pthread_mutex_unlock(&lock);
    return pool;
}

static enum allocation_kind kind_of(unsigned place) {
    return place % PLACES >= MANAGED ? ALLOCATION_MANAGED
           : is_on_device(place)     ? ALLOCATION_DEVICE
                                     : ALLOCATION_HOST;
}

static CUresult find_place(const CUmemLocation *location, CUmemAllocationType type, unsigned *out) {
    bool managed = (int)type == ALLOCATION_TYPE_MANAGED;
    if (!location || (!managed && type != CU_MEM_ALLOCATION_TYPE_PINNED) ||
        (unsigned)location->type >= LOCATIONS || ((int)location->type == LOCATION_NONE && !managed))
        return CUDA_ERROR_INVALID_VALUE;
    const bool device = (int)location->type == ON_DEVICE;
    if (device ? !driver_has(location->id)
               : location->type != CU_MEM_LOCATION_TYPE_HOST && (int)location->type != LOCATION_NONE &&
                     location->id != 0)
        return CUDA_ERROR_INVALID_VALUE;
    *out =
        (unsigned)location->type + (managed ? MANAGED : 0) + (device ? PLACES * (unsigned)location->id : 0);
    return CUDA_SUCCESS;
}

/* Other devices reach a pool's memory as the pool says, whatever peer access there is. */
static void enter(CUmemoryPool pool, struct allocation *allocation) {
    allocation->pool = pool;
    atomic_fetch_add(&pool->references, 1);
    pthread_mutex_lock(&lock);
    allocation->next_of_pool = pool->allocations;
    if (pool->allocations)
        pool->allocations->previous_of_pool = allocation;
    pool->allocations = allocation;
    if (allocation->kind == ALLOCATION_DEVICE)
        sim_memory_set_access(driver.memory, allocation->base, pool->access);
    pthread_mutex_unlock(&lock);
}

void pool_returned(struct allocation *allocation) {
    CUmemoryPool pool = allocation->pool;
    pthread_mutex_lock(&lock);
    if (allocation->next_of_pool)
        allocation->next_of_pool->previous_of_pool = allocation->previous_of_pool;
    if (allocation->previous_of_pool)
        allocation->previous_of_pool->next_of_pool = allocation->next_of_pool;
    else
        pool->allocations = allocation->next_of_pool;
    pthread_mutex_unlock(&lock);
    atomic_fetch_sub(&pool->used, allocation->size);
    unreference(pool);
}

static CUresult check_pool(CUmemoryPool pool) {
    CUresult error = driver_check();
    if (error)
        return error;
    return object_is(pool, OBJECT_POOL) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The graph owns the memory, not the pool, which says where it lies and which devices reach it. */
static CUresult capture(CUmemoryPool pool, CUstream stream, CUcontext context, size_t size,
                        CUdeviceptr *out) {
    if (!is_on_device(pool->place))
        return CUDA_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&lock);
    const uint64_t access = pool->access;
    pthread_mutex_unlock(&lock);
    return capture_alloc(stream, context, device_of(pool->place), access, size, out);
}

static CUresult allocate(CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(stream, false, &context, &capturing);
    if (error)
        return error;
    if (!out || !size)
        return CUDA_ERROR_INVALID_VALUE;
    context = stream_context(stream, context);
    if (!pool)
        pool = pool_of(device_place(context->device), true);
    if (!pool)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (capturing)
        return capture(pool, stream, context, size, out);
    uint64_t used = atomic_fetch_add(&pool->used, size) + size;
    struct allocation *allocation;
    error = pool->max_size && used > pool->max_size ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    if (!error)
        error =
            allocation_create(context, device_of(pool->place), kind_of(pool->place), size, 0, &allocation);
    if (error) {
        atomic_fetch_sub(&pool->used, size);
        return error;
    }
    uint64_t high = atomic_load(&pool->used_high);
    while (used > high && !atomic_compare_exchange_weak(&pool->used_high, &high, used))
        continue;
    enter(pool, allocation);
    *out = (CUdeviceptr)allocation->base;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
    return allocate(dptr, bytesize, NULL, hStream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
    CUresult error = check_pool(pool);
    return error ? error : allocate(dptr, bytesize, pool, hStream);
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(hStream, false, &context, &capturing);
    if (error)
        return error;
    return capturing ? capture_free(hStream, dptr) : memory_free(__func__, dptr);
}

static CUresult get_pool(CUmemoryPool *out, CUdevice dev, bool current) {
    CUresult error = driver_check_device(dev);
    if (error)
        return error;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    *out = pool_of(device_place(dev), current);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev) {
    return get_pool(pool_out, dev, false);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev) {
    return get_pool(pool, dev, true);
}

static CUresult set_pool(unsigned place, CUmemoryPool pool) {
    CUresult error = check_pool(pool);
    if (error || pool->place != place)
        return error ? error : CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    current_pools[place] = pool;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool) {
    CUresult error = driver_check_device(dev);
    return error ? error : set_pool(device_place(dev), pool);
}

#if CUDA_VERSION >= 13000
static CUresult get_pool_of(CUmemoryPool *out, const CUmemLocation *location, CUmemAllocationType type,
                            bool current) {
    unsigned place;
    CUresult error = driver_check();
    if (!error)
        error = out ? find_place(location, type, &place) : CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    *out = pool_of(place, current);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location, CUmemAllocationType type) {
    return get_pool_of(pool_out, location, type, false);
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
    return get_pool_of(pool, location, type, true);
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
    unsigned place;
    CUresult error = driver_check();
    if (!error)
        error = find_place(location, type, &place);
    return error ? error : set_pool(place, pool);
}
#endif

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps) {
    CUresult error = driver_check();
    if (error)
        return error;
    unsigned place;
    if (!pool || !poolProps)
        return CUDA_ERROR_INVALID_VALUE;
    if (poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (poolProps->location.type == CU_MEM_LOCATION_TYPE_DEVICE && !driver_has(poolProps->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    error = find_place(&poolProps->location, poolProps->allocType, &place);
    if (error)
        return error;
#if CUDA_VERSION >= 12020
    uint64_t max_size = poolProps->maxSize;
#else
    uint64_t max_size = 0;
#endif
    *pool = create(place, max_size);
    return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* Live allocations keep the parts of the pool that they need. */
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
    CUresult error = check_pool(pool);
    if (error)
        return error;
    if (pool == default_pools[pool->place])
        return CUDA_ERROR_INVALID_VALUE;
    object_destroy(&pool->object);
    return CUDA_SUCCESS;
}

/* A no-op: pools keep no reserve. */
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep) {
    (void)minBytesToKeep;
    return check_pool(pool);
}

/* Checks one device's access; the pool's device always has all, and CUDA refuses to revoke that. */
static CUresult check_access(CUmemoryPool pool, const CUmemAccessDesc *map) {
    const bool all = map->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (map->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        (!all && map->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE))
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_has(map->location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    return all || map->location.id != device_of(pool->place) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* For what the pool has given out, too. */
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count) {
    CUresult error = check_pool(pool);
    if (error)
        return error;
    if (!map || !count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !error; i++)
        error = check_access(pool, &map[i]);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bit = SIM_ACCESS_OF(map[i].location.id);
        pool->access =
            map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ? pool->access & ~bit : pool->access | bit;
    }
    for (const struct allocation *a = pool->allocations; a; a = a->next_of_pool)
        if (a->kind == ALLOCATION_DEVICE)
            sim_memory_set_access(driver.memory, a->base, pool->access);
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool, CUmemLocation *location) {
    CUresult error = check_pool(memPool);
    if (error)
        return error;
    if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_has(location->id))
        return CUDA_ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    const bool reaches =
        kind_of(memPool->place) != ALLOCATION_DEVICE || memPool->access & SIM_ACCESS_OF(location->id);
    pthread_mutex_unlock(&lock);
    *flags = reaches ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    CUresult error = check_pool(pool);
    if (error)
        return error;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        atomic_store(&pool->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES], *(int *)value);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        atomic_store(&pool->threshold, *(cuuint64_t *)value);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: /* can only be reset */
        if (*(cuuint64_t *)value)
            return CUDA_ERROR_INVALID_VALUE;
        atomic_store(&pool->used_high, atomic_load(&pool->used));
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value) {
    CUresult error = check_pool(pool);
    if (error)
        return error;
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = atomic_load(&pool->reuse[attr - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES]);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = atomic_load(&pool->threshold);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = atomic_load(&pool->used);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = atomic_load(&pool->used_high);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}
