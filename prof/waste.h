/* What a line's accesses cost beyond the least, and why, in words.
 *
 * The unit is one transaction: a 32-byte sector of global or local memory (a line where the rules move
 * lines), or one pass through the banks of shared memory.  A multiprocessor's share of the bandwidth of
 * device memory is about a sector a cycle, and a pass takes a cycle, so they may be added up.
 *
 * The least is a transaction a request, or as many as the bytes fill where that is more. */
#ifndef WIDELOAD_PROF_WASTE_H
#define WIDELOAD_PROF_WASTE_H

#include "prof/recording.h"

/* Sets sums.shared_load_conflicts and shared_store_conflicts, from the counters. */
void prof_line_conflicts(struct prof_line *line);

/* Transactions of all kinds, and those beyond the least; all of local memory is beyond it. */
double prof_line_transactions(const struct prof_line *line);
double prof_line_waste(const struct prof_line *line);

/* "lanes 8 bytes apart: each 32-byte sector brings 16 useful bytes"; "" where nothing is wasted. */
void prof_line_reason(const struct prof_line *line, char *out, size_t size);

#endif
