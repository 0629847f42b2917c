/* Finds functions by name, and reports unsupported ones. */
#include <string.h>

#include "sim/cuda/context/profiler.h"
#include "sim/cuda/driver.h"
#include "sim/cuda/extension.h"

CUresult entry_unsupported(const char *name) {
    log_note("%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* A documented name gives the newest variant that CUDA version `version` had.  An exported name, such as
 * "cuMemAlloc_v2", gives exactly that function. */
static void *find(const char *name, int version, CUdriverProcAddressQueryResult *status) {
    const struct entry *best = NULL;
    bool known = false;
    for (size_t i = 0; i < entry_count; i++) {
        const struct entry *entry = &entry_table[i];
        if (!entry->base || strcmp(entry->base, name) != 0)
            continue;
        known = true;
        if (entry->version <= version && (!best || entry->suffix > best->suffix))
            best = entry;
    }
    for (size_t i = 0; !known && i < entry_count; i++)
        if (strcmp(entry_table[i].name, name) == 0) {
            *status = CU_GET_PROC_ADDRESS_SUCCESS;
            return entry_table[i].function;
        }
    void *function = best ? best->function : NULL;
    if (!known) {
        function = extension_find(name);
        if (!function)
            function = profiler_find(name);
    }
    *status = function ? CU_GET_PROC_ADDRESS_SUCCESS
              : known  ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return function;
}

/* The per-thread default stream behaves like the legacy one here, so the flags have no effect. */
static CUresult get(const char *symbol, void **pfn, int version, cuuint64_t flags,
                    CUdriverProcAddressQueryResult *status) {
    cuuint64_t all = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !pfn || flags & ~all)
        return CUDA_ERROR_INVALID_VALUE;
    CUdriverProcAddressQueryResult result;
    *pfn = find(symbol, version, &result);
    if (status) {
        *status = result;
        return CUDA_SUCCESS;
    }
    return *pfn ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* Works before cuInit, as in CUDA: programs use it to find cuInit. */
#undef cuGetProcAddress
ENTRY_EXPORT CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags);
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
    return get(symbol, pfn, cudaVersion, flags, NULL);
}

ENTRY_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                          CUdriverProcAddressQueryResult *symbolStatus);
CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus) {
    return get(symbol, pfn, cudaVersion, flags, symbolStatus);
}
