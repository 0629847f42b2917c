/* For sort.cu: sums of the counts of tiles, and the starts of keys without entries.
 *
 * Traffic: each tile's counts, one per bin, are read and written once.  The starts are read twice and written
 * once. */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"
#include "lib/sparse/sort_parameters.h"

#define WL_EVERY 0xffffffffu
#define WL_NONE  0xffffffffffffffffull
/* Keys of a thread that fills in starts. */
#define WL_STARTS_EACH (WL_SORT_STARTS / WL_SORT_THREADS)

/* A thread replaces a bin's counts in a chunk's tiles by their sums over the tiles before, and notes the sum
 * of all. */
extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS)
    wl_sort_tiles(const __grid_constant__ struct wl_sort_sums p) {
    wl_await_earlier();
    const uint32_t bins = 1u << p.bits, parts = (bins + WL_SORT_THREADS - 1) / WL_SORT_THREADS;
    const uint64_t chunk = blockIdx.x / parts;
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
 */
extern "C" __global__ void __launch_bounds__(1024)
    wl_sort_chunks(const __grid_constant__ struct wl_sort_sums p) {
    wl_await_earlier();
    __shared__ uint64_t sums[32][32];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, bin = blockIdx.x * 32 + lane;
    const uint64_t chunks = (p.tiles + WL_SORT_CHUNK - 1) / WL_SORT_CHUNK, each = (chunks + 31) / 32,
                   first = min(warp * each, chunks), end = min(first + each, chunks);
    uint64_t *chunk = (uint64_t *)wl_global(p.chunks) + bin, sum = 0;
    const bool is_bin = bin < 1u << p.bits;
    for (uint64_t i = first; i < end && is_bin; i++)
        sum += chunk[i << p.bits];
    sums[warp][lane] = sum;
    __syncthreads();
    uint64_t before = 0;
    for (uint32_t w = 0; w < warp; w++)
        before += sums[w][lane];
    for (uint64_t i = first; i < end && is_bin; i++) {
        const uint64_t count = chunk[i << p.bits];
        chunk[i << p.bits] = before;
        before += count;
    }
    if (warp == 31 && is_bin)
        ((uint64_t *)wl_global(p.bins))[bin] = before;
}

/* One block replaces the bins' counts by their sums over the bins before, and writes the sum of all after
 * them. */
extern "C" __global__ void __launch_bounds__(1024)
    wl_sort_bins(const __grid_constant__ struct wl_sort_sums p) {
    wl_await_earlier();
    __shared__ uint64_t sums[32];
    const uint32_t bins = 1u << p.bits, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t *all = (uint64_t *)wl_global(p.bins), carry = 0;
    for (uint32_t from = 0; from < bins; from += 1024) {
        const uint32_t bin = from + threadIdx.x;
        const uint64_t count = bin < bins ? all[bin] : 0;
        uint64_t sum = count;
#pragma unroll
        for (uint32_t apart = 1; apart < 32; apart *= 2) {
            const uint64_t other = __shfl_up_sync(WL_EVERY, sum, apart);
            sum += lane >= apart ? other : 0;
        }
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        uint64_t before = carry;
        for (uint32_t w = 0; w < 32; w++) {
            before += w < warp ? sums[w] : 0;
            carry += sums[w];
        }
        if (bin < bins)
            all[bin] = before + sum - count;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        all[bins] = carry;
}

/* ---------------------------------------------------------------- starts */

static __device__ __forceinline__ uint64_t wl_start_at(const struct wl_sort_starts &p, uint64_t key) {
    if (p.index_bytes == 8)
        return ((const uint64_t *)wl_global(p.starts))[key];
    const uint32_t start = ((const uint32_t *)wl_global(p.starts))[key];
    return start == WL_EVERY ? WL_NONE : start;
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

/* Notes the first start among a block's keys: starts ascend, so it is the least. */
extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS)
    wl_sort_firsts(const __grid_constant__ struct wl_sort_starts p) {
    wl_await_earlier();
    __shared__ uint64_t room[WL_SORT_THREADS / 32];
    const uint64_t first = (uint64_t)blockIdx.x * WL_SORT_STARTS;
    uint64_t least = WL_NONE;
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < WL_SORT_STARTS; i += WL_SORT_THREADS)
        if (first + i < p.keys)
            least = min((unsigned long long)least, (unsigned long long)wl_start_at(p, first + i));
    least = wl_least(least, room);
    if (threadIdx.x == 0)
        ((uint64_t *)wl_global(p.firsts))[blockIdx.x] = least;
}

/* A key without entries starts where the next key with some does; the end is the number of entries. */
extern "C" __global__ void __launch_bounds__(WL_SORT_THREADS)
    wl_sort_fill(const __grid_constant__ struct wl_sort_starts p) {
    wl_await_earlier();
    __shared__ uint64_t room[WL_SORT_THREADS / 32];
    const uint64_t first = (uint64_t)blockIdx.x * WL_SORT_STARTS,
                   blocks = (p.keys + WL_SORT_STARTS) / WL_SORT_STARTS;
    const uint64_t *firsts = (const uint64_t *)wl_global(p.firsts);
    uint64_t next = WL_NONE;
    for (uint64_t from = blockIdx.x + 1; from < blocks && next == WL_NONE; from += WL_SORT_THREADS)
        next = wl_least(from + threadIdx.x < blocks ? firsts[from + threadIdx.x] : WL_NONE, room);
    next = min((unsigned long long)next, (unsigned long long)p.entries);
    /* A thread has keys in a row: the least from each one on, then those of the threads after it. */
    const uint64_t mine = first + threadIdx.x * WL_STARTS_EACH;
    uint64_t start[WL_STARTS_EACH];
#pragma unroll
    for (uint32_t i = 0; i < WL_STARTS_EACH; i++)
        start[i] = mine + i < p.keys ? wl_start_at(p, mine + i) : WL_NONE;
#pragma unroll
    for (uint32_t i = WL_STARTS_EACH - 1; i > 0; i--)
        start[i - 1] = min((unsigned long long)start[i - 1], (unsigned long long)start[i]);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint64_t after = start[0];
#pragma unroll
    for (uint32_t apart = 1; apart < 32; apart *= 2) {
        const uint64_t other = __shfl_down_sync(WL_EVERY, after, apart);
        after = lane + apart < 32 ? min((unsigned long long)after, (unsigned long long)other) : after;
    }
    if (lane == 0)
        room[warp] = after;
    after = __shfl_down_sync(WL_EVERY, after, 1);
    after = lane < 31 ? after : WL_NONE;
    __syncthreads();
    for (uint32_t w = warp + 1; w < WL_SORT_THREADS / 32; w++)
        after = min((unsigned long long)after, (unsigned long long)room[w]);
    after = min((unsigned long long)after, (unsigned long long)next);
#pragma unroll
    for (uint32_t i = 0; i < WL_STARTS_EACH; i++) {
        const uint64_t least = min((unsigned long long)start[i], (unsigned long long)after);
        if (mine + i > p.keys)
            continue;
        if (p.index_bytes == 4)
            ((uint32_t *)wl_global(p.starts))[mine + i] = (uint32_t)least;
        else
            ((uint64_t *)wl_global(p.starts))[mine + i] = least;
    }
}
