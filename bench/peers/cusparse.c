/* cuSPARSE: csr2csc.  Its indices are int and ours u32; up to 2^31 - 1 the bits are the same. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/peers/library.h"

typedef struct cusparse_handle *cusparse_handle;
enum { R_32F = 0, ACTION_NUMERIC = 1, BASE_ZERO = 0, ALG_DEFAULT = 1 };

/* As cusparse.h of CUDA 12 and 13 declares them; 0 is success. */
static struct {
    int (*create)(cusparse_handle *handle);
    int (*destroy)(cusparse_handle handle);
    int (*set_stream)(cusparse_handle handle, wl_stream stream);
    int (*property)(int which, int *value);
    int (*work)(cusparse_handle handle, int m, int n, int nnz, const void *values, const int *starts,
                const int *columns, void *out_values, int *out_starts, int *out_rows, int type, int action,
                int base, int algorithm, size_t *bytes);
    int (*convert)(cusparse_handle handle, int m, int n, int nnz, const void *values, const int *starts,
                   const int *columns, void *out_values, int *out_starts, int *out_rows, int type, int action,
                   int base, int algorithm, void *work);
    cusparse_handle handle;
    wl_stream stream;
} cusparse;

static bool open_library(char version[24], char why[200]) {
    static const char *const files[] = {"libcusparse.so.12", "libcusparse.so.13", NULL};
    memset(&cusparse, 0, sizeof cusparse);
    void *library = peer_load(files, why);
    if (!library || !peer_find(library, "cusparseCreate", &cusparse.create, why) ||
        !peer_find(library, "cusparseDestroy", &cusparse.destroy, why) ||
        !peer_find(library, "cusparseSetStream", &cusparse.set_stream, why) ||
        !peer_find(library, "cusparseGetProperty", &cusparse.property, why) ||
        !peer_find(library, "cusparseCsr2cscEx2_bufferSize", &cusparse.work, why) ||
        !peer_find(library, "cusparseCsr2cscEx2", &cusparse.convert, why))
        return false;
    int status = cusparse.create(&cusparse.handle);
    if (status) {
        snprintf(why, 200, "cusparseCreate gave status %d", status);
        return false;
    }
    peer_version_text(cusparse.property, version);
    return true;
}

static void close_library(void) {
    cusparse.destroy(cusparse.handle);
    cusparse.handle = NULL;
}

static const char *applicable(wl_context *context, const struct wl_problem *problem) {
    const char *absent = peer_absent(&peer_cusparse);
    (void)context;
    if (absent)
        return absent;
    if (problem->rows > INT_MAX || problem->cols > INT_MAX || problem->nnz > INT_MAX)
        return "cuSPARSE's csr2csc counts rows, columns and entries in 31 bits";
    return problem->nnz ? NULL : "cuSPARSE's csr2csc takes no matrix without entries";
}

struct arguments {
    int m, n, nnz;
    void *in[3], *out[3];
};

/* The query for the work area comes before the arrays exist.  It refuses null addresses, so they are 256. */
static struct arguments arguments_of(const struct wl_problem *problem) {
    struct arguments a = {(int)problem->rows, (int)problem->cols, (int)problem->nnz, {0}, {0}};
    for (unsigned i = 0; i < 3; i++) {
        a.in[i] = (void *)(uintptr_t)(problem->in[i] ? problem->in[i] : 256);
        a.out[i] = (void *)(uintptr_t)(problem->out[i] ? problem->out[i] : 256);
    }
    return a;
}

static uint64_t work_bytes(wl_context *context, const struct wl_problem *problem) {
    size_t bytes = 0;
    if (!cusparse.handle || applicable(context, problem))
        return 0;
    struct arguments a = arguments_of(problem);
    if (cusparse.work(cusparse.handle, a.m, a.n, a.nnz, a.in[2], a.in[0], a.in[1], a.out[2], a.out[0],
                      a.out[1], R_32F, ACTION_NUMERIC, BASE_ZERO, ALG_DEFAULT, &bytes))
        return 0;
    return bytes;
}

static wl_error convert(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    struct arguments a = arguments_of(problem);
    wl_error error = wl__enter(context);
    if (error)
        return error;
    if (stream != cusparse.stream)
        error = peer_check(cusparse.set_stream(cusparse.handle, stream), "cusparseSetStream");
    cusparse.stream = stream;
    if (!error)
        error = peer_check(cusparse.convert(cusparse.handle, a.m, a.n, a.nnz, a.in[2], a.in[0], a.in[1],
                                            a.out[2], a.out[0], a.out[1], R_32F, ACTION_NUMERIC, BASE_ZERO,
                                            ALG_DEFAULT, (void *)(uintptr_t)problem->work),
                           "cusparseCsr2cscEx2");
    wl__leave(context);
    return error;
}

static uint64_t bytes(const struct wl_problem *problem) {
    return 4 * (problem->rows + problem->cols + 2 + 4 * problem->nnz);
}

static const struct wl_rung rungs[] = {
    {.experiment = "csr-transpose",
     .name = "cusparse-csr2csc",
     .idea = "cuSPARSE: cusparseCsr2cscEx2",
     .library = "cuSPARSE",
     .reference = WL_REF_CSR_TO_CSC,
     .outputs = 7,
     .fixed_block = true,
     .bytes_formula = "4 * ((rows + 1) + (cols + 1) + 4 * nnz)",
     .bytes = bytes,
     .work_bytes = work_bytes,
     .applicable = applicable,
     .launch = convert},
};

const struct peer_library peer_cusparse = {"cuSPARSE",   "cusparse",   rungs, sizeof rungs / sizeof *rungs,
                                           open_library, close_library};
