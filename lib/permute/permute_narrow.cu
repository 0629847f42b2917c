/* Permutes dimensions through tiles in shared memory that bulk copies fill.  Elements have one or several
 * units of WL_WIDTH bytes, 1, 2 or 4, and rows begin anywhere.  Tiles are those of permute_bulk.cu, or
 * records (permute_records.c): all of some short dimensions and part of one long one or two.  Columns are
 * elements of a row, or records along the first long dimension.  They lie along another dimension of the
 * loads if more of them share look-ups there.
 *
 * Traffic: every byte is written once and read once, but for the sectors that two tiles share at the ends of
 * their rows.  Only whole sectors are written, except at the ends of the array's rows, or of a tile whose
 * runs cannot overlap with its neighbours': the rest there is written by elements, one per lane.
 *
 * Shared memory is the limit: 4, 8 or 16 units are picked from it for each vector that is stored.  So a lane
 * looks up its rows' places once for all columns of the tile that are a multiple of `alike` apart: as many as
 * their distance needs for their runs to begin alike within a sector, so that vectors at the same rows are
 * whole there too, or a multiple of these by which all warps have as much to do.  The tables of rows' places
 * have 2-byte entries; one load takes one, two or four entries.  Where all runs of a tile begin alike within
 * 4 bytes, loads begin with the same entries; else there is one table for each entry that they may begin
 * with.
 *
 * Small tiles have blocks of fewer threads, so that a multiprocessor takes more of them.
 *
 * Bank conflicts: the library chooses how many lanes lie along a run, and how far loads of bytes lie apart
 * (permute_look_ups.c).  Other rows keep their places modulo 128 bytes, so they have the same distance as in
 * the array.  Where it is odd, the 8 lanes along a run, 16 bytes of rows apart, have every fourth bank.  The
 * lanes of 4 columns then begin with different words of their vectors, and so take the banks between. */
#define WL_NARROW  1
#define WL_THREADS blockDim.x
#include "lib/cuda/packed.cuh"
#include "lib/permute/permute_fill.cuh"

#define ROWS (4 / WL_WIDTH) /* places per load, of those of a word of the output */

/* The place of entry `number` of a table, in loads: neighbouring lanes want contiguous entries.
 */
static __device__ __forceinline__ uint32_t entries_at(const struct wl_permute_bulk &p, uint32_t number) {
    return number % 4 * p.quarter + number / 4;
}

/* Entries of a table before a run's first, so that a load has those of 4 bytes of the output where all runs
 * of the tile begin alike within these. */
static __device__ __forceinline__ uint32_t entries_before(const struct wl_permute_bulk &p) {
    return p.tables == 1 ? (uint32_t)tile_place(p).out / WL_WIDTH % ROWS : 0;
}

/* Notes the place of entry i of a turn: in the table of loads that begin with `later` entries more, it is so
 * many entries further on in its load, or in the load before. */
static __device__ __forceinline__ void note_entry(const struct wl_permute_bulk &p, uint32_t tables,
                                                  uint32_t i, uint32_t place) {
    const uint32_t in = i % ROWS, at = entries_at(p, i / ROWS), before = entries_at(p, i / ROWS - 1);
#pragma unroll
    for (uint32_t later = 0; later < ROWS; later++) {
        if (later > 0 && p.tables == 1)
            break;
        const bool same = later <= in;
        const uint32_t entry = (same ? at : before) * ROWS + (in - later) % ROWS;
        if (same || i >= ROWS)
            *(uint16_t *)(wl_permute_memory + tables + entry * 2) = (uint16_t)place;
        tables += ROWS * 8 * p.quarter;
    }
}

/* Notes a row's place in its tables, and the place where a run continues along the rows. */
static __device__ __forceinline__ void note_row(const struct wl_permute_bulk &p, uint32_t turn, uint32_t i,
                                                uint32_t place) {
    const uint32_t tables = p.row_table + turn * p.table, before = entries_before(p);
    i *= p.units;
    do {
        for (uint32_t unit = 0; unit < p.units; unit++)
            note_entry(p, tables, before + i + unit, place + unit * WL_WIDTH);
        i += p.span.count;
        place += p.column_in;
    } while (p.wraps && i < p.span.count + SECTOR);
}

/* 16 bytes of a run, from its elements' places, `further` bytes from there, which is the same in all lanes.
 * Begins with word `rotate` if rows are at an odd distance. */
