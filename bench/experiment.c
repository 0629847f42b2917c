#include "bench/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ARRAY(n)                                                                                             \
    {                                                                                                        \
        .dimensions = 1, .extent = { n }                                                                     \
    }
#define MATRIX(r, c)                                                                                         \
    {                                                                                                        \
        .dimensions = 2, .extent = { r, c }                                                                  \
    }
#define MATMUL(m, n, k)                                                                                      \
    {                                                                                                        \
        .dimensions = 3, .extent = { m, n, k }                                                               \
    }

static const struct bench_experiment experiments[] = {
    {.name = "copy",
     .question = "How fast can an array be moved at all?",
     .lesson = "wide loads, many in flight",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 20)},
    {.name = "add",
     .question = "Do wider accesses help c = a + b, and which side of the launch should shrink?",
     .lesson = "shrink the grid, not blocks",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 20)},
    {.name = "read-offset",
     .question = "What does a misaligned read cost?",
     .lesson = "one more sector per warp",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 20),
     .has_offset = true},
    {.name = "write-offset",
     .question = "What does a misaligned write cost?",
     .lesson = "two partial sectors per warp",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 20),
     .has_offset = true},
    {.name = "stride",
     .question = "How much of each transfer is used when elements lie apart?",
     .lesson = "from 8 on, 7 of 8 bytes idle",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 20),
     .has_stride = true},
    /* 2^19 structures of two floats are the teaching texts' 2^20 floats. */
    {.name = "layout",
     .question = "Array of structures or structure of arrays?",
     .lesson = "one access per structure",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 19)},
    {.name = "transpose",
     .question = "Which side of a transpose should be strided, or can neither be?",
     .lesson = "a padded shared tile",
     .shape = BENCH_SHAPE_MATRIX,
     .size = MATRIX(1024, 1024)},
    {.name = "shared",
     .question = "What do bank conflicts cost in a shared-memory tile?",
     .lesson = "padded rows: no conflicts",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 20)},
    {.name = "matmul",
     .question = "How much global traffic does a shared-memory tile save an int32 matrix product?",
     .lesson = "8 x 8 outputs per thread",
     .shape = BENCH_SHAPE_MATMUL,
     .size = MATMUL(1600, 1007, 1600)},
    {.name = "csr-transpose",
     .question = "How should the entries of a sparse matrix be reordered?",
     .lesson = "cursors scatter the writes",
     .shape = BENCH_SHAPE_SPARSE,
     .size = MATRIX(65536, 65536)},
    /* The library's own operations. */
    {.name = "copy-any",
     .question = "What does a copy cost when its ends lie at any byte?",
     .lesson = "shift bytes in registers",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 22),
     .has_shift = true,
     .counts_bytes = true},
    {.name = "add-any",
     .question = "Are sums of every type as fast as the memory, wherever the arrays begin?",
     .lesson = "16 bytes at a time, any type",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 20),
     .has_type = true,
     .has_shift = true},
    {.name = "transpose-any",
     .question = "Is a transpose of any width and shape as fast as a copy?",
     .lesson = "a kernel for each shape",
     .shape = BENCH_SHAPE_BATCH,
     .size = MATRIX(1024, 1024),
     .has_width = true},
    {.name = "transpose-inplace",
     .question = "What does a transpose cost that has no second array?",
     .lesson = "swap tiles: no second array",
     .shape = BENCH_SHAPE_MATRIX,
     .size = MATRIX(512, 512),
     .has_width = true},
    {.name = "deinterleave",
     .question = "What does it cost to take structures apart into arrays?",
     .lesson = "load structs, store arrays",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 18),
     .has_width = true,
     .has_fields = true},
    {.name = "interleave",
     .question = "What does it cost to put arrays together into structures?",
     .lesson = "load arrays, store structs",
     .shape = BENCH_SHAPE_ARRAY,
     .size = ARRAY(1 << 18),
     .has_width = true,
     .has_fields = true},
    {.name = "permute",
     .question = "Is every order of an array's dimensions as fast as a copy?",
     .lesson = "merge dimensions, then tile",
     .shape = BENCH_SHAPE_TENSOR,
     .size = MATMUL(96, 80, 128),
     .has_width = true},
    {.name = "redistribute",
     .question = "How should a transpose cross the link between devices?",
     .lesson = "store lines; few SMs wait",
     .shape = BENCH_SHAPE_MATRIX,
     .size = MATRIX(1024, 1024),
     .has_width = true,
     .has_gpus = true},
};

