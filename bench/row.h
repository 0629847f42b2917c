/* One row of a run: a rung at one size, offset, stride, block and unroll, and what came of it. */
#ifndef WIDELOAD_BENCH_ROW_H
#define WIDELOAD_BENCH_ROW_H

#include "bench/clocks.h"
#include "bench/experiment.h"
#include "bench/statistics.h"
#include "ladder/ladder.h"

enum bench_status {
    BENCH_PENDING,  /* not run: the device broke before */
    BENCH_VERIFIED, /* every element was right */
    BENCH_FAILED,   /* wrong, or an error; `note` says which */
    BENCH_SKIPPED,  /* the rung does not apply; `note` says why */
};

/* What the second-level cache holds before a sample: something else, or what the last launch left. */
enum bench_l2 { BENCH_L2_COLD, BENCH_L2_HOT };

struct bench_row {
    const struct bench_experiment *experiment;
    const struct wl_rung *rung;
    struct wl_problem problem; /* sizes, offset, stride, block, unroll; no addresses */
    char library_version[24];  /* of the rung's library; "" where it is ours, or not there */
    enum bench_status status;
    char note[400];
    uint64_t bytes;      /* by the rung's formula */
    uint64_t operations; /* 0 where the rung has none */

    /* A GPU's: absent (has_time false, numbers NaN) elsewhere. */
    bool has_time;
    struct bench_summary time_ms;
    enum bench_stop stop;
    enum bench_l2 l2;
    unsigned launches; /* a sample */
    bool replayed;     /* as one CUDA graph */
    bool has_clocks;
    struct bench_clock_sample clocks; /* medians, and every reason seen, while it was sampled */
    bool fits_l2;                     /* the working set is less than 4 times the second-level cache */
    double gbps, pct_peak, pct_copy, gops;

    struct wl_occupancy occupancy; /* all 0 for a rung that is no kernel */

    /* The simulator's. */
    bool has_counters;
    wl_counters counters; /* of one launch */
};

/* The block that the row runs with: the one asked for or the rung's own; {0, 0} for a rung without one. */
struct bench_block bench_row_block(const struct bench_row *row);

/* Why a row has no figures; NULL when there is nothing to say. */
const char *bench_row_remark(const struct bench_row *row);

/* Resident warps of those that a multiprocessor has room for; NaN without a kernel. */
double bench_occupancy_pct(const struct bench_row *row);

/* "cold", "hot" */
const char *bench_l2_name(enum bench_l2 l2);

/* "512" or "32x8" as --block takes it; nothing for a rung without a block. */
void bench_block_text(struct bench_block block, char *out, size_t out_size);

/* "read-offset/plain offset 11 block 512": a row's name in messages. */
void bench_row_text(const struct bench_row *row, char *out, size_t out_size);

#endif
