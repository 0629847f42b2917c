/* What the tests of hostile PTX share: a text is loaded and refused, or loaded and launched. */
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

/* The text is refused at a place in it, with these words, and leaves no memory behind. */
void hostile_refused(const char *text, const char *why);

/* How k is launched: with one parameter, and one thread of the host's. */
struct how {
    uint64_t param;
    uint32_t blocks, threads, cluster, limit,
        workers;         /* 0: one block, 32 threads, no clusters, no limit, 1 */
    size_t shared, heap; /* heap 0: there is none */
    unsigned checks;
    bool packed;
    size_t buffer; /* the parameter is an allocation of so many bytes, 4 KiB of which are zeros */
    const struct sim_texture *textures; /* or there are two, of the objects that these make of that */
};

struct outcome {
    struct sim_fault fault;
    unsigned findings, freed; /* that checks had; of these, of freed memory */
    unsigned char buffer[4096];
};

/* Loads the text and launches its kernel k. */
struct outcome hostile_run(const char *text, struct how how);
/* The same with a value in each '$' of the text. */
struct sim_fault hostile_run_with(const char *text, const char *value, struct how how);
/* The fault of one warp, within `limit` basic blocks; 0: no limit. */
struct sim_fault hostile_launched_for(const char *text, uint32_t limit);
struct sim_fault hostile_launched(const char *text);

#endif
