/* How permute_narrow.cu and its kin, permute_words.cu, permute_groups.cu and permute_units.cu, fill a tile
 * and its tables.  The including file defines note_row().
 *
 * Rows, not elements, are what takes time where they are short.  So each load's place is found once, and
 * rows' places follow from it by 32-bit arithmetic.  Loads of less than 512 bytes go by asynchronous loads, a
 * vector a lane: a bulk copy takes a loop of 24 instructions for each lane of a warp.  Long loads of narrow
 * elements are few, and the first row of each finds it. */
#ifndef WIDELOAD_KERNELS_PERMUTE_FILL_CUH
#define WIDELOAD_KERNELS_PERMUTE_FILL_CUH

#include "lib/cuda/async.cuh"
#include "lib/permute/permute_runs.cuh"

/* Marks a noted load that is under way.  The end that it notes is negative then: no vector lies before it. */
#define DONE 0x80000000u

/* Finds the tile's loads, the first of which is load `first` of joined dimensions, and notes the vector that
 * each begins in, in both memories, and where it ends from there.  Bulk copies bring those that are long, and
 * those at the array's ends, of which single elements may be needed. */
static __device__ __forceinline__ void note_loads(const struct wl_permute_bulk &p, uint64_t tile,
                                                  uint32_t first, wl_barrier *barrier) {
    const uint32_t memory = wl_async_address(wl_permute_memory);
    uint32_t bytes = 0;
    for (uint32_t load = p.vectors.count ? threadIdx.x : wl_apart(); load < p.loads; load += WL_THREADS) {
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
        const uint32_t past = (uint32_t)from % WL_PERMUTE_ACCESS, to = memory + at - past;
        uint32_t end = past + p.load;
        if (p.vectors.count == 0 || from - past < p.tiles.from ||
            from + p.load + WL_PERMUTE_ACCESS > p.tiles.from + p.tiles.bytes) {
            wl_await_earlier();
            bytes += wl_load_window(p.tiles, wl_permute_memory + at, from, p.load, barrier);
            end |= DONE;
        }
        *(uint4 *)(wl_permute_memory + p.load_table + load * 16) =
            make_uint4((uint32_t)(from - past), (uint32_t)((from - past) >> 32), to, end);
    }
    wl_await_earlier();
    if (bytes)
        wl_barrier_expect(barrier, bytes);
    else
        wl_barrier_arrive(barrier);
}

/* Notes the places of all rows.  Only a thread's first row takes divisions. */
static __device__ __forceinline__ void note_rows(const struct wl_permute_bulk &p) {
    enum { DIGITS = WL_PERMUTE_RANK + 1 };
    const uint32_t origin = wl_async_address(wl_permute_memory) + p.load;
    uint32_t digit[DIGITS], number = threadIdx.x, place = 0, turn = wl_divide_any(threadIdx.x, &p.turn),
                            i = threadIdx.x - turn * p.turn.count;
#pragma unroll
    for (uint32_t d = 0; d < DIGITS; d++) {
        if (d >= p.digits)
            break;
        digit[d] = wl_digit_of(&number, &p.digit[d].by);
        place += digit[d] * p.digit[d].place;
    }
    for (uint32_t row = threadIdx.x; row < p.rows;) {
        const uint2 noted = *(const uint2 *)(wl_permute_memory + p.load_table + (place >> 16) * 16 + 8);
        note_row(p, turn, i, noted.x + (noted.y & ~DONE) - origin + (place & 0xffff));
        row += WL_THREADS;
        if (row >= p.rows)
            break;
        turn += p.turn_steps;
        i += p.turn_step;
        if (i >= p.turn.count) {
            i -= p.turn.count;
            turn++;
        }
        uint32_t carry = 0;
#pragma unroll
        for (uint32_t d = 0; d < DIGITS; d++) {
            if (d >= p.digits)
                break;
            place += p.digit[d].step * p.digit[d].place;
            digit[d] += p.digit[d].step + carry;
            carry = digit[d] >= p.digit[d].by.count;
            if (carry) {
                digit[d] -= p.digit[d].by.count;
                place += p.digit[d].carry;
            }
        }
    }
}

/* Loads what was noted and is not under way, a vector of 16 bytes per lane.  A lane has the same vector of
 * each of its loads: those that are left over where the block's threads are no multiple of a load's are idle.
 */
static __device__ __forceinline__ void load_vectors(const struct wl_permute_bulk &p) {
    const uint32_t together = wl_divide_any(WL_THREADS, &p.vectors),
                   load = wl_divide_any(threadIdx.x, &p.vectors);
    const int at = (int)(threadIdx.x - load * p.vectors.count) * WL_PERMUTE_ACCESS;
    if (load >= together)
        return;
    const unsigned char *const end = wl_permute_memory + p.load_table + p.loads * 16;
    const unsigned char *place = wl_permute_memory + p.load_table + load * 16;
#pragma unroll 2
    for (; place < end; place += together * 16) {
        const uint4 noted = *(const uint4 *)place;
        if (at < (int)noted.w)
            wl_async_load_line(noted.z + at, (const void *)(((uint64_t)noted.y << 32 | noted.x) + at));
    }
}

/* Fills the tile and all tables, and waits for them.  What needs no memory comes before the wait for the
 * kernels before this one.  Where loads have a table, one warp finds the tile's place for all: rows are many
 * then, and other warps have enough to do.  Where they are few, all find it, and it stays in uniform
 * registers. */
static __device__ __forceinline__ void fill(const struct wl_permute_bulk &p) {
    wl_barrier *barrier = (wl_barrier *)(wl_permute_memory + p.barrier);
    if (p.load_table == 0) {
        const struct wl_permute_place place = find_tile(p);
        __syncthreads();
        wl_await_earlier();
        wl_load_rows(p, place.in, place.first, barrier);
        note_runs(p, place.out);
    } else {
        if (threadIdx.x < 32)
            find_tile(p);
        __syncthreads();
        note_loads(p, tile_place(p).in, tile_place(p).first, barrier);
        __syncthreads();
        if (p.vectors.count)
            load_vectors(p);
        note_rows(p);
        note_runs(p, tile_place(p).out);
        if (p.vectors.count)
            wl_async_wait();
    }
    __syncthreads();
    wl_barrier_wait(barrier, 0);
    wl_let_next(p.start);
}

#endif
