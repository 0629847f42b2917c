/* Transposes bands of rows in place.  A band of 2^log rows becomes as many segments as the matrix has columns,
 * 2^log elements of a column each; the segments lie where the band lay, column after column.
 *
 * The segments are those that the transpose will be made of, cut at multiples of 2^log elements from the
 * matrix's beginning on.  Column c begins floor(c rows / 2^log) segments and `phase` elements after it.  So
 * segment q of column c has `phase` elements of the band before.  The first has them from the end of column
 * c - 1.  A column has as many segments as there are bands, or one more: these lie after the last band.
 *
 * Blocks of a team have a strip of the columns each, and go from band to band.  They keep two bands in shared
 * memory.  A band is written once all of its strips have been read.  A team reads the band before its first
 * one, or from the last rows what comes before the first, before it does anything else; the team whose band
 * that is waits for it before it writes that band.  All blocks run at the same time.
 *
 * Backwards the same, from the last band to the first: segments are read, and rows written.  A team begins with
 * the segments after its last band.
 *
 * Flags are relaxed: what is waited for are reads, whose values are in shared memory before a flag is raised.
 *
 * Traffic: every element is read once and written once.
 */
#include "lib/cuda/flags.cuh"
#include "lib/inplace/bands.h"
#include "lib/inplace/inplace.cuh"

#undef WL_THREADS
#define WL_THREADS WL_BANDS_THREADS
#undef WL_LOADS
#define WL_LOADS WL_BANDS_LOADS
/* Vectors of a piece of a row. */
#define WL_PIECE (WL_BANDS_BYTES / WL_BANDS_SEGMENT * WL_WIDTH / 16)

struct wl_strip {
    const struct wl__bands *b;
    wl_word *matrix;
    uint64_t col;  /* first column */
    unsigned cols; /* columns */
    unsigned mask; /* rows of a band, less one */
    bool flat;     /* a strip has all columns: rows are contiguous, and a band is one piece */
    unsigned start, step, pitch; /* the byte in a vector at which row 0 begins; more for each row; of rows */
};

/* ---------------------------------------------------------------- shared memory */

/* The byte of row r, column c: the low bits of r are enough. */
static __device__ __forceinline__ unsigned wl_offset(const struct wl_strip *s, unsigned r, unsigned c) {
    unsigned band = (r >> s->b->log & 1) * WL_BANDS_REGION;
    return band + (r & s->mask) * s->pitch + ((s->start + r * s->step) & 15) + c * WL_WIDTH;
}

static __device__ __forceinline__ char *wl_at(unsigned offset) {
    return (char *)wl_dynamic + WL_BANDS_AT(offset);
}

static __device__ __forceinline__ wl_word *wl_element_at(const struct wl_strip *s, unsigned r, unsigned c) {
    return (wl_word *)wl_at(wl_offset(s, r, c));
}

/* ---------------------------------------------------------------- pieces of rows */

/* Vector i of a band: its address, place in shared memory, and the bytes of it that belong to the strip. */
struct wl_spot {
    uintptr_t address;
    unsigned offset;
    int from, to;
};

static __device__ __forceinline__ struct wl_spot wl_spot(const struct wl_strip *s, uint64_t band, unsigned i) {
    const unsigned p = s->flat ? 0 : i / WL_PIECE, v = s->flat ? i : i % WL_PIECE;
    const uint64_t row = (band << s->b->log) + p;
    const unsigned rows = band < s->b->bands ? s->mask + 1 : s->b->rest;
    const uintptr_t begin = (uintptr_t)(s->matrix + row * s->b->cols + s->col);
    const unsigned shift = (unsigned)begin & 15;
    const int bytes = (int)((s->flat ? rows * s->cols : s->cols) * WL_WIDTH);
    struct wl_spot spot;
    spot.address = begin - shift + 16 * v;
    spot.offset = ((unsigned)band & 1) * WL_BANDS_REGION + p * s->pitch + 16 * v;
    spot.from = max(0, (int)shift - (int)(16 * v));
    spot.to = p < rows ? min(16, (int)shift + bytes - (int)(16 * v)) : 0;
    return spot;
}

static __device__ __forceinline__ bool wl_inside(const struct wl_strip *s, uintptr_t address) {
    return address >= (uintptr_t)s->matrix &&
           address + 16 <= (uintptr_t)(s->matrix + s->b->rows * s->b->cols);
}

static __device__ __forceinline__ void wl_load_rows(const struct wl_strip *s, uint64_t band,
                                                    uint4 loaded[WL_LOADS]) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_spot spot = wl_spot(s, band, threadIdx.x + k * WL_THREADS);
        if (spot.from < spot.to && wl_inside(s, spot.address))
            loaded[k] = __ldcg((const uint4 *)spot.address);
    }
}

