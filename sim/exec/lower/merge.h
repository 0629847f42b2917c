/* Neighbouring accesses to shared memory that ptxas makes one wider access of.
 *
 * Four 4-byte loads, or two of 8 bytes, of one aligned 16-byte piece, from one register, in one basic block
 * with nothing between them that writes shared memory, become an LDS.128, and two of 4 bytes an LDS.64: fewer
 * requests, and other wavefronts.  So do stores with no other access to shared memory between them.  The
 * simulator still runs them one by one; the first is counted as the wide one and the others not at all.
 * (Seen in the SASS of tiled matrix products, and in their counters on an H200; stores and 8-byte accesses
 * in the counters of a bitonic sort and of a Fourier transform, tests/programs.)
 */
#ifndef WIDELOAD_SIM_MERGE_H
#define WIDELOAD_SIM_MERGE_H

#include "sim/exec/lower/flow.h"

struct merged_access {
    uint8_t bytes;  /* of the wide access that this one stands for; 0: it is counted as it is */
    int8_t shift;   /* from this access's address to the wide one's: 0, or -4 to -12 */
    bool uncounted; /* another stands for it */
    bool in_doubt;  /* ptxas may have moved it elsewhere, and merged it otherwise */
};

/* One element an instruction, to be freed by the caller; NULL when out of memory.  Shared variables must
 * have been placed. */
struct merged_access *merge_find(const struct ptx_function *function, const struct flow *flow);

#endif
