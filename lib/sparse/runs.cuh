/* Merges runs of a sparse matrix's entries, each of which is sorted.  Part of sums.cu, since a module of its
 * own would cost each context more than these two kernels do.
 *
 * A key's entries are those of the first run, then those of the second, and so on, as runs follow each other
 * in the input.  So the output's starts are the sums of the runs' starts, and an entry's place among its
 * key's says which run it is from.  A block writes neighbouring entries of the output; they have neighbouring
 * keys, so what it reads of each run lies together, too.
 *
 * Traffic: the runs' starts are read two times; their sums are written once, and read once; each entry is
 * read and written once.
 *
 * Bad input does no harm: a run's starts ascend to its length whatever its keys are (a key out of range
 * starts nothing), and what is written before the first start is any entry. */
#include "lib/sparse/runs_parameters.h"

#define WL_EACH WL_RUNS_EACH
#include "lib/sparse/sort_rows.cuh"

extern __shared__ __align__(16) uint8_t wl_runs_memory[];

/* A thread's starts are WL_RUNS_THREADS apart. */
extern "C" __global__ void __launch_bounds__(WL_RUNS_THREADS)
    wl_runs_starts(const __grid_constant__ struct wl_runs p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    const uint32_t *from = (const uint32_t *)wl_global(p.run_starts);
    uint32_t *to = (uint32_t *)wl_global(p.starts);
    const uint64_t begin = (uint64_t)blockIdx.x * (WL_RUNS_THREADS * WL_RUNS_EACH) + threadIdx.x;
#pragma unroll
    for (uint32_t i = 0; i < WL_RUNS_EACH; i++) {
        const uint64_t key = begin + i * WL_RUNS_THREADS;
        if (key > p.keys)
            return;
        uint32_t sum = 0;
#pragma unroll
        for (uint32_t run = 0; run < WL_RUNS; run++)
            sum += from[run * (p.keys + 1) + key];
        to[key] = sum;
    }
}

/* The place among the runs' entries of the output's entry `at`, which has this key: in the first run that has
 * more of the key's entries than are left.  Then `left` falls below 0, which is more than any count.  All
 * starts are loaded at once. */
static __device__ __forceinline__ uint32_t wl_place_in_runs(const struct wl_runs &p, uint32_t at,
                                                            uint32_t key) {
    const uint32_t *starts = (const uint32_t *)wl_global(p.run_starts) + key;
    uint32_t first[WL_RUNS], end[WL_RUNS];
#pragma unroll
    for (uint32_t run = 0; run < WL_RUNS; run++) {
        first[run] = starts[run * (p.keys + 1)];
        end[run] = starts[run * (p.keys + 1) + 1];
    }
    uint32_t left = at - ((const uint32_t *)wl_global(p.starts))[key], place = 0;
#pragma unroll
    for (uint32_t run = 0; run < WL_RUNS; run++) {
        const uint32_t count = end[run] - first[run];
        place = left < count ? run * (uint32_t)p.run + first[run] + left : place;
        left -= count;
    }
    return place;
}

template <typename type>
static __device__ __forceinline__ void wl_move_runs(uint64_t from, uint64_t to, uint32_t at, uint32_t count,
                                                    const uint32_t places[WL_EACH]) {
    const type *source = (const type *)wl_global(from);
    type *target = (type *)wl_global(to) + at, values[WL_EACH];
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        if (i * 32 < count)
            values[i] = __ldcs(source + places[i]);
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        if (i * 32 < count)
            target[i * 32] = values[i];
}

/* A warp has WL_WARP_ENTRIES neighbouring entries, and lane l's i-th is 32 i + l of them. */
extern "C" __global__ void __launch_bounds__(WL_RUNS_THREADS)
    wl_runs_merge(const __grid_constant__ struct wl_runs p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t begin = ((uint64_t)blockIdx.x * (WL_RUNS_THREADS / 32) + warp) * WL_WARP_ENTRIES;
    if (begin >= p.entries)
        return;
    const uint64_t end = min(begin + WL_WARP_ENTRIES, p.entries);
    const struct wl_sort_rows starts = {p.starts, p.keys, 4};
    /* Half of the lanes look for the first entry's key, and the others for the last one's. */
    const uint64_t found = wl_row_of(starts, lane < 16 ? begin : end - 1, 0, p.keys);
    const uint64_t first = __shfl_sync(WL_EVERY, found, 0), last = __shfl_sync(WL_EVERY, found, 16);
    uint32_t keys[WL_EACH], places[WL_EACH];
    wl_find_rows(starts, begin, end, first, last, (uint32_t *)wl_runs_memory + warp * WL_WARP_ENTRIES, keys);
    const uint32_t at = (uint32_t)begin + lane, count = at < end ? (uint32_t)end - at : 0;
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        places[i] = i * 32 < count ? wl_place_in_runs(p, at + i * 32, keys[i]) : 0;
    wl_move_runs<uint32_t>(p.others, p.to_others, at, count, places);
    if (p.width == 1)
        wl_move_runs<uint8_t>(p.values, p.to_values, at, count, places);
    else if (p.width == 2)
        wl_move_runs<uint16_t>(p.values, p.to_values, at, count, places);
    else if (p.width == 4)
        wl_move_runs<uint32_t>(p.values, p.to_values, at, count, places);
    else if (p.width == 8)
        wl_move_runs<uint2>(p.values, p.to_values, at, count, places);
    else if (p.width == 16)
        wl_move_runs<uint4>(p.values, p.to_values, at, count, places);
}
