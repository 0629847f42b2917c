/* Transposes bands of rows in place.  A band of 2^log rows becomes as many segments as the matrix has
 * columns, 2^log elements of a column each; the segments lie where the band lay, column after column.
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
 * Backwards the same, from the last band to the first: segments are read, and rows written.  A team begins
 * with the segments after its last band.
 *
 * Flags are relaxed: what is waited for are reads, whose values are in shared memory before a flag is raised.
 *
 * Traffic: every element is read once and written once.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/flags.cuh"
#include "lib/inplace/bands.h"
#include "lib/inplace/inplace.cuh"

#undef WL_THREADS
#define WL_THREADS WL_BANDS_THREADS
#undef WL_LOADS
#define WL_LOADS WL_BANDS_LOADS
/* Vectors of a piece of a row. */
#define WL_PIECE (WL_BANDS_BYTES / WL_BANDS_SEGMENT * WL_WIDTH / 16)

/* A strip of the columns.  `flat`, wherever it is a template's argument: the strip has all columns, so rows
 * are contiguous, and a band is one piece.  Else a band is at most WL_BANDS_SEGMENT / WL_WIDTH rows. */
struct wl_strip {
    const struct wl__bands *b;
    wl_word *matrix;
    uint64_t col;         /* first column */
    unsigned cols, reads; /* columns of rows, and of segments that are read */
    unsigned mask;        /* rows of a band, less one */
    unsigned start;       /* the byte in a vector at which the matrix begins */
    bool aligned;         /* segments begin at vectors */
    uint64_t end;         /* the row after those that are written, backwards */
};

/* ---------------------------------------------------------------- shared memory */

/* Rows that shared memory has, and bytes of a piece there, if not flat. */
#define WL_ROWS (2 * (WL_BANDS_SEGMENT / WL_WIDTH))
#define WL_ROW  (16 * WL_PIECE)

/* The place of byte x of row r: the low bits of r are enough.  Elements that are read together, of rows
 * WL_PART apart, are in different banks.  Flat rows begin as in memory, others at a vector, 16 bytes after
 * the one before. */
template <bool flat>
static __device__ __forceinline__ char *wl_at(const struct wl_strip *s, unsigned r, unsigned x) {
    if (flat) {
        unsigned band = (r >> s->b->log & 1) * WL_BANDS_REGION;
        return (char *)wl_dynamic + WL_BANDS_AT(band + (r & s->mask) * (unsigned)s->b->cols * WL_WIDTH + x);
    }
    r %= WL_ROWS;
    return (char *)wl_dynamic + 16 + r * (WL_ROW + 16) + (WL_WIDTH < 16 ? r / WL_PART * 16 : 0) + (int)x;
}

template <bool flat>
static __device__ __forceinline__ wl_word *wl_element_at(const struct wl_strip *s, unsigned r, unsigned c) {
    return (wl_word *)wl_at<flat>(s, r, (flat ? s->start : 0) + c * WL_WIDTH);
}

/* Column c of WL_PART rows from row r on.  If not flat, they are a constant distance apart, up to the next
 * multiple of WL_PART rows and from there on. */
struct wl_column {
    char *low, *high;
    unsigned turn; /* the first of them that is at `high` */
};

template <bool flat>
static __device__ __forceinline__ struct wl_column wl_column(const struct wl_strip *s, unsigned r,
                                                             unsigned c) {
    struct wl_column column = {NULL, NULL, WL_PART - r % WL_PART};
    if (flat)
        return column;
    column.low = wl_at<flat>(s, r, c * WL_WIDTH);
    column.high = wl_at<flat>(s, r + column.turn, c * WL_WIDTH) - column.turn * (WL_ROW + 16);
    return column;
}

template <bool flat>
static __device__ __forceinline__ wl_word *
wl_in_column(const struct wl_strip *s, const struct wl_column *column, unsigned r, unsigned c, unsigned e) {
    if (flat)
        return wl_element_at<flat>(s, r + e, c);
    return (wl_word *)((e < column->turn ? column->low : column->high) + e * (WL_ROW + 16));
}

