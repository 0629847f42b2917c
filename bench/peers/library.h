/* One library of peers.  A rung's launch function has no argument for a handle, so each library keeps one in
 * a static variable: it is open for one context at a time. */
#ifndef WIDELOAD_BENCH_PEERS_LIBRARY_H
#define WIDELOAD_BENCH_PEERS_LIBRARY_H

#include <stddef.h>

#include "ladder/ladder.h"

struct peer_library {
    const char *name;   /* in rows: "cuBLAS" */
    const char *option; /* in --peers: "cublas" */
    const struct wl_rung *rungs;
    size_t rung_count;
    /* Called with the context current.  False: `why` says what is missing, and nothing is open. */
    bool (*open)(char version[24], char why[200]);
    void (*close)(void);
};

extern const struct peer_library peer_cublas, peer_cusparse, peer_cutensor, peer_nccl;

/* Why the library's rungs cannot run; NULL: it is open. */
const char *peer_absent(const struct peer_library *library);

/* Opens the first of the files (ends with NULL) that can be opened: in $CUDA_HOME, in $CUDA_PATH, where the
 * loader looks, or in /usr/local/cuda. */
void *peer_load(const char *const files[], char why[200]);
/* Stores a symbol's address in *slot, a pointer to a function or a variable. */
bool peer_find(void *library, const char *name, void *slot, char why[200]);

/* Asks the library's `get` for the version: major, minor, patch. */
void peer_version_text(int (*get)(int which, int *value), char version[24]);

/* Makes a failure of the launch from a status other than 0. */
wl_error peer_check(int status, const char *call);

#endif
