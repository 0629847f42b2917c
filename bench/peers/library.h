/* One library of peers.  A rung's launch has no argument for a handle, so each library keeps its own in its
 * file: one is open at a time, for one context. */
#ifndef WIDELOAD_BENCH_PEERS_LIBRARY_H
#define WIDELOAD_BENCH_PEERS_LIBRARY_H

#include <stddef.h>

#include "ladder/ladder.h"

struct peer_library {
    const char *name;   /* as in rows: "cuBLAS" */
    const char *option; /* as in --peers: "cublas" */
    const struct wl_rung *rungs;
    size_t rung_count;
    /* Both with the context current.  False: *why says what is not there, and there is nothing to close. */
    bool (*open)(char version[24], char why[200]);
    void (*close)(void);
};

extern const struct peer_library peer_cublas, peer_cusparse, peer_cutensor;

/* Why the library's rungs cannot run; NULL while it is open. */
const char *peer_absent(const struct peer_library *library);

/* The first of the files (NULL ends them) that opens: in $CUDA_HOME or $CUDA_PATH, where the loader looks, or
 * in /usr/local/cuda. */
void *peer_load(const char *const files[], char why[200]);
/* A function's address to *slot, whose type is a pointer to the function. */
bool peer_find(void *library, const char *name, void *slot, char why[200]);

/* The library's `get` asked for its version: major, minor, patch. */
void peer_version_text(int (*get)(int which, int *value), char version[24]);

/* A status other than 0 as the launch's failure. */
wl_error peer_check(int status, const char *call);

#endif
