/* What the two kernels share that permute through tiles filled by bulk copies: permute_bulk.cu, and
 * permute_narrow.cu for narrow elements.  It loads the tile's rows and finds their places in shared memory.
 * Each kernel picks elements from there in its own way.
 *
 * The including file defines WL_THREADS, the threads per block, and WL_NARROW, which says whether elements
 * are narrow: the kernels note rows' places differently, and only narrow elements have digits of one value,
 * which permute_bulk.cu need not check. */
#ifndef WIDELOAD_KERNELS_PERMUTE_BULK_CUH
#define WIDELOAD_KERNELS_PERMUTE_BULK_CUH

#include "lib/permute/permute.cuh"
#include "lib/permute/permute_turns.cuh"
#include "lib/permute/permute_window.cuh"

extern __shared__ __align__(128) unsigned char wl_permute_memory[];

#define SECTOR (WL_PERMUTE_SECTOR / WL_WIDTH)

/* Loads after which `swizzle` is added to their places: what a lane takes side by side. */
#ifndef WL_APART
#define WL_APART WL_EACH
#endif

/* n / count where count may be 1. */
static __device__ __forceinline__ uint32_t wl_divide_any(uint32_t n, const struct wl_permute_divisor *by) {
    return by->count == 1 ? n : wl_divide(n, by);
}

/* The same by the count of a digit, which can be 1 only for narrow elements. */
static __device__ __forceinline__ uint32_t wl_divide_digit(uint32_t n, const struct wl_permute_divisor *by) {
    return WL_NARROW ? wl_divide_any(n, by) : wl_divide(n, by);
}

/* Takes the lowest digit off a number. */
static __device__ __forceinline__ uint32_t wl_digit_of(uint32_t *number,
                                                       const struct wl_permute_divisor *by) {
    uint32_t rest = wl_divide_digit(*number, by), digit = *number - rest * by->count;
    *number = rest;
    return digit;
}

/* Which of a warp's groups of `p.lanes` lanes, a power of two, this lane is in. */
static __device__ __forceinline__ uint32_t wl_lanes_before(const struct wl_permute_bulk &p) {
    return threadIdx.x % 32 >> (31 - __clz((int)p.lanes));
}

/* Such groups of a warp. */
static __device__ __forceinline__ uint32_t wl_lanes_groups(const struct wl_permute_bulk &p) {
    return 32 >> (31 - __clz((int)p.lanes));
}

#if WL_NARROW
/* Each kernel defines it: notes the place of row i of a turn in its tables. */
static __device__ __forceinline__ void note_row(const struct wl_permute_bulk &p, uint32_t turn, uint32_t i,
                                                uint32_t place);
#endif

/* A thread's number where neighbours are in different warps: a warp issues its lanes' bulk copies one after
 * the other. */
static __device__ __forceinline__ uint32_t wl_apart(void) {
    return threadIdx.x % 32 * (WL_THREADS / 32) + threadIdx.x / 32;
}

/* Loads the tile's rows, the first of which is row `first` of joined dimensions, and notes each one's place
 * in shared memory: in one table, or if that takes longer, once its load is in flight. */
static __device__ __forceinline__ void wl_load_rows(const struct wl_permute_bulk &p, uint64_t tile,
                                                    uint32_t first, wl_barrier *barrier) {
    uint32_t bytes = 0;
#if !WL_NARROW
    uint32_t *place = (uint32_t *)(wl_permute_memory + p.row_table);
#endif
    for (uint32_t r = p.apart ? wl_apart() : threadIdx.x; r < p.rows; r += WL_THREADS) {
        uint64_t from = tile;
        uint32_t number = r, inner = 0, load_bytes = p.load;
        /* The load's number, and how often its first digit has wrapped before it. */
        uint32_t loads = 0, each = 1, turns = 0, turns_each = 1;
        if (p.joined_parts) {
            uint32_t row = wl_digit_of(&number, &p.turn), rest = first + row;
            uint32_t begin = wl_digit_of(&rest, &p.joined[0].by);
            loads = row;
            each = p.turn.count;
            turns = rest - wl_divide_digit(first, &p.joined[0].by);
            turns_each = p.turns;
            from += begin * p.joined[0].in;
            if (p.joined_load) {
                /* Contiguous rows: from the digit's first one or the tile's. */
                uint32_t before = min(begin, row), left = p.joined[0].by.count - begin;
                loads -= before;
                inner = before * p.joined_load;
                from -= inner;
                load_bytes = min(left, p.turn.count - row) * p.joined_load;
            }
            for (uint32_t i = 1; i < p.joined_parts; i++)
                from += wl_digit_of(&rest, &p.joined[i].by) * p.joined[i].in;
        }
        for (uint32_t i = 0; i < p.row_parts; i++) {
            uint32_t digit = wl_digit_of(&number, &p.row[i].by);
            if (p.row[i].inner) {
                inner += digit * p.row[i].inner;
            } else {
                if (each > 1) {
                    turns += digit * turns_each;
                    turns_each *= p.row[i].by.count;
                }
                loads += digit * each;
                each *= p.row[i].by.count;
                from += digit * p.row[i].in;
            }
        }
        uint32_t at = loads * p.pitch + loads / WL_APART * p.swizzle + turns * p.turn_pad;
        at += ((uint32_t)from - at) & (p.phase - 1);
#if !WL_NARROW
        place[r] = at + inner;
#endif
        if (inner == 0)
            bytes += wl_load_window(p.tiles, wl_permute_memory + at, from, load_bytes, barrier);
#if WL_NARROW
        const uint32_t turn = wl_divide_any(r, &p.turn);
        note_row(p, turn, r - turn * p.turn.count, at + inner);
#endif
    }
    if (bytes)
        wl_barrier_expect(barrier, bytes);
    else
        wl_barrier_arrive(barrier);
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
        wl_take_turn(p.start);
        tile_place(p) = place;
        wl_barrier_init((wl_barrier *)(wl_permute_memory + p.barrier), WL_THREADS);
    }
    return place;
}

#endif
