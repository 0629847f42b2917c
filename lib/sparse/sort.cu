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
 * The counts of all tiles would take 1 to 2 bytes an entry.  So a large sort has several segments of tiles,
 * which are counted and placed one after the other: a kernel of this file has a segment's tiles.  Where bins
 * begin is known before, from the keys (wl_sort_totals), whose digits words must keep.
 *
 * What is read once is read by __ldcs(), which leaves the L2 to the rows that are being written.
 *
 * The last tile is filled up with entries of the last bin.  They rank behind all others, so their places are
 * those behind the tile's last entry, which are not written.
 *
 * Bad input does no harm.  Digits are masked, so each entry has a place of its own.  A key that is out of
 * range starts nothing.  A search for a row stays within the rows whatever their starts are, and a later
 * entry never finds an earlier row than another one does: of two searches that divide the same rows, the one
 * for the later entry goes on in the same part or in a later one.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/sparse/sort_rank.cuh"

#define WL_PASTE(a, b) a##b
#define WL_JOIN(a, b)  WL_PASTE(a, b)
#define WL_TILE        (WL_THREADS * WL_EACH)
#define WL_NO_WORD     0xffffffffffffffffull

#if WL_WORD == 4
typedef uint32_t wl_word;
#else
typedef uint64_t wl_word;
#endif
/* A place in the output.  From 2^32 entries on, words have 8 bytes and blocks are narrow. */
#if WL_WORD == 8 && WL_THREADS == 256
typedef uint64_t wl_to;
#else
typedef uint32_t wl_to;
#endif

extern __shared__ __align__(16) uint8_t wl_sort_memory[];

/* The thread's i-th entry of the tile. */
static __device__ __forceinline__ uint32_t wl_entry(uint32_t i) {
    return threadIdx.x / 32 * WL_WARP_ENTRIES + i * 32 + threadIdx.x % 32;
}

/* How far a digit stands in the 32 bits that wl_read_keys() gives. */
static __device__ __forceinline__ uint32_t wl_shift(const struct wl_sort_pass &p, bool first) {
    return first ? 0 : WL_WORD == 4 ? p.other_bits : p.shift;
}

/* What has an entry's digit: its key, or a word of 4 bytes.  The thread's first one is `at`, and the others
 * are `apart` from each other.  Behind the tile's end all bits are set. */
static __device__ __forceinline__ void wl_read_keys(const struct wl_sort_pass &p, bool first, uint64_t begin,
                                                    uint32_t count, uint32_t at, uint32_t apart,
                                                    uint32_t keys[WL_EACH]) {
    const uint32_t bytes = first ? p.index_bytes : WL_WORD;
    /* The upper half of a word of 8 bytes has the key, the lower half of an index. */
    const uint32_t *from =
        (const uint32_t *)(wl_global(p.from) + (begin + at) * bytes) + (first || WL_WORD == 4 ? 0 : 1);
    if (bytes == 4)
#pragma unroll
        for (uint32_t i = 0; i < WL_EACH; i++)
            keys[i] = at + i * apart < count ? __ldcs(from + i * apart) : WL_EVERY;
    else
#pragma unroll
        for (uint32_t i = 0; i < WL_EACH; i++)
            keys[i] = at + i * apart < count ? __ldcs(from + 2 * i * apart) : WL_EVERY;
}

/* ---------------------------------------------------------------- counting */

/* Lanes count in WL_SORT_COPIES() copies of the bins, since those that add to one word wait for each other.
 */
extern "C" __global__ void __launch_bounds__(WL_THREADS)
    WL_JOIN(WL_NAME, _count)(const __grid_constant__ struct wl_sort_pass p) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    uint32_t *bins = (uint32_t *)wl_sort_memory;
    const uint64_t begin = (uint64_t)blockIdx.x * WL_TILE;
    const uint32_t count = (uint32_t)min(p.left - begin, (uint64_t)WL_TILE), mask = (1u << p.bits) - 1,
                   copies = WL_SORT_COPIES(p.bits), shift = wl_shift(p, p.first);
    uint32_t keys[WL_EACH];
    wl_read_keys(p, p.first, begin, count, threadIdx.x, WL_THREADS, keys);
    for (uint32_t bin = threadIdx.x; bin < copies << p.bits; bin += WL_THREADS)
        bins[bin] = 0;
    __syncthreads();
    uint32_t *mine = bins + ((threadIdx.x & (copies - 1)) << p.bits);
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        if (i * WL_THREADS + threadIdx.x < count)
            atomicAdd(&mine[keys[i] >> shift & mask], 1);
    __syncthreads();
    uint32_t *counts = (uint32_t *)wl_global(p.counts) + ((uint64_t)blockIdx.x << p.bits);
    for (uint32_t bin = threadIdx.x; bin <= mask; bin += WL_THREADS) {
        uint32_t sum = 0;
        for (uint32_t copy = 0; copy < copies; copy++)
            sum += bins[(copy << p.bits) + bin];
        counts[bin] = sum;
    }
}

