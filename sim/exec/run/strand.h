/* The interface between strands (strand.c) and the joins where they meet (join.c).  Private to these two.
 *
 * A branch has one or two joins.  The first is at the immediate post-dominator: all lanes that part at the
 * branch reach it, unless they exit.  The second is nearer, and not all lanes reach it: lanes on a path that
 * bypasses it give it up (meet.c). */
#ifndef WIDELOAD_SIM_STRAND_H
#define WIDELOAD_SIM_STRAND_H

#include "sim/exec/worker.h"

/* Faults on out-of-memory. */
struct sim_strand *sim_strand_new(struct sim_warp *warp);
void sim_strand_remove(struct sim_warp *warp, struct sim_strand *strand);
/* Drops a reference. */
void sim_frame_release(struct sim_warp *warp, struct sim_frame *frame);

/* Sets up the joins where lanes of the running strand that part at the end of a block will meet.
 * farther, nearer: NULL if there is none. */
void sim_join_expect(struct sim_warp *warp, const struct sim_insn *farther, const struct sim_insn *nearer,
                     uint32_t block);
/* Sends lanes of the running strand to target.  True: target is a join, where they wait without a strand. */
bool sim_join_park(struct sim_warp *warp, uint32_t lanes, const struct sim_insn *target);
/* Call when lanes have exited that were under this join (NULL: none) and those outside it. */
void sim_join_leave(struct sim_warp *warp, struct sim_join *join, uint32_t lanes);
/* Resumes the lanes parked at the running strand's joins. */
void sim_join_release(struct sim_warp *warp);
/* Frees all the warp's joins, at its end. */
void sim_joins_end(struct sim_warp *warp);

#endif