static __device__ __forceinline__ void wl_keep_spot(const struct wl_strip *s, const struct wl_spot *spot,
                                                    uint4 vector) {
    if (spot->from >= spot->to)
        return;
    if (wl_inside(s, spot->address)) {
        *(uint4 *)wl_at(spot->offset) = vector;
        return;
    }
#pragma unroll 1
    for (int at = spot->from; at < spot->to; at += WL_WIDTH)
        *(wl_word *)wl_at(spot->offset + at) = __ldcg((const wl_word *)(spot->address + at));
}

static __device__ __forceinline__ void wl_keep_rows(const struct wl_strip *s, uint64_t band,
                                                    const uint4 loaded[WL_LOADS]) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_spot spot = wl_spot(s, band, threadIdx.x + k * WL_THREADS);
        wl_keep_spot(s, &spot, loaded[k]);
    }
    /* A full band that begins within a vector has one more. */
    if (s->flat && threadIdx.x == 0) {
        const struct wl_spot spot = wl_spot(s, band, WL_LOADS * WL_THREADS);
        if (spot.from < spot.to)
            wl_keep_spot(s, &spot, wl_inside(s, spot.address) ? __ldcg((const uint4 *)spot.address) : uint4());
    }
}

static __device__ __forceinline__ void wl_store_spot(const struct wl_spot *spot) {
    if (spot->from == 0 && spot->to == 16) {
        *(uint4 *)spot->address = *(const uint4 *)wl_at(spot->offset);
        return;
    }
#pragma unroll 1
    for (int at = spot->from; at < spot->to; at += WL_WIDTH)
        *(wl_word *)(spot->address + at) = *(const wl_word *)wl_at(spot->offset + at);
}

static __device__ __forceinline__ void wl_store_rows(const struct wl_strip *s, uint64_t band) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_spot spot = wl_spot(s, band, threadIdx.x + k * WL_THREADS);
        wl_store_spot(&spot);
    }
    if (s->flat && threadIdx.x == 0) {
        const struct wl_spot spot = wl_spot(s, band, WL_LOADS * WL_THREADS);
        wl_store_spot(&spot);
    }
}

/* ---------------------------------------------------------------- segments */

/* Elements of column c that its first segment has not. */
static __device__ __forceinline__ unsigned wl_phase(const struct wl_strip *s, uint64_t c) {
    return (unsigned)c * s->b->rest & s->mask;
}

/* Segments of columns before c that lie after the last band. */
static __device__ __forceinline__ uint64_t wl_further(const struct wl_strip *s, uint64_t c) {
    return c * s->b->rest >> s->b->log;
}

/* A vector of a segment: the strip's column, the row of its first element, its address; 0: there is none. */
struct wl_part_of {
    unsigned c, row;
    wl_word *at;
};

static __device__ __forceinline__ struct wl_part_of wl_part_of(const struct wl_strip *s, uint64_t band,
                                                               unsigned i) {
    const unsigned log = s->b->log - (WL_WIDTH == 1 ? 4 : WL_WIDTH == 2 ? 3 : WL_WIDTH == 4 ? 2 : WL_WIDTH == 8 ? 1 : 0);
    const unsigned e = (i & ((1u << log) - 1)) * WL_PART;
    struct wl_part_of part;
    part.c = i >> log;
    const uint64_t col = s->col + part.c;
    const unsigned phase = wl_phase(s, col);
    uint64_t place = band * s->b->cols + col;
    bool there = part.c < s->cols;
    if (band >= s->b->bands) {
        place = s->b->bands * s->b->cols + wl_further(s, col);
        there = there && phase + s->b->rest > s->mask;
    }
    part.row = ((unsigned)band << s->b->log) - phase + e;
    part.at = there ? s->matrix + (place << s->b->log) + e : NULL;
    return part;
}

union wl_elements {
    uint4 vector;
    wl_word element[WL_PART];
};

/* Where the matrix begins at no vector, by elements. */
static __device__ __forceinline__ uint4 wl_load_part(const wl_word *at) {
    if ((uintptr_t)at % 16 == 0)
        return __ldcg((const uint4 *)at);
    union wl_elements out;
#pragma unroll
    for (unsigned e = 0; e < WL_PART; e++)
        out.element[e] = __ldcg(at + e);
    return out.vector;
}

