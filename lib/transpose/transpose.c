/* wl_transpose, wl_transpose_batched: matrices of any shape, alignment and leading dimension. */
#include "lib/transpose/transpose.h"
#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/transpose/narrow.h"
#include "lib/transpose/problem.h"

/* Elements from a matrix's first one to its last: (outer - 1) * ld + inner. */
static uint64_t span(uint64_t outer, uint64_t ld, uint64_t inner) {
    return wl__add(wl__multiply(outer - 1, ld), inner);
}

static wl_error check_at_least(const char *call, const char *name, uint64_t value, uint64_t least) {
    if (value >= least)
        return WL_ERROR_OK;
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is %llu elements: it must be at least %llu", call,
                    name, (unsigned long long)value, (unsigned long long)least);
}

/* Completes the layout, which is not empty, and checks it and the arrays. */
static wl_error check(const char *call, struct wl__problem *p) {
    wl_transpose_layout *l = &p->layout;
    l->from_ld = l->from_ld ? l->from_ld : l->cols;
    l->to_ld = l->to_ld ? l->to_ld : l->rows;
    wl_error error = check_at_least(call, "from_ld", l->from_ld, l->cols);
    if (!error)
        error = check_at_least(call, "to_ld", l->to_ld, l->rows);
    if (error)
        return error;
    uint64_t from_span = span(l->rows, l->from_ld, l->cols), to_span = span(l->cols, l->to_ld, l->rows);
    l->from_stride = l->from_stride ? l->from_stride : wl__multiply(l->rows, l->from_ld);
    l->to_stride = l->to_stride ? l->to_stride : wl__multiply(l->cols, l->to_ld);
    error = check_at_least(call, "from_stride", l->from_stride, from_span);
    if (!error)
        error = check_at_least(call, "to_stride", l->to_stride, to_span);
    struct wl__reach reach = {.context = p->context};
    const struct wl__array target = {"to", p->to,
                                     wl__multiply(span(l->batch, l->to_stride, to_span), p->width)};
    const struct wl__array source = {"from", p->from,
                                     wl__multiply(span(l->batch, l->from_stride, from_span), p->width)};
    return error ? error : wl__check_both(call, &reach, &target, &source, p->width);
}

static wl_error move_on_host(struct wl__choice *choice, const struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    const int64_t width = p->width;
    const struct wl__strided all = {
        p->to,
        p->from,
        p->width,
        3,
        {{l->rows, width, (int64_t)l->from_ld * width},
         {l->cols, (int64_t)l->to_ld * width, width},
         {l->batch, (int64_t)l->to_stride * width, (int64_t)l->from_stride * width}}};
    return wl__host_move(p->context, choice, &all);
}

/* Whether a matrix begins before the one ahead of it ends, on either side. */
static bool is_mixed(const wl_transpose_layout *l) {
    return l->batch > 1 && (l->from_stride < span(l->rows, l->from_ld, l->cols) ||
                            l->to_stride < span(l->cols, l->to_ld, l->rows));
}

void wl__transpose_prepare(struct wl__problem *p) {
    const wl_transpose_layout *l = &p->layout;
    p->row = (unsigned)__builtin_ctz(p->width);
    p->tuned = &p->context->tuned->transpose;
    /* Strides matter if there are several matrices. */
    p->to_places = p->width * (l->to_ld | (l->batch > 1 ? l->to_stride : 0)) | p->to;
    p->from_places = p->width * (l->from_ld | (l->batch > 1 ? l->from_stride : 0)) | p->from;
    p->is_mixed = p->digits.count || is_mixed(l);
    for (unsigned i = 0; i < p->digits.count; i++) {
        p->to_places |= p->width * p->digits.digit[i].to;
        p->from_places |= p->width * p->digits.digit[i].from;
    }
    /* With digits a panel has one matrix, as the next one need not follow it, and is of a kernel with an
     * image: others take no digits. */
    if (p->digits.count && l->to_ld == l->rows) {
        wl_transpose_layout one = *l;
        one.batch = 1;
        p->is_matrices = wl__panels_matrices(p->context, p->width, &one, &p->matrices) && p->matrices.image;
        p->is_columns = wl__panels_columns(p->context, p->width, l, &p->columns) && p->columns.image;
    } else if (!p->is_mixed) {
        p->is_narrow = wl__narrow_fits(&p->tuned->narrow, p->width, l);
        p->is_matrices = wl__panels_matrices(p->context, p->width, l, &p->matrices);
        p->is_columns = wl__panels_columns(p->context, p->width, l, &p->columns);
    }
    p->panels_lose = (p->is_matrices || p->is_columns) && wl__panels_lose(p);
}

/* The problem is checked, and its layout complete. */
static wl_error move(struct wl__choice *choice, struct wl__problem *p) {
    wl__transpose_prepare(p);
    return wl__move(p->context, wl__transpose_movers, choice, p);
}

wl_error wl__transpose_any(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                           const wl_transpose_layout *layout, const struct wl__digits *digits,
                           wl_stream stream) {
    struct wl__problem p = {
        .context = context, .stream = stream, .width = width, .to = to, .from = from, .layout = *layout};
    if (digits)
        p.digits = *digits;
    struct wl__choice choice = {.operation = "wl_transpose_batched"};
    return move(&choice, &p);
}

static wl_error transpose(const char *call, wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                          const wl_transpose_layout *asked, wl_stream stream) {
    struct wl__problem p = {
        .context = context, .stream = stream, .width = width, .to = to, .from = from, .layout = *asked};
    const wl_transpose_layout *l = &p.layout;
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_width(call, width);
    if (error || !l->rows || !l->cols || !l->batch)
        return error;
    error = check(call, &p);
    if (error)
        return error;
    struct wl__choice choice = {.operation = call,
                                .facts = {{"width", width},
                                          {"rows", l->rows},
                                          {"cols", l->cols},
                                          {"batch", l->batch},
                                          {"from_ld", l->from_ld},
                                          {"to_ld", l->to_ld}}};
    if (wl__is_host(context))
        return move_on_host(&choice, &p);
    return move(&choice, &p);
}

wl_error wl_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, uint64_t rows,
                      uint64_t cols, wl_stream stream) {
    const wl_transpose_layout layout = {.rows = rows, .cols = cols, .batch = 1};
    return transpose("wl_transpose", context, width, to, from, &layout, stream);
}

wl_error wl_transpose_batched(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, wl_stream stream) {
    static const char call[] = "wl_transpose_batched";
    wl_error error = wl__check_context(call, context);
    if (!error && !layout)
        error = wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: layout is NULL", call);
    return error ? error : transpose(call, context, width, to, from, layout, stream);
}
