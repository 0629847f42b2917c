/* Stream capture: what a capture forbids, and how it records the work of a capturing stream. */
#include "sim/cuda/graph/capture_state.h"

#include <stdlib.h>
#include <string.h>

struct capture_state capture_state = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_id = 1};
_Thread_local CUstreamCaptureMode capture_thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

const void *capture_thread(void) {
    return &capture_thread_mode;
}

/* ---------------------------------------------------------------- checks; call with the lock held */

CUresult capture_invalidate(struct capture *capture, CUresult error) {
    capture->invalidated = true;
    return error;
}

static bool is_blocking(CUstream stream) {
    return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

CUresult capture_check_legacy(CUcontext context, bool keep) {
    CUresult error = CUDA_SUCCESS;
    for (struct capture *c = capture_state.all; c; c = c->next)
        for (CUstream s = c->streams; s; s = s->next_of_capture)
            if (is_blocking(s) && (!s->object.context || s->object.context == context)) {
                error = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
                if (!keep)
                    c->invalidated = true;
            }
    return error;
}

static CUresult check_unsafe(void) {
    CUresult error = CUDA_SUCCESS;
    if (capture_thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return error;
    for (struct capture *c = capture_state.all; c; c = c->next) {
        bool own = c->thread == capture_thread() && c->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
        bool global =
            capture_thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
        if (own || global)
            error = capture_invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    return error;
}

struct capture *capture_of_stream(CUstream stream) {
    CUstream state = stream_state(stream, false);
    return state ? state->capture : NULL;
}

static struct capture *find(unsigned long long id) {
    struct capture *capture = capture_state.all;
    while (capture && capture->id != id)
        capture = capture->next;
    return capture;
}

/* ---------------------------------------------------------------- how calls begin */

CUresult stream_submit(CUstream stream, bool wait, CUcontext *out, bool *capturing) {
    *capturing = false;
    CUresult error = stream_enter(stream, out);
    if (error || !atomic_load(&capture_state.active))
        return error;
    pthread_mutex_lock(&capture_state.lock);
    struct capture *capture = capture_of_stream(stream);
    if (stream_is_legacy(stream))
        error = capture_check_legacy(*out, false);
    else if (capture && capture->invalidated)
        error = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!error && wait)
        error = check_unsafe();
    *capturing = !error && capture;
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

CUresult stream_enter_uncaptured(CUstream stream, CUcontext *out) {
    bool capturing;
    CUresult error = stream_submit(stream, false, out, &capturing);
    /* An H200 gives the same answer for a capture that is already invalid. */
    if (error == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (error || !capturing)
        return error;
    pthread_mutex_lock(&capture_state.lock);
    struct capture *capture = capture_of_stream(stream);
    if (capture)
        error = capture_invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

CUresult context_enter_unsafe(CUcontext *out) {
    CUresult error = context_enter(out);
    if (error || !atomic_load(&capture_state.active))
        return error;
    pthread_mutex_lock(&capture_state.lock);
    error = check_unsafe();
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

CUresult capture_check_context(CUcontext context) {
    CUresult error = CUDA_SUCCESS;
    if (!atomic_load(&capture_state.active))
        return error;
    pthread_mutex_lock(&capture_state.lock);
    for (struct capture *c = capture_state.all; c; c = c->next)
        for (CUstream s = c->streams; s; s = s->next_of_capture)
            if (!s->object.context || s->object.context == context)
                error = capture_invalidate(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

/* ---------------------------------------------------------------- a stream's dependencies */

bool capture_set_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count) {
    CUgraphNode *copy = malloc((count + 1) * sizeof(CUgraphNode));
    if (!copy)
        return false;
    if (count)
        memcpy(copy, nodes, count * sizeof(CUgraphNode));
    free(stream->dependencies);
    stream->dependencies = copy;
    stream->dependency_count = count;
    return true;
}

static bool has_dependency(CUstream stream, CUgraphNode node) {
    for (size_t i = 0; i < stream->dependency_count; i++)
        if (stream->dependencies[i] == node)
            return true;
    return false;
}

bool capture_add_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count) {
    size_t room = stream->dependency_count + count + 1;
    CUgraphNode *all = realloc(stream->dependencies, room * sizeof(CUgraphNode));
    if (!all)
        return false;
    stream->dependencies = all;
    for (size_t i = 0; i < count; i++)
        if (!has_dependency(stream, nodes[i]))
            all[stream->dependency_count++] = nodes[i];
    return true;
}

void capture_join(struct capture *capture, CUstream stream) {
    stream->capture = capture;
    stream->next_of_capture = capture->streams;
    capture->streams = stream;
}

/* ---------------------------------------------------------------- adding work */

CUresult capture_work(CUresult made, CUstream stream, struct graph_work *work) {
    if (made)
        return made;
    CUgraphNode node;
    pthread_mutex_lock(&capture_state.lock);
    CUstream state = stream_state(stream, false);
    struct capture *capture = state ? state->capture : NULL;
    /* Another thread may have ended or invalidated it in the meantime. */
    CUresult error = capture && !capture->invalidated ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!error)
        error = graph_add(capture->graph, state->dependencies, state->dependency_count, work, &node);
    if (error)
        graph_work_free(work);
    else if (!capture_set_dependencies(state, &node, 1))
        error = capture_invalidate(capture, CUDA_ERROR_OUT_OF_MEMORY);
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

CUresult capture_kernel(const CUlaunchConfig *config, struct kernel_launch *launch) {
    struct graph_work work;
    CUresult error = graph_work_launch(&work, launch, false);
    for (unsigned i = 0; !error && i < config->numAttrs; i++) {
        unsigned id = (unsigned)config->attrs[i].id;
        if (id >= GRAPH_ATTRIBUTES)
            continue;
        work.kernel->attributes_set |= 1u << id;
        work.kernel->attributes[id] = config->attrs[i].value;
    }
    return capture_work(error, config->hStream, &work);
}

CUresult capture_copy(CUstream stream, const CUDA_MEMCPY3D *copy) {
    struct graph_work work;
    if (!copy->WidthInBytes || !copy->Height || !copy->Depth)
        return CUDA_SUCCESS;
    return capture_work(graph_work_copy(&work, copy, NULL), stream, &work);
}

CUresult capture_set(CUstream stream, const CUDA_MEMSET_NODE_PARAMS *set) {
    struct graph_work work;
    return capture_work(graph_work_set(&work, set, NULL), stream, &work);
}

CUresult capture_alloc(CUstream stream, CUcontext context, CUdevice device, uint64_t access, size_t size,
                       CUdeviceptr *out) {
    struct graph_work work;
    CUmemAccessDesc mapped[SIM_MAX_DEVICES];
    CUDA_MEM_ALLOC_NODE_PARAMS params = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}},
        .accessDescs = mapped,
        .bytesize = size,
    };
    for (int d = 0; d < SIM_MAX_DEVICES; d++)
        if (access & SIM_ACCESS_OF(d))
            mapped[params.accessDescCount++] =
                (CUmemAccessDesc){.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = d},
                                  .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUresult error = graph_work_alloc(&work, context, &params);
    if (error)
        return error;
    CUdeviceptr address = work.alloc.params.dptr;
    error = capture_work(CUDA_SUCCESS, stream, &work);
    if (!error)
        *out = address;
    return error;
}

CUresult capture_free(CUstream stream, CUdeviceptr address) {
    struct graph_work work;
    pthread_mutex_lock(&capture_state.lock);
    struct capture *capture = capture_of_stream(stream);
    CUresult error = capture ? graph_work_free_node(&work, capture->graph, address)
                             : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    pthread_mutex_unlock(&capture_state.lock);
    return capture_work(error, stream, &work);
}

/* ---------------------------------------------------------------- events */

void capture_point_clear(struct capture_point *point) {
    pthread_mutex_lock(&capture_state.lock);
    free(point->nodes);
    *point = (struct capture_point){0};
    pthread_mutex_unlock(&capture_state.lock);
}

CUresult capture_record(struct capture_point *point, CUstream stream) {
    CUresult error = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    pthread_mutex_lock(&capture_state.lock);
    CUstream state = stream_state(stream, false);
    if (state && state->capture && !state->capture->invalidated) {
        size_t bytes = state->dependency_count * sizeof(CUgraphNode);
        CUgraphNode *nodes = malloc(bytes + sizeof(CUgraphNode));
        error = nodes ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        if (nodes) {
            if (bytes)
                memcpy(nodes, state->dependencies, bytes);
            free(point->nodes);
            *point = (struct capture_point){state->capture->id, nodes, state->dependency_count};
        }
    }
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}

CUresult capture_point_check(const struct capture_point *point) {
    pthread_mutex_lock(&capture_state.lock);
    bool captured = point->capture != 0;
    struct capture *capture = captured ? find(point->capture) : NULL;
    if (capture)
        capture->invalidated = true;
    pthread_mutex_unlock(&capture_state.lock);
    /* An event of an ended capture belongs to no capture and no stream.  An H200's driver agrees. */
    return capture ? CUDA_ERROR_CAPTURED_EVENT : captured ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Call with the lock held. */
static CUresult wait_for(CUstream stream, const struct capture_point *point, bool recorded) {
    struct capture *to = capture_of_stream(stream), *from = point->capture ? find(point->capture) : NULL;
    if ((to && to->invalidated) || (from && from->invalidated))
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (to && !from) /* recorded elsewhere: no node to depend on; never recorded: no work */
        return recorded || point->capture ? capture_invalidate(to, CUDA_ERROR_STREAM_CAPTURE_ISOLATION)
                                          : CUDA_SUCCESS;
    if (!from)
        return point->capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS;
    if (stream_is_legacy(stream))
        return capture_invalidate(from, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (to && to != from) {
        (void)capture_invalidate(to, CUDA_SUCCESS);
        return capture_invalidate(from, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    CUstream state = stream_state(stream, true);
    if (!state || !capture_add_dependencies(state, point->nodes, point->count))
        return capture_invalidate(from, CUDA_ERROR_OUT_OF_MEMORY);
    if (!to)
        capture_join(from, state);
    return CUDA_SUCCESS;
}

CUresult capture_wait(CUstream stream, const struct capture_point *point, bool recorded) {
    pthread_mutex_lock(&capture_state.lock);
    CUresult error = wait_for(stream, point, recorded);
    pthread_mutex_unlock(&capture_state.lock);
    return error;
}
