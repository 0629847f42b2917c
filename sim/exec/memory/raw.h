/* The location of allocations when memory is not packed: ranges of this process's own memory, with red zones.
 *
 * A running kernel may still have the address of freed memory, and may have passed its bounds check just
 * before.  So while kernels run no range returns to the process.  It is kept for kernels' own mallocs, and
 * returned when no kernel runs any more.
 *
 * Thread-safety: one thread at a time may use a sim_raws. */
#ifndef WIDELOAD_SIM_RAW_H
#define WIDELOAD_SIM_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_raw {
    struct sim_raw *next; /* in a list of kept ones */
    void *at;
    size_t mapped; /* bytes of its own mapping; 0: from malloc() */
    size_t room;   /* bytes for the caller: a power of two if it is reusable; else 0 */
    uint64_t base; /* start of the caller's bytes, aligned to 512 */
};

enum { SIM_RAW_SIZES = 64 };

struct sim_raws {
    struct sim_raw *spare[SIM_RAW_SIZES]; /* kept, by room, for kernels' mallocs */
    struct sim_raw *kept;                 /* the others */
};

struct sim_shared;

/* NULL on out-of-memory.  size: at most SIZE_MAX / 2.  again: after this allocation another may use it, even
 * while kernels run.  apart: it gets its own mapping even if small, if the process may have one more. */
struct sim_raw *sim_raw_take(struct sim_raws *raws, size_t size, bool again, bool apart);
/* Maps shared pages; base is their beginning.  NULL: out of memory or mappings. */
struct sim_raw *sim_raw_map(const struct sim_shared *shared);
/* Drops a mapping's contents but keeps its addresses reserved, so that they are not reused.  Only running
 * kernels may still touch it.  False: the process has too many mappings, and nothing has changed. */
bool sim_raw_drop(const struct sim_raw *raw, bool running);
/* Returns it to the process; while kernels run, keeps it instead. */
void sim_raw_give(struct sim_raws *raws, struct sim_raw *raw, bool running);
/* Returns everything kept to the process. */
void sim_raws_settle(struct sim_raws *raws);

#endif
