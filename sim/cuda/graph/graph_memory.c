/* Memory that a graph's nodes allocate and free.
 *
 * The range exists as long as the graph, its executable copy, or the program (until it frees it) needs it, so
 * its address is the same in every launch. */
#include <stdlib.h>

#include "sim/cuda/graph/graph.h"
#include "sim/cuda/memory/memory.h"

struct graph_memory {
    struct allocation *allocation; /* NULL: destroyed with its context */
    unsigned references;
    bool allocated;
    size_t size;
    CUdevice device;
    CUdeviceptr address;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct books { uint64_t used, used_high, reserved, reserved_high; } books[SIM_MAX_DEVICES];

static void count(uint64_t *now, uint64_t *high, size_t size, bool more) {
    *now = more ? *now + size : *now - size;
    if (*now > *high)
        *high = *now;
}

struct graph_memory *graph_memory_create(CUcontext context, CUdevice device, uint64_t access, size_t size,
                                         CUresult *error) {
    struct graph_memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        *error = CUDA_ERROR_OUT_OF_MEMORY;
        return NULL;
    }
    *error = allocation_create(context, device, ALLOCATION_DEVICE, size, 0, &memory->allocation);
    if (*error) {
        free(memory);
        return NULL;
    }
    memory->references = 1;
    memory->device = device;
    memory->size = size;
    memory->address = (CUdeviceptr)memory->allocation->base;
    memory->allocation->graph = memory;
    sim_memory_set_access(driver.memory, memory->allocation->base, SIM_ACCESS_OF(device) | access);
    pthread_mutex_lock(&lock);
    count(&books[device].reserved, &books[device].reserved_high, size, true);
    pthread_mutex_unlock(&lock);
    return memory;
}

void graph_memory_retain(struct graph_memory *memory) {
    pthread_mutex_lock(&lock);
    memory->references++;
    pthread_mutex_unlock(&lock);
}

/* What to destroy: decided under the lock, so only one of two threads that let go destroys; done without it.
 */
struct ending {
    struct allocation *allocation; /* to destroy; this calls graph_memory_forget() */
    struct graph_memory *memory;   /* to free */
};

/* Call with the lock held.  Keeps what the program has not freed. */
static struct ending decide(struct graph_memory *memory) {
    if (memory->references || memory->allocated)
        return (struct ending){NULL, NULL};
    return memory->allocation ? (struct ending){memory->allocation, NULL} : (struct ending){NULL, memory};
}

static void finish(struct ending ending) {
    if (ending.allocation)
        allocation_destroy(ending.allocation);
    free(ending.memory);
}

void graph_memory_release(struct graph_memory *memory) {
    pthread_mutex_lock(&lock);
    memory->references--;
    struct ending ending = decide(memory);
    pthread_mutex_unlock(&lock);
    finish(ending);
}

void graph_memory_forget(struct graph_memory *memory) {
    struct books *own = &books[memory->device];
    pthread_mutex_lock(&lock);
    if (memory->allocated)
        count(&own->used, &own->used_high, memory->size, false);
    count(&own->reserved, &own->reserved_high, memory->size, false);
    memory->allocated = false;
    memory->allocation = NULL;
    struct ending ending = decide(memory);
    pthread_mutex_unlock(&lock);
    finish(ending);
}

CUdeviceptr graph_memory_address(const struct graph_memory *memory) {
    return memory->address;
}

bool graph_memory_is_allocated(struct graph_memory *memory) {
    pthread_mutex_lock(&lock);
    bool allocated = memory->allocated;
    pthread_mutex_unlock(&lock);
    return allocated;
}

/* Call with the lock held. */
static CUresult set_allocated(struct graph_memory *memory, bool allocated) {
    if (!memory->allocation || memory->allocated == allocated)
        return CUDA_ERROR_INVALID_VALUE;
    memory->allocated = allocated;
    count(&books[memory->device].used, &books[memory->device].used_high, memory->size, allocated);
    return CUDA_SUCCESS;
}

CUresult graph_memory_set_allocated(struct graph_memory *memory, bool allocated) {
    pthread_mutex_lock(&lock);
    CUresult error = set_allocated(memory, allocated);
    pthread_mutex_unlock(&lock);
    return error;
}

CUresult graph_memory_free_by_program(struct graph_memory *memory) {
    pthread_mutex_lock(&lock);
    CUresult error = set_allocated(memory, false);
    struct ending ending = error ? (struct ending){NULL, NULL} : decide(memory);
    pthread_mutex_unlock(&lock);
    finish(ending);
    return error;
}

/* ---------------------------------------------------------------- the devices' books */

/* A no-op: unused memory is never kept. */
CUresult cuDeviceGraphMemTrim(CUdevice device) {
    return driver_check_device(device);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
    CUresult error = driver_check_device(device);
    if (error)
        return error;
    const struct books *own = &books[device];
    const uint64_t *const entries[] = {&own->used, &own->used_high, &own->reserved, &own->reserved_high};
    if (!value || (unsigned)attr >= sizeof entries / sizeof *entries)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    *(cuuint64_t *)value = *entries[attr];
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* Only the high-water marks can be set, and only to 0. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void *value) {
    CUresult error = driver_check_device(device);
    if (error)
        return error;
    if (!value || *(cuuint64_t *)value ||
        (attr != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH && attr != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    if (attr == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
        books[device].used_high = books[device].used;
    else
        books[device].reserved_high = books[device].reserved;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}
