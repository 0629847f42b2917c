/* A second process with its own driver, which carries out requests: CUDA's interprocess memory needs two
 * processes. */
#ifndef WIDELOAD_TESTS_DRIVER_IPC_H
#define WIDELOAD_TESTS_DRIVER_IPC_H

#include <sys/types.h>

#include "tests/cuda/api.h"

enum request_kind {
    REQUEST_OPEN,   /* handle, with flags: at */
    REQUEST_CLOSE,  /* at */
    REQUEST_FREE,   /* at */
    REQUEST_ALLOC,  /* size: at */
    REQUEST_EXPORT, /* at: handle */
    REQUEST_WRITE,  /* size bytes at at: value, value + 1, ... */
    REQUEST_READ,   /* the same bytes: size is the number of right ones */
    REQUEST_STORE,  /* a kernel stores the word value at `at` */
    REQUEST_RANGE,  /* at: at and size of its allocation */
    REQUEST_FILES,  /* size: number of open files */
    REQUEST_EVENT,  /* handle of an event: opens it, waits for it, records it and destroys it */
    REQUEST_RESET,  /* destroys its context and makes another */
};

struct request {
    enum request_kind kind;
    unsigned flags, value;
    CUipcMemHandle handle;
    CUdeviceptr at;
    size_t size;
};

struct reply {
    CUresult error;
    CUdeviceptr at;
    size_t size;
    CUipcMemHandle handle;
};

/* Initialises the driver and makes a context, on the device that TEST_IPC_DEVICE names; strict: memory is not
 * packed.  False on failure. */
bool ipc_begin(bool strict);
/* Carries out a request in this process. */
struct reply ipc_do(const struct request *request);

struct peer {
    pid_t process;
    int requests, replies;
};

/* Starts the program at path again, with the argument "peer" or "peer-strict". */
struct peer ipc_start(bool strict);
/* For main() in such a program; returns its exit status. */
int ipc_serve(bool strict);
struct reply ipc_ask(const struct peer *peer, struct request request);
/* Ends the process, which must exit without an error. */
void ipc_end(const struct peer *peer);

#endif
