/* Moves units of a matrix in place along the cycles of their permutation: segments that inplace_bands.cu has
 * made go to where the transpose has them, or from there to the bands.  A segment of one element is the
 * transpose itself.
 *
 * One bit per unit says that the unit has been read by whoever moves it.  A walk takes the next few units of a
 * cycle at once.  It reads them, and then sets their bits.  Those whose bits were clear are its own, and go to
 * their places: the unit that lay there has been read, as its bit is set.  If the last is its own, the walk
 * goes on with it.  Walks begin at all units whose bits are clear.
 *
 * What orders a bit after the reads is a branch on the values that were read.
 *
 * Traffic: every unit is written once, and read once, or up to WL_CYCLES_RUN times where walks meet.
 */
#include "lib/cuda/flags.cuh"
#include "lib/cuda/index.cuh"
#include "lib/inplace/bands.h"

/* Units are segments of 128 bytes that eight lanes move, or elements. */
#ifdef WL_WIDTH
#define WL_LANES 1
#if WL_WIDTH == 16
typedef uint4 wl_piece;
#elif WL_WIDTH == 8
typedef uint2 wl_piece;
#elif WL_WIDTH == 4
typedef uint32_t wl_piece;
#elif WL_WIDTH == 2
typedef uint16_t wl_piece;
#else
typedef uint8_t wl_piece;
#endif
#else
#define WL_WIDTH 16
#define WL_LANES (WL_BANDS_SEGMENT / 16)
typedef uint4 wl_piece;
#endif
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

#if WL_LANES > 1
/* Addresses are multiples of the element's width. */
static __device__ __forceinline__ wl_piece wl_load(const void *from) {
    if ((uintptr_t)from % 16 == 0)
        return __ldcg((const uint4 *)from);
    union {
        uint4 vector;
        uint32_t word[4];
        uint8_t byte[16];
    } out;
    if ((uintptr_t)from % 4 == 0) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            out.word[i] = __ldcg((const uint32_t *)from + i);
    } else {
#pragma unroll
        for (unsigned i = 0; i < 16; i++)
            out.byte[i] = __ldcg((const uint8_t *)from + i);
    }
    return out.vector;
}

static __device__ __forceinline__ void wl_store(void *to, wl_piece piece) {
    if ((uintptr_t)to % 16 == 0) {
        *(uint4 *)to = piece;
        return;
    }
    union {
        uint4 vector;
        uint32_t word[4];
        uint8_t byte[16];
    } in;
    in.vector = piece;
    if ((uintptr_t)to % 4 == 0) {
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            ((uint32_t *)to)[i] = in.word[i];
    } else {
#pragma unroll
        for (unsigned i = 0; i < 16; i++)
            ((uint8_t *)to)[i] = in.byte[i];
    }
}
#else
static __device__ __forceinline__ wl_piece wl_load(const void *from) {
    return __ldcg((const wl_piece *)from);
}

static __device__ __forceinline__ void wl_store(void *to, wl_piece piece) {
    *(wl_piece *)to = piece;
}
#endif

/* A word that depends on all of a piece's load. */
static __device__ __forceinline__ unsigned wl_mixed(wl_piece piece) {
#if WL_WIDTH >= 8
    return piece.x;
#else
    return piece;
#endif
}

/* Sets the bit of a unit; whether it was clear. */
static __device__ __forceinline__ bool wl_claim(unsigned *bits, uint64_t unit) {
    unsigned bit = 1u << unit % 32;
    return !(atomicOr(bits + unit / 32, bit) & bit);
}

/* ---------------------------------------------------------------- walks */

struct wl_walk {
    uint64_t start, at;     /* the unit that it began with; the next that it reads */
    uint64_t word;          /* where it looks for a start */
    unsigned untried;       /* the units of that word */
    bool active, held;      /* it has begun; it holds a unit, which belongs at `at` */
    wl_piece piece;
};

/* Looks for a unit whose bit is clear. */
static __device__ __forceinline__ void wl_begin(struct wl_walk *walk, const unsigned *bits, uint64_t units,
                                                uint64_t stride) {
    while (!walk->active && walk->word * 32 < units) {
        uint64_t left = units - walk->word * 32;
        unsigned clear = ~wl_peek(bits + walk->word) & walk->untried;
        if (left < 32)
            clear &= (1u << left) - 1;
        if (clear) {
            unsigned bit = __ffs((int)clear) - 1;
            walk->untried &= ~((2u << bit) - 1);
            walk->start = walk->at = walk->word * 32 + bit;
            walk->active = true;
        } else {
            walk->word += stride;
            walk->untried = ~0u;
        }
    }
}

extern "C" __global__ void __launch_bounds__(WL_CYCLES_THREADS, 4)
    WL_NAME(const struct wl__bands bands) {
    const struct wl__bands *b = &bands;
    const unsigned lane = threadIdx.x % WL_LANES;
    char *matrix = (char *)__cvta_global_to_generic(b->matrix) + lane * sizeof(wl_piece);
    unsigned *bits = (unsigned *)__cvta_global_to_generic(b->bits);
    const uint64_t stride = (uint64_t)gridDim.x * (WL_CYCLES_THREADS / WL_LANES);
    struct wl_walk walk = {};
    walk.word = (uint64_t)blockIdx.x * (WL_CYCLES_THREADS / WL_LANES) + threadIdx.x / WL_LANES;
    walk.untried = ~0u;
    for (;;) {
        wl_begin(&walk, bits, b->units, stride);
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
            if (live >> i & 1)
                piece[i] = wl_load(matrix + unit[i] * (WL_LANES * sizeof(wl_piece)));
            else
                piece[i] = wl_piece();
#pragma unroll
        for (unsigned i = 0; i < WL_RUN; i++)
            seen ^= wl_mixed(piece[i]);
        if (__any_sync(~0u, seen == 0x9e3779b9))
            __threadfence();
        unsigned won = 0;
#if WL_LANES > 1
        uint64_t claimed = unit[0];
#pragma unroll
        for (unsigned i = 1; i < WL_RUN; i++)
            claimed = lane == i ? unit[i] : claimed;
        bool mine = lane < WL_RUN && (live >> lane & 1) && wl_claim(bits, claimed);
        won = __ballot_sync(~0u, mine) >> (threadIdx.x % 32 - lane) & ((1u << WL_RUN) - 1);
#else
#pragma unroll
        for (unsigned i = 0; i < WL_RUN; i++)
            if (live >> i & 1)
                won |= (unsigned)wl_claim(bits, unit[i]) << i;
#endif
        if (walk.held)
            wl_store(matrix + walk.at * (WL_LANES * sizeof(wl_piece)), walk.piece);
#pragma unroll
        for (unsigned i = 0; i + 1 < WL_RUN; i++)
            if (won >> i & 1)
                wl_store(matrix + unit[i + 1] * (WL_LANES * sizeof(wl_piece)), piece[i]);
        walk.active = walk.held = won >> (WL_RUN - 1) & 1;
        walk.piece = piece[WL_RUN - 1];
        walk.at = wl_next_unit(b, unit[WL_RUN - 1]);
    }
}
