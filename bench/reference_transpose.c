/* Transposes a matrix, and runs of elements as tiles in shared memory. */
#include "bench/reference.h"

#include <string.h>

#include "bench/parallel.h"

enum { GRAIN_ELEMENTS = 1 << 16, BLOCK = 16 };

struct loop {
    const struct wl_problem *problem;
    const uint32_t *in;
    uint32_t *out;
    uint64_t tile_rows, tile_cols;
};

void bench_reference_transpose_copy(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                    uint32_t *const out[BENCH_OUTPUTS]) {
    uint64_t elements = problem->rows * problem->cols;
    if (elements)
        memcpy(out[0], in[0], 4 * elements);
}

/* Rows [first, last) of the output, in blocks that keep the strided side in cache. */
static void transpose_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    uint64_t rows = loop->problem->rows, cols = loop->problem->cols;
    for (uint64_t c0 = first; c0 < last; c0 += BLOCK)
        for (uint64_t r0 = 0; r0 < rows; r0 += BLOCK)
            for (uint64_t c = c0; c < c0 + BLOCK && c < last; c++)
                for (uint64_t r = r0; r < r0 + BLOCK && r < rows; r++)
                    loop->out[c * rows + r] = loop->in[r * cols + c];
}

void bench_reference_transpose(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                               uint32_t *const out[BENCH_OUTPUTS]) {
    struct loop loop = {.problem = problem, .in = in[0], .out = out[0]};
    uint64_t grain = problem->rows ? GRAIN_ELEMENTS / problem->rows + 1 : GRAIN_ELEMENTS;
    bench_parallel(problem->cols, grain, transpose_range, &loop);
}

void bench_reference_tile_copy(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                               uint32_t *const out[BENCH_OUTPUTS]) {
    bench_reference_copy(problem, in, out);
}

/* Tiles [first, last): each run of tile_rows x tile_cols elements becomes its transpose, row-major. */
static void tile_range(void *argument, uint64_t first, uint64_t last) {
    const struct loop *loop = argument;
    uint64_t rows = loop->tile_rows, cols = loop->tile_cols, n = loop->problem->n;
    for (uint64_t tile = first; tile < last; tile++) {
        uint64_t base = tile * rows * cols;
        for (uint64_t i = 0; i < rows * cols && base + i < n; i++) {
            uint64_t source = base + (i % rows) * cols + i / rows;
            loop->out[base + i] = source < n ? loop->in[source] : 0;
        }
    }
}

static void tiles(const struct wl_problem *problem, const uint32_t *in, uint32_t *out, uint64_t tile_rows,
                  uint64_t tile_cols) {
    struct loop loop = {
        .problem = problem, .in = in, .out = out, .tile_rows = tile_rows, .tile_cols = tile_cols};
    uint64_t area = tile_rows * tile_cols;
    bench_parallel(problem->n / area + (problem->n % area != 0), GRAIN_ELEMENTS / area, tile_range, &loop);
}

void bench_reference_tile_32x32(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    tiles(problem, in[0], out[0], 32, 32);
}

void bench_reference_tile_32x16(const struct wl_problem *problem, const uint32_t *const in[BENCH_INPUTS],
                                uint32_t *const out[BENCH_OUTPUTS]) {
    tiles(problem, in[0], out[0], 16, 32);
}
