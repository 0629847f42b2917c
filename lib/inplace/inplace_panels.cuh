/* Where things are for inplace_panels.cu: panels, slots, counters. */
#ifndef WIDELOAD_KERNELS_INPLACE_PANELS_CUH
#define WIDELOAD_KERNELS_INPLACE_PANELS_CUH

#define WL_TILE    WL_INPLACE_PANEL(WL_WIDTH)
#define WL_THREADS WL_INPLACE_PANEL_THREADS(WL_WIDTH)
#include "lib/cuda/flags.cuh"
#include "lib/inplace/inplace_parts.cuh"

#define WL_SECTOR (32 / WL_WIDTH)
#define WL_LINE   (128 / WL_WIDTH)
/* Nanoseconds between two polls of a counter. */
#define WL_NAP 20

struct wl_panels {
    wl_word *matrix;
    wl_word *first;       /* slots of panel 0: WL_TILE elements for each row of the square, from a line on */
    const wl_word *saved; /* extra rows of side elements */
    unsigned *counters;   /* WL_INPLACE_PANEL_COUNTERS, all 0 */
    uint64_t side, extra;
    uint64_t from_row, to_row; /* from one row to the next, before and after */
    unsigned panels;
    bool opening;
};

/* ---------------------------------------------------------------- places */

/* The first row or column of panel k, and how many it has. */
static __device__ __forceinline__ uint64_t wl_begin(const struct wl_panels *p, unsigned k) {
    uint64_t end = (uint64_t)(k + 1) * WL_TILE;
    return !p->opening ? end - WL_TILE : end < p->side ? p->side - end : 0;
}

static __device__ __forceinline__ unsigned wl_length(const struct wl_panels *p, unsigned k) {
    return (unsigned)min((uint64_t)WL_TILE, p->side - (uint64_t)k * WL_TILE);
}

/* Element e of the matrix, counted from a line. */
static __device__ __forceinline__ uint64_t wl_from_line(const struct wl_panels *p, uint64_t e) {
    return (uintptr_t)p->matrix / WL_WIDTH + e;
}

/* The slot of panel k in row c: WL_TILE elements at a line.  It lies in columns of panels k and k - 1. */
static __device__ __forceinline__ wl_word *wl_slot(const struct wl_panels *p, unsigned k, uint64_t c) {
    if (k == 0)
        return p->first + c * WL_TILE;
    uint64_t e = c * p->from_row + wl_begin(p, k), line = wl_from_line(p, e);
    return p->matrix + e + (p->opening ? -line % WL_LINE : 0) - (p->opening ? 0 : line % WL_LINE);
}

/* ---------------------------------------------------------------- tasks */

/* Tasks of all panels before panel k: the sum of WL_INPLACE_PANEL_TASKS. */
static __device__ __forceinline__ uint64_t wl_tasks_before(uint64_t k, unsigned panels) {
    return k * panels - k * (k - 1) / 2 + k * k / 4;
}

/* The panel of a task; searches from panel k on, which is at or before it. */
static __device__ __forceinline__ unsigned wl_panel_of(uint64_t task, unsigned k, unsigned panels) {
    while (wl_tasks_before(k + 1, panels) <= task)
        k++;
    return k;
}

/* ---------------------------------------------------------------- counters */

/* The number of tasks of panel k that have loaded what they move. */
static __device__ __forceinline__ unsigned *wl_loaded_of(const struct wl_panels *p, unsigned k) {
    return p->counters + k * WL_INPLACE_FLAG_WORDS;
}

/* One more than the last panel, of every WL_INPLACE_PANEL_RING-th one, whose row of tiles has been loaded in
 * column j of tiles, and for j > k also tile (j, k). */
static __device__ __forceinline__ unsigned *wl_taken_at(const struct wl_panels *p, unsigned k, unsigned j) {
    return p->counters + WL_INPLACE_PANEL_TAKEN_AT(p->panels) + k % WL_INPLACE_PANEL_RING * p->panels + j;
}

/* Bit i % 32: the slots of panel i in row k of tiles have been written. */
static __device__ __forceinline__ unsigned *wl_kept_at(const struct wl_panels *p, unsigned k, unsigned i) {
    return p->counters + WL_INPLACE_PANEL_KEPT_AT(p->panels) + k * ((p->panels + 31) / 32) + i / 32;
}

static __device__ __forceinline__ void wl_wait_until(const unsigned *counter, unsigned least) {
    while (wl_peek(counter) < least)
        __nanosleep(WL_NAP);
}

/* What the block wrote before its last barrier is visible to all who see the bit in wl_wait_for_slot(). */
static __device__ __forceinline__ void wl_say_kept(const struct wl_panels *p, unsigned k, unsigned i) {
    wl_set_bits_of_flag(wl_kept_at(p, k, i), 1u << i % 32);
}

