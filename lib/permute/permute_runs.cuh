/* What permute_narrow.cu and its kin (permute_fill.cuh) share: runs of a tile's columns, and their
 * ends.  The including file defines store_element(). */
#ifndef WIDELOAD_KERNELS_PERMUTE_RUNS_CUH
#define WIDELOAD_KERNELS_PERMUTE_RUNS_CUH

#include "lib/permute/permute_bulk.cuh"

/* Runs of a tile's columns: the place of the first in the output, the table of its rows' places, and its
 * offset along them. */
struct run {
    uint64_t to;
    uint32_t table, along;
};

/* table_bytes: bytes of a table of rows' places. */
static __device__ __forceinline__ void note_runs(const struct wl_permute_bulk &p, uint64_t tile,
                                                 uint32_t table_bytes) {
    struct run *table = (struct run *)(wl_permute_memory + p.run_table);
    for (uint32_t r = threadIdx.x; r < p.runs; r += WL_THREADS) {
        struct run run = {tile, 0, 0};
        uint32_t number = r, row = 0;
        for (uint32_t i = 0; i < p.run_parts; i++) {
            uint32_t digit = wl_digit_of(&number, &p.run[i].by);
            run.to += digit * p.run[i].out;
            row += digit * p.run[i].rows;
            run.along += digit * p.run[i].along;
        }
        run.table = p.row_table + wl_divide_any(row, &p.turn) * table_bytes;
        *(uint4 *)&table[r] = *(uint4 *)&run;
    }
}

static __device__ __forceinline__ struct run run_of(const struct wl_permute_bulk &p, uint32_t r) {
    uint4 word = *(const uint4 *)(wl_permute_memory + p.run_table + r * sizeof(struct run));
    struct run run = {(uint64_t)word.y << 32 | word.x, word.z, word.w};
    return run;
}

/* Elements up to the next sector. */
static __device__ __forceinline__ uint32_t before_sector(uint64_t to) {
    return (0u - (uint32_t)to) % WL_PERMUTE_SECTOR / WL_WIDTH;
}

/* Stores element i of a column's run to an address. */
static __device__ __forceinline__ void store_element(const struct wl_permute_bulk &p, const struct run &run,
                                                     uint64_t to, uint32_t column, uint32_t i);

/* Stores the runs' parts of sectors that are not wholly theirs, one element per lane. */
static __device__ __forceinline__ void store_ends(const struct wl_permute_bulk &p, uint32_t ends) {
    const uint32_t lane = threadIdx.x % 32, each = p.wraps ? p.inner.count : 1, length = p.total;
    for (uint32_t i = threadIdx.x / 32; i < p.runs * p.ends.count; i += WL_THREADS / 32) {
        const uint32_t r = p.runs == 1 ? 0 : wl_divide_any(i, &p.ends),
                       column = (i - r * p.ends.count) * each;
        const struct run run = run_of(p, r);
        uint64_t to = run.to + column * p.column_out;
        if (p.inner.count < p.columns)
            to += wl_divide(column, &p.inner) * p.column_skip;
        const uint32_t before = min(before_sector(to), length), after = (length - before) % SECTOR,
                       last = length - after + lane;
        if (ends & 1 && lane < before)
            store_element(p, run, to + lane * WL_WIDTH, column, lane);
        if (ends & 2 && lane < after)
            store_element(p, run, to + last * WL_WIDTH, column, last);
    }
}

#endif
