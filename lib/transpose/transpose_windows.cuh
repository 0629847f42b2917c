/* Tiles of rows that begin anywhere, by asynchronous loads: transpose_window.cu and transpose_slots.cu share
 * this.  The including file defines WL_SLOT; WL_ROWS and WL_COLS, the tile; WL_EXTRA, rows before it that are
 * loaded too; WL_EACH, elements per vector; WL_LOAD(), which loads one if all of the tile exists.
 *
 * A row of the tile is loaded as a window of whole vectors of 16 bytes.  It lies in a slot of WL_SLOT bytes,
 * a power of two, at its addresses modulo the slot's size, so that lines stay lines (async.cuh says why).  A
 * tile is one vector narrower than its slots, as a window that begins between two vectors has one more,
 * unless all rows begin at vectors. */
#ifndef WIDELOAD_KERNELS_TRANSPOSE_WINDOWS_CUH
#define WIDELOAD_KERNELS_TRANSPOSE_WINDOWS_CUH

#include "lib/cuda/async.cuh"
#include "lib/transpose/transpose_tile.cuh"

#define WL_LOADED (WL_ROWS + WL_EXTRA)
/* For loads: lanes are a row's vectors. */
#define WL_VECTORS (WL_SLOT / 16)
#define WL_STEP    (WL_THREADS / WL_VECTORS)
#define WL_LOADS   ((WL_LOADED + WL_STEP - 1) / WL_STEP)

static_assert((WL_SLOT & (WL_SLOT - 1)) == 0, "places in a slot are found by masks");
static_assert(WL_STEP * WL_WIDTH % 16 == 0, "a thread's windows begin at one place in a vector");

/* A tile and the part of it that counts: rows `low` to `high` - 1 of the loaded ones, `cols` columns.  even:
 * the output's rows begin at multiples of 32 bytes, so that none of the rows before the tile's own does. */
struct wl_part {
    const char *from;        /* row 0 */
    const char *first, *end; /* the matrix: nothing outside it is touched */
    uint64_t pitch;
    int low, high, cols;
    bool even;
};

/* The place in its slot of byte x of a row that begins at address 0. */
static __device__ __forceinline__ uint32_t wl_place(uint32_t x) {
    return x % WL_SLOT;
}

static __device__ __forceinline__ wl_part wl_part_of(const wl_transpose_tiles &all, const wl_tile &at) {
    const int64_t row = (int64_t)at.down * WL_ROWS - WL_EXTRA; /* first loaded, or before the matrix */
    const uint64_t column = (uint64_t)at.across * WL_COLS;
    const bool even = WL_EXTRA % WL_STEP == 0 && all.tile_extra == 0;
    const wl_part part = {
        .from = at.from + row * (int64_t)all.from_pitch + column * WL_WIDTH,
        .first = at.from,
        .end = at.from + (all.rows - 1) * all.from_pitch + all.cols * WL_WIDTH,
        .pitch = all.from_pitch,
        .low = even      ? WL_EXTRA
               : row < 0 ? (int)-row
                         : 0,
        .high = wl_rest(all.rows, row, WL_LOADED),
        .cols = wl_rest(all.cols, column, WL_COLS),
        .even = even,
    };
    return part;
}

/* Whether all of the tile's rows exist, and no window reaches out of the matrix. */
static __device__ __forceinline__ bool wl_is_whole(const wl_transpose_tiles &all, const wl_tile &at,
                                                   const wl_part &part) {
    const uint64_t end = (uint64_t)at.down * WL_ROWS + WL_ROWS, column = (uint64_t)at.across * WL_COLS;
    /* The first row's window begins before it, unless that is further along the row, or at a vector. */
    const bool begins = at.down > 0 || (part.even && (at.across > 0 || (uintptr_t)at.from % 16 == 0));
    return begins && part.high == WL_LOADED &&
           ((end < all.rows && part.pitch >= 32) || column + WL_COLS + WL_EACH <= all.cols);
}

/* Loads a tile that is whole. */
static __device__ __forceinline__ void wl_load_whole(const wl_part &part, char *slots) {
    const int row = threadIdx.x / WL_VECTORS, vector = threadIdx.x % WL_VECTORS;
    if (vector * 16 >= part.cols * WL_WIDTH + 16)
        return;
    const char *address = part.from + row * part.pitch + vector * 16;
    address -= (uintptr_t)address % 16;
    const uint32_t slot = wl_async_address(slots) + row * WL_SLOT;
#pragma unroll
    for (int j = 0; j < WL_LOADS; j++, address += WL_STEP * part.pitch)
        if ((WL_LOADED % WL_STEP == 0 || row + j * WL_STEP < WL_LOADED) &&
            !(part.even && (j + 1) * WL_STEP <= WL_EXTRA)) {
            const uint32_t place = slot + j * (WL_STEP * WL_SLOT) + wl_place((uint32_t)(uintptr_t)address);
            WL_LOAD(place, address);
        }
}

static __device__ __forceinline__ void wl_load_part(const wl_part &part, char *slots) {
    const int vector = threadIdx.x % WL_VECTORS;
    for (int row = threadIdx.x / WL_VECTORS; row < part.high; row += WL_STEP) {
        const char *start = part.from + row * (int64_t)part.pitch;
        const int early = (int)((uintptr_t)start % 16);
        if (row < part.low || vector * 16 >= early + part.cols * WL_WIDTH)
            continue;
        const char *address = start - early + vector * 16;
        char *place = slots + row * WL_SLOT + wl_place((uint32_t)(uintptr_t)address);
        if (address >= part.first && address + 16 <= part.end) {
            wl_async_load(wl_async_address(place), address);
            continue;
        }
        for (int i = 0; i < 16; i++)
            if (address + i >= part.first && address + i < part.end)
                place[i] = address[i];
    }
}

#endif
