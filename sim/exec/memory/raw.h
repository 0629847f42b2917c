/* Where allocations lie when memory is not packed: ranges of this process's own memory, with red zones.
 *
 * A kernel that runs may still hold the address of what was freed, and its bounds may have been looked at
 * just before.  So while kernels run no range goes back to the process: it is kept, for kernels' own next
 * mallocs, and goes back when none runs any more.
 *
 * Thread-safety: calls on one sim_raws come one at a time. */
#ifndef WIDELOAD_SIM_RAW_H
#define WIDELOAD_SIM_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_raw {
    struct sim_raw *next; /* of a list of kept ones */
    void *at;
    size_t mapped; /* bytes of its own mapping; 0: it is of malloc() */
    size_t room;   /* bytes for the caller: a power of two, if it may serve again; else 0 */
    uint64_t base; /* where the caller's bytes begin, aligned to 512 */
};

enum { SIM_RAW_SIZES = 64 };

struct sim_raws {
    struct sim_raw *spare[SIM_RAW_SIZES]; /* kept, by room: a kernel's malloc takes them */
    struct sim_raw *kept;                 /* the others */
};

struct sim_shared;

/* NULL: out of memory.  size: at most SIZE_MAX / 2.  again: another allocation may use it after this one,
 * while kernels run.  apart: it has a mapping of its own, however small it is, if the process may have one
 * more. */
struct sim_raw *sim_raw_take(struct sim_raws *raws, size_t size, bool again, bool apart);
/* One that maps shared pages; base is where they begin.  NULL: out of memory or mappings. */
struct sim_raw *sim_raw_map(const struct sim_shared *shared);
/* Drops what a mapping holds and keeps its addresses, so that they are not used again; kernels that run may
 * still touch it, others may not.  False where the process has too many mappings: then it is as it was. */
bool sim_raw_drop(const struct sim_raw *raw, bool running);
/* To the process, or, while kernels run, to those that are kept. */
void sim_raw_give(struct sim_raws *raws, struct sim_raw *raw, bool running);
/* Gives what is kept to the process. */
void sim_raws_settle(struct sim_raws *raws);

#endif