template <bool odd>
static __device__ __forceinline__ uint4 pick(const uint32_t (&place)[WL_EACH], uint32_t further,
                                             uint32_t rotate) {
    /* The compiler must not add it to each place: loads have both a place and a common register. */
    uint32_t memory = (uint32_t)__cvta_generic_to_shared(wl_permute_memory) + further;
    asm("" : "+r"(memory));
    uint32_t word[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t of[ROWS];
#pragma unroll
        for (int k = 0; k < ROWS; k++)
            of[k] = *(const wl_element *)__cvta_shared_to_generic(memory + place[i * ROWS + k]);
#if WL_WIDTH == 4
        word[i] = of[0];
#elif WL_WIDTH == 1
        word[i] = wl_packed_bytes(of[0], of[1], of[2], of[3]);
#else
        word[i] = wl_packed_halves(of[0], of[1]);
#endif
    }
    if (!odd)
        return make_uint4(word[0], word[1], word[2], word[3]);
    if (rotate & 1) {
        uint32_t last = word[3];
        word[3] = word[2];
        word[2] = word[1];
        word[1] = word[0];
        word[0] = last;
    }
    return rotate & 2 ? make_uint4(word[2], word[3], word[0], word[1])
                      : make_uint4(word[0], word[1], word[2], word[3]);
}

/* Stores whole sectors: lanes are vectors along runs, and columns.
 *
 * apart: rows are at an odd distance.  may_wrap: runs may continue along the rows. */
template <bool apart, bool may_wrap>
static __device__ __forceinline__ void store_sectors(const struct wl_permute_bulk &p) {
    const uint32_t across = threadIdx.x % 32 & (p.lanes - 1), down = wl_lanes_before(p),
                   deep = wl_lanes_groups(p), odd = apart ? p.odd : 0, wraps = may_wrap ? p.wraps : 0,
                   before = entries_before(p);
    for (uint32_t cell = threadIdx.x / 32; cell < p.cells; cell += WL_THREADS / 32) {
        const uint32_t rest = wl_divide_any(cell, &p.along), r = wl_divide_any(rest, &p.kinds),
                       kind = rest - r * p.kinds.count,
                       vector = (cell - rest * p.along.count) * p.lanes + across;
        /* Bytes take every other column: their places within a word are the same. */
        const uint32_t column =
            WL_WIDTH == 1 && odd ? kind / 2 * (2 * deep) + kind % 2 + 2 * down : kind * deep + down;
        const struct run run = run_of(p, r);
        uint64_t to = run.to + column * p.column_out;
        const uint32_t begin = before_sector(to) + vector * WL_EACH,
                       end = begin - vector % 2 * WL_EACH + SECTOR;
        /* Runs that continue along the rows have each sector only where it begins. */
        const bool live =
            column < p.alike && column < p.columns && end - (wraps ? SECTOR - 1 : 0) <= p.span.count;
        to += begin * WL_WIDTH;
        uint32_t place[WL_EACH], rotate = 0;
        if (live) {
            const uint32_t along = run.along + column * p.column_in, entry = begin + before;
            const unsigned char *table =
                wl_permute_memory + run.table + entry % ROWS * (ROWS * 8) * p.quarter;
            if (odd) {
                const uint32_t first =
                    *(const uint16_t *)(table + entries_at(p, entry / ROWS) * (ROWS * 2)) + along;
                rotate = (down - first / 4) * odd % 4;
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const unsigned char *places =
                    table + entries_at(p, entry / ROWS + (i + rotate) % 4) * (ROWS * 2);
#if WL_WIDTH == 4
                place[i] = *(const uint16_t *)places + along;
#elif WL_WIDTH == 1
                const uint2 four = *(const uint2 *)places;
                place[4 * i] = (four.x & 0xffff) + along;
                place[4 * i + 1] = (four.x >> 16) + along;
                place[4 * i + 2] = (four.y & 0xffff) + along;
                place[4 * i + 3] = (four.y >> 16) + along;
#else
                const uint32_t two = *(const uint32_t *)places;
                place[2 * i] = (two & 0xffff) + along;
                place[2 * i + 1] = (two >> 16) + along;
#endif
            }
        }
        /* All lanes go on together, those too that have nothing left. */
        const uint32_t past = live ? (p.columns - column) * p.column_in : 0;
        uint32_t left = wraps ? (p.columns - column) * p.span.count : p.span.count;
#pragma unroll 1
        for (uint32_t further = 0; further < p.columns_in; further += p.alike_in) {
            if (further < past && (!may_wrap || end <= left))
                *(uint4 *)to = pick<apart>(place, further, rotate);
            to += p.alike_out;
            left -= wraps ? p.alike * p.span.count : 0;
        }
    }
}

static __device__ __forceinline__ uint32_t place_of(const struct wl_permute_bulk &p, const struct run &run,
                                                    uint32_t i) {
    const uint32_t turns = p.wraps ? wl_divide_any(i, &p.span) : 0;
    i -= turns * p.span.count;
    const uint32_t entry = i + entries_before(p), at = entries_at(p, entry / ROWS) * ROWS + entry % ROWS;
    return *(const uint16_t *)(wl_permute_memory + run.table + at * 2) + run.along + turns * p.column_in;
}

extern "C" __global__ void __launch_bounds__(WL_PERMUTE_NARROW_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    fill(p);
    if (p.odd)
        store_sectors<true, true>(p);
    else if (p.wraps)
        store_sectors<false, true>(p);
    else
        store_sectors<false, false>(p);
    if (p.torn && tile_place(p).ends)
        store_ends(p, tile_place(p).ends);
}
