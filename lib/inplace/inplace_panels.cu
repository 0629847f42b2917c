/* Transposes a nearly square matrix in place in one and a half passes.  `side` is its shorter side; the
 * longer side has `extra` more, at most WL_INPLACE_EXTRA.
 *
 * inplace_near.cu exchanges the square's tiles across the diagonal at one row pitch, and then closes its rows
 * to the other pitch (or opens them first): it moves each element twice.  Here only elements right of the
 * diagonal move twice.  (Opening mirrors everything: panels go from the last to the first, and what is right
 * of the diagonal in this text is left of it.)
 *
 * The square is done by panels.  Panel k is row k of tiles of the result, which comes from column k of tiles
 * of the square.  It is written to its final place, over rows of the square in its own row of tiles and the
 * one before.  So what lies there must have been read:
 * - Tile (k, j), j > k, belongs to a later panel.  It goes, transposed, to the slot of tile (j, k).  That
 *   tile is for panel k, and the same block has just read it.  (A pair.)
 * - What earlier panels left in row k of tiles, in slots of tiles (k, i), i < k, is already transposed for
 *   panel k: it only moves.  A block takes two slots.  (Slots.)
 *
 * Slots begin at lines of 128 bytes, up to a line before their tile, where the neighbouring tile has been
 * read too: so they are written and read in whole lines.  Those of panel 0, which have no such neighbour, are
 * in the workspace.
 *
 * Traffic: each element left of the diagonal is read and written once, each one right of it twice: 3 rows
 * cols elements where a copy has 2 rows cols, and up to a sector more for each row of a tile that begins
 * anywhere.
 *
 * Blocks wait for each other.  All of them run at the same time (the launch is cooperative).  Block b takes
 * tasks b, b + blocks, and so on, in the order of panels.  A task waits for loads of its own panel and of
 * earlier ones, and for slots of earlier ones.  A panel has fewer tasks than there are blocks.  So a block
 * that has begun a task of the lowest unfinished panel has no other task in it, and a task of that panel that
 * has not begun is the next one of a block that worked on an earlier panel, which is done.  So nobody waits
 * forever.
 */
#include "lib/cuda/earlier.cuh"
#include "lib/inplace/inplace_panels.cuh"

/* ---------------------------------------------------------------- pairs */

/* Writes tile (k, j), transposed, to the slots of panel k in row j of tiles: each vector takes an element
 * from each of WL_PART rows. */
static __device__ __forceinline__ void wl_fill_slots(const struct wl_panels *p, unsigned k, unsigned j,
                                                     const struct wl_part *upper, const char *tile) {
    const uint64_t begin = wl_begin(p, j);
    const unsigned v = threadIdx.x % WL_VECTORS;
#pragma unroll
    for (unsigned i = 0; i < WL_TILE / WL_STEP; i++) {
        unsigned r = threadIdx.x / WL_VECTORS + i * WL_STEP;
        uint4 vector = wl_pick_vector(tile, upper, v * WL_PART, r);
        if (r < upper->cols)
            ((uint4 *)wl_slot(p, k, begin + r))[v] = vector;
    }
}

/* Writes the columns from `side` on of the result's rows of panel k, where rows are opened. */
static __device__ __forceinline__ void wl_put_saved_columns(const struct wl_panels *p, unsigned k) {
    const uint64_t begin = wl_begin(p, k);
    wl_wait_for_room(p, k, p->side, (unsigned)p->extra);
    for (unsigned e = threadIdx.x; e < wl_length(p, k) * p->extra; e += WL_THREADS) {
        uint64_t c = begin + e / (unsigned)p->extra, x = e % (unsigned)p->extra;
        p->matrix[c * p->to_row + p->side + x] = p->saved[x * p->side + c];
    }
}

