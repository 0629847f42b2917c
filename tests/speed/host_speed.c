/* How fast the host device is, beside memcpy() of as many bytes with as many threads: one line per case, with
 * the best times of both, which are measured in turns.
 *
 * usage: host_speed [SAMPLES [p | a | INDEX]]: p only permutations, a only sums, INDEX one shape
 *
 * tests/speed/host_numpy.py reads the lines and adds NumPy's times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "wideload.h"

static const struct shape {
    unsigned width, rank;
    uint64_t sizes[WL_RANK_MAX];
    unsigned order[WL_RANK_MAX];
} shapes[] = {
    /* Matrices: sides of a power of two, odd ones, and flat ones. */
    {1, 2, {8192, 16384}, {1, 0}},
    {1, 2, {11587, 11583}, {1, 0}},
    {1, 2, {1000, 134217}, {1, 0}},
    {2, 2, {8192, 8192}, {1, 0}},
    {2, 2, {8191, 8193}, {1, 0}},
    {2, 2, {67108, 1000}, {1, 0}},
    {4, 2, {4096, 8192}, {1, 0}},
    {4, 2, {5793, 5791}, {1, 0}},
    {4, 2, {1000, 33554}, {1, 0}},
    {8, 2, {4096, 4096}, {1, 0}},
    {8, 2, {4095, 4097}, {1, 0}},
    {8, 2, {16777, 1000}, {1, 0}},
    {16, 2, {2048, 4096}, {1, 0}},
    {16, 2, {2897, 2895}, {1, 0}},
    {16, 2, {1000, 8388}, {1, 0}},
    /* Images, batches, attention heads, volumes. */
    {1, 4, {16, 1024, 2048, 3}, {0, 3, 1, 2}},
    {1, 4, {16, 3, 1024, 2048}, {0, 2, 3, 1}},
    {4, 4, {16, 3, 512, 1365}, {0, 2, 3, 1}},
    {4, 4, {16, 512, 1365, 3}, {0, 3, 1, 2}},
    {4, 4, {32, 64, 128, 128}, {0, 2, 3, 1}},
    {4, 4, {32, 128, 128, 64}, {0, 3, 1, 2}},
    {2, 4, {32, 256, 90, 91}, {0, 2, 3, 1}},
    {2, 4, {8, 2048, 64, 64}, {0, 2, 1, 3}},
    {4, 4, {8, 2048, 32, 64}, {0, 2, 1, 3}},
    {4, 3, {320, 321, 322}, {2, 1, 0}},
    {8, 3, {256, 256, 256}, {2, 1, 0}},
    {4, 3, {320, 321, 322}, {1, 2, 0}},
    {4, 3, {320, 321, 322}, {2, 0, 1}},
    {1, 3, {500, 510, 520}, {2, 1, 0}},
    {16, 3, {200, 210, 199}, {0, 2, 1}},
    {4, 5, {32, 32, 32, 32, 32}, {4, 3, 2, 1, 0}},
    {2, 6, {20, 20, 20, 20, 20, 20}, {3, 0, 4, 1, 5, 2}},
    {8, 4, {64, 63, 65, 64}, {3, 1, 2, 0}},
    {4, 3, {1000000, 6, 6}, {0, 2, 1}},
    {8, 5, {7, 50, 11, 40, 109}, {2, 4, 0, 3, 1}},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static unsigned threads;
static unsigned char *a, *b, *c;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* memcpy() by the library's threads: those of OpenMP go on for some time after a region, and others beside
 * them would have to share processors. */
static double time_copy(size_t bytes) {
    const double begin = now();
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(static, 1)
#endif
    for (unsigned i = 0; i < threads; i++) {
        const size_t first = bytes / threads * i, end = i + 1 == threads ? bytes : bytes / threads * (i + 1);
        memcpy(b + first, a + first, end - first);
    }
    return now() - begin;
}

static void need(wl_error error) {
    if (error) {
        fprintf(stderr, "host_speed: %s\n", wl_message());
        exit(1);
    }
}

static double least(double x, double y) {
    return y < x ? y : x;
}

static void print(const char *what, double bytes, double copy, double taken) {
    printf("%-44s %7.2f GB/s  memcpy %7.2f GB/s  ratio %5.2f  %.6f s\n", what, bytes / taken * 1e-9,
           bytes / copy * 1e-9, copy / taken, taken);
    fflush(stdout);
}

static void measure_shape(wl_context *context, const struct shape *shape, unsigned samples) {
    char what[160];
    uint64_t bytes = shape->width;
    int used = snprintf(what, sizeof(what), "permute %u ", shape->width);
    for (unsigned d = 0; d < shape->rank; d++) {
        bytes *= shape->sizes[d];
        used +=
            snprintf(what + used, sizeof(what) - (size_t)used, "%s%" PRIu64, d ? "x" : "", shape->sizes[d]);
    }
    for (unsigned d = 0; d < shape->rank; d++)
        used += snprintf(what + used, sizeof(what) - (size_t)used, "%s%u", d ? "," : " ", shape->order[d]);
    double copy = 1e9, taken = 1e9;
    for (unsigned i = 0; i < samples; i++) {
        copy = least(copy, time_copy(bytes));
        const double begin = now();
        need(wl_permute(context, shape->width, (uintptr_t)b, (uintptr_t)a, shape->rank, shape->sizes,
                        shape->order, NULL));
        taken = least(taken, now() - begin);
    }
    print(what, 2 * (double)bytes, copy, taken);
}

static void measure_add(wl_context *context, wl_type type, const char *name, unsigned element, uint64_t bytes,
                        unsigned samples) {
    char what[64];
    double copy = 1e9, taken = 1e9;
    for (unsigned i = 0; i < samples; i++) {
        copy = least(copy, time_copy(bytes));
        const double begin = now();
        need(wl_add(context, type, (uintptr_t)c, (uintptr_t)a, (uintptr_t)b, bytes / element, NULL));
        taken = least(taken, now() - begin);
    }
    snprintf(what, sizeof(what), "add %s %" PRIu64, name, bytes / element);
    print(what, 3 * (double)bytes, copy * 1.5, taken);
}

static unsigned char *allocate(uint64_t bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, 2 << 20, bytes) != 0)
        exit(1);
    (void)madvise(memory, bytes, MADV_HUGEPAGE); /* as NumPy does */
    memset(memory, 1, bytes);
    return memory;
}

int main(int count, char **words) {
    const unsigned samples = count > 1 ? (unsigned)atoi(words[1]) : 7;
    const char *only = count > 2 ? words[2] : "";
    const uint64_t bytes = (uint64_t)160 << 20;
    wl_context *context;
    wl_device_info info;
    need(wl_open(&context, "host"));
    need(wl_get_device_info(context, &info));
    threads = (unsigned)info.multiprocessors;
    a = allocate(bytes);
    b = allocate(bytes);
    c = allocate(bytes);
    printf("%s, %s, %u threads\n", info.name, info.arch, threads);
    for (unsigned i = 0; i < SHAPES; i++)
        if (strchr("p", *only) || (*only >= '0' && *only <= '9' && (unsigned)atoi(only) == i))
            measure_shape(context, &shapes[i], samples);
    if (strchr("a", *only)) {
#define ADD(name, code, element)                                                                             \
    measure_add(context, WL_TYPE_##name, #name, element, (uint64_t)128 << 20, samples);
        WL_TYPE_MAP(ADD)
    }
    wl_close(context);
    free(a);
    free(b);
    free(c);
    return 0;
}
