/* The cost of a line's accesses beyond the minimum, and the reason in words.
 *
 * The unit is a transaction: a 32-byte sector of global or local memory (a cache line if the rules move
 * lines), or a wavefront of shared memory.  A multiprocessor's share of the memory bandwidth is about a
 * sector per cycle, and a wavefront takes a cycle, so the two may be added.
 *
 * The minimum is one transaction per request, or as many as the useful bytes fill if that is more.  Of global
 * atomics every lane's bytes count as useful, also where lanes name one word. */
#ifndef WIDELOAD_PROF_WASTE_H
#define WIDELOAD_PROF_WASTE_H

#include "prof/recording.h"

/* Sets sums.shared_load_conflicts and shared_store_conflicts, from the counters. */
void prof_line_conflicts(struct prof_line *line);

/* Transactions of all kinds, and those beyond the minimum, which is 0 for local memory. */
double prof_line_transactions(const struct prof_line *line);
double prof_line_waste(const struct prof_line *line);

/* The waste by kind of memory. */
struct prof_waste {
    double bytes;      /* of global and local memory: moved beyond the minimum */
    double wavefronts; /* of shared memory, beyond the minimum */
};
struct prof_waste prof_line_waste_parts(const struct prof_line *line);

/* "lanes 8 bytes apart: each 32-byte sector brings 16 useful bytes"; "" if nothing is wasted. */
void prof_line_reason(const struct prof_line *line, char *out, size_t size);

#endif
