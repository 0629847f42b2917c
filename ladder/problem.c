#include "ladder/problem.h"

#include <stdio.h>

#include "lib/error.h"

struct wl__block wl__block(const struct wl_problem *problem, uint32_t default_x, uint32_t default_y) {
    if (problem->block_x == 0 && problem->block_y == 0)
        return (struct wl__block){default_x, default_y};
    return (struct wl__block){problem->block_x ? problem->block_x : 1,
                              problem->block_y ? problem->block_y : 1};
}

struct wl__block wl__block_linear(const struct wl_problem *problem, uint32_t default_threads) {
    struct wl__block block = wl__block(problem, default_threads, 1);
    /* At most 1024: every launch calls wl__check first. */
    return (struct wl__block){block.x * block.y, 1};
}

const char *wl__block_applicable(wl_context *context, const struct wl_problem *problem) {
    static _Thread_local char reason[96];
    uint64_t threads = (uint64_t)wl__block(problem, 1, 1).x * wl__block(problem, 1, 1).y;
    if (threads <= context->block_limit)
        return NULL;
    snprintf(reason, sizeof(reason), "block of %llu threads: the device allows %u",
             (unsigned long long)threads, context->block_limit);
    return reason;
}

static wl_error check_array(const char *kind, unsigned i, wl_devptr address) {
    if (!address)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "the problem's %s[%u] is null", kind, i);
    if (address % 4)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                        "the problem's %s[%u] is not aligned to its 4-byte elements", kind, i);
    return WL_ERROR_OK;
}

wl_error wl__check(wl_context *context, const struct wl_problem *problem, unsigned ins, unsigned outs,
                   bool fixed_block, uint64_t bytes) {
    if (!context)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "the context is NULL");
    /* No device can hold larger arrays, and beyond this the sums below could wrap. */
    if (bytes > INT64_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "the problem's arrays are larger than any address space");
    for (unsigned i = 0; i < 4; i++) {
        wl_error error = ins >> i & 1 ? check_array("in", i, problem->in[i]) : WL_ERROR_OK;
        if (!error && (outs >> i & 1))
            error = check_array("out", i, problem->out[i]);
        if (error)
            return error;
    }
    const char *reason = fixed_block ? NULL : wl__block_applicable(context, problem);
    return reason ? wl__fail(WL_ERROR_NOT_APPLICABLE, "%s", reason) : WL_ERROR_OK;
}

struct wl__cut wl__cut(const wl_devptr *addresses, unsigned count, uint64_t n, unsigned width) {
    struct wl__cut cut = {.width = width};
    uint64_t place = addresses[0] / 4 % width;
    for (unsigned i = 1; i < count; i++)
        if (addresses[i] / 4 % width != place)
            return cut;
    uint64_t head = (width - place) % width;
    if (head > n)
        head = n;
    cut.head = head;
    cut.vectors = (n - head) / width;
    return cut;
}

uint64_t wl__cut_threads(const struct wl__cut *cut, uint64_t n) {
    return cut->vectors + (n - cut->vectors * cut->width);
}
