/* For sort.cu and runs.cuh: the rows of a warp's entries, from where rows begin. */
#ifndef WIDELOAD_LIB_SORT_ROWS_CUH
#define WIDELOAD_LIB_SORT_ROWS_CUH

#include "lib/sparse/sort_search.cuh"

#define WL_WARP_ENTRIES (32 * WL_EACH)
/* Rows that begin within a warp's entries, up to which their starts are marked; else each entry searches its
 * row. */
#define WL_MARKED 16384
/* Rows of a lane whose starts are read at once. */
#define WL_STARTS_AT_ONCE 8

/* Marks each entry with which one of the rows from `from` on begins: by how many rows after `first` that is.
 * Rows without entries mark none, so if starts ascend, no two rows mark one entry: the maximum is for others.
 * If the kind of index were not known here, the loads would wait for each other. */
template <typename index>
static __device__ __forceinline__ void wl_mark_some(const struct wl_sort_rows &starts, uint64_t begin,
                                                    uint64_t first, uint64_t from, uint64_t last,
                                                    uint32_t *marks) {
    const uint32_t lane = threadIdx.x % 32;
    const index *start = (const index *)wl_global(starts.array) + from + lane;
    index at[WL_STARTS_AT_ONCE], next[WL_STARTS_AT_ONCE];
#pragma unroll
    for (uint32_t i = 0; i < WL_STARTS_AT_ONCE; i++) {
        const bool is_row = from + i * 32 + lane <= last;
        at[i] = is_row ? start[i * 32] : 0;
        next[i] = is_row ? start[i * 32 + 1] : 0;
    }
#pragma unroll
    for (uint32_t i = 0; i < WL_STARTS_AT_ONCE; i++)
        if (at[i] != next[i] && (index)(at[i] - (index)begin) < WL_WARP_ENTRIES)
            atomicMax(&marks[(index)(at[i] - (index)begin)], (uint32_t)(from + i * 32 + lane - first));
}

static __device__ __forceinline__ void wl_mark_rows(const struct wl_sort_rows &starts, uint64_t begin,
                                                    uint64_t first, uint64_t last, uint32_t *marks) {
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (uint32_t i = 0; i < WL_WARP_ENTRIES / 4; i += 32)
        ((uint4 *)marks)[i + lane] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    for (uint64_t from = first + 1; from <= last; from += 32 * WL_STARTS_AT_ONCE)
        if (starts.bytes == 4)
            wl_mark_some<uint32_t>(starts, begin, first, from, last, marks);
        else
            wl_mark_some<uint64_t>(starts, begin, first, from, last, marks);
    __syncwarp();
}

/* The rows of a warp's entries begin to end - 1; lane l's i-th is 32 i + l.  first: the row of the first one.
 * last: the last one's row or a later one.  marks: of the warp's entries. */
static __device__ __forceinline__ void wl_find_rows(const struct wl_sort_rows &starts, uint64_t begin,
                                                    uint64_t end, uint64_t first, uint64_t last,
                                                    uint32_t *marks, uint32_t rows[WL_EACH]) {
    const uint32_t lane = threadIdx.x % 32;
    if (last - first > WL_MARKED) {
#pragma unroll 1
        for (uint32_t i = 0; i < WL_EACH; i++) {
            const uint64_t at = begin + i * 32 + lane;
            const uint32_t row = at < end ? (uint32_t)wl_row_of(starts, at, first, last + 1) : 0;
#pragma unroll
            for (uint32_t j = 0; j < WL_EACH; j++)
                rows[j] = i == j ? row : rows[j];
        }
        return;
    }
    wl_mark_rows(starts, begin, first, last, marks);
    /* An entry's row is the last one that is marked at it or before. */
    uint32_t most = 0;
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++) {
        const uint32_t mark = marks[i * 32 + lane], marked = __ballot_sync(WL_EVERY, mark != 0),
                       before = marked & (2u << lane) - 1;
        const uint32_t found = __shfl_sync(WL_EVERY, mark, 31 - __clz(before));
        rows[i] = (uint32_t)first + (before ? found : most);
        const uint32_t highest = __shfl_sync(WL_EVERY, mark, 31 - __clz(marked));
        most = marked ? highest : most;
    }
}

#endif
