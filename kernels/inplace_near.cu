/* A matrix that is nearly square is transposed in place: `side` is its shorter side, `extra` what the longer
 * one has more, at most WL_INPLACE_EXTRA.
 *
 * More columns than rows: the extra columns are saved, the square beside them is transposed where it lies, in
 * rows of side + extra elements (inplace_square.cu), and then the rows are closed up to `side` elements, the
 * saved columns behind them. More rows than columns is the same backwards: the extra rows are saved, the rows
 * are opened to side + extra elements, and the square is transposed.
 *
 * Closing and opening move what lies in memory by less than it is long, in chunks of the result: a block
 * reads all that its chunk is made of, one run of memory, and writes the chunk when the chunks that are made
 * of what lies there have been read. Blocks take chunks by a counter, in the order in which they wait for
 * each other, so what a block waits for was taken before it, by a block that runs: no order of blocks can
 * hang. That a chunk has been read is said in a ring of flags, which hold how often the ring has come round;
 * a flag is set after the one before had it, so it stands for all chunks that ever had it.
 *
 * Traffic: the square is read and written once, and closing or opening reads and writes it once more: 4 rows
 * cols elements where a copy has 2. Vectors of 16 bytes both ways; chunks begin at lines.
 */
#include "inplace.cuh"

#define WL_CHUNK  (WL_INPLACE_CHUNK_BYTES / WL_WIDTH)
#define WL_MOVERS WL_INPLACE_MOVERS

struct wl_near {
    wl_word *matrix;
    const wl_word *saved; /* extra rows of side elements */
    unsigned *counters;   /* the next chunk in 8 bytes, and the ring at WL_INPLACE_RING_AT */
    uint64_t side, extra;
};

/* Saves the extra rows or columns, and clears the counters. */
extern "C" __global__ void __launch_bounds__(WL_MOVERS)
    WL_SIZED(save)(wl_word *saved, const wl_word *matrix, unsigned *counters, uint64_t side, uint64_t extra,
                   unsigned opening) {
    uint64_t i = wl_index(0), stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t counter = i; counter < WL_INPLACE_COUNTERS; counter += stride)
        counters[counter] = 0;
    for (; i < side * extra; i += stride)
        saved[opening ? i : i % extra * side + i / extra] =
            matrix[opening ? side * side + i : i / extra * (side + extra) + side + i % extra];
}

/* A chunk's place in the closed or opened matrix. The first may begin before the matrix, by `phase`
 * elements. */
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
 * threads.
 *
 * No fence: the barrier before the flag is passed when all that was read is in shared memory, and what
 * follows the wait are writes only, which no multiprocessor begins before the wait has ended. Nobody reads
 * what others wrote. */
static __device__ __forceinline__ void wl_read_in_turn(unsigned *ring, uint64_t first, uint64_t order) {
    __syncthreads();
    if (threadIdx.x == 0) {
        volatile unsigned *flag = ring + order % WL_INPLACE_RING * WL_INPLACE_FLAG_WORDS;
        unsigned round = (unsigned)(order / WL_INPLACE_RING);
        while (*flag != round)
            ;
        *flag = round + 1;
    }
    for (uint64_t other = first + threadIdx.x; other < order; other += WL_MOVERS) {
        volatile unsigned *flag = ring + other % WL_INPLACE_RING * WL_INPLACE_FLAG_WORDS;
        while (*flag <= (unsigned)(other / WL_INPLACE_RING))
            ;
    }
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
        for (uint64_t i = begin + threadIdx.x; i < end; i += WL_MOVERS)
            staged[i - begin + lead] = __ldcg(near->matrix + i);
    } else {
        const uint4 *run = (const uint4 *)aligned;
        uint4 loaded[WL_INPLACE_CHUNK_VECTORS];
#pragma unroll
        for (unsigned k = 0; k < WL_INPLACE_CHUNK_VECTORS; k++)
            if (threadIdx.x + k * WL_MOVERS < vectors)
                loaded[k] = __ldcg(run + threadIdx.x + k * WL_MOVERS);
#pragma unroll
        for (unsigned k = 0; k < WL_INPLACE_CHUNK_VECTORS; k++)
            if (threadIdx.x + k * WL_MOVERS < vectors)
                ((uint4 *)staged)[threadIdx.x + k * WL_MOVERS] = loaded[k];
        for (unsigned i = WL_INPLACE_CHUNK_VECTORS * WL_MOVERS + threadIdx.x; i < vectors; i += WL_MOVERS)
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
        x += WL_MOVERS * WL_PART;
        p += WL_MOVERS * WL_PART;
    }
}

/* The next chunk in order, to all threads. */
static __device__ __forceinline__ uint64_t wl_take(unsigned *counters) {
    __shared__ uint64_t taken;
    if (threadIdx.x == 0)
        taken = atomicAdd((unsigned long long *)counters, 1ull);
    __syncthreads();
    return taken;
}

extern "C" __global__ void __launch_bounds__(WL_MOVERS, 4)
    WL_SIZED(close)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side,
                    uint64_t extra) {
    const struct wl_near near = {matrix, saved, counters, side, extra};
    const struct wl_rows rows = {side, side + extra};
    uint64_t index = wl_take(counters);
    struct wl_chunk chunk = wl_chunk_at(&near, index);
    /* What is written over is read by chunks before this one. */
    uint64_t r = chunk.begin / (side + extra), x = chunk.begin % (side + extra);
    uint64_t first = wl_chunk_of(&near, r * side + min(x, side - 1));
    wl_move_chunk(&near, &chunk, &rows, first, index, (wl_word *)wl_dynamic);
}

extern "C" __global__ void __launch_bounds__(WL_MOVERS, 4)
    WL_SIZED(open)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side, uint64_t extra) {
    const struct wl_near near = {matrix, saved, counters, side, extra};
    const struct wl_rows rows = {side + extra, side};
    uint64_t last = wl_chunk_of(&near, side * (side + extra) - 1);
    uint64_t order = wl_take(counters), index = last - order;
    struct wl_chunk chunk = wl_chunk_at(&near, index);
    /* What is written over is read by chunks behind this one, up to the matrix's extra rows, which are
     * saved. Their order is backwards. */
    uint64_t over = min(chunk.end, side * side) - 1;
    uint64_t furthest = max(wl_chunk_of(&near, over / side * (side + extra) + over % side), index);
    wl_move_chunk(&near, &chunk, &rows, last - furthest, order, (wl_word *)wl_dynamic);
}
