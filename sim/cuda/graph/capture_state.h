/* State shared by the files of stream capture.  Hold capture_state.lock to use anything here, except the
 * calling thread's own variables. */
#ifndef WIDELOAD_SIM_CUDA_CAPTURE_STATE_H
#define WIDELOAD_SIM_CUDA_CAPTURE_STATE_H

#include "sim/cuda/graph/capture.h"

struct capture {
    unsigned long long id;
    CUgraph graph;
    bool own_graph; /* created by the capture, so a failed capture frees it */
    CUstreamCaptureMode mode;
    const void *thread; /* the thread that began it */
    bool invalidated;
    CUstream origin, streams;
    struct capture *next;
};

struct capture_state {
    pthread_mutex_t lock;
    struct capture *all;
    _Atomic unsigned active; /* number of captures; at 0, no call takes the lock */
    unsigned long long next_id;
};

extern struct capture_state capture_state;
extern _Thread_local CUstreamCaptureMode capture_thread_mode;

/* An address unique among live threads. */
const void *capture_thread(void);

/* Invalidates the capture.  Returns error. */
CUresult capture_invalidate(struct capture *capture, CUresult error);
/* The legacy stream is ordered with every blocking stream of its context, so it cannot be used while one
 * captures.  keep: do not invalidate the captures.  Errors: STREAM_CAPTURE_IMPLICIT. */
CUresult capture_check_legacy(CUcontext context, bool keep);
/* The stream's capture; NULL if it has none. */
struct capture *capture_of_stream(CUstream stream);

/* Sets the nodes that the stream's next captured work depends on.  False on out-of-memory. */
bool capture_set_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count);
bool capture_add_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count);
void capture_join(struct capture *capture, CUstream stream);

#endif
