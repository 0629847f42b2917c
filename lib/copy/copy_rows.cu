/* Copies of rows that lie at some pitch of each other, in up to seven dimensions.  Compiled for pairs of
 * WL_WORD, the bytes of an access, and WL_PART, to a multiple of which both sides' rows lie and are long.
 *
 *   WL_WORD == WL_PART  rows are whole words: each thread moves WL_EACH of them, of 16 bytes one
 *   WL_WORD == 16       rows lie anywhere: each thread has a slot (slots.cuh) of a row, and a shift of its
 * own
 *
 * Accesses are numbered through all rows, so that no lane idles at a row's end.  A thread divides its number
 * by those of a row and of the dimensions, by multiplications.  Of words below 16 bytes most rows have many
 * accesses, whose divisions would take longer than the memory.  There the block notes its rows' places first,
 * in 8 KB of shared memory at most.  With one dimension there is nothing to divide, and noting would only
 * delay the loads.
 *
 * Traffic: every byte of the rows is read once and written once, in whole sectors of 32 bytes: rows that are
 * not whole sectors move up to two more each way.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/cuda/slots.cuh"

#include "lib/copy/rows_parameters.h"

/* Offsets of a row from the first one. */
static __device__ __forceinline__ void wl_row(const struct wl_rows &p, uint32_t row, uint64_t *to,
                                              uint64_t *from) {
    *to = *from = 0;
#pragma unroll
    for (unsigned i = 0; i < WL_ROWS_RANK; i++) {
        uint32_t index = row;
        if (i + 1 < p.rank)
            row = wl_divide(row, p.outer[i].size, &index);
        *to += index * p.outer[i].to;
        *from += index * p.outer[i].from;
        if (i + 1 >= p.rank)
            break;
    }
}

#if WL_WORD == WL_PART

#if WL_WORD == 16
typedef uint4 wl_word;
#elif WL_WORD == 8
typedef uint2 wl_word;
#else
typedef wl_part wl_word;
#endif

#if WL_EACH == 1

extern "C" __global__ void WL_FULL_SM WL_NAME(const __grid_constant__ struct wl_rows p) {
    wl_await_earlier();
    const uint32_t item = blockIdx.x * WL_SLOT_THREADS + threadIdx.x;
    uint32_t word;
    uint64_t to, from;
    wl_row(p, wl_divide(item, p.slots, &word), &to, &from);
    if (item < p.items)
        ((wl_word *)((uint8_t *)p.to + to))[word] =
            *wl_once((const wl_word *)((const uint8_t *)p.from + from) + word);
}

#else

#define WL_ITEMS (WL_SLOT_THREADS * WL_EACH) /* accesses of a block, which has no more rows */

extern "C" __global__ void WL_FULL_SM WL_NAME(const __grid_constant__ struct wl_rows p) {
    wl_await_earlier();
    __shared__ ulonglong2 places[WL_ITEMS];
    const uint32_t first = blockIdx.x * WL_ITEMS, items = min(p.items - first, WL_ITEMS);
    uint32_t before; /* the first row's accesses in earlier blocks */
    const uint32_t row = wl_divide(first, p.slots, &before);
    const bool noted = p.rank > 1;
    if (noted) {
        uint32_t rest;
        const uint32_t last = wl_divide(before + items - 1, p.slots, &rest);
        for (uint32_t i = threadIdx.x; i <= last; i += WL_SLOT_THREADS) {
            uint64_t to, from;
            wl_row(p, row + i, &to, &from);
            places[i] = make_ulonglong2(to, from);
        }
        __syncthreads();
    }
    wl_word moved[WL_EACH], *out[WL_EACH];
#pragma unroll
    for (unsigned j = 0; j < WL_EACH; j++) {
        const uint32_t item = threadIdx.x + j * WL_SLOT_THREADS;
        if (item < items) {
            uint32_t word;
            const uint32_t i = wl_divide(before + item, p.slots, &word);
            const ulonglong2 place =
                noted ? places[i] : make_ulonglong2((row + i) * p.outer[0].to, (row + i) * p.outer[0].from);
            out[j] = (wl_word *)((uint8_t *)p.to + place.x) + word;
            moved[j] = *wl_once((const wl_word *)((const uint8_t *)p.from + place.y) + word);
        }
    }
#pragma unroll
    for (unsigned j = 0; j < WL_EACH; j++)
        if (threadIdx.x + j * WL_SLOT_THREADS < items)
            *out[j] = moved[j];
}

