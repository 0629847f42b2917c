/* Shared by the tests of hostile PTX: a text is loaded and refused, or loaded and launched. */
#ifndef WIDELOAD_TESTS_EXEC_HOSTILE_H
#define WIDELOAD_TESTS_EXEC_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/exec/check/check.h"
#include "sim/exec/sim.h"
#include "sim/exec/texture/texture.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"
#define KERNEL_HEAD                                                                                          \
    HEAD ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"
#define KERNEL(body) KERNEL_HEAD body "\nret;\n}\n"

/* Checks that the text is refused at a place in it, with this message, and leaks no memory. */
void hostile_refused(const char *text, const char *why);

/* How k is launched: with one parameter, and one host thread. */
struct how {
    uint64_t param;
    uint32_t blocks, threads, cluster, limit,
        workers;         /* 0: one block, 32 threads, no clusters, no limit, 1 */
    size_t shared, heap; /* heap 0: none */
    unsigned checks;
    bool packed;
    size_t buffer; /* the parameter is an allocation of this size, whose first 4 KiB are zeros */
    const struct sim_texture *textures; /* or there are two, of the objects that are made of this one */
};

struct outcome {
    struct sim_fault fault;
    unsigned findings, freed; /* findings of checks; how many of these are about freed memory */
    unsigned char buffer[4096];
};

/* Loads the text and launches its kernel k. */
struct outcome hostile_run(const char *text, struct how how);
/* The same with a value for each '$' in the text. */
struct sim_fault hostile_run_with(const char *text, const char *value, struct how how);
/* The fault of one warp, within `limit` basic blocks; 0: no limit. */
struct sim_fault hostile_launched_for(const char *text, uint32_t limit);
struct sim_fault hostile_launched(const char *text);

#endif
