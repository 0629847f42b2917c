#ifndef TESTS_CUDART_LINKED_H
#define TESTS_CUDART_LINKED_H

__device__ int twice(int x);
__device__ int called_back(int x);
cudaError_t launch_second(int *device);

/* Both files have a copy of it. */
template <typename T> __global__ void increment(T *p) {
    *p += 1;
}

#endif
