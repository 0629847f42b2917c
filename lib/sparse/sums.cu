/* For sort.cu: sums of the counts of tiles, and the starts of keys without entries.  At the end runs are
 * merged.
 *
 * Traffic: each tile's counts, one per bin, are read and written once.  The starts are read twice and written
 * once.  A sort of several segments reads the keys once more. */
#include "lib/cuda/earlier.cuh"
#include "lib/sparse/sort_search.cuh"

#define WL_NONE 0xffffffffffffffffull
/* Bins of a thread that adds them up: as many as there are with the shortest digit. */
#define WL_BINS_EACH (1u << WL_SORT_LEAST)
/* Keys of a thread that fills in starts. */
#define WL_STARTS_EACH (WL_SORT_STARTS / WL_SORT_THREADS)
/* Blocks of keys of a thread that adds up their first starts. */
#define WL_NEXTS_EACH 4

/* Notes where the first entry of a warp's part of a tile lies.  A search waits for the memory many times, so
 * it costs least where each thread has one. */
static __device__ __forceinline__ void wl_note_rows(const struct wl_sort_sums &p, uint64_t block) {
    const uint64_t part = block * WL_SORT_THREADS + threadIdx.x, at = p.begin + part * p.part;
    if (at < p.end)
        ((uint32_t *)wl_global(p.part_rows))[part] = (uint32_t)wl_row_of(p.rows, at, 0, p.rows.count);
}

/* A thread replaces a bin's counts in a chunk's tiles by their sums over the tiles before, and notes the sum
 * of all.  Blocks behind those note rows. */
extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS)
    wl_sort_tiles(const __grid_constant__ struct wl_sort_sums p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    const uint32_t bins = 1u << p.bits, parts = (bins + WL_SORT_THREADS - 1) / WL_SORT_THREADS;
    const uint64_t chunk = blockIdx.x / parts, chunks = (p.tiles + WL_SORT_CHUNK - 1) / WL_SORT_CHUNK;
    if (chunk >= chunks) {
        wl_note_rows(p, blockIdx.x - chunks * parts);
        return;
    }
    const uint32_t bin = blockIdx.x % parts * WL_SORT_THREADS + threadIdx.x;
    if (bin >= bins)
        return;
    const uint64_t first = chunk * WL_SORT_CHUNK;
    const uint32_t tiles = (uint32_t)min(p.tiles - first, (uint64_t)WL_SORT_CHUNK);
    uint32_t *counts = (uint32_t *)wl_global(p.counts) + (first << p.bits) + bin;
    uint32_t sum = 0;
    for (uint32_t from = 0; from < tiles; from += 16) {
        uint32_t count[16];
#pragma unroll
        for (uint32_t i = 0; i < 16; i++)
            count[i] = from + i < tiles ? counts[(uint64_t)(from + i) << p.bits] : 0;
#pragma unroll
        for (uint32_t i = 0; i < 16; i++) {
            if (from + i < tiles)
                counts[(uint64_t)(from + i) << p.bits] = sum;
            sum += count[i];
        }
    }
    ((uint64_t *)wl_global(p.chunks))[(chunk << p.bits) + bin] = sum;
}

/* The same for chunks: a warp's lanes have neighbouring bins, and its place in the block says which chunks.
 * In a later segment the sums go on from those of the segments before. */
extern "C" __global__ void __launch_bounds__(1024)
    wl_sort_chunks(const __grid_constant__ struct wl_sort_sums p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    __shared__ uint64_t sums[32][32];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, bin = blockIdx.x * 32 + lane;
    const uint64_t chunks = (p.tiles + WL_SORT_CHUNK - 1) / WL_SORT_CHUNK, each = (chunks + 31) / 32,
                   first = min(warp * each, chunks), end = min(first + each, chunks);
    uint64_t *chunk = (uint64_t *)wl_global(p.chunks) + bin, sum = 0;
    const bool is_bin = bin < 1u << p.bits;
    for (uint64_t i = first; i < end && is_bin; i++)
        sum += chunk[i << p.bits];
    sums[warp][lane] = sum;
    uint64_t *bins = (uint64_t *)wl_global(p.bins), before = p.later && is_bin ? bins[bin] : 0;
    __syncthreads();
    for (uint32_t w = 0; w < warp; w++)
        before += sums[w][lane];
    for (uint64_t i = first; i < end && is_bin; i++) {
        const uint64_t count = chunk[i << p.bits];
        chunk[i << p.bits] = before;
        before += count;
    }
    if (warp == 31 && is_bin)
        bins[bin] = before;
}

/* One block replaces the bins' counts by their sums over the bins before, and writes the sum of all after
 * them.  If there is one chunk, it has the counts, and sort_chunks has not run.  There are at least four
 * bins. */
