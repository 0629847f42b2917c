/* The executor's calls to the checks.  Call each only while w->check (or the launch's check) is set: a launch
 * without checks pays one predictable branch per access.  Private to sim/exec.
 */
#ifndef WIDELOAD_SIM_CHECK_HOOKS_H
#define WIDELOAD_SIM_CHECK_HOOKS_H

#include "sim/exec/check/check.h"
#include "sim/exec/worker.h"

struct sim_lanes;

/* launch.c.  Whether the launch has this check (enum sim_check_set).  If so, an error that it finds is not
 * executed, even if hardware would execute it. */
bool sim_check_wants(const struct sim_warp *w, unsigned check);

/* access.c.  Removes lanes whose access is bad, sets their destinations to zero, and checks the rest for
 * races and unwritten bytes.  False if no lane is left.  The site's pattern must be that of the lanes;
 * removing lanes does not change it. */
bool sim_check_access(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                      enum sim_space space, struct sim_lanes *lanes, unsigned bytes);
/* The same for lanes that differ from the site's pattern (atomics, where one lane may stand for all). */
bool sim_check_lanes(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                     enum sim_space space, struct sim_lanes *lanes, unsigned bytes);
/* The same for lanes that access another block's shared memory. */
bool sim_check_far(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                   struct sim_block *owner, struct sim_lanes *lanes, unsigned bytes);
/* Bytes that the copy engine moves for a lane, within bounds: read from global memory, written to it, written
 * to a block's shared memory.  They race with nothing. */
void sim_check_bulk_load(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t address,
                         uint32_t size);
void sim_check_bulk_store(struct sim_warp *w, uint64_t address, uint32_t size);
void sim_check_bulk_fill(struct sim_block *owner, uint64_t offset, uint32_t size);
/* Checks only the bounds, for accesses without races and unwritten bytes (constants). */
bool sim_check_bounds(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                      enum sim_space space, struct sim_lanes *lanes, unsigned bytes);

/* bounds.c.  These lanes fetch through an invalid texture object: reports it and sets their results to zero.
 * False: not reported; the launch stops. */
bool sim_check_no_texture(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                          uint32_t lanes, uint64_t handle, bool destroyed);

/* launch.c: one per launch, and one per running block. */
struct check_launch *sim_check_launch_begin(struct sim_check *check, const struct sim_launch *launch);
/* Reports the findings. */
void sim_check_launch_end(struct check_launch *launch);
/* NULL on out-of-memory. */
struct check_block *sim_check_block_create(struct check_launch *launch, const struct sim_worker *worker,
                                           uint32_t warps);
void sim_check_block_free(struct check_block *block);
void sim_check_block_start(struct check_block *check, const struct sim_block *block);
/* Call when all its threads have exited. */
void sim_check_block_end(struct sim_block *block);

/* order.c: ordering between accesses of different threads. */
void sim_check_fence(struct sim_warp *w);
/* A wait for an mbarrier's phase is ordered after the arrivals. */
void sim_check_release(struct sim_warp *w);
void sim_check_acquire(struct sim_warp *w);
/* bar.arrive, barrier.cluster.arrive: the lanes of w->mask go on; what they did precedes the barrier. */
void sim_check_barrier_arrive(struct sim_warp *w, uint32_t id);
/* Call before releasing the strands that wait at it. */
void sim_check_barrier_complete(struct sim_block *block, uint32_t id);
/* The same for a cluster's barrier; the cluster may be unchecked. */
void sim_check_cluster_complete(struct sim_cluster *cluster);
/* The lanes of w->mask wait at their cluster's barrier after it is complete. */
void sim_check_cluster_wait(struct sim_warp *w);
/* The lanes of a .sync instruction have met.  members: the operand with each lane's member mask. */
void sim_check_met(struct sim_warp *w, const struct sim_code *code, const struct sim_insn *in, uint32_t lanes,
                   const uint32_t *members);

/* sync.c */
/* These two are also called for unchecked launches, where they note possible findings for the report. */
/* Lanes parked at join are released because nothing else in the block can run. */
void sim_check_let_go(struct sim_warp *w, const struct sim_join *join);
/* A shuffle by the lanes of w->mask; from: each lane's source lane. */
void sim_check_shuffle(struct sim_warp *w, const struct sim_insn *in, const uint32_t from[SIM_LANES]);
/* A fault that ends the launch; text: what happened, without the place. */
void sim_check_fault(struct sim_warp *w, const struct sim_insn *in, unsigned lane, enum sim_fault_kind kind,
                     uint64_t address, const char *text);

#endif