const struct bench_experiment *bench_experiments(size_t *count) {
    *count = sizeof experiments / sizeof *experiments;
    return experiments;
}

const struct bench_experiment *bench_find_experiment(const char *name) {
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        if (strcmp(experiments[i].name, name) == 0)
            return &experiments[i];
    return NULL;
}

const struct bench_numbers *bench_default_offsets(void) {
    static uint64_t items[] = {0, 11, 128};
    static const struct bench_numbers offsets = {items, 3};
    return &offsets;
}

const struct bench_numbers *bench_default_strides(void) {
    static uint64_t items[] = {1, 2, 4, 8, 16, 32};
    static const struct bench_numbers strides = {items, 6};
    return &strides;
}

const struct bench_numbers *bench_default_widths(const struct bench_experiment *experiment) {
    static uint64_t items[] = {1, 2, 4, 8, 16}, word[] = {4};
    static const struct bench_numbers widths = {items, 5}, one = {word, 1};
    return experiment->has_gpus ? &one : &widths;
}

const struct bench_numbers *bench_default_types(void) {
    static uint64_t items[] = {WL_TYPE_I8, WL_TYPE_F16, WL_TYPE_F32, WL_TYPE_F64};
    static const struct bench_numbers types = {items, 4};
    return &types;
}

/* Together: both ends aligned, one of them shifted, both shifted by the same and by different amounts. */
const struct bench_numbers *bench_default_from_shifts(void) {
    static uint64_t items[] = {0, 1};
    static const struct bench_numbers shifts = {items, 2};
    return &shifts;
}

const struct bench_numbers *bench_default_to_shifts(void) {
    static uint64_t items[] = {0, 1, 3};
    static const struct bench_numbers shifts = {items, 3};
    return &shifts;
}

const struct bench_field_choices *bench_default_fields(void) {
    static struct bench_field_choice items[] = {
        {.count = 2},
        {.count = 3},
        {.count = 8},
        {.structure = {"f32x3+f64+i32", 32, 3, {{0, 12}, {16, 8}, {24, 4}}}},
    };
    static const struct bench_field_choices choices = {items, 4};
    return &choices;
}

const struct bench_orders *bench_default_orders(void) {
    static struct bench_order items[] = {{3, {2, 1, 0}}, {3, {1, 0, 2}}, {3, {0, 2, 1}}};
    static const struct bench_orders orders = {items, 3};
    return &orders;
}

const struct bench_matrices *bench_default_matrices(void) {
    static struct bench_matrix items[] = {{.kind = BENCH_MATRIX_UNEVEN}};
    static const struct bench_matrices matrices = {items, 1};
    return &matrices;
}

const char *bench_shape_syntax(enum bench_shape shape) {
    switch (shape) {
    case BENCH_SHAPE_ARRAY:
        return "N";
    case BENCH_SHAPE_MATRIX:
    case BENCH_SHAPE_SPARSE:
        return "N or RxC";
    case BENCH_SHAPE_MATMUL:
        return "N or MxNxK";
    case BENCH_SHAPE_BATCH:
        return "N, RxC or BxRxC";
    case BENCH_SHAPE_TENSOR:
        return "N, N0xN1x... or a name";
    }
    return "N";
}

void bench_unrolls_text(unsigned unrolls, char *out, size_t out_size) {
    size_t at = 0;
    out[0] = 0;
    for (unsigned left = unrolls; left && at < out_size; left &= left - 1)
        at += (size_t)snprintf(out + at, out_size - at, "%s%u", at ? "," : "", left & -left);
}

/* A single extent means a square. */
static uint64_t extent(const struct bench_size *size, unsigned i) {
    return size->extent[size->dimensions == 1 ? 0 : i];
}

static bool fits(const char *experiment, uint64_t a, uint64_t b, struct base_error *error) {
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > BENCH_GREATEST_SIZE)
        return base_usage(error,
                          "--size: %s: %" PRIu64 " x %" PRIu64 " is more than 2^60 elements; give less",
                          experiment, a, b);
    return true;
}

/* The number of extents of a size for the experiment. */
static unsigned dimensions_of(const struct bench_experiment *experiment, const struct wl_problem *problem) {
    switch (experiment->shape) {
    case BENCH_SHAPE_ARRAY:
        return 1;
    case BENCH_SHAPE_MATMUL:
        return 3;
    case BENCH_SHAPE_TENSOR:
        return problem->rank;
    default:
        return 2;
    }
}

