/* What a stream is, and how calls that take one begin. */
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
    /* capture.c's, under its lock.  NULL: the stream does not capture. */
    struct capture *capture;
    CUstream next_of_capture;
    CUgraphNode *dependencies; /* of what is captured next */
    size_t dependency_count;
};

/* NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or a live stream; else INVALID_HANDLE. */
CUresult stream_check(CUstream stream);
/* context_enter() and stream_check() together: how a call begins that only asks about a stream. */
CUresult stream_enter(CUstream stream, CUcontext *out);
/* A default stream keeps its own. */
void stream_set_priority(CUstream stream, int priority);
/* Whether it is the default stream that orders itself with all blocking ones. */
bool stream_is_legacy(CUstream stream);
/* What stands behind a handle: the calling thread's own for CU_STREAM_PER_THREAD, made with create; NULL for
 * the legacy stream, and without memory. */
CUstream stream_state(CUstream stream, bool create);

#endif
