/* A stub of libcublas.so.13 on the memory of tests/bench/fake.c.  FAKE_CUBLAS spoils it: "wrong" (one
 * element), "refuses" (a status), "no-handle". */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasGetProperty(int which, int *value);
int cublasSgeam_64(void *handle, int op_a, int op_b, int64_t m, int64_t n, const float *alpha, const float *a,
                   int64_t lda, const float *beta, const float *b, int64_t ldb, float *c, int64_t ldc);

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, EXECUTION_FAILED = 13 };

static int known, handles;

static int is(const char *fault) {
    const char *asked = getenv("FAKE_CUBLAS");
    return asked && strcmp(asked, fault) == 0;
}

int cublasCreate_v2(void **handle) {
    if (is("no-handle"))
        return NOT_INITIALIZED;
    handles++;
    *handle = &known;
    return SUCCESS;
}

int cublasDestroy_v2(void *handle) {
    /* An extra destroy crashes, as in the real library. */
    if (handle != &known || handles-- == 0)
        abort();
    return SUCCESS;
}

int cublasSetStream_v2(void *handle, void *stream) {
    (void)stream;
    return handle == &known ? SUCCESS : NOT_INITIALIZED;
}

int cublasGetProperty(int which, int *value) {
    static const int version[] = {13, 1, 2};
    *value = version[which];
    return SUCCESS;
}

#ifndef WITHOUT_GEAM
typedef double _Complex complex;
int cublasDgeam_64(void *handle, int op_a, int op_b, int64_t m, int64_t n, const double *alpha,
                   const double *a, int64_t lda, const double *beta, const double *b, int64_t ldb, double *c,
                   int64_t ldc);
int cublasZgeam_64(void *handle, int op_a, int op_b, int64_t m, int64_t n, const complex *alpha,
                   const complex *a, int64_t lda, const complex *beta, const complex *b, int64_t ldb,
                   complex *c, int64_t ldc);

static int check(const void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t lda, int64_t ldb,
                 int64_t ldc) {
    if (handle != &known)
        return NOT_INITIALIZED;
    if (is("refuses"))
        return EXECUTION_FAILED;
    return op_b != 0 || m < 0 || n < 0 || lda < (op_a ? n : m) || ldb < m || ldc < m ? INVALID_VALUE
                                                                                     : SUCCESS;
}

int cublasDgeam_64(void *handle, int op_a, int op_b, int64_t m, int64_t n, const double *alpha,
                   const double *a, int64_t lda, const double *beta, const double *b, int64_t ldb, double *c,
                   int64_t ldc) {
    int status = check(handle, op_a, op_b, m, n, lda, ldb, ldc);
    for (int64_t i = 0; i < m * n && !status; i++) {
        int64_t col = i / m, row = i % m;
        double value = *alpha * a[op_a ? row * lda + col : col * lda + row];
        c[col * ldc + row] = *beta != 0 ? value + *beta * b[col * ldb + row] : value;
    }
    return status;
}

int cublasZgeam_64(void *handle, int op_a, int op_b, int64_t m, int64_t n, const complex *alpha,
                   const complex *a, int64_t lda, const complex *beta, const complex *b, int64_t ldb,
                   complex *c, int64_t ldc) {
    int status = check(handle, op_a, op_b, m, n, lda, ldb, ldc);
    for (int64_t i = 0; i < m * n && !status; i++) {
        int64_t col = i / m, row = i % m;
        complex value = *alpha * a[op_a ? row * lda + col : col * lda + row];
        c[col * ldc + row] = *beta != 0 ? value + *beta * b[col * ldb + row] : value;
    }
    return status;
}

int cublasSgeam_64(void *handle, int op_a, int op_b, int64_t m, int64_t n, const float *alpha, const float *a,
                   int64_t lda, const float *beta, const float *b, int64_t ldb, float *c, int64_t ldc) {
    if (handle != &known || is("refuses"))
        return handle != &known ? NOT_INITIALIZED : EXECUTION_FAILED;
    if (op_b != 0 || m < 0 || n < 0 || lda < (op_a ? n : m) || ldb < m || ldc < m || (b == c && ldb != ldc))
        return INVALID_VALUE;
    for (int64_t col = 0; col < n; col++)
        for (int64_t row = 0; row < m; row++) {
            float value = *alpha * a[op_a ? row * lda + col : col * lda + row];
            c[col * ldc + row] = *beta != 0 ? value + *beta * b[col * ldb + row] : value;
        }
    if (is("wrong"))
        c[1] = -c[1];
    return SUCCESS;
}
#endif
