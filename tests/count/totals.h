/* Sums over the requests of a launch, as in the hardware counters. */
#ifndef WIDELOAD_TESTS_COUNT_TOTALS_H
#define WIDELOAD_TESTS_COUNT_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/count/count.h"

struct total {
    uint64_t requests, transactions, moved, useful;
};

typedef struct count_result count_fn(const struct count_rules *, const struct count_access *);

/* Counts one access of a warp and adds it.  A mask of 0 adds nothing: hardware counts no request for an
 * instruction whose lanes are all inactive. */
void total_add(struct total *total, count_fn *count, const struct count_rules *rules,
               const struct count_access *access);

/* Useful bytes per moved byte in hundredths of a percent, rounded as the profiler prints it (ties to even); 0
 * if nothing was moved. */
unsigned total_percent(const struct total *total);

/* The hardware probe's index data: n numbers below 100000 from its linear congruential generator. */
void probe_index(uint32_t *index, size_t n);

/* A xorshift generator for random patterns; *state must not be 0. */
uint64_t next_random(uint64_t *state);

#endif
