/* CUDA's driver and runtime, found through LD_LIBRARY_PATH: NVIDIA's, or the simulator's. */
#ifndef WIDELOAD_TESTS_H200_LIBRARIES_H
#define WIDELOAD_TESTS_H200_LIBRARIES_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

/* Deprecated functions are called too. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void *driver, *runtime;

static inline void *find(void *library, const char *name) {
    void *function = dlsym(library, name);
    if (!function) {
        fprintf(stderr, "%s: not found\n", name);
        exit(1);
    }
    return function;
}

/* The name may be a macro in cuda.h for a later version of the function. */
#define STRING(name)  #name
#define DRIVER(name)  ((__typeof__(name) *)find(driver, STRING(name)))
#define RUNTIME(name) ((__typeof__(name) *)find(runtime, STRING(name)))

/* Opens both and makes the primary context current. */
static inline void open_libraries(void) {
    driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    runtime = driver ? dlopen("libcudart.so.13", RTLD_NOW) : NULL;
    if (!runtime) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    CUcontext primary;
    if (DRIVER(cuInit)(0) || DRIVER(cuDevicePrimaryCtxRetain)(&primary, 0) ||
        DRIVER(cuCtxSetCurrent)(primary)) {
        fprintf(stderr, "there is no device\n");
        exit(1);
    }
}

#endif
