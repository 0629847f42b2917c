/* copy, add, read-offset, write-offset, stride, layout. */
#include "bench/reference.h"

#include <string.h>

#include "bench/parallel.h"

enum { GRAIN = 1 << 16 };

struct loop {
    const void *a, *b;
    void *out;
    uint64_t stride;
    float increment;
};

static void copy_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    memcpy((uint32_t *)loop->out + first, (const uint32_t *)loop->a + first, 4 * (last - first));
}

static void add_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    const float *restrict a = loop->a, *restrict b = loop->b;
    float *restrict out = loop->out;
    for (uint64_t i = first; i < last; i++)
        out[i] = a[i] + b[i];
}

static void gather_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    const uint32_t *restrict a = loop->a;
    uint32_t *restrict out = loop->out;
    for (uint64_t i = first; i < last; i++)
        out[i] = a[i * loop->stride];
}

static void scatter_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    const uint32_t *restrict a = loop->a;
    uint32_t *restrict out = loop->out;
    for (uint64_t i = first; i < last; i++)
        out[i * loop->stride] = a[i];
}

/* Adds to every second element from a on, which is one field of an array of structures. */
static void increment_field_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    const float *restrict a = loop->a;
    float *restrict out = loop->out;
    for (uint64_t i = first; i < last; i++)
        out[2 * i] = a[2 * i] + loop->increment;
}

static void increment_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    const float *restrict a = loop->a;
    float *restrict out = loop->out;
    for (uint64_t i = first; i < last; i++)
        out[i] = a[i] + loop->increment;
}

void bench_reference_copy(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                          uint32_t *const out[BENCH_OUTPUTS]) {
    struct loop loop = {.a = in[0], .out = out[0]};
    bench_parallel(problem->n, GRAIN, copy_range, &loop);
}

void bench_reference_add(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                         uint32_t *const out[BENCH_OUTPUTS]) {
    struct loop loop = {.a = in[0], .b = in[1], .out = out[0]};
    bench_parallel(problem->n, GRAIN, add_range, &loop);
}

void bench_reference_read_offset(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                 uint32_t *const out[BENCH_OUTPUTS]) {
    if (problem->offset >= problem->n)
        return;
    struct loop loop = {.a = in[0] + problem->offset, .b = in[1] + problem->offset, .out = out[0]};
    bench_parallel(problem->n - problem->offset, GRAIN, add_range, &loop);
}

void bench_reference_write_offset(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                  uint32_t *const out[BENCH_OUTPUTS]) {
    if (problem->offset >= problem->n)
        return;
    struct loop loop = {.a = in[0], .b = in[1], .out = out[0] + problem->offset};
    bench_parallel(problem->n - problem->offset, GRAIN, add_range, &loop);
}

/* The number of i with i * stride < n. */
static uint64_t strided_count(const struct wl_problem *problem) {
    return problem->n / problem->stride + (problem->n % problem->stride != 0);
}

void bench_reference_stride_load(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                 uint32_t *const out[BENCH_OUTPUTS]) {
    struct loop loop = {.a = in[0], .out = out[0], .stride = problem->stride};
    bench_parallel(strided_count(problem), GRAIN, gather_range, &loop);
}

void bench_reference_stride_store(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                  uint32_t *const out[BENCH_OUTPUTS]) {
    struct loop loop = {.a = in[0], .out = out[0], .stride = problem->stride};
    bench_parallel(strided_count(problem), GRAIN, scatter_range, &loop);
}

void bench_reference_layout_aos(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    if (problem->n == 0)
        return;
    struct loop x = {.a = in[0], .out = out[0], .increment = 10.0f};
    struct loop y = {.a = in[0] + 1, .out = out[0] + 1, .increment = 20.0f};
    bench_parallel(problem->n, GRAIN, increment_field_range, &x);
    bench_parallel(problem->n, GRAIN, increment_field_range, &y);
}

void bench_reference_layout_soa(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    struct loop x = {.a = in[1], .out = out[1], .increment = 10.0f};
    struct loop y = {.a = in[2], .out = out[2], .increment = 20.0f};
    bench_parallel(problem->n, GRAIN, increment_range, &x);
    bench_parallel(problem->n, GRAIN, increment_range, &y);
}