/* ---------------------------------------------------------------- pieces of rows */

union wl_elements {
    uint4 vector;
    wl_word element[WL_PART];
};

/* Vector i of a band that begins at `band`: its address; its piece, and byte of it; the byte at which the
 * piece begins; and the bytes of the vector that belong to the strip. */
struct wl_spot {
    uintptr_t address;
    unsigned p, x;
    int shift, from, to;
};

template <bool flat>
static __device__ __forceinline__ struct wl_spot wl_spot(const struct wl_strip *s, const wl_word *band,
                                                         unsigned rows, unsigned i) {
    struct wl_spot spot;
    spot.p = flat ? 0 : i / WL_PIECE;
    spot.x = 16 * (flat ? i : i % WL_PIECE);
    const uintptr_t begin = (uintptr_t)(band + spot.p * s->b->cols);
    const int bytes = (int)((flat ? rows * s->cols : s->cols) * WL_WIDTH);
    spot.shift = (int)(begin & 15);
    spot.address = begin - spot.shift + spot.x;
    spot.from = max(0, spot.shift - (int)spot.x);
    spot.to = spot.p < rows ? min(16, spot.shift + bytes - (int)spot.x) : 0;
    return spot;
}

template <bool flat>
static __device__ __forceinline__ struct wl_spot wl_spot_of(const struct wl_strip *s, uint64_t band,
                                                            unsigned i) {
    return wl_spot<flat>(s, s->matrix + (band << s->b->log) * s->b->cols + s->col,
                         band < s->b->bands ? s->mask + 1 : s->b->rest, i);
}

/* Vectors of a band per thread.  A flat band that begins within a vector may have one more. */
template <bool flat> static __device__ __forceinline__ unsigned wl_spots() {
    return flat ? WL_LOADS + 1 : WL_LOADS;
}

static __device__ __forceinline__ bool wl_inside(const struct wl_strip *s, uintptr_t address) {
    return address >= (uintptr_t)s->matrix &&
           address + 16 <= (uintptr_t)(s->matrix + s->b->rows * s->b->cols);
}

template <bool flat>
static __device__ __forceinline__ void wl_load_rows(const struct wl_strip *s, uint64_t band,
                                                    uint4 loaded[WL_LOADS]) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_spot spot = wl_spot_of<flat>(s, band, threadIdx.x + k * WL_THREADS);
        if (spot.from < spot.to && wl_inside(s, spot.address))
            loaded[k] = *wl_once((const uint4 *)spot.address);
    }
}

/* Elements of a vector, from byte `from` up to byte `to`. */
static __device__ __noinline__ uint4 wl_load_some(uintptr_t address, int from, int to) {
    union wl_elements in;
#pragma unroll
    for (int at = 0; at < 16; at += WL_WIDTH)
        in.element[at / WL_WIDTH] =
            at >= from && at < to ? __ldcg((const wl_word *)(address + at)) : wl_word();
    return in.vector;
}

static __device__ __noinline__ void wl_store_some(uintptr_t address, int from, int to, uint4 vector) {
    union wl_elements out;
    out.vector = vector;
#pragma unroll
    for (int at = 0; at < 16; at += WL_WIDTH)
        if (at >= from && at < to)
            *(wl_word *)(address + at) = out.element[at / WL_WIDTH];
}

/* The vector from byte `shift` of this lane's on, with what follows in the next lane's: a warp has whole
 * pieces, but for the widest elements.  All lanes call it. */
static __device__ __forceinline__ uint4 wl_across_lanes(uint4 vector, unsigned shift) {
    if (WL_WIDTH >= 8)
        return vector;
    const uint4 next = {__shfl_down_sync(~0u, vector.x, 1), __shfl_down_sync(~0u, vector.y, 1),
                        __shfl_down_sync(~0u, vector.z, 1), __shfl_down_sync(~0u, vector.w, 1)};
    return wl_across(vector, next, shift);
}

