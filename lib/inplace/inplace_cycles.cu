/* Moves units of a matrix in place along the cycles of their permutation: segments that inplace_bands.cu has
 * made go to where the transpose has them, or from there to the bands.  A segment of one element is the
 * transpose itself.
 *
 * One bit per unit says that the unit has been read by whoever moves it.  A walk takes the next few units of
 * a cycle at once.  It reads them, and then sets their bits.  Those whose bits were clear are its own, and go
 * to their places: the unit that lay there has been read, as its bit is set.  If the last is its own, the
 * walk goes on with it.  Walks begin at all units whose bits are clear.
 *
 * What orders a bit after the reads is a branch on the values that were read, which no compiler can tell
 * beforehand.
 *
 * Units are segments of 128 bytes, of which eight lanes have a piece of 16 bytes each (WL_SEGMENTS), or
 * elements, each of which is one lane's piece.  The kernels for elements are one module, as few matrices have
 * sides too short for bands.
 *
 * Traffic: every unit is written once, and read once, or up to WL_CYCLES_RUN times where walks meet.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/flags.cuh"
#include "lib/cuda/index.cuh"
#include "lib/inplace/bands.h"

#define WL_RUN WL_CYCLES_RUN

/* ---------------------------------------------------------------- the permutation */

/* n / count, with the reciprocal floor((2^64 - 1) / count). */
static __device__ __forceinline__ uint64_t wl_quotient(uint64_t n, uint64_t count, uint64_t reciprocal) {
    uint64_t quotient = __umul64hi(n, reciprocal);
    return quotient + (n - quotient * count >= count);
}

/* Where the segment at place p of the bands belongs in the transpose. */
static __device__ __forceinline__ uint64_t wl_to_transpose(const struct wl__bands *b, uint64_t p) {
    uint64_t in_bands = b->bands * b->cols;
    if (p < in_bands) {
        uint64_t q = wl_quotient(p, b->cols, b->by_cols), c = p - q * b->cols;
        return c * b->bands + (c * b->rest >> b->log) + q;
    }
    uint64_t x = p - in_bands, c = (((x + 1) << b->log) + b->rest - 1) / b->rest - 1;
    return c * b->bands + x + b->bands;
}

/* The same backwards. */
static __device__ __forceinline__ uint64_t wl_to_bands(const struct wl__bands *b, uint64_t p) {
    uint64_t c = wl_quotient(((p + 1) << b->log) - 1, b->rows, b->by_rows);
    uint64_t further = c * b->rest >> b->log, q = p - c * b->bands - further;
    return q < b->bands ? q * b->cols + c : b->bands * b->cols + further;
}

static __device__ __forceinline__ uint64_t wl_next_unit(const struct wl__bands *b, uint64_t unit) {
    uint64_t place = unit >> b->log_parts, part = unit - (place << b->log_parts);
    return ((b->backwards ? wl_to_bands(b, place) : wl_to_transpose(b, place)) << b->log_parts) + part;
}

/* ---------------------------------------------------------------- units */

/* A lane's piece of a unit.  Where units begin at no vector, lanes have the vectors that are whole, and the
 * last lane what is before and after them. */
struct wl_lane {
    char *at;      /* in unit 0 */
    unsigned head; /* the last lane's bytes before the vectors; 0: a vector */
};

template <typename wl_piece, unsigned lanes>
static __device__ __forceinline__ struct wl_lane wl_lane_of(uint64_t matrix) {
    char *base = (char *)__cvta_global_to_generic(matrix);
    const unsigned lane = threadIdx.x % lanes, head = -(unsigned)matrix % sizeof(wl_piece);
    const bool last = head && lane == lanes - 1;
    struct wl_lane mine = {last ? base : base + head + lane * sizeof(wl_piece), last ? head : 0};
    return mine;
}

template <typename wl_piece> union wl_bytes {
    wl_piece piece;
    uint32_t word[4];
    uint8_t byte[16];
};

/* The address of byte i of the last lane's piece of a segment. */
static __device__ __forceinline__ char *wl_around(char *segment, unsigned head, unsigned i) {
    return segment + (i < head ? i : i + WL_BANDS_SEGMENT - 16);
}

