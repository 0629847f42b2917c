/* A matrix that is nearly square is transposed in place: `side` is its shorter side, `extra` what the longer
 * one has more, at most WL_INPLACE_EXTRA.
 *
 * More columns than rows ("close"): the extra columns are saved, the square beside them is transposed where
 * it lies, in rows of side + extra elements, and then the rows are closed up to `side` elements, the saved
 * columns behind them. More rows than columns ("open") is the same backwards: the extra rows are saved, the
 * rows are opened to side + extra elements, and the square is transposed.
 *
 * Done one after the other, that were two passes over memory. But row k of tiles is ready to be closed when
 * the tiles (k, j) are exchanged for all j, of which the right half has just been written: steps of one row
 * and one column of tiles, each with the closing of the rows of a few steps ago, find these in the L2.
 * Traffic: 3 side^2 elements where a copy has 2 - the square read and written once, its lower left triangle
 * once more.
 *
 * A launch is one list of tasks, exchanges and chunks of the closed matrix, in the order of those steps.
 * Blocks take them by a counter, so each task that another waits for was taken before it, by a block that
 * runs: no order of blocks can hang. What waits for what:
 * - A chunk is read when the rows of tiles that it is read from are exchanged: a count of each row's tiles.
 * - A chunk is written when the chunks that are read from where it is written to have been read. Each chunk
 *   says so in a ring of flags, which hold how often the ring has come round; it does so after the chunk
 *   that had the flag before, so a flag stands for all chunks that ever had it.
 * - Opening: a tile is exchanged when all chunks of its rows are written: a count of each row of tiles.
 * All of it is read past the L1, which does not see what others write.
 */
#include "inplace.cuh"

#define WL_CHUNK (WL_THREADS * WL_INPLACE_EACH(WL_WIDTH))

struct wl_near {
    wl_word *matrix;
    const wl_word *saved; /* extra rows of side elements */
    unsigned *counters;   /* WL_INPLACE_TICKET: the next task; WL_INPLACE_RING; WL_INPLACE_ROWS */
    uint64_t side, extra;
};

/* Saves the extra rows or columns, and clears the counters. */
extern "C" __global__ void __launch_bounds__(WL_THREADS)
    WL_SIZED(save)(wl_word *saved, const wl_word *matrix, unsigned *counters, uint64_t side, uint64_t extra,
                   unsigned opening, unsigned count) {
    uint64_t i = wl_index(0), stride = (uint64_t)gridDim.x * blockDim.x;
    if (i < count)
        counters[i] = 0;
    for (; i < side * extra; i += stride)
        saved[opening ? i : i % extra * side + i / extra] =
            matrix[opening ? side * side + i : i / extra * (side + extra) + side + i % extra];
}

static __device__ __forceinline__ unsigned wl_peek(const unsigned *counter) {
    return *(const volatile unsigned *)counter;
}

/* Exchanges in the steps before `step`, of which the s-th has tiles - s. */
static __device__ __forceinline__ uint64_t wl_swaps_before(uint64_t step, uint64_t tiles) {
    step = min(step, tiles);
    return step * tiles - (step * step - step) / 2;
}

/* Chunks in the steps before `step`: those of whole rows of tiles, WL_INPLACE_LAG steps after them. */
static __device__ __forceinline__ uint64_t wl_chunks_before(uint64_t step, uint64_t tiles, uint64_t row,
                                                            uint64_t chunks) {
    if (step <= WL_INPLACE_LAG)
        return 0;
    step -= WL_INPLACE_LAG;
    return step >= tiles ? chunks : min(chunks, step * WL_TILE * row / WL_CHUNK);
}

struct wl_task {
    unsigned i, j;  /* tiles, */
    uint64_t chunk; /* or a chunk */
    bool exchanges;
};