/* ---------------------------------------------------------------- words */

/* Words of 8 bytes, later passes: the lower halves stay here while entries are ranked. */
static __device__ __forceinline__ uint32_t *wl_lows(const struct wl_sort_pass &p) {
    return (uint32_t *)(wl_sort_memory + WL_SORT_ROOM(WL_THREADS, WL_EACH, WL_WORD, p.bits, p.width));
}

/* The same as wl_read_keys() for words of 8 bytes, whose upper halves are the keys. */
static __device__ __forceinline__ void wl_read_words(const struct wl_sort_pass &p, uint64_t begin,
                                                     uint32_t count, uint32_t keys[WL_EACH]) {
    const uint64_t *from = (const uint64_t *)wl_global(p.from) + begin + wl_entry(0);
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++) {
        const uint64_t word = wl_entry(i) < count ? __ldcs(from + 32 * i) : WL_NO_WORD;
        keys[i] = (uint32_t)(word >> 32);
        wl_lows(p)[wl_entry(i)] = (uint32_t)word;
    }
}

/* What goes with the thread's keys: the other indices, or between two passes the first digits and parts.
 * marks: of the tile's entries. */
static __device__ __forceinline__ void wl_find_others(const struct wl_sort_pass &p, bool first,
                                                      uint64_t begin, uint32_t count, uint32_t *marks,
                                                      uint32_t others[WL_EACH]) {
    const uint32_t from = threadIdx.x / 32 * WL_WARP_ENTRIES;
    if (first && p.others) {
        /* Of 8 bytes the lower half. */
        const uint32_t *other =
            (const uint32_t *)(wl_global(p.others) + (begin + wl_entry(0)) * p.index_bytes);
        const uint32_t apart = p.index_bytes * 8;
#pragma unroll
        for (uint32_t i = 0; i < WL_EACH; i++)
            others[i] = wl_entry(i) < count ? other[i * apart] : 0;
    } else if (from < count) {
        const uint32_t *part =
            (const uint32_t *)wl_global(p.part_rows) + (uint64_t)blockIdx.x * WL_WARPS + threadIdx.x / 32;
        const uint64_t all = p.begin + (uint64_t)blockIdx.x * WL_TILE,
                       end = all + min(count, from + WL_WARP_ENTRIES), row = part[0];
        wl_find_rows(p.rows, all + from, end, row, end < p.entries ? part[1] : p.rows.count - 1, marks + from,
                     others);
    }
}

#if WL_WORD == 4
/* A word of 4 bytes of the second pass of three, for the third: without the second digit, which its place
 * will tell together with the first one, and with the part of the row that its place told. */
static __device__ __forceinline__ uint32_t wl_word_without(const struct wl_sort_pass &p, uint32_t word,
                                                           uint32_t other) {
    return word >> p.other_bits >> p.bits << (p.other_bits + p.part_bits) |
           (other & p.part_mask) << p.other_bits | (word & p.other_mask);
}
#endif

/* Puts the thread's words in their places, and behind words of 4 bytes a tag each: the digit, or in the last
 * pass the digits before and the part.  An index out of range does not change the digits above it in a word
 * of 4 bytes, which wl_sort_totals() has counted. */
static __device__ __forceinline__ void wl_exchange_words(const struct wl_sort_pass &p, bool first,
                                                         bool middle, uint64_t begin, uint32_t count,
                                                         const uint32_t keys[WL_EACH],
                                                         const uint32_t places[WL_EACH]) {
    wl_word *words = (wl_word *)wl_sort_memory;
    uint32_t others[WL_EACH];
    if (first || WL_WORD == 4) {
        wl_find_others(p, first, begin, count, (uint32_t *)wl_sort_memory, others);
        __syncthreads();
        if (WL_WORD == 4 && first && !p.last)
#pragma unroll
            for (uint32_t i = 0; i < WL_EACH; i++)
                others[i] &= p.other_mask;
    }
#if WL_WORD == 4
    uint16_t *tags = (uint16_t *)(words + WL_TILE);
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++) {
        const uint32_t place = places[i] & 0xffff;
        words[place] = middle   ? wl_word_without(p, keys[i], others[i])
                       : !first ? keys[i]
                       : p.last ? others[i]
                                : keys[i] >> p.bits << p.other_bits | others[i];
        tags[place] = (uint16_t)(first || middle ? places[i] >> 16 : others[i]);
    }
#else
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        words[places[i] & 0xffff] = (wl_word)keys[i] << 32 | (first ? others[i] : wl_lows(p)[wl_entry(i)]);
#endif
}

