/* The arrays that the rows of one experiment share, on the device and on the host.
 *
 * Every device array lies between two guards.  Guards of inputs and of outputs have different patterns, so
 * that a kernel that copies past the end cannot write the right bytes into an output's guard. */
#ifndef WIDELOAD_BENCH_WORKSPACE_H
#define WIDELOAD_BENCH_WORKSPACE_H

#include "bench/plan.h"

enum {
    BENCH_POISON = 0x5a,      /* every byte of outputs before a run, and of the guards of outputs and work */
    BENCH_INPUT_GUARD = 0xc3, /* every byte of the guards of inputs */
    BENCH_CHUNK_BYTES = 8 << 20,
};

/* What one device has of an array: all of it, or with several devices the rows that are its share. */
struct bench_part {
    uint64_t first, bytes;
    wl_devptr allocation, data; /* 0: the array exists on the host only */
};

struct bench_array {
    enum bench_kind kind;
    uint32_t width; /* as in struct bench_extent */
    uint64_t bytes;
    struct bench_part parts[WL_DEVICES_MOST]; /* of the work area, each is whole */
    uint32_t *host; /* the contents of an input; the expected contents of an output */
};

struct bench_workspace {
    wl_context *contexts[WL_DEVICES_MOST]; /* each has a part of every array */
    unsigned devices;
    struct wl_parts parts; /* what problems of several devices point to */
    struct bench_array in[BENCH_INPUTS], out[BENCH_OUTPUTS], work;
    unsigned char *chunk; /* BENCH_CHUNK_BYTES for downloads */
    uint64_t seed;
    /* The problem whose results the outputs' host arrays hold now. */
    bool expected_known;
    enum wl_reference expected_reference;
    struct wl_problem expected_problem;
};

/* Allocates all arrays on `context`, or on the devices of problem->group if it has one, generates the inputs
 * (the sparse matrix of `problem` if the needs have indices) and uploads them.  After a failure nothing stays
 * allocated. */
bool bench_workspace_open(struct bench_workspace *workspace, wl_context *context,
                          const struct bench_needs *needs, const struct wl_problem *problem, uint64_t seed,
                          struct base_error *error);
void bench_workspace_close(struct bench_workspace *workspace);

/* Waits for all devices. */
wl_error bench_workspace_synchronize(const struct bench_workspace *workspace);

/* Uploads the inputs and their guards again after a kernel has overwritten them. */
bool bench_workspace_restore(struct bench_workspace *workspace, struct base_error *error);

/* Sets the problem's addresses to the arrays that the rung reads and writes, and the others to 0. */
void bench_workspace_bind(const struct bench_workspace *workspace, const struct wl_rung *rung,
                          struct wl_problem *problem);

/* Computes the rung's expected outputs, unless the last call computed the same. */
void bench_workspace_expect(struct bench_workspace *workspace, const struct wl_rung *rung,
                            const struct wl_problem *problem);

/* Overwrites the rung's outputs, their guards and the work area with poison, and synchronizes. */
bool bench_workspace_poison(struct bench_workspace *workspace, const struct wl_rung *rung,
                            struct base_error *error);

#endif
