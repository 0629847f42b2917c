/* Transposes a nearly square matrix in place.  `side` is its shorter side; the longer side has `extra` more,
 * at most WL_INPLACE_EXTRA.
 *
 * More columns than rows: the extra columns are saved.  The square next to them is transposed in place, in
 * rows of side + extra elements (inplace_square.cu).  Then the rows are closed up to `side` elements, and the
 * saved columns follow them.  More rows than columns: the same backwards.  The extra rows are saved, the rows
 * are opened to side + extra elements, and the square is transposed.
 *
 * Closing and opening move data by less than its length, in chunks of the result.  A block reads the one run
 * of memory that its chunk is made of, and writes the chunk once the chunks made of what lies there have been
 * read.  Blocks take chunks by a counter, in the order in which they wait for each other.  So a block waits
 * only for chunks taken before its own, by blocks that run: no order of blocks can hang.  A ring of flags
 * records which chunks have been read: each flag counts the ring's turns.  A flag is set after the one before
 * it, so it stands for all chunks that ever had it.
 *
 * Traffic: the square is read and written once, and closing or opening reads and writes it once more: 4 rows
 * cols elements where a copy has 2. Vectors of 16 bytes both ways; chunks begin at lines.
 */
#define WL_CHUNK_BYTES WL_INPLACE_CHUNK_BYTES
#define WL_MOVERS      WL_INPLACE_MOVERS
#include "lib/cuda/earlier.cuh"
#include "lib/inplace/inplace_near.cuh"

/* Saves the extra rows or columns, and clears `words` counters. */
extern "C" __global__ void __launch_bounds__(WL_MOVERS)
    WL_SIZED(save)(wl_word *saved, const wl_word *matrix, unsigned *counters, uint64_t side, uint64_t extra,
                   unsigned opening, uint64_t words) {
    wl_await_earlier();
    uint64_t i = wl_index(0), stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t counter = i; counter < words; counter += stride)
        counters[counter] = 0;
    for (; i < side * extra; i += stride)
        saved[opening ? i : i % extra * side + i / extra] =
            matrix[opening ? side * side + i : i / extra * (side + extra) + side + i % extra];
}

/* The chunk that has this element of the closed or opened matrix. */
static __device__ __forceinline__ uint64_t wl_chunk_of(const struct wl_near *near, uint64_t element) {
    return (element + wl_phase(near)) / WL_CHUNK;
}

/* Marks chunk `order` as read, and waits until chunks `first` to order - 1 are.  All threads call it. */
static __device__ __forceinline__ void wl_read_in_turn(unsigned *ring, uint64_t first, uint64_t order) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned *flag = ring + order % WL_INPLACE_RING * WL_INPLACE_FLAG_WORDS;
        unsigned round = (unsigned)(order / WL_INPLACE_RING);
        while (wl_flag(flag) != round)
            ;
        wl_set_flag(flag, round + 1);
    }
    for (uint64_t other = first + threadIdx.x; other < order; other += WL_MOVERS) {
        const unsigned *flag = ring + other % WL_INPLACE_RING * WL_INPLACE_FLAG_WORDS;
        while (wl_flag(flag) <= (unsigned)(other / WL_INPLACE_RING))
            ;
    }
    __syncthreads();
}

/* Reads a chunk's run. */
static __device__ __forceinline__ void wl_stage(const struct wl_near *near, const struct wl_run *run,
                                                wl_word *staged) {
    unsigned vectors = (unsigned)((run->to - run->from) / 16);
    if (run->from < (uintptr_t)near->matrix || run->to > (uintptr_t)(near->matrix + wl_elements(near))) {
        for (uint64_t i = run->begin + threadIdx.x; i < run->end; i += WL_MOVERS)
            staged[i - run->origin] = __ldcg(near->matrix + i);
        return;
    }
    const uint4 *from = (const uint4 *)run->from;
    uint4 loaded[WL_INPLACE_CHUNK_VECTORS];
#pragma unroll
    for (unsigned k = 0; k < WL_INPLACE_CHUNK_VECTORS; k++)
        if (threadIdx.x + k * WL_MOVERS < vectors)
            loaded[k] = wl_read(from + threadIdx.x + k * WL_MOVERS);
#pragma unroll
    for (unsigned k = 0; k < WL_INPLACE_CHUNK_VECTORS; k++)
        if (threadIdx.x + k * WL_MOVERS < vectors)
            ((uint4 *)staged)[threadIdx.x + k * WL_MOVERS] = loaded[k];
    for (unsigned i = WL_INPLACE_CHUNK_VECTORS * WL_MOVERS + threadIdx.x; i < vectors; i += WL_MOVERS)
        ((uint4 *)staged)[i] = __ldcg(from + i);
}

/* Reads a chunk, waits for its turn, and writes it. */
static __device__ __forceinline__ void wl_move_chunk(const struct wl_near *near, const struct wl_chunk *chunk,
                                                     const struct wl_rows *rows, uint64_t first,
                                                     uint64_t order, wl_word *staged) {
    const uint64_t r = chunk->begin / rows->row;
    const struct wl_run run = wl_run_from(near, chunk, rows, r, chunk->begin - r * rows->row);
    if (run.begin < run.end)
        wl_stage(near, &run, staged);
    wl_read_in_turn(near->counters + WL_INPLACE_RING_AT, first, order);
    struct wl_place at = wl_place_in(chunk, rows);
    wl_write_chunk(near, chunk, rows, &at, run.origin, staged);
}

/* Gives all threads the next chunk in order. */
static __device__ __forceinline__ uint64_t wl_take(unsigned *counters) {
    __shared__ uint64_t taken;
    if (threadIdx.x == 0)
        taken = wl_next(counters);
    __syncthreads();
    return taken;
}

extern "C" __global__ void __launch_bounds__(WL_MOVERS, 4)
    WL_SIZED(close)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side,
                    uint64_t extra) {
    wl_await_earlier();
    const struct wl_near near = {matrix, saved, counters, side, extra};
    const struct wl_rows rows = {side, side + extra};
    uint64_t index = wl_take(counters);
    struct wl_chunk chunk = wl_chunk_at(&near, index);
    /* Chunks before this one read what it overwrites. */
    uint64_t r = chunk.begin / (side + extra), x = chunk.begin % (side + extra);
    uint64_t first = wl_chunk_of(&near, r * side + min(x, side - 1));
    wl_move_chunk(&near, &chunk, &rows, first, index, (wl_word *)wl_dynamic);
}

extern "C" __global__ void __launch_bounds__(WL_MOVERS, 4)
    WL_SIZED(open)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side, uint64_t extra) {
    wl_await_earlier();
    const struct wl_near near = {matrix, saved, counters, side, extra};
    const struct wl_rows rows = {side + extra, side};
    uint64_t last = wl_chunk_of(&near, side * (side + extra) - 1);
    uint64_t order = wl_take(counters), index = last - order;
    struct wl_chunk chunk = wl_chunk_at(&near, index);
    /* Chunks after this one read what it overwrites, up to the matrix's extra rows, which are saved.  Their
     * order is backwards. */
    uint64_t over = min(chunk.end, side * side) - 1;
    uint64_t furthest = max(wl_chunk_of(&near, over / side * (side + extra) + over % side), index);
    wl_move_chunk(&near, &chunk, &rows, last - furthest, order, (wl_word *)wl_dynamic);
}
