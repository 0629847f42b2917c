/* wl_transpose_inplace of any matrix in two passes: bands of rows are transposed in place
 * (lib/inplace/inplace_bands.cu), and the segments that they are made of move along the cycles of their
 * permutation (inplace_cycles.cu).  Without bands an element is a segment. */
#include "lib/error.h"
#include "lib/inplace/bands.h"
#include "lib/inplace/transpose_inplace.h"

static const wl__kernel bands_forth[5] = WL_INPLACE_EACH(bands), bands_back[5] = WL_INPLACE_EACH(bands_back),
                        elements[5] = WL_INPLACE_EACH(elements);

/* floor((2^64 - 1) / count).  wl_transpose_inplace_workspace() asks for empty matrices too. */
static uint64_t reciprocal(uint64_t count) {
    return count ? UINT64_MAX / count : 0;
}

/* Segments of 2^log elements. */
static struct wl__bands bands_of(const struct wl__problem *p, uint32_t log) {
    return (struct wl__bands){
        .matrix = p->matrix,
        .counters = p->workspace,
        .bits = p->workspace,
        .rows = p->longer,
        .cols = p->shorter,
        .bands = p->longer >> log,
        .by_rows = reciprocal(p->longer),
        .by_cols = reciprocal(p->shorter),
        .log = log,
        .rest = (uint32_t)(p->longer & ((UINT64_C(1) << log) - 1)),
        .backwards = p->rows < p->cols,
        .units = p->rows * p->cols >> log,
    };
}

static uint64_t bytes_of_bits(const struct wl__bands *b) {
    return (b->units + 127) / 128 * 16;
}

static wl_error follow_cycles(const struct wl__problem *p, wl__kernel kernel, const struct wl__bands *b,
                              uint64_t lanes) {
    uint64_t blocks = 0, walks = WL_CYCLES_THREADS / lanes, most = (b->units + walks - 1) / walks;
    wl_error error = wl__blocks_at_once(p->context, kernel, WL_CYCLES_THREADS, 0, &blocks);
    if (error)
        return error;
    struct wl__bands walked = *b;
    walked.words = (b->units + 31) / 32;
    walked.by_words = reciprocal(walked.words);
    if (blocks > most)
        blocks = most;
    while (walked.log_shares < 5 && walked.words << walked.log_shares < blocks * walks)
        walked.log_shares++;
    void *arguments[] = {&walked};
    return wl__launch(p->context, kernel, (uint32_t)blocks, 1, (struct wl__block){WL_CYCLES_THREADS, 1},
                      arguments, p->stream);
}

/* ---------------------------------------------------------------- by bands */

/* The bands, their strips, and segments' parts. */
static struct wl__bands banded(const struct wl__problem *p) {
    const uint64_t strip = WL_BANDS_STRIP(p->width);
    uint64_t segment = WL_BANDS_SEGMENT, strips = 1, cols = p->shorter;
    if (cols * WL_BANDS_SEGMENT > WL_BANDS_BYTES) {
        strips = (cols + strip - 1) / strip;
        cols = (cols + strips - 1) / strips;
        strips = (p->shorter + cols - 1) / cols;
    }
    /* Longer segments of fewer columns, if there are bands enough. */
    while (strips == 1 && 2 * segment * cols <= WL_BANDS_BYTES &&
           p->longer * p->width >= 2 * segment * WL_BANDS_ENOUGH)
        segment *= 2;
    struct wl__bands b = bands_of(p, (uint32_t)__builtin_ctzll(segment) - p->row);
    b.strip = (uint32_t)cols;
    b.strips = (uint32_t)strips;
    b.log_parts = (uint32_t)__builtin_ctzll(segment / WL_BANDS_SEGMENT);
    b.units <<= b.log_parts;
    b.teams = b.bands < WL_BANDS_TEAMS_MOST ? (uint32_t)b.bands : WL_BANDS_TEAMS_MOST;
    return b;
}

