/* Tiles that are parts of a matrix whose rows begin anywhere: loaded by vectors, kept in shared memory,
 * stored transposed.  The including file defines WL_TILE and WL_THREADS. */
#ifndef WIDELOAD_KERNELS_INPLACE_PARTS_CUH
#define WIDELOAD_KERNELS_INPLACE_PARTS_CUH

#include "lib/inplace/inplace.cuh"

/* Rows of a matrix, `pitch` bytes apart; a tile has a part of them. */
struct wl_part {
    uintptr_t at;
    uint64_t pitch;
    unsigned rows, cols;
};

/* The memory that vectors may touch: the matrix, or a larger one that has it. */
struct wl_reach {
    uintptr_t begin, end;
};

/* Whether a vector with one of its elements may reach out of the matrix. */
static __device__ __forceinline__ bool wl_sticks_out(const struct wl_reach *reach,
                                                     const struct wl_part *part) {
    return part->at - reach->begin < 16 ||
           part->at + (part->rows - 1) * part->pitch + part->cols * WL_WIDTH + 16 > reach->end;
}

/* Loads 16 bytes if wanted, else gives zeros: without zeros all these registers would be live from one task
 * to the next.  Otherwise as wl_load_once_256(). */
static __device__ __forceinline__ uint4 wl_load_or_zero(const void *from, bool wanted) {
    uint4 vector;
#if __CUDA_ARCH__ >= 800
    asm("{\n\t.reg .pred wanted;\n\t"
        "setp.ne.b32 wanted, %5, 0;\n\t"
        "mov.u32 %0, 0;\n\tmov.u32 %1, 0;\n\tmov.u32 %2, 0;\n\tmov.u32 %3, 0;\n\t"
        "@wanted ld.global.L2::cache_hint.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4], %6;\n\t}"
        : "=&r"(vector.x), "=&r"(vector.y), "=&r"(vector.z), "=&r"(vector.w)
        : "l"(__cvta_generic_to_global(from)), "r"((int)wanted), "l"(WL_EVICT_LAST));
#else
    vector = make_uint4(0, 0, 0, 0);
    if (wanted)
        vector = __ldcg((const uint4 *)from);
#endif
    return vector;
}

/* Bytes into a vector at which row r of the part begins. */
static __device__ __forceinline__ unsigned wl_shift_of(const struct wl_part *part, unsigned r) {
    return ((unsigned)part->at + r * (unsigned)part->pitch) % 16;
}

/* Rows that the threads load at a time, one vector per thread. */
#define WL_STEP (WL_THREADS / WL_VECTORS)
typedef uint4 wl_tile_part[WL_TILE / WL_STEP];

/* Vector v of row r of the part, as it lies in memory; zeros if it has no elements of the part. */
static __device__ __forceinline__ uint4 wl_load_vector(const struct wl_part *part, unsigned r, unsigned v) {
    uintptr_t row = part->at + r * part->pitch;
    return wl_load_or_zero(wl_aligned(row) + v, r < part->rows && 16 * v < row % 16 + part->cols * WL_WIDTH);
}

static __device__ __forceinline__ void wl_load_part(wl_tile_part loaded, const struct wl_part *part) {
#pragma unroll
    for (unsigned i = 0; i < WL_TILE / WL_STEP; i++)
        loaded[i] = wl_load_vector(part, threadIdx.x / WL_VECTORS + i * WL_STEP, threadIdx.x % WL_VECTORS);
}

/* ---------------------------------------------------------------- tiles in shared memory */

#if WL_WIDTH < 4
#include "lib/inplace/inplace_narrow.cuh"
#else

/* Vectors are stored as they come (inplace.cuh). */
#define WL_FRONT  0
#define WL_STRIDE (WL_TILE * WL_PITCH)

static __device__ __forceinline__ void wl_keep_part(char *tile, const struct wl_part *part,
                                                    const wl_tile_part loaded) {
    (void)part;
#pragma unroll
    for (unsigned i = 0; i < WL_TILE / WL_STEP; i++)
        wl_keep_vector(tile, threadIdx.x / WL_VECTORS + i * WL_STEP, threadIdx.x % WL_VECTORS, loaded[i]);
}

/* Stores a row's last vector. */
static __device__ __forceinline__ void wl_keep_last(char *tile, const struct wl_part *part, unsigned r,
                                                    uint4 vector) {
    (void)part;
    wl_keep_vector(tile, r, WL_VECTORS, vector);
}

/* The place of an element that is stored alone. */
static __device__ __forceinline__ wl_word *wl_place_of(char *tile, const struct wl_part *part, unsigned r,
                                                       unsigned c) {
    return (wl_word *)(tile + r * WL_PITCH + wl_shift_of(part, r)) + c;
}

/* A vector of column c of rows x, x + 1, ... */
static __device__ __forceinline__ uint4 wl_pick_vector(const char *tile, const struct wl_part *part,
                                                       unsigned x, unsigned c) {
    return wl_shifted_vector(tile, part->at, part->pitch, x, c);
}

/* Stores the transpose of a part to rows at `to`. */
static __device__ __forceinline__ void wl_store_part(uintptr_t to, uint64_t to_pitch,
                                                     const struct wl_part *part, const char *tile) {
    if (part->rows == WL_TILE && part->cols == WL_TILE) {
        wl_store_vectors(to, to_pitch, tile, part->at, part->pitch);
    } else {
        const struct wl_cut cut = {0, 0, part->cols, part->rows};
        wl_store_cut(to, to_pitch, &cut, tile, part->at, part->pitch);
    }
}
#endif

/* The same element by element, for the matrix's ends. */
static __device__ __forceinline__ void wl_keep_elements(char *tile, const struct wl_part *part) {
    for (unsigned e = threadIdx.x; e < part->rows * part->cols; e += WL_THREADS) {
        unsigned r = e / part->cols, c = e % part->cols;
        *wl_place_of(tile, part, r, c) = __ldcg((const wl_word *)(part->at + r * part->pitch) + c);
    }
}

/* Loads two tiles across the diagonal; the upper may have no rows.  A barrier comes before the first store to
 * shared memory, which the block may still read for its previous task. */
static __device__ __forceinline__ void wl_load_pair(const struct wl_reach *reach, const struct wl_part *lower,
                                                    const struct wl_part *upper, char *lower_tile,
                                                    char *upper_tile) {
    if (wl_sticks_out(reach, lower) || wl_sticks_out(reach, upper)) {
        __syncthreads();
        wl_keep_elements(lower_tile, lower);
        wl_keep_elements(upper_tile, upper);
        return;
    }
    wl_tile_part low, up;
    wl_load_part(low, lower);
    wl_load_part(up, upper);
    /* Stores the rows' last vectors: one per thread, the first half of the threads for the one tile. */
    const bool of_lower = threadIdx.x < WL_TILE;
    struct wl_part ends = {of_lower ? lower->at : upper->at, lower->pitch,
                           of_lower ? lower->rows : upper->rows, of_lower ? lower->cols : upper->cols};
    if (WL_WIDTH == 16 || threadIdx.x >= 2 * WL_TILE)
        ends.rows = 0;
    const uint4 last = wl_load_vector(&ends, threadIdx.x % WL_TILE, WL_VECTORS);
    __syncthreads();
    wl_keep_part(lower_tile, lower, low);
    wl_keep_part(upper_tile, upper, up);
    if (WL_WIDTH < 16 && threadIdx.x < 2 * WL_TILE)
        wl_keep_last(of_lower ? lower_tile : upper_tile, &ends, threadIdx.x % WL_TILE, last);
}

#endif
