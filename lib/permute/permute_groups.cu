/* Permutes dimensions of elements of WL_WIDTH bytes, 1 or 2, through tiles in shared memory that bulk copies
 * fill, where all runs of a tile begin alike within a vector of 16 bytes.  Tiles are those of
 * permute_bulk.cu.
 *
 * A lane makes one vector of each of 4 / WL_WIDTH columns that lie side by side in a row.  For each row it
 * reads their word, and transposes words in registers.  So it reads a fourth, or half, of what
 * permute_narrow.cu reads, and needs no memory to put columns together, as permute_words.cu does.  It looks
 * up its rows' places once for all columns that it takes.
 *
 * Traffic: every byte is written once and read once, but for the sectors that two tiles share at the ends of
 * their rows.  Only whole sectors are written, except at the ends of the array's rows, or of a tile whose
 * runs cannot overlap with its neighbours': the rest there is written by elements, one per lane.
 *
 * Bank conflicts: lanes along a run are 16 / WL_WIDTH rows apart, so the distance of rows decides; lanes of
 * other columns read the next words. */
#define WL_NARROW  1
#define WL_THREADS WL_PERMUTE_WORDS_THREADS
#include "lib/permute/permute_fill.cuh"
#include "lib/transpose/transpose_tile.cuh"

/* Notes a row's place where its element lies in vectors of the output: all runs begin as the tile does. */
static __device__ __forceinline__ uint32_t entry_of(const struct wl_permute_bulk &p, uint32_t i) {
    return i + (uint32_t)tile_place(p).out % WL_PERMUTE_ACCESS / WL_WIDTH;
}

static __device__ __forceinline__ void note_row(const struct wl_permute_bulk &p, uint32_t turn, uint32_t i,
                                                uint32_t place) {
    ((uint16_t *)(wl_permute_memory + p.row_table + turn * p.table))[entry_of(p, i)] = (uint16_t)place;
}

/* even: `at` is a multiple of 4. */
template <bool even> static __device__ __forceinline__ uint32_t word_at(uint32_t at) {
    if (even)
        return *(const uint32_t *)(wl_permute_memory + at);
    const uint32_t *word = (const uint32_t *)(wl_permute_memory + (at & ~3u));
    return __funnelshift_r(word[0], word[1], at * 8);
}

/* The vectors of a group of columns, from the places of their rows, two per number. */
template <bool even>
static __device__ __forceinline__ void pick(uint4 (&vector)[WL_GROUP], const uint32_t (&two)[WL_EACH / 2]) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t word[WL_GROUP];
#pragma unroll
        for (int k = 0; k < WL_GROUP; k++) {
            const uint32_t both = two[(i * WL_GROUP + k) / 2];
            word[k] = word_at<even>(k % 2 ? both >> 16 : both & 0xffff);
        }
        wl_transpose_group(word);
#pragma unroll
        for (int k = 0; k < WL_GROUP; k++)
            (i == 0 ? vector[k].x : i == 1 ? vector[k].y : i == 2 ? vector[k].z : vector[k].w) = word[k];
    }
}

/* Stores whole sectors: lanes are vectors along runs, and groups of columns. */
template <bool even> static __device__ __forceinline__ void store_sectors(const struct wl_permute_bulk &p) {
    const uint32_t across = threadIdx.x % 32 & (p.lanes - 1), down = wl_lanes_before(p),
                   deep = wl_lanes_groups(p), next = p.alike * WL_WIDTH * 0x10001;
    for (uint32_t cell = threadIdx.x / 32; cell < p.cells; cell += WL_THREADS / 32) {
        const uint32_t rest = wl_divide_any(cell, &p.along),
                       vector = (cell - rest * p.along.count) * p.lanes + across,
                       r = wl_divide_any(rest, &p.kinds);
        uint32_t column = ((rest - r * p.kinds.count) * deep + down) * WL_GROUP;
        const struct run run = run_of(p, r);
        uint64_t to = (run.to & ~(uint64_t)(WL_PERMUTE_ACCESS - 1)) + vector * WL_PERMUTE_ACCESS +
                      column * p.column_out;
        /* Where the sector begins in its run, of the group's columns in turn. */
        const int32_t begin = (int32_t)(vector * WL_EACH) - (int32_t)entry_of(p, 0),
                      first = begin - (int32_t)(to % WL_PERMUTE_SECTOR / WL_WIDTH),
                      second = begin - (int32_t)((to + p.column_out) % WL_PERMUTE_SECTOR / WL_WIDTH),
                      last = (int32_t)p.span.count - SECTOR;
        const bool whole[2] = {first >= 0 && first <= last, second >= 0 && second <= last};
        if (!whole[0] && !whole[1])
            continue;
        uint32_t two[WL_EACH / 2];
        const uint32_t along = (run.along + column * WL_WIDTH) * 0x10001;
        const uint4 *const places = (const uint4 *)(wl_permute_memory + run.table) + vector * (WL_EACH / 8);
#pragma unroll
        for (int i = 0; i < WL_EACH / 8; i++) {
            two[4 * i] = places[i].x + along;
            two[4 * i + 1] = places[i].y + along;
            two[4 * i + 2] = places[i].z + along;
            two[4 * i + 3] = places[i].w + along;
        }
#pragma unroll 1
        for (; column < p.columns; column += p.alike) {
            uint4 vectors[WL_GROUP];
            pick<even>(vectors, two);
#pragma unroll
            for (int k = 0; k < WL_GROUP; k++)
                if (whole[k % 2] && column + k < p.columns)
                    *(uint4 *)(to + k * p.column_out) = vectors[k];
            to += p.alike * p.column_out;
#pragma unroll
            for (int i = 0; i < WL_EACH / 2; i++)
                two[i] += next;
        }
    }
}

static __device__ __forceinline__ uint32_t place_of(const struct wl_permute_bulk &p, const struct run &run,
                                                    uint32_t i) {
    return *(const uint16_t *)(wl_permute_memory + run.table + entry_of(p, i) * 2) + run.along;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    fill(p);
    if (p.even)
        store_sectors<true>(p);
    else
        store_sectors<false>(p);
    if (p.torn && tile_place(p).ends)
        store_ends(p, tile_place(p).ends);
}
