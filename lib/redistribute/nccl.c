/* NCCL's functions, what becomes of its errors, and waiting for it. */
#include "lib/redistribute/nccl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/error.h"

unsigned wl__nccl_patience = 5 * 60 * 1000;

/* Room for a message that is put into another one. */
enum { WORDS = 1024 };

/* ---------------------------------------------------------------- functions */

/* Stores the address of a symbol where a function pointer is kept, which ISO C cannot cast to. */
static bool find(void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* Frameworks load NCCL for themselves alone, so its names may not be the process's.  A second NCCL would not
 * know the caller's communicator, so none is loaded. */
static wl_error find_nccl(struct wl__nccl *nccl, const char *call) {
    static const char file[] = "libnccl.so.2";
    const bool known = dlsym(RTLD_DEFAULT, "ncclCommCount") != NULL;
    void *library = known ? RTLD_DEFAULT : dlopen(file, RTLD_NOLOAD | RTLD_NOW);
    if (!known && !library)
        return wl__fail(WL_ERROR_UNSUPPORTED,
                        "%s: there is no NCCL in this process: neither its functions nor %s are loaded", call,
                        file);
    const char *missing = NULL;
#define WL_NCCL_FIND(result, name, parameters)                                                               \
    if (!find(library, #name, &nccl->name))                                                                  \
        missing = #name;
    WL_NCCL_MAP(WL_NCCL_FIND)
#undef WL_NCCL_FIND
    (void)find(library, "ncclGetLastError", &nccl->ncclGetLastError);
    /* The caller's communicator keeps the library loaded. */
    if (!known)
        dlclose(library);
    return missing
               ? wl__fail(WL_ERROR_UNSUPPORTED,
                          "%s: the NCCL in this process has no %s: it must be 2.7 or newer", call, missing)
               : WL_ERROR_OK;
}

/* ---------------------------------------------------------------- communicators */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list and the numbers of plans */
static struct wl__communicator *all;

/* An aborted one is no longer the caller's, whose next one may have the same address. */
static struct wl__communicator *find_entry(void *comm) {
    struct wl__communicator *entry = all;
    while (entry && (entry->comm != comm || entry->aborted))
        entry = entry->next;
    return entry;
}

static wl_error get_entry(struct wl__communicator **out, const struct wl__nccl *nccl, void *comm,
                          const char *call) {
    struct wl__communicator *entry = find_entry(comm);
    if (!entry) {
        entry = calloc(1, sizeof(*entry));
        if (!entry || pthread_mutex_init(&entry->lock, NULL)) {
            free(entry);
            return wl__fail(WL_ERROR_OUT_OF_MEMORY, "%s: no memory for a communicator", call);
        }
        entry->nccl = *nccl;
        entry->comm = comm;
        entry->next = all;
        all = entry;
    }
    entry->plans++;
    *out = entry;
    return WL_ERROR_OK;
}

wl_error wl__communicator_get(struct wl__communicator **out, void *comm, const char *call) {
    struct wl__nccl nccl;
    wl_error error = find_nccl(&nccl, call);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    error = get_entry(out, &nccl, comm, call);
    pthread_mutex_unlock(&lock);
    return error;
}

void wl__communicator_put(struct wl__communicator *communicator) {
    pthread_mutex_lock(&lock);
    if (--communicator->plans == 0) {
        struct wl__communicator **link = &all;
        while (*link != communicator)
            link = &(*link)->next;
        *link = communicator->next;
        pthread_mutex_destroy(&communicator->lock);
        free(communicator);
    }
    pthread_mutex_unlock(&lock);
}

wl_error wl__communicator_abort(struct wl__communicator *communicator, const char *call) {
    char message[WORDS];
    const size_t length = strlen(call);
    snprintf(message, sizeof(message), "%s", wl_message());
    const bool named = strncmp(message, call, length) == 0 && message[length] == ':';
    pthread_mutex_lock(&communicator->lock);
    const bool was = atomic_exchange(&communicator->aborted, true);
    if (!was)
        communicator->stuck = !wl__nccl_abort(&communicator->nccl, communicator->comm);
    const bool stuck = communicator->stuck;
    pthread_mutex_unlock(&communicator->lock);
    return wl__fail(WL_ERROR_COMMUNICATION, "%s%s%s; %s", named ? "" : call, named ? "" : ": ", message,
                    was     ? "the communicator had been aborted"
                    : stuck ? "ncclCommAbort has not returned"
                            : "the communicator was aborted");
}

bool wl__communicator_is_stuck(struct wl__communicator *communicator) {
    pthread_mutex_lock(&communicator->lock);
    const bool stuck = communicator->stuck;
    pthread_mutex_unlock(&communicator->lock);
    return stuck;
}

/* ---------------------------------------------------------------- waiting */

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Sleeps between two looks: the longer, the longer it has waited, and at most a millisecond. */
static void sleep_a_little(double waited_ms) {
    const long most = 1000000, nanoseconds = (long)(waited_ms * 1e6 / 16);
    const struct timespec pause = {0, nanoseconds < most ? nanoseconds : most};
    if (nanoseconds > 1000)
        nanosleep(&pause, NULL);
}

static wl_error fail_nccl(const struct wl__communicator *communicator, int result, const char *function) {
    const struct wl__nccl *nccl = &communicator->nccl;
    const char *text = nccl->ncclGetErrorString(result),
               *more = nccl->ncclGetLastError ? nccl->ncclGetLastError(communicator->comm) : NULL;
    const bool has_more = more && *more;
    return wl__fail(WL_ERROR_COMMUNICATION, "%s: %s%s%s", function, text ? text : "an unknown error",
                    has_more ? ": " : "", has_more ? more : "");
}

/* What NCCL says of it, unless it was aborted: then it is gone. */
static wl_error ask(struct wl__communicator *communicator, int *result) {
    int asked = WL__NCCL_SUCCESS;
    pthread_mutex_lock(&communicator->lock);
    const bool gone = communicator->aborted;
    if (!gone)
        asked = communicator->nccl.ncclCommGetAsyncError(communicator->comm, result);
    pthread_mutex_unlock(&communicator->lock);
    if (gone)
        return wl__fail(WL_ERROR_COMMUNICATION, "an earlier call failed");
    return asked == WL__NCCL_SUCCESS ? WL_ERROR_OK : fail_nccl(communicator, asked, "ncclCommGetAsyncError");
}

wl_error wl__nccl_check(struct wl__communicator *communicator, int result, const char *function) {
    const double start = now_ms();
    while (result == WL__NCCL_IN_PROGRESS) {
        const double waited = now_ms() - start;
        if (waited > wl__nccl_patience)
            return wl__fail(WL_ERROR_COMMUNICATION, "%s: still in progress after %u ms", function,
                            wl__nccl_patience);
        sleep_a_little(waited);
        const wl_error error = ask(communicator, &result);
        if (error)
            return error;
    }
    return result == WL__NCCL_SUCCESS ? WL_ERROR_OK : fail_nccl(communicator, result, function);
}

/* Whether NCCL knows of an error. */
static wl_error check_communicator(struct wl__communicator *communicator) {
    int result = WL__NCCL_SUCCESS;
    const wl_error error = ask(communicator, &result);
    if (error)
        return error;
    return result == WL__NCCL_SUCCESS || result == WL__NCCL_IN_PROGRESS
               ? WL_ERROR_OK
               : fail_nccl(communicator, result, "NCCL");
}

wl_error wl__communicator_check(struct wl__communicator *communicator, const char *call) {
    const wl_error error = check_communicator(communicator);
    return error ? wl__communicator_abort(communicator, call) : WL_ERROR_OK;
}

/* Whether the event was reached.  The communicator is asked afterwards: an error of it is one of this call,
 * whatever the event says. */
static wl_error look(struct wl__communicator *communicator, wl_context *context, CUevent event,
                     bool *reached) {
    wl_error error = wl__enter(context);
    if (error)
        return error;
    const CUresult result = context->driver.cuEventQuery(event);
    wl__leave(context);
    *reached = result == CUDA_SUCCESS;
    if (!*reached && result != CUDA_ERROR_NOT_READY)
        return wl__driver_check(&context->driver, result, "cuEventQuery");
    return check_communicator(communicator);
}

wl_error wl__communicator_await(struct wl__communicator *communicator, wl_context *context, CUevent event,
                                unsigned milliseconds, const char *call, const char *missing) {
    const double start = now_ms();
    for (;;) {
        const double waited = now_ms() - start;
        bool reached = false;
        wl_error error = look(communicator, context, event, &reached);
        if (!error && reached)
            return WL_ERROR_OK;
        if (!error && waited >= milliseconds)
            error =
                wl__fail(WL_ERROR_COMMUNICATION, "%s: not done after %u ms: %s", call, milliseconds, missing);
        if (error)
            return wl__communicator_abort(communicator, call);
        sleep_a_little(waited);
    }
}
