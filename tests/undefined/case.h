/* A case: one launch whose behaviour CUDA leaves undefined.  undefined.cu runs it in its own process. */
#ifndef WIDELOAD_TESTS_UNDEFINED_CASE_H
#define WIDELOAD_TESTS_UNDEFINED_CASE_H

enum { WORDS = 256 }; /* words of the result */

enum memory_kind { NONE, DEVICE, FREED, MANAGED, PINNED, POOL, VARIABLE, CONSTANT };

/* o: WORDS words, each 0xeeeeeeee; p: the case's memory, whose bytes are 0x11; a, b: the case's numbers. */
typedef void kernel_fn(unsigned *o, char *p, long a, long b);

struct test_case {
    const char *name;
    kernel_fn *kernel;
    unsigned blocks, threads, shared;
    long a, b;
    enum memory_kind memory;
    unsigned long bytes;
};

#define KERNEL(name) static __global__ void name(unsigned *o, char *p, long a, long b)
#define PAIR_KERNEL(name)                                                                                    \
    static __global__ __cluster_dims__(2, 1, 1) void name(unsigned *o, char *p, long a, long b)
#define T threadIdx.x

#endif
