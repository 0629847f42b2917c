/* Runs kernels of a PTX file on the simulator's core. */
#ifndef WIDELOAD_TESTS_EXEC_HARNESS_H
#define WIDELOAD_TESTS_EXEC_HARNESS_H

#include "sim/exec/sim.h"

struct harness {
    struct sim_memory *memory;
    struct sim_module *module;
    struct sim_check *check; /* NULL, or what watches the launches */
    struct sim_launch with; /* launches have its threads, cluster, cooperative, textures, heap and print... */
    struct wl_counters counters; /* of the last launch */
    struct sim_fault fault;
};

/* Memory without a module, and a module from PTX that is at hand; both fail the running test. */
void harness_start(struct harness *h);
void harness_load(struct harness *h, const char *name, const char *text, size_t size);
/* Fails the running test when the file cannot be read or the module is refused. */
void harness_open(struct harness *h, const char *ptx_file);
void harness_close(struct harness *h);
/* A buffer that a kernel may use; freed with the harness. */
void *harness_buffer(struct harness *h, size_t bytes);
/* Launches; params point at the kernel's parameters in order.  False when it faulted. */
bool harness_launch(struct harness *h, const char *kernel, unsigned grid, unsigned block, size_t shared,
                    const void *const *params);
bool harness_launch_3d(struct harness *h, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                       size_t shared, const void *const *params, unsigned threads);

#endif