template <typename wl_piece>
static __device__ __noinline__ wl_piece wl_load_around(char *segment, unsigned head) {
    union wl_bytes<wl_piece> out;
    if (head % 4 == 0) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            out.word[i] = __ldcg((const uint32_t *)wl_around(segment, head, 4 * i));
    } else {
#pragma unroll
        for (unsigned i = 0; i < 16; i++)
            out.byte[i] = __ldcg((const uint8_t *)wl_around(segment, head, i));
    }
    return out.piece;
}

template <typename wl_piece>
static __device__ __noinline__ void wl_store_around(char *segment, unsigned head, wl_piece piece) {
    union wl_bytes<wl_piece> in;
    in.piece = piece;
    if (head % 4 == 0) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            *(uint32_t *)wl_around(segment, head, 4 * i) = in.word[i];
    } else {
#pragma unroll
        for (unsigned i = 0; i < 16; i++)
            *(uint8_t *)wl_around(segment, head, i) = in.byte[i];
    }
}

template <typename wl_piece, unsigned lanes>
static __device__ __forceinline__ wl_piece wl_load(struct wl_lane lane, uint64_t unit) {
    if (lanes > 1 && lane.head)
        return wl_load_around<wl_piece>(lane.at + unit * (lanes * sizeof(wl_piece)), lane.head);
    return __ldcg((const wl_piece *)(lane.at + unit * (lanes * sizeof(wl_piece))));
}

template <typename wl_piece, unsigned lanes>
static __device__ __forceinline__ void wl_store(struct wl_lane lane, uint64_t unit, wl_piece piece) {
    if (lanes > 1 && lane.head) {
        wl_store_around<wl_piece>(lane.at + unit * (lanes * sizeof(wl_piece)), lane.head, piece);
        return;
    }
    *(wl_piece *)(lane.at + unit * (lanes * sizeof(wl_piece))) = piece;
}

/* A word that depends on all of a piece's load. */
template <typename wl_piece> static __device__ __forceinline__ unsigned wl_mixed(wl_piece piece) {
    union wl_bytes<wl_piece> bytes = {};
    bytes.piece = piece;
    return bytes.word[0];
}

/* ---------------------------------------------------------------- bits */

/* Bit i of word w is unit i words + w: units that walks begin with at the same time are neighbours, and so
 * seldom in the same cycle.
 *
 * Sets the bit of a unit; whether it was clear. */
static __device__ __forceinline__ bool wl_claim(const struct wl__bands *b, unsigned *bits, uint64_t unit) {
    uint64_t i = wl_quotient(unit, b->words, b->by_words);
    unsigned bit = 1u << i;
    return !(atomicOr(bits + (unit - i * b->words), bit) & bit);
}

/* ---------------------------------------------------------------- walks */

template <typename wl_piece> struct wl_walk {
    uint64_t start, at; /* the unit that it began with; the next that it reads */
    uint64_t part;      /* of the words, each of which has `shares`: where it looks for a start */
    unsigned untried;   /* bits of that part */
    bool active, held;  /* it has begun; it holds a unit, which belongs at `at` */
    wl_piece piece;
};

/* Bits of a part of a word. */
static __device__ __forceinline__ unsigned wl_bits_of(const struct wl__bands *b, uint64_t part) {
    unsigned size = 32 >> b->log_shares, share = (unsigned)wl_quotient(part, b->words, b->by_words);
    return (~0u >> (32 - size)) << share * size;
}

/* Looks for a unit whose bit is clear. `fresh`: all are, or were just now. */
template <typename wl_piece>
static __device__ __forceinline__ void wl_begin(struct wl_walk<wl_piece> *walk, const struct wl__bands *b,
                                                const unsigned *bits, uint64_t stride, bool fresh) {
    const uint64_t parts = b->words << b->log_shares;
    while (!walk->active && walk->part < parts) {
        const uint64_t word = walk->part - wl_quotient(walk->part, b->words, b->by_words) * b->words;
        const unsigned clear = (fresh ? ~0u : ~wl_peek(bits + word)) & walk->untried,
                       bit = __ffs((int)clear) - 1;
        walk->start = walk->at = bit * b->words + word;
        if (clear && walk->start < b->units) {
            walk->untried &= ~((2u << bit) - 1);
            walk->active = true;
        } else {
            walk->part += stride;
            walk->untried = wl_bits_of(b, walk->part);
        }
    }
}

