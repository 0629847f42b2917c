/* From a request to the rows that will run, refused as a whole where any part of it cannot. */
#ifndef WIDELOAD_BENCH_PLAN_H
#define WIDELOAD_BENCH_PLAN_H

#include "bench/inputs.h"
#include "bench/peers/peers.h"
#include "bench/row.h"

struct bench_request {
    const char *const *experiments; /* none: all */
    size_t experiment_count;
    struct bench_names kernels;            /* none: all */
    struct bench_sizes sizes;              /* none: those that suit the device */
    struct bench_numbers offsets, strides; /* the same */
    struct bench_numbers bytes;            /* in place of sizes: as many elements as move these */
    struct bench_numbers widths, types, from_shifts, to_shifts; /* none: the experiment's own */
    struct bench_field_choices fields; /* the same; the plan's problems point into it */
    struct bench_orders orders;
    struct bench_blocks blocks;     /* none: each rung's own */
    struct bench_numbers unrolls;   /* the same */
    struct bench_peer_choice peers; /* none where it is all 0 */
    double peak_gbps;               /* 0: what the driver says */
    bool hot;                       /* leave the second-level cache as the last run left it */
    uint64_t seed;
    size_t samples; /* 0: as many as the spread asks for */
    double seconds; /* a row's time at most */
};

/* The arrays that a section's rows share. */
struct bench_needs {
    struct bench_extents extents;
    unsigned device_outputs; /* bit i: out[i] exists on the device */
    uint64_t work_bytes;
};

/* An experiment at one size. */
struct bench_section {
    const struct bench_experiment *experiment;
    struct bench_row *rows;
    size_t row_count;
    struct bench_needs needs;
    bool default_size; /* no size was asked for: it follows the device */
};

struct bench_plan {
    struct bench_section *sections;
    size_t section_count;
    size_t row_count; /* of all sections */
    wl_device_info device;
    bool simulator;
    double peak_gbps; /* 0 when unknown */
    /* What the results say of the run besides its rows. */
    const char *const *command; /* the program's arguments; the caller's */
    size_t command_count;
    uint64_t seed;
    double sm_mhz_most, memory_mhz_most; /* NaN when unknown */
};

/* Bytes of pattern before and after every device array. */
enum { BENCH_GUARD_BYTES = 4096 };

/* Rows of a plan at most. */
enum { BENCH_ROW_LIMIT = 100000 };

/* The rows of a request: experiments in the ladder's order, of each its sizes, of each its rungs.  Needs no
 * device.  The caller frees the plan in any case. */
bool bench_plan_make(struct bench_plan *plan, const struct bench_request *request, struct base_error *error);

/* Gives default sizes on a GPU a working set of 4 times its second-level cache, as far as memory suffices;
 * asks the device which rows apply and whether memory suffices: on the device, and on the host for inputs,
 * expected outputs and, under the simulator, the device's own arrays. */
bool bench_plan_admit(struct bench_plan *plan, wl_context *context, const struct bench_request *request,
                      struct base_error *error);

/* Whether the section before is of the same experiment, at another size. */
bool bench_section_goes_on(const struct bench_plan *plan, const struct bench_section *section);

/* How many sections, this one as the last of them, stand in one table; 0: this one's rows stand in a table
 * that goes on.  Variants of the library's operations make one table, up to a section where a row failed. */
size_t bench_section_table(const struct bench_plan *plan, const struct bench_section *section);

void bench_plan_free(struct bench_plan *plan);

/* Device and host bytes that a section's arrays take. */
uint64_t bench_device_bytes(const struct bench_needs *needs);
uint64_t bench_host_bytes(const struct bench_needs *needs);
/* Adds a rung's arrays to what is needed. */
void bench_needs_add(struct bench_needs *needs, wl_context *context, const struct wl_rung *rung,
                     const struct wl_problem *problem);
/* The buffer that is overwritten to empty a cache of l2_bytes. */
uint64_t bench_flush_bytes(const wl_device_info *device);

#endif
