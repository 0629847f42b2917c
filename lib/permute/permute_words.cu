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
#include "lib/cuda/earlier.cuh"
#include "lib/permute/permute_fill.cuh"
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
        uint32_t inner = column + j;
        if (p.inner.count < p.columns) {
            const uint32_t outer = wl_divide(inner, &p.inner);
            inner -= outer * p.inner.count;
            to += outer * p.column_skip;
        }
        /* Bytes of the run from here on, and of all columns that it continues in. */
        const uint32_t rows_left = p.span.count - base, starts = p.wraps ? min(p.step, rows_left) : p.step;
        int left = live ? (int)(p.columns - column) : 0;
        uint32_t most = p.wraps ? (p.inner.count - inner) * p.span.count - base : rows_left;
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
            if (p.inner.count < p.columns) {
                inner += 4;
#pragma unroll
                for (int k = 0; k < 2; k++) /* there are two columns at least */
                    if (inner >= p.inner.count) {
                        inner -= p.inner.count;
                        to += p.column_skip;
                    }
                if (p.wraps)
                    most = (p.inner.count - inner) * p.span.count - base;
            } else if (p.wraps) {
                most -= 4 * p.span.count;
            }
        }
    }
}

static __device__ __forceinline__ void store_element(const struct wl_permute_bulk &p, const struct run &run,
                                                     uint64_t to, uint32_t column, uint32_t i) {
    if (p.wraps) {
        uint32_t turns = wl_divide_any(i, &p.span);
        column += turns;
        i -= turns * p.span.count;
    }
    const uint32_t place = *(const uint16_t *)(wl_permute_memory + run.table + i * 2);
    *(uint8_t *)to = wl_permute_memory[place + run.along + column];
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    wl_await_earlier();
    fill(p, p.table);
    store_sectors(p);
    if (p.torn && tile_place(p).ends)
        store_ends(p, tile_place(p).ends);
}