extern "C" __global__ void __launch_bounds__(1024)
    wl_sort_bins(const __grid_constant__ struct wl_sort_sums p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    __shared__ uint64_t sums[32];
    const uint32_t bins = 1u << p.bits, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t *all = (uint64_t *)wl_global(p.bins), carry = 0;
    uint64_t *chunk = p.tiles <= WL_SORT_CHUNK ? (uint64_t *)wl_global(p.chunks) : nullptr;
    for (uint32_t from = 0; from < bins; from += 1024 * WL_BINS_EACH) {
        const uint32_t bin = from + threadIdx.x * WL_BINS_EACH;
        uint64_t count[WL_BINS_EACH], mine = 0;
#pragma unroll
        for (uint32_t i = 0; i < WL_BINS_EACH; i++) {
            count[i] = bin < bins ? (chunk ? chunk : all)[bin + i] : 0;
            mine += count[i];
        }
        uint64_t sum = mine;
#pragma unroll
        for (uint32_t apart = 1; apart < 32; apart *= 2) {
            const uint64_t other = __shfl_up_sync(WL_EVERY, sum, apart);
            sum += lane >= apart ? other : 0;
        }
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        uint64_t before = carry + sum - mine;
        for (uint32_t w = 0; w < 32; w++) {
            before += w < warp ? sums[w] : 0;
            carry += sums[w];
        }
#pragma unroll
        for (uint32_t i = 0; i < WL_BINS_EACH; i++) {
            if (bin < bins) {
                all[bin + i] = before;
                if (chunk)
                    chunk[bin + i] = 0;
            }
            before += count[i];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        all[bins] = carry;
}

/* ---------------------------------------------------------------- parts of bins */

/* A block notes where a part begins in each bin: behind the bin's entries of earlier rows.  Those in the tile
 * where its first row begins are counted here; counts and sums of the tiles before are known.  A part that
 * begins in another segment is left to it.  Rows' starts may be anything: they only say which of the array's
 * keys are counted. */
extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS)
    wl_sort_parts(const __grid_constant__ struct wl_sort_parts p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    __shared__ uint32_t counts[1u << WL_SORT_BITS];
    const uint32_t bins = 1u << p.bits, part = blockIdx.x;
    const uint64_t row = min((uint64_t)part << p.row_shift, p.rows.count),
                   at = part ? min(wl_index_at(p.rows.array, p.rows.bytes, row), p.entries) : 0;
    const uint64_t *all = (const uint64_t *)wl_global(p.bins);
    uint64_t *starts = (uint64_t *)wl_global(p.starts) + part;
    if (part == 0 && threadIdx.x == 0)
        starts[(uint64_t)bins << p.part_bits] = p.entries;
    if (at == p.entries) {
        for (uint32_t bin = threadIdx.x; bin < bins; bin += WL_SORT_THREADS)
            starts[(uint64_t)bin << p.part_bits] = all[bin + 1];
        return;
    }
    if (at < p.begin || at - p.begin >= p.tiles * p.tile)
        return;
    const uint64_t tile = (at - p.begin) / p.tile;
    for (uint32_t bin = threadIdx.x; bin < bins; bin += WL_SORT_THREADS)
        counts[bin] = 0;
    __syncthreads();
    /* Of 8 bytes the lower half. */
    const uint32_t words = p.index_bytes / 4, *keys = (const uint32_t *)wl_global(p.keys);
    for (uint64_t i = p.begin + tile * p.tile + threadIdx.x; i < at; i += WL_SORT_THREADS)
        atomicAdd(&counts[keys[i * words] >> p.shift & (bins - 1)], 1);
    __syncthreads();
    const uint32_t *before = (const uint32_t *)wl_global(p.counts) + (tile << p.bits);
    const uint64_t *chunk = (const uint64_t *)wl_global(p.chunks) + (tile / WL_SORT_CHUNK << p.bits);
    for (uint32_t bin = threadIdx.x; bin < bins; bin += WL_SORT_THREADS)
        starts[(uint64_t)bin << p.part_bits] = all[bin] + chunk[bin] + before[bin] + counts[bin];
}

/* ---------------------------------------------------------------- several segments */

/* Counts the entries of each bin, of all digits.  Block b has digit b % passes: so the blocks that read the
 * same keys run at about the same time, and the memory is read once.  Lanes add to several copies of the
 * bins, as those of sort.cu do. */
extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS)
    wl_sort_totals(const __grid_constant__ struct wl_sort_totals p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    __shared__ uint32_t counts[WL_SORT_COUNT_BYTES(WL_SORT_BITS) / 4];
    const uint32_t pass = blockIdx.x % p.passes, shares = gridDim.x / p.passes,
                   bits = p.bits >> 8 * pass & 0xff, shift = p.shifts >> 8 * pass & 0xff,
                   mask = (1u << bits) - 1, copies = WL_SORT_COPIES(bits), words = p.index_bytes / 4;
    for (uint32_t bin = threadIdx.x; bin < copies << bits; bin += WL_SORT_THREADS)
        counts[bin] = 0;
    __syncthreads();
    uint32_t *mine = counts + ((threadIdx.x & (copies - 1)) << bits);
    for (uint64_t begin = (uint64_t)(blockIdx.x / p.passes) * WL_SORT_TOTAL; begin < p.entries;
         begin += (uint64_t)shares * WL_SORT_TOTAL) {
        /* Of 8 bytes the lower half. */
        const uint32_t *from = (const uint32_t *)wl_global(p.keys) + (begin + threadIdx.x) * words;
        uint32_t keys[WL_SORT_TOTAL / WL_SORT_THREADS];
#pragma unroll
        for (uint32_t i = 0; i < WL_SORT_TOTAL / WL_SORT_THREADS; i++)
            keys[i] =
                begin + i * WL_SORT_THREADS + threadIdx.x < p.entries ? from[i * WL_SORT_THREADS * words] : 0;
#pragma unroll
        for (uint32_t i = 0; i < WL_SORT_TOTAL / WL_SORT_THREADS; i++)
            if (begin + i * WL_SORT_THREADS + threadIdx.x < p.entries)
                atomicAdd(&mine[keys[i] >> shift & mask], 1);
    }
    __syncthreads();
    unsigned long long *bins = (unsigned long long *)wl_global(p.bins + pass * p.bins_bytes);
    for (uint32_t bin = threadIdx.x; bin <= mask; bin += WL_SORT_THREADS) {
        uint32_t sum = 0;
        for (uint32_t copy = 0; copy < copies; copy++)
            sum += counts[(copy << bits) + bin];
        if (sum)
            atomicAdd(bins + bin, sum);
    }
}

