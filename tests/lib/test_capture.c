/* Calls recorded in CUDA graphs, including the first call of a kind, which loads its kernel.  On the
 * simulator, or the device that WIDELOAD_DEVICE names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calls.h"
#include "cuda_calls.h"
#include "wideload.h"

enum { BYTES = 4096 };

static struct cuda_calls cuda;

static int open_driver(void **state) {
    (void)state;
    cuda = cuda_open();
    return 0;
}

static void need(wl_error error) {
    if (error)
        fail_msg("%s: %s", wl_error_name(error), wl_message());
}

/* In a context without loaded modules, records the first copy and replays it twice on new input. */
static void first_call_in_a_capture(CUstreamCaptureMode mode) {
    wl_context *context;
    CUcontext own;
    CUdevice device;
    CUstream stream;
    CUdeviceptr from, to;
    CUgraph graph;
    CUgraphExec executable;
    unsigned char sent[BYTES], got[BYTES];
    cuda_need(cuda.cuDeviceGet(&device, 0));
    cuda_need(cuda.create_context(&own, 0, device));
    need(wl_open(&context, "current"));
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cuda_need(cuda.cuMemAlloc(&from, BYTES));
    cuda_need(cuda.cuMemAlloc(&to, BYTES));
    cuda_need(cuda.cuMemsetD8(to, 0xa5, BYTES));
    cuda_need(cuda.cuCtxSynchronize());

    cuda_need(cuda.cuStreamBeginCapture(stream, mode));
    need(wl_copy(context, to, from + 1, BYTES - 1, stream));
    need(wl_copy(context, to + BYTES - 1, from, 1, stream));
    CUstreamCaptureMode own_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    cuda_need(cuda.cuThreadExchangeStreamCaptureMode(&own_mode));
    assert_int_equal(own_mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    cuda_need(cuda.cuStreamEndCapture(stream, &graph));
    cuda_need(cuda.cuMemcpyDtoH(got, to, BYTES));
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(got[i], 0xa5);

    cuda_need(cuda.cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < BYTES; i++)
            sent[i] = (unsigned char)(i * 11 + i / 256 + run * 101);
        cuda_need(cuda.cuMemcpyHtoD(from, sent, BYTES));
        cuda_need(cuda.cuCtxSynchronize());
        cuda_need(cuda.cuGraphLaunch(executable, stream));
        cuda_need(cuda.cuStreamSynchronize(stream));
        cuda_need(cuda.cuMemcpyDtoH(got, to, BYTES));
        assert_memory_equal(got, sent + 1, BYTES - 1);
        assert_int_equal(got[BYTES - 1], sent[0]);
    }
    cuda_need(cuda.cuGraphExecDestroy(executable));
    cuda_need(cuda.cuGraphDestroy(graph));
    cuda_need(cuda.cuMemFree(from));
    cuda_need(cuda.cuMemFree(to));
    cuda_need(cuda.cuStreamDestroy(stream));
    wl_close(context);
    cuda_need(cuda.cuCtxDestroy(own));
}

/* ---------------------------------------------------------------- every operation */

enum { CALLS = 24, CALL_BYTES = 32 << 10 };

static void choose_calls(struct call *calls, wl_context *context, const struct operation *operation,
                         uint64_t *end) {
    for (unsigned i = 0; i < CALLS; i++) {
        struct draw draw = draw_from(9, i);
        call_choose(&calls[i], operation, context, &draw, CALL_BYTES);
        *end = call_place(&calls[i], *end);
    }
}

/* In a context without loaded modules, records calls of one operation as one graph and replays it twice on
 * new data. */
