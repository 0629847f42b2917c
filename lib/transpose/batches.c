/* Where a batch of several dimensions, or of matrices that lie between each other, is faster by transposes
 * than by the tiles of wl_permute.  docs/notes/permute.md has the measurements. */
#include "lib/mover.h"
#include "lib/transpose/problem.h"
#include "lib/transpose/transpose.h"

static uint64_t all_bytes(const struct wl__problem *p) {
    return p->width * p->layout.rows * p->layout.cols * p->layout.batch;
}

/* Panels go by words, as wl__transpose_prepare() sees to, so they are of bytes.  They must not be small: each
 * is of one matrix.  Where rows of both sides are whole vectors, permute_async is as fast for 32 rows and
 * more. */
static bool suits_panel(const struct wl__problem *p, const struct wl__panels *panel) {
    const wl_transpose_layout *l = &p->layout;
    return panel->bytes >= p->tuned->batches.panel &&
           (l->rows <= VECTOR || (l->rows | l->cols) % VECTOR != 0);
}

/* In the L2 tiles need not be as full. */
static bool suits_vectors(const struct wl__problem *p, const struct wl__tiled *tiled) {
    const struct wl__tuned_batches *tuned = &p->tuned->batches;
    const uint32_t full = (all_bytes(p) <= tuned->small ? tuned->small_full : tuned->full)[p->row];
    return wl__fills_tiles(p, tiled, full) && p->width * p->layout.cols <= tuned->stream &&
           (tuned->most[p->row] == WL_NEVER || all_bytes(p) <= tuned->most[p->row]);
}

/* Tiles of lines whose output ends within sectors.  Each row has such ends, so rows must be long. */
static bool suits_shifted(const struct wl__problem *p) {
    if (p->width != 4 && p->width != 8)
        return false;
    const struct wl__tuned_torn_batches *tuned = &p->tuned->batches.torn[p->width == 8];
    return p->layout.rows >= tuned->rows && p->layout.cols >= tuned->cols &&
           wl__fills_tiles(p, &wl__shifted[p->row], tuned->full) &&
           (tuned->most == WL_NEVER || all_bytes(p) <= tuned->most);
}

/* Windows of long rows suit few rows of the output if these begin at sectors, or more that follow each other:
 * else two matrices write each sector between their rows.  Windows of shorter rows suit only many. */
static bool suits_windows(const struct wl__problem *p) {
    const struct wl__tuned_window_batches *tuned = &p->tuned->batches.windows;
    const uint64_t rows = p->layout.rows, row = p->width * p->layout.cols;
    if (row < tuned->row)
        return row >= tuned->short_row && rows >= tuned->many[p->row];
    return rows >= (p->to_places % SECTOR == 0 ? tuned->even[p->row] : tuned->odd[p->layout.to_ld > rows]);
}

static bool suits(const struct wl__problem *p, const struct wl__mover *mover) {
    if (mover->run == wl__run_matrices)
        return suits_panel(p, &p->matrices);
    if (mover->run == wl__run_panels)
        return suits_panel(p, &p->columns);
    if (mover->run == wl__run_async)
        return suits_vectors(p, &wl__async[p->row]);
    /* Of 8-byte elements, columns that the L2 does not hold have 0.8 to 0.92 of the speed of other tiles. */
    if (mover->run == wl__run_vectors)
        return suits_vectors(p, &wl__vectors[p->row]) &&
               (p->width < 8 || p->layout.rows <= p->tuned->cached_rows);
    if (mover->run == wl__run_slots)
        return p->width == 2 && p->to_places % SECTOR == 0 &&
               wl__fills_tiles(p, &wl__slots_of_rows[0], p->tuned->batches.slots_full);
    if (mover->run == wl__run_windows ||
        (mover->run == wl__run_clusters &&
         (p->layout.rows < p->tuned->clusters.row || p->layout.cols < p->tuned->clusters.row)))
        return suits_windows(p);
    if (mover->run == wl__run_narrow)
        return true;
    /* Where clusters would serve both sides' long rows, wl_permute's tiles are faster. */
    return mover->run == wl__run_shifted && suits_shifted(p);
}

/* Panels of many rows have few columns each, and their rows' banks repeat where rows are whole vectors. Large
 * tiles that bulk copies fill are up to twice as fast there, if they have a plan. */
double wl__transpose_cost(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                          const wl_transpose_layout *layout, const struct wl__digits *digits) {
    struct wl__problem p = {
        .context = context, .width = width, .to = to, .from = from, .layout = *layout, .digits = *digits};
    wl__transpose_prepare(&p);
    const struct wl__mover *mover = wl__mover_pick(wl__transpose_movers, 0, &p);
    if (!mover || !suits(&p, mover)) /* NULL with masks */
        return WL_DEAR;
    if (mover->run == wl__run_narrow)
        return width * layout->rows * layout->cols <= p.tuned->batches.streams.small ? WL_SECOND : WL_AS_COPY;
    const bool tall = mover->run == wl__run_panels && p.columns.tall &&
                      layout->rows >= p.tuned->batches.tall_rows && layout->rows % VECTOR == 0;
    return tall ? WL_SECOND : WL_AS_COPY;
}
