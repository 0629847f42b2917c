/* Prints each call, the name of its error, and the last error if that differs. */
#ifndef TESTS_CUDART_SAY_H
#define TESTS_CUDART_SAY_H

#include <cstdio>
#include <cuda_runtime.h>

static inline void say(const char *what, cudaError_t error) {
    cudaError_t last = cudaGetLastError();
    printf("%s: %s", what, cudaGetErrorName(error));
    if (last != error)
        printf(" (last: %s)", cudaGetErrorName(last));
    printf("\n");
}

#define SAY(call) say(#call, call)
/* Prints the error of a launch itself. */
#define SAY_LAUNCH(what) printf("%s: %s\n", what, cudaGetErrorName(cudaGetLastError()))

#endif
