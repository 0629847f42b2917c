/* Runs kernels of a PTX file on the simulator's core. */
#ifndef WIDELOAD_TESTS_EXEC_HARNESS_H
#define WIDELOAD_TESTS_EXEC_HARNESS_H

#include "sim/exec/sim.h"

struct harness {
    struct sim_memory *memory;
    struct sim_module *module;
    struct sim_check *check; /* NULL, or the checks that watch the launches */
    /* Launches have its threads, limit, cluster, cooperative, peers, textures, heap and print... */
    struct sim_launch with;
    struct wl_counters counters; /* for the last launch */
    struct sim_fault fault;
};

/* Memory without a module; a module from PTX in memory.  Both fail the running test on error. */
void harness_start(struct harness *h);
void harness_load(struct harness *h, const char *name, const char *text, size_t size);
/* Fails the running test if the file cannot be read or the module is refused. */
void harness_open(struct harness *h, const char *ptx_file);
void harness_close(struct harness *h);
/* A buffer for kernels; freed with the harness. */
void *harness_buffer(struct harness *h, size_t bytes);
/* Launches a kernel; params point to its parameters, in order.  False if it faulted. */
bool harness_launch(struct harness *h, const char *kernel, unsigned grid, unsigned block, size_t shared,
                    const void *const *params);
bool harness_launch_3d(struct harness *h, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                       size_t shared, const void *const *params, unsigned threads);

#endif
