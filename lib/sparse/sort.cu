/* A pass of a stable radix sort of a sparse matrix's entries: it counts them by a digit of their key, adds
 * the counts up (sums.cu), and places them.  Compiled for words of 4 and 8 bytes (WL_WORD), and for blocks of
 * WL_THREADS.
 *
 * A block places a tile.  It ranks the tile's entries by their digit: a warp goes through its entries in
 * order, 32 at a time, and keeps a count for each bin; ballots find the lanes of equal digits.  Then the
 * entries change places in shared memory, so that those of a bin lie next to each other there and in global
 * memory.  Values follow by the same places, as many at a time as there is room for.
 *
 * Traffic of each entry: the count reads its key; placing reads and writes a word and a value.  The first
 * pass reads an index and finds the row, and the last one writes the other index.  With 4-byte indices and
 * values, two passes take 4 + 4 + 16 + 16 bytes, where reading and writing each once would take 16.  A bin's
 * part of a tile is a row of some tens of bytes, and its neighbours in other tiles follow while the L2 still
 * has its sectors.
 *
 * Bad input does no harm.  Digits are masked, so each entry has a place of its own.  A key that is out of
 * range starts nothing.  A search for a row stays within the rows whatever their starts are, and a later
 * entry of a warp never finds an earlier row than the first one does: of two searches that divide the same
 * rows, the one for the later entry goes on in the same part or in a later one.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/global.cuh"
#include "lib/sparse/sort_parameters.h"

#define WL_PASTE(a, b)  a##b
#define WL_JOIN(a, b)   WL_PASTE(a, b)
#define WL_TILE         (WL_THREADS * WL_SORT_EACH)
#define WL_WARP_ENTRIES (32 * WL_SORT_EACH)
#define WL_WARPS        (WL_THREADS / 32)
#define WL_EVERY        0xffffffffu
/* Rows that begin within a warp's entries, up to which their starts are marked; else each entry searches its
 * row. */
#define WL_MARKED 16384

#if WL_WORD == 4
typedef uint32_t wl_word;
#else
typedef uint64_t wl_word;
#endif

extern __shared__ __align__(16) uint8_t wl_sort_memory[];

static __device__ __forceinline__ uint64_t wl_index_at(uint64_t array, uint32_t bytes, uint64_t i) {
    return bytes == 4 ? ((const uint32_t *)wl_global(array))[i] : ((const uint64_t *)wl_global(array))[i];
}

/* The thread's i-th entry of the tile. */
static __device__ __forceinline__ uint32_t wl_entry(uint32_t i) {
    return threadIdx.x / 32 * WL_WARP_ENTRIES + i * 32 + threadIdx.x % 32;
}

/* The digit of a word, or in the first pass of a key. */
static __device__ __forceinline__ uint32_t wl_digit(const struct wl_sort_pass &p, bool first, wl_word word) {
#if WL_WORD == 4
    return first ? word & ((1u << p.bits) - 1) : word >> p.other_bits & ((1u << p.bits) - 1);
#else
    return (uint32_t)(word >> (first ? 0 : 32)) >> p.shift & ((1u << p.bits) - 1);
#endif
}

/* The digit of an entry that is being placed.  In the first pass `places` has it above the place; later it
 * has the first pass's digit there. */
static __device__ __forceinline__ uint32_t wl_digit_of(const struct wl_sort_pass &p, bool first, wl_word word,
                                                       uint32_t places) {
    return first ? places >> 16 : wl_digit(p, false, word);
}

/* The word of a key and the other index. */
static __device__ __forceinline__ wl_word wl_word_of(const struct wl_sort_pass &p, wl_word key,
                                                     uint32_t other) {
#if WL_WORD == 4
    return p.last ? other : key >> p.bits << p.other_bits | other;
#else
    return key << 32 | other;
#endif
}

/* ---------------------------------------------------------------- counting */

