/* Makes the rows of a request.  A request is refused as a whole if any part of it cannot run. */
#ifndef WIDELOAD_BENCH_PLAN_H
#define WIDELOAD_BENCH_PLAN_H

#include "bench/inputs.h"
#include "bench/matrices.h"
#include "bench/peers/peers.h"
#include "bench/row.h"

struct bench_request {
    const char *const *experiments; /* none: all */
    size_t experiment_count;
    struct bench_names kernels;            /* none: all */
    struct bench_sizes sizes;              /* none: the default for the device */
    struct bench_numbers offsets, strides; /* none: the defaults */
    struct bench_numbers bytes;            /* instead of sizes: as many elements as move this many bytes */
    struct bench_numbers widths, types, from_shifts, to_shifts; /* none: the experiment's own */
    struct bench_field_choices fields; /* none: the experiment's own; the plan's problems point into it */
    struct bench_orders orders;        /* none: the experiment's own */
    struct bench_matrices matrices;    /* the same, and the problems point into it, too */
    struct bench_blocks blocks;        /* none: each rung's own */
    struct bench_numbers unrolls;      /* none: each rung's own */
    struct bench_peer_choice peers;    /* all 0: none */
    unsigned gpus;                     /* of experiments that have several; 0: WL_DEVICES_LEAST */
    double peak_gbps;                  /* 0: the driver's figure */
    bool hot;                          /* leave the L2 cache as the last launch left it */
    bool graph;                        /* with hot only: a sample is one replay of a CUDA graph of calls */
    uint64_t seed;
    size_t samples; /* 0: until the spread is small enough */
    double seconds; /* maximum time of a row */
};

/* The arrays that a section's rows share. */
struct bench_needs {
    struct bench_extents extents;
    unsigned device_outputs; /* bit i: out[i] exists on the device */
    uint64_t work_bytes;     /* on each device */
};

/* An experiment at one size and variant. */
struct bench_section {
    const struct bench_experiment *experiment;
    struct bench_row *rows;
    size_t row_count;
    struct bench_needs needs;
    bool default_size; /* the request has no size: it depends on the device */
};

struct bench_plan {
    struct bench_section *sections;
    size_t section_count;
    size_t row_count; /* of all sections */
    wl_device_info device;
    bool simulator;
    double peak_gbps; /* 0: unknown */
    /* Devices of the experiments that have several; NULL: there are too few, and `group_absent` says why. The
     * caller sets it before bench_plan_admit(), and owns it. */
    const struct wl_group *group;
    const char *group_absent;
    /* Facts about the run for the results. */
    const char *const *command; /* the program's arguments, owned by the caller */
    size_t command_count;
    uint64_t seed;
    double sm_mhz_most, memory_mhz_most; /* NaN: unknown */
};

/* Bytes of the guard before and after every device array. */
enum { BENCH_GUARD_BYTES = 4096 };

/* Maximum rows of a plan. */
enum { BENCH_ROW_LIMIT = 100000 };

/* Makes the rows: experiments in the ladder's order, then sizes, then rungs.  Needs no device.  The caller
 * frees the plan, also after a failure. */
bool bench_plan_make(struct bench_plan *plan, const struct bench_request *request, struct base_error *error);

/* How many devices the plan's experiments need; 1 if none has several. */
unsigned bench_plan_gpus(const struct bench_plan *plan);

/* Finds the rows that apply on the device and checks the memory: the device's, and the host's for inputs,
 * expected outputs and, on the simulator, device arrays.  On a GPU, default sizes are increased until the
 * working set is 4 times the L2 cache or memory is full. */
bool bench_plan_admit(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
                      struct base_error *error);

/* Whether the section before belongs to the same experiment. */
bool bench_section_goes_on(const struct bench_plan *plan, const struct bench_section *section);

/* The number of sections in the table that ends with this section; 0: the table continues after it.  The
 * variants of a library operation share a table, which also ends with a section that has a failed row. */
size_t bench_section_table(const struct bench_plan *plan, const struct bench_section *section);

void bench_plan_free(struct bench_plan *plan);

/* Device and host bytes of a section's arrays, of all its devices. */
uint64_t bench_device_bytes(const struct bench_needs *needs, unsigned gpus);
uint64_t bench_host_bytes(const struct bench_needs *needs);
/* Extends the needs by a rung's arrays. */
void bench_needs_add(struct bench_needs *needs, wl_context *context, const struct wl_rung *rung,
                     const struct wl_problem *problem);
/* Bytes of the buffer that is overwritten to empty the L2 cache. */
uint64_t bench_flush_bytes(const wl_device_info *device);

#endif
