/* What the in-place transposes share: the element, and the exchange of two tiles of a square.
 *
 * Compiled once for each width WL_WIDTH (1, 2, 4, 8 or 16 bytes).
 *
 * wl_swap_tiles() transposes tile (i, j) of a square into tile (j, i) and the other way.  Both are read whole
 * before either is written: that alone makes it right in place.  Every element is read once and written once.
 *
 * Accesses are aligned vectors of 16 bytes, wherever a row begins.  Shared memory keeps them as they come: a
 * row of a tile has up to 15 bytes of its neighbour, its `shift`, in front.  A vector of the transpose takes
 * its elements from 16 / WL_WIDTH rows, each at its own row's shift.  Those before a row's first aligned
 * address and after its last, together a vector's worth, are written one by one.  Tiles that an edge cuts,
 * and both ends of the diagonal, where a vector could reach out of the matrix, take the same steps with a
 * test for each vector; partial vectors go element by element.
 */
#ifndef WIDELOAD_KERNELS_INPLACE_CUH
#define WIDELOAD_KERNELS_INPLACE_CUH

#include "lib/cuda/index.cuh"
#include "lib/cuda/read_once.cuh"
#include "lib/inplace/inplace.h"

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

/* Another file may define tiles of its own. */
#ifndef WL_TILE
#define WL_THREADS WL_INPLACE_THREADS(WL_WIDTH)
#define WL_TILE    WL_INPLACE_TILE(WL_WIDTH)
#endif

/* Elements per vector, and vectors per tile row that begins at one. */
#define WL_PART    (16 / WL_WIDTH)
#define WL_VECTORS (WL_TILE / WL_PART)
/* Bytes from one row of a tile to the next in shared memory: room for one more vector, and a pitch that puts
 * the rows of a vector in different banks. */
#define WL_PITCH WL_INPLACE_PITCH(WL_WIDTH, WL_TILE)

/* Two tiles, or what a kernel makes of the memory. */
extern __shared__ uint4 wl_dynamic[];

/* ---------------------------------------------------------------- blocks */

/* Maps a block to tiles.  Groups (I, J), I <= J, are a triangle.  For an even number of groups it is folded
 * to a rectangle of groups / 2 rows and groups + 1 columns: row y has the groups of row y right of the
 * diagonal, and those of row groups - 1 - y.  False for a tile below the diagonal or past the edge. */
static __device__ __forceinline__ bool wl_tiles_of(uint64_t block, unsigned tiles, unsigned *i, unsigned *j) {
    const unsigned each = WL_INPLACE_GROUP(WL_WIDTH) * WL_INPLACE_GROUP(WL_WIDTH);
    unsigned groups = (tiles + WL_INPLACE_GROUP(WL_WIDTH) - 1) / WL_INPLACE_GROUP(WL_WIDTH);
    groups += groups & 1;
    unsigned group = (unsigned)(block / each), within = (unsigned)(block % each);
    unsigned y = group / (groups + 1), x = group % (groups + 1);
    unsigned row = x > y ? y : groups - 1 - y, col = x > y ? x - 1 : groups - 1 - x;
    *i = row * WL_INPLACE_GROUP(WL_WIDTH) + within / WL_INPLACE_GROUP(WL_WIDTH);
    *j = col * WL_INPLACE_GROUP(WL_WIDTH) + within % WL_INPLACE_GROUP(WL_WIDTH);
    return *i <= *j && *j < tiles;
}

/* ---------------------------------------------------------------- by vectors */

/* Vectors of a tile that each thread loads. */
#define WL_LOADS (WL_TILE * WL_VECTORS / WL_THREADS)
struct wl_loaded {
    uint4 vector[WL_LOADS], last;
};

/* Marked for eviction last where that gained (widths 4 to 16: 2 to 6 %; the others lost 1 to 3 % here). */
static __device__ __forceinline__ uint4 wl_read(const uint4 *vector) {
    return WL_WIDTH < 4 ? __ldcg(vector) : *wl_once(vector);
}

static __device__ __forceinline__ const uint4 *wl_aligned(uintptr_t address) {
    return (const uint4 *)(address & ~(uintptr_t)15);
}

/* 16 of the bytes of two vectors, from byte `shift` on, which is an element's. */
static __device__ __forceinline__ uint4 wl_across(uint4 low, uint4 high, unsigned shift) {
    if (shift & 8) {
        low = make_uint4(low.z, low.w, high.x, high.y);
        high.x = high.z;
        high.y = high.w;
    }
    if (WL_WIDTH < 8 && shift & 4) {
        low = make_uint4(low.y, low.z, low.w, high.x);
        high.x = high.y;
    }
    if (WL_WIDTH < 4) {
        unsigned bits = 8 * (shift & 3);
        low = make_uint4(__funnelshift_r(low.x, low.y, bits), __funnelshift_r(low.y, low.z, bits),
                         __funnelshift_r(low.z, low.w, bits), __funnelshift_r(low.w, high.x, bits));
    }
    return low;
}

