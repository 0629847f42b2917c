/* cuBLAS: geam, C = alpha op(A) + beta op(B), transposes and adds.  matmul has no peer here, because cuBLAS
 * has no product of int32 matrices (its integer GEMM multiplies int8). */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/peers/library.h"

typedef struct cublas_handle *cublas_handle;
enum { OP_N = 0, OP_T = 1 };

/* For all types: the function decides the type that alpha, beta and the matrices point to. */
typedef int geam_fn(cublas_handle handle, int op_a, int op_b, int64_t m, int64_t n, const void *alpha,
                    const void *a, int64_t lda, const void *beta, const void *b, int64_t ldb, void *c,
                    int64_t ldc);

/* As cublas_v2.h of CUDA 12 and 13 declares them; 0 is success. */
static struct {
    int (*create)(cublas_handle *handle);
    int (*destroy)(cublas_handle handle);
    int (*set_stream)(cublas_handle handle, wl_stream stream);
    int (*property)(int which, int *value);
    geam_fn *s, *d, *z; /* float, double, complex double */
    cublas_handle handle;
    wl_stream stream; /* the handle's stream, since setting it again may cost more than a launch */
} cublas;

static bool open_library(char version[24], char why[200]) {
    static const char *const files[] = {"libcublas.so.13", "libcublas.so.12", NULL};
    memset(&cublas, 0, sizeof cublas);
    void *library = peer_load(files, why);
    if (!library || !peer_find(library, "cublasCreate_v2", &cublas.create, why) ||
        !peer_find(library, "cublasDestroy_v2", &cublas.destroy, why) ||
        !peer_find(library, "cublasSetStream_v2", &cublas.set_stream, why) ||
        !peer_find(library, "cublasGetProperty", &cublas.property, why) ||
        !peer_find(library, "cublasSgeam_64", &cublas.s, why) ||
        !peer_find(library, "cublasDgeam_64", &cublas.d, why) ||
        !peer_find(library, "cublasZgeam_64", &cublas.z, why))
        return false;
    int status = cublas.create(&cublas.handle);
    if (status) {
        snprintf(why, 200, "cublasCreate gave status %d", status);
        return false;
    }
    peer_version_text(cublas.property, version);
    return true;
}

static void close_library(void) {
    cublas.destroy(cublas.handle);
    cublas.handle = NULL;
}

static const char *applicable(wl_context *context, const struct wl_problem *problem) {
    (void)context;
    (void)problem;
    return peer_absent(&peer_cublas);
}

/* The function for elements of a width, with 1 and 0 of its type. */
struct geam {
    geam_fn *function;
    const char *name;
    union {
        float s;
        double d[2]; /* a complex number: real, imaginary */
    } one, zero;
};

static bool geam_of(uint32_t width, struct geam *out) {
    memset(out, 0, sizeof *out);
    if (width == 4) {
        out->function = cublas.s;
        out->name = "cublasSgeam_64";
        out->one.s = 1;
        return true;
    }
    out->function = width == 8 ? cublas.d : cublas.z;
    out->name = width == 8 ? "cublasDgeam_64" : "cublasZgeam_64";
    out->one.d[0] = 1;
    return width == 8 || width == 16;
}

/* C is m x n, column-major as in BLAS.  b: added to op(a); 0: nothing is added. */
static wl_error geam(wl_context *context, wl_stream stream, uint32_t width, int op_a, int64_t m, int64_t n,
                     wl_devptr a, int64_t lda, wl_devptr b, wl_devptr c) {
    struct geam geam;
    if (!geam_of(width, &geam))
        return WL_ERROR_NOT_APPLICABLE;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (stream != cublas.stream)
        error = peer_check(cublas.set_stream(cublas.handle, stream), "cublasSetStream");
    cublas.stream = stream;
    /* With beta 0 the second matrix is not read, but it must be C itself or have C's shape. */
    if (!error)
        error = peer_check(geam.function(cublas.handle, op_a, OP_N, m, n, &geam.one,
                                         (const void *)(uintptr_t)a, lda, b ? &geam.one : &geam.zero,
                                         (const void *)(uintptr_t)(b ? b : c), m, (void *)(uintptr_t)c, m),
                           geam.name);
    wl__leave(context);
    return error;
}

