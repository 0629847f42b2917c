/* Device memory that other processes map: CUDA's interprocess memory.
 *
 * The owner moves whole host pages that contain only device memory onto a file in memory (a memfd).  They
 * keep their addresses and contents.  After the pages the file has a table: for each exported allocation its
 * size and a random number that its name repeats.  The owner keeps the file open as long as one of its
 * allocations is exported, so another process opens it as /proc/PID/fd/FD.
 *
 * A name may come from anywhere, so it is not trusted.  The file must be of this kind and sealed against
 * shrinking under a reader, and its table must contain the name's random number.
 *
 * Thread-safety: only one thread at a time may use a list of shares; sim_share_open() is thread-safe. */
#ifndef WIDELOAD_SIM_SHARE_H
#define WIDELOAD_SIM_SHARE_H

#include "sim/exec/sim.h"

enum {
    SIM_SHARE_UNIT = 512,     /* allocations begin at multiples of this */
    SIM_SHARE_ENTRIES = 4096, /* in the table; allocations begin in the first 2 MiB */
};

/* Pages on one file, and their exported allocations. */
struct sim_share;

/* The name of the allocation at base, the same at each call.  Moves its pages (`bytes` from `first` on) onto
 * a file, unless they are on one; nobody may write to them meanwhile.  False if the process has no more
 * files, mappings or memory; then the contents are unchanged. */
bool sim_share_export(struct sim_share **shares, uint64_t first, size_t bytes, uint64_t base, size_t size,
                      struct sim_share_name *name);
/* Invalidates the name.  An allocation that was never exported is left alone. */
void sim_share_end(struct sim_share **shares, uint64_t base);
/* Closes all files.  The pages do not change. */
void sim_share_end_all(struct sim_share **shares);
/* The same in the child of a fork, which has the open files but not the pages. */
void sim_share_close_copies(const struct sim_share *shares);

/* Maps the shared pages under [offset, offset + size) contiguously from at on, replacing mappings there. */
bool sim_share_map(const struct sim_shared *shared, uint64_t at);
/* The allocation's offset in its first page, and its bytes counted from the beginning of that page. */
size_t sim_share_inset(const struct sim_shared *shared);
size_t sim_share_span(const struct sim_shared *shared);

#endif
