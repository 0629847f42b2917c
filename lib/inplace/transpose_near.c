/* wl_transpose_inplace of a nearly square matrix: by panels where the device can, else in two passes. */
#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/inplace/transpose_inplace.h"

bool wl__inplace_can_near(const struct wl__problem *p) {
    return p->longer - p->shorter <= WL_INPLACE_EXTRA && p->shorter >= WL_INPLACE_NEAR_MIN &&
           !WL_MASKED(((const wl__kernel[5])WL_INPLACE_EACH(save))[p->row]);
}

uint64_t wl__inplace_near_workspace(const struct wl__problem *p) {
    uint64_t two = 4 * WL_INPLACE_COUNTERS + (p->longer - p->shorter) * p->shorter * p->width;
    uint64_t panels = wl__inplace_panels_workspace(p);
    return panels > two ? panels : two;
}

/* Chunks of `bytes` bytes, the first of which begins at a line. */
static uint64_t chunks_of(const struct wl__problem *p, uint64_t bytes) {
    uint64_t chunk = bytes / p->width, phase = p->matrix / p->width % (128 / p->width);
    return (p->rows * p->cols + phase + chunk - 1) / chunk;
}

/* Closes or opens rows, and puts back what was saved. */
static wl_error move_rows(const struct wl__problem *p, wl_devptr counters, wl_devptr saved) {
    static const wl__kernel close[5] = WL_INPLACE_EACH(close), open[5] = WL_INPLACE_EACH(open);
    wl_devptr matrix = p->matrix;
    uint64_t side = p->shorter, extra = p->longer - side, first;
    void *arguments[] = {&matrix, &saved, &counters, &side, &extra};
    return wl__inplace_launch(p, p->rows > p->cols ? open : close, chunks_of(p, WL_INPLACE_CHUNK_BYTES),
                              WL_INPLACE_MOVERS, WL_INPLACE_STAGED(WL_INPLACE_CHUNK_BYTES), arguments,
                              &first);
}

wl_error wl__inplace_save(const struct wl__problem *p, wl_devptr saved, wl_devptr counters, uint64_t words) {
    static const wl__kernel save[5] = WL_INPLACE_EACH(save);
    wl_devptr matrix = p->matrix;
    uint64_t side = p->shorter, extra = p->longer - side, first;
    uint32_t opening = p->rows > p->cols;
    void *arguments[] = {&saved, &matrix, &counters, &side, &extra, &opening, &words};
    uint64_t blocks = side * extra / WL_INPLACE_MOVERS + 1;
    return wl__inplace_launch(p, save, blocks < 1u << 20 ? blocks : 1u << 20, WL_INPLACE_MOVERS, 0, arguments,
                              &first);
}

static wl_error in_two_passes(const struct wl__problem *p) {
    wl_devptr counters = p->workspace, saved = counters + 4 * WL_INPLACE_COUNTERS;
    bool opening = p->rows > p->cols;
    wl_error error = wl__inplace_save(p, saved, counters, WL_INPLACE_COUNTERS);
    if (!error && !opening)
        error = wl__inplace_exchange(p, p->longer);
    if (!error)
        error = move_rows(p, counters, saved);
    return !error && opening ? wl__inplace_exchange(p, p->longer) : error;
}

wl_error wl__inplace_near(const struct wl__problem *p) {
    bool done = false;
    wl_error error = WL_ERROR_OK;
    if (wl__inplace_panels_workspace(p))
        error = wl__inplace_panels(p, &done);
    return error || done ? error : in_two_passes(p);
}
