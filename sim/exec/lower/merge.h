/* Neighbouring accesses to shared memory that ptxas merges into one wider access.
 *
 * Four 4-byte loads, or two 8-byte ones, of one aligned 16-byte piece, from one register, in one basic block
 * with nothing between them that writes shared memory, become an LDS.128, and two 4-byte loads an LDS.64:
 * fewer requests, and different wavefronts.  So do stores with no other access to shared memory between them.
 * The simulator still runs them one by one; it counts the first as the wide access and the others not at all.
 * (Seen in the SASS of tiled matrix products, and in their counters on an H200; stores and 8-byte accesses in
 * the counters of a bitonic sort and of a Fourier transform, tests/programs.)
 */
#ifndef WIDELOAD_SIM_MERGE_H
#define WIDELOAD_SIM_MERGE_H

#include "sim/exec/lower/flow.h"

struct merged_access {
    uint8_t bytes;  /* size of the wide access that this one stands for; 0: it is counted as it is */
    int8_t shift;   /* from this access's address to the wide one's: 0, or -4 to -12 */
    bool uncounted; /* another access stands for it */
    bool in_doubt;  /* ptxas may have moved it, and merged it differently */
};

/* One element per instruction; the caller frees it.  NULL on out-of-memory.  Shared variables must have been
 * placed. */
struct merged_access *merge_find(const struct ptx_function *function, const struct flow *flow);

#endif
