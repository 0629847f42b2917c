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
#include "lib/permute/permute_fill.cuh"
#include "lib/transpose/transpose_tile.cuh"

/* Notes a row's place, and where a run continues along the rows; a table's last word is filled up. */
static __device__ __forceinline__ void note_row(const struct wl_permute_bulk &p, uint32_t turn, uint32_t i,
                                                uint32_t place) {
    uint16_t *table = (uint16_t *)(wl_permute_memory + p.row_table + turn * p.table);
    table[i] = (uint16_t)place;
    if (p.wraps) {
#pragma unroll 1
        while ((i += p.turn.count) < p.table_rows)
            table[i] = (uint16_t)++place;
    } else if (i == p.turn.count - 1) {
#pragma unroll 1
        while (++i < p.table_rows)
            table[i] = (uint16_t)place;
    }
}

static __device__ __forceinline__ uint32_t word_at(uint32_t at) {
    return *(const uint32_t *)(wl_permute_memory + at);
}

/* Four rows that a lane walks along: where their next words are, the words that it has, and the shifts. */
struct rows {
    uint32_t at[4], low[4], bits[4];
};

/* paired: rows begin at multiples of 8 bytes, and so do the columns that are taken. */
template <bool paired>
static __device__ __forceinline__ void begin_rows(struct rows &rows, uint32_t table, uint32_t along) {
    const uint2 four = *(const uint2 *)(wl_permute_memory + table);
    const uint32_t place[4] = {four.x & 0xffff, four.x >> 16, four.y & 0xffff, four.y >> 16};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        rows.at[i] = place[i] + along;
        if (!paired) {
            rows.bits[i] = rows.at[i] * 8;
            rows.at[i] &= ~3u;
            rows.low[i] = word_at(rows.at[i]);
        }
    }
}

/* Takes the next four columns of four rows, and puts their words where the warp puts columns together.  Of
 * paired rows it loads two words at a time, for this step and the next, which is `odd`. */
template <bool paired>
static __device__ __forceinline__ void take_words(struct rows &rows, uint32_t *const (&put)[4],
                                                  uint32_t along, bool odd) {
    uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (!paired) {
            rows.at[i] += 4;
            const uint32_t high = word_at(rows.at[i]);
            words[i] = __funnelshift_r(rows.low[i], high, rows.bits[i]);
            rows.low[i] = high;
        } else if (odd) {
            words[i] = rows.low[i];
        } else {
            const uint2 two = *(const uint2 *)(wl_permute_memory + rows.at[i]);
            words[i] = two.x;
            rows.low[i] = two.y;
            rows.at[i] += 8;
        }
    }
    wl_transpose_group(words);
#pragma unroll
    for (int i = 0; i < 4; i++)
        put[i][along] = words[i];
}

/* Stores whole sectors: lanes are words of runs, and then vectors of four columns.
 *
 * two: a lane takes two words of each column.  plain: all lanes have the same columns, and runs end with
 * them; then the limits are found once, and no lane needs a test for columns.  paired: see begin_rows().  A
 * lane past the last row takes the last ones again: what it puts is not stored. */
