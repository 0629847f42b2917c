/* C = A x B on 32-bit integers, wrapping modulo 2^32.
 *
 * A plain triple loop with its two inner loops exchanged and blocked.  The innermost one runs along rows of B
 * and C, so the compiler vectorises it, and the slice of C stays in the L1 cache. */
#include "bench/reference.h"

#include <string.h>

#include "bench/parallel.h"

enum { SLICE = 512, ROWS = 4 };

struct loop {
    uint64_t n, k;
    const uint32_t *a, *b;
    uint32_t *c;
};

/* Rows [first, last) of C. */
static inline __attribute__((always_inline)) void multiply(const struct loop *loop, uint64_t first,
                                                           uint64_t last) {
    uint64_t n = loop->n, k = loop->k;
    uint32_t sum[ROWS][SLICE];
    for (uint64_t i0 = first; i0 < last; i0 += ROWS) {
        uint64_t height = last - i0 < ROWS ? last - i0 : ROWS;
        for (uint64_t j0 = 0; j0 < k; j0 += SLICE) {
            uint64_t width = k - j0 < SLICE ? k - j0 : SLICE;
            memset(sum, 0, sizeof sum);
            for (uint64_t p = 0; p < n; p++) {
                const uint32_t *restrict b = loop->b + p * k + j0;
                /* Rows past the end read the last row; their sums are not stored. */
                uint32_t a[ROWS];
                for (uint64_t r = 0; r < ROWS; r++)
                    a[r] = loop->a[(i0 + (r < height ? r : height - 1)) * n + p];
                for (uint64_t j = 0; j < width; j++) {
                    sum[0][j] += a[0] * b[j];
                    sum[1][j] += a[1] * b[j];
                    sum[2][j] += a[2] * b[j];
                    sum[3][j] += a[3] * b[j];
                }
            }
            for (uint64_t r = 0; r < height; r++)
                memcpy(loop->c + (i0 + r) * k + j0, sum[r], 4 * width);
        }
    }
}

static void multiply_plain(void *argument, uint64_t first, uint64_t last) {
    multiply(argument, first, last);
}

#if defined(__x86_64__)
/* Baseline x86-64 has no 32-bit vector multiply. */
__attribute__((target("avx2"))) static void multiply_avx2(void *argument, uint64_t first, uint64_t last) {
    multiply(argument, first, last);
}
#endif

void bench_reference_matmul(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                            uint32_t *const out[BENCH_OUTPUTS]) {
    struct loop loop = {problem->n, problem->k, in[0], in[1], out[0]};
    bench_range_fn *body = multiply_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        body = multiply_avx2;
#endif
    bench_parallel(problem->m, 8, body, &loop);
}
