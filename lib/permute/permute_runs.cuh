/* What permute_narrow.cu and its kin (permute_fill.cuh) share: runs of a tile's columns, and their
 * ends.  The including file defines place_of(). */
#ifndef WIDELOAD_KERNELS_PERMUTE_RUNS_CUH
#define WIDELOAD_KERNELS_PERMUTE_RUNS_CUH

#include "lib/permute/permute_bulk.cuh"

/* Runs of a tile's columns: the place of the first in the output, the table of its rows' places, and its
 * offset along them. */
struct run {
    uint64_t to;
    uint32_t table, along;
};

static __device__ __forceinline__ void note_runs(const struct wl_permute_bulk &p, uint64_t tile) {
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
        run.table = p.row_table + wl_divide_any(row, &p.turn) * p.table;
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

/* The place in shared memory of element i of the first column of a run. */
static __device__ __forceinline__ uint32_t place_of(const struct wl_permute_bulk &p, const struct run &run,
                                                    uint32_t i);

/* Stores the runs' parts of sectors that are not wholly theirs, one element per lane.  A lane has the same
 * element of all columns, counted from the run's begin or its end, and finds its place once for several: they
 * were a third of all instructions where runs are short. */
static __device__ __forceinline__ void store_ends(const struct wl_permute_bulk &p, uint32_t ends) {
    enum { SIDES = SECTOR > 16 ? 2 : 1, EACH = SIDES == 2 ? 32 : 2 * SECTOR };
    const uint32_t each = p.wraps ? p.inner.count : 1, slot = threadIdx.x % SECTOR,
                   at_end = SIDES == 2 ? 0 : threadIdx.x / SECTOR % 2;
    for (uint32_t task = threadIdx.x / 32; task < p.runs * p.end_parts.count; task += WL_THREADS / 32) {
        const uint32_t r = wl_divide_any(task, &p.end_parts),
                       first = (task - r * p.end_parts.count) * p.ends_each;
        const struct run run = run_of(p, r);
        uint32_t element[SIDES], place[SIDES];
#pragma unroll
        for (uint32_t side = 0; side < SIDES; side++) {
            element[side] =
                side | at_end ? max((int32_t)(p.total - SECTOR + slot), 0) : min(slot, p.total - 1);
            place[side] = place_of(p, run, element[side]);
        }
        const uint32_t past = min(first + p.ends_each, p.ends);
        for (uint32_t number = first + threadIdx.x % 32 / EACH; number < past; number += 32 / EACH) {
            const uint32_t column = number * each;
            uint64_t to = run.to + column * p.column_out;
            if (p.inner.count < p.columns)
                to += wl_divide(column, &p.inner) * p.column_skip;
            const uint32_t before = min(before_sector(to), p.total), after = (p.total - before) % SECTOR;
#pragma unroll
            for (uint32_t side = 0; side < SIDES; side++)
                if (side | at_end ? ends & 2 && slot >= SECTOR - after : ends & 1 && slot < before)
                    *(wl_element *)(to + element[side] * WL_WIDTH) =
                        *(const wl_element *)(wl_permute_memory + place[side] + column * p.column_in);
        }
    }
}

#endif