static __device__ struct wl_task wl_task_of(uint64_t index, unsigned tiles, uint64_t row, uint64_t chunks) {
    unsigned step = 0, end = tiles + WL_INPLACE_LAG + 1;
    while (end - step > 1) {
        unsigned middle = (step + end) / 2;
        if (wl_swaps_before(middle, tiles) + wl_chunks_before(middle, tiles, row, chunks) <= index)
            step = middle;
        else
            end = middle;
    }
    uint64_t chunk = wl_chunks_before(step, tiles, row, chunks);
    index -= wl_swaps_before(step, tiles) + chunk;
    unsigned swaps = step < tiles ? tiles - step : 0;
    struct wl_task task = {step, step + (unsigned)index, chunk + index - swaps, index < swaps};
    return task;
}

/* A chunk's place in the closed or opened matrix. Chunks begin at lines of memory: the first may begin
 * before the matrix, by `phase` elements. */
struct wl_chunk {
    int64_t base;        /* its first element, that may be before 0 */
    uint64_t begin, end; /* those that are in the matrix */
};

static __device__ __forceinline__ unsigned wl_phase(const struct wl_near *near) {
    return (unsigned)((uintptr_t)near->matrix / WL_WIDTH % (128 / WL_WIDTH));
}

static __device__ __forceinline__ struct wl_chunk wl_chunk_at(const struct wl_near *near, uint64_t index) {
    struct wl_chunk chunk;
    uint64_t all = near->side * (near->side + near->extra);
    chunk.base = (int64_t)(index * WL_CHUNK) - wl_phase(near);
    chunk.begin = chunk.base < 0 ? 0 : (uint64_t)chunk.base;
    chunk.end = min((uint64_t)(chunk.base + WL_CHUNK), all);
    return chunk;
}

/* The chunk that has an element of the closed or opened matrix. */
static __device__ __forceinline__ uint64_t wl_chunk_of(const struct wl_near *near, uint64_t element) {
    return (element + wl_phase(near)) / WL_CHUNK;
}

/* Says that the order-th chunk has been read, and waits until those from first to before it have been. By all
 * threads. */
static __device__ __forceinline__ void wl_read_in_turn(unsigned *ring, uint64_t first, uint64_t order) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned *flag = ring + order % WL_INPLACE_RING, round = (unsigned)(order / WL_INPLACE_RING);
        while (wl_peek(flag) != round)
            ;
        __threadfence();
        atomicExch(flag, round + 1);
    }
    for (uint64_t other = first + threadIdx.x; other < order; other += WL_THREADS)
        while (wl_peek(ring + other % WL_INPLACE_RING) <= (unsigned)(other / WL_INPLACE_RING))
            ;
    __threadfence();
    __syncthreads();
}

/* Reads a chunk, waits for its turn, writes it. A row of the result has `row` elements, of which the first
 * `side` come from rows of `from_row`, and what is past the last such row, or past `side`, was saved. */
static __device__ __forceinline__ void wl_move_chunk(const struct wl_near *near, const struct wl_chunk *chunk,
                                                     uint64_t row, uint64_t from_row, uint64_t first,
                                                     uint64_t order) {
    const unsigned each = WL_INPLACE_EACH(WL_WIDTH);
    wl_word moved[each];
    uint64_t r = chunk->begin / row;
    int64_t x = chunk->base - (int64_t)(r * row) + threadIdx.x, p = chunk->base + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < each; k++) {
        while (x >= (int64_t)row) {
            x -= row;
            r++;
        }
        if (p >= 0 && p < (int64_t)chunk->end) {
            const wl_word *from = near->matrix + r * from_row + x;
            if (r >= near->side)
                from = near->saved + (r - near->side) * near->side + x;
            else if (x >= (int64_t)near->side)
                from = near->saved + (x - near->side) * near->side + r;
            moved[k] = __ldcg(from);
        }
        x += WL_THREADS;
        p += WL_THREADS;
    }
    wl_read_in_turn(near->counters + WL_INPLACE_RING_AT, first, order);
    p = chunk->base + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < each; k++, p += WL_THREADS)
        if (p >= 0 && p < (int64_t)chunk->end)
            near->matrix[p] = moved[k];
}

