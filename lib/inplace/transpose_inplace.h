/* What the movers of wl_transpose_inplace share. */
#ifndef WIDELOAD_LIB_TRANSPOSE_INPLACE_H
#define WIDELOAD_LIB_TRANSPOSE_INPLACE_H

#include "lib/inplace/inplace.h"
#include "lib/launch.h"
#include "lib/mover.h"

struct wl__problem {
    wl_context *context;
    const struct wl__tuned_inplace *tuned;
    unsigned width, row; /* in bytes; its row in tables of kernels */
    uint64_t rows, cols;
    uint64_t shorter, longer; /* sides */
    uint64_t shared_limit;    /* bytes of shared memory that a block may request */
    wl_devptr matrix, workspace;
    wl_stream stream;
};

/* The kernels by width. */
#define WL_INPLACE_EACH(kernel)                                                                              \
    {                                                                                                        \
        WL_KERNEL_inplace_##kernel##1, WL_KERNEL_inplace_##kernel##2, WL_KERNEL_inplace_##kernel##4,         \
            WL_KERNEL_inplace_##kernel##8, WL_KERNEL_inplace_##kernel##16                                    \
    }

/* Launches `blocks` blocks, perhaps in several launches: each finds its first block's index in *first. */
wl_error wl__inplace_launch(const struct wl__problem *p, const wl__kernel kernels[5], uint64_t blocks,
                            uint32_t threads, uint64_t shared_bytes, void **arguments, uint64_t *first);

/* Exchanges the square of the shorter side, whose rows begin ld elements apart. */
wl_error wl__inplace_exchange(const struct wl__problem *p, uint64_t ld);

/* Nearly square matrices (transpose_near.c): whether this is one, the workspace bytes, the transpose. */
bool wl__inplace_can_near(const struct wl__problem *p);
uint64_t wl__inplace_near_workspace(const struct wl__problem *p);
wl_error wl__inplace_near(const struct wl__problem *p);

/* The same in one and a half passes, if the device can (transpose_inplace_panels.c): the bytes of workspace,
 * 0 if it cannot; and the transpose, with that workspace.  *done: whether it was done; if not, at most a
 * launch that saves data in the workspace was. */
uint64_t wl__inplace_panels_workspace(const struct wl__problem *p);
wl_error wl__inplace_panels(const struct wl__problem *p, bool *done);

/* Any others (transpose_bands.c): by bands, whether the device can; and element by element, which all can. */
bool wl__inplace_can_bands(const struct wl__problem *p);
uint64_t wl__inplace_bands_workspace(const struct wl__problem *p);
wl_error wl__inplace_bands(const struct wl__problem *p);
uint64_t wl__inplace_elements_workspace(const struct wl__problem *p);
wl_error wl__inplace_elements(const struct wl__problem *p);

/* Saves the extra rows or columns at `saved`, and clears `words` counters. */
wl_error wl__inplace_save(const struct wl__problem *p, wl_devptr saved, wl_devptr counters, uint64_t words);

#endif
