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

#define WL_CHUNK (WL_THREADS * WL_INPLACE_CHUNK_VECTORS * WL_PART)

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

/* Where rows of `row` elements come from: (r, x) from (r, x) of rows of from_row elements where both are less
 * than side, else from what was saved. */
struct wl_rows {
    uint64_t row, from_row;
};

static __device__ __forceinline__ wl_word wl_moved(const struct wl_near *near, const wl_word *staged,
                                                   uint64_t place, uint64_t r, uint64_t x) {
    if (r >= near->side)
        return __ldcg(near->saved + (r - near->side) * near->side + x);
    if (x >= near->side)
        return __ldcg(near->saved + (x - near->side) * near->side + r);
    return staged[place];
}

/* Reads all that a chunk comes from, one run of memory, to `staged`, as aligned vectors; the run's first
 * element is staged[lead]. Returns staged - (the run's first element's index) + lead: staged[i - that]. */
static __device__ __forceinline__ uint64_t wl_stage(const struct wl_near *near, const struct wl_chunk *chunk,
                                                    const struct wl_rows *rows, wl_word *staged) {
    uint64_t side = near->side, all = side * (side + near->extra);
    uint64_t r = chunk->begin / rows->row, begin = r * rows->from_row + min(chunk->begin % rows->row, side);
    r = (chunk->end - 1) / rows->row;
    uint64_t end = r * rows->from_row + min((chunk->end - 1) % rows->row + 1, side);
    begin = min(begin, all);
    end = min(end, all);
    uintptr_t from = (uintptr_t)(near->matrix + begin), aligned = from & ~(uintptr_t)15;
    unsigned lead = (unsigned)((from - aligned) / WL_WIDTH);
    unsigned vectors = (unsigned)(((end - begin + lead) * WL_WIDTH + 15) / 16);
    if (aligned < (uintptr_t)near->matrix || aligned + 16 * vectors > (uintptr_t)(near->matrix + all)) {
        for (uint64_t i = begin + threadIdx.x; i < end; i += WL_THREADS)
            staged[i - begin + lead] = __ldcg(near->matrix + i);
    } else {
        const uint4 *run = (const uint4 *)aligned;
        uint4 loaded[WL_INPLACE_CHUNK_VECTORS];
#pragma unroll
        for (unsigned k = 0; k < WL_INPLACE_CHUNK_VECTORS; k++)
            if (threadIdx.x + k * WL_THREADS < vectors)
                loaded[k] = __ldcg(run + threadIdx.x + k * WL_THREADS);
#pragma unroll
        for (unsigned k = 0; k < WL_INPLACE_CHUNK_VECTORS; k++)
            if (threadIdx.x + k * WL_THREADS < vectors)
                ((uint4 *)staged)[threadIdx.x + k * WL_THREADS] = loaded[k];
        for (unsigned i = WL_INPLACE_CHUNK_VECTORS * WL_THREADS + threadIdx.x; i < vectors; i += WL_THREADS)
            ((uint4 *)staged)[i] = __ldcg(run + i);
    }
    return begin - lead;
}

/* Reads a chunk, waits for its turn, writes it. */
static __device__ __forceinline__ void wl_move_chunk(const struct wl_near *near, const struct wl_chunk *chunk,
                                                     const struct wl_rows *rows, uint64_t first,
                                                     uint64_t order, wl_word *staged) {
    uint64_t origin = wl_stage(near, chunk, rows, staged);
    wl_read_in_turn(near->counters + WL_INPLACE_RING_AT, first, order);
    uint64_t r = chunk->begin / rows->row;
    int64_t p = chunk->base + (int64_t)threadIdx.x * WL_PART, x = p - (int64_t)(r * rows->row);
#pragma unroll 2
    for (unsigned k = 0; k < WL_INPLACE_CHUNK_VECTORS; k++) {
        while (x >= (int64_t)rows->row) {
            x -= rows->row;
            r++;
        }
        uint64_t place = r * rows->from_row + x - origin;
        if (p >= (int64_t)chunk->begin && p + WL_PART <= (int64_t)chunk->end && r < near->side &&
            x + WL_PART <= near->side) {
            union {
                uint4 vector;
                wl_word element[WL_PART];
            } out;
#pragma unroll
            for (unsigned e = 0; e < WL_PART; e++)
                out.element[e] = staged[(unsigned)place + e];
            *(uint4 *)(near->matrix + p) = out.vector;
        } else {
            for (int64_t q = max(p, (int64_t)chunk->begin); q < min(p + WL_PART, (int64_t)chunk->end); q++) {
                uint64_t y = x + (q - p), s = r + y / rows->row;
                y %= rows->row;
                near->matrix[q] = wl_moved(near, staged, s * rows->from_row + y - origin, s, y);
            }
        }
        x += WL_THREADS * WL_PART;
        p += WL_THREADS * WL_PART;
    }
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

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_SIZED(close)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side,
                    uint64_t extra) {
    char *upper = (char *)wl_dynamic, *lower = upper + WL_TILE * WL_PITCH;
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
    struct wl_rows rows = {side, side + extra};
    wl_move_chunk(&near, &chunk, &rows, first, task.chunk, (wl_word *)wl_dynamic);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, 4)
    WL_SIZED(open)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side, uint64_t extra) {
    char *upper = (char *)wl_dynamic, *lower = upper + WL_TILE * WL_PITCH;
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
    struct wl_rows rows = {row, side};
    wl_move_chunk(&near, &chunk, &rows, last - furthest, last - task.chunk, (wl_word *)wl_dynamic);
    __threadfence();
    __syncthreads();
    unsigned end = (unsigned)((chunk.end - 1) / row / WL_TILE);
    for (unsigned k = (unsigned)(chunk.begin / row / WL_TILE) + threadIdx.x; k <= end; k += WL_THREADS)
        atomicAdd(done + k, 1);
}