#endif

#else

/* Registers for a thread's loads: the two vectors of a whole slot, or the parts of another. */
#define WL_PARTS_A_SLOT (16 / WL_PART)
#define WL_LOADED       (WL_PARTS_A_SLOT > 8 ? WL_PARTS_A_SLOT : 8)

/* Part i of a slot, in registers of its own. */
static __device__ __forceinline__ void wl_load_part(uint32_t *loaded, const uint8_t *slot, int i) {
#if WL_PART == 8
    uint2 part = ((const uint2 *)slot)[i];
    loaded[2 * i] = part.x;
    loaded[2 * i + 1] = part.y;
#else
    loaded[i] = ((const wl_part *)slot)[i];
#endif
}

static __device__ __forceinline__ void wl_store_part(uint8_t *slot, const uint32_t *loaded, int i) {
#if WL_PART == 8
    ((uint2 *)slot)[i] = make_uint2(loaded[2 * i], loaded[2 * i + 1]);
#else
    ((wl_part *)slot)[i] = (wl_part)loaded[i];
#endif
}

extern "C" __global__ void WL_FULL_SM WL_NAME(const __grid_constant__ struct wl_rows p) {
    wl_await_earlier();
    uint32_t item = blockIdx.x * WL_SLOT_THREADS + threadIdx.x, slot;
    uint64_t to, from;
    wl_row(p, wl_divide(item, p.slots, &slot), &to, &from);
    /* The row is bytes [lead, end) of its slots. */
    uint8_t *out = (uint8_t *)p.to + to;
    unsigned lead = (unsigned)(uintptr_t)out & (p.grain - 1);
    out -= lead;
    const uint8_t *in = (const uint8_t *)p.from + from - lead;
    uint64_t end = item < p.items ? lead + p.row_bytes : 0, at = (uint64_t)slot * 16;
    unsigned shift = wl_shift(in);
    bool whole = at >= lead + shift && at + 16 + (shift ? 16 - shift : 0) <= end;
    int begin = wl_from(lead, at), stop = wl_from(end, at);
    out += at;
    in += at;
    uint32_t loaded[WL_LOADED];
    if (whole) {
        const uint4 *vector = (const uint4 *)(in - shift);
        uint4 low = *wl_once(vector), high = *wl_once(vector + (shift != 0));
        loaded[0] = low.x, loaded[1] = low.y, loaded[2] = low.z, loaded[3] = low.w;
        loaded[4] = high.x, loaded[5] = high.y, loaded[6] = high.z, loaded[7] = high.w;
    } else {
#pragma unroll
        for (int i = 0; i < WL_PARTS_A_SLOT; i++)
            if (i * WL_PART >= begin && i * WL_PART < stop)
                wl_load_part(loaded, in, i);
    }
    /* Where rows are short, most warps have both kinds of slots.  The loads of both are in flight before
     * either is waited for; without this the compiler would do one kind after the other. */
    __syncwarp();
    if (whole) {
        uint4 low = make_uint4(loaded[0], loaded[1], loaded[2], loaded[3]);
        uint4 high = make_uint4(loaded[4], loaded[5], loaded[6], loaded[7]);
        *(uint4 *)out = wl_window(low, high, shift);
    } else {
#pragma unroll
        for (int i = 0; i < WL_PARTS_A_SLOT; i++)
            if (i * WL_PART >= begin && i * WL_PART < stop)
                wl_store_part(out, loaded, i);
    }
}

#endif