extern "C" __global__ void __launch_bounds__(WL_THREADS)
    WL_JOIN(WL_NAME, _count)(const __grid_constant__ struct wl_sort_pass p) {
    wl_await_earlier();
    uint32_t *bins = (uint32_t *)wl_sort_memory;
    const uint64_t begin = (uint64_t)blockIdx.x * WL_TILE;
    for (uint32_t bin = threadIdx.x; bin < 1u << p.bits; bin += WL_THREADS)
        bins[bin] = 0;
    __syncthreads();
    wl_word words[WL_SORT_EACH];
#pragma unroll
    for (uint32_t i = 0; i < WL_SORT_EACH; i++) {
        const uint64_t at = begin + i * WL_THREADS + threadIdx.x;
        words[i] = 0;
        if (at < p.entries)
            words[i] = p.first ? (wl_word)wl_index_at(p.from, p.index_bytes, at)
                               : ((const wl_word *)wl_global(p.from))[at];
    }
#pragma unroll
    for (uint32_t i = 0; i < WL_SORT_EACH; i++)
        if (begin + i * WL_THREADS + threadIdx.x < p.entries)
            atomicAdd(&bins[wl_digit(p, p.first, words[i])], 1);
    __syncthreads();
    uint32_t *counts = (uint32_t *)wl_global(p.counts) + ((uint64_t)blockIdx.x << p.bits);
    for (uint32_t bin = threadIdx.x; bin < 1u << p.bits; bin += WL_THREADS)
        counts[bin] = bins[bin];
}

/* ---------------------------------------------------------------- where entries lie */

/* Starts of rows, or of bins: ascending. */
struct wl_starts {
    uint64_t array, count;
    uint32_t bytes; /* of a start */
};

