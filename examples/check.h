// What every example does with an error of CUDA, and with a wrong result.
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error_ = (call);                                                                         \
        if (error_ != cudaSuccess) {                                                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static inline int argument(int argc, char **argv, int i, int otherwise) {
    return argc > i ? atoi(argv[i]) : otherwise;
}

// Says what was computed and whether all of it is right; the program's exit status.
static inline int verdict(const char *what, long wrong) {
    if (wrong)
        printf("%s: %ld elements are wrong\n", what, wrong);
    else
        printf("%s: right\n", what);
    return wrong != 0;
}

#endif
