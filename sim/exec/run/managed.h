/* Managed variables, of which the modules of one text share one of each.  They live until the last of these
 * modules is unloaded.  Modules of one text add and find them in one order. */
#ifndef WIDELOAD_SIM_MANAGED_H
#define WIDELOAD_SIM_MANAGED_H

#include "sim/exec/sim.h"

struct sim_managed;

/* Room for so many variables, for one module; NULL: out of memory. */
struct sim_managed *sim_managed_create(struct sim_memory *memory, size_t capacity);
/* For one more module. */
struct sim_managed *sim_managed_share(struct sim_managed *managed);
/* For one module less.  NULL is allowed. */
void sim_managed_release(struct sim_managed *managed);
/* The address of one more variable; 0: out of memory.  Only before it is shared. */
uint64_t sim_managed_add(struct sim_managed *managed, const char *name, size_t size);
/* The address of the i-th variable added. */
uint64_t sim_managed_at(const struct sim_managed *managed, size_t i);

#endif
