/* The simulator's CUDA driver: declarations shared by its files.
 *
 * There are as many devices as WIDELOAD_SIM_DEVICES says, and one if it is not set.  Work runs when it is
 * submitted, on the submitting thread, so a stream is in order by itself and waiting for one returns at once.
 * A kernel's fault is stored in its context, as in CUDA: the launch itself succeeds, and every later call in
 * that context returns the fault's error.
 *
 * All functions are thread-safe.
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

/* The head of every object that a handle points to.  Handles are looked up in a table of live objects, so a
 * stale or invented handle is an error, not a crash. */
struct object {
    enum object_kind kind;
    struct CUctx_st *context;               /* the owner; NULL: the device */
    void (*release)(struct object *object); /* frees it after it is unlisted; NULL: its owner frees it */
    struct object *table_next, *owner_next, *owner_previous;
};

void object_add(struct object *object, enum object_kind kind, struct CUctx_st *context,
                void (*release)(struct object *object));
/* Whether handle is a live object of this kind. */
bool object_is(const void *handle, enum object_kind kind);
/* Removes it from the table and its owner's list; false if it was not there. */
bool object_remove(struct object *object);
/* Calls object_remove(), then release. */
void object_destroy(struct object *object);
/* Destroys everything that a context (NULL: the device) owns. */
void object_destroy_owned(struct CUctx_st *context);

/* ---------------------------------------------------------------- the driver (driver.c) */

struct driver {
    unsigned devices;          /* 1 to SIM_MAX_DEVICES */
    struct sim_memory *memory; /* device 0's, which finds addresses of every device */
    struct sim_textures *textures;
    const struct count_rules *_Atomic rules;
    unsigned threads; /* worker threads; 0: all cores */
    bool log;         /* WIDELOAD_LOG=1 */
    bool strict;      /* kernels fault at any access outside an allocation; otherwise as on hardware */
    bool blocking;    /* CUDA_LAUNCH_BLOCKING=1: a launch returns its own kernel's fault */

    pthread_mutex_t run_lock; /* held while a kernel runs: each uses all the worker threads */
    pthread_mutex_t counters_lock;
    struct wl_counters counters;
};

extern struct driver driver;

/* Turns strict on; only before cuInit.  Errors: ILLEGAL_STATE after it, unless strict is on already. */
CUresult driver_be_strict(void);

/* CUDA_SUCCESS after cuInit, CUDA_ERROR_NOT_INITIALIZED before, CUDA_ERROR_DEINITIALIZED at exit. */
CUresult driver_check(void);
/* driver_check(), and a check that the device exists. */
CUresult driver_check_device(CUdevice device);
/* Whether there is a device of that number.  Call after cuInit. */
bool driver_has(CUdevice device);

/* ---------------------------------------------------------------- work in flight (work.c) */

/* A kernel, copy or fill that a thread is running.  Look up what it uses between work_begin() and work_end().
 */
struct work {
    uint64_t number;
    struct work *next, *previous;
};
void work_begin(struct work *work);
void work_end(struct work *work);
/* Waits for the work in flight at the call, not for work that begins later.  A call that releases something
 * that work may use waits, then unlists it, so that new work cannot find it.  If it is the host's own memory,
 * the call waits again before freeing it.  Do not call this between work_begin() and work_end(). */
void work_wait(void);
bool work_in_flight(void);
/* Waits until no work is in flight, and blocks new work until work_resume().  So threads that always have
 * some cannot starve this one.  New work blocks only for seconds, because work in flight may depend on it. */
void work_hold(void);
void work_resume(void);

/* ---------------------------------------------------------------- messages (log.c) */

/* Stores text for wlSimLastError and prints its first line if WIDELOAD_LOG=1. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Only prints, and only if WIDELOAD_LOG=1. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A copy of the last error, valid until the calling thread's next call. */
const char *log_last_error(void);

/* ---------------------------------------------------------------- contexts (context.c) */

struct CUctx_st {
    struct object object;
    unsigned long long id;
    CUdevice device;
    struct sim_memory *memory; /* its device's */
    _Atomic uint32_t peers;    /* bits of the devices to which it has peer access (peer.c) */
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
 * CONTEXT_IS_DESTROYED, or the context's fault. */
CUresult context_enter(CUcontext *out);
/* The same, but ignores a fault; *out is NULL if no context is current. */
CUresult context_current(CUcontext *out);
CUresult context_create(CUcontext *out, CUdevice device, unsigned flags, bool primary);
/* Destroys everything in it, but keeps the handle. */
void context_clear(CUcontext context);
void context_destroy(CUcontext context);
/* peer.c: ends the peer access that the context has to others, and others to it. */
void peer_forget(CUcontext context);

/* ---------------------------------------------------------------- device services (services.c) */

/* Sets the launch's heap, from the context, and its output, from the process. */
CUresult context_services(CUcontext context, struct sim_launch *launch);
/* False if a kernel has used malloc already. */
bool context_resize_heap(CUcontext context, size_t bytes);
void context_free_heap(CUcontext context);

#endif