static __device__ __forceinline__ void wl_start(const struct wl_sort_pass &p, uint64_t key, uint64_t at) {
    if (key >= p.keys)
        return;
    if (p.index_bytes == 4)
        atomicMin((uint32_t *)wl_global(p.starts) + key, (uint32_t)at);
    else
        atomicMin((unsigned long long *)wl_global(p.starts) + key, (unsigned long long)at);
}

/* The last pass: writes the other index of the word at `at`, and notes where its key starts. */
static __device__ __forceinline__ void wl_write_last(const struct wl_sort_pass &p, bool first,
                                                     const wl_word *words, uint32_t at, uint32_t digit,
                                                     wl_to to) {
    const wl_word word = words[at], before = words[at ? at - 1 : 0];
#if WL_WORD == 4
    const uint16_t *tags = (const uint16_t *)(words + WL_TILE);
    const uint32_t tag = tags[at], parts = first ? 0 : p.part_bits, low = tag >> parts,
                   low_before = tags[at ? at - 1 : 0] >> parts;
    const uint32_t other = first ? word : (word & p.other_mask) | (tag & p.part_mask) << p.other_bits;
    const uint64_t key = first ? digit : (uint64_t)digit << p.low_bits | low;
    const bool heads =
        at == 0 | low != low_before | (!first && (word ^ before) >> p.other_bits & ((1u << p.bits) - 1));
#else
    const uint32_t other = (uint32_t)word;
    const uint64_t key = word >> 32;
    const bool heads = at == 0 | before >> 32 != key;
#endif
    if (p.index_bytes == 4)
        ((uint32_t *)wl_global(p.to))[to] = other;
    else
        ((uint64_t *)wl_global(p.to))[to] = other;
    if (heads)
        wl_start(p, key, to);
}

/* Writes the tile's words, which lie in order.  to: where the thread's go, which are WL_THREADS apart. */
template <bool last>
static __device__ __forceinline__ void wl_write_words(const struct wl_sort_pass &p, bool first, bool middle,
                                                      const wl_to *goes, uint32_t count, wl_to to[WL_EACH]) {
    const wl_word *words = (const wl_word *)wl_sort_memory;
    const uint32_t mask = (1u << p.bits) - 1, shift = wl_shift(p, first);
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++) {
        const uint32_t at = i * WL_THREADS + threadIdx.x;
        to[i] = 0;
        if (at >= count)
            continue;
#if WL_WORD == 4
        const uint32_t digit =
            first || middle ? ((const uint16_t *)(words + WL_TILE))[at] : words[at] >> shift & mask;
#else
        const uint32_t digit = (uint32_t)(words[at] >> 32) >> shift & mask;
#endif
        to[i] = goes[digit] + at;
        if (last)
            wl_write_last(p, first, words, at, digit, to[i]);
        else
            ((wl_word *)wl_global(p.to))[to[i]] = words[at];
    }
}

/* ---------------------------------------------------------------- values */

/* The thread's values, if they have at most 4 bytes: in time to be there when they are wanted. */
static __device__ __forceinline__ void wl_read_values(const struct wl_sort_pass &p, uint64_t begin,
                                                      uint32_t count, uint32_t values[WL_EACH]) {
    const uint8_t *from = wl_global(p.from_values) + (begin + wl_entry(0)) * p.width;
    if (p.width == 4)
#pragma unroll
        for (uint32_t i = 0; i < WL_EACH; i++)
            values[i] = wl_entry(i) < count ? __ldcs((const uint32_t *)from + i * 32) : 0;
    else if (p.width == 2)
#pragma unroll
        for (uint32_t i = 0; i < WL_EACH; i++)
            values[i] = wl_entry(i) < count ? ((const uint16_t *)from)[i * 32] : 0;
    else if (p.width == 1)
#pragma unroll
        for (uint32_t i = 0; i < WL_EACH; i++)
            values[i] = wl_entry(i) < count ? from[i * 32] : 0;
}

/* They change places as entries did. */
template <typename type>
static __device__ __forceinline__ void
wl_write_values(const struct wl_sort_pass &p, uint32_t count, const uint32_t values[WL_EACH],
                const uint32_t places[WL_EACH], const wl_to goes[WL_EACH]) {
    uint32_t *room = (uint32_t *)wl_sort_memory;
    type *to = (type *)wl_global(p.to_values);
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        room[places[i] & 0xffff] = values[i];
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        if (i * WL_THREADS + threadIdx.x < count)
            to[goes[i]] = (type)room[i * WL_THREADS + threadIdx.x];
}

