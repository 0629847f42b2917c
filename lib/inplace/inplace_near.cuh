/* What closing and opening rows share, chunk by chunk (inplace_near.cu).  `side` is the shorter side of the
 * matrix; the longer side has `extra` more.  Closing takes the extra elements from rows of side + extra
 * elements; they are saved, and become rows after the others.  Opening is the reverse.
 *
 * Both work in chunks of the result, WL_CHUNK_BYTES each, that begin at lines.  A chunk comes from one run of
 * memory, less than WL_INPLACE_STAGED bytes, and from what was saved.  WL_MOVERS threads write one.
 */
#ifndef WIDELOAD_KERNELS_INPLACE_NEAR_CUH
#define WIDELOAD_KERNELS_INPLACE_NEAR_CUH

#include "lib/cuda/flags.cuh"
#include "lib/inplace/inplace.cuh"

#define WL_CHUNK (WL_CHUNK_BYTES / WL_WIDTH)

struct wl_near {
    wl_word *matrix;
    const wl_word *saved; /* extra rows of side elements */
    unsigned *counters;   /* the next chunk in 8 bytes, and flags at WL_INPLACE_RING_AT */
    uint64_t side, extra;
};

/* Where rows of `row` elements come from: (r, x) comes from (r, x) in rows of from_row elements if both are
 * less than side, else from what was saved. */
struct wl_rows {
    uint64_t row, from_row;
};

/* A chunk's place in the closed or opened matrix.  The first may begin `phase` elements before the matrix. */
struct wl_chunk {
    int64_t base;        /* its first element, which may be before 0 */
    uint64_t begin, end; /* its elements that are in the matrix */
};

static __device__ __forceinline__ unsigned wl_phase(const struct wl_near *near) {
    return (unsigned)((uintptr_t)near->matrix / WL_WIDTH % (128 / WL_WIDTH));
}

static __device__ __forceinline__ uint64_t wl_elements(const struct wl_near *near) {
    return near->side * (near->side + near->extra);
}

static __device__ __forceinline__ struct wl_chunk wl_chunk_at(const struct wl_near *near, uint64_t index) {
    struct wl_chunk chunk;
    chunk.base = (int64_t)(index * WL_CHUNK) - wl_phase(near);
    chunk.begin = chunk.base < 0 ? 0 : (uint64_t)chunk.base;
    chunk.end = min((uint64_t)(chunk.base + WL_CHUNK), wl_elements(near));
    return chunk;
}

/* The run of memory that a chunk comes from: its elements, and its place in shared memory, with the alignment
 * that it has in global memory. */
struct wl_run {
    uint64_t begin, end;
    uintptr_t from, to; /* the aligned vectors that hold it */
    uint64_t origin;    /* the element at `from`, which may be before 0 */
};

/* (r, x) is the place of the chunk's first element in the matrix. */
static __device__ __forceinline__ struct wl_run wl_run_from(const struct wl_near *near,
                                                            const struct wl_chunk *chunk,
                                                            const struct wl_rows *rows, uint64_t r,
                                                            uint64_t x) {
    uint64_t side = near->side, all = wl_elements(near), s = r, y = x + (chunk->end - chunk->begin) - 1;
    while (y >= rows->row) {
        y -= rows->row;
        s++;
    }
    struct wl_run run;
    run.begin = min(r * rows->from_row + min(x, side), all);
    run.end = min(s * rows->from_row + min(y + 1, side), all);
    uintptr_t begin = (uintptr_t)(near->matrix + run.begin);
    run.from = begin & ~(uintptr_t)15;
    run.to = ((uintptr_t)(near->matrix + run.end) + 15) & ~(uintptr_t)15;
    run.origin = run.begin - (begin - run.from) / WL_WIDTH;
    return run;
}

static __device__ __forceinline__ wl_word wl_moved(const struct wl_near *near, const wl_word *staged,
                                                   uint64_t place, uint64_t r, uint64_t x) {
    if (r >= near->side)
        return __ldcg(near->saved + (r - near->side) * near->side + x);
    if (x >= near->side)
        return __ldcg(near->saved + (x - near->side) * near->side + r);
    return staged[place];
}

/* The place of a thread's vector in the closed or opened matrix: its element p is (r, x). */
struct wl_place {
    int64_t p, x;
    uint64_t r;
};

static __device__ __forceinline__ struct wl_place wl_place_in(const struct wl_chunk *chunk,
                                                              const struct wl_rows *rows) {
    struct wl_place at;
    at.r = chunk->begin / rows->row;
    at.p = chunk->base + (int64_t)threadIdx.x * WL_PART;
    at.x = at.p - (int64_t)(at.r * rows->row);
    return at;
}

/* Writes a chunk whose run is in shared memory, and moves on to the next chunk. */
static __device__ __forceinline__ void wl_write_chunk(const struct wl_near *near,
                                                      const struct wl_chunk *chunk,
                                                      const struct wl_rows *rows, struct wl_place *at,
                                                      uint64_t origin, const wl_word *staged) {
#pragma unroll 2
    for (unsigned k = 0; k < WL_CHUNK_BYTES / 16 / WL_MOVERS; k++) {
        while (at->x >= (int64_t)rows->row) {
            at->x -= rows->row;
            at->r++;
        }
        const int64_t p = at->p, x = at->x;
        uint64_t place = at->r * rows->from_row + x - origin;
        if (p >= (int64_t)chunk->begin && p + WL_PART <= (int64_t)chunk->end && at->r < near->side &&
            x + WL_PART <= near->side) {
            *(uint4 *)(near->matrix + p) = wl_staged_vector(staged + (unsigned)place);
        } else if (p + WL_PART > (int64_t)chunk->begin && p < (int64_t)chunk->end) {
            /* Rows are longer than a vector, so a vector has at most two.  Everything is read before anything
             * is written: one wait for memory, instead of one per element. */
            union {
                uint4 vector;
                wl_word element[WL_PART];
            } out;
#pragma unroll
            for (int e = 0; e < WL_PART; e++) {
                bool next = x + e >= (int64_t)rows->row;
                uint64_t s = at->r + next, y = x + e - (next ? rows->row : 0);
                if (p + e >= (int64_t)chunk->begin && p + e < (int64_t)chunk->end)
                    out.element[e] = wl_moved(near, staged, s * rows->from_row + y - origin, s, y);
            }
            if (p >= (int64_t)chunk->begin && p + WL_PART <= (int64_t)chunk->end) {
                *(uint4 *)(near->matrix + p) = out.vector;
            } else {
#pragma unroll
                for (int e = 0; e < WL_PART; e++)
                    if (p + e >= (int64_t)chunk->begin && p + e < (int64_t)chunk->end)
                        near->matrix[p + e] = out.element[e];
            }
        }
        at->x += WL_MOVERS * WL_PART;
        at->p += WL_MOVERS * WL_PART;
    }
}

/* The next chunk in order; one thread calls it. */
static __device__ __forceinline__ uint64_t wl_next(unsigned *counters) {
    return atomicAdd((unsigned long long *)counters, 1ull);
}

#endif
