/* The parameters of the kernels that merge sorted runs: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_RUNS_PARAMETERS_H
#define WIDELOAD_KERNELS_RUNS_PARAMETERS_H

#include <stdint.h>

#define WL_RUNS 5
/* Threads of a block, and entries or starts of each of them. */
#define WL_RUNS_THREADS 256
#define WL_RUNS_EACH    16
/* What a block has in shared memory: a mark of each of its entries. */
#define WL_RUNS_SHARED (WL_RUNS_THREADS * WL_RUNS_EACH * 4)

/* Indices have 4 bytes, so there are less than 2^31 entries.  Run r has the input's entries r * run to (r +
 * 1) * run - 1, sorted by their keys, at the same places of the arrays that are merged. */
struct wl_runs {
    uint64_t failed;               /* uint32_t: 0 if the result is there already; no address: it is not */
    uint64_t run_starts;           /* [run][keys + 1]: where a key's entries begin in a run */
    uint64_t starts;               /* [keys + 1]: where they begin in the output */
    uint64_t others, values;       /* [entry]: the runs' */
    uint64_t to_others, to_values; /* [entry] */
    uint64_t keys, entries, run;
    uint32_t width; /* bytes of a value: 0, 1, 2, 4, 8 or 16 */
};

#endif