static __device__ __forceinline__ void wl_load_segments(const struct wl_strip *s, uint64_t band,
                                                        uint4 loaded[WL_LOADS]) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_part_of part = wl_part_of(s, band, threadIdx.x + k * WL_THREADS);
        if (part.at)
            loaded[k] = wl_load_part(part.at);
    }
}

static __device__ __forceinline__ void wl_keep_segments(const struct wl_strip *s, uint64_t band,
                                                        const uint4 loaded[WL_LOADS]) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_part_of part = wl_part_of(s, band, threadIdx.x + k * WL_THREADS);
        union wl_elements in;
        in.vector = loaded[k];
        if (part.at)
#pragma unroll
            for (unsigned e = 0; e < WL_PART; e++)
                *wl_element_at(s, part.row + e, part.c) = in.element[e];
    }
}

static __device__ __forceinline__ void wl_store_segments(const struct wl_strip *s, uint64_t band) {
#pragma unroll 1
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_part_of part = wl_part_of(s, band, threadIdx.x + k * WL_THREADS);
        if (!part.at)
            continue;
        union wl_elements out;
#pragma unroll
        for (unsigned e = 0; e < WL_PART; e++)
            out.element[e] = *wl_element_at(s, part.row + e, part.c);
        if ((uintptr_t)part.at % 16 == 0) {
            *(uint4 *)part.at = out.vector;
        } else {
#pragma unroll
            for (unsigned e = 0; e < WL_PART; e++)
                part.at[e] = out.element[e];
        }
    }
}

/* ---------------------------------------------------------------- what lies around the bands */

/* Elements after the last segment, of the last column: `place` where they belong, and their row. */
static __device__ __forceinline__ unsigned wl_tail(const struct wl_strip *s, wl_word **place, unsigned *row) {
    const uint64_t cols = s->b->cols, all = s->b->rows * cols;
    const unsigned tail = s->col + s->cols == cols ? (unsigned)all & s->mask : 0;
    *place = s->matrix + (all - tail);
    *row = (unsigned)s->b->rows - tail;
    return tail;
}

/* Reads the rows before the first: those of column c are the last of column c - 1. */
static __device__ __forceinline__ void wl_keep_last_rows(const struct wl_strip *s) {
    const uint64_t cols = s->b->cols;
    const wl_word *from = s->matrix + (s->b->rows - s->mask - 1) * cols + s->col - 1;
    unsigned c = threadIdx.x % s->cols, r = threadIdx.x / s->cols;
    const unsigned c_step = WL_THREADS % s->cols, r_step = WL_THREADS / s->cols;
#pragma unroll 4
    while (r <= s->mask) {
        *wl_element_at(s, r - s->mask - 1, c) = __ldcg(from + r * cols + c);
        c += c_step;
        r += r_step;
        if (c >= s->cols) {
            c -= s->cols;
            r++;
        }
    }
}

/* Reads the segments after the columns' last: the first of the next column, or what follows all. */
static __device__ __forceinline__ void wl_keep_next_columns(const struct wl_strip *s) {
    const unsigned size = s->mask + 1;
    wl_word *place;
    unsigned row, tail = wl_tail(s, &place, &row);
    for (unsigned i = threadIdx.x; i < s->cols * size; i += WL_THREADS) {
        const unsigned c = i >> s->b->log, e = i & s->mask, phase = wl_phase(s, s->col + c);
        const unsigned band = (unsigned)s->b->bands + (phase + s->b->rest > s->mask);
        if (s->col + c + 1 < s->b->cols)
            *wl_element_at(s, (band << s->b->log) - phase + e, c) =
                __ldcg(s->matrix + ((s->col + c + 1) << s->b->log) + e);
    }
    if (threadIdx.x < tail)
        for (unsigned e = threadIdx.x; e < tail; e += WL_THREADS)
            *wl_element_at(s, row + e, s->cols - 1) = __ldcg(place + e);
}

static __device__ __forceinline__ void wl_store_tail(const struct wl_strip *s) {
    wl_word *place;
    unsigned row, tail = wl_tail(s, &place, &row);
    for (unsigned e = threadIdx.x; e < tail; e += WL_THREADS)
        place[e] = *wl_element_at(s, row + e, s->cols - 1);
}

/* ---------------------------------------------------------------- teams */

/* One thread calls these. */
static __device__ __forceinline__ void wl_wait_for(const unsigned *counter, unsigned count) {
    while (wl_peek(counter) < count)
        ;
}

