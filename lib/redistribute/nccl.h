/* NCCL, found in the process at run time, and the communicators that plans use.  Nothing of NCCL is needed to
 * build the library. */
#ifndef WIDELOAD_LIB_NCCL_H
#define WIDELOAD_LIB_NCCL_H

#include "lib/context.h"

/* Of ncclResult_t and ncclDataType_t. */
enum { WL__NCCL_SUCCESS = 0, WL__NCCL_IN_PROGRESS = 7, WL__NCCL_INT8 = 0 };

/* Result, name and parameters.  A void * `comm` is an ncclComm_t; enumerations are int. */
#define WL_NCCL_MAP(X)                                                                                       \
    X(const char *, ncclGetErrorString, (int result))                                                        \
    X(int, ncclCommCount, (const void *comm, int *count))                                                    \
    X(int, ncclCommCuDevice, (const void *comm, int *device))                                                \
    X(int, ncclCommUserRank, (const void *comm, int *rank))                                                  \
    X(int, ncclCommGetAsyncError, (void *comm, int *result))                                                 \
    X(int, ncclCommAbort, (void *comm))                                                                      \
    X(int, ncclGroupStart, (void))                                                                           \
    X(int, ncclGroupEnd, (void))                                                                             \
    X(int, ncclSend, (const void *from, size_t count, int type, int peer, void *comm, CUstream stream))      \
    X(int, ncclRecv, (void *to, size_t count, int type, int peer, void *comm, CUstream stream))              \
    X(int, ncclAllGather, (const void *from, void *to, size_t count, int type, void *comm, CUstream stream))

struct wl__nccl {
#define WL_NCCL_FIELD(result, name, parameters) result(*name) parameters;
    WL_NCCL_MAP(WL_NCCL_FIELD)
#undef WL_NCCL_FIELD
    const char *(*ncclGetLastError)(const void *comm); /* NULL before NCCL 2.13 */
};

/* A caller's communicator, which several plans may use.  Once one of them has aborted it, none touches it. */
struct wl__communicator {
    struct wl__nccl nccl;
    void *comm;
    unsigned plans;
    pthread_mutex_t lock; /* held while it is asked for errors, and while it is aborted */
    _Atomic bool aborted; /* or an abort has begun */
    bool stuck; /* ncclCommAbort has not returned: its kernels may still use memory.  Under the lock */
    struct wl__communicator *next;
};

/* Gives a communicator's entry to one more plan, and takes it back.  UNSUPPORTED: there is no NCCL in the
 * process. */
wl_error wl__communicator_get(struct wl__communicator **out, void *comm, const char *call);
void wl__communicator_put(struct wl__communicator *communicator);

/* Turns a result of a function into an error with a message.  A communicator that does not block may say that
 * it is in progress: then this waits, at most wl__nccl_patience. */
wl_error wl__nccl_check(struct wl__communicator *communicator, int result, const char *function);

/* Whether it is in order; if not, it is aborted. */
wl_error wl__communicator_check(struct wl__communicator *communicator, const char *call);

/* Ends it after a failure, so that no kernel of NCCL waits any longer, and puts that into the thread's
 * message, behind "`call`: " and what failed. */
wl_error wl__communicator_abort(struct wl__communicator *communicator, const char *call);

/* Whether an abort of it has not ended in time.  Waits for one that another thread has begun. */
bool wl__communicator_is_stuck(struct wl__communicator *communicator);

/* Waits until an event of the context's is reached, at most so many milliseconds.  `missing` says who may
 * be late.  After a time-out, an error of NCCL's or one of the driver the communicator is aborted. */
wl_error wl__communicator_await(struct wl__communicator *communicator, wl_context *context, CUevent event,
                                unsigned milliseconds, const char *call, const char *missing);

/* ncclCommAbort, in a thread of its own (abort.c).  False: it has not returned within
 * wl__nccl_abort_patience. */
bool wl__nccl_abort(const struct wl__nccl *nccl, void *comm);

/* Milliseconds that an abort may take: 10 seconds.  Tests lower it. */
extern unsigned wl__nccl_abort_patience;
/* Milliseconds that making and destroying a plan wait for other ranks: 5 minutes.  Tests lower it. */
extern unsigned wl__nccl_patience;

#endif
