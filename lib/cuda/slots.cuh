/* Slots: aligned 16 bytes of an output, made of as many bytes anywhere in the inputs.
 *
 * Each thread takes one slot.  If an input's alignment differs from the output's, its 16 bytes cross from one
 * aligned vector into the next.  Both are loaded, and the bytes are shifted into place in registers.  The
 * second load finds in L1 what the neighbouring lane's first one brings, so that memory is read once.
 *
 * The host (lib/slots.h) counts slots from a 128-byte line of the output and says which of them are whole:
 * all of their bytes belong to the output, and the vectors that they are made of lie inside the inputs.
 * Others, one or two at either end, are done by elements.
 */
#ifndef WIDELOAD_KERNELS_SLOTS_CUH
#define WIDELOAD_KERNELS_SLOTS_CUH

#include "lib/cuda/index.cuh"

/* Threads per block.  Blocks are small, with one slot per thread: as
 * one ends the next begins, and its loads are in flight while others wait.  Sixteen of them fill a
 * multiprocessor, if threads take at most 32 registers. */
#define WL_SLOT_THREADS 128
#define WL_FULL_SM      __launch_bounds__(WL_SLOT_THREADS, 16)
/* For kernels that the host launches with twice as many, too: while the L2 has the array, twice as many
 * blocks would take longer to start than to move their data. */
#define WL_EITHER_BLOCK(blocks) __launch_bounds__(2 * WL_SLOT_THREADS, (blocks) / 2)

/* Sixteen of the 32 bytes (low, high), from byte `shift` (0 to 15) on. */
static __device__ __forceinline__ uint4 wl_window(uint4 low, uint4 high, unsigned shift) {
    if (shift & 8) {
        low = make_uint4(low.z, low.w, high.x, high.y);
        high.x = high.z;
        high.y = high.w;
    }
    if (shift & 4) {
        low = make_uint4(low.y, low.z, low.w, high.x);
        high.x = high.y;
    }
    /* A funnel shift takes its count modulo 32. */
    unsigned bits = 8 * shift;
    return make_uint4(__funnelshift_r(low.x, low.y, bits), __funnelshift_r(low.y, low.z, bits),
                      __funnelshift_r(low.z, low.w, bits), __funnelshift_r(low.w, high.x, bits));
}

/* The mask of a word's bytes before byte `end`. */
static __device__ __forceinline__ uint32_t wl_bits_before(int end) {
    return __funnelshift_lc(0xffffffff, 0, 8 * max(end, 0));
}

/* The offset of a line's bytes in aligned vectors; the same for all threads. */
static __device__ __forceinline__ unsigned wl_shift(const uint8_t *from) {
    return (unsigned)(uintptr_t)from & 15;
}

/* The aligned vector in which a slot's bytes begin; they end in the next, unless shift is 0. */
static __device__ __forceinline__ const uint4 *wl_vector(const uint8_t *from, uint64_t slot, unsigned shift) {
    return (const uint4 *)(from - shift) + slot;
}

/* Partial slots go by halves of 8 bytes, in elements of WL_PART bytes: [begin, end) are moved, the others are
 * undefined.  All loads of a half come before the first use: a thread waits for memory twice, not sixteen
 * times. Both halves at once would cost every thread registers. */
#if WL_PART <= 8
#if WL_PART == 1
typedef uint8_t wl_part;
#elif WL_PART == 2
typedef uint16_t wl_part;
#elif WL_PART == 4
typedef uint32_t wl_part;
#else
typedef uint64_t wl_part;
#endif
#define WL_PARTS (8 / WL_PART)

union wl_half {
    wl_part part[WL_PARTS];
    uint2 words;
};

static __device__ __forceinline__ uint2 wl_load_parts(const uint8_t *from, int begin, int end) {
    union wl_half half;
#pragma unroll
    for (int i = 0; i < WL_PARTS; i++)
        if (i * WL_PART >= begin && i * WL_PART < end)
            half.part[i] = ((const wl_part *)from)[i];
    return half.words;
}

static __device__ __forceinline__ void wl_store_parts(uint8_t *to, uint2 words, int begin, int end) {
    union wl_half half;
    half.words = words;
#pragma unroll
    for (int i = 0; i < WL_PARTS; i++)
        if (i * WL_PART >= begin && i * WL_PART < end)
            ((wl_part *)to)[i] = half.part[i];
}

#endif

/* `place` (of the first or one past the last byte) relative to byte `at`, clamped to what an int holds. */
static __device__ __forceinline__ int wl_from(uint64_t place, uint64_t at) {
    return place <= at ? 0 : (int)min(place - at, (uint64_t)16);
}

#endif