bool wl__inplace_can_bands(const struct wl__problem *p) {
    const wl_context *context = p->context;
    int cooperative = 0;
    if (p->longer * p->width < 2 * WL_BANDS_SEGMENT || p->shorter >= UINT32_MAX ||
        !context->driver.cuLaunchKernelEx || WL_BANDS_SHARED > p->shared_limit ||
        WL_MASKED(bands_forth[p->row]) || WL_MASKED(bands_back[p->row]) ||
        WL_MASKED(WL_KERNEL_inplace_segments) ||
        context->driver.cuDeviceGetAttribute(&cooperative, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
                                             context->device) ||
        !cooperative)
        return false;
    /* A band's strips run at the same time.  WL_BANDS_BLOCKS bounds the registers. */
    uint64_t each = context->shared_each / (WL_BANDS_SHARED + 1024);
    if (each > WL_BANDS_BLOCKS)
        each = WL_BANDS_BLOCKS;
    return banded(p).strips <= each * context->multiprocessors;
}

static uint64_t bytes_of_counters(const struct wl__bands *b) {
    return 4 * WL_BANDS_COUNTERS * (uint64_t)b->teams;
}

uint64_t wl__inplace_bands_workspace(const struct wl__problem *p) {
    const struct wl__bands b = banded(p);
    return bytes_of_counters(&b) + bytes_of_bits(&b);
}

static wl_error transpose_bands(const struct wl__problem *p, struct wl__bands *b, uint64_t blocks) {
    const wl__kernel kernel = (b->backwards ? bands_back : bands_forth)[p->row];
    if (b->teams > blocks / b->strips)
        b->teams = (uint32_t)(blocks / b->strips);
    if (!b->teams)
        return wl__fail(WL_ERROR_UNSUPPORTED, "wl_transpose_inplace: %u blocks do not run at the same time",
                        b->strips);
    /* Narrower strips for the blocks that would be left over, down to half as wide. */
    if (b->strips > 1) {
        uint64_t cols = (b->cols + blocks / b->teams - 1) / (blocks / b->teams);
        b->strip = cols > b->strip / 2 ? (uint32_t)cols : b->strip / 2;
        b->strips = (uint32_t)((b->cols + b->strip - 1) / b->strip);
    }
    void *arguments[] = {b};
    return wl__launch_cooperative(p->context, kernel, b->teams * b->strips, WL_BANDS_THREADS, WL_BANDS_SHARED,
                                  arguments, p->stream);
}

wl_error wl__inplace_bands(const struct wl__problem *p) {
    struct wl__bands b = banded(p);
    b.bits += bytes_of_counters(&b);
    uint64_t blocks = 0;
    wl_error error = wl_fill(p->context, p->workspace, 0, wl__inplace_bands_workspace(p), p->stream);
    if (!error)
        error = wl__blocks_at_once(p->context, (b.backwards ? bands_back : bands_forth)[p->row],
                                   WL_BANDS_THREADS, WL_BANDS_SHARED, &blocks);
    if (!error && b.backwards)
        error = follow_cycles(p, WL_KERNEL_inplace_segments, &b, WL_BANDS_SEGMENT / 16);
    if (!error)
        error = transpose_bands(p, &b, blocks);
    if (!error && !b.backwards)
        error = follow_cycles(p, WL_KERNEL_inplace_segments, &b, WL_BANDS_SEGMENT / 16);
    return error;
}

/* ---------------------------------------------------------------- by elements */

uint64_t wl__inplace_elements_workspace(const struct wl__problem *p) {
    const struct wl__bands b = bands_of(p, 0);
    return bytes_of_bits(&b);
}

wl_error wl__inplace_elements(const struct wl__problem *p) {
    const struct wl__bands b = bands_of(p, 0);
    wl_error error = wl_fill(p->context, p->workspace, 0, bytes_of_bits(&b), p->stream);
    return error ? error : follow_cycles(p, elements[p->row], &b, 1);
}
