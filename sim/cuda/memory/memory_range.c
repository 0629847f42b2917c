/* Advice about managed memory, and prefetching.  Managed memory has one place here, so neither moves
 * anything; both are stored per page for queries. */
#include <stdlib.h>

#include "sim/cuda/graph/capture.h"
#include "sim/cuda/limits.h"
#include "sim/cuda/memory/memory.h"

enum { PAGE = 4096 };

/* A place; from DEVICE on, the devices.  The first means "never set", a page's initial state. */
enum place { NOWHERE, HOST, DEVICE };

struct page_advice {
    unsigned char read_mostly, preferred, prefetched; /* the last two: enum place */
    unsigned char accessed_by_host;
    uint16_t accessed_by; /* bits of devices */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult find(CUdeviceptr address, size_t count, struct sim_allocation *out) {
    if (!count || !sim_memory_find(driver.memory, address, count, out) || out->kind != SIM_MEMORY_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* The pages that a range touches; false if out of memory, or for a module's variable, which stores none. */
static bool pages(const struct sim_allocation *range, CUdeviceptr address, size_t count, bool create,
                  struct page_advice **first, struct page_advice **end) {
    struct allocation *allocation = range->user;
    if (!allocation)
        return false;
    if (!allocation->advice && create)
        allocation->advice = calloc(allocation->size / PAGE + 1, sizeof *allocation->advice);
    if (!allocation->advice)
        return false;
    *first = allocation->advice + (address - range->base) / PAGE;
    *end = allocation->advice + (address - range->base + count - 1) / PAGE + 1;
    return true;
}

static unsigned device_bit(enum place place) {
    return place < DEVICE ? 0 : 1u << (place - DEVICE);
}

/* place: used by the kinds of advice that name one. */
static CUresult advise(CUdeviceptr address, size_t count, CUmem_advise advice, enum place place) {
    CUcontext context;
    struct sim_allocation range;
    struct page_advice *page, *end;
    CUresult error = context_enter(&context);
    if (!error)
        error = find(address, count, &range);
    if (error)
        return error;
    if ((unsigned)advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
        (unsigned)advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    bool kept = pages(&range, address, count, true, &page, &end);
    for (; kept && page < end; page++) {
        bool set = advice % 2; /* an odd number sets what the next even number unsets */
        if (advice <= CU_MEM_ADVISE_UNSET_READ_MOSTLY)
            page->read_mostly = set;
        else if (advice <= CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
            page->preferred = (unsigned char)(set ? place : NOWHERE);
        else if (place == HOST)
            page->accessed_by_host = set;
        else
            page->accessed_by = (uint16_t)(set ? page->accessed_by | device_bit(place)
                                               : page->accessed_by & ~device_bit(place));
    }
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

static CUresult prefetch(CUdeviceptr address, size_t count, enum place place, CUstream stream) {
    CUcontext context;
    struct sim_allocation range;
    struct page_advice *page, *end;
    CUresult error = stream_enter_uncaptured(stream, &context);
    if (!error)
        error = find(address, count, &range);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    bool kept = pages(&range, address, count, true, &page, &end);
    for (; kept && page < end; page++)
        page->prefetched = (unsigned char)place;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* If there is no such device, *out is some place. */
static CUresult place_of_device(CUdevice device, enum place *out) {
    const bool known = driver_has(device);
    *out = known ? (enum place)(DEVICE + device) : HOST;
    return known || device == CU_DEVICE_CPU ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* Advice that needs no place may come with any. */
static bool names_place(CUmem_advise advice) {
    return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
           advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

#undef cuMemAdvise
#undef cuMemPrefetchAsync
ENTRY_EXPORT CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device);
CUresult cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device) {
    enum place place;
    CUresult error = place_of_device(device, &place);
    return error && names_place(advice) ? error : advise(devPtr, count, advice, place);
}

ENTRY_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice,
                                         CUstream hStream);
CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
    enum place place;
    CUresult error = place_of_device(dstDevice, &place);
    return error ? error : prefetch(devPtr, count, place, hStream);
}

#if CUDA_VERSION >= 12020
static CUresult place_of_location(CUmemLocation location, enum place *out) {
    *out = HOST;
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
        if (!driver_has(location.id))
            return CUDA_ERROR_INVALID_DEVICE;
        *out = (enum place)(DEVICE + location.id);
        return CUDA_SUCCESS;
    }
    return location.type == CU_MEM_LOCATION_TYPE_HOST || location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
                   location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

ENTRY_EXPORT CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice,
                                     CUmemLocation location);
CUresult cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location) {
    enum place place;
    CUresult error = place_of_location(location, &place);
    return error && names_place(advice) ? error : advise(devPtr, count, advice, place);
}

ENTRY_EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                            unsigned int flags, CUstream hStream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                               CUstream hStream) {
    enum place place;
    CUresult error = flags ? CUDA_ERROR_INVALID_VALUE : place_of_location(location, &place);
    return error ? error : prefetch(devPtr, count, place, hStream);
}
#endif

/* ---------------------------------------------------------------- asking */

/* What all pages of a range have in common; a place only if all have the same. */
static struct page_advice common(const struct sim_allocation *range, CUdeviceptr address, size_t count) {
    struct page_advice all = {0}, *page, *end;
    pthread_mutex_lock(&lock);
    if (pages(range, address, count, false, &page, &end)) {
        for (all = *page++; page < end; page++) {
            all.read_mostly &= page->read_mostly;
            all.accessed_by &= page->accessed_by;
            all.accessed_by_host &= page->accessed_by_host;
            if (all.preferred != page->preferred)
                all.preferred = NOWHERE;
            if (all.prefetched != page->prefetched)
                all.prefetched = NOWHERE;
        }
    }
    pthread_mutex_unlock(&lock);
    return all;
}

static int as_device(unsigned place) {
    return place >= DEVICE ? (int)(place - DEVICE) : place == HOST ? CU_DEVICE_CPU : CU_DEVICE_INVALID;
}

static int as_location(unsigned place) {
    enum { INVALID = 0, LOCATION_DEVICE = 1, LOCATION_HOST = 2 }; /* values of CUmemLocationType */
    return place >= DEVICE ? LOCATION_DEVICE : place == HOST ? LOCATION_HOST : INVALID;
}

static CUresult get(const struct page_advice *all, int *data, size_t size, CUmem_range_attribute attribute) {
    if (!data || !size || size % 4 || (size != 4 && attribute != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY))
        return CUDA_ERROR_INVALID_VALUE;
    size_t count = 0;
    switch ((int)attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *data = all->read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        *data = as_device(all->preferred);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        for (unsigned d = 0; d < driver.devices && count < size / 4; d++)
            if (all->accessed_by >> d & 1)
                data[count++] = (int)d;
        if (all->accessed_by_host && count < size / 4)
            data[count++] = CU_DEVICE_CPU;
        for (; count < size / 4; count++)
            data[count] = CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        *data = as_device(all->prefetched);
        return CUDA_SUCCESS;
    case 5 /* PREFERRED_LOCATION_TYPE */:
        *data = as_location(all->preferred);
        return CUDA_SUCCESS;
    case 7 /* LAST_PREFETCH_LOCATION_TYPE */:
        *data = as_location(all->prefetched);
        return CUDA_SUCCESS;
    case 6 /* PREFERRED_LOCATION_ID */:
        *data = all->preferred >= DEVICE ? all->preferred - DEVICE : 0;
        return CUDA_SUCCESS;
    case 8 /* LAST_PREFETCH_LOCATION_ID */:
        *data = all->prefetched >= DEVICE ? all->prefetched - DEVICE : 0;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                 size_t numAttributes, CUdeviceptr devPtr, size_t count) {
    CUcontext context;
    struct sim_allocation range;
    CUresult error = context_enter(&context);
    if (!error)
        error = data && dataSizes && attributes && numAttributes ? find(devPtr, count, &range)
                                                                 : CUDA_ERROR_INVALID_VALUE;
    if (error)
        return error;
    struct page_advice all = common(&range, devPtr, count);
    for (size_t i = 0; i < numAttributes && !error; i++)
        error = get(&all, data[i], dataSizes[i], attributes[i]);
    return error;
}

CUresult cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                                CUdeviceptr devPtr, size_t count) {
    return cuMemRangeGetAttributes(&data, &dataSize, &attribute, 1, devPtr, count);
}
