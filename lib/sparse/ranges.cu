/* The transpose of a sparse matrix whose neighbouring rows have their entries in neighbouring columns, as
 * those of grids and bands do.  Compiled for indices of WL_INDEX bytes.
 *
 * A block has a range of columns, whose entries lie in few groups of rows.  A survey has listed the groups of
 * each range and counted its entries, so the block knows where its part of the output begins.  It reads the
 * indices of its groups two times: it counts the entries of each column, and then it puts each entry's number
 * and row into shared memory, where its column has room.  Columns are short.  So an entry's place in its
 * column is the number of the column's entries that come before it in the input.
 *
 * The survey checks all that this relies on, so the input may be anything: pointers ascend, indices are in
 * range, rows and columns are short, and each list has room.  If something does not hold, `failed` is set,
 * and the sort writes the result (sort.c).
 *
 * Traffic of each entry: the survey reads its index.  Placing reads it for each range in which its group has
 * entries, two times, but mostly from the L2, and its value once; it writes a row and a value.  With 4-byte
 * indices and values that is 20 bytes, where reading and writing each once would take 16.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"
#include "lib/sparse/block_sum.cuh"
#include "lib/sparse/ranges_parameters.h"

#define WL_PASTE(a, b) a##b
#define WL_JOIN(a, b)  WL_PASTE(a, b)
/* Entries of a row that the survey loads together. */
#define WL_ROW_EACH 4
/* Positions in a row that are told apart; the last one is all from there on. */
#define WL_POSITIONS 32
/* Rows of a group that a lane has. */
#define WL_ROWS (WL_GROUP / 32)

#if WL_INDEX == 4
typedef uint32_t wl_number;
#else
typedef uint64_t wl_number;
#endif

extern __shared__ __align__(16) uint8_t wl_range_memory[];

static __device__ __forceinline__ volatile uint32_t *wl_failed(const struct wl_ranges &p) {
    return (volatile uint32_t *)wl_global(p.failed);
}

/* ---------------------------------------------------------------- the survey */

/* The ranges that a group's entries lie in: lane i has the i-th one, its entries, and the positions in their
 * rows where these stand. */
struct wl_found {
    uint32_t range, entries, positions, count;
};

/* Of each lane's rows. */
struct wl_rows {
    wl_number begin[WL_ROWS];
    uint32_t count[WL_ROWS];
};

/* The rows' starts.  False: they are wrong, or a row is long. */
static __device__ __forceinline__ bool wl_survey_rows(const struct wl_ranges &p, uint64_t first,
                                                      struct wl_rows &rows) {
    const wl_number *pointers = (const wl_number *)wl_global(p.pointers);
    bool is_good = true;
#pragma unroll
    for (uint32_t i = 0; i < WL_ROWS; i++) {
        const uint64_t row = first + 32 * i;
        const wl_number begin = row < p.rows ? pointers[row] : 0, end = row < p.rows ? pointers[row + 1] : 0;
        is_good &= begin <= end && end <= p.entries && end - begin <= WL_ROW_MOST &&
                   (row != 0 || begin == 0) && (row + 1 != p.rows || end == p.entries);
        rows.begin[i] = begin;
        rows.count[i] = (uint32_t)(end - begin);
    }
    return __all_sync(WL_EVERY, is_good);
}

/* Adds entries that have one position in their rows: lane i keeps the i-th range.  False: there are too many.
 */
static __device__ __forceinline__ bool wl_find(struct wl_found &found, const uint32_t range[WL_ROWS],
                                               uint32_t position, const struct wl_rows &rows) {
    uint32_t left[WL_ROWS], any = 0;
#pragma unroll
    for (uint32_t i = 0; i < WL_ROWS; i++)
        any |= left[i] = __ballot_sync(WL_EVERY, position < rows.count[i]);
    while (any) {
        uint32_t one = 0, count = 0;
#pragma unroll
        for (uint32_t i = 0; i < WL_ROWS; i++)
            one = left[i] ? __shfl_sync(WL_EVERY, range[i], __ffs(left[i]) - 1) : one;
        any = 0;
#pragma unroll
        for (uint32_t i = 0; i < WL_ROWS; i++) {
            const uint32_t same = __ballot_sync(WL_EVERY, range[i] == one) & left[i];
            count += __popc(same);
            any |= left[i] ^= same;
        }
        const uint32_t known = __ballot_sync(WL_EVERY, threadIdx.x % 32 < found.count && found.range == one),
                       place = known ? __ffs(known) - 1 : found.count;
        if (place >= WL_GROUP_RANGES)
            return false;
        found.count += known == 0;
        if (threadIdx.x % 32 == place) {
            found.range = one;
            found.entries += count;
            found.positions |= 1u << min(position, WL_POSITIONS - 1);
        }
    }
    return true;
}

