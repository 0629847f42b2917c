/* The API of stream capture: beginning, ending and querying it. */
#include "sim/cuda/graph/capture_state.h"

#include <stdlib.h>
#include <string.h>

static void capture_leave(CUstream stream) {
    free(stream->dependencies);
    stream->dependencies = NULL;
    stream->dependency_count = 0;
    stream->capture = NULL;
    stream->next_of_capture = NULL;
}

static CUresult begin(CUstream stream, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                      CUstreamCaptureMode mode) {
    CUcontext context;
    CUresult error = stream_enter(stream, &context);
    if (error)
        return error;
    if ((unsigned)mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream_is_legacy(stream))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    struct capture *capture = calloc(1, sizeof *capture);
    CUgraph into = graph ? graph : graph_create(false, true);
    pthread_mutex_lock(&capture_state.lock);
    CUstream state = stream_state(stream, true);
    if (!capture || !into || !state)
        error = CUDA_ERROR_OUT_OF_MEMORY;
    else if (state->capture || into->capturing)
        error = CUDA_ERROR_ILLEGAL_STATE;
    else if (!capture_set_dependencies(state, dependencies, count))
        error = CUDA_ERROR_OUT_OF_MEMORY;
    if (!error) {
        *capture = (struct capture){.id = capture_state.next_id++,
                                    .graph = into,
                                    .own_graph = !graph,
                                    .mode = mode,
                                    .thread = capture_thread(),
                                    .origin = state,
                                    .next = capture_state.all};
        into->capturing = true;
        capture_state.all = capture;
        capture_join(capture, state);
        atomic_fetch_add(&capture_state.active, 1);
    }
    pthread_mutex_unlock(&capture_state.lock);
    if (error) {
        free(capture);
        if (into && !graph)
            graph_free(into);
    }
    return error;
}

#undef cuStreamBeginCapture
ENTRY_EXPORT CUresult cuStreamBeginCapture(CUstream hStream);
CUresult cuStreamBeginCapture(CUstream hStream) {
    return begin(hStream, NULL, NULL, 0, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

ENTRY_EXPORT CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode);
CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
    return begin(hStream, NULL, NULL, 0, mode);
}

/* Only ordinary edges are returned; other data would be lost. */
#if CUDA_VERSION >= 12030
static CUresult check_edge_data(const CUgraphEdgeData *data, size_t count) {
    static const CUgraphEdgeData ordinary;
    for (size_t i = 0; data && i < count; i++)
        if (memcmp(&data[i], &ordinary, sizeof ordinary) != 0) {
            log_note("stream capture: edges other than full dependencies are not supported");
            return CUDA_ERROR_NOT_SUPPORTED;
        }
    return CUDA_SUCCESS;
}
#endif

static CUresult check_nodes(CUgraph graph, const CUgraphNode *nodes, size_t count) {
    if (count && !nodes)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!object_is(nodes[i], OBJECT_GRAPH_NODE) || nodes[i]->graph != graph)
            return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

#if CUDA_VERSION >= 12030
CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
    CUresult error = graph_check(hGraph);
    if (!error)
        error = check_nodes(hGraph, dependencies, numDependencies);
    if (!error)
        error = check_edge_data(dependencyData, numDependencies);
    return error ? error : begin(hStream, hGraph, dependencies, numDependencies, mode);
}
#endif

/* Marks a node and all its predecessors. */
static void mark(CUgraphNode node, unsigned char *reached, CUgraphNode *stack) {
    size_t depth = 0;
    if (!reached[node->index])
        stack[depth++] = node;
    reached[node->index] = 1;
    while (depth) {
        node = stack[--depth];
        for (size_t i = 0; i < node->in.count; i++) {
            CUgraphNode from = node->in.items[i].node;
            if (!reached[from->index])
                stack[depth++] = from;
            reached[from->index] = 1;
        }
    }
}

static void mark_stream(CUstream stream, unsigned char *reached, CUgraphNode *stack) {
    for (size_t i = 0; i < stream->dependency_count; i++)
        mark(stream->dependencies[i], reached, stack);
}

/* Whether work has rejoined from the streams that the capture spread to.  leaving: check only that this
 * stream's work was joined into any other; NULL: check that all work was joined into the origin. */
static CUresult check_joined(const struct capture *capture, CUstream leaving) {
    size_t room = capture->graph->count + 1;
    unsigned char *reached = calloc(room, 1);
    CUgraphNode *stack = malloc(room * sizeof *stack);
    CUresult error = reached && stack ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (CUstream s = capture->streams; s && !error; s = s->next_of_capture)
        if (leaving ? s != leaving : s == capture->origin)
            mark_stream(s, reached, stack);
    for (CUstream s = capture->streams; s && !error; s = s->next_of_capture)
        for (size_t i = 0; i < s->dependency_count && (!leaving || s == leaving); i++)
            if (!reached[s->dependencies[i]->index])
                error = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    free(reached);
    free(stack);
    return error;
}

/* Frees the capture and, unless good, its graph. */
static void finish(struct capture *capture, bool good) {
    for (CUstream s = capture->streams, next; s; s = next) {
        next = s->next_of_capture;
        capture_leave(s);
    }
    struct capture **link = &capture_state.all;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture->graph->capturing = false;
    if (!good && capture->own_graph)
        graph_free(capture->graph);
    free(capture);
    atomic_fetch_sub(&capture_state.active, 1);
}