/* The last of the rows low to high - 1 that begins at `at` or before; the first one does. */
static __device__ __forceinline__ uint64_t wl_row_of(const struct wl_starts &starts, uint64_t at,
                                                     uint64_t low, uint64_t high) {
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (wl_index_at(starts.array, starts.bytes, middle) <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The same of all rows by all lanes of a warp, which divide the rows in 32 at a time. */
static __device__ __forceinline__ uint64_t wl_row_by_warp(const struct wl_starts &starts, uint64_t at) {
    uint64_t low = 0, high = starts.count;
    while (high - low > 1) {
        const uint64_t step = (high - low + 31) / 32, probe = low + (threadIdx.x % 32 + 1) * step;
        const bool before = probe < high && wl_index_at(starts.array, starts.bytes, probe) <= at;
        const uint32_t lanes = __popc(__ballot_sync(WL_EVERY, before));
        low += lanes * step;
        high = high - low > step ? low + step : high;
    }
    return low;
}

/* The rows of a warp's entries begin to end - 1; lane l's i-th is 32 i + l.  marks: of the warp's entries. */
static __device__ __forceinline__ void wl_find_rows(const struct wl_starts &starts, uint64_t begin,
                                                    uint64_t end, uint32_t *marks,
                                                    uint32_t rows[WL_SORT_EACH]) {
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t first = wl_row_by_warp(starts, begin), last = wl_row_by_warp(starts, end - 1);
    if (last - first > WL_MARKED) {
#pragma unroll 1
        for (uint32_t i = 0; i < WL_SORT_EACH; i++) {
            const uint64_t at = begin + i * 32 + lane;
            const uint32_t row = at < end ? (uint32_t)wl_row_of(starts, at, first, last + 1) : 0;
#pragma unroll
            for (uint32_t j = 0; j < WL_SORT_EACH; j++)
                rows[j] = i == j ? row : rows[j];
        }
        return;
    }
    for (uint32_t i = lane; i < WL_WARP_ENTRIES; i += 32)
        marks[i] = 0;
    __syncwarp();
    for (uint64_t row = first + 1 + lane; row <= last; row += 32) {
        const uint64_t at = wl_index_at(starts.array, starts.bytes, row) - begin;
        if (at < WL_WARP_ENTRIES)
            atomicMax(&marks[at], (uint32_t)(row - first));
    }
    __syncwarp();
    /* An entry's row is the last one that is marked at it or before. */
    uint32_t most = 0;
#pragma unroll
    for (uint32_t i = 0; i < WL_SORT_EACH; i++) {
        const uint32_t mark = marks[i * 32 + lane], marked = __ballot_sync(WL_EVERY, mark != 0),
                       before = marked & (2u << lane) - 1;
        const uint32_t found = __shfl_sync(WL_EVERY, mark, 31 - __clz(before));
        rows[i] = (uint32_t)first + (before ? found : most);
        const uint32_t highest = __shfl_sync(WL_EVERY, mark, 31 - __clz(marked));
        most = marked ? highest : most;
    }
    __syncwarp();
}

/* The other indices of the thread's entries of the tile.  marks: of the tile's entries. */
static __device__ __forceinline__ void wl_find_others(const struct wl_sort_pass &p, uint64_t begin,
                                                      uint32_t count, uint32_t *marks,
                                                      uint32_t others[WL_SORT_EACH]) {
    const uint32_t first = threadIdx.x / 32 * WL_WARP_ENTRIES;
    const struct wl_starts starts = {p.pointers, p.rows, p.index_bytes};
    if (p.others) {
#pragma unroll
        for (uint32_t i = 0; i < WL_SORT_EACH; i++)
            if (wl_entry(i) < count)
                others[i] = (uint32_t)wl_index_at(p.others, p.index_bytes, begin + wl_entry(i));
    } else if (first < count) {
        wl_find_rows(starts, begin + first, begin + min(count, first + WL_WARP_ENTRIES), marks + first,
                     others);
    }
}

/* ---------------------------------------------------------------- ranks */

/* Leaves of `peers` the lanes whose digits have the same bit. */
static __device__ __forceinline__ void wl_same_bit(uint32_t &peers, uint32_t digit, uint32_t bit) {
    asm volatile("{\n.reg .pred set;\n.reg .b32 lanes;\n"
                 "and.b32 lanes, %1, %2;\nsetp.ne.u32 set, lanes, 0;\nvote.sync.ballot.b32 lanes, set, -1;\n"
                 "@!set not.b32 lanes, lanes;\nand.b32 %0, %0, lanes;\n}"
                 : "+r"(peers)
                 : "r"(digit), "r"(1u << bit));
}

/* The lanes of `valid` that have the same digit.  Bits that no digit has change nothing. */
static __device__ __forceinline__ uint32_t wl_peers(uint32_t digit, uint32_t bits, uint32_t valid) {
    uint32_t peers = valid;
#pragma unroll
    for (uint32_t bit = 0; bit < 8; bit++)
        wl_same_bit(peers, digit, bit);
    if (bits > 8)
#pragma unroll
        for (uint32_t bit = 8; bit < WL_SORT_BITS; bit++)
            wl_same_bit(peers, digit, bit);
    return peers;
}

/* The exclusive sum of a number over the block's threads.  sums: WL_WARPS words. */
static __device__ __forceinline__ uint32_t wl_sum_before(uint32_t value, uint32_t *sums) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t sum = value;
#pragma unroll
    for (uint32_t apart = 1; apart < 32; apart *= 2) {
        const uint32_t other = __shfl_up_sync(WL_EVERY, sum, apart);
        sum += lane >= apart ? other : 0;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    uint32_t before = 0;
    for (uint32_t w = 0; w < warp; w++)
        before += sums[w];
    __syncthreads();
    return before + sum - value;
}

/* Makes of each warp's counts those of the warps before, and of the bins' counts where they begin in the
 * tile. */
static __device__ __forceinline__ void wl_add_warps(uint16_t *counts, uint16_t *starts, uint32_t bits,
                                                    uint32_t *sums) {
    const uint32_t bins = 1u << bits, each = (bins + WL_THREADS - 1) / WL_THREADS;
    uint32_t mine = 0;
    for (uint32_t i = 0; i < each; i++) {
        const uint32_t bin = threadIdx.x * each + i;
        uint32_t sum = 0;
        for (uint32_t warp = 0; bin < bins && warp < WL_WARPS; warp++) {
            const uint32_t count = counts[(warp << bits) + bin];
            counts[(warp << bits) + bin] = (uint16_t)sum;
            sum += count;
        }
        if (bin < bins)
            starts[bin] = (uint16_t)sum;
        mine += sum;
    }
    uint32_t before = wl_sum_before(mine, sums);
    for (uint32_t i = 0; i < each; i++) {
        const uint32_t bin = threadIdx.x * each + i;
        if (bin < bins) {
            const uint32_t count = starts[bin];
            starts[bin] = (uint16_t)before;
            before += count;
        }
    }
    __syncthreads();
}

/* ---------------------------------------------------------------- values */

/* Values change places as entries did, as many at a time as there is room for. */
#define WL_MOVE_VALUES(type)                                                                                 \
    {                                                                                                        \
        type *room = (type *)exchange;                                                                       \
        const type *from = (const type *)wl_global(p.from_values) + begin;                                   \
        type *to = (type *)wl_global(p.to_values);                                                           \
        const uint32_t capacity = exchange_bytes / sizeof(type);                                             \
        for (uint32_t low = 0; low < count; low += capacity) {                                               \
            __syncthreads();                                                                                 \
            _Pragma("unroll") for (uint32_t i = 0; i < WL_SORT_EACH; i++) {                                  \
                const uint32_t at = wl_entry(i), place = places[i] & 0xffff;                                 \
                if (at < count && place - low < capacity)                                                    \
                    room[place - low] = from[at];                                                            \
            }                                                                                                \
            __syncthreads();                                                                                 \
            _Pragma("unroll 4") for (uint32_t at = low + threadIdx.x; at < min(count, low + capacity);       \
                                     at += WL_THREADS) to[goes[digits[at]] + at] = room[at - low];           \
        }                                                                                                    \
    }

static __device__ __forceinline__ void wl_move_values(const struct wl_sort_pass &p, uint64_t begin,
                                                      uint32_t count, const uint16_t *digits,
                                                      const uint64_t *goes, uint8_t *exchange,
                                                      uint32_t exchange_bytes,
                                                      const uint32_t places[WL_SORT_EACH]) {
    switch (p.width) {
    case 1:
        WL_MOVE_VALUES(uint8_t)
        break;
    case 2:
        WL_MOVE_VALUES(uint16_t)
        break;
    case 4:
        WL_MOVE_VALUES(uint32_t)
        break;
    case 8:
        WL_MOVE_VALUES(uint64_t)
        break;
    case 16:
        WL_MOVE_VALUES(uint4)
        break;
    }
}

/* ---------------------------------------------------------------- entries */

static __device__ __forceinline__ void wl_start(const struct wl_sort_pass &p, uint64_t key, uint64_t at) {
    if (key >= p.keys)
        return;
    if (p.index_bytes == 4)
        atomicMin((uint32_t *)wl_global(p.starts) + key, (uint32_t)at);
    else
        atomicMin((unsigned long long *)wl_global(p.starts) + key, (unsigned long long)at);
}

/* Writes the tile's words, which lie in order, and in the last pass the other indices and where keys start.
 */
static __device__ __forceinline__ void wl_write_words(const struct wl_sort_pass &p, bool first,
                                                      const wl_word *words, const uint16_t *digits,
                                                      const uint64_t *goes, uint32_t count) {
#pragma unroll 4
    for (uint32_t at = threadIdx.x; at < count; at += WL_THREADS) {
        const wl_word word = words[at];
        const uint32_t digit = digits[at];
        const uint64_t to = goes[digit] + at;
        if (!p.last) {
            ((wl_word *)wl_global(p.to))[to] = word;
            continue;
        }
        const uint32_t before = at ? at - 1 : 0;
#if WL_WORD == 4
        const uint32_t other = first ? word : word & ((1u << p.other_bits) - 1);
        /* First digits lie behind the words. */
        const uint16_t *lows = (const uint16_t *)(words + WL_TILE);
        const uint64_t key = first ? digit : (uint64_t)digit << p.low_bits | lows[at];
        const bool heads = at == 0 | digits[before] != digit | (!first && lows[before] != lows[at]);
#else
        const uint32_t other = (uint32_t)word;
        const uint64_t key = word >> 32;
        const bool heads = at == 0 | words[before] >> 32 != key;
#endif
        if (p.index_bytes == 4)
            ((uint32_t *)wl_global(p.to))[to] = other;
        else
            ((uint64_t *)wl_global(p.to))[to] = other;
        if (heads)
            wl_start(p, key, to);
    }
}

/* The thread's entries: their words, and `places` with their first digit above the place, which is 0. */
static __device__ __forceinline__ void wl_read_entries(const struct wl_sort_pass &p, bool first,
                                                       uint64_t begin, uint32_t count, uint8_t *exchange,
                                                       wl_word words[WL_SORT_EACH],
                                                       uint32_t places[WL_SORT_EACH]) {
    const uint32_t warp = threadIdx.x / 32;
    uint32_t found[WL_SORT_EACH];
#pragma unroll
    for (uint32_t i = 0; i < WL_SORT_EACH; i++) {
        const uint32_t at = wl_entry(i);
        words[i] = 0;
        if (at < count)
            words[i] = first ? (wl_word)wl_index_at(p.from, p.index_bytes, begin + at)
                             : ((const wl_word *)wl_global(p.from))[begin + at];
    }
    if (first) {
        wl_find_others(p, begin, count, (uint32_t *)exchange, found);
#pragma unroll
        for (uint32_t i = 0; i < WL_SORT_EACH; i++) {
            places[i] = wl_digit(p, true, words[i]) << 16;
            words[i] = wl_word_of(p, words[i], found[i]);
        }
    } else {
        const struct wl_starts lows = {p.low_bins, 1u << p.low_bits, 8};
        if (p.low_bins && warp * WL_WARP_ENTRIES < count)
            wl_find_rows(lows, begin + warp * WL_WARP_ENTRIES,
                         begin + min(count, (warp + 1) * WL_WARP_ENTRIES),
                         (uint32_t *)exchange + warp * WL_WARP_ENTRIES, found);
#pragma unroll
        for (uint32_t i = 0; i < WL_SORT_EACH; i++)
            places[i] = p.low_bins ? found[i] << 16 : 0;
    }
}

/* Adds to `places` how many entries of the same digit are before an entry in its warp.  own: the warp's
 * counts of each bin, which are 0 and become how many it has.  (If this computed the lane itself, a kernel
 * would spill registers.) */
static __device__ __forceinline__ void wl_rank(const struct wl_sort_pass &p, const bool first,
                                               const uint32_t lane, uint32_t count, uint16_t *own,
                                               const wl_word words[WL_SORT_EACH],
                                               uint32_t places[WL_SORT_EACH]) {
#pragma unroll
    for (uint32_t i = 0; i < WL_SORT_EACH; i++) {
        const bool valid = wl_entry(i) < count;
        const uint32_t digit = wl_digit_of(p, first, words[i], places[i]);
        const uint32_t peers = wl_peers(digit, p.bits, __ballot_sync(WL_EVERY, valid));
        uint32_t before = 0;
        if (valid)
            before = own[digit];
        __syncwarp();
        if (valid && (peers >> lane) == 1)
            own[digit] = (uint16_t)(before + __popc(peers));
        __syncwarp();
        places[i] += before + __popc(peers & ((1u << lane) - 1));
    }
}

/* first: the compiler makes a kernel of the first pass, and one of the others. */
static __device__ __forceinline__ void wl_place(const struct wl_sort_pass &p, const bool first) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, bins = 1u << p.bits;
    const uint32_t exchange_bytes = WL_SORT_EXCHANGE(WL_THREADS, WL_WORD, p.bits);
    uint8_t *exchange = wl_sort_memory;
    uint64_t *goes = (uint64_t *)(exchange + exchange_bytes);
    uint32_t *sums = (uint32_t *)(goes + bins);
    uint16_t *digits = (uint16_t *)(sums + WL_WARPS), *starts = digits + WL_TILE,
             *counts = (uint16_t *)exchange;
    const uint64_t begin = (uint64_t)blockIdx.x * WL_TILE;
    const uint32_t count = (uint32_t)min(p.entries - begin, (uint64_t)WL_TILE);

    /* The values are wanted last. */
    for (uint32_t at = threadIdx.x * 128; at < count * p.width; at += WL_THREADS * 128)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(p.from_values + begin * p.width + at));

    /* Where the bins' entries go; where they begin in the tile is subtracted below. */
    const uint32_t *tile = (const uint32_t *)wl_global(p.counts) + ((uint64_t)blockIdx.x << p.bits);
    const uint64_t *chunk =
        (const uint64_t *)wl_global(p.chunks) + ((uint64_t)(blockIdx.x / WL_SORT_CHUNK) << p.bits);
    for (uint32_t bin = threadIdx.x; bin < bins; bin += WL_THREADS)
        goes[bin] = ((const uint64_t *)wl_global(p.bins))[bin] + chunk[bin] + tile[bin];

    wl_word words[WL_SORT_EACH];
    uint32_t places[WL_SORT_EACH];
    wl_read_entries(p, first, begin, count, exchange, words, places);
    __syncthreads();

    for (uint32_t i = threadIdx.x; i < WL_WARPS * bins / 2; i += WL_THREADS)
        ((uint32_t *)counts)[i] = 0;
    __syncthreads();
    uint16_t *own = counts + (warp << p.bits);
    wl_rank(p, first, lane, count, own, words, places);
    __syncthreads();
    wl_add_warps(counts, starts, p.bits, sums);

    for (uint32_t bin = threadIdx.x; bin < bins; bin += WL_THREADS)
        goes[bin] -= starts[bin];
#pragma unroll
    for (uint32_t i = 0; i < WL_SORT_EACH; i++)
        if (wl_entry(i) < count)
            places[i] += starts[wl_digit_of(p, first, words[i], places[i])] +
                         own[wl_digit_of(p, first, words[i], places[i])];
    __syncthreads();

#pragma unroll
    for (uint32_t i = 0; i < WL_SORT_EACH; i++) {
        const uint32_t place = places[i] & 0xffff, digit = wl_digit_of(p, first, words[i], places[i]);
        if (wl_entry(i) >= count)
            continue;
        digits[place] = (uint16_t)digit;
        if (!first && p.low_bins)
            ((uint16_t *)((wl_word *)exchange + WL_TILE))[place] = (uint16_t)(places[i] >> 16);
        ((wl_word *)exchange)[place] = words[i];
    }
    __syncthreads();
    wl_write_words(p, first, (const wl_word *)exchange, digits, goes, count);
    wl_move_values(p, begin, count, digits, goes, exchange, exchange_bytes, places);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_JOIN(WL_NAME, _first)(const __grid_constant__ struct wl_sort_pass p) {
    wl_await_earlier();
    wl_place(p, true);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_JOIN(WL_NAME, _later)(const __grid_constant__ struct wl_sort_pass p) {
    wl_await_earlier();
    wl_place(p, false);
}