/* Claims the units of a walk's next steps that are live; which it got. */
template <unsigned lanes>
static __device__ __forceinline__ unsigned wl_claim_all(const struct wl__bands *b, unsigned *bits,
                                                        const uint64_t unit[WL_RUN], unsigned live) {
    unsigned won = 0;
    if (lanes > 1) {
        /* A lane for each unit. */
        const unsigned lane = threadIdx.x % lanes;
        uint64_t claimed = unit[0];
#pragma unroll
        for (unsigned i = 1; i < WL_RUN; i++)
            claimed = lane == i ? unit[i] : claimed;
        const bool first = lane < WL_RUN && (live >> lane & 1) && wl_claim(b, bits, claimed);
        won = __ballot_sync(~0u, first) >> (threadIdx.x % 32 - lane) & ((1u << WL_RUN) - 1);
    } else {
#pragma unroll
        for (unsigned i = 0; i < WL_RUN; i++)
            if (live >> i & 1)
                won |= (unsigned)wl_claim(b, bits, unit[i]) << i;
    }
    return won;
}

template <typename wl_piece, unsigned lanes>
static __device__ __forceinline__ void wl_follow_cycles(const struct wl__bands *b) {
    const struct wl_lane mine = wl_lane_of<wl_piece, lanes>(b->matrix);
    unsigned *bits = (unsigned *)__cvta_global_to_generic(b->bits);
    const uint64_t stride = (uint64_t)gridDim.x * (WL_CYCLES_THREADS / lanes);
    struct wl_walk<wl_piece> walk = {};
    walk.part = ((uint64_t)blockIdx.x * WL_CYCLES_THREADS + threadIdx.x) / lanes;
    walk.untried = wl_bits_of(b, walk.part);
    for (bool fresh = true;; fresh = false) {
        wl_begin(&walk, b, bits, stride, fresh);
        if (!__any_sync(~0u, walk.active))
            break;
        uint64_t unit[WL_RUN];
        wl_piece piece[WL_RUN];
        unsigned live = 0, seen = 0;
        bool on = walk.active;
#pragma unroll
        for (unsigned i = 0; i < WL_RUN; i++) {
            unit[i] = i ? wl_next_unit(b, unit[i - 1]) : walk.at;
            on = on && !(unit[i] == walk.start && (i || walk.held));
            live |= (unsigned)on << i;
        }
#pragma unroll
        for (unsigned i = 0; i < WL_RUN; i++)
            piece[i] = live >> i & 1 ? wl_load<wl_piece, lanes>(mine, unit[i]) : wl_piece();
#pragma unroll
        for (unsigned i = 0; i < WL_RUN; i++)
            seen = __funnelshift_l(seen, seen, 8) ^ wl_mixed(piece[i]);
        if (__any_sync(~0u, seen == 0x9e3779b9))
            __threadfence();
        const unsigned won = wl_claim_all<lanes>(b, bits, unit, live);
        if (walk.held)
            wl_store<wl_piece, lanes>(mine, walk.at, walk.piece);
#pragma unroll
        for (unsigned i = 0; i + 1 < WL_RUN; i++)
            if (won >> i & 1)
                wl_store<wl_piece, lanes>(mine, unit[i + 1], piece[i]);
        walk.active = walk.held = won >> (WL_RUN - 1) & 1;
        walk.piece = piece[WL_RUN - 1];
        walk.at = wl_next_unit(b, unit[WL_RUN - 1]);
    }
}

#define WL_CYCLES_KERNEL(name, piece, lanes)                                                                 \
    extern "C" __global__ void __launch_bounds__(WL_CYCLES_THREADS, 5) name(const struct wl__bands bands) {  \
        wl_await_earlier();                                                                                  \
        wl_follow_cycles<piece, lanes>(&bands);                                                              \
    }

#if WL_SEGMENTS
WL_CYCLES_KERNEL(wl_inplace_segments, uint4, WL_BANDS_SEGMENT / 16)
#else
WL_CYCLES_KERNEL(wl_inplace_elements1, uint8_t, 1)
WL_CYCLES_KERNEL(wl_inplace_elements2, uint16_t, 1)
WL_CYCLES_KERNEL(wl_inplace_elements4, uint32_t, 1)
WL_CYCLES_KERNEL(wl_inplace_elements8, uint2, 1)
WL_CYCLES_KERNEL(wl_inplace_elements16, uint4, 1)
#endif