/* Vectors that reach out of the matrix are read by elements. */
template <bool flat>
static __device__ __forceinline__ void wl_keep_rows(const struct wl_strip *s, uint64_t band,
                                                    const uint4 loaded[WL_LOADS]) {
#pragma unroll
    for (unsigned k = 0; k < wl_spots<flat>(); k++) {
        const struct wl_spot spot = wl_spot_of<flat>(s, band, threadIdx.x + k * WL_THREADS);
        const unsigned row = ((unsigned)band << s->b->log) + spot.p;
        const bool wanted = spot.from < spot.to;
        uint4 vector = k < WL_LOADS ? loaded[k] : uint4();
        if (wanted && (k == WL_LOADS || !wl_inside(s, spot.address)))
            vector = wl_load_some(spot.address, spot.from, spot.to);
        if (!flat)
            vector = wl_across_lanes(vector, spot.shift);
        if (wanted && !flat && WL_WIDTH == 8 && spot.shift) {
            *(uint2 *)wl_at<flat>(s, row, spot.x - 8) = make_uint2(vector.x, vector.y);
            *(uint2 *)wl_at<flat>(s, row, spot.x) = make_uint2(vector.z, vector.w);
        } else if (wanted) {
            *(uint4 *)wl_at<flat>(s, row, spot.x) = vector;
        }
    }
}

/* A vector that two strips share is the first one's.  So it has some columns more than are its own. */
template <bool flat>
static __device__ __forceinline__ void wl_store_rows(const struct wl_strip *s, uint64_t band) {
#pragma unroll
    for (unsigned k = 0; k < wl_spots<flat>(); k++) {
        struct wl_spot spot = wl_spot_of<flat>(s, band, threadIdx.x + k * WL_THREADS);
        const unsigned row = ((unsigned)band << s->b->log) + spot.p;
        if (!flat && s->col && spot.from > 0)
            continue;
        if (!flat && spot.from < spot.to)
            spot.to = min(16, spot.to + (int)((s->reads - s->cols) * WL_WIDTH));
        if (spot.from >= spot.to)
            continue;
        const uint4 vector =
            wl_staged_vector((const wl_word *)wl_at<flat>(s, row, spot.x - (flat ? 0 : spot.shift)));
        if (spot.from == 0 && spot.to == 16)
            *(uint4 *)spot.address = vector;
        else
            wl_store_some(spot.address, spot.from, spot.to, vector);
    }
}

