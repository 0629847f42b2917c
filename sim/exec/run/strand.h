/* What strands (strand.c) and the joins where they meet (join.c) know of each other.  Private to these two.
 *
 * A branch has one or two joins.  All lanes that part there come to the first one, at the immediate
 * post-dominator, unless they end.  The second is nearer, and not all lanes come to it: those on a way that
 * leads past it give it up (meet.c). */
#ifndef WIDELOAD_SIM_STRAND_H
#define WIDELOAD_SIM_STRAND_H

#include "sim/exec/worker.h"

/* Faults when memory is short. */
struct sim_strand *sim_strand_new(struct sim_warp *warp);
void sim_strand_remove(struct sim_warp *warp, struct sim_strand *strand);
/* Gives back a reference. */
void sim_frame_release(struct sim_warp *warp, struct sim_frame *frame);

/* Makes sure that lanes of the running strand which part at the end of a block meet at the branch's places.
 * farther, nearer: NULL where there is none. */
void sim_join_expect(struct sim_warp *warp, const struct sim_insn *farther, const struct sim_insn *nearer,
                     uint32_t block);
/* Lanes of the running strand go to target alone; true: they wait there, and need no strand. */
bool sim_join_park(struct sim_warp *warp, uint32_t lanes, const struct sim_insn *target);
/* Lanes have ended that were under this join (NULL: none) and those outside it. */
void sim_join_leave(struct sim_warp *warp, struct sim_join *join, uint32_t lanes);
/* Lets the lanes go on that are parked at the running strand's joins. */
void sim_join_release(struct sim_warp *warp);
/* At the warp's end: gives back all of its joins. */
void sim_joins_end(struct sim_warp *warp);

#endif
