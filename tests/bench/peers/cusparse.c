/* A stub of libcusparse.so.12: csr2csc by counting, in a work area of the size that it reports. */
#include <stddef.h>
#include <string.h>

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseSetStream(void *handle, void *stream);
int cusparseGetProperty(int which, int *value);
int cusparseCsr2cscEx2_bufferSize(void *handle, int m, int n, int nnz, const void *values, const int *starts,
                                  const int *columns, void *out_values, int *out_starts, int *out_rows,
                                  int type, int action, int base, int algorithm, size_t *bytes);
int cusparseCsr2cscEx2(void *handle, int m, int n, int nnz, const void *values, const int *starts,
                       const int *columns, void *out_values, int *out_starts, int *out_rows, int type,
                       int action, int base, int algorithm, void *work);

enum { SUCCESS = 0, INVALID_VALUE = 3 };

static int known;

int cusparseCreate(void **handle) {
    *handle = &known;
    return SUCCESS;
}

int cusparseDestroy(void *handle) {
    return handle == &known ? SUCCESS : INVALID_VALUE;
}

int cusparseSetStream(void *handle, void *stream) {
    (void)stream;
    return handle == &known ? SUCCESS : INVALID_VALUE;
}

int cusparseGetProperty(int which, int *value) {
    static const int version[] = {12, 6, 3};
    *value = version[which];
    return SUCCESS;
}

static int suits(int m, int n, int nnz, const void *pointer, int type, int action, int base, int algorithm) {
    return m > 0 && n > 0 && nnz > 0 && pointer && type == 0 && action == 1 && base == 0 && algorithm == 1;
}

int cusparseCsr2cscEx2_bufferSize(void *handle, int m, int n, int nnz, const void *values, const int *starts,
                                  const int *columns, void *out_values, int *out_starts, int *out_rows,
                                  int type, int action, int base, int algorithm, size_t *bytes) {
    if (handle != &known || !suits(m, n, nnz, values, type, action, base, algorithm) || !starts || !columns ||
        !out_values || !out_starts || !out_rows)
        return INVALID_VALUE;
    *bytes = 4 * (size_t)n;
    return SUCCESS;
}

int cusparseCsr2cscEx2(void *handle, int m, int n, int nnz, const void *values, const int *starts,
                       const int *columns, void *out_values, int *out_starts, int *out_rows, int type,
                       int action, int base, int algorithm, void *work) {
    int *next = work;
    if (handle != &known || !suits(m, n, nnz, work, type, action, base, algorithm))
        return INVALID_VALUE;
    memset(out_starts, 0, 4 * ((size_t)n + 1));
    for (int e = 0; e < nnz; e++)
        out_starts[columns[e] + 1]++;
    for (int c = 0; c < n; c++) {
        out_starts[c + 1] += out_starts[c];
        next[c] = out_starts[c];
    }
    for (int r = 0; r < m; r++)
        for (int e = starts[r]; e < starts[r + 1]; e++) {
            int at = next[columns[e]]++;
            out_rows[at] = r;
            memcpy((char *)out_values + 4 * (size_t)at, (const char *)values + 4 * (size_t)e, 4);
        }
    return SUCCESS;
}
