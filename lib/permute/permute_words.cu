/* Permutes dimensions of bytes through tiles in shared memory that bulk copies fill, by words.  Rows begin
 * anywhere.  Tiles are those of permute_bulk.cu.
 *
 * A lane takes four rows that follow each other in a run of the output, and walks along them.  It reads a
 * word of each: two words of shared memory make one that begins anywhere, and the second serves the next
 * step.  It transposes the four in registers: each word is then part of another column's run.  These begin at
 * any byte of a word, so the warp puts four columns' parts together in shared memory of its own.  From there
 * its lanes read them again, shifted to where they begin, and store vectors of 16 bytes.
 *
 * Traffic: every byte is written once and read once, but for the sectors that two tiles share at the ends of
 * their rows.  Only whole sectors are written, except at the ends of the array's rows, or of a tile whose
 * runs cannot overlap with its neighbours': the rest there is written by elements, one per lane.
 *
 * Bank conflicts: rows keep their places modulo 16 bytes or more, so their distance decides.  Lanes are four
 * rows apart, and where that is a multiple of 16 bytes, every four rows lie 16 bytes further: 4 passes at
 * most.  Four columns that are read again begin at different words modulo 4 where their distance allows it
 * (stage_pad() in permute_bulk_layout.c). */
#define WL_NARROW  1
#define WL_THREADS WL_PERMUTE_WORDS_THREADS
#define WL_APART   4
#include "lib/cuda/async.cuh"
#include "lib/cuda/earlier.cuh"
#include "lib/permute/permute_runs.cuh"
#include "lib/transpose/transpose_tile.cuh"

/* Notes a row's place, and where a run continues along the rows; a table's last word is filled up. */
static __device__ __forceinline__ void note_row(const struct wl_permute_bulk &p, uint32_t row,
                                                uint32_t place) {
    const uint32_t turn = wl_divide_any(row, &p.turn);
    uint32_t i = row - turn * p.turn.count;
    uint16_t *table = (uint16_t *)(wl_permute_memory + p.row_table + turn * p.table);
    if (p.wraps) {
        for (; i < p.table_rows; i += p.turn.count, place++)
            table[i] = (uint16_t)place;
        return;
    }
    table[i] = (uint16_t)place;
    if (i == p.turn.count - 1)
        while (++i < p.table_rows)
            table[i] = (uint16_t)place;
}

static __device__ __forceinline__ uint32_t word_at(uint32_t at) {
    return *(const uint32_t *)(wl_permute_memory + at);
}

/* Four rows that a lane walks along: their next words, the words before, and the shifts. */
struct rows {
    uint32_t at[4], low[4], bits[4];
};

static __device__ __forceinline__ void begin_rows(struct rows &rows, uint32_t table, uint32_t along) {
    const uint2 four = *(const uint2 *)(wl_permute_memory + table);
    const uint32_t place[4] = {four.x & 0xffff, four.x >> 16, four.y & 0xffff, four.y >> 16};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t at = place[i] + along;
        rows.bits[i] = at * 8;
        rows.at[i] = at & ~3u;
        rows.low[i] = word_at(rows.at[i]);
    }
}

static __device__ __forceinline__ void take_words(struct rows &rows, uint32_t (&words)[4]) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
        rows.at[i] += 4;
        const uint32_t high = word_at(rows.at[i]);
        words[i] = __funnelshift_r(rows.low[i], high, rows.bits[i]);
        rows.low[i] = high;
    }
    wl_transpose_group(words);
}

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

