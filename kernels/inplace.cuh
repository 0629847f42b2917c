/* What the in-place transposes share: the element, and the exchange of two tiles of a square.
 *
 * Compiled once for each width WL_WIDTH (1, 2, 4, 8 or 16 bytes).
 *
 * wl_swap_tiles() transposes tile (i, j) of a square into tile (j, i) and the other way: both are read whole
 * before either is written, so nothing else is needed to be right in place. Every element is read once and
 * written once.
 *
 * Accesses are aligned vectors of 16 bytes, wherever a row begins. They are kept in shared memory as they
 * come, a row of a tile with up to 15 bytes of its neighbour before it: its `shift`. A vector of the
 * transpose is put together of elements of 16 / WL_WIDTH rows, each found at its own row's shift; those
 * before a row's first aligned address and after its last, as many as a vector has, are written one by one.
 * Tiles that an edge cuts, and both ends of the diagonal, where a vector could begin before the matrix or end
 * behind it, go element by element.
 */
#ifndef WIDELOAD_KERNELS_INPLACE_CUH
#define WIDELOAD_KERNELS_INPLACE_CUH

#include "index.cuh"
#include "inplace.h"

#if WL_WIDTH == 16
typedef uint4 wl_word;
#elif WL_WIDTH == 8
typedef uint2 wl_word;
#elif WL_WIDTH == 4
typedef uint32_t wl_word;
#elif WL_WIDTH == 2
typedef uint16_t wl_word;
#else
typedef uint8_t wl_word;
#endif

#define WL_JOIN_(name, width) name##width
#define WL_JOIN(name, width)  WL_JOIN_(name, width)
/* wl_inplace_square4 and the like. */
#define WL_SIZED(name) WL_JOIN(wl_inplace_##name, WL_WIDTH)

#define WL_THREADS WL_INPLACE_THREADS(WL_WIDTH)
#define WL_TILE    WL_INPLACE_TILE(WL_WIDTH)

/* Elements of a vector, and vectors of a tile's row that begins at one. */
#define WL_PART    (16 / WL_WIDTH)
#define WL_VECTORS (WL_TILE / WL_PART)
/* Bytes from one row of a tile to the next in shared memory: room for one vector more, and then so that the
 * rows that make up a vector begin in different banks. */
#define WL_PITCH WL_INPLACE_PITCH(WL_WIDTH)

/* Two tiles, or what a kernel makes of it. */
extern __shared__ uint4 wl_dynamic[];

/* ---------------------------------------------------------------- element by element */

static __device__ __forceinline__ wl_word *wl_kept(void *tile, unsigned r, unsigned x) {
    return (wl_word *)((char *)tile + r * WL_PITCH) + x;
}

static __device__ __forceinline__ void wl_load_elements(void *tile, const wl_word *from, uint64_t ld,
                                                        unsigned rows, unsigned cols) {
    for (unsigned r = threadIdx.x / 32; r < rows; r += WL_THREADS / 32)
        for (unsigned x = threadIdx.x % 32; x < cols; x += 32)
            *wl_kept(tile, r, x) = __ldcg(from + r * ld + x);
}

/* Writes the transpose of the tile, which has `rows` columns. */
static __device__ __forceinline__ void wl_store_elements(wl_word *to, void *tile, uint64_t ld, unsigned rows,
                                                         unsigned cols) {
    for (unsigned r = threadIdx.x / 32; r < rows; r += WL_THREADS / 32)
        for (unsigned x = threadIdx.x % 32; x < cols; x += 32)
            to[r * ld + x] = *wl_kept(tile, x, r);
}

/* ---------------------------------------------------------------- by vectors */

/* The vectors that a thread loads of a tile. */
#define WL_LOADS (WL_TILE * WL_VECTORS / WL_THREADS)
struct wl_loaded {
    uint4 vector[WL_LOADS], last;
};

static __device__ __forceinline__ const uint4 *wl_aligned(uintptr_t address) {
    return (const uint4 *)(address & ~(uintptr_t)15);
}

/* pitch: bytes from a row to the next. The last vector of a row is there where the row is shifted. */
static __device__ __forceinline__ void wl_load_vectors(struct wl_loaded *loaded, uintptr_t from,
                                                       uint64_t pitch) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS;
        loaded->vector[k] = __ldcg(wl_aligned(from + i / WL_VECTORS * pitch) + i % WL_VECTORS);
    }
    uintptr_t row = from + threadIdx.x * pitch;
    if (WL_WIDTH < 16 && threadIdx.x < WL_TILE && row % 16)
        loaded->last = __ldcg(wl_aligned(row) + WL_VECTORS);
}

