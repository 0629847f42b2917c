/* Why the counts of instructions may not be a GPU's, as far as the text of a function shows it: bits of enum
 * sim_doubt.  docs/counters.md has the reasons, and how often they were right. */
#ifndef WIDELOAD_SIM_DOUBT_H
#define WIDELOAD_SIM_DOUBT_H

#include <stdint.h>

#include "sim/exec/lower/loops.h"

/* Blocks of which all are in doubt once lanes have parted at one of the branches. */
struct doubt_region {
    uint32_t *branches, *blocks; /* the function's blocks, by number */
    size_t branch_count, block_count;
};

/* What an access has to do with data whose contents depend on the order in which threads came (handed.c):
 * bits that stand for what the kernel's parameters point to, and for atomics' old values. */
struct handed_access {
    uint64_t reads;  /* on what it depends how often it runs, and where it goes to */
    uint64_t to;     /* of a store: the memory */
    uint64_t leaves; /* and on what it depends what lies where in it */
};

struct handed {
    struct handed_access *of; /* by PTX instruction; NULL: it is no kernel */
    uint64_t raced;           /* what one block reads while others may write it */
};

struct doubts {
    uint16_t *of; /* by PTX instruction: whatever its lanes do */
    struct doubt_region *regions;
    size_t region_count;
    uint32_t *storage; /* the regions' lists */
    struct handed handed;
    bool arrays; /* ptxas may keep its arrays of local memory in registers */
};

/* false: out of memory. */
bool doubts_find(const struct ptx_function *function, const struct flow *flow, struct doubts *out);
void doubts_free(struct doubts *doubts);

/* doubt_values.c, part of doubts_find(): what depends on values that other threads write meanwhile, and where
 * arrays of local memory are.  false: out of memory. */
bool doubts_of_values(const struct ptx_function *function, const struct flow *flow,
                      const struct flow_loops *loops, struct doubts *out);

/* handed.c, part of doubts_find().  false: out of memory. */
bool handed_find(const struct ptx_function *function, const struct flow *flow, struct handed *out);
struct sim_launch;
/* What a launch's kernel is given of such data; and passes on what a store of it left behind. */
uint64_t handed_to(const struct sim_launch *launch);
void handed_on(const struct sim_launch *launch, size_t instruction, uint64_t handed);

#endif