/* The same for values of 8 bytes, or of values of two such parts for the part `part`. */
template <uint32_t parts>
static __device__ __forceinline__ void
wl_move_values(const struct wl_sort_pass &p, uint64_t begin, uint32_t count, uint32_t part,
               const uint32_t places[WL_EACH], const wl_to goes[WL_EACH]) {
    uint64_t *room = (uint64_t *)wl_sort_memory, *to = (uint64_t *)wl_global(p.to_values) + part;
    const uint64_t *from = (const uint64_t *)wl_global(p.from_values) + (begin + wl_entry(0)) * parts + part;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        if (wl_entry(i) < count)
            room[places[i] & 0xffff] = from[i * 32 * parts];
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        if (i * WL_THREADS + threadIdx.x < count)
            to[(uint64_t)goes[i] * parts] = room[i * WL_THREADS + threadIdx.x];
}

/* ---------------------------------------------------------------- the kernels */

/* The compiler makes a kernel of the first pass, one of the others, and of words of 4 bytes one of the second
 * pass of three. */
static __device__ __forceinline__ void wl_place(const struct wl_sort_pass &p, const bool first,
                                                const bool middle) {
    wl_await_earlier();
    if (wl_is_done(p.failed))
        return;
    const uint32_t bins = 1u << p.bits;
    wl_to *goes = (wl_to *)(wl_sort_memory + WL_SORT_ROOM(WL_THREADS, WL_EACH, WL_WORD, p.bits, p.width) +
                            WL_SORT_LOWS(WL_THREADS, WL_EACH, WL_WORD));
    uint32_t *sums = (uint32_t *)(goes + bins);
    uint16_t *counts = (uint16_t *)wl_sort_memory, *own = counts + (threadIdx.x / 32 << p.bits);
    const uint64_t begin = (uint64_t)blockIdx.x * WL_TILE;
    const uint32_t count = (uint32_t)min(p.left - begin, (uint64_t)WL_TILE);

    uint32_t keys[WL_EACH], places[WL_EACH];
    if (WL_WORD == 8 && !first)
        wl_read_words(p, begin, count, keys);
    else
        wl_read_keys(p, first, begin, count, wl_entry(0), 32, keys);
    /* Where the bins' entries go; where they begin in the tile is subtracted below. */
    const uint32_t *tile = (const uint32_t *)wl_global(p.counts) + ((uint64_t)blockIdx.x << p.bits);
    const uint64_t *chunk =
        (const uint64_t *)wl_global(p.chunks) + ((uint64_t)(blockIdx.x / WL_SORT_CHUNK) << p.bits);
    for (uint32_t bin = threadIdx.x; bin < bins; bin += WL_THREADS)
        goes[bin] = (wl_to)(((const uint64_t *)wl_global(p.bins))[bin] + chunk[bin] + tile[bin]);
    for (uint32_t i = threadIdx.x; i < WL_WARPS * bins / 8; i += WL_THREADS)
        ((uint4 *)counts)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();

    if (p.bits <= 8)
        wl_rank<8>(keys, wl_shift(p, first), bins - 1, own, places);
    else if (p.bits <= 10)
        wl_rank<10>(keys, wl_shift(p, first), bins - 1, own, places);
    else
        wl_rank<WL_SORT_BITS>(keys, wl_shift(p, first), bins - 1, own, places);
    /* The values are wanted last, and earlier the L2 would not keep them. */
    for (uint32_t at = threadIdx.x * 128; at < count * p.width; at += WL_THREADS * 128)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(p.from_values + begin * p.width + at));
    __syncthreads();
    wl_add_warps(counts, goes, p.bits, sums);
#pragma unroll
    for (uint32_t i = 0; i < WL_EACH; i++)
        places[i] += own[places[i] >> 16];
    __syncthreads();

    uint32_t values[WL_EACH];
    wl_exchange_words(p, first, middle, begin, count, keys, places);
    wl_read_values(p, begin, count, values);
    __syncthreads();
    wl_to to[WL_EACH];
    if (!middle && p.last)
        wl_write_words<true>(p, first, middle, goes, count, to);
    else
        wl_write_words<false>(p, first, middle, goes, count, to);
    if (p.width == 1)
        wl_write_values<uint8_t>(p, count, values, places, to);
    else if (p.width == 2)
        wl_write_values<uint16_t>(p, count, values, places, to);
    else if (p.width == 4)
        wl_write_values<uint32_t>(p, count, values, places, to);
    else if (p.width == 8)
        wl_move_values<1>(p, begin, count, 0, places, to);
    else if (p.width == 16)
#pragma unroll 1
        for (uint32_t part = 0; part < 2; part++)
            wl_move_values<2>(p, begin, count, part, places, to);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_JOIN(WL_NAME, _first)(const __grid_constant__ struct wl_sort_pass p) {
    wl_place(p, true, false);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_JOIN(WL_NAME, _later)(const __grid_constant__ struct wl_sort_pass p) {
    wl_place(p, false, false);
}

#if WL_WORD == 4
extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BLOCKS)
    WL_JOIN(WL_NAME, _middle)(const __grid_constant__ struct wl_sort_pass p) {
    wl_place(p, false, true);
}
#endif