static __device__ __forceinline__ void wl_keep_vector(void *tile, unsigned r, unsigned v, uint4 vector) {
    char *at = (char *)tile + r * WL_PITCH + 16 * v;
#if WL_WIDTH == 16
    *(uint4 *)at = vector;
#elif WL_WIDTH == 8
    ((uint2 *)at)[0] = make_uint2(vector.x, vector.y);
    ((uint2 *)at)[1] = make_uint2(vector.z, vector.w);
#else
    ((uint32_t *)at)[0] = vector.x;
    ((uint32_t *)at)[1] = vector.y;
    ((uint32_t *)at)[2] = vector.z;
    ((uint32_t *)at)[3] = vector.w;
#endif
}

static __device__ __forceinline__ void wl_keep_vectors(void *tile, const struct wl_loaded *loaded,
                                                       uintptr_t from, uint64_t pitch) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS;
        wl_keep_vector(tile, i / WL_VECTORS, i % WL_VECTORS, loaded->vector[k]);
    }
    if (WL_WIDTH < 16 && threadIdx.x < WL_TILE && (from + threadIdx.x * pitch) % 16)
        wl_keep_vector(tile, threadIdx.x, WL_VECTORS, loaded->last);
}

/* Column c of row x of a tile that began at `from`. */
static __device__ __forceinline__ wl_word wl_shifted(const void *tile, uintptr_t from, uint64_t pitch,
                                                     unsigned x, unsigned c) {
    unsigned shift = ((unsigned)from + x * (unsigned)pitch) % 16;
    return *(const wl_word *)((const char *)tile + x * WL_PITCH + shift + c * WL_WIDTH);
}

/* Writes the transpose of the tile that began at `from` to the rows at `to`. */
static __device__ __forceinline__ void wl_store_vectors(uintptr_t to, const void *tile, uintptr_t from,
                                                        uint64_t pitch) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = i / WL_VECTORS, v = i % WL_VECTORS;
        uintptr_t row = to + r * pitch;
        unsigned head = (unsigned)(-row % 16 / WL_WIDTH);
        if (v == WL_VECTORS - 1 && head)
            continue;
        union {
            uint4 vector;
            wl_word element[WL_PART];
        } out;
#pragma unroll
        for (unsigned e = 0; e < WL_PART; e++)
            out.element[e] = wl_shifted(tile, from, pitch, head + v * WL_PART + e, r);
        *((uint4 *)(row + head * WL_WIDTH) + v) = out.vector;
    }
#if WL_WIDTH < 16
#pragma unroll
    for (unsigned k = 0; k < (WL_TILE * WL_PART + WL_THREADS - 1) / WL_THREADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = i / WL_PART, x = i % WL_PART;
        uintptr_t row = to + r * pitch;
        unsigned head = (unsigned)(-row % 16 / WL_WIDTH);
        x += x < head ? 0 : WL_TILE - WL_PART;
        if (i < WL_TILE * WL_PART && head)
            ((wl_word *)row)[x] = wl_shifted(tile, from, pitch, x, r);
    }
#endif
}

/* ---------------------------------------------------------------- a pair of tiles */

/* Tiles (i, j) and (j, i), i <= j, of the square of n x n elements that begins at `square`. upper and lower:
 * room for a tile each. */
static __device__ __forceinline__ void wl_swap_tiles(wl_word *square, uint64_t ld, unsigned n, unsigned i,
                                                     unsigned j, void *upper, void *lower) {
    wl_word *a = square + (uint64_t)(i * WL_TILE) * ld + j * WL_TILE;
    wl_word *b = square + (uint64_t)(j * WL_TILE) * ld + i * WL_TILE;
    unsigned tiles = (n + WL_TILE - 1) / WL_TILE;
    if ((j + 1) * WL_TILE > n || (i == j && (i == 0 || i == tiles - 1))) {
        unsigned rows = min(WL_TILE, n - i * WL_TILE), cols = min(WL_TILE, n - j * WL_TILE);
        wl_load_elements(upper, a, ld, rows, cols);
        if (i != j)
            wl_load_elements(lower, b, ld, cols, rows);
        __syncthreads();
        wl_store_elements(a, i != j ? lower : upper, ld, rows, cols);
        if (i != j)
            wl_store_elements(b, upper, ld, cols, rows);
        return;
    }
    uintptr_t from_a = (uintptr_t)a, from_b = (uintptr_t)b;
    uint64_t pitch = ld * WL_WIDTH;
    struct wl_loaded loaded_a, loaded_b;
    wl_load_vectors(&loaded_a, from_a, pitch);
    if (i != j)
        wl_load_vectors(&loaded_b, from_b, pitch);
    wl_keep_vectors(upper, &loaded_a, from_a, pitch);
    if (i != j)
        wl_keep_vectors(lower, &loaded_b, from_b, pitch);
    __syncthreads();
    wl_store_vectors(from_a, i != j ? lower : upper, i != j ? from_b : from_a, pitch);
    if (i != j)
        wl_store_vectors(from_b, upper, from_a, pitch);
}

#endif