/* 16 bytes of shared memory from any element on. */
static __device__ __forceinline__ uint4 wl_staged_vector(const wl_word *element) {
    unsigned shift = (unsigned)(uintptr_t)element % 16;
    const uint4 *aligned = (const uint4 *)((const char *)element - shift);
    uint4 low = aligned[0];
    if (WL_WIDTH == 16 || !shift)
        return low;
    return wl_across(low, aligned[1], shift);
}

/* pitch: bytes from one row to the next.  The last vector of a row exists only if the row is shifted.
 *
 * A row's first and last vector may hold elements of the neighbouring tiles, which other blocks write
 * meanwhile.  These elements are loaded and never used.  `wideload prof --check race` reports it: formally it
 * is a race. */
static __device__ __forceinline__ void wl_load_vectors(struct wl_loaded *loaded, uintptr_t from,
                                                       uint64_t pitch) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS;
        loaded->vector[k] = wl_read(wl_aligned(from + i / WL_VECTORS * pitch) + i % WL_VECTORS);
    }
    uintptr_t row = from + threadIdx.x * pitch;
    if (WL_WIDTH < 16 && threadIdx.x < WL_TILE && row % 16)
        loaded->last = wl_read(wl_aligned(row) + WL_VECTORS);
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

/* A vector of column c of rows x, x + 1, ... */
static __device__ __forceinline__ uint4 wl_shifted_vector(const void *tile, uintptr_t from, uint64_t pitch,
                                                          unsigned x, unsigned c) {
    union {
        uint4 vector;
        wl_word element[WL_PART];
    } out;
#pragma unroll
    for (unsigned e = 0; e < WL_PART; e++)
        out.element[e] = wl_shifted(tile, from, pitch, x + e, c);
    return out.vector;
}

/* Writes the transpose of the tile that began at `from` to the rows at `to`, to_pitch bytes apart. */
static __device__ __forceinline__ void wl_store_vectors(uintptr_t to, uint64_t to_pitch, const void *tile,
                                                        uintptr_t from, uint64_t pitch) {
#pragma unroll
    for (unsigned k = 0; k < WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = i / WL_VECTORS, v = i % WL_VECTORS;
        uintptr_t row = to + r * to_pitch;
        unsigned head = (unsigned)(-row % 16 / WL_WIDTH);
        if (v == WL_VECTORS - 1 && head)
            continue;
        *((uint4 *)(row + head * WL_WIDTH) + v) = wl_shifted_vector(tile, from, pitch, head + v * WL_PART, r);
    }
#if WL_WIDTH < 16
#pragma unroll
    for (unsigned k = 0; k < (WL_TILE * WL_PART + WL_THREADS - 1) / WL_THREADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = i / WL_PART, x = i % WL_PART;
        uintptr_t row = to + r * to_pitch;
        unsigned head = (unsigned)(-row % 16 / WL_WIDTH);
        x += x < head ? 0 : WL_TILE - WL_PART;
        if (i < WL_TILE * WL_PART && head)
            ((wl_word *)row)[x] = wl_shifted(tile, from, pitch, x, r);
    }
#endif
}

/* ---------------------------------------------------------------- at edges */

/* A tile that an edge cuts, or that begins or ends where the square does. */
struct wl_cut {
    uintptr_t begin, end; /* of the square */
    unsigned rows, cols;  /* of the tile */
};

/* Whether a vector has elements of row r, which begins at `row`. */
static __device__ __forceinline__ bool wl_wanted(const struct wl_cut *cut, unsigned r, uintptr_t row,
                                                 uintptr_t vector) {
    return r < cut->rows && vector < row + cut->cols * WL_WIDTH;
}

/* Whether all of a vector may be read. */
static __device__ __forceinline__ bool wl_whole(const struct wl_cut *cut, uintptr_t vector) {
    return vector >= cut->begin && vector + 16 <= cut->end;
}

/* As wl_load_vectors(), but leaves partial vectors to wl_keep_cut().  Reads a row's last vector wherever the
 * row begins. */
static __device__ __forceinline__ void wl_load_cut(struct wl_loaded *loaded, const struct wl_cut *cut,
                                                   uintptr_t from, uint64_t pitch) {
#pragma unroll
    for (unsigned k = 0; k <= WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = k < WL_LOADS ? i / WL_VECTORS : threadIdx.x;
        uintptr_t row = from + r * pitch;
        const uint4 *vector = wl_aligned(row) + (k < WL_LOADS ? i % WL_VECTORS : WL_VECTORS);
        if (wl_wanted(cut, r, row, (uintptr_t)vector) && wl_whole(cut, (uintptr_t)vector))
            *(k < WL_LOADS ? &loaded->vector[k] : &loaded->last) = wl_read(vector);
    }
}

