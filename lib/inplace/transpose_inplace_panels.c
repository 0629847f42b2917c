/* A nearly square matrix in one and a half passes: lib/inplace/inplace_panels.cu. */
#include "lib/error.h"
#include "lib/inplace/transpose_inplace.h"

/* Places in the workspace, in bytes from its beginning; slots begin at a line of memory. */
struct layout {
    uint64_t panels, words;
    uint64_t saved, slots, bytes;
};

static struct layout layout_of(const struct wl__problem *p) {
    const uint64_t tile = WL_INPLACE_PANEL(p->width), panels = (p->shorter + tile - 1) / tile;
    struct layout layout = {.panels = panels, .words = WL_INPLACE_PANEL_COUNTERS(panels)};
    layout.saved = (4 * layout.words + 15) / 16 * 16;
    layout.slots = layout.saved + (p->longer - p->shorter) * p->shorter * p->width;
    layout.bytes = layout.slots + p->shorter * tile * p->width + 127;
    return layout;
}

/* Whether as many blocks run at once as a panel has tasks, and some more, so that panels overlap.  It counts
 * shared memory only: WL_INPLACE_PANEL_BLOCKS bounds the registers. */
static bool enough_blocks(const struct wl__problem *p, uint64_t panels) {
    const wl_context *context = p->context;
    int cooperative = 0;
    if (context->driver.cuDeviceGetAttribute(&cooperative, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
                                             context->device))
        return false;
    uint64_t each = context->shared_each / (WL_INPLACE_PANEL_BYTES(p->width) + 1024);
    if (each > WL_INPLACE_PANEL_BLOCKS(p->width))
        each = WL_INPLACE_PANEL_BLOCKS(p->width);
    return cooperative && each * context->multiprocessors >= WL_INPLACE_PANEL_MOST(panels) * 5 / 4;
}

uint64_t wl__inplace_panels_workspace(const struct wl__problem *p) {
    static const wl__kernel close[5] = WL_INPLACE_EACH(close_panels);
    if (WL_MASKED(close[p->row]) || p->context->capability < 80 || !p->context->driver.cuLaunchKernelEx ||
        p->rows * p->cols * p->width < p->tuned->panels_from[p->row])
        return 0;
    struct layout layout = layout_of(p);
    return enough_blocks(p, layout.panels) ? layout.bytes : 0;
}

wl_error wl__inplace_panels(const struct wl__problem *p, bool *done) {
    static const wl__kernel close[5] = WL_INPLACE_EACH(close_panels), open[5] = WL_INPLACE_EACH(open_panels);
    const struct layout layout = layout_of(p);
    const wl__kernel kernel = (p->rows > p->cols ? open : close)[p->row];
    const uint32_t threads = WL_INPLACE_PANEL_THREADS(p->width), shared = WL_INPLACE_PANEL_BYTES(p->width);
    uint64_t blocks = 0;
    *done = false;
    wl_error error = wl__blocks_at_once(p->context, kernel, threads, shared, &blocks);
    if (error || blocks < WL_INPLACE_PANEL_MOST(layout.panels))
        return error;
    wl_devptr matrix = p->matrix, counters = p->workspace, saved = counters + layout.saved;
    wl_devptr slots = (counters + layout.slots + 127) / 128 * 128;
    uint64_t side = p->shorter, extra = p->longer - side;
    uint32_t panels = (uint32_t)layout.panels;
    void *arguments[] = {&matrix, &slots, &saved, &counters, &side, &extra, &panels};
    error = wl__inplace_save(p, saved, counters, layout.words);
    if (!error)
        error = wl__launch_cooperative(p->context, kernel, (uint32_t)blocks, threads, shared, arguments,
                                       p->stream);
    /* Another program uses part of the device. */
    if (error == WL_ERROR_UNSUPPORTED)
        return WL_ERROR_OK;
    *done = !error;
    return error;
}