static bool set_tensor(const char *name, const struct bench_size *size, struct wl_problem *problem,
                       struct base_error *error) {
    problem->n = 1;
    for (unsigned i = 0; i < problem->rank; i++) {
        problem->sizes[i] = extent(size, i);
        if (!fits(name, problem->n, problem->sizes[i], error))
            return false;
        problem->n *= problem->sizes[i];
    }
    return true;
}

bool bench_set_size(const struct bench_experiment *experiment, const struct bench_size *size,
                    struct wl_problem *problem, struct base_error *error) {
    const char *name = experiment->name;
    unsigned expected = dimensions_of(experiment, problem);
    bool batched = experiment->shape == BENCH_SHAPE_BATCH && size->dimensions == 3;
    if (size->order.rank && experiment->shape != BENCH_SHAPE_TENSOR)
        return base_usage(error, "--size: %s takes no order after @; permute does", name);
    if (size->width && !experiment->has_width)
        return base_usage(error, "--size: %s has no width after /; transpose-any and the like do", name);
    if (experiment->shape == BENCH_SHAPE_TENSOR && size->dimensions != 1 && size->dimensions != expected)
        return base_usage(
            error,
            "--order has %u dimensions and the size has %u: give both the same number, as in 64x32x16@210",
            expected, size->dimensions);
    if (size->dimensions != 1 && size->dimensions != expected && !batched)
        return base_usage(error, "--size: %s takes %s, not %u extents", name,
                          bench_shape_syntax(experiment->shape), size->dimensions);
    uint64_t a = extent(size, 0), b = extent(size, 1), c = extent(size, 2);
    switch (experiment->shape) {
    case BENCH_SHAPE_ARRAY:
        problem->n = a;
        return fits(name, a, 1, error);
    case BENCH_SHAPE_BATCH:
        problem->batch = batched ? a : 1;
        problem->rows = batched ? b : a;
        problem->cols = batched ? c : b;
        problem->n = problem->batch * problem->rows * problem->cols;
        return fits(name, problem->rows, problem->cols, error); /* the parser checked the product of three */
    case BENCH_SHAPE_TENSOR:
        return set_tensor(name, size, problem, error);
    case BENCH_SHAPE_MATRIX:
        problem->rows = a;
        problem->cols = b;
        problem->batch = 1;
        problem->n = a * b;
        return fits(name, a, b, error);
    case BENCH_SHAPE_SPARSE:
        problem->rows = a;
        problem->cols = b;
        if (a >= UINT32_MAX || b >= UINT32_MAX)
            return base_usage(
                error, "--size: %s keeps its indices in 32 bits: give less than 2^32 - 1 rows and columns",
                name);
        return !problem->matrix || bench_matrix_fits(problem->matrix, a, b, error);
    case BENCH_SHAPE_MATMUL:
        problem->m = a;
        problem->n = b;
        problem->k = c;
        return fits(name, a, b, error) && fits(name, b, c, error) && fits(name, a, c, error);
    }
    return true;
}

struct bench_size bench_size_doubled(const struct bench_experiment *experiment, const struct bench_size *size,
                                     unsigned step) {
    struct bench_size doubled = *size;
    for (unsigned i = 0; i < size->dimensions; i++)
        if (experiment->shape != BENCH_SHAPE_TENSOR || i == step % size->dimensions)
            doubled.extent[i] *= 2;
    return doubled;
}

void bench_size_text(const struct bench_experiment *experiment, const struct wl_problem *problem, char *out,
                     size_t out_size) {
    size_t at = 0;
    switch (experiment->shape) {
    case BENCH_SHAPE_ARRAY:
        snprintf(out, out_size, "%" PRIu64, problem->n);
        break;
    case BENCH_SHAPE_BATCH:
        if (problem->batch != 1)
            at = (size_t)snprintf(out, out_size, "%" PRIu64 "x", problem->batch);
        snprintf(out + at, out_size - at, "%" PRIu64 "x%" PRIu64, problem->rows, problem->cols);
        break;
    case BENCH_SHAPE_TENSOR:
        out[0] = '\0';
        for (uint32_t i = 0; i < problem->rank && at < out_size; i++)
            at += (size_t)snprintf(out + at, out_size - at, "%s%" PRIu64, i ? "x" : "", problem->sizes[i]);
        break;
    case BENCH_SHAPE_MATRIX:
    case BENCH_SHAPE_SPARSE:
        snprintf(out, out_size, "%" PRIu64 "x%" PRIu64, problem->rows, problem->cols);
        break;
    case BENCH_SHAPE_MATMUL:
        snprintf(out, out_size, "%" PRIu64 "x%" PRIu64 "x%" PRIu64, problem->m, problem->n, problem->k);
        break;
    }
}
