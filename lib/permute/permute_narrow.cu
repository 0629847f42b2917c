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
 * have 2-byte entries; one load takes one, two or four entries, and there is one table for each entry that a
 * load may begin with.
 *
 * Bank conflicts: rows keep their places modulo 128 bytes, so they have the same distance as in the array.
 * Where it is odd, the 8 lanes along a run, 16 bytes of rows apart, have every fourth bank.  The lanes of 4
 * columns then begin with different words of their vectors, and so take the banks between. */
#define WL_NARROW  1
#define WL_THREADS WL_PERMUTE_NARROW_THREADS
#include "lib/permute/permute_fill.cuh"

#define ROWS (4 / WL_WIDTH) /* places per load, of those of a word of the output */

/* The place of entry `number` of a table, in loads: neighbouring lanes want contiguous entries.
 */
static __device__ __forceinline__ uint32_t entries_at(const struct wl_permute_bulk &p, uint32_t number) {
    return number % 4 * p.quarter + number / 4;
}

/* Notes the place of entry i of a turn: in the table of loads that begin with `later` entries more, it is so
 * many entries further on in its load, or in the load before. */
static __device__ __forceinline__ void note_entry(const struct wl_permute_bulk &p, uint32_t tables,
                                                  uint32_t i, uint32_t place) {
    const uint32_t in = i % ROWS, at = entries_at(p, i / ROWS), before = entries_at(p, i / ROWS - 1);
#pragma unroll
    for (uint32_t later = 0; later < ROWS; later++) {
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
    const uint32_t tables = p.row_table + turn * (ROWS * ROWS * 8) * p.quarter;
    i *= p.units;
    do {
        for (uint32_t unit = 0; unit < p.units; unit++)
            note_entry(p, tables, i + unit, place + unit * WL_WIDTH);
        i += p.span.count;
        place += p.column_in;
    } while (p.wraps && i < p.span.count + SECTOR);
}

static __device__ __forceinline__ uint32_t element(uint32_t at) {
    return *(const wl_element *)(wl_permute_memory + at);
}

/* 16 bytes of a run, from its elements' places.  Begins with word `rotate` if rows are at an odd distance. */
template <bool odd>
static __device__ __forceinline__ uint4 pick(const uint32_t (&place)[WL_EACH], uint32_t rotate) {
    uint32_t word[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t of[ROWS];
#pragma unroll
        for (int k = 0; k < ROWS; k++)
            of[k] = element(place[i * ROWS + k]);
#if WL_WIDTH == 4
        word[i] = of[0];
#elif WL_WIDTH == 1
        word[i] = __byte_perm(__byte_perm(of[0], of[1], 0x0040), __byte_perm(of[2], of[3], 0x0040), 0x5410);
#else
        word[i] = __byte_perm(of[0], of[1], 0x5410);
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
    const uint32_t lane = threadIdx.x % 32, across = lane % p.lanes, down = lane / p.lanes,
                   deep = 32 / p.lanes, next = p.alike * p.column_in, odd = apart ? p.odd : 0,
                   wraps = may_wrap ? p.wraps : 0;
    const uint64_t next_out = p.alike * p.column_out;
    for (uint32_t cell = threadIdx.x / 32; cell < p.cells; cell += WL_THREADS / 32) {
        uint32_t rest = wl_divide_any(cell, &p.along),
                 vector = (cell - rest * p.along.count) * p.lanes + across;
        uint32_t r = wl_divide_any(rest, &p.kinds), kind = rest - r * p.kinds.count;
        /* Bytes take every other column: their places within a word are the same. */
        uint32_t column =
            WL_WIDTH == 1 && odd ? kind / 2 * (2 * deep) + kind % 2 + 2 * down : kind * deep + down;
        const struct run run = run_of(p, r);
        uint64_t to = run.to + column * p.column_out;
        uint32_t begin = before_sector(to) + vector * WL_EACH, end = begin - vector % 2 * WL_EACH + SECTOR;
        /* Runs that continue along the rows have each sector only where it begins. */
        if (column >= p.alike || column >= p.columns || end - (wraps ? SECTOR - 1 : 0) > p.span.count)
            continue;
        to += begin * WL_WIDTH;
        const uint32_t along = run.along + column * p.column_in;
        const unsigned char *table = wl_permute_memory + run.table + begin % ROWS * (ROWS * 8) * p.quarter;
        uint32_t place[WL_EACH], rotate = 0;
        if (odd) {
            const uint32_t first =
                *(const uint16_t *)(table + entries_at(p, begin / ROWS) * (ROWS * 2)) + along;
            rotate = (down - first / 4) * odd % 4;
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned char *places = table + entries_at(p, begin / ROWS + (i + rotate) % 4) * (ROWS * 2);
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
        uint32_t left = wraps ? (p.columns - column) * p.span.count : p.span.count;
#pragma unroll 1
        for (; column < p.columns; column += p.alike) {
            if (!may_wrap || end <= left)
                *(uint4 *)to = pick<apart>(place, rotate);
            to += next_out;
            left -= wraps ? p.alike * p.span.count : 0;
#pragma unroll
            for (int i = 0; i < WL_EACH; i++)
                place[i] += next;
        }
    }
}

static __device__ __forceinline__ uint32_t place_of(const struct wl_permute_bulk &p, const struct run &run,
                                                    uint32_t i) {
    const uint32_t turns = p.wraps ? wl_divide_any(i, &p.span) : 0;
    i -= turns * p.span.count;
    const uint32_t at = entries_at(p, i / ROWS) * ROWS + i % ROWS;
    return *(const uint16_t *)(wl_permute_memory + run.table + at * 2) + run.along + turns * p.column_in;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    fill(p, ROWS * ROWS * 8 * p.quarter);
    if (p.odd)
        store_sectors<true, true>(p);
    else if (p.wraps)
        store_sectors<false, true>(p);
    else
        store_sectors<false, false>(p);
    if (p.torn && tile_place(p).ends)
        store_ends(p, tile_place(p).ends);
}
