/* The instruction handlers that are not lane arithmetic; the lowering points instructions at them. */
#ifndef WIDELOAD_SIM_HANDLERS_H
#define WIDELOAD_SIM_HANDLERS_H

#include "sim/exec/insn.h"

/* Wrappers: run in->body under a guard; once the lanes of a .sync mask have met. */
sim_run_fn sim_run_guarded, sim_run_converged;

/* strand.c: block entry (index: the block's number in the module), joins, branches, calls, exits. */
sim_run_fn sim_run_enter, sim_run_enter_join;
sim_run_fn sim_run_jump, sim_run_branch, sim_run_switch;
sim_run_fn sim_run_enter_loop, sim_run_rounds; /* rounds.c */
sim_run_fn sim_run_call, sim_run_return, sim_run_exit, sim_run_trap;

/* barrier.c: bar/barrier.sync, .arrive, .red (small: enum sim_barrier_op), bar.warp.sync; barrier.cluster. */
enum sim_barrier_op {
    SIM_BARRIER_SYNC,
    SIM_BARRIER_ARRIVE,
    SIM_BARRIER_POPC,
    SIM_BARRIER_AND,
    SIM_BARRIER_OR
};
sim_run_fn sim_run_barrier, sim_run_warp_barrier, sim_run_cluster_arrive, sim_run_cluster_wait;

/* special.c: mov from a special register (small: its number); addresses of local variables; isspacep,
 * cvta (imm: the window); mapa and getctarank, by their addresses' width; nanosleep; fences, which only
 * checks mind; instructions without an effect here (prefetches). */
sim_run_fn sim_run_explicit_cluster, sim_run_mapa32, sim_run_mapa64, sim_run_getctarank32,
    sim_run_getctarank64;
sim_run_fn sim_run_special32, sim_run_special64, sim_run_local_address32, sim_run_local_address64;
sim_run_fn sim_run_cvta_to, sim_run_cvta_from, sim_run_isspacep, sim_run_rest, sim_run_fence, sim_run_nothing;
/* The number of "%tid.x" and its width in bytes; -1 when unknown. */
int sim_special_find(const char *name, unsigned *bytes);

/* load_store.c, atomic.c; extra: struct sim_memop.  A poll load is one that may wait for another thread's
 * store. */
sim_run_fn sim_run_load, sim_run_poll_load, sim_run_store, sim_run_param_load, sim_run_frame_load,
    sim_run_frame_store;
sim_run_fn sim_run_atomic, sim_run_async_copy;

/* matrix_multiply.c (extra: struct sim_multiply), matrix_move.c (struct sim_matrix_move, sim_matrix_rows). */
sim_run_fn sim_run_multiply_floats, sim_run_multiply_doubles, sim_run_multiply_integers,
    sim_run_multiply_bits;
sim_run_fn sim_run_load_matrix, sim_run_store_matrix, sim_run_load_rows, sim_run_store_rows,
    sim_run_transpose;

/* mbarrier.c; extra: struct sim_mbarrier, struct sim_bulk_copy. */
sim_run_fn sim_run_mbarrier, sim_run_mbarrier_wait, sim_run_mbarrier_pending, sim_run_bulk_copy;

/* tensor_map.c: a field of a word (extra: struct sim_map_bits); each lane's own word of a map; the map that a
 * fence or a prefetch names (imm: the offset). */
sim_run_fn sim_run_map_field, sim_run_lane_word32, sim_run_lane_word64, sim_run_map_line;

/* texture.c; extra: struct sim_fetch. */
sim_run_fn sim_run_texture;

/* services.c: the handler (extra: struct sim_call) of a function that every device has; NULL if there is none
 * of that name with such parameters. */
struct ptx_function;
sim_run_fn *sim_service_find(const struct ptx_function *function);
sim_run_fn sim_run_printf, sim_run_malloc, sim_run_free, sim_run_assert_fail;

#endif
