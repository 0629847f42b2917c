/* Reasons why a function's instruction counts may differ from a GPU's, as far as its text shows: bits of enum
 * sim_doubt.  docs/counters.md has the reasons, and how often they were right. */
#ifndef WIDELOAD_SIM_DOUBT_H
#define WIDELOAD_SIM_DOUBT_H

#include <stdint.h>

#include "sim/exec/lower/loops.h"

/* Blocks that are all in doubt once lanes have diverged at one of the branches. */
struct doubt_region {
    uint32_t *branches, *blocks; /* the function's blocks, by number */
    size_t branch_count, block_count;
};

/* How an access depends on data whose contents depend on the order of threads (handed.c): bits for the memory
 * that each kernel parameter points to, and for atomics' old values. */
struct handed_access {
    uint64_t reads;  /* sources that decide how often it runs, and where */
    uint64_t to;     /* of a store: the memory it writes */
    uint64_t leaves; /* and the sources that decide what is stored where */
};

struct handed {
    struct handed_access *of; /* by PTX instruction; NULL: not a kernel */
    uint64_t raced;           /* what one block reads while others may write it */
};

struct doubts {
    uint16_t *of; /* by PTX instruction, regardless of its lanes */
    struct doubt_region *regions;
    size_t region_count;
    uint32_t *storage; /* the regions' lists */
    struct handed handed;
    bool arrays; /* ptxas may keep its arrays in local memory in registers */
};

/* False on out-of-memory. */
bool doubts_find(const struct ptx_function *function, const struct flow *flow, struct doubts *out);
void doubts_free(struct doubts *doubts);

/* doubt_values.c, part of doubts_find(): finds what depends on values that other threads write concurrently,
 * and arrays in local memory.  False on out-of-memory. */
bool doubts_of_values(const struct ptx_function *function, const struct flow *flow,
                      const struct flow_loops *loops, struct doubts *out);

/* handed.c, part of doubts_find().  False on out-of-memory. */
bool handed_find(const struct ptx_function *function, const struct flow *flow, struct handed *out);
struct sim_launch;
/* Returns the bits of such data that the launch's kernel is given; and records what a store of it leaves. */
uint64_t handed_to(const struct sim_launch *launch);
void handed_on(const struct sim_launch *launch, size_t instruction, uint64_t handed);

#endif
