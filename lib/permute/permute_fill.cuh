/* How permute_narrow.cu and permute_words.cu fill a tile and its tables.  The including file defines
 * note_row().
 *
 * Rows, not elements, are what takes time where they are short.  So each load's place is found once, and
 * rows' places follow from it by 32-bit arithmetic.  Loads of less than 512 bytes go by asynchronous loads, a
 * vector a lane: a bulk copy takes a loop of 24 instructions for each lane of a warp.  Long loads of narrow
 * elements are few, and the first row of each finds it. */
#ifndef WIDELOAD_KERNELS_PERMUTE_FILL_CUH
#define WIDELOAD_KERNELS_PERMUTE_FILL_CUH

#include "lib/cuda/async.cuh"
#include "lib/permute/permute_runs.cuh"

/* Finds the tile's loads, the first of which is load `first` of joined dimensions, and notes where each
 * begins in both memories and its bytes.  Starts those that bulk copies bring. */
static __device__ __forceinline__ void note_loads(const struct wl_permute_bulk &p, uint64_t tile,
                                                  uint32_t first, wl_barrier *barrier) {
    const uint32_t memory = wl_async_address(wl_permute_memory);
    uint32_t bytes = 0;
    for (uint32_t load = threadIdx.x; load < p.loads; load += WL_THREADS) {
        uint64_t from = tile;
        uint32_t number = load, turns = 0, turns_each = 1;
        bool later = false;
        if (p.joined_parts) {
            uint32_t rest = first + wl_digit_of(&number, &p.turn);
            from += wl_digit_of(&rest, &p.joined[0].by) * p.joined[0].in;
            turns = rest - wl_divide_digit(first, &p.joined[0].by);
            turns_each = p.turns;
            later = p.turn.count > 1;
            for (uint32_t i = 1; i < p.joined_parts; i++)
                from += wl_digit_of(&rest, &p.joined[i].by) * p.joined[i].in;
        }
        for (uint32_t i = 0; i < p.row_parts; i++)
            if (!p.row[i].inner) {
                const uint32_t digit = wl_digit_of(&number, &p.row[i].by);
                from += digit * p.row[i].in;
                if (later) {
                    turns += digit * turns_each;
                    turns_each *= p.row[i].by.count;
                }
                later = true;
            }
        uint32_t at = load * p.pitch + load / WL_APART * p.swizzle + turns * p.turn_pad;
        at += ((uint32_t)from - at) & (p.phase - 1);
        *(uint4 *)(wl_permute_memory + p.load_table + load * 16) =
            make_uint4((uint32_t)from, (uint32_t)(from >> 32), memory + at, at);
        if (p.vectors.count == 0)
            bytes += wl_load_window(p.tiles, wl_permute_memory + at, from, p.load, barrier);
    }
    if (bytes)
        wl_barrier_expect(barrier, bytes);
    else
        wl_barrier_arrive(barrier);
}

/* Notes the places of all rows. */
static __device__ __forceinline__ void note_rows(const struct wl_permute_bulk &p) {
    for (uint32_t row = threadIdx.x; row < p.rows; row += WL_THREADS) {
        uint32_t number = row, load = 0, each = 1, inner = 0;
        if (p.joined_parts) {
            load = wl_digit_of(&number, &p.turn);
            each = p.turn.count;
        }
        for (uint32_t i = 0; i < p.row_parts; i++) {
            const uint32_t digit = wl_digit_of(&number, &p.row[i].by);
            if (p.row[i].inner) {
                inner += digit * p.row[i].inner;
            } else {
                load += digit * each;
                each *= p.row[i].by.count;
            }
        }
        note_row(p, row, *(const uint32_t *)(wl_permute_memory + p.load_table + load * 16 + 12) + inner);
    }
}

/* Loads what was noted, a vector of 16 bytes per lane.  Bytes of a vector that is not wholly the array's are
 * loaded singly. */
static __device__ __forceinline__ void load_vectors(const struct wl_permute_bulk &p) {
    const uint32_t memory = wl_async_address(wl_permute_memory);
    const uint64_t array = p.tiles.from, end = array + p.tiles.bytes;
#pragma unroll 2
    for (uint32_t n = threadIdx.x; n < p.loads * p.vectors.count; n += WL_THREADS) {
        const uint32_t load = wl_divide_any(n, &p.vectors), v = n - load * p.vectors.count;
        const uint4 noted = *(const uint4 *)(wl_permute_memory + p.load_table + load * 16);
        const uint32_t past = noted.x % WL_PERMUTE_ACCESS, to = noted.z - past + v * WL_PERMUTE_ACCESS;
        const uint64_t from = ((uint64_t)noted.y << 32 | noted.x) - past + v * WL_PERMUTE_ACCESS;
        if (v * WL_PERMUTE_ACCESS >= past + p.load)
            continue;
        if (from >= array && from + WL_PERMUTE_ACCESS <= end)
            wl_async_load_line(to, (const void *)from);
        else
            for (uint32_t i = 0; i < WL_PERMUTE_ACCESS; i++)
                if (from + i >= array && from + i < end)
                    wl_permute_memory[to - memory + i] = *(const uint8_t *)(from + i);
    }
}

/* What a block knows of its tile, behind the barrier. */
static __device__ __forceinline__ struct wl_permute_place &tile_place(const struct wl_permute_bulk &p) {
    return *(struct wl_permute_place *)(wl_permute_memory + p.barrier + 8);
}

/* Finds the tile's place, and has one thread note it and set up the barrier. */
static __device__ __forceinline__ struct wl_permute_place find_tile(const struct wl_permute_bulk &p) {
    struct wl_permute_place place;
    place.ends = wl_tile_place(p.tiles, blockIdx.x, &place.in, &place.out, &place.first);
    if (p.joined_rows)
        place.ends = (place.first == 0) + 2 * (place.first + p.turn.count == p.joined_rows);
    if (threadIdx.x == 0) {
        tile_place(p) = place;
        wl_barrier_init((wl_barrier *)(wl_permute_memory + p.barrier), WL_THREADS);
    }
    return place;
}

/* Fills the tile and all tables, and waits for them.  table_bytes: bytes of a table of rows' places.  Where
 * loads have a table, one warp finds the tile's place for all: rows are many then, and other warps have
 * enough to do.  Where they are few, all find it, and it stays in uniform registers. */
static __device__ __forceinline__ void fill(const struct wl_permute_bulk &p, uint32_t table_bytes) {
    wl_barrier *barrier = (wl_barrier *)(wl_permute_memory + p.barrier);
    if (p.load_table == 0) {
        const struct wl_permute_place place = find_tile(p);
        __syncthreads();
        wl_load_rows(p, place.in, place.first, barrier);
        note_runs(p, place.out, table_bytes);
    } else {
        if (threadIdx.x < 32)
            find_tile(p);
        __syncthreads();
        note_loads(p, tile_place(p).in, tile_place(p).first, barrier);
        __syncthreads();
        if (p.vectors.count)
            load_vectors(p);
        note_rows(p);
        note_runs(p, tile_place(p).out, table_bytes);
        if (p.vectors.count)
            wl_async_wait();
    }
    __syncthreads();
    wl_barrier_wait(barrier, 0);
}

#endif