static __device__ __forceinline__ void wl_wait_for_slot(const struct wl_panels *p, unsigned k, unsigned i) {
    while (!(wl_flag(wl_kept_at(p, k, i)) >> i % 32 & 1))
        __nanosleep(WL_NAP);
}

static __device__ __forceinline__ bool wl_all_loaded(const struct wl_panels *p, unsigned k, unsigned loaded) {
    return loaded >= WL_INPLACE_PANEL_TASKS(k, p->panels);
}

/* Marks them as loaded.  Keeps the maximum: a plain store may arrive after that of the panel that has this
 * place in the ring next, although the same thread's later count of loads arrived before it (seen on an
 * H200). */
static __device__ __forceinline__ void wl_say_taken(const struct wl_panels *p, unsigned k, unsigned j) {
    atomicMax(wl_taken_at(p, k, j), k + 1);
}

/* How many loads of the previous panel at this place in the ring are done. */
static __device__ __forceinline__ unsigned wl_peek_ring(const struct wl_panels *p, unsigned k) {
    return k < WL_INPLACE_PANEL_RING ? 0 : wl_peek(wl_loaded_of(p, k - WL_INPLACE_PANEL_RING));
}

/* One thread calls it before wl_say_taken().  Waits until all loads of that panel are done; `loaded` is how
 * many were done some time ago. */
static __device__ __forceinline__ void wl_wait_for_ring(const struct wl_panels *p, unsigned k,
                                                        unsigned loaded) {
    if (k >= WL_INPLACE_PANEL_RING && !wl_all_loaded(p, k - WL_INPLACE_PANEL_RING, loaded))
        wl_wait_until(wl_loaded_of(p, k - WL_INPLACE_PANEL_RING),
                      WL_INPLACE_PANEL_TASKS(k - WL_INPLACE_PANEL_RING, p->panels));
}

/* Waits until what a task will overwrite has been read: `cols` columns from `col` on of the result's rows of
 * panel k.  Ends with a barrier.
 *
 * Column u of row c of the result is column u -+ c extra of row c of the square, and one row further on each
 * time that this passes an end of the row.  So it lies in row k of tiles, or then in that of panel k - 1. The
 * lanes of two warps, one for each of these panels, check one column each, a tile apart, from the first of
 * any row to the last.  They check a line and a sector more, as slots lie up to so much off their tiles, and
 * a sector of each is read with its neighbours; and the last tile, which may be narrower.
 *
 * No fence: data marked as taken was already in shared memory, and only writes follow the wait, which no
 * multiprocessor begins before the wait has ended.  Formally it is a race: with a release in wl_say_taken()
 * and an acquire in wl_peek(), `wideload prof --check race` finds none.  The releases cost 1 to 11 % of the
 * time (docs/notes/inplace.md). */
static __device__ __forceinline__ void wl_wait_for_room(const struct wl_panels *p, unsigned k, uint64_t col,
                                                        unsigned cols) {
    const int64_t c = (int64_t)wl_begin(p, k), last = c + wl_length(p, k) - 1, extra = (int64_t)p->extra;
    const int row = (int)p->from_row, side = (int)p->side, margin = WL_LINE + WL_SECTOR;
    int low = (int)((int64_t)col + (p->opening ? c : -last) * extra) - margin;
    int high = (int)((int64_t)(col + cols) + (p->opening ? last : -c) * extra) + margin;
    if (p->opening)
        low = max(low, 0);
    else
        high = min(high, row);
    static_assert((2 + WL_INPLACE_EXTRA) * WL_TILE + WL_SECTOR + 2 * (WL_LINE + WL_SECTOR) <= 29 * WL_TILE,
                  "lanes enough");
    const unsigned look = threadIdx.x % 32, before = threadIdx.x / 32; /* by how many panels */
    int u = low + (int)(look * WL_TILE);
    bool looks = u < high + WL_TILE && before < 2;
    u = min(u, high - 1);
    int rows = u >= 0 ? u / row : -1 - (-1 - u) / row, x = u - rows * row;
    if (look == 31) {
        x = p->opening ? 0 : side - 1; /* of the last tile, whether it passes an end or not */
        rows = p->opening ? 1 : -1;
        looks = before < 2;
    }
    if (looks && x < side && k >= before && (before == 0 || rows != 0)) {
        unsigned tile = (unsigned)(p->opening ? side - 1 - x : x) / WL_TILE;
        wl_wait_until(wl_taken_at(p, k - before, tile), k - before + 1);
    }
    __syncthreads();
}

/* ---------------------------------------------------------------- tiles */

static __device__ __forceinline__ struct wl_part wl_part_at(const struct wl_panels *p, unsigned i,
                                                            unsigned j) {
    struct wl_part part;
    part.at = (uintptr_t)(p->matrix + wl_begin(p, i) * p->from_row + wl_begin(p, j));
    part.pitch = p->from_row * WL_WIDTH;
    part.rows = wl_length(p, i);
    part.cols = wl_length(p, j);
    return part;
}

#endif
