/* The rows of a nearly square matrix are closed or opened, as in inplace_near.cu, by blocks that stay: each
 * moves a run of chunks, one after the other, with many of its loads under way.
 *
 * Memory that a block writes over is what it has read itself just before, so nothing has to be waited for,
 * but at the end of its run: what its last chunks come from is where the next block begins to write.  So a
 * block reads its last chunks first and keeps them (`kept`, as many as rows move at the most), and says so by
 * a flag; the next block waits for the flag before it writes anything.  Runs are given out by a counter: who
 * waits, waits for one that has begun, and that waits for nobody before it sets its flag.
 *
 * It is also faster than chunks that go round among all multiprocessors: a line that one reads and another
 * writes soon after costs more than one that the same one writes (a move by 64 KB within an array: 0.92 and
 * 0.77 to 0.84 of a copy).
 *
 * Traffic: each element is read once and written once, in whole vectors but where rows end.
 */
#define WL_CHUNK_BYTES WL_INPLACE_RUN_CHUNK_BYTES
#define WL_MOVERS      WL_INPLACE_RUN_THREADS
#include "lib/inplace/inplace_near.cuh"

#include "lib/cuda/bulk.cuh"

/* A block's run: chunks in the order in which they are moved, forwards to close, backwards to open.  The last
 * `kept` of them have a slot of their own each, the others take turns in a ring. */
struct wl_order {
    struct wl_near near;
    struct wl_rows rows;
    uint64_t first, last; /* chunk 0 of the run; of the matrix, where it goes backwards */
    unsigned chunks, kept, ring;
    bool opening;
};

/* Of slots, but for the last: all loaded; free again; the element at its beginning. And whether anything may
 * be written. */
struct wl_barriers {
    wl_barrier *full, *empty;
    uint64_t *origins;
    wl_barrier *may_write;
};

static __device__ __forceinline__ uint64_t wl_index_of(const struct wl_order *order, unsigned i) {
    return order->opening ? order->last - (order->first + i) : order->first + i;
}

static __device__ __forceinline__ unsigned wl_slot_of(const struct wl_order *order, unsigned i) {
    unsigned early = order->chunks - order->kept;
    return i < early ? i % order->ring : order->ring + i - early;
}

static __device__ __forceinline__ char *wl_slot(unsigned slot) {
    return (char *)wl_dynamic + slot * WL_INPLACE_STAGED(WL_CHUNK_BYTES);
}

/* The place of a chunk's first element in the closed or opened matrix. */
struct wl_start {
    uint64_t r;
    int64_t x;
};

static __device__ __forceinline__ struct wl_start wl_start_of(const struct wl_order *order, unsigned i) {
    const struct wl_chunk chunk = wl_chunk_at(&order->near, wl_index_of(order, i));
    struct wl_start start;
    start.r = chunk.begin / order->rows.row;
    start.x = chunk.base - (int64_t)(start.r * order->rows.row);
    return start;
}

/* By one thread: loads the run of chunk i, which starts there, and moves on to the next chunk.  Vectors that
 * stick out of the matrix are read by elements. */
static __device__ __forceinline__ void wl_load_chunk(const struct wl_order *order, unsigned i,
                                                     struct wl_start *start,
                                                     const struct wl_barriers *barriers) {
    const struct wl_near *near = &order->near;
    const int64_t row = (int64_t)order->rows.row;
    const struct wl_chunk chunk = wl_chunk_at(near, wl_index_of(order, i));
    const struct wl_run run = wl_run_from(near, &chunk, &order->rows, start->r, max(start->x, (int64_t)0));
    start->x += order->opening ? -WL_CHUNK : WL_CHUNK;
    while (start->x >= row) {
        start->x -= row;
        start->r++;
    }
    while (start->x < 0 && start->r > 0) {
        start->x += row;
        start->r--;
    }
    const uintptr_t begin = (uintptr_t)near->matrix, end = (uintptr_t)(near->matrix + wl_elements(near));
    unsigned slot = wl_slot_of(order, i);
    wl_barrier *full = barriers->full + slot;
    barriers->origins[slot] = run.origin;
    if (run.begin >= run.end) {
        wl_barrier_arrive(full);
        return;
    }
    wl_word *staged = (wl_word *)wl_slot(slot);
    uintptr_t from = run.from < begin ? run.from + 16 : run.from, to = run.to > end ? run.to - 16 : run.to;
    if (from > run.from)
        ((uint4 *)staged)[0] = make_uint4(0, 0, 0, 0);
    if (to < run.to)
        ((uint4 *)staged)[(to - run.from) / 16] = make_uint4(0, 0, 0, 0);
    for (uint64_t e = run.begin; e < run.end && (uintptr_t)(near->matrix + e) < from; e++)
        staged[e - run.origin] = __ldcg(near->matrix + e);
    for (uint64_t e = run.end; e > run.begin && (uintptr_t)(near->matrix + e) > to; e--)
        staged[e - 1 - run.origin] = __ldcg(near->matrix + e - 1);
    unsigned bytes = to > from ? (unsigned)(to - from) : 0;
    wl_barrier_expect(full, bytes);
    if (bytes)
        wl_bulk_load_once((char *)staged + (from - run.from), (const void *)from, bytes, full);
}