/* Moves tiles (j, k) and (k, j), j >= k. */
static __device__ __forceinline__ void wl_move_pair(const struct wl_panels *p, unsigned k, unsigned j) {
    char *lower_tile = (char *)wl_dynamic + WL_FRONT, *upper_tile = lower_tile + WL_STRIDE;
    const uintptr_t matrix = (uintptr_t)p->matrix;
    const struct wl_reach reach = {matrix, matrix + p->side * (p->side + p->extra) * WL_WIDTH};
    const bool two = j > k;
    const struct wl_part lower = wl_part_at(p, j, k);
    struct wl_part upper = wl_part_at(p, k, j);
    if (!two)
        upper.rows = 0;
    /* Peeks early, as the answers take long: is there room for the slots, and in the ring? */
    unsigned beside = 0, ring = 0;
    if (threadIdx.x == 0) {
        if (two && k > 0)
            beside = wl_peek(wl_taken_at(p, k - 1, j));
        ring = wl_peek_ring(p, k);
    }
    wl_load_pair(&reach, &lower, &upper, lower_tile, upper_tile);
    __syncthreads();
    if (threadIdx.x == 0) {
        wl_wait_for_ring(p, k, ring);
        wl_say_taken(p, k, j);
        atomicAdd(wl_loaded_of(p, k), 1);
    }
    if (two) {
        if (threadIdx.x == 0 && beside < k)
            wl_wait_until(wl_taken_at(p, k - 1, j), k);
        __syncthreads();
        wl_fill_slots(p, k, j, &upper, upper_tile);
        __syncthreads();
        if (threadIdx.x == 64)
            wl_say_kept(p, j, k);
    }
    wl_wait_for_room(p, k, wl_begin(p, j), lower.rows);
    wl_store_part((uintptr_t)(p->matrix + wl_begin(p, k) * p->to_row + wl_begin(p, j)), p->to_row * WL_WIDTH,
                  &lower, lower_tile);
    if (p->opening && !two)
        wl_put_saved_columns(p, k);
}

/* ---------------------------------------------------------------- slots */

#define WL_SLOT_VECTORS (2 * WL_VECTORS)               /* of two slots' rows */
#define WL_SLOT_STEP    (WL_THREADS / WL_SLOT_VECTORS) /* rows at a time */
#define WL_SLOT_PITCH   WL_INPLACE_SLOT_PITCH(WL_WIDTH)
static_assert(WL_INPLACE_PANEL_BYTES(WL_WIDTH) >= WL_FRONT + 2 * WL_STRIDE, "a pair of tiles fits");

/* Slots of panels 2 q and 2 q + 1 in row k of tiles, and a sector of the slot right of them.  Returns the
 * panel of the slot at a place from the left; k if there is none. */
static __device__ __forceinline__ unsigned wl_slot_at(const struct wl_panels *p, unsigned k, unsigned q,
                                                      unsigned place) {
    unsigned end = min(2 * q + 2, k);
    if (!p->opening)
        return min(2 * q + place, k);
    return place < end ? end - 1 - place : k;
}

static __device__ __forceinline__ void wl_load_slots(const struct wl_panels *p, unsigned k, unsigned q,
                                                     char *tile) {
    const uint64_t begin = wl_begin(p, k);
    const unsigned rows = wl_length(p, k), r0 = threadIdx.x / WL_SLOT_VECTORS,
                   v = threadIdx.x % WL_SLOT_VECTORS;
    const unsigned slots = min(2u, k - 2 * q), panel = wl_slot_at(p, k, q, v / WL_VECTORS);
    uint4 loaded[WL_TILE / WL_SLOT_STEP];
#pragma unroll
    for (unsigned i = 0; i < WL_TILE / WL_SLOT_STEP; i++) {
        unsigned r = r0 + i * WL_SLOT_STEP;
        const uint4 *slot = (const uint4 *)wl_slot(p, panel, begin + r);
        loaded[i] = wl_load_or_zero(slot + v % WL_VECTORS, r < rows && v < slots * WL_VECTORS);
    }
    /* The slot right of the last one is at the next place, the second or the third. */
    const unsigned beside = wl_slot_at(p, k, q, slots), r = threadIdx.x / 2;
    const bool more = threadIdx.x < 2 * WL_TILE && r < rows && beside < k;
    const uint4 last = wl_load_or_zero((const uint4 *)wl_slot(p, beside, begin + r) + threadIdx.x % 2, more);
#pragma unroll
    for (unsigned i = 0; i < WL_TILE / WL_SLOT_STEP; i++)
        *(uint4 *)(tile + (r0 + i * WL_SLOT_STEP) * WL_SLOT_PITCH + 16 * v) = loaded[i];
    if (slots == 1)
        __syncthreads();
    if (more)
        *(uint4 *)(tile + r * WL_SLOT_PITCH + 16 * (slots * WL_VECTORS + threadIdx.x % 2)) = last;
}

/* Writes elements [begin, end) of the result's row from row r of the slots.  Up to a sector at either end is
 * left to, or taken from, the neighbouring slots, so that sectors are written whole. */