/* A row-major rows x cols matrix is a column-major cols x rows one. */
static wl_error transpose_any(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->rows == 0 || problem->cols == 0)
        return WL_ERROR_OK;
    return geam(context, stream, problem->width, OP_T, (int64_t)problem->rows, (int64_t)problem->cols,
                problem->in[0], (int64_t)problem->cols, 0, problem->out[0]);
}

static wl_error transpose(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    struct wl_problem floats = *problem;
    floats.width = 4;
    return transpose_any(context, &floats, stream);
}

/* Treats the arrays as nearly square matrices if n has factors of 2: a single column would leave most of a
 * kernel's tile idle. */
static wl_error add_any(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    uint64_t rows = problem->n, cols = 1, width = problem->width;
    if (rows == 0)
        return WL_ERROR_OK;
    while (rows % 2 == 0 && rows / 2 >= 2 * cols) {
        rows /= 2;
        cols *= 2;
    }
    return geam(context, stream, problem->width, OP_N, (int64_t)rows, (int64_t)cols,
                problem->in[0] + width * problem->from_shift, (int64_t)rows, problem->in[1],
                problem->out[0] + width * problem->to_shift);
}

static wl_error add(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    struct wl_problem floats = *problem;
    floats.width = 4;
    return add_any(context, &floats, stream);
}

static const char *transpose_applicable(wl_context *context, const struct wl_problem *problem) {
    if (problem->width < 4)
        return "cuBLAS's geam has no elements of 1 or 2 bytes";
    if (problem->batch > 1)
        return "cuBLAS's geam has no batches";
    return applicable(context, problem);
}

static const char *add_applicable(wl_context *context, const struct wl_problem *problem) {
    if (problem->type != WL_TYPE_F32 && problem->type != WL_TYPE_F64)
        return "cuBLAS's geam adds f32 and f64 alone";
    return applicable(context, problem);
}

static uint64_t transpose_any_bytes(const struct wl_problem *problem) {
    return 2 * wl__bytes_a_side(problem);
}

static uint64_t add_any_bytes(const struct wl_problem *problem) {
    return 3 * wl__bytes_a_side(problem);
}

static uint64_t transpose_bytes(const struct wl_problem *problem) {
    return 8 * problem->rows * problem->cols;
}

static uint64_t add_bytes(const struct wl_problem *problem) {
    return 12 * problem->n;
}

static const struct wl_rung rungs[] = {
    {.experiment = "transpose",
     .name = "cublas-geam",
     .idea = "cuBLAS: cublasSgeam, alpha 1, beta 0",
     .library = "cuBLAS",
     .reference = WL_REF_TRANSPOSE,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * 4 * rows * cols",
     .bytes = transpose_bytes,
     .applicable = applicable,
     .launch = transpose},
    {.experiment = "add",
     .name = "cublas-geam",
     .idea = "cuBLAS: cublasSgeam, alpha 1, beta 1, the arrays as matrices",
     .library = "cuBLAS",
     .reference = WL_REF_ADD,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "3 * 4 * n",
     .bytes = add_bytes,
     .applicable = applicable,
     .launch = add},
    {.experiment = "transpose-any",
     .name = "cublas-geam",
     .idea = "cuBLAS: cublasSgeam, cublasDgeam, cublasZgeam, alpha 1, beta 0",
     .library = "cuBLAS",
     .reference = WL_REF_TRANSPOSE_ANY,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "2 * width * batch * rows * cols",
     .bytes = transpose_any_bytes,
     .applicable = transpose_applicable,
     .launch = transpose_any},
    {.experiment = "add-any",
     .name = "cublas-geam",
     .idea = "cuBLAS: cublasSgeam, cublasDgeam, alpha 1, beta 1, the arrays as matrices",
     .library = "cuBLAS",
     .reference = WL_REF_ADD_TYPE,
     .outputs = 1,
     .fixed_block = true,
     .bytes_formula = "3 * width * n",
     .bytes = add_any_bytes,
     .applicable = add_applicable,
     .launch = add_any},
};

const struct peer_library peer_cublas = {"cuBLAS",     "cublas",     rungs, sizeof rungs / sizeof *rungs,
                                         open_library, close_library};