/* Stores whole sectors: lanes are words of runs, and then vectors of four columns. */
static __device__ __forceinline__ void store_sectors(const struct wl_permute_bulk &p) {
    const uint32_t lane = threadIdx.x % 32, deep = 32 / p.lanes, part = lane / p.lanes,
                   along = lane % p.lanes, across = p.lanes / 4, j = along / across, q = along % across,
                   held = 4 * p.lanes << p.two;
    uint32_t *const stage = (uint32_t *)(wl_permute_memory + p.stage + threadIdx.x / 32 * WL_PERMUTE_STAGE) +
                            part * 4 * p.stage_pitch;
    uint32_t *const put0 = stage + along, *const put1 = put0 + p.stage_pitch,
                    *const put2 = put1 + p.stage_pitch, *const put3 = put2 + p.stage_pitch;
    const uint32_t *const get = stage + j * p.stage_pitch + 4 * q;
    const uint64_t next = 4 * p.column_out;
    for (uint32_t task = threadIdx.x / 32; task < p.tasks; task += WL_THREADS / 32) {
        const uint32_t number = task * deep + part;
        const uint32_t rest = wl_divide_any(number, &p.chunks);
        const uint32_t column = (number - rest * p.chunks.count) * p.chunk * 4;
        const bool live = number < p.parts;
        const uint32_t r = wl_divide_any(rest, &p.stretches), base = (rest - r * p.stretches.count) * p.step;
        const struct run run = run_of(p, live ? r : 0);
        const uint32_t row = base + 4 * along;
        const bool first = live && row < p.table_rows, second = p.two && live && row + 128 < p.table_rows;
        struct rows rows[2] = {};
        if (first)
            begin_rows(rows[0], run.table + row * 2, run.along + column);
        if (second)
            begin_rows(rows[1], run.table + row * 2 + 256, run.along + column);
        uint64_t to = run.to + base + (uint64_t)(column + j) * p.column_out;
        /* Bytes of the run from here on, and of all columns together. */
        const uint32_t rows_left = p.span.count - base, starts = p.wraps ? min(p.step, rows_left) : p.step;
        int left = live ? (int)(p.columns - column) : 0;
        uint32_t most = p.wraps ? ((uint32_t)left - j) * p.span.count - base : rows_left;
#pragma unroll 1
        for (uint32_t g = 0; g < p.chunk; g++, left -= 4) {
            uint32_t words[4];
            if (first && left > 0) {
                take_words(rows[0], words);
                put0[0] = words[0];
                put1[0] = words[1];
                put2[0] = words[2];
                put3[0] = words[3];
            }
            if (second && left > 0) {
                take_words(rows[1], words);
                put0[32] = words[0];
                put1[32] = words[1];
                put2[32] = words[2];
                put3[32] = words[3];
            }
            __syncwarp();
            const uint32_t before = before_sector(to), begin = before + q / 2 * 32;
            const uint64_t at = to + before + 16 * q;
            const uint32_t *read = get + before / 4;
#pragma unroll
            for (uint32_t h = 0; h < 2; h++)
                if ((int)j < left && (h == 0 || p.two) && begin + 128 * h < starts &&
                    begin + 128 * h + 32 <= min(most, held)) {
                    uint32_t word[5];
#pragma unroll
                    for (int k = 0; k < 5; k++)
                        word[k] = read[32 * h + k];
#pragma unroll
                    for (int k = 0; k < 4; k++)
                        word[k] = __funnelshift_r(word[k], word[k + 1], before * 8);
                    *(uint4 *)(at + 128 * h) = make_uint4(word[0], word[1], word[2], word[3]);
                }
            __syncwarp();
            to += next;
            if (p.wraps)
                most -= 4 * p.span.count;
        }
    }
}

static __device__ __forceinline__ void store_element(const struct wl_permute_bulk &p, const struct run &run,
                                                     uint32_t column, uint32_t i) {
    if (p.wraps) {
        uint32_t turns = wl_divide_any(i, &p.span);
        column += turns;
        i -= turns * p.span.count;
    }
    const uint32_t place = *(const uint16_t *)(wl_permute_memory + run.table + i * 2);
    *(uint8_t *)(run.to + column * p.column_out + i) = wl_permute_memory[place + run.along + column];
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    wl_await_earlier();
    wl_barrier *barrier = (wl_barrier *)(wl_permute_memory + p.barrier);
    /* One warp finds the tile's place for all. */
    struct wl_permute_place &tile = *(struct wl_permute_place *)(barrier + 1);
    if (threadIdx.x < 32) {
        uint64_t in, out;
        uint32_t first, ends = wl_tile_place(p.tiles, blockIdx.x, &in, &out, &first);
        if (p.joined_rows)
            ends = (first == 0) + 2 * (first + p.turn.count == p.joined_rows);
        if (threadIdx.x == 0) {
            tile.in = in;
            tile.out = out;
            tile.first = first;
            tile.ends = ends;
            wl_barrier_init(barrier, WL_THREADS);
        }
    }
    __syncthreads();
    const uint64_t in_tile = tile.in, out_tile = tile.out;
    const uint32_t ends = tile.ends, first = tile.first;
    if (p.joined_load) {
        wl_load_rows(p, in_tile, first, barrier);
    } else {
        note_loads(p, in_tile, first, barrier);
        __syncthreads();
        if (p.vectors.count)
            load_vectors(p);
        note_rows(p);
    }
    note_runs(p, out_tile, p.table);
    if (p.vectors.count)
        wl_async_wait();
    __syncthreads();
    wl_barrier_wait(barrier, 0);
    store_sectors(p);
    if (p.torn && ends)
        store_ends(p, ends);
}