/* By one thread of a warp of its own: all loads. */
static __device__ __forceinline__ void wl_load_run(const struct wl_order *order,
                                                   const struct wl_barriers *barriers, uint64_t run) {
    const unsigned early = order->chunks - order->kept;
    struct wl_start start = wl_start_of(order, early);
    for (unsigned i = early; i < order->chunks; i++)
        wl_load_chunk(order, i, &start, barriers);
    start = wl_start_of(order, 0);
    for (unsigned i = 0; i < min(early, order->ring); i++)
        wl_load_chunk(order, i, &start, barriers);
    for (unsigned i = early; i < order->chunks; i++)
        wl_barrier_wait(barriers->full + wl_slot_of(order, i), 0);
    unsigned *flag = order->near.counters + WL_INPLACE_RING_AT + run * WL_INPLACE_FLAG_WORDS;
    wl_set_flag(flag, 1);
    while (run > 0 && !wl_flag(flag - WL_INPLACE_FLAG_WORDS))
        ;
    wl_barrier_arrive(barriers->may_write);
    for (unsigned i = order->ring; i < early; i++) {
        wl_barrier_wait(barriers->empty + i % order->ring, (i / order->ring - 1) & 1);
        wl_load_chunk(order, i, &start, barriers);
    }
}

static __device__ __forceinline__ void wl_move_run(const struct wl_near *near,
                                                   const struct wl_inplace_runs *runs, bool opening) {
    const unsigned slots = runs->kept + runs->ring;
    struct wl_barriers barriers;
    barriers.full = (wl_barrier *)wl_slot(slots);
    barriers.empty = barriers.full + slots;
    barriers.origins = barriers.empty + slots;
    barriers.may_write = barriers.origins + slots;
    uint64_t *taken = barriers.may_write + 1;
    if (threadIdx.x == 0) {
        *taken = wl_next(near->counters);
        for (unsigned slot = 0; slot < slots; slot++) {
            wl_barrier_init(barriers.full + slot, 1);
            wl_barrier_init(barriers.empty + slot, WL_MOVERS / 32);
        }
        wl_barrier_init(barriers.may_write, 1);
    }
    __syncthreads();
    const uint64_t run = *taken, first = run * runs->each, side = near->side, row = side + near->extra;
    struct wl_order order = {*near, {side, row}, first, runs->chunks - 1, 0, 0, runs->ring, opening};
    if (opening)
        order.rows = {row, side};
    order.chunks = (unsigned)min(runs->each, runs->chunks - first);
    order.kept = min(runs->kept, order.chunks);
    if (threadIdx.x >= WL_MOVERS) {
        if (threadIdx.x == WL_MOVERS)
            wl_load_run(&order, &barriers, run);
        return;
    }
    const unsigned early = order.chunks - order.kept;
    struct wl_chunk chunk = wl_chunk_at(near, wl_index_of(&order, 0));
    struct wl_place at = wl_place_in(&chunk, &order.rows);
    wl_barrier_wait(barriers.may_write, 0);
    for (unsigned i = 0; i < order.chunks; i++) {
        unsigned slot = wl_slot_of(&order, i);
        chunk = wl_chunk_at(near, wl_index_of(&order, i));
        wl_barrier_wait(barriers.full + slot, i < early ? i / order.ring & 1 : 0);
        wl_write_chunk(near, &chunk, &order.rows, &at, barriers.origins[slot],
                       (const wl_word *)wl_slot(slot));
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            wl_barrier_arrive(barriers.empty + slot);
        if (opening) {
            at.p -= 2 * WL_CHUNK;
            at.x -= 2 * WL_CHUNK;
            while (at.x < 0) {
                at.x += order.rows.row;
                at.r--;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(WL_MOVERS + 32, 1)
    WL_SIZED(close_runs)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side,
                         uint64_t extra, const struct wl_inplace_runs runs) {
    const struct wl_near near = {matrix, saved, counters, side, extra};
    wl_move_run(&near, &runs, false);
}

extern "C" __global__ void __launch_bounds__(WL_MOVERS + 32, 1)
    WL_SIZED(open_runs)(wl_word *matrix, const wl_word *saved, unsigned *counters, uint64_t side,
                        uint64_t extra, const struct wl_inplace_runs runs) {
    const struct wl_near near = {matrix, saved, counters, side, extra};
    wl_move_run(&near, &runs, true);
}
