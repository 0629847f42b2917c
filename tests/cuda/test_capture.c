/* Stream capture: how work in capturing streams is recorded, and what a capture forbids. */
#include <pthread.h>

#include "tests/cuda/graphs.h"

static CUstream blocking, first, second;

static int setup(void **state) {
    if (graphs_setup(state))
        return -1;
    CUresult error = api.cuStreamCreate(&blocking, CU_STREAM_DEFAULT);
    if (!error)
        error = api.cuStreamCreate(&first, CU_STREAM_NON_BLOCKING);
    if (!error)
        error = api.cuStreamCreate(&second, CU_STREAM_NON_BLOCKING);
    return error ? -1 : 0;
}

static void clear(void) {
    assert_ok(api.cuMemsetD32(word, 0, 4));
}

static CUresult store(CUstream stream, unsigned index, int value) {
    CUdeviceptr to = word + 4 * index;
    void *arguments[] = {&to, &value};
    return api.cuLaunchKernel(store_at, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

static void begin(CUstream stream, CUstreamCaptureMode mode) {
    assert_ok(api.cuStreamBeginCapture(stream, mode));
}

static CUgraph end(CUstream stream) {
    CUgraph graph = NULL;
    assert_ok(api.cuStreamEndCapture(stream, &graph));
    assert_non_null(graph);
    return graph;
}

/* The capture is invalid: it gives no graph, and its stream is usable again. */
static void end_invalid(CUstream stream) {
    CUgraph graph = (CUgraph)&graph;
    CUstreamCaptureStatus status;
    assert_ok(api.cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_int_equal(store(stream, 0, 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_int_equal(api.cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_null(graph);
    assert_ok(api.cuStreamIsCapturing(stream, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    assert_ok(api.cuStreamSynchronize(stream));
}

static void launch_and_destroy(CUgraph graph) {
    CUgraphExec exec;
    assert_ok(api.cuGraphInstantiateWithFlags(&exec, graph, 0));
    assert_ok(api.cuGraphLaunch(exec, first));
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
}

/* Everything that can be enqueued on a stream is recorded, with its parameters. */
static void records(void **state) {
    (void)state;
    int calls = 0, host[4] = {9, 9, 9, 9}, source = 4;
    CUdeviceptr memory;
    CUstreamCaptureStatus status;
    struct wl_counters before, after;
    clear();
    api.get_counters(&before);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuStreamIsCapturing(first, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_ok(store(first, 0, 1));
    assert_ok(api.cuMemsetD32Async(word + 4, 2, 1, first));
    assert_ok(api.cuMemcpyHtoDAsync(word + 8, &source, 4, first));
    assert_ok(api.cuMemAllocAsync(&memory, 64, first));
    assert_ok(api.cuMemcpyDtoDAsync(memory, word, 12, first));
    assert_ok(api.cuMemcpyDtoDAsync(word + 12, memory + 8, 4, first));
    assert_ok(api.cuMemFreeAsync(memory, first));
    assert_ok(api.cuLaunchHostFunc(first, add_one, &calls));
    assert_ok(api.cuMemcpyDtoHAsync(host, word, 16, first));
    assert_ok(api.cuMemcpyDtoHAsync(host, word, 0, first)); /* nothing to record */
    assert_ok(api.cuStreamWriteValue32(first, word, 11, 0));
    CUgraph graph = end(first);
    assert_int_equal(count_nodes(graph), 10);
    assert_int_equal(calls, 0);
    assert_int_equal(host[0], 9);
    assert_int_equal(read_word(0), 0);
    api.get_counters(&after);
    assert_int_equal(after.global_store_requests, before.global_store_requests);
    CUgraphExec exec;
    assert_ok(api.cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 1; i <= 2; i++) {
        assert_ok(api.cuGraphLaunch(exec, first));
        assert_int_equal(calls, i);
        assert_memory_equal(host, ((int[]){1, 2, 4, 4}), 16);
        assert_int_equal(read_word(0), 11);
    }
    api.get_counters(&after);
    assert_int_equal(after.global_store_requests, before.global_store_requests + 2);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
}

static void forks(void **state) {
    (void)state;
    CUevent fork, join;
    CUgraphNode nodes[8];
    size_t count = 8;
    assert_ok(api.cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    assert_ok(api.cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    clear();
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(store(first, 0, 1));
    assert_ok(api.cuEventRecord(fork, first));
    assert_ok(api.cuStreamWaitEvent(second, fork, 0));
    assert_ok(api.cuStreamWaitEvent(second, fork, 0));
    assert_ok(store(second, 1, 2));
    assert_ok(store(first, 2, 3));
    assert_ok(api.cuEventRecord(join, second));
    assert_ok(api.cuStreamWaitEvent(first, join, 0));
    assert_ok(store(first, 3, 4));
    CUgraph graph = end(first);
    CUstreamCaptureStatus status;
    assert_ok(api.cuStreamIsCapturing(second, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    assert_ok(api.cuGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 4);
    count = 4;
    assert_ok(api.cuGraphNodeGetDependencies(nodes[3], nodes + 4, NULL, &count));
    assert_int_equal(count, 2);
    launch_and_destroy(graph);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(read_word(i), (int)i + 1);
    /* The events belong to a capture that has ended. */
    assert_int_equal(api.cuEventQuery(join), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamWaitEvent(first, join, 0), CUDA_ERROR_CAPTURED_EVENT);
    assert_ok(api.cuEventRecord(join, first));
    assert_ok(api.cuEventQuery(join));
    assert_ok(api.cuStreamWaitEvent(second, join, 0));
    /* A fork that is not joined. */
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuEventRecord(fork, first));
    assert_ok(api.cuStreamWaitEvent(second, fork, 0));
    assert_ok(store(second, 0, 1));
    assert_int_equal(api.cuStreamEndCapture(first, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    assert_null(graph);
    assert_ok(api.cuStreamIsCapturing(second, &status));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    /* Ended on the wrong stream. */
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuEventRecord(fork, first));
    assert_ok(api.cuStreamWaitEvent(second, fork, 0));
    assert_int_equal(api.cuStreamEndCapture(second, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    end_invalid(first);
    /* Two captures cannot be merged. */
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    begin(second, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuEventRecord(fork, first));
    assert_int_equal(api.cuStreamWaitEvent(second, fork, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    end_invalid(first);
    end_invalid(second);
    /* Nor can a capture wait for an event outside of it. */
    assert_ok(api.cuEventRecord(join, second));
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(api.cuStreamWaitEvent(first, join, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    end_invalid(first);
    /* Unless it is an external event node. */
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuStreamWaitEvent(first, join, CU_EVENT_WAIT_EXTERNAL));
    assert_ok(api.cuEventRecordWithFlags(join, first, CU_EVENT_RECORD_EXTERNAL));
    graph = end(first);
    assert_int_equal(count_nodes(graph), 2);
    launch_and_destroy(graph);
    assert_int_equal(api.cuEventRecordWithFlags(join, first, CU_EVENT_RECORD_EXTERNAL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamWaitEvent(first, join, CU_EVENT_WAIT_EXTERNAL), CUDA_ERROR_INVALID_VALUE);
    /* Querying an event during a capture invalidates it. */
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_ok(api.cuEventRecord(fork, first));
    assert_int_equal(api.cuEventSynchronize(fork), CUDA_ERROR_CAPTURED_EVENT);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuEventRecord(fork, first));
    assert_int_equal(api.cuStreamWaitEvent(NULL, fork, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    assert_int_equal(api.cuStreamWaitEvent(first, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuEventDestroy(fork));
    assert_ok(api.cuEventDestroy(join));
}

static void forbidden(void **state) {
    (void)state;
    CUdeviceptr memory;
    void *host;
    CUgraph graph;
    CUstreamCaptureStatus status;
    int value;
    /* Waiting for a capturing stream, or for its context. */
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(api.cuStreamSynchronize(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(api.cuStreamSynchronize(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(api.cuStreamQuery(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(api.cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(api.cuStreamAddCallback(first, (CUstreamCallback)(void (*)(void))add_one, NULL, 0),
                     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    /* Calls that no graph could repeat. */
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(api.cuMemAlloc(&memory, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    assert_int_equal(api.cuMemAllocHost(&host, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(api.cuMemFree(word), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(api.cuMemcpyDtoH(&value, word, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    /* A relaxed capture, or a relaxed thread, allows them. */
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_ok(api.cuMemAlloc(&memory, 64));
    assert_ok(api.cuMemcpyDtoH(&value, memory, 4));
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    assert_ok(api.cuGraphDestroy(end(first)));
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuThreadExchangeStreamCaptureMode(&mode));
    assert_ok(api.cuMemFree(memory));
    assert_ok(api.cuThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_ok(api.cuGraphDestroy(end(first)));
    mode = 7;
    assert_int_equal(api.cuThreadExchangeStreamCaptureMode(&mode), CUDA_ERROR_INVALID_VALUE);
    /* The legacy stream synchronises with blocking streams. */
    begin(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(api.cuStreamIsCapturing(NULL, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_ok(store(blocking, 0, 1)); /* the query invalidated nothing */
    assert_int_equal(store(NULL, 0, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    end_invalid(blocking);
    begin(blocking, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(api.cuMemcpyDtoH(&value, word, 4), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    end_invalid(blocking);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(store(NULL, 0, 5)); /* not with others */
    assert_ok(store(second, 1, 6));
    assert_ok(api.cuGraphDestroy(end(first)));
    assert_int_equal(read_word(0), 5);
    /* Begin and end. */
    assert_int_equal(api.cuStreamBeginCapture(NULL, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(api.cuStreamBeginCapture(CU_STREAM_LEGACY, 0), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_int_equal(api.cuStreamBeginCapture(first, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamEndCapture(first, &graph), CUDA_ERROR_ILLEGAL_STATE);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_int_equal(api.cuStreamBeginCapture(first, 0), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(api.cuStreamEndCapture(first, NULL), CUDA_ERROR_INVALID_VALUE);
    /* Arguments that a plain call would refuse are refused, and the capture continues. */
    assert_int_equal(api.cuLaunchHostFunc(first, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD32Async(word, 0, 5, first), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemFreeAsync(word, first), CUDA_ERROR_INVALID_VALUE);
    graph = end(first);
    assert_int_equal(count_nodes(graph), 0);
    assert_ok(api.cuGraphDestroy(graph));
}

static void info(void **state) {
    (void)state;
    CUstreamCaptureStatus status;
    cuuint64_t id = 0, again = 0;
    CUgraph graph, ended;
    const CUgraphNode *dependencies;
    const CUgraphEdgeData *data;
    size_t count;
    assert_ok(api.cuStreamGetCaptureInfo(first, &status, &id, NULL, NULL, NULL, NULL));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuStreamGetCaptureInfo(first, &status, &id, &graph, &dependencies, &data, &count));
    assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_true(id != 0);
    assert_int_equal(count, 0);
    assert_ok(store(first, 0, 1));
    assert_ok(api.cuStreamGetCaptureInfo(first, &status, NULL, &graph, &dependencies, NULL, &count));
    assert_int_equal(count, 1);
    assert_int_equal(api.cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuGraphDestroyNode(dependencies[0]), CUDA_ERROR_INVALID_VALUE);
    /* A node that is added explicitly, on which the next one depends. */
    CUgraphNode node, old = dependencies[0];
    assert_ok(api.cuGraphAddEmptyNode(&node, graph, NULL, 0));
    assert_ok(
        api.cuStreamUpdateCaptureDependencies(first, &node, NULL, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    assert_ok(api.cuStreamGetCaptureInfo(first, &status, NULL, NULL, &dependencies, NULL, &count));
    assert_int_equal(count, 2);
    assert_ok(
        api.cuStreamUpdateCaptureDependencies(first, &node, NULL, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    assert_ok(api.cuStreamGetCaptureInfo(first, &status, NULL, NULL, &dependencies, NULL, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(dependencies[0], node);
    assert_int_equal(api.cuStreamUpdateCaptureDependencies(first, &node, NULL, 1, 2),
                     CUDA_ERROR_INVALID_VALUE);
    node = (CUgraphNode)graph;
    assert_int_equal(api.cuStreamUpdateCaptureDependencies(first, &node, NULL, 1, 0),
                     CUDA_ERROR_INVALID_VALUE);
    ended = end(first);
    assert_ptr_equal(ended, graph);
    assert_int_equal(api.cuStreamUpdateCaptureDependencies(first, &old, NULL, 1, 0),
                     CUDA_ERROR_ILLEGAL_STATE);
    /* Captures twice into an existing graph. */
    assert_ok(api.cuStreamBeginCaptureToGraph(first, graph, &old, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_int_equal(api.cuStreamBeginCaptureToGraph(second, graph, NULL, NULL, 0, 0),
                     CUDA_ERROR_ILLEGAL_STATE);
    assert_ok(api.cuStreamGetCaptureInfo(first, &status, &again, NULL, NULL, NULL, NULL));
    assert_true(again > id);
    assert_ok(store(first, 1, 2));
    assert_ptr_equal(end(first), graph);
    assert_int_equal(count_nodes(graph), 3);
    assert_ok(api.cuStreamBeginCaptureToGraph(first, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_int_equal(api.cuStreamSynchronize(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    assert_ok(api.cuGraphDestroy(graph)); /* it belongs to the program */
    assert_int_equal(api.cuStreamGetCaptureInfo(first, NULL, NULL, NULL, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
}

/* The launch of a graph is captured as a child graph. */
static void nested(void **state) {
    (void)state;
    clear();
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(store(first, 0, 21));
    CUgraph inner = end(first);
    CUgraphExec exec;
    assert_ok(api.cuGraphInstantiateWithFlags(&exec, inner, 0));
    begin(second, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuGraphLaunch(exec, second));
    CUgraph outer = end(second);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(inner));
    CUgraphNode node;
    size_t count = 1;
    CUgraphNodeType type;
    assert_ok(api.cuGraphGetNodes(outer, &node, &count));
    assert_ok(api.cuGraphNodeGetType(node, &type));
    assert_int_equal(type, CU_GRAPH_NODE_TYPE_GRAPH);
    assert_int_equal(read_word(0), 0);
    launch_and_destroy(outer);
    assert_int_equal(read_word(0), 21);
}

struct attempt {
    CUresult end, alloc, query;
};

static void *other_thread(void *data) {
    struct attempt *attempt = data;
    CUgraph graph;
    CUdeviceptr memory;
    attempt->alloc = api.cuCtxSetCurrent(api_context);
    attempt->end = api.cuStreamEndCapture(first, &graph);
    attempt->alloc = api.cuMemAlloc(&memory, 64);
    if (!attempt->alloc)
        attempt->alloc = api.cuMemFree(memory);
    return NULL;
}

static struct attempt from_another_thread(void) {
    pthread_t thread;
    struct attempt attempt;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &attempt), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return attempt;
}

static void threads(void **state) {
    (void)state;
    begin(first, CU_STREAM_CAPTURE_MODE_GLOBAL);
    struct attempt attempt = from_another_thread();
    assert_int_equal(attempt.end, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    assert_int_equal(attempt.alloc, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    end_invalid(first);
    begin(first, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    attempt = from_another_thread();
    assert_int_equal(attempt.end, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    assert_ok(attempt.alloc);
    assert_ok(api.cuGraphDestroy(end(first)));
    begin(first, CU_STREAM_CAPTURE_MODE_RELAXED);
    attempt = from_another_thread();
    assert_ok(attempt.end);
    assert_ok(attempt.alloc);
}

/* The thread's own default stream is captured like others; it is a blocking stream. */
static void per_thread(void **state) {
    (void)state;
    clear();
    begin(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_ok(store(CU_STREAM_PER_THREAD, 2, 8));
    CUgraph graph = end(CU_STREAM_PER_THREAD);
    launch_and_destroy(graph);
    assert_int_equal(read_word(2), 8);
    begin(CU_STREAM_PER_THREAD, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_int_equal(store(NULL, 0, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    end_invalid(CU_STREAM_PER_THREAD);
}

/* Streams that are destroyed during a capture. */
static void destroyed(void **state) {
    (void)state;
    CUstream origin, joined;
    CUevent event;
    assert_ok(api.cuEventCreate(&event, 0));
    assert_ok(api.cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING));
    assert_ok(api.cuStreamCreate(&joined, CU_STREAM_NON_BLOCKING));
    begin(origin, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuEventRecord(event, origin));
    assert_ok(api.cuStreamWaitEvent(joined, event, 0));
    assert_ok(store(joined, 0, 1));
    assert_ok(api.cuStreamDestroy(joined));
    end_invalid(origin);
    /* A stream that was joined earlier is no longer needed, as in NVIDIA's sample graphMemoryNodes. */
    clear();
    assert_ok(api.cuStreamCreate(&joined, CU_STREAM_NON_BLOCKING));
    begin(origin, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(api.cuEventRecord(event, origin));
    assert_ok(api.cuStreamWaitEvent(joined, event, 0));
    assert_ok(store(joined, 0, 5));
    assert_ok(api.cuEventRecord(event, joined));
    assert_ok(api.cuStreamWaitEvent(origin, event, 0));
    assert_ok(api.cuStreamDestroy(joined));
    assert_ok(store(origin, 1, 6));
    CUgraph graph = end(origin);
    assert_int_equal(count_nodes(graph), 2);
    launch_and_destroy(graph);
    assert_int_equal(read_word(0), 5);
    assert_int_equal(read_word(1), 6);
    begin(origin, CU_STREAM_CAPTURE_MODE_GLOBAL);
    assert_ok(store(origin, 0, 1));
    assert_ok(api.cuEventRecord(event, origin));
    assert_ok(api.cuStreamDestroy(origin));
    CUdeviceptr memory;
    assert_ok(api.cuMemAlloc(&memory, 64)); /* no capture is active any more */
    assert_ok(api.cuMemFree(memory));
    assert_ok(api.cuEventDestroy(event));
    /* A capture that is never ended is discarded with its context. */
    assert_ok(api.cuStreamCreate(&origin, CU_STREAM_NON_BLOCKING));
    begin(origin, CU_STREAM_CAPTURE_MODE_RELAXED);
    assert_ok(store(origin, 0, 1));
}

/* The library is closed during captures, as when a process ends: to a new graph, and to one of the caller. */
static int closed(void **state) {
    CUstream made, given;
    CUgraph graph;
    CUdeviceptr memory;
    if (api_teardown(state) || api_setup(state) || api.cuMemAlloc(&memory, 64) ||
        api.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING) ||
        api.cuStreamCreate(&given, CU_STREAM_NON_BLOCKING) || api.cuGraphCreate(&graph, 0) ||
        api.cuStreamBeginCapture(made, CU_STREAM_CAPTURE_MODE_RELAXED) ||
        api.cuStreamBeginCaptureToGraph(given, graph, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_RELAXED) ||
        api.cuMemsetD32Async(memory, 1, 16, made) || api.cuMemsetD32Async(memory, 1, 16, given))
        return -1;
    api_close();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records),    cmocka_unit_test(forks),     cmocka_unit_test(forbidden),
        cmocka_unit_test(info),       cmocka_unit_test(nested),    cmocka_unit_test(threads),
        cmocka_unit_test(per_thread), cmocka_unit_test(destroyed),
    };
    return cmocka_run_group_tests(tests, setup, closed);
}