static CUresult end(CUstream stream, CUgraph *out) {
    CUstream state = stream_state(stream, false);
    struct capture *capture = state ? state->capture : NULL;
    if (!capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->origin != state)
        return capture_invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != capture_thread())
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    CUresult error =
        capture->invalidated ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : check_joined(capture, NULL);
    if (!error)
        *out = capture->graph;
    finish(capture, !error);
    return error;
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph) {
    CUcontext context;
    CUresult error = stream_enter(hStream, &context);
    if (error)
        return error;
    if (!phGraph)
        return CUDA_ERROR_INVALID_VALUE;
    *phGraph = NULL;
    pthread_mutex_lock(&capture_state.lock);
    error = end(hStream, phGraph);
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

/* Captured work that no other stream waited for can no longer be joined.  A capture ends with its origin. */
void capture_forget_stream(CUstream stream) {
    pthread_mutex_lock(&capture_state.lock);
    struct capture *capture = stream->capture;
    if (capture && capture->origin == stream) {
        finish(capture, false);
    } else if (capture) {
        if (check_joined(capture, stream))
            capture->invalidated = true;
        CUstream *link = &capture->streams;
        while (*link != stream)
            link = &(*link)->next_of_capture;
        *link = stream->next_of_capture;
        capture_leave(stream);
    }
    pthread_mutex_unlock(&capture_state.lock);
}

void capture_forget_graph(CUgraph graph) {
    pthread_mutex_lock(&capture_state.lock);
    struct capture *capture = capture_state.all;
    while (capture->graph != graph)
        capture = capture->next;
    capture->own_graph = false;
    finish(capture, false);
    pthread_mutex_unlock(&capture_state.lock);
}

/* ---------------------------------------------------------------- queries */

struct answer {
    CUstreamCaptureStatus status;
    unsigned long long id;
    CUgraph graph;
    CUstream state;
};

/* A query never invalidates a capture. */
static CUresult ask(CUstream stream, struct answer *out) {
    CUcontext context;
    *out = (struct answer){.status = CU_STREAM_CAPTURE_STATUS_NONE};
    CUresult error = stream_enter(stream, &context);
    if (error || !atomic_load(&capture_state.active))
        return error;
    pthread_mutex_lock(&capture_state.lock);
    struct capture *capture = capture_of_stream(stream);
    if (stream_is_legacy(stream))
        error = capture_check_legacy(context, true);
    if (capture)
        *out = (struct answer){.status = capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                                              : CU_STREAM_CAPTURE_STATUS_ACTIVE,
                               .id = capture->id,
                               .graph = capture->graph,
                               .state = stream_state(stream, false)};
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
    struct answer answer;
    CUresult error = ask(hStream, &answer);
    if (error)
        return error;
    if (!captureStatus)
        return CUDA_ERROR_INVALID_VALUE;
    *captureStatus = answer.status;
    return CUDA_SUCCESS;
}

static CUresult info(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                     const CUgraphNode **dependencies, size_t *count) {
    struct answer answer;
    CUresult error = ask(stream, &answer);
    if (error)
        return error;
    if (!status)
        return CUDA_ERROR_INVALID_VALUE;
    *status = answer.status;
    if (answer.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS;
    if (id)
        *id = answer.id;
    if (graph)
        *graph = answer.graph;
    if (dependencies)
        *dependencies = answer.state->dependencies;
    if (count)
        *count = answer.state->dependency_count;
    return CUDA_SUCCESS;
}

#undef cuStreamGetCaptureInfo
ENTRY_EXPORT CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                             cuuint64_t *id_out);
CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                cuuint64_t *id_out) {
    return info(hStream, captureStatus_out, id_out, NULL, NULL, NULL);
}

ENTRY_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                                cuuint64_t *id_out, CUgraph *graph_out,
                                                const CUgraphNode **dependencies_out,
                                                size_t *numDependencies_out);
CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out, size_t *numDependencies_out) {
    return info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
}

#if CUDA_VERSION >= 12030
/* Edges never have data, so the array is NULL. */
ENTRY_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                                cuuint64_t *id_out, CUgraph *graph_out,
                                                const CUgraphNode **dependencies_out,
                                                const CUgraphEdgeData **edgeData_out,
                                                size_t *numDependencies_out);
CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus *captureStatus_out,
                                   cuuint64_t *id_out, CUgraph *graph_out,
                                   const CUgraphNode **dependencies_out, const CUgraphEdgeData **edgeData_out,
                                   size_t *numDependencies_out) {
    if (edgeData_out && !dependencies_out)
        return CUDA_ERROR_INVALID_VALUE;
    if (edgeData_out)
        *edgeData_out = NULL;
    return info(hStream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out);
}
#endif

static CUresult update(CUstream stream, const CUgraphNode *nodes, size_t count, unsigned flags) {
    CUcontext context;
    bool capturing;
    CUresult error = stream_submit(stream, false, &context, &capturing);
    if (error)
        return error;
    if (!capturing)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (flags & ~(unsigned)CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&capture_state.lock);
    CUstream state = stream_state(stream, false);
    error = state->capture ? check_nodes(state->capture->graph, nodes, count) : CUDA_ERROR_ILLEGAL_STATE;
    if (!error && !(flags ? capture_set_dependencies(state, nodes, count)
                          : capture_add_dependencies(state, nodes, count)))
        error = CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

#undef cuStreamUpdateCaptureDependencies
ENTRY_EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                                        size_t numDependencies, unsigned int flags);
CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                           size_t numDependencies, unsigned int flags) {
    return update(hStream, dependencies, numDependencies, flags);
}

#if CUDA_VERSION >= 12030
ENTRY_EXPORT CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                                           const CUgraphEdgeData *dependencyData,
                                                           size_t numDependencies, unsigned int flags);
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                              unsigned int flags) {
    CUresult error = check_edge_data(dependencyData, numDependencies);
    return error ? error : update(hStream, dependencies, numDependencies, flags);
}
#endif

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    CUresult error = driver_check();
    if (error)
        return error;
    if (!mode || (unsigned)*mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode old = capture_thread_mode;
    capture_thread_mode = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}
