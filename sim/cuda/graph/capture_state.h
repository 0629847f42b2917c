/* What the files of stream capture share.  Everything here is used with capture_state.lock held, but for what
 * is the calling thread's own. */
#ifndef WIDELOAD_SIM_CUDA_CAPTURE_STATE_H
#define WIDELOAD_SIM_CUDA_CAPTURE_STATE_H

#include "sim/cuda/graph/capture.h"

struct capture {
    unsigned long long id;
    CUgraph graph;
    bool own_graph; /* not the program's: it goes with a failed capture */
    CUstreamCaptureMode mode;
    const void *thread; /* whose capture it is */
    bool invalidated;
    CUstream origin, streams;
    struct capture *next;
};

struct capture_state {
    pthread_mutex_t lock;
    struct capture *all;
    _Atomic unsigned active; /* how many: without any, no call takes the lock */
    unsigned long long next_id;
};

extern struct capture_state capture_state;
extern _Thread_local CUstreamCaptureMode capture_thread_mode;

/* An address that no other live thread has. */
const void *capture_thread(void);

/* Returns error. */
CUresult capture_invalidate(struct capture *capture, CUresult error);
/* The legacy stream is ordered with every blocking stream of its context.  keep: only ask.
 * Errors: STREAM_CAPTURE_IMPLICIT. */
CUresult capture_check_legacy(CUcontext context, bool keep);
/* The stream's capture; NULL: none. */
struct capture *capture_of_stream(CUstream stream);

/* What a stream captures next comes after these nodes.  False: out of memory. */
bool capture_set_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count);
bool capture_add_dependencies(CUstream stream, const CUgraphNode *nodes, size_t count);
void capture_join(struct capture *capture, CUstream stream);

#endif