/* Finds a group's ranges.  False: the matrix is not fit.  A warp will look for a range's entries at all
 * positions where the group has some, which pays if those of one position lie in few ranges. */
static __device__ __forceinline__ bool wl_survey_group(const struct wl_ranges &p, uint64_t group,
                                                       struct wl_found &found) {
    const wl_number *indices = (const wl_number *)wl_global(p.indices);
    struct wl_rows rows;
    if (!wl_survey_rows(p, group * WL_GROUP + threadIdx.x % 32, rows))
        return false;
    uint32_t most = 0;
    bool in_range = true;
#pragma unroll
    for (uint32_t i = 0; i < WL_ROWS; i++)
        most = max(most, __reduce_max_sync(WL_EVERY, rows.count[i]));
    for (uint32_t from = 0; from < most; from += WL_ROW_EACH) {
        uint32_t range[WL_ROW_EACH][WL_ROWS];
#pragma unroll
        for (uint32_t j = 0; j < WL_ROW_EACH; j++)
#pragma unroll
            for (uint32_t i = 0; i < WL_ROWS; i++) {
                const wl_number column = from + j < rows.count[i] ? indices[rows.begin[i] + from + j] : 0;
                in_range &= column < p.cols;
                range[j][i] = (uint32_t)(column >> p.bits);
            }
#pragma unroll
        for (uint32_t j = 0; j < WL_ROW_EACH; j++)
            if (from + j < most && !wl_find(found, range[j], from + j, rows))
                return false;
    }
    const uint32_t visits = __reduce_add_sync(WL_EVERY, __popc(found.positions));
    return __all_sync(WL_EVERY, in_range) && visits <= WL_POSITION_RANGES * min(most, WL_POSITIONS);
}

/* A warp looks at a group. */
extern "C" __global__ void __launch_bounds__(WL_SURVEY_THREADS)
    WL_JOIN(WL_NAME, _survey)(const __grid_constant__ struct wl_ranges p) {
    wl_await_earlier();
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t warp = (uint64_t)blockIdx.x * (WL_SURVEY_THREADS / 32) + threadIdx.x / 32,
                   group = warp * p.step;
    /* `failed` may change meanwhile, so the lanes agree on what they read. */
    if (group * WL_GROUP >= p.rows || __any_sync(WL_EVERY, *wl_failed(p)))
        return;
    struct wl_found found = {0, 0, 0, 0};
    if (!wl_survey_group(p, group, found)) {
        *wl_failed(p) = 1;
        return;
    }
    if (p.step != 1 || lane >= found.count)
        return;
    atomicAdd((unsigned long long *)wl_global(p.entries_of) + found.range, (unsigned long long)found.entries);
    const uint32_t place = atomicAdd((uint32_t *)wl_global(p.groups_of) + found.range, 1);
    if (place < WL_RANGE_GROUPS)
        ((uint64_t *)wl_global(p.groups))[(uint64_t)found.range * WL_RANGE_GROUPS + place] =
            (uint64_t)found.positions << 32 | group;
}

/* ---------------------------------------------------------------- placing */

/* The entries of a range in shared memory, column by column. */
struct wl_range {
    uint32_t *sums, *ends, *entries, *rows;
    uint16_t *columns;
    uint64_t number, first_column;
    uint32_t count; /* columns */
};