template <bool two, bool plain, bool paired>
static __device__ __forceinline__ void store_sectors(const struct wl_permute_bulk &p) {
    const uint32_t lane = threadIdx.x % 32, lanes = plain ? 32 : p.lanes, deep = 32 / lanes,
                   part = lane / lanes, along = lane % lanes, across = lanes / 4, j = along / across,
                   q = along % across, held = 4 * lanes << two;
    uint32_t *const stage = (uint32_t *)(wl_permute_memory + p.stage + threadIdx.x / 32 * WL_PERMUTE_STAGE) +
                            part * 4 * p.stage_pitch;
    uint32_t *const put[4] = {stage + along, stage + p.stage_pitch + along, stage + 2 * p.stage_pitch + along,
                              stage + 3 * p.stage_pitch + along};
    const uint32_t *const get = stage + j * p.stage_pitch + 4 * q;
    const uint64_t next = 4 * p.column_out;
    const bool joined = !plain && p.inner.count < p.columns, wraps = !plain && p.wraps;
    for (uint32_t task = threadIdx.x / 32; task < p.tasks; task += WL_THREADS / 32) {
        const uint32_t number = task * deep + part;
        const uint32_t rest = wl_divide_any(number, &p.chunks);
        const uint32_t column = (number - rest * p.chunks.count) * p.chunk * 4;
        const bool live = plain || number < p.parts;
        const uint32_t r = wl_divide_any(rest, &p.stretches), base = (rest - r * p.stretches.count) * p.step;
        const struct run run = run_of(p, live ? r : 0);
        struct rows rows[2];
#pragma unroll
        for (int h = 0; h <= two; h++) {
            const uint32_t row = min(base + 4 * along + 128 * h, p.table_rows - 4);
            begin_rows<paired>(rows[h], run.table + row * 2, run.along + column);
        }
        uint64_t to = run.to + base + (uint64_t)(column + j) * p.column_out;
        uint32_t inner = column + j;
        if (joined) {
            const uint32_t outer = wl_divide(inner, &p.inner);
            inner -= outer * p.inner.count;
            to += outer * p.column_skip;
        }
        /* Bytes of the run from here on, and of all columns that it continues in.  Sectors that end at `most`
         * or before it are stored, if they begin before the next task's, as `limit` says. */
        const uint32_t rows_left = p.span.count - base,
                       limit = min(held, (wraps ? min(p.step, rows_left) : p.step) + SECTOR - 1);
        uint32_t most = wraps ? (p.inner.count - inner) * p.span.count - base : rows_left;
        int left = live ? (int)(p.columns - column) : 0;
        const uint32_t steps = plain ? min(p.chunk, (uint32_t)(left + 3) / 4) : p.chunk;
        const auto step = [&](bool odd) {
            if (plain || left > 0) {
                take_words<paired>(rows[0], put, 0, odd);
                if (two)
                    take_words<paired>(rows[1], put, 32, odd);
            }
            __syncwarp();
            const uint32_t before = before_sector(to), end = before + q / 2 * 32 + 32;
            const uint64_t at = to + before + 16 * q;
            const uint32_t *read = get + before / 4, last = (int)j < left ? min(most, limit) : 0;
#pragma unroll
            for (uint32_t h = 0; h <= two; h++)
                if (end + 128 * h <= last) {
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
            left -= 4;
            to += next;
            if (joined) {
                inner += 4;
#pragma unroll
                for (int k = 0; k < 2; k++) /* there are two columns at least */
                    if (inner >= p.inner.count) {
                        inner -= p.inner.count;
                        to += p.column_skip;
                    }
                if (wraps)
                    most = (p.inner.count - inner) * p.span.count - base;
            } else if (wraps) {
                most -= 4 * p.span.count;
            }
        };
#pragma unroll(plain && !paired ? 2 : 1)
        for (uint32_t g = 0; g < steps; g += 1 + paired) {
            step(false);
            if (paired && g + 1 < steps)
                step(true);
        }
    }
}

static __device__ __forceinline__ uint32_t place_of(const struct wl_permute_bulk &p, const struct run &run,
                                                    uint32_t i) {
    const uint32_t turns = p.wraps ? wl_divide_any(i, &p.span) : 0;
    i -= turns * p.span.count;
    return *(const uint16_t *)(wl_permute_memory + run.table + i * 2) + run.along + turns;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_NAME(const __grid_constant__ struct wl_permute_bulk p) {
    fill(p);
    const bool plain = p.lanes == 32 && !p.wraps && p.inner.count == p.columns;
    if (p.two) {
        if (plain && p.paired)
            store_sectors<true, true, true>(p);
        else if (plain)
            store_sectors<true, true, false>(p);
        else
            store_sectors<true, false, false>(p);
    } else if (plain && p.paired) {
        store_sectors<false, true, true>(p);
    } else if (plain) {
        store_sectors<false, true, false>(p);
    } else {
        store_sectors<false, false, false>(p);
    }
    if (p.torn && tile_place(p).ends)
        store_ends(p, tile_place(p).ends);
}
