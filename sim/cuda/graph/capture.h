/* Stream capture: work submitted to a capturing stream becomes graph nodes instead of being run.
 *
 * A capture begins in one stream and spreads to others through events.  An operation that a graph cannot
 * replay invalidates it; all use of its streams then fails until the capture is ended. */
#ifndef WIDELOAD_SIM_CUDA_CAPTURE_H
#define WIDELOAD_SIM_CUDA_CAPTURE_H

#include "sim/cuda/graph/graph.h"
#include "sim/cuda/stream/stream.h"

/* Every call that submits work to a stream begins with this.  *capturing: capture the work instead of running
 * it. wait: the call is synchronous, which is an error during a capture of this thread or another's global
 * one.  Errors: those of stream_enter(), STREAM_CAPTURE_INVALIDATED; STREAM_CAPTURE_IMPLICIT for the legacy
 * stream while a blocking one captures; STREAM_CAPTURE_UNSUPPORTED if wait is not allowed. */
CUresult stream_submit(CUstream stream, bool wait, CUcontext *out, bool *capturing);
/* Begins a call that is illegal on a capturing stream: there it invalidates the capture.
 * Errors: as stream_submit(), and STREAM_CAPTURE_UNSUPPORTED. */
CUresult stream_enter_uncaptured(CUstream stream, CUcontext *out);
/* context_enter() for calls that CUDA forbids during a capture because a graph would not repeat them:
 * allocating and freeing.  Errors: also STREAM_CAPTURE_UNSUPPORTED. */
CUresult context_enter_unsafe(CUcontext *out);
/* Begins a call that waits for a whole context.  Errors: STREAM_CAPTURE_UNSUPPORTED. */
CUresult capture_check_context(CUcontext context);

/* Capture one operation each: add a node that depends on the stream's last captured nodes. */
CUresult capture_kernel(const CUlaunchConfig *config,
                        struct kernel_launch *launch); /* takes ownership of launch */
CUresult capture_copy(CUstream stream, const CUDA_MEMCPY3D *copy);
CUresult capture_set(CUstream stream, const CUDA_MEMSET_NODE_PARAMS *set);
/* context: the stream's; access: bits of the devices that reach the memory, beside the one that it lies on.
 */
CUresult capture_alloc(CUstream stream, CUcontext context, CUdevice device, uint64_t access, size_t size,
                       CUdeviceptr *out);
CUresult capture_free(CUstream stream, CUdeviceptr address);
/* made: the result of making work.  Takes ownership of work. */
CUresult capture_work(CUresult made, CUstream stream, struct graph_work *work);

/* Events, for event.c and stream.c. */
struct capture_point {          /* the nodes that an event recorded in a capturing stream stands for */
    unsigned long long capture; /* the capture's id; 0: recorded outside captures, or never */
    CUgraphNode *nodes;
    size_t count;
};
CUresult capture_record(struct capture_point *point, CUstream stream);
void capture_point_clear(struct capture_point *point);
/* For cuEventQuery and the like.  Errors: CAPTURED_EVENT; INVALID_VALUE if the capture has ended. */
CUresult capture_point_check(const struct capture_point *point);
/* For cuStreamWaitEvent.  recorded: the event was recorded outside captures. */
CUresult capture_wait(CUstream stream, const struct capture_point *point, bool recorded);

/* For stream.c: the stream is being destroyed. */
void capture_forget_stream(CUstream stream);
/* For graph.c: the library is closed during the graph's capture.  Ends the capture and leaves the graph. */
void capture_forget_graph(CUgraph graph);

#endif
