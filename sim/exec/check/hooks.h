/* Where the executor tells the checks what happens.  Each is called only while w->check (or the launch's
 * check) is set: a launch without checks pays one predictable branch an access.  Private to sim/exec.
 */
#ifndef WIDELOAD_SIM_CHECK_HOOKS_H
#define WIDELOAD_SIM_CHECK_HOOKS_H

#include "sim/exec/check/check.h"
#include "sim/exec/worker.h"

struct sim_lanes;

/* launch.c.  Whether the launch has this check (enum sim_check_set): what it finds then goes on no further,
 * though hardware would. */
bool sim_check_wants(const struct sim_warp *w, unsigned check);

/* access.c.  Takes lanes off whose access is bad, gives their destinations zeros, and looks at what is left
 * for races and unwritten bytes.  False when no lane is left.  The pattern of the instruction's site must be
 * that of the lanes; it still is when lanes were taken off. */
bool sim_check_access(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                      enum sim_space space, struct sim_lanes *lanes, unsigned bytes);
/* The same for lanes that are not the site's pattern (atomics, of which one lane may stand for all). */
bool sim_check_lanes(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                     enum sim_space space, struct sim_lanes *lanes, unsigned bytes);
/* The same for lanes that go to another block's shared memory. */
bool sim_check_far(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                   struct sim_block *owner, struct sim_lanes *lanes, unsigned bytes);
/* Bytes that the copy engine moves for a lane, within bounds: read from global memory, written to it, written
 * to a block's shared memory.  They race with nothing. */
void sim_check_bulk_load(struct sim_warp *w, const struct sim_insn *in, unsigned lane, uint64_t address,
                         uint32_t size);
void sim_check_bulk_store(struct sim_warp *w, uint64_t address, uint32_t size);
void sim_check_bulk_fill(struct sim_block *owner, uint64_t offset, uint32_t size);
/* Only the bounds, for accesses that have no race and no unwritten bytes (constants). */
bool sim_check_bounds(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                      enum sim_space space, struct sim_lanes *lanes, unsigned bytes);

/* bounds.c.  A fetch of these lanes through no texture object: told of, and their results are zeros.  False
 * when it is not to be told of: the launch stops. */
bool sim_check_no_texture(struct sim_warp *w, const struct sim_insn *in, const struct sim_memop *op,
                          uint32_t lanes, uint64_t handle, bool destroyed);

/* launch.c: one a launch, and one a block that runs. */
struct check_launch *sim_check_launch_begin(struct sim_check *check, const struct sim_launch *launch);
/* Tells the findings. */
void sim_check_launch_end(struct check_launch *launch);
/* NULL when out of memory. */
struct check_block *sim_check_block_create(struct check_launch *launch, const struct sim_worker *worker,
                                           uint32_t warps);
void sim_check_block_free(struct check_block *block);
void sim_check_block_start(struct check_block *check, const struct sim_block *block);
/* All its threads have exited. */
void sim_check_block_end(struct sim_block *block);

/* order.c: what orders accesses of different threads. */
void sim_check_fence(struct sim_warp *w);
/* What waits at an mbarrier's phase comes after what arrived at it. */
void sim_check_release(struct sim_warp *w);
void sim_check_acquire(struct sim_warp *w);
/* bar.arrive, barrier.cluster.arrive: the lanes of w->mask go on, but what they did comes before the barrier.
 */
void sim_check_barrier_arrive(struct sim_warp *w, uint32_t id);
/* Called before the strands that wait at it are let go. */
void sim_check_barrier_complete(struct sim_block *block, uint32_t id);
/* The same of a cluster's; it may have no checks. */
void sim_check_cluster_complete(struct sim_cluster *cluster);
/* The lanes of w->mask come to wait at their cluster's barrier when it is complete already. */
void sim_check_cluster_wait(struct sim_warp *w);
/* A .sync instruction whose lanes have met; members: the operand with each lane's member mask. */
void sim_check_met(struct sim_warp *w, const struct sim_code *code, const struct sim_insn *in, uint32_t lanes,
                   const uint32_t *members);

/* sync.c */
/* Both also of launches that are not checked: what would be a finding is noted for the report. */
/* Lanes parked at join are let go because nothing else in the block can run. */
void sim_check_let_go(struct sim_warp *w, const struct sim_join *join);
/* A shuffle by the lanes of w->mask; from: the lane whose value each gets. */
void sim_check_shuffle(struct sim_warp *w, const struct sim_insn *in, const uint32_t from[SIM_LANES]);
/* A fault that ends the launch; text: what happened, without the place. */
void sim_check_fault(struct sim_warp *w, const struct sim_insn *in, unsigned lane, enum sim_fault_kind kind,
                     uint64_t address, const char *text);

#endif