static __device__ __forceinline__ void wl_keep_cut(void *tile, const struct wl_loaded *loaded,
                                                   const struct wl_cut *cut, uintptr_t from, uint64_t pitch) {
#pragma unroll
    for (unsigned k = 0; k <= WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = k < WL_LOADS ? i / WL_VECTORS : threadIdx.x;
        unsigned v = k < WL_LOADS ? i % WL_VECTORS : WL_VECTORS;
        uintptr_t row = from + r * pitch, vector = (uintptr_t)(wl_aligned(row) + v);
        if (!wl_wanted(cut, r, row, vector))
            continue;
        if (wl_whole(cut, vector)) {
            wl_keep_vector(tile, r, v, k < WL_LOADS ? loaded->vector[k] : loaded->last);
            continue;
        }
        for (unsigned e = 0; e < WL_PART; e++) {
            const wl_word *element = (const wl_word *)vector + e;
            if ((uintptr_t)element >= row && (uintptr_t)element < row + cut->cols * WL_WIDTH)
                ((wl_word *)((char *)tile + r * WL_PITCH + 16 * v))[e] = __ldcg(element);
        }
    }
}

/* As wl_store_vectors(), for as many rows and columns as `cut` has. */
static __device__ __forceinline__ void wl_store_cut(uintptr_t to, uint64_t to_pitch, const struct wl_cut *cut,
                                                    const void *tile, uintptr_t from, uint64_t pitch) {
#pragma unroll 2
    for (unsigned k = 0; k < WL_LOADS; k++) {
        unsigned i = threadIdx.x + k * WL_THREADS, r = i / WL_VECTORS, v = i % WL_VECTORS;
        uintptr_t row = to + r * to_pitch;
        unsigned x = (unsigned)(-row % 16 / WL_WIDTH) + v * WL_PART;
        if (r >= cut->rows)
            continue;
        if (x + WL_PART <= cut->cols) {
            *(uint4 *)(row + x * WL_WIDTH) = wl_shifted_vector(tile, from, pitch, x, r);
        } else {
            for (unsigned e = x; e < cut->cols; e++)
                ((wl_word *)row)[e] = wl_shifted(tile, from, pitch, e, r);
        }
        if (v == 0)
            for (unsigned e = 0; e < min(x, cut->cols); e++)
                ((wl_word *)row)[e] = wl_shifted(tile, from, pitch, e, r);
    }
}

/* ---------------------------------------------------------------- a pair of tiles */

/* Swaps tiles (i, j) and (j, i), i <= j, of the square of n x n elements that begins at `square`.  upper and
 * lower: room for one tile each. */
static __device__ __forceinline__ void wl_swap_tiles(wl_word *square, uint64_t ld, unsigned n, unsigned i,
                                                     unsigned j, void *upper, void *lower) {
    uintptr_t a = (uintptr_t)(square + (uint64_t)(i * WL_TILE) * ld + j * WL_TILE);
    uintptr_t b = (uintptr_t)(square + (uint64_t)(j * WL_TILE) * ld + i * WL_TILE);
    unsigned tiles = (n + WL_TILE - 1) / WL_TILE;
    bool two = i != j;
    uint64_t pitch = ld * WL_WIDTH;
    struct wl_loaded loaded_a, loaded_b;
    if ((j + 1) * WL_TILE > n || (!two && (i == 0 || i == tiles - 1))) {
        unsigned rows = min(WL_TILE, n - i * WL_TILE), cols = min(WL_TILE, n - j * WL_TILE);
        uintptr_t begin = (uintptr_t)square, end = (uintptr_t)(square + (n - 1) * ld + n);
        const struct wl_cut cut_a = {begin, end, rows, cols}, cut_b = {begin, end, cols, rows};
        wl_load_cut(&loaded_a, &cut_a, a, pitch);
        if (two)
            wl_load_cut(&loaded_b, &cut_b, b, pitch);
        wl_keep_cut(upper, &loaded_a, &cut_a, a, pitch);
        if (two)
            wl_keep_cut(lower, &loaded_b, &cut_b, b, pitch);
        __syncthreads();
        wl_store_cut(a, pitch, &cut_a, two ? lower : upper, two ? b : a, pitch);
        if (two)
            wl_store_cut(b, pitch, &cut_b, upper, a, pitch);
        return;
    }
    wl_load_vectors(&loaded_a, a, pitch);
    if (two)
        wl_load_vectors(&loaded_b, b, pitch);
    wl_keep_vectors(upper, &loaded_a, a, pitch);
    if (two)
        wl_keep_vectors(lower, &loaded_b, b, pitch);
    __syncthreads();
    wl_store_vectors(a, pitch, two ? lower : upper, two ? b : a, pitch);
    if (two)
        wl_store_vectors(b, pitch, upper, a, pitch);
}

#endif
