/* Where a batch of several dimensions, or of matrices that lie between each other, is faster by transposes
 * than by the tiles of wl_permute.  docs/notes/permute.md has the measurements. */
#include "lib/mover.h"
#include "lib/transpose/problem.h"
#include "lib/transpose/transpose.h"

#define VECTOR 16
#define SECTOR 32

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

static bool suits_vectors(const struct wl__problem *p, const struct wl__tiled *tiled) {
    const struct wl__tuned_batches *tuned = &p->tuned->batches;
    return wl__fills_tiles(p, tiled, tuned->full[p->row]) && p->width * p->layout.cols <= tuned->stream &&
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

/* Where clusters would serve, wl_permute's tiles are faster: such batches stay with these. */
static bool suits_windows(const struct wl__problem *p) {
    const struct wl__tuned_batches *tuned = &p->tuned->batches;
    const wl_transpose_layout *l = &p->layout;
    return p->width == 1 && l->cols >= tuned->window_cols &&
           (l->rows >= tuned->window_rows || (l->rows >= tuned->even_rows && l->rows % VECTOR == 0));
}

bool wl__transpose_suits(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                         const wl_transpose_layout *layout, const struct wl__digits *digits) {
    struct wl__problem p = {
        .context = context, .width = width, .to = to, .from = from, .layout = *layout, .digits = *digits};
    wl__transpose_prepare(&p);
    const struct wl__mover *mover = wl__mover_pick(wl__transpose_movers, 0, &p);
    if (!mover) /* with masks */
        return false;
    if (mover->run == wl__run_matrices)
        return suits_panel(&p, &p.matrices);
    if (mover->run == wl__run_panels)
        return suits_panel(&p, &p.columns);
    if (mover->run == wl__run_async)
        return suits_vectors(&p, &wl__async[p.row]);
    if (mover->run == wl__run_vectors)
        return suits_vectors(&p, &wl__vectors[p.row]);
    if (mover->run == wl__run_slots)
        return width == 2 && p.to_places % SECTOR == 0 &&
               wl__fills_tiles(&p, &wl__slots_of_rows[0], p.tuned->batches.slots_full);
    if (mover->run == wl__run_windows)
        return suits_windows(&p);
    return mover->run == wl__run_shifted && suits_shifted(&p);
}