/* Reads the rows before the first: those of column c are the last of column c - 1. */
template <bool flat> static __device__ __forceinline__ void wl_keep_last_rows(const struct wl_strip *s) {
    const wl_word *band = s->matrix + (s->b->rows - s->mask - 1) * s->b->cols + s->col - 1;
#pragma unroll 2
    for (unsigned k = 0; k < wl_spots<flat>(); k++) {
        const struct wl_spot spot = wl_spot<flat>(s, band, s->mask + 1, threadIdx.x + k * WL_THREADS);
        union wl_elements in;
        if (spot.from >= spot.to)
            continue;
        const bool inside = wl_inside(s, spot.address);
        if (inside)
            in.vector = __ldcg((const uint4 *)spot.address);
#pragma unroll
        for (unsigned e = 0; e < WL_PART; e++) {
            const int at = e * WL_WIDTH;
            if (at < spot.from || at >= spot.to)
                continue;
            const unsigned i = (spot.x + at - spot.shift) / WL_WIDTH;
            const unsigned r = flat ? i / s->cols : spot.p, c = flat ? i % s->cols : i;
            *wl_element_at<flat>(s, r - s->mask - 1, c) =
                inside ? in.element[e] : __ldcg((const wl_word *)(spot.address + at));
        }
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

/* Element e of a band's segments: the strip's column and the row; its address, or NULL.  The band after the
 * rows that follow the bands has the segments after the columns' last: the first of the next column each. */
struct wl_item {
    unsigned c, row;
    wl_word *at;
};

static __device__ __forceinline__ struct wl_item wl_item(const struct wl_strip *s, uint64_t band,
                                                         unsigned e) {
    struct wl_item item;
    item.c = e >> s->b->log;
    e &= s->mask;
    const uint64_t col = s->col + item.c;
    const unsigned phase = wl_phase(s, col);
    uint64_t place = band * s->b->cols + col;
    bool there = true;
    if (band >= s->b->bands) {
        const bool one_more = phase + s->b->rest > s->mask;
        if (band == s->b->bands) {
            place = s->b->bands * s->b->cols + wl_further(s, col);
            there = one_more;
        } else {
            place = col + 1;
            there = place < s->b->cols;
            band = s->b->bands + one_more;
        }
    }
    item.row = ((unsigned)band << s->b->log) - phase + e;
    item.at = there ? s->matrix + (place << s->b->log) + e : NULL;
    return item;
}

/* The same for a vector, or NULL.  If not flat, a warp has four columns that are a word of shared memory
 * apart: then no two lanes want the same bank. */
template <bool flat>
static __device__ __forceinline__ struct wl_item wl_items(const struct wl_strip *s, uint64_t band,
                                                          unsigned cols, unsigned i) {
    const unsigned apart = WL_WIDTH < 4 ? 4 / WL_WIDTH : 1, each = WL_BANDS_SEGMENT / 16;
    if (!flat) {
        const unsigned c = i / each, in = c % (4 * apart);
        i = (c - in + in % 4 * apart + in / 4) * each + i % each;
    }
    struct wl_item item = wl_item(s, band, i * WL_PART);
    if (item.c >= cols)
        item.at = NULL;
    return item;
}

/* The same backwards, if rows before s->end have any of it: it begins not far from there. */
template <bool flat>
static __device__ __forceinline__ struct wl_item wl_items_back(const struct wl_strip *s, uint64_t band,
                                                               unsigned i) {
    struct wl_item item = wl_items<flat>(s, band, s->reads, i);
    if ((band << s->b->log) >= s->end && (int)(item.row - (unsigned)s->end) >= 0)
        item.at = NULL;
    return item;
}

template <bool flat>
static __device__ __forceinline__ void wl_load_segments(const struct wl_strip *s, uint64_t band,
                                                        uint4 loaded[WL_LOADS]) {
    if (s->aligned)
#pragma unroll
        for (unsigned k = 0; k < WL_LOADS; k++) {
            const struct wl_item item = wl_items_back<flat>(s, band, threadIdx.x + k * WL_THREADS);
            if (item.at)
                loaded[k] = *wl_once((const uint4 *)item.at);
        }
}

template <bool flat>
static __device__ __forceinline__ void wl_keep_segments(const struct wl_strip *s, uint64_t band,
                                                        const uint4 loaded[WL_LOADS]) {
    if (!s->aligned) {
#pragma unroll 4
        for (unsigned e = threadIdx.x; e < s->reads << s->b->log; e += WL_THREADS) {
            const struct wl_item item = wl_item(s, band, e);
            if (item.at)
                *wl_element_at<flat>(s, item.row, item.c) = __ldcg(item.at);
        }
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_item item = wl_items_back<flat>(s, band, threadIdx.x + k * WL_THREADS);
        union wl_elements in;
        in.vector = loaded[k];
        if (!item.at)
            continue;
        const struct wl_column column = wl_column<flat>(s, item.row, item.c);
#pragma unroll
        for (unsigned e = 0; e < WL_PART; e++)
            *wl_in_column<flat>(s, &column, item.row, item.c, e) = in.element[e];
    }
}

template <bool flat>
static __device__ __forceinline__ void wl_store_segments(const struct wl_strip *s, uint64_t band) {
    if (!s->aligned) {
#pragma unroll 4
        for (unsigned e = threadIdx.x; e < s->cols << s->b->log; e += WL_THREADS) {
            const struct wl_item item = wl_item(s, band, e);
            if (item.at)
                *item.at = *wl_element_at<flat>(s, item.row, item.c);
        }
        return;
    }
#pragma unroll 2
    for (unsigned k = 0; k < WL_LOADS; k++) {
        const struct wl_item item = wl_items<flat>(s, band, s->cols, threadIdx.x + k * WL_THREADS);
        if (!item.at)
            continue;
        const struct wl_column column = wl_column<flat>(s, item.row, item.c);
        union wl_elements out;
#pragma unroll
        for (unsigned e = 0; e < WL_PART; e++)
            out.element[e] = *wl_in_column<flat>(s, &column, item.row, item.c, e);
        *(uint4 *)item.at = out.vector;
    }
}

/* Elements after the last segment, of the last column: `place` where they belong, and their row. */
static __device__ __forceinline__ unsigned wl_tail(const struct wl_strip *s, unsigned cols, wl_word **place,
                                                   unsigned *row) {
    const uint64_t all = s->b->rows * s->b->cols;
    const unsigned tail = s->col + cols == s->b->cols ? (unsigned)all & s->mask : 0;
    *place = s->matrix + (all - tail);
    *row = (unsigned)s->b->rows - tail;
    return tail;
}

template <bool flat> static __device__ __forceinline__ void wl_keep_tail(const struct wl_strip *s) {
    wl_word *place;
    unsigned row, tail = wl_tail(s, s->reads, &place, &row);
    for (unsigned e = threadIdx.x; e < tail; e += WL_THREADS)
        *wl_element_at<flat>(s, row + e, s->reads - 1) = __ldcg(place + e);
}

template <bool flat> static __device__ __forceinline__ void wl_store_tail(const struct wl_strip *s) {
    wl_word *place;
    unsigned row, tail = wl_tail(s, s->cols, &place, &row);
    for (unsigned e = threadIdx.x; e < tail; e += WL_THREADS)
        place[e] = *wl_element_at<flat>(s, row + e, s->cols - 1);
}

/* ---------------------------------------------------------------- teams */

/* One thread calls it. */
static __device__ __forceinline__ void wl_wait_for(const unsigned *counter, unsigned count) {
    while (wl_peek(counter) < count)
        ;
}

static __device__ __forceinline__ struct wl_strip wl_strip(const struct wl__bands *b) {
    struct wl_strip s;
    s.b = b;
    s.matrix = (wl_word *)__cvta_global_to_generic(b->matrix);
    s.col = (uint64_t)(blockIdx.x % b->strips) * b->strip;
    s.cols = (unsigned)min((uint64_t)b->strip, b->cols - s.col);
    s.reads = (unsigned)min((uint64_t)s.cols + WL_PART - 1, b->cols - s.col);
    s.mask = (1u << b->log) - 1;
    s.start = (unsigned)b->matrix & 15;
    s.aligned = b->matrix % 16 == 0;
    return s;
}

/* What a block does, and when: its team's bands from `first` to `last` - 1, and for the last team also the
 * rows after the bands.  A team reads something of its neighbour's, `theirs` has read something of this
 * team's. */
struct wl_turns {
    uint64_t first, last, steps;
    unsigned *mine, *theirs;
};

static __device__ __forceinline__ uint64_t wl_first_band(const struct wl__bands *b, unsigned team) {
    return b->bands * team / b->teams;
}

static __device__ __forceinline__ struct wl_turns wl_turns(const struct wl__bands *b, bool back) {
    const unsigned team = blockIdx.x / b->strips, last = b->teams - 1;
    const unsigned before = team ? team - 1 : last, after = team < last ? team + 1 : 0;
    unsigned *counters = (unsigned *)__cvta_global_to_generic(b->counters);
    struct wl_turns t;
    t.first = wl_first_band(b, team);
    t.last = wl_first_band(b, team + 1);
    t.steps = t.last - t.first + (team == last && b->rest);
    t.mine = counters + team * WL_BANDS_COUNTERS;
    t.theirs = counters + (back ? before : after) * WL_BANDS_COUNTERS;
    return t;
}

/* Says that a block has read what lies around its team's bands. */
static __device__ __forceinline__ void wl_say_begun(const struct wl_turns *t) {
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(t->mine + WL_BANDS_RING, 1);
}

/* A strip that has all columns waits for none in its team. */
template <bool flat>
static __device__ __forceinline__ void wl_say_read(const struct wl_turns *t, uint64_t step) {
    __syncthreads();
    if (!flat && threadIdx.x == 0)
        atomicAdd(t->mine + step % WL_BANDS_RING, 1);
}

/* Waits until all strips of the step's band have been read, also by the neighbour if it reads them. */
template <bool flat>
static __device__ __forceinline__ void wl_wait_turn(const struct wl__bands *b, const struct wl_turns *t,
                                                    uint64_t step, bool shared) {
    if (threadIdx.x == 0) {
        if (!flat)
            wl_wait_for(t->mine + step % WL_BANDS_RING, (unsigned)(step / WL_BANDS_RING + 1) * b->strips);
        if (shared && b->rest)
            wl_wait_for(t->theirs + WL_BANDS_RING, b->strips);
    }
    __syncthreads();
}

/* ---------------------------------------------------------------- all of it */

template <bool flat> static __device__ __forceinline__ void wl_forth(const struct wl__bands *b) {
    const struct wl_strip strip = wl_strip(b), *s = &strip;
    const struct wl_turns t = wl_turns(b, false);
    uint4 loaded[WL_LOADS];
    if (b->rest) {
        if (t.first) {
            wl_load_rows<flat>(s, t.first - 1, loaded);
            wl_keep_rows<flat>(s, t.first - 1, loaded);
        } else {
            wl_keep_last_rows<flat>(s);
        }
        wl_say_begun(&t);
    }
    wl_load_rows<flat>(s, t.first, loaded);
    for (uint64_t step = 0; step < t.steps; step++) {
        const uint64_t band = t.first + step;
        wl_keep_rows<flat>(s, band, loaded);
        wl_say_read<flat>(&t, step);
        if (step + 1 < t.steps)
            wl_load_rows<flat>(s, band + 1, loaded);
        wl_wait_turn<flat>(b, &t, step, band + 1 >= t.last);
        wl_store_segments<flat>(s, band);
        if (band == b->bands)
            wl_store_tail<flat>(s);
        __syncthreads();
    }
}

template <bool flat> static __device__ __forceinline__ void wl_back(const struct wl__bands *b) {
    struct wl_strip strip = wl_strip(b), *s = &strip;
    const struct wl_turns t = wl_turns(b, true);
    strip.end = t.last < b->bands ? t.last << b->log : b->rows;
    uint4 loaded[WL_LOADS];
    uint64_t band = t.first + t.steps - 1;
    if (b->rest) {
        /* The segments after the team's last, whose first elements are of its last band. */
        wl_load_segments<flat>(s, band + 1, loaded);
        wl_keep_segments<flat>(s, band + 1, loaded);
        if (t.last == b->bands)
            wl_keep_tail<flat>(s);
        wl_say_begun(&t);
    }
    wl_load_segments<flat>(s, band, loaded);
    for (uint64_t step = 0; step < t.steps; step++, band--) {
        wl_keep_segments<flat>(s, band, loaded);
        wl_say_read<flat>(&t, step);
        if (band > t.first)
            wl_load_segments<flat>(s, band - 1, loaded);
        wl_wait_turn<flat>(b, &t, step, band == t.first);
        wl_store_rows<flat>(s, band);
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BANDS_BLOCKS)
    WL_SIZED(bands)(const struct wl__bands bands) {
    wl_await_earlier();
    if (bands.strips == 1)
        wl_forth<true>(&bands);
    else
        wl_forth<false>(&bands);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_BANDS_BLOCKS)
    WL_SIZED(bands_back)(const struct wl__bands bands) {
    wl_await_earlier();
    if (bands.strips == 1)
        wl_back<true>(&bands);
    else
        wl_back<false>(&bands);
}
