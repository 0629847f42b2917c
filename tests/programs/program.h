/* Shared by the programs: a check of every call, arrays, and helpers that print many numbers. */
#ifndef TESTS_PROGRAMS_PROGRAM_H
#define TESTS_PROGRAMS_PROGRAM_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error_));                 \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* Checks a launch's own error, and the kernel's. */
#define CHECK_KERNEL()                                                                                       \
    do {                                                                                                     \
        CHECK(cudaGetLastError());                                                                           \
        CHECK(cudaDeviceSynchronize());                                                                      \
    } while (0)

/* Device memory, all zero. */
template <typename T> T *device_array(size_t n) {
    T *to;
    CHECK(cudaMalloc(&to, n * sizeof(T)));
    CHECK(cudaMemset(to, 0, n * sizeof(T)));
    return to;
}

template <typename T> T *to_device(const T *from, size_t n) {
    T *to = device_array<T>(n);
    CHECK(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

/* The caller frees the result. */
template <typename T> T *to_host(const T *from, size_t n) {
    T *to = (T *)malloc(n * sizeof(T));
    CHECK(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

template <typename T> T *managed_array(size_t n) {
    T *to;
    CHECK(cudaMallocManaged(&to, n * sizeof(T)));
    memset((void *)to, 0, n * sizeof(T));
    return to;
}

/* Pseudo-random numbers, the same everywhere. */
__host__ __device__ inline unsigned mix(unsigned x) {
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
}

/* A hash that depends on every byte (FNV-1a). */
inline unsigned digest(const void *data, size_t bytes) {
    unsigned hash = 2166136261U;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 16777619U;
    return hash;
}

/* The digest of device memory, and its first and last elements as doubles. */
template <typename T> void print_array(const char *name, const T *device, size_t n) {
    T *host = to_host(device, n);
    printf("%s: %08x, %.9g ... %.9g\n", name, digest(host, n * sizeof(T)), (double)host[0],
           (double)host[n - 1]);
    free(host);
}

#endif
