/* What the files of the simulator's CUDA driver share: its state, its objects, its contexts.
 *
 * There is one device.  Work is executed when it is submitted, by the thread that submits it, so a stream is
 * in order by itself and waiting for one returns at once.  A kernel's fault is kept in its context, as CUDA
 * does: the launch itself succeeds and every later call in that context returns the fault's error.
 *
 * Everything here may be called from any thread.
 */
#ifndef WIDELOAD_SIM_CUDA_DRIVER_H
#define WIDELOAD_SIM_CUDA_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "sim/cuda/entries.h"
#include "sim/exec/sim.h"
#include "sim/exec/texture/texture.h"

/* ---------------------------------------------------------------- objects (object.c) */

enum object_kind {
    OBJECT_CONTEXT,
    OBJECT_MODULE,
    OBJECT_FUNCTION,
    OBJECT_LIBRARY,
    OBJECT_KERNEL,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_POOL,
    OBJECT_ALLOCATION,
    OBJECT_LINK,
    OBJECT_GRAPH,
    OBJECT_GRAPH_NODE,
    OBJECT_GRAPH_EXEC,
    OBJECT_USER,
    OBJECT_ARRAY,
    OBJECT_TEXTURE,
};

/* The head of whatever a handle points at.  Handles are checked against a table of the live ones, so a
 * stale or invented handle is an error, not a crash. */
struct object {
    enum object_kind kind;
    struct CUctx_st *context;               /* whose it is; NULL: the device's */
    void (*release)(struct object *object); /* frees it, after it was taken off the lists; NULL: its
                                               owner frees it */
    struct object *table_next, *owner_next, *owner_previous;
};

void object_add(struct object *object, enum object_kind kind, struct CUctx_st *context,
                void (*release)(struct object *object));
/* Whether handle is a live object of this kind. */
bool object_is(const void *handle, enum object_kind kind);
/* Takes it off the table and its owner's list; false when it was not there. */
bool object_remove(struct object *object);
/* object_remove(), then release. */
void object_destroy(struct object *object);
/* Destroys whatever a context (NULL: the device) owns. */
void object_destroy_owned(struct CUctx_st *context);

/* ---------------------------------------------------------------- the driver (driver.c) */

struct driver {
    struct sim_memory *memory;
    struct sim_textures *textures;
    const struct count_rules *_Atomic rules;
    unsigned threads; /* worker threads; 0: all cores */
    bool log;         /* WIDELOAD_LOG=1 */
    bool strict;      /* a kernel faults at any access outside an allocation; else as on hardware */
    bool blocking;    /* CUDA_LAUNCH_BLOCKING=1: a launch itself returns its kernel's fault */

    pthread_mutex_t run_lock; /* one kernel at a time: each uses all the worker threads */
    pthread_mutex_t counters_lock;
    struct wl_counters counters;
};

extern struct driver driver;

/* Before cuInit: strict from now on.  Errors: ILLEGAL_STATE after it, unless strict already. */
CUresult driver_be_strict(void);

/* CUDA_SUCCESS after cuInit, CUDA_ERROR_NOT_INITIALIZED before, CUDA_ERROR_DEINITIALIZED at exit. */
CUresult driver_check(void);
/* driver_check(), and that there is such a device. */
CUresult driver_check_device(CUdevice device);

/* ---------------------------------------------------------------- work in flight (work.c) */

/* A kernel, copy or fill that a thread runs at the moment.  What it uses is found between the two calls. */
struct work {
    uint64_t number;
    struct work *next, *previous;
};
void work_begin(struct work *work);
void work_end(struct work *work);
/* Returns when the work that was in flight at the call has ended; work that begins later is not waited for.
 * So a call that releases what work may use waits, takes it off where work finds it, and, if it is the host's
 * own memory, waits again before that is freed.  Not to be called between work_begin() and work_end(). */
void work_wait(void);
bool work_in_flight(void);
/* Returns when no work is in flight; none begins until work_resume().  Work that would begin waits for that,
 * so that threads which always have some do not keep this one waiting, but only for seconds: what is in
 * flight may wait for it. */
void work_hold(void);
void work_resume(void);

/* ---------------------------------------------------------------- messages (log.c) */

/* Keeps text as wlSimLastError's answer and prints its first line when WIDELOAD_LOG=1. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Only prints, when WIDELOAD_LOG=1. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A copy of the last error that stays as it is until the calling thread asks again. */
const char *log_last_error(void);

/* ---------------------------------------------------------------- contexts (context.c) */

struct CUctx_st {
    struct object object;
    unsigned long long id;
    unsigned flags, api_version;
    bool primary;
    unsigned attached; /* by cuCtxAttach */
    CUfunc_cache cache;
    CUsharedconfig shared;
    _Atomic size_t limits[CU_LIMIT_MAX];
    _Atomic int fault;     /* CUresult of the first kernel that faulted; 0: none */
    struct sim_heap *heap; /* services.c; NULL until the first launch */
    struct object *owned;
};

/* The calling thread's current context, ready for work.  Errors: NOT_INITIALIZED, INVALID_CONTEXT,
 * CONTEXT_IS_DESTROYED, or the fault that the context is stuck with. */
CUresult context_enter(CUcontext *out);
/* The same without minding a fault; *out is NULL when there is none. */
CUresult context_current(CUcontext *out);
CUresult context_create(CUcontext *out, unsigned flags, bool primary);
/* Undoes everything done in it, but keeps the handle. */
void context_clear(CUcontext context);
void context_destroy(CUcontext context);

/* ---------------------------------------------------------------- device services (services.c) */

/* Gives a launch the context's heap and the process's output. */
CUresult context_services(CUcontext context, struct sim_launch *launch);
/* False once a kernel has used malloc. */
bool context_resize_heap(CUcontext context, size_t bytes);
void context_free_heap(CUcontext context);

#endif
