/* Neighbouring shared-memory loads that ptxas makes one wider load of.
 *
 * Four 4-byte loads of one aligned 16-byte piece, from one register, in one basic block with nothing
 * between them that writes shared memory, become an LDS.128, and two become an LDS.64: fewer requests, and
 * other wavefronts.  The simulator still runs them one by one; the first is counted as the wide one and
 * the others not at all.  (Seen in the SASS of tiled matrix products, and in their counters on an H200.)
 */
#ifndef WIDELOAD_SIM_MERGE_H
#define WIDELOAD_SIM_MERGE_H

#include "sim/exec/flow.h"

struct merged_load {
    uint8_t bytes;  /* of the wide load that this one stands for; 0: it is counted as it is */
    int8_t shift;   /* from this load's address to the wide one's: 0, or -4 to -12 */
    bool uncounted; /* another stands for it */
};

/* One element an instruction, to be freed by the caller; NULL when out of memory.  Shared variables must
 * have been placed. */
struct merged_load *merge_find(const struct ptx_function *function, const struct flow *flow);

#endif