/* ---------------------------------------------------------------- starts */

/* A start of a key without entries. */
template <typename index> static __device__ __forceinline__ bool wl_is_start(index start) {
    return start != (index)WL_NONE;
}

/* The first start of 32 lanes' that one has; all bits set: none has one. */
template <typename index> static __device__ __forceinline__ index wl_first_of(index start, uint32_t lanes) {
    const index first = __shfl_sync(WL_EVERY, start, __ffs(lanes) - 1);
    return lanes ? first : (index)WL_NONE;
}

/* A warp's keys, 32 next to each other at a time: where they start. */
template <typename index>
static __device__ __forceinline__ void wl_read_starts(const struct wl_sort_starts &p, uint64_t begin,
                                                      index starts[WL_STARTS_EACH]) {
    const index *from = (const index *)wl_global(p.starts) + begin;
#pragma unroll
    for (uint32_t i = 0; i < WL_STARTS_EACH; i++)
        starts[i] =
            begin + i * 32 + threadIdx.x % 32 < p.keys ? from[i * 32 + threadIdx.x % 32] : (index)WL_NONE;
}

/* The first start that the warp's keys have. */
template <typename index>
static __device__ __forceinline__ index wl_first_start(const index starts[WL_STARTS_EACH]) {
    index first = (index)WL_NONE;
#pragma unroll
    for (uint32_t i = WL_STARTS_EACH; i-- > 0;) {
        const uint32_t lanes = __ballot_sync(WL_EVERY, wl_is_start(starts[i]));
        const index here = wl_first_of(starts[i], lanes);
        first = lanes ? here : first;
    }
    return first;
}

/* The least of a number over the block's threads, in all of them. */
static __device__ __forceinline__ uint64_t wl_least(uint64_t value, uint64_t *room) {
#pragma unroll
    for (uint32_t apart = 16; apart; apart /= 2)
        value = min((unsigned long long)value, (unsigned long long)__shfl_xor_sync(WL_EVERY, value, apart));
    if (threadIdx.x % 32 == 0)
        room[threadIdx.x / 32] = value;
    __syncthreads();
    for (uint32_t warp = 0; warp < WL_SORT_THREADS / 32; warp++)
        value = min((unsigned long long)value, (unsigned long long)room[warp]);
    __syncthreads();
    return value;
}

/* The first of the warp's keys. */
static __device__ __forceinline__ uint64_t wl_warp_keys(void) {
    return (uint64_t)blockIdx.x * WL_SORT_STARTS + threadIdx.x / 32 * (32 * WL_STARTS_EACH);
}

template <typename index>
static __device__ __forceinline__ void wl_firsts(const struct wl_sort_starts &p, uint64_t *room) {
    index starts[WL_STARTS_EACH];
    wl_read_starts(p, wl_warp_keys(), starts);
    const index first = wl_first_start(starts);
    const uint64_t least = wl_least(wl_is_start(first) ? first : WL_NONE, room);
    if (threadIdx.x == 0)
        ((uint64_t *)wl_global(p.firsts))[blockIdx.x] = least;
}