static __device__ __forceinline__ void wl_store_slots(const struct wl_panels *p, unsigned k, unsigned q,
                                                      const char *tile) {
    const unsigned slots = min(2u, k - 2 * q), width = slots * WL_TILE;
    const bool leftmost = p->opening ? 2 * q + 2 >= k : q == 0;
    const unsigned have = width + (wl_slot_at(p, k, q, slots) < k ? WL_SECTOR : 0);
    const uint64_t rows = wl_begin(p, k);
    const uint64_t cols = wl_begin(p, wl_slot_at(p, k, q, 0));
#pragma unroll 2
    for (unsigned i = threadIdx.x; i < WL_TILE * WL_SLOT_VECTORS; i += WL_THREADS) {
        unsigned r = i / WL_SLOT_VECTORS, v = i % WL_SLOT_VECTORS;
        if (r >= wl_length(p, k))
            break;
        uint64_t at = (rows + r) * p->to_row + cols;
        unsigned skipped = (unsigned)(-wl_from_line(p, at) % WL_SECTOR), x = skipped + v * WL_PART;
        const wl_word *from = (const wl_word *)(tile + r * WL_SLOT_PITCH);
        wl_word *to = p->matrix + at;
        if (x + WL_PART <= have) {
            *(uint4 *)(to + x) = wl_staged_vector(from + x);
        } else {
            for (; x < have; x++)
                to[x] = from[x];
        }
        if (leftmost && v == 0)
            for (x = 0; x < min(skipped, have); x++)
                to[x] = from[x];
    }
}

static __device__ __forceinline__ void wl_move_slots(const struct wl_panels *p, unsigned k, unsigned q) {
    char *tile = (char *)wl_dynamic;
    const unsigned ring = threadIdx.x == 0 ? wl_peek_ring(p, k) : 0;
    if (threadIdx.x < 3) {
        unsigned i = wl_slot_at(p, k, q, threadIdx.x);
        if (i < k)
            wl_wait_for_slot(p, k, i);
    }
    __syncthreads();
    wl_load_slots(p, k, q, tile);
    __syncthreads();
    const unsigned slots = min(2u, k - 2 * q);
    if (threadIdx.x == 0) {
        wl_wait_for_ring(p, k, ring);
        for (unsigned i = 2 * q; i < 2 * q + slots; i++)
            wl_say_taken(p, k, i);
        atomicAdd(wl_loaded_of(p, k), 1);
    }
    wl_wait_for_room(p, k, wl_begin(p, wl_slot_at(p, k, q, 0)), slots * WL_TILE + WL_SECTOR);
    wl_store_slots(p, k, q, tile);
}

/* ---------------------------------------------------------------- all of it */

/* Writes the rows after the square's last, where rows are closed; this is the last write. */
static __device__ __forceinline__ void wl_put_saved_rows(const struct wl_panels *p) {
    if (threadIdx.x < 2)
        wl_wait_until(wl_loaded_of(p, p->panels - 1 - threadIdx.x),
                      WL_INPLACE_PANEL_TASKS(p->panels - 1 - threadIdx.x, p->panels));
    __syncthreads();
    const uint64_t stride = (uint64_t)gridDim.x * WL_THREADS;
    for (uint64_t i = wl_index(0); i < p->side * p->extra; i += stride)
        p->matrix[p->side * p->side + i] = p->saved[i];
}

static __device__ __forceinline__ void wl_move_panels(const struct wl_panels *p) {
    const uint64_t tasks = wl_tasks_before(p->panels, p->panels);
    unsigned k = 0;
    for (uint64_t task = blockIdx.x; task < tasks; task += gridDim.x) {
        k = wl_panel_of(task, k, p->panels);
        const unsigned x = (unsigned)(task - wl_tasks_before(k, p->panels)), pairs = p->panels - k;
        if (x < pairs)
            wl_move_pair(p, k, k + x);
        else
            wl_move_slots(p, k, x - pairs);
    }
    if (!p->opening)
        wl_put_saved_rows(p);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_INPLACE_PANEL_BLOCKS(WL_WIDTH))
    WL_SIZED(close_panels)(wl_word *matrix, wl_word *first, const wl_word *saved, unsigned *counters,
                           uint64_t side, uint64_t extra, unsigned panels) {
    wl_await_earlier();
    const struct wl_panels p = {matrix, first,        saved, counters, side,
                                extra,  side + extra, side,  panels,   false};
    wl_move_panels(&p);
}

extern "C" __global__ void __launch_bounds__(WL_THREADS, WL_INPLACE_PANEL_BLOCKS(WL_WIDTH))
    WL_SIZED(open_panels)(wl_word *matrix, wl_word *first, const wl_word *saved, unsigned *counters,
                          uint64_t side, uint64_t extra, unsigned panels) {
    wl_await_earlier();
    const struct wl_panels p = {matrix, first, saved,        counters, side,
                                extra,  side,  side + extra, panels,   true};
    wl_move_panels(&p);
}