static __device__ __forceinline__ void wl_open_strip(struct wl_strip *s, const struct wl__bands *b) {
    const unsigned strip = blockIdx.x % b->strips;
    s->b = b;
    s->matrix = (wl_word *)__cvta_global_to_generic(b->matrix);
    s->col = (uint64_t)strip * b->strip;
    s->cols = (unsigned)min((uint64_t)b->strip, b->cols - s->col);
    s->mask = (1u << b->log) - 1;
    s->flat = b->strips == 1;
    s->start = (unsigned)(uintptr_t)(s->matrix + s->col) & 15;
    s->step = s->flat ? 0 : (unsigned)b->cols * WL_WIDTH & 15;
    s->pitch = s->flat ? (unsigned)b->cols * WL_WIDTH : 16 * WL_PIECE;
}

/* A team's bands, `first` to `last` - 1; the last team also has the rows after the bands. */
static __device__ __forceinline__ uint64_t wl_first_band(const struct wl__bands *b, unsigned team) {
    return b->bands * team / b->teams;
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BANDS_BLOCKS)
    WL_SIZED(bands)(const struct wl__bands bands) {
    struct wl_strip strip;
    const struct wl_strip *s = &strip;
    wl_open_strip(&strip, &bands);
    const unsigned team = blockIdx.x / bands.strips, next = team + 1 < bands.teams ? team + 1 : 0;
    unsigned *counters = (unsigned *)__cvta_global_to_generic(bands.counters);
    unsigned *mine = counters + team * WL_BANDS_COUNTERS, *theirs = counters + next * WL_BANDS_COUNTERS;
    const uint64_t first = wl_first_band(&bands, team), last = wl_first_band(&bands, team + 1);
    const uint64_t steps = last - first + (next == 0 && bands.rest);
    uint4 loaded[WL_LOADS];
    if (bands.rest) {
        if (first) {
            wl_load_rows(s, first - 1, loaded);
            wl_keep_rows(s, first - 1, loaded);
        } else {
            wl_keep_last_rows(s);
        }
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(mine + WL_BANDS_RING, 1);
    }
    wl_load_rows(s, first, loaded);
    for (uint64_t step = 0; step < steps; step++) {
        const uint64_t band = first + step;
        wl_keep_rows(s, band, loaded);
        __syncthreads();
        unsigned *ring = mine + step % WL_BANDS_RING;
        if (threadIdx.x == 0)
            atomicAdd(ring, 1);
        if (step + 1 < steps)
            wl_load_rows(s, band + 1, loaded);
        if (threadIdx.x == 0) {
            wl_wait_for(ring, (unsigned)(step / WL_BANDS_RING + 1) * bands.strips);
            if (bands.rest && band + 1 >= last)
                wl_wait_for(theirs + WL_BANDS_RING, bands.strips);
        }
        __syncthreads();
        wl_store_segments(s, band);
        if (band == bands.bands)
            wl_store_tail(s);
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BANDS_BLOCKS)
    WL_SIZED(bands_back)(const struct wl__bands bands) {
    struct wl_strip strip;
    const struct wl_strip *s = &strip;
    wl_open_strip(&strip, &bands);
    const unsigned team = blockIdx.x / bands.strips, before = team ? team - 1 : bands.teams - 1;
    unsigned *counters = (unsigned *)__cvta_global_to_generic(bands.counters);
    unsigned *mine = counters + team * WL_BANDS_COUNTERS, *theirs = counters + before * WL_BANDS_COUNTERS;
    const uint64_t first = wl_first_band(&bands, team), last = wl_first_band(&bands, team + 1);
    const uint64_t steps = last - first + (last == bands.bands && bands.rest);
    uint4 loaded[WL_LOADS];
    if (bands.rest) {
        if (last < bands.bands) {
            wl_load_segments(s, last, loaded);
            wl_keep_segments(s, last, loaded);
        } else {
            wl_keep_next_columns(s);
        }
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(mine + WL_BANDS_RING, 1);
    }
    wl_load_segments(s, first + steps - 1, loaded);
    for (uint64_t step = 0; step < steps; step++) {
        const uint64_t band = first + steps - 1 - step;
        wl_keep_segments(s, band, loaded);
        __syncthreads();
        unsigned *ring = mine + step % WL_BANDS_RING;
        if (threadIdx.x == 0)
            atomicAdd(ring, 1);
        if (step + 1 < steps)
            wl_load_segments(s, band - 1, loaded);
        if (threadIdx.x == 0) {
            wl_wait_for(ring, (unsigned)(step / WL_BANDS_RING + 1) * bands.strips);
            if (bands.rest && band == first)
                wl_wait_for(theirs + WL_BANDS_RING, bands.strips);
        }
        __syncthreads();
        wl_store_rows(s, band);
        __syncthreads();
    }
}
