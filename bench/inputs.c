#include "bench/inputs.h"

#include <string.h>

#include "bench/parallel.h"

enum { GRAIN = 1 << 16 };

uint64_t bench_mix64(uint64_t seed, uint64_t value) {
    uint64_t x = seed * 0x9e3779b97f4a7c15u + value;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A bijection on 32 bits: different indices have different values. */
static uint32_t mix32(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x85ebca6bu;
    x = (x ^ (x >> 13)) * 0xc2b2ae35u;
    return x ^ (x >> 16);
}

/* The same on 24 bits. */
static uint32_t mix24(uint32_t x) {
    const uint32_t mask = 0xffffff;
    x = ((x ^ (x >> 12)) * 0x9e6c63u) & mask;
    x = ((x ^ (x >> 11)) * 0x5a2d4du) & mask;
    return x ^ (x >> 12);
}

struct fill {
    uint64_t key;
    uint32_t *out;
};

static void fill_bits(void *argument, uint64_t first, uint64_t last) {
    const struct fill *fill = argument;
    uint32_t key = (uint32_t)fill->key;
    for (uint64_t i = first; i < last; i++)
        fill->out[i] = mix32((uint32_t)i ^ key);
}

/* Maps the i-th normal float along the bijection's cycle to the next normal one, which is a bijection too. */
static uint32_t normal_at(uint32_t i, uint32_t key) {
    const uint32_t normals = 254u << 23; /* of one sign */
    uint32_t value = (i / normals % 2) << 31 | (i % normals + (1u << 23)), exponent;
    do {
        value = mix32(value ^ key);
        exponent = value >> 23 & 0xff;
    } while (exponent == 0 || exponent == 0xff);
    return value;
}

static void fill_normals(void *argument, uint64_t first, uint64_t last) {
    const struct fill *fill = argument;
    for (uint64_t i = first; i < last; i++)
        fill->out[i] = normal_at((uint32_t)(i % (254u << 24)), (uint32_t)fill->key);
}

static void fill_floats(void *argument, uint64_t first, uint64_t last) {
    const struct fill *fill = argument;
    while (first < last) {
        /* Each window of 2^24 has its own order. */
        uint32_t key = (uint32_t)bench_mix64(fill->key, first >> 24) & 0xffffff;
        uint64_t end = ((first >> 24) + 1) << 24;
        if (end > last)
            end = last;
        for (uint64_t i = first; i < end; i++) {
            float value = (float)(int32_t)(mix24(((uint32_t)i & 0xffffff) ^ key) + 1);
            memcpy(&fill->out[i], &value, sizeof value);
        }
        first = end;
    }
}

/* Any sign and fraction; the exponent is one of eight around that of 1. */
static void fill_f16(void *argument, uint64_t first, uint64_t last) {
    const struct fill *fill = argument;
    for (uint64_t i = first; i < last; i++)
        fill->out[i] = (mix32((uint32_t)i ^ (uint32_t)fill->key) & 0x9fff9fff) + 0x30003000;
}

static void fill_bf16(void *argument, uint64_t first, uint64_t last) {
    const struct fill *fill = argument;
    for (uint64_t i = first; i < last; i++)
        fill->out[i] = (mix32((uint32_t)i ^ (uint32_t)fill->key) & 0x83ff83ff) + 0x3e003e00;
}

/* Odd words are the upper halves. */
static void fill_f64(void *argument, uint64_t first, uint64_t last) {
    const struct fill *fill = argument;
    for (uint64_t i = first; i < last; i++) {
        uint32_t bits = mix32((uint32_t)i ^ (uint32_t)fill->key);
        fill->out[i] = i % 2 ? (bits & 0x807fffff) + 0x3fc00000 : bits;
    }
}

void bench_fill_input(enum bench_kind kind, uint64_t seed, unsigned stream, uint32_t *out,
                      uint64_t elements) {
    struct fill fill = {bench_mix64(seed, stream), out};
    static bench_range_fn *const fillers[] = {
        [BENCH_KIND_BITS] = fill_bits, [BENCH_KIND_FLOAT] = fill_floats, [BENCH_KIND_NORMAL] = fill_normals,
        [BENCH_KIND_F16] = fill_f16,   [BENCH_KIND_BF16] = fill_bf16,    [BENCH_KIND_F64] = fill_f64,
    };
    bench_parallel(elements, GRAIN, fillers[kind], &fill);
}

/* ---------------------------------------------------------------- extents */

#define BITS(count)                                                                                          \
    (struct bench_extent) {                                                                                  \
        .kind = BENCH_KIND_BITS, .elements = (count)                                                         \
    }
#define FLOATS(count)                                                                                        \
    (struct bench_extent) {                                                                                  \
        .kind = BENCH_KIND_FLOAT, .elements = (count)                                                        \
    }
#define NORMALS(count)                                                                                       \
    (struct bench_extent) {                                                                                  \
        .kind = BENCH_KIND_NORMAL, .elements = (count)                                                       \
    }
#define INDICES(count)                                                                                       \
    (struct bench_extent) {                                                                                  \
        .kind = BENCH_KIND_INDEX, .elements = (count)                                                        \
    }

/* Peers move these arrays too, and some compute as they move, so the arrays hold normal floats.  Two normal
 * f32 are a normal f64 too. */
static struct bench_extent moved(uint64_t bytes, uint32_t width) {
    enum bench_kind kind = width == 2 ? BENCH_KIND_F16 : BENCH_KIND_NORMAL;
    return (struct bench_extent){kind, bytes / 4 + (bytes % 4 != 0), width};
}

static struct bench_extent summed(enum wl_type type, uint64_t elements, uint32_t width) {
    uint64_t bytes = elements * width;
    enum bench_kind kind = type == WL_TYPE_F16    ? BENCH_KIND_F16
                           : type == WL_TYPE_BF16 ? BENCH_KIND_BF16
                           : type == WL_TYPE_F32  ? BENCH_KIND_FLOAT
                           : type == WL_TYPE_F64  ? BENCH_KIND_F64
                                                  : BENCH_KIND_BITS;
    return (struct bench_extent){kind, bytes / 4 + (bytes % 4 != 0), width};
}

struct bench_extents bench_extents_of(enum wl_reference reference, const struct wl_problem *problem) {
    struct bench_extents e = {0};
    uint64_t n = problem->n;
    switch (reference) {
    case WL_REF_COPY:
    case WL_REF_STRIDE_LOAD:
    case WL_REF_STRIDE_STORE:
    case WL_REF_TILE_COPY:
    case WL_REF_TILE_32x32:
    case WL_REF_TILE_32x16:
        e.in[0] = e.out[0] = BITS(n);
        break;
    case WL_REF_ADD:
    case WL_REF_READ_OFFSET:
    case WL_REF_WRITE_OFFSET:
        e.in[0] = e.in[1] = e.out[0] = FLOATS(n);
        break;
    case WL_REF_LAYOUT_AOS:
        e.in[0] = e.out[0] = FLOATS(2 * n);
        break;
    case WL_REF_LAYOUT_SOA:
        e.in[1] = e.in[2] = e.out[1] = e.out[2] = FLOATS(n);
        break;
    case WL_REF_TRANSPOSE_COPY:
    case WL_REF_TRANSPOSE:
        e.in[0] = e.out[0] = NORMALS(problem->rows * problem->cols);
        break;
    case WL_REF_MATMUL:
        e.in[0] = BITS(problem->m * n);
        e.in[1] = BITS(n * problem->k);
        e.out[0] = BITS(problem->m * problem->k);
        break;
    case WL_REF_CSR_TO_CSC:
        e.in[0] = INDICES(problem->rows + 1);
        e.in[1] = INDICES(problem->nnz);
        e.in[2] = BITS(problem->nnz);
        e.out[0] = INDICES(problem->cols + 1);
        e.out[1] = INDICES(problem->nnz);
        e.out[2] = BITS(problem->nnz);
        break;
    case WL_REF_COO_TRANSPOSE:
        e.in[1] = INDICES(problem->nnz);
        e.in[2] = BITS(problem->nnz);
        e.in[3] = INDICES(problem->nnz);
        e.out[0] = INDICES(problem->cols + 1);
        e.out[1] = INDICES(problem->nnz);
        e.out[2] = BITS(problem->nnz);
        e.out[3] = INDICES(problem->nnz);
        break;
    case WL_REF_COPY_BYTES:
        e.in[0] = moved(n + problem->from_shift, 1);
        e.out[0] = moved(n + problem->to_shift, 1);
        break;
    case WL_REF_ADD_TYPE:
        e.in[0] = summed(problem->type, n + problem->from_shift, problem->width);
        e.in[1] = summed(problem->type, n, problem->width);
        e.out[0] = summed(problem->type, n + problem->to_shift, problem->width);
        break;
    case WL_REF_TRANSPOSE_ANY:
    case WL_REF_PERMUTE:
    case WL_REF_SAME_BYTES:
    case WL_REF_EXCHANGE:
        e.in[0] = e.out[0] = moved(wl__bytes_a_side(problem), problem->width);
        break;
    case WL_REF_DEINTERLEAVE:
        e.in[0] = moved(n * wl__structure_bytes(problem), problem->width);
        e.out[0] = moved(wl__field_place(problem, wl__field_count(problem)), problem->width);
        break;
    case WL_REF_INTERLEAVE:
        e.in[0] = moved(wl__field_place(problem, wl__field_count(problem)), problem->width);
        e.out[0] = moved(n * wl__structure_bytes(problem), problem->width);
        break;
    }
    return e;
}