/* Notes the first start among a block's keys: starts ascend, so it is the least. */
extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS)
    wl_sort_firsts(const __grid_constant__ struct wl_sort_starts p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    __shared__ uint64_t room[WL_SORT_THREADS / 32];
    if (p.index_bytes == 4)
        wl_firsts<uint32_t>(p, room);
    else
        wl_firsts<uint64_t>(p, room);
}

/* The least of a number over the threads before this one in a block of 1024, and in `all` over all threads.
 */
static __device__ __forceinline__ uint64_t wl_least_before(uint64_t value, uint64_t room[32], uint64_t &all) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t least = value;
#pragma unroll
    for (uint32_t apart = 1; apart < 32; apart *= 2) {
        const uint64_t other = __shfl_up_sync(WL_EVERY, least, apart);
        least = lane >= apart && other < least ? other : least;
    }
    if (lane == 31)
        room[warp] = least;
    least = __shfl_up_sync(WL_EVERY, least, 1);
    least = lane ? least : WL_NONE;
    __syncthreads();
    all = WL_NONE;
    for (uint32_t w = 0; w < 32; w++) {
        least = w < warp && room[w] < least ? room[w] : least;
        all = room[w] < all ? room[w] : all;
    }
    __syncthreads();
    return least;
}

/* One block replaces each block's first start by that of this block or a later one: without that, each block
 * of keys without entries would look for it by itself.  Threads have the blocks from the last one on. */
extern "C" __global__ void __launch_bounds__(1024)
    wl_sort_nexts(const __grid_constant__ struct wl_sort_starts p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    __shared__ uint64_t room[32];
    const uint64_t blocks = (p.keys + WL_SORT_STARTS) / WL_SORT_STARTS;
    uint64_t *firsts = (uint64_t *)wl_global(p.firsts), carry = WL_NONE;
    for (uint64_t from = 0; from < blocks; from += 1024 * WL_NEXTS_EACH) {
        const uint64_t mine = from + threadIdx.x * WL_NEXTS_EACH;
        uint64_t next[WL_NEXTS_EACH], all;
#pragma unroll
        for (uint32_t i = 0; i < WL_NEXTS_EACH; i++)
            next[i] = mine + i < blocks ? firsts[blocks - 1 - mine - i] : WL_NONE;
#pragma unroll
        for (uint32_t i = 1; i < WL_NEXTS_EACH; i++)
            next[i] = next[i - 1] < next[i] ? next[i - 1] : next[i];
        uint64_t before = wl_least_before(next[WL_NEXTS_EACH - 1], room, all);
        before = carry < before ? carry : before;
        carry = all < carry ? all : carry;
#pragma unroll
        for (uint32_t i = 0; i < WL_NEXTS_EACH; i++)
            if (mine + i < blocks)
                firsts[blocks - 1 - mine - i] = before < next[i] ? before : next[i];
    }
}

/* A key without entries starts where the next key with some does; the end is the number of entries. */
template <typename index>
static __device__ __forceinline__ void wl_fill(const struct wl_sort_starts &p, uint64_t *room) {
    const uint64_t blocks = (p.keys + WL_SORT_STARTS) / WL_SORT_STARTS, begin = wl_warp_keys();
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t *firsts = (const uint64_t *)wl_global(p.firsts);
    index starts[WL_STARTS_EACH];
    wl_read_starts(p, begin, starts);
    const index first = wl_first_start(starts);
    if (lane == 0)
        room[warp] = wl_is_start(first) ? first : WL_NONE;
    __syncthreads();
    uint64_t later = blockIdx.x + 1 < blocks ? firsts[blockIdx.x + 1] : WL_NONE;
    for (uint32_t w = WL_SORT_THREADS / 32 - 1; w > warp; w--)
        later = room[w] != WL_NONE ? room[w] : later;
    index after = (index)min((unsigned long long)later, (unsigned long long)p.entries);
    index *to = (index *)wl_global(p.starts) + begin;
#pragma unroll
    for (uint32_t i = WL_STARTS_EACH; i-- > 0;) {
        const uint32_t lanes = __ballot_sync(WL_EVERY, wl_is_start(starts[i])), mine = lanes >> lane << lane;
        const index here = wl_first_of(starts[i], mine), least = wl_first_of(starts[i], lanes);
        if (begin + i * 32 + lane <= p.keys)
            to[i * 32 + lane] = mine ? here : after;
        after = lanes ? least : after;
    }
}

extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS, 4)
    wl_sort_fill(const __grid_constant__ struct wl_sort_starts p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    __shared__ uint64_t room[WL_SORT_THREADS / 32];
    if (p.index_bytes == 4)
        wl_fill<uint32_t>(p, room);
    else
        wl_fill<uint64_t>(p, room);
}

#include "lib/sparse/runs.cuh"