/* By thread 0: the task that this block takes, of all in the steps' order or backwards. */
static __device__ __forceinline__ struct wl_task wl_take_task(const struct wl_near *near, uint64_t row,
                                                              bool backwards) {
    unsigned tiles = (unsigned)((near->side + WL_TILE - 1) / WL_TILE);
    uint64_t chunks = wl_chunk_of(near, near->side * (near->side + near->extra) - 1) + 1;
    uint64_t all = wl_swaps_before(tiles, tiles) + chunks;
    uint64_t ticket = atomicAdd((unsigned long long *)near->counters, 1ull);
    return wl_task_of(backwards ? all - 1 - ticket : ticket, tiles, row, chunks);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_INPLACE_BLOCKS(WL_WIDTH))
    WL_SIZED(close)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side,
                    uint64_t extra) {
    __shared__ wl_word upper[WL_TILE_ROOM], lower[WL_TILE_ROOM];
    __shared__ struct wl_task taken;
    struct wl_near near = {matrix, saved, counters, side, extra};
    unsigned *done = counters + WL_INPLACE_ROWS_AT;
    unsigned tiles = (unsigned)((side + WL_TILE - 1) / WL_TILE);
    if (threadIdx.x == 0)
        taken = wl_take_task(&near, side, false);
    __syncthreads();
    struct wl_task task = taken;
    if (task.exchanges) {
        wl_swap_tiles(matrix, side + extra, (unsigned)side, task.i, task.j, upper, lower);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(done + task.i, 1);
            if (task.i != task.j)
                atomicAdd(done + task.j, 1);
        }
        return;
    }
    struct wl_chunk chunk = wl_chunk_at(&near, task.chunk);
    unsigned last = (unsigned)min((chunk.end - 1) / side / WL_TILE, (uint64_t)tiles - 1);
    for (unsigned k = (unsigned)(chunk.begin / side / WL_TILE) + threadIdx.x; k <= last; k += WL_THREADS)
        while (wl_peek(done + k) < tiles)
            ;
    __threadfence();
    __syncthreads();
    /* What is written over is read by chunks before this one. */
    uint64_t r = chunk.begin / (side + extra), x = chunk.begin % (side + extra);
    uint64_t first = wl_chunk_of(&near, r * side + min(x, side - 1));
    wl_move_chunk(&near, &chunk, side, side + extra, first, task.chunk);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_INPLACE_BLOCKS(WL_WIDTH))
    WL_SIZED(open)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side, uint64_t extra) {
    __shared__ wl_word upper[WL_TILE_ROOM], lower[WL_TILE_ROOM];
    __shared__ struct wl_task taken;
    struct wl_near near = {matrix, saved, counters, side, extra};
    unsigned *done = counters + WL_INPLACE_ROWS_AT;
    const uint64_t row = side + extra;
    if (threadIdx.x == 0)
        taken = wl_take_task(&near, row, true);
    __syncthreads();
    struct wl_task task = taken;
    if (task.exchanges) {
        if (threadIdx.x < 2) {
            uint64_t k = threadIdx.x ? task.j : task.i;
            uint64_t begin = k * WL_TILE * row, end = min((k + 1) * WL_TILE, side) * row;
            unsigned chunks = (unsigned)(wl_chunk_of(&near, end - 1) - wl_chunk_of(&near, begin) + 1);
            while (wl_peek(done + k) < chunks)
                ;
            __threadfence();
        }
        __syncthreads();
        wl_swap_tiles(matrix, row, (unsigned)side, task.i, task.j, upper, lower);
        return;
    }
    struct wl_chunk chunk = wl_chunk_at(&near, task.chunk);
    /* What is written over is read by chunks behind this one, up to the matrix's extra rows, which are
     * saved. Their order is backwards. */
    uint64_t over = min(chunk.end, side * side) - 1, last = wl_chunk_of(&near, side * row - 1);
    uint64_t furthest = max(wl_chunk_of(&near, over / side * row + over % side), task.chunk);
    wl_move_chunk(&near, &chunk, row, side, last - furthest, last - task.chunk);
    __threadfence();
    __syncthreads();
    unsigned end = (unsigned)((chunk.end - 1) / row / WL_TILE);
    for (unsigned k = (unsigned)(chunk.begin / row / WL_TILE) + threadIdx.x; k <= end; k += WL_THREADS)
        atomicAdd(done + k, 1);
}
