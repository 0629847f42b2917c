/* Stream capture: what is put into a capturing stream becomes nodes of a graph instead of being done.
 *
 * A capture begins in one stream and spreads to others over events.  It is invalidated by whatever could not
 * be replayed from a graph; then every use of its streams fails until it is ended. */
#ifndef WIDELOAD_SIM_CUDA_CAPTURE_H
#define WIDELOAD_SIM_CUDA_CAPTURE_H

#include "sim/cuda/graph/graph.h"
#include "sim/cuda/stream/stream.h"

/* How every call begins that puts work into a stream.  capturing: the work is not to be done but captured.
 * wait: the call is a synchronous one, which a capture in this thread, or another's global one, forbids.
 * Errors: those of stream_enter(), STREAM_CAPTURE_INVALIDATED; STREAM_CAPTURE_IMPLICIT for the legacy stream
 * while a blocking one captures; STREAM_CAPTURE_UNSUPPORTED where wait is forbidden. */
CUresult stream_submit(CUstream stream, bool wait, CUcontext *out, bool *capturing);
/* How a call begins that no capturing stream may see: it ends the capture's validity.
 * Errors: as stream_submit(), and STREAM_CAPTURE_UNSUPPORTED. */
CUresult stream_enter_uncaptured(CUstream stream, CUcontext *out);
/* context_enter() for calls that CUDA forbids during a capture, since no graph would repeat them: allocating
 * and freeing.  Errors: also STREAM_CAPTURE_UNSUPPORTED. */
CUresult context_enter_unsafe(CUcontext *out);
/* For waiting for all of a context.  Errors: STREAM_CAPTURE_UNSUPPORTED. */
CUresult capture_check_context(CUcontext context);

/* What a capturing stream is given.  Each adds a node after what the stream captured before. */
CUresult capture_kernel(const CUlaunchConfig *config, struct kernel_launch *launch); /* takes launch over */
CUresult capture_copy(CUstream stream, const CUDA_MEMCPY3D *copy);
CUresult capture_set(CUstream stream, const CUDA_MEMSET_NODE_PARAMS *set);
CUresult capture_alloc(CUstream stream, size_t size, CUdeviceptr *out);
CUresult capture_free(CUstream stream, CUdeviceptr address);
/* made: how making work went.  Takes work over. */
CUresult capture_work(CUresult made, CUstream stream, struct graph_work *work);

/* Events, for event.c and stream.c. */
struct capture_point { /* the nodes that an event stands for, when it was recorded in a capturing stream */
    unsigned long long capture; /* its id; 0: it was recorded outside captures, or never */
    CUgraphNode *nodes;
    size_t count;
};
CUresult capture_record(struct capture_point *point, CUstream stream);
void capture_point_clear(struct capture_point *point);
/* For cuEventQuery and its kin.  Errors: CAPTURED_EVENT; INVALID_VALUE when the capture has ended. */
CUresult capture_point_check(const struct capture_point *point);
/* cuStreamWaitEvent.  recorded: outside of a capture. */
CUresult capture_wait(CUstream stream, const struct capture_point *point, bool recorded);

/* For stream.c: a stream is going away. */
void capture_forget_stream(CUstream stream);

#endif