static __device__ __forceinline__ struct wl_range wl_range_of(const struct wl_ranges &p, uint64_t number) {
    struct wl_range range;
    range.sums = (uint32_t *)wl_range_memory;
    range.ends = range.sums + 32;
    range.entries = range.ends + (1u << p.bits);
    range.rows = range.entries + WL_RANGE_ENTRIES;
    range.columns = (uint16_t *)(range.rows + WL_RANGE_ENTRIES);
    range.number = number;
    range.first_column = number << p.bits;
    range.count = (uint32_t)min((uint64_t)1 << p.bits, p.cols - range.first_column);
    return range;
}

/* Counts an entry, or takes a place for it, if it lies in the range. */
template <bool places>
static __device__ __forceinline__ void wl_visit_entry(const struct wl_range &range, wl_number column,
                                                      uint32_t entry, uint32_t row) {
    const wl_number place = column - (wl_number)range.first_column;
    if (place >= range.count)
        return;
    const uint32_t at = atomicAdd(&range.ends[place], 1);
    if (places && at < WL_RANGE_ENTRIES) {
        range.entries[at] = entry;
        range.rows[at] = row;
        range.columns[at] = (uint16_t)place;
    }
}

/* Counts the entries of columns, or takes places for them: ends[] has where columns begin.  A warp visits a
 * group, a lane WL_ROWS of its rows, of which it loads the entries at one position together. */
template <bool places>
static __device__ __forceinline__ void wl_visit_group(const struct wl_ranges &p, const struct wl_range &range,
                                                      uint64_t group, uint32_t positions) {
    const wl_number *pointers = (const wl_number *)wl_global(p.pointers),
                    *indices = (const wl_number *)wl_global(p.indices);
    const uint64_t row = group * WL_GROUP + threadIdx.x % 32;
    uint32_t begin[WL_ROWS], count[WL_ROWS];
#pragma unroll
    for (uint32_t i = 0; i < WL_ROWS; i++) {
        const bool is_row = row + 32 * i < p.rows;
        begin[i] = is_row ? (uint32_t)pointers[row + 32 * i] : 0;
        count[i] = is_row ? (uint32_t)pointers[row + 32 * i + 1] - begin[i] : 0;
    }
    for (uint32_t left = positions; left; left &= left - 1) {
        uint32_t at = __ffs(left) - 1;
        bool is_left;
        do {
            wl_number column[WL_ROWS];
#pragma unroll
            for (uint32_t i = 0; i < WL_ROWS; i++)
                column[i] = at < count[i] ? indices[begin[i] + at] : (wl_number)-1;
            is_left = false;
#pragma unroll
            for (uint32_t i = 0; i < WL_ROWS; i++) {
                wl_visit_entry<places>(range, column[i], begin[i] + at, (uint32_t)row + 32 * i);
                is_left |= at + 1 < count[i];
            }
            at++;
        } while (at >= WL_POSITIONS && is_left);
    }
}

template <bool places>
static __device__ __forceinline__ void wl_visit(const struct wl_ranges &p, const struct wl_range &range,
                                                uint32_t groups) {
    const uint64_t *list = (const uint64_t *)wl_global(p.groups) + range.number * WL_RANGE_GROUPS;
    for (uint32_t i = threadIdx.x / 32; i < groups; i += WL_RANGE_THREADS / 32) {
        const uint64_t group = list[i];
        wl_visit_group<places>(p, range, (uint32_t)group, (uint32_t)(group >> 32));
    }
}

/* Replaces counts by their sums over the columns before, and writes the columns' starts.  False in all
 * threads: a column is too long. */
