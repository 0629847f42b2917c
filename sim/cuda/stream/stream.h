/* Streams, and the beginning of calls that take one. */
#ifndef WIDELOAD_SIM_CUDA_STREAM_H
#define WIDELOAD_SIM_CUDA_STREAM_H

#include "sim/cuda/driver.h"
#include "sim/cuda/stream/stream_attribute.h"

struct CUstream_st {
    struct object object;
    unsigned flags;
    int priority;
    unsigned long long id;
    struct stream_attributes attributes;
    /* Owned by capture.c, under its lock.  NULL: the stream does not capture. */
    struct capture *capture;
    CUstream next_of_capture;
    CUgraphNode *dependencies; /* of the next captured work */
    size_t dependency_count;
};

/* Accepts NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or a live stream; else INVALID_HANDLE. */
CUresult stream_check(CUstream stream);
/* context_enter() and stream_check(), for calls that only query a stream. */
CUresult stream_enter(CUstream stream, CUcontext *out);
/* The context that a stream belongs to; a default stream is the current one's. */
CUcontext stream_context(CUstream stream, CUcontext current);
/* Does nothing on a default stream, whose priority is fixed. */
void stream_set_priority(CUstream stream, int priority);
/* Whether it is the default stream that synchronizes with all blocking streams. */
bool stream_is_legacy(CUstream stream);
/* The stream of a handle.  For CU_STREAM_PER_THREAD it is the calling thread's own, created if `create` is
 * set.  NULL for the legacy stream, for a per-thread stream not yet created, and on out-of-memory. */
CUstream stream_state(CUstream stream, bool create);

#endif
