/* cuBLAS: geam, C = alpha op(A) + beta op(B), which transposes and adds.  It has no product of int32 matrices
 * (its integer GEMM multiplies int8), so matmul has no peer here. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/peers/library.h"

typedef struct cublas_handle *cublas_handle;
enum { OP_N = 0, OP_T = 1 };

/* As cublas_v2.h of CUDA 12 and 13 declares them; 0 is success. */
static struct {
    int (*create)(cublas_handle *handle);
    int (*destroy)(cublas_handle handle);
    int (*set_stream)(cublas_handle handle, wl_stream stream);
    int (*property)(int which, int *value);
    int (*geam)(cublas_handle handle, int op_a, int op_b, int64_t m, int64_t n, const float *alpha,
                const float *a, int64_t lda, const float *beta, const float *b, int64_t ldb, float *c,
                int64_t ldc);
    cublas_handle handle;
    wl_stream stream; /* that the handle has: setting it anew may cost more than a launch */
} cublas;

static bool open_library(char version[24], char why[200]) {
    static const char *const files[] = {"libcublas.so.13", "libcublas.so.12", NULL};
    memset(&cublas, 0, sizeof cublas);
    void *library = peer_load(files, why);
    if (!library || !peer_find(library, "cublasCreate_v2", &cublas.create, why) ||
        !peer_find(library, "cublasDestroy_v2", &cublas.destroy, why) ||
        !peer_find(library, "cublasSetStream_v2", &cublas.set_stream, why) ||
        !peer_find(library, "cublasGetProperty", &cublas.property, why) ||
        !peer_find(library, "cublasSgeam_64", &cublas.geam, why))
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

/* Column-major m x n, as BLAS counts. */
static wl_error geam(wl_context *context, wl_stream stream, int op_a, int64_t m, int64_t n, wl_devptr a,
                     int64_t lda, float beta, wl_devptr b, wl_devptr c) {
    const float alpha = 1;
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (stream != cublas.stream)
        error = peer_check(cublas.set_stream(cublas.handle, stream), "cublasSetStream");
    cublas.stream = stream;
    if (!error)
        error = peer_check(cublas.geam(cublas.handle, op_a, OP_N, m, n, &alpha, (const float *)(uintptr_t)a,
                                       lda, &beta, (const float *)(uintptr_t)b, m, (float *)(uintptr_t)c, m),
                           "cublasSgeam_64");
    wl__leave(context);
    return error;
}

/* A row-major rows x cols matrix is a column-major cols x rows one.  With beta 0 the second matrix is not
 * read; it has to be C itself then, or of C's shape. */
static wl_error transpose(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    if (problem->rows == 0 || problem->cols == 0)
        return WL_ERROR_OK;
    return geam(context, stream, OP_T, (int64_t)problem->rows, (int64_t)problem->cols, problem->in[0],
                (int64_t)problem->cols, 0, problem->out[0], problem->out[0]);
}

/* The array as a matrix near to square where n allows it: a single column would leave most of a kernel's tile
 * idle. */
static wl_error add(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    uint64_t rows = problem->n, cols = 1;
    if (rows == 0)
        return WL_ERROR_OK;
    while (rows % 2 == 0 && rows / 2 >= 2 * cols) {
        rows /= 2;
        cols *= 2;
    }
    return geam(context, stream, OP_N, (int64_t)rows, (int64_t)cols, problem->in[0], (int64_t)rows, 1,
                problem->in[1], problem->out[0]);
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
};

const struct peer_library peer_cublas = {"cuBLAS",     "cublas",     rungs, sizeof rungs / sizeof *rungs,
                                         open_library, close_library};
