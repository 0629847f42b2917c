/* Sums over the requests of a launch, as the hardware counters keep them. */
#ifndef WIDELOAD_TESTS_COUNT_TOTALS_H
#define WIDELOAD_TESTS_COUNT_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/count/count.h"

struct total {
    uint64_t requests, transactions, moved, useful;
};

typedef struct count_result count_fn(const struct count_rules *, const struct count_access *);

/* Counts one access of a warp and adds it; a mask of 0 adds nothing, as hardware counts no request for an
 * instruction whose lanes are all off. */
void total_add(struct total *total, count_fn *count, const struct count_rules *rules,
               const struct count_access *access);

/* Useful of moved bytes in hundredths of a percent, rounded as the profiler prints it (ties to even);
 * 0 where nothing moved. */
unsigned total_percent(const struct total *total);

/* The index data of the hardware probe: n numbers below 100000 of its linear congruential generator. */
void probe_index(uint32_t *index, size_t n);

/* A xorshift generator for random patterns; *state must not be 0. */
uint64_t next_random(uint64_t *state);

#endif