static __device__ __forceinline__ bool wl_add_columns(const struct wl_ranges &p, const struct wl_range &range,
                                                      uint64_t before) {
    wl_number *starts = (wl_number *)wl_global(p.starts) + range.first_column;
    uint32_t carry = 0;
    bool is_short = true;
    for (uint32_t from = 0; from < range.count; from += WL_RANGE_THREADS) {
        const uint32_t column = from + threadIdx.x, count = column < range.count ? range.ends[column] : 0,
                       start = wl_sum_before<WL_RANGE_THREADS / 32>(count, range.sums, carry);
        is_short &= count <= WL_COLUMN_MOST;
        if (column < range.count) {
            range.ends[column] = start;
            starts[column] = (wl_number)(before + start);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0 && range.first_column + range.count == p.cols)
        starts[range.count] = (wl_number)p.entries;
    return __syncthreads_and(is_short);
}

/* Writes the entries in order; a thread has one of each WL_RANGE_THREADS.  ends[] has where columns end. */
template <typename type>
static __device__ __forceinline__ void wl_write(const struct wl_ranges &p, const struct wl_range &range,
                                                uint64_t before, uint32_t count) {
    wl_number *to = (wl_number *)wl_global(p.to_indices) + before;
    type *to_values = (type *)wl_global(p.to_values) + before;
    const type *values = (const type *)wl_global(p.values);
    for (uint32_t at = threadIdx.x; at < count; at += WL_RANGE_THREADS) {
        const uint32_t entry = range.entries[at], row = range.rows[at], column = range.columns[at],
                       begin = column ? range.ends[column - 1] : 0, end = range.ends[column];
        type value = type();
        if (p.width)
            value = values[entry];
        uint32_t earlier = 0;
        for (uint32_t other = begin; other < end; other++)
            earlier += range.entries[other] < entry;
        to[begin + earlier] = row;
        if (p.width)
            to_values[begin + earlier] = value;
    }
}

/* Transposes a range.  False in all threads: the matrix is not fit. */
static __device__ __forceinline__ bool wl_place(const struct wl_ranges &p, const struct wl_range &range) {
    const uint64_t *entries = (const uint64_t *)wl_global(p.entries_of) + range.number, before = entries[0],
                   count = entries[1] - before;
    const uint32_t groups = ((const uint32_t *)wl_global(p.groups_of))[range.number];
    /* `failed` may change meanwhile, so one thread reads it for all. */
    if (threadIdx.x == 0) {
        if (count > WL_RANGE_ENTRIES || groups > WL_RANGE_GROUPS)
            *wl_failed(p) = 1;
        range.sums[0] = *wl_failed(p);
    }
    for (uint32_t column = threadIdx.x; column < range.count; column += WL_RANGE_THREADS)
        range.ends[column] = 0;
    __syncthreads();
    if (range.sums[0])
        return false;
    wl_visit<false>(p, range, groups);
    __syncthreads();
    if (!wl_add_columns(p, range, before)) {
        *wl_failed(p) = 1;
        return false;
    }
    wl_visit<true>(p, range, groups);
    __syncthreads();
    if (p.width <= 1)
        wl_write<uint8_t>(p, range, before, (uint32_t)count);
    else if (p.width == 2)
        wl_write<uint16_t>(p, range, before, (uint32_t)count);
    else if (p.width == 4)
        wl_write<uint32_t>(p, range, before, (uint32_t)count);
    else if (p.width == 8)
        wl_write<uint64_t>(p, range, before, (uint32_t)count);
    else
        wl_write<uint4>(p, range, before, (uint32_t)count);
    return true;
}

/* A block transposes one range after another: a grid for each range would cost time even if nothing is left
 * to do. */
extern "C" __global__ void __launch_bounds__(WL_RANGE_THREADS, WL_RANGE_BLOCKS)
    WL_JOIN(WL_NAME, _place)(const __grid_constant__ struct wl_ranges p) {
    wl_await_earlier();
    for (uint64_t number = blockIdx.x; number << p.bits < p.cols; number += gridDim.x) {
        if (!wl_place(p, wl_range_of(p, number)))
            return;
        __syncthreads();
    }
}

/* If the matrix was not fit, all bits of the result's starts are set, as the sort wants them. */
extern "C" __global__ void __launch_bounds__(WL_SURVEY_THREADS)
    WL_JOIN(WL_NAME, _clear)(const __grid_constant__ struct wl_ranges p) {
    wl_await_earlier();
    if (!*wl_failed(p))
        return;
    const uint64_t threads = (uint64_t)gridDim.x * WL_SURVEY_THREADS;
    for (uint64_t i = (uint64_t)blockIdx.x * WL_SURVEY_THREADS + threadIdx.x; i <= p.cols; i += threads)
        ((wl_number *)wl_global(p.starts))[i] = (wl_number)-1;
}
