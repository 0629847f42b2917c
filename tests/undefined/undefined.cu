/* Cases that CUDA leaves undefined: each is a launch in its own process, because a fault spoils the
 * rest.
 *
 *     undefined list     prints the cases' names, one per line
 *     undefined NAME     runs one and prints the errors' names and what the kernel wrote
 *
 * h200.txt next to this file has an H200's results (undefined.py). */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "barriers.cuh"
#include "memory.cuh"
#include "other.cuh"
#include "warps.cuh"

#define ROW(kernel, ...)                                                                                     \
    { #kernel, kernel, __VA_ARGS__ }
#define WARP(kernel, ...)                                                                                    \
    { #kernel, kernel, 1, 32, 0, __VA_ARGS__ }

static const struct test_case cases[] = {
#include "cases.inc"
};
enum { CASES = sizeof cases / sizeof *cases };

static const char *const memory_names[] = {"",       "device", "freed",    "managed",
                                           "pinned", "pool",   "variable", "constant"};

static void name_of(const struct test_case *c, char *text, size_t size) {
    int n = snprintf(text, size, "%s", c->name);
    if (c->blocks != 1 || c->threads != 32)
        n += snprintf(text + n, size - n, " <%u,%u>", c->blocks, c->threads);
    if (c->shared)
        n += snprintf(text + n, size - n, " shared=%u", c->shared);
    if (c->memory)
        n += snprintf(text + n, size - n, " %s=%lu", memory_names[c->memory], c->bytes);
    if (c->a)
        n += snprintf(text + n, size - n, " a=%ld", c->a);
    if (c->b)
        snprintf(text + n, size - n, " b=%ld", c->b);
}

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
    exit(3);
}

static char *memory_of(const struct test_case *c) {
    char *p = NULL;
    switch (c->memory) {
    case NONE:
        break;
    case DEVICE:
        check(cudaMalloc(&p, c->bytes), "cudaMalloc");
        break;
    case FREED:
        check(cudaMalloc(&p, c->bytes), "cudaMalloc");
        check(cudaFree(p), "cudaFree");
        break;
    case MANAGED:
        check(cudaMallocManaged(&p, c->bytes), "cudaMallocManaged");
        break;
    case PINNED:
        check(cudaMallocHost(&p, c->bytes), "cudaMallocHost");
        break;
    case POOL:
        check(cudaMallocAsync(&p, c->bytes, 0), "cudaMallocAsync");
        break;
    case VARIABLE:
        check(cudaGetSymbolAddress((void **)&p, variables), "cudaGetSymbolAddress");
        return p;
    case CONSTANT:
        check(cudaGetSymbolAddress((void **)&p, constants), "cudaGetSymbolAddress");
        return p;
    }
    if (p && c->memory != FREED)
        check(cudaMemset(p, 0x11, c->bytes), "cudaMemset");
    return p;
}

static void print_words(const unsigned *words) {
    for (int i = 0; i < WORDS;) {
        int run = 1;
        while (i + run < WORDS && words[i + run] == words[i])
            run++;
        if (words[i] != 0xeeeeeeeeu) {
            printf(words[i] < 100000 ? " [%d]%u" : " [%d]0x%x", i, words[i]);
            if (run > 1)
                printf("x%d", run);
        }
        i += run;
    }
}

static void run(const struct test_case *c) {
    static unsigned words[WORDS];
    unsigned *o;
    check(cudaMalloc(&o, sizeof words), "cudaMalloc");
    check(cudaMemset(o, 0xee, sizeof words), "cudaMemset");
    char *p = memory_of(c);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    long a = c->a, b = c->b;
    void *arguments[] = {&o, &p, &a, &b};
    cudaError_t launched =
        cudaLaunchKernel((const void *)c->kernel, dim3(c->blocks), dim3(c->threads), arguments, c->shared, 0);
    cudaError_t ran = cudaDeviceSynchronize();
    if (launched != cudaSuccess) {
        printf("refused %s", cudaGetErrorName(launched));
    } else if (ran != cudaSuccess) {
        printf("%s", cudaGetErrorName(ran));
    } else {
        check(cudaMemcpy(words, o, sizeof words, cudaMemcpyDeviceToHost), "cudaMemcpy");
        printf("ok");
        print_words(words);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    char name[200];
    for (int i = 0; i < CASES && argc == 2; i++) {
        name_of(&cases[i], name, sizeof name);
        if (strcmp(argv[1], "list") == 0)
            printf("%s\n", name);
        else if (strcmp(argv[1], name) == 0)
            run(&cases[i]);
        else
            continue;
        if (strcmp(argv[1], "list"))
            return 0;
    }
    return argc == 2 && strcmp(argv[1], "list") == 0 ? 0 : 2;
}
