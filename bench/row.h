/* One row of a run: a rung at one size, offset, stride, block and unroll, and its result. */
#ifndef WIDELOAD_BENCH_ROW_H
#define WIDELOAD_BENCH_ROW_H

#include "bench/clocks.h"
#include "bench/experiment.h"
#include "bench/statistics.h"
#include "ladder/ladder.h"

enum bench_status {
    BENCH_PENDING,  /* not run yet, or not run because the device failed before */
    BENCH_VERIFIED, /* every element is right */
    BENCH_FAILED,   /* a wrong result or an error; `note` says which */
    BENCH_SKIPPED,  /* the rung does not apply; `note` says why */
};

/* The L2 cache before a sample holds unrelated data (cold) or what the last launch left (hot). */
enum bench_l2 { BENCH_L2_COLD, BENCH_L2_HOT };

struct bench_row {
    const struct bench_experiment *experiment;
    const struct wl_rung *rung;
    struct wl_problem problem; /* sizes, offset, stride, block, unroll; no addresses */
    char library_version[24];  /* of the rung's library; "": our own rung, or the library is not installed */
    enum bench_status status;
    char note[400];
    uint64_t bytes;      /* by the rung's formula */
    uint64_t operations; /* 0: the rung has none */

    /* Only on a GPU; elsewhere has_time is false and numbers are NaN. */
    bool has_time;
    struct bench_summary time_ms;
    enum bench_stop stop;
    enum bench_l2 l2;
    unsigned launches; /* per sample */
    bool replayed;     /* the launches of a sample are one CUDA graph */
    bool has_clocks;
    struct bench_clock_sample clocks; /* medians and all throttle reasons of the row's samples */
    bool fits_l2;                     /* the working set is less than 4 times the L2 cache */
    double gbps, pct_peak, pct_copy, gops;

    struct wl_occupancy occupancy; /* all 0: the rung is not a kernel */

    /* Only on the simulator. */
    bool has_counters;
    wl_counters counters; /* of one launch */
};

/* The row's block: the requested one or the rung's own; {0, 0}: the rung has none. */
struct bench_block bench_row_block(const struct bench_row *row);

/* Whether results name the row's matrix: the default one has no name there, as in files from before there
 * were others. */
bool bench_has_matrix(const struct bench_row *row);

/* Why a row has no figures; NULL: no remark. */
const char *bench_row_remark(const struct bench_row *row);

/* Resident warps in percent of the maximum of a multiprocessor; NaN: no kernel. */
double bench_occupancy_pct(const struct bench_row *row);

/* "cold", "hot" */
const char *bench_l2_name(enum bench_l2 l2);

/* "512" or "32x8" as --block takes it; "" for a rung without a block. */
void bench_block_text(struct bench_block block, char *out, size_t out_size);

/* A row's name in messages: "read-offset/plain offset 11 block 512". */
void bench_row_text(const struct bench_row *row, char *out, size_t out_size);

#endif
