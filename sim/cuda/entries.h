/* Every function of cuda.h: the table for cuGetProcAddress, generated at build time. */
#ifndef WIDELOAD_SIM_CUDA_ENTRIES_H
#define WIDELOAD_SIM_CUDA_ENTRIES_H

#include <stddef.h>

/* NVIDIA's own macro: its declarations stay visible when everything else is hidden. */
#ifndef __CUDA_API_PUSH_VISIBILITY_DEFAULT
#define __CUDA_API_PUSH_VISIBILITY_DEFAULT
#endif
#include <cuda.h>

/* For a version of a function that this cuda.h does not declare under its plain name. */
#define ENTRY_EXPORT __attribute__((visibility("default")))

struct entry {
    const char *name; /* as exported: "cuMemAlloc_v2" */
    const char *base; /* as requested: "cuMemAlloc"; NULL for the per-thread-stream names */
    int version;      /* the CUDA version that introduced it, 3020; 0: unknown */
    int suffix;       /* 2 for _v2; 1 without a suffix */
    void *function;
};

extern const struct entry entry_table[];
extern const size_t entry_count;

/* Logs the missing function's name; returns CUDA_ERROR_NOT_SUPPORTED. */
CUresult entry_unsupported(const char *name);

#endif
