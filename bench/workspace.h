/* The arrays that the rows of one experiment share, on the device and on the host.
 *
 * Every device array lies between two guard zones.  Inputs' guards and outputs' hold different patterns, so
 * that a kernel which copies past its end cannot put the right bytes into an output's guard. */
#ifndef WIDELOAD_BENCH_WORKSPACE_H
#define WIDELOAD_BENCH_WORKSPACE_H

#include "bench/plan.h"

enum {
    BENCH_POISON = 0x5a,      /* every byte of an output before a run; of outputs' and work's guards */
    BENCH_INPUT_GUARD = 0xc3, /* every byte of inputs' guards */
    BENCH_CHUNK_BYTES = 8 << 20,
};

struct bench_array {
    enum bench_kind kind;
    uint32_t width; /* as an extent's */
    uint64_t bytes;
    wl_devptr allocation, data; /* 0 when the array exists on the host only */
    uint32_t *host;             /* inputs: what is there; outputs: what must come */
};

struct bench_workspace {
    wl_context *context;
    struct bench_array in[BENCH_INPUTS], out[BENCH_OUTPUTS], work;
    unsigned char *chunk; /* BENCH_CHUNK_BYTES to download into */
    uint64_t seed;
    /* What the outputs' host arrays hold now. */
    bool expected_known;
    enum wl_reference expected_reference;
    struct wl_problem expected_problem;
};

/* Allocates everything, generates the inputs (a sparse matrix when `problem` has nnz and the needs are its)
 * and uploads them.  On failure nothing stays allocated. */
bool bench_workspace_open(struct bench_workspace *workspace, wl_context *context,
                          const struct bench_needs *needs, const struct wl_problem *problem, uint64_t seed,
                          struct base_error *error);
void bench_workspace_close(struct bench_workspace *workspace);

/* Puts the inputs and their guards back as they were, after a kernel has spoilt them. */
bool bench_workspace_restore(struct bench_workspace *workspace, struct base_error *error);

/* Sets the problem's addresses to the arrays that the rung reads and writes; the others are 0. */
void bench_workspace_bind(const struct bench_workspace *workspace, const struct wl_rung *rung,
                          struct wl_problem *problem);

/* Computes what the rung's outputs must be, unless the last call computed the same. */
void bench_workspace_expect(struct bench_workspace *workspace, const struct wl_rung *rung,
                            const struct wl_problem *problem);

/* Overwrites the rung's outputs, their guards and the work area with poison, and waits. */
bool bench_workspace_poison(struct bench_workspace *workspace, const struct wl_rung *rung,
                            struct base_error *error);

#endif