static void record_and_replay(const struct operation *operation) {
    static struct call calls[CALLS];
    wl_context *context;
    CUcontext own;
    CUdevice device;
    CUstream stream;
    CUdeviceptr memory;
    CUgraph graph;
    CUgraphExec executable;
    uint64_t end = 0;
    cuda_need(cuda.cuDeviceGet(&device, 0));
    cuda_need(cuda.create_context(&own, 0, device));
    need(wl_open(&context, "current"));
    choose_calls(calls, context, operation, &end);
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cuda_need(cuda.cuMemAlloc(&memory, end));
    unsigned char *host = malloc(end + 8), *got = malloc(end);
    assert_true(host && got);
    cuda_need(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    for (unsigned i = 0; i < CALLS; i++) {
        call_bind(&calls[i], memory, host);
        need(operation->run(context, &calls[i], stream));
    }
    cuda_need(cuda.cuStreamEndCapture(stream, &graph));
    cuda_need(cuda.cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (unsigned run = 0; run < 2; run++) {
        draw_fill(host, end, run);
        cuda_need(cuda.cuMemcpyHtoD(memory, host, end));
        cuda_need(cuda.cuCtxSynchronize());
        cuda_need(cuda.cuGraphLaunch(executable, stream));
        cuda_need(cuda.cuStreamSynchronize(stream));
        cuda_need(cuda.cuMemcpyDtoH(got, memory, end));
        uint64_t start = 0;
        for (unsigned i = 0; i < CALLS; i++) {
            char words[2048], where[512];
            uint64_t next = call_place(&calls[i], start);
            operation->expect(&calls[i]);
            call_describe(&calls[i], words, sizeof(words));
            if (!call_compare(&calls[i], got, host, start, next, where, sizeof(where)))
                fail_msg("%s: replay %u: %s", words, run, where);
            start = next;
        }
    }
    free(host);
    free(got);
    cuda_need(cuda.cuGraphExecDestroy(executable));
    cuda_need(cuda.cuGraphDestroy(graph));
    cuda_need(cuda.cuMemFree(memory));
    cuda_need(cuda.cuStreamDestroy(stream));
    wl_close(context);
    cuda_need(cuda.cuCtxDestroy(own));
}

static void every_operation(void **state) {
    (void)state;
    for (unsigned i = 0; operation_at(i); i++)
        record_and_replay(operation_at(i));
}

/* ---------------------------------------------------------------- sparse matrices */

enum { ROWS = 300, COLS = 5000, ENTRIES = 20000 };

/* A matrix by rows and its entries' rows; `to` is where its transposed matrix goes, and then back. */
struct sparse {
    int32_t pointers[ROWS + 1], indices[ENTRIES], rows[ENTRIES];
    float values[ENTRIES];
    int32_t to_pointers[COLS + 1], to_indices[ENTRIES];
    float to_values[ENTRIES];
    int32_t back_pointers[ROWS + 1], back_indices[ENTRIES], coo_pointers[ROWS + 1], coo_indices[ENTRIES];
    float back_values[ENTRIES], coo_values[ENTRIES];
};

/* Columns ascend in each row, so that a matrix that was transposed twice is the same. */
static void fill_sparse(struct sparse *all, struct draw *draw) {
    memset(all, 0xa5, sizeof *all);
    for (int i = 0; i < ENTRIES; i++) {
        all->rows[i] = (int32_t)((int64_t)i * ROWS / ENTRIES);
        const bool first = i == 0 || all->rows[i] != all->rows[i - 1];
        all->indices[i] =
            (first ? 0 : all->indices[i - 1]) + (int32_t)draw_below(draw, COLS * ROWS / ENTRIES);
        all->values[i] = (float)draw_below(draw, 1000);
    }
    for (int row = 0, i = 0; row <= ROWS; row++) {
        while (i < ENTRIES && all->rows[i] < row)
            i++;
        all->pointers[row] = i;
    }
}

#define AT(member) (memory + offsetof(struct sparse, member))

/* Transposes a matrix, transposes that, and makes rows of its entries. */
static void run_sparse(wl_context *context, CUdeviceptr memory, CUdeviceptr workspace, size_t bytes,
                       CUstream stream) {
    const wl_sparse_shape shape = {ROWS, COLS, ENTRIES, 4, 4}, transposed = {COLS, ROWS, ENTRIES, 4, 4};
    const wl_csr from = {AT(pointers), AT(indices), AT(values)},
                 to = {AT(to_pointers), AT(to_indices), AT(to_values)},
                 back = {AT(back_pointers), AT(back_indices), AT(back_values)},
                 coo = {AT(coo_pointers), AT(coo_indices), AT(coo_values)};
    need(wl_csr_transpose(context, &shape, &to, &from, workspace, bytes, stream));
    need(wl_csr_transpose(context, &transposed, &back, &to, workspace, bytes, stream));
    need(wl_coo_to_csr(context, &shape, &coo, AT(rows), AT(indices), AT(values), workspace, bytes, stream));
}

static void expect_sparse(const struct sparse *got, const struct sparse *sent) {
    const int32_t *const pointers[] = {got->back_pointers, got->coo_pointers}, *const indices[] = {
                                                                                   got->back_indices,
                                                                                   got->coo_indices};
    const float *const values[] = {got->back_values, got->coo_values};
    assert_int_equal(got->to_pointers[COLS], ENTRIES);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(pointers[i], sent->pointers, sizeof sent->pointers);
        assert_memory_equal(indices[i], sent->indices, sizeof sent->indices);
        assert_memory_equal(values[i], sent->values, sizeof sent->values);
    }
}

/* In a context without loaded modules.  A global capture forbids allocations. */
static void sparse_matrices(void **state) {
    (void)state;
    static struct sparse sent, got;
    const wl_sparse_shape shape = {ROWS, COLS, ENTRIES, 4, 4};
    size_t bytes;
    wl_context *context;
    CUcontext own;
    CUdevice device;
    CUstream stream;
    CUdeviceptr memory, workspace;
    CUgraph graph;
    CUgraphExec executable;
    cuda_need(cuda.cuDeviceGet(&device, 0));
    cuda_need(cuda.create_context(&own, 0, device));
    need(wl_open(&context, "current"));
    need(wl_csr_transpose_workspace(context, &shape, &bytes));
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cuda_need(cuda.cuMemAlloc(&memory, sizeof sent));
    cuda_need(cuda.cuMemAlloc(&workspace, bytes));
    cuda_need(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    run_sparse(context, memory, workspace, bytes, stream);
    cuda_need(cuda.cuStreamEndCapture(stream, &graph));
    cuda_need(cuda.cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (unsigned run = 0; run < 2; run++) {
        struct draw draw = draw_from(11, run);
        fill_sparse(&sent, &draw);
        cuda_need(cuda.cuMemcpyHtoD(memory, &sent, sizeof sent));
        cuda_need(cuda.cuCtxSynchronize());
        cuda_need(cuda.cuGraphLaunch(executable, stream));
        cuda_need(cuda.cuStreamSynchronize(stream));
        cuda_need(cuda.cuMemcpyDtoH(&got, memory, sizeof got));
        expect_sparse(&got, &sent);
    }
    cuda_need(cuda.cuGraphExecDestroy(executable));
    cuda_need(cuda.cuGraphDestroy(graph));
    cuda_need(cuda.cuMemFree(memory));
    cuda_need(cuda.cuMemFree(workspace));
    cuda_need(cuda.cuStreamDestroy(stream));
    wl_close(context);
    cuda_need(cuda.cuCtxDestroy(own));
}

/* They return an answer, which a recorded call has not: the graph goes on without them. */
static void checks_are_refused(void **state) {
    (void)state;
    static const wl_sparse_shape shape = {ROWS, COLS, 1, 4, 4};
    wl_context *context;
    CUstream stream;
    wl_devptr memory;
    CUgraph graph;
    size_t nodes = 0;
    need(wl_open(&context, cuda_device_name()));
    need(wl_alloc(context, &memory, 4096));
    CUcontext primary;
    cuda_need(cuda.cuDevicePrimaryCtxRetain(&primary, 0));
    cuda_need(cuda.cuCtxSetCurrent(primary));
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cuda_need(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    const wl_csr matrix = {memory, memory + 2048, 0};
    assert_int_equal(wl_csr_check(context, &shape, &matrix, memory + 4088, stream),
                     WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(),
                        "wl_csr_check: stream captures a graph, which this call cannot be part of: it "
                        "waits for its result");
    assert_int_equal(wl_coo_check(context, &shape, memory, memory, memory + 4088, stream),
                     WL_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(wl_message(), "wl_coo_check: stream captures a graph"));
    need(wl_copy(context, memory, memory + 64, 64, stream));
    cuda_need(cuda.cuStreamEndCapture(stream, &graph));
    cuda_need(cuda.cuGraphGetNodes(graph, NULL, &nodes));
    assert_int_equal(nodes, 1);
    cuda_need(cuda.cuGraphDestroy(graph));
    cuda_need(cuda.cuStreamDestroy(stream));
    cuda_need(cuda.cuCtxSetCurrent(NULL));
    cuda_need(cuda.cuDevicePrimaryCtxRelease(0));
    need(wl_free(context, memory));
    wl_close(context);
}

static void captured_globally(void **state) {
    (void)state;
    first_call_in_a_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
}

static void captured_by_the_thread(void **state) {
    (void)state;
    first_call_in_a_capture(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

static void captured_relaxed(void **state) {
    (void)state;
    first_call_in_a_capture(CU_STREAM_CAPTURE_MODE_RELAXED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_globally), cmocka_unit_test(captured_by_the_thread),
        cmocka_unit_test(captured_relaxed),  cmocka_unit_test(every_operation),
        cmocka_unit_test(sparse_matrices),   cmocka_unit_test(checks_are_refused),
    };
    return cmocka_run_group_tests(tests, open_driver, NULL);
}
