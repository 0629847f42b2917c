/* Device memory that other processes map: CUDA's interprocess memory.
 *
 * The owner moves whole pages of the host, which hold nothing but device memory, onto a file in memory (a
 * memfd).  They keep their addresses and what they hold.  Behind the pages the file has a table: the size of
 * each exported allocation, and a random number that its name repeats.  The owner keeps the file open as long
 * as one of its allocations is exported, so another process opens it as /proc/PID/fd/FD.
 *
 * A name comes from anywhere, so nothing in it is believed.  The file has to be one of this kind, sealed so
 * that nobody can make it shorter under a reader, and its table has to hold the name's random number.
 *
 * Thread-safety: calls on one list of shares come one at a time; sim_share_open() may be called from any
 * thread. */
#ifndef WIDELOAD_SIM_SHARE_H
#define WIDELOAD_SIM_SHARE_H

#include "sim/exec/sim.h"

enum {
    SIM_SHARE_UNIT = 512,     /* allocations begin at multiples of it */
    SIM_SHARE_ENTRIES = 4096, /* of the table: allocations begin in the first 2 MiB */
};

/* Pages on one file, with the allocations there that are exported. */
struct sim_share;

/* The name of the allocation at base, the same at each call.  Its pages, bytes from first on, go onto a file,
 * unless they lie on one already; nobody may write to them meanwhile.  False where the process may have no
 * more files, mappings or memory: then what they hold is as it was. */
bool sim_share_export(struct sim_share **shares, uint64_t first, size_t bytes, uint64_t base, size_t size,
                      struct sim_share_name *name);
/* The name is nobody's any more.  An allocation that was never exported is left alone. */
void sim_share_end(struct sim_share **shares, uint64_t base);
/* Closes all files.  The pages stay as they are. */
void sim_share_end_all(struct sim_share **shares);
/* The same in the child of a fork, which has the files open and not the pages. */
void sim_share_close_copies(const struct sim_share *shares);

/* Maps the shared pages under [offset, offset + size), one after the other from at on, over what is mapped
 * there. */
bool sim_share_map(const struct sim_shared *shared, uint64_t at);
/* How far into its first page the allocation begins, and the bytes from the beginning of that page. */
size_t sim_share_inset(const struct sim_shared *shared);
size_t sim_share_span(const struct sim_shared *shared);

#endif
