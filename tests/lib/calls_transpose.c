/* Transposes of every kind, and permutations. */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "element.h"

static void choose_transpose(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    call->width = draw_width(draw);
    draw_sizes(draw, bytes / 2 / call->width, &call->rows, &call->cols);
    call_add(call, "to", call->rows * call->cols * call->width, call->width);
    call_add(call, "from", call->rows * call->cols * call->width, call->width);
}

static wl_error run_transpose(wl_context *context, const struct call *call, wl_stream stream) {
    return wl_transpose(context, call->width, call->array[0].device, call->array[1].device, call->rows,
                        call->cols, stream);
}

static void transpose(unsigned width, unsigned char *to, uint64_t to_ld, const unsigned char *from,
                      uint64_t from_ld, uint64_t rows, uint64_t cols) {
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < cols; c++)
            copy_element(to + (c * to_ld + r) * width, from + (r * from_ld + c) * width, width);
}

static void expect_transpose(const struct call *call) {
    transpose(call->width, call->array[0].host, call->rows, call->array[1].host, call->cols, call->rows,
              call->cols);
}

const struct operation call_transpose = {"wl_transpose", choose_transpose, run_transpose, expect_transpose};

/* ---------------------------------------------------------------- batches */

/* Replaces each 0 in a layout by its default. */
static wl_transpose_layout full(const wl_transpose_layout *layout) {
    wl_transpose_layout all = *layout;
    if (!all.from_ld)
        all.from_ld = all.cols;
    if (!all.to_ld)
        all.to_ld = all.rows;
    if (!all.from_stride)
        all.from_stride = all.rows * all.from_ld;
    if (!all.to_stride)
        all.to_stride = all.cols * all.to_ld;
    return all;
}

static uint64_t matrix(uint64_t rows, uint64_t cols, uint64_t ld) {
    return rows && cols ? (rows - 1) * ld + cols : 0;
}

static void choose_batched(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    wl_transpose_layout *layout = &call->layout;
    call->width = draw_width(draw);
    uint64_t most = bytes / 3 / call->width;
    layout->batch = draw_one_in(draw, 3) ? draw_size(draw, most) : draw_below(draw, 6);
    draw_sizes(draw, layout->batch ? most / layout->batch : most, &layout->rows, &layout->cols);
    if (!draw_one_in(draw, 3))
        layout->from_ld = layout->cols + draw_slack(draw, layout->batch * layout->rows, most);
    if (!draw_one_in(draw, 3))
        layout->to_ld = layout->rows + draw_slack(draw, layout->batch * layout->cols, most);
    wl_transpose_layout all = full(layout);
    /* The distance from one matrix to the next: the least allowed, or somewhat more. */
    uint64_t from = matrix(all.rows, all.cols, all.from_ld), to = matrix(all.cols, all.rows, all.to_ld);
    if (!draw_one_in(draw, 3) && from)
        layout->from_stride = from + draw_slack(draw, layout->batch, most);
    if (!draw_one_in(draw, 3) && to)
        layout->to_stride = to + draw_slack(draw, layout->batch, most);
    all = full(layout);
    bool some = all.batch && from && to;
    call_add(call, "to", some ? ((all.batch - 1) * all.to_stride + to) * call->width : 0, call->width);
    call_add(call, "from", some ? ((all.batch - 1) * all.from_stride + from) * call->width : 0, call->width);
}

static wl_error run_batched(wl_context *context, const struct call *call, wl_stream stream) {
    return wl_transpose_batched(context, call->width, call->array[0].device, call->array[1].device,
                                &call->layout, stream);
}

static void expect_batched(const struct call *call) {
    wl_transpose_layout all = full(&call->layout);
    for (uint64_t b = 0; b < all.batch; b++)
        transpose(call->width, call->array[0].host + b * all.to_stride * call->width, all.to_ld,
                  call->array[1].host + b * all.from_stride * call->width, all.from_ld, all.rows, all.cols);
}

const struct operation call_transpose_batched = {"wl_transpose_batched", choose_batched, run_batched,
                                                 expect_batched};

/* ---------------------------------------------------------------- in place */

static void choose_inplace(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    call->width = draw_width(draw);
    uint64_t most = bytes / 2 / call->width;
    draw_sizes(draw, most, &call->rows, &call->cols);
    if (draw_one_in(draw, 3)) {
        uint64_t side = 1;
        while ((side + 1) * (side + 1) <= most)
            side++;
        call->rows = call->cols = draw_size(draw, side);
    }
    call_add(call, "matrix", call->rows * call->cols * call->width, call->width);
    size_t workspace = 0;
    (void)wl_transpose_inplace_workspace(context, call->width, call->rows, call->cols, &workspace);
    call_add(call, "workspace", workspace, 16)->scratch = true;
}

static wl_error run_inplace(wl_context *context, const struct call *call, wl_stream stream) {
    uint64_t bytes = call->array[1].bytes;
    /* None for squares; as much as the matrix up to 256 KB; else about rows + cols elements. */
    const uint64_t matrix = call->array[0].bytes,
                   sides = 65536 + 80 * (call->rows + call->cols) * call->width;
    if (bytes > (call->rows == call->cols ? 0 : matrix <= 256 << 10 ? matrix : sides))
        return WL_ERROR_OUT_OF_MEMORY;
    return wl_transpose_inplace(context, call->width, call->array[0].device, call->rows, call->cols,
                                bytes ? call->array[1].device : 0, bytes, stream);
}

static void expect_inplace(const struct call *call) {
    uint64_t bytes = call->rows * call->cols * call->width;
    unsigned char *before = malloc(bytes + 1);
    if (!before)
        abort();
    memcpy(before, call->array[0].host, bytes);
    transpose(call->width, call->array[0].host, call->rows, before, call->cols, call->rows, call->cols);
    free(before);
}

const struct operation call_transpose_inplace = {"wl_transpose_inplace", choose_inplace, run_inplace,
                                                 expect_inplace};

/* ---------------------------------------------------------------- permutations */

static void choose_permute(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    (void)context;
    call->width = draw_width(draw);
    call->rank = (unsigned)draw_below(draw, WL_RANK_MAX + 1);
    uint64_t left = bytes / 2 / call->width, n = 1;
    for (unsigned i = 0; i < call->rank; i++) {
        call->order[i] = i;
        call->sizes[i] = 1;
    }
    /* The first dimension drawn has the most room, so this varies. */
    unsigned first = call->rank ? (unsigned)draw_below(draw, call->rank) : 0;
    for (unsigned k = 0; k < call->rank; k++) {
        unsigned i = (first + k) % call->rank;
        uint64_t kind = draw_below(draw, 5), size = 1;
        if (kind == 1 || kind == 2)
            size = 2 + draw_below(draw, 5);
        if (kind > 2)
            size = draw_size(draw, left);
        call->sizes[i] = size < left ? size : left;
        left /= call->sizes[i] ? call->sizes[i] : 1;
        n *= call->sizes[i];
    }
    /* From one or two swaps, which leave dimensions together, to a whole shuffle. */
    unsigned swaps = (unsigned)draw_below(draw, 5);
    for (unsigned k = 0; call->rank && k < (swaps == 4 ? 16 : swaps); k++) {
        unsigned i = (unsigned)draw_below(draw, call->rank), j = (unsigned)draw_below(draw, call->rank);
        unsigned kept = call->order[i];
        call->order[i] = call->order[j];
        call->order[j] = kept;
    }
    call->n = n;
    call_add(call, "to", n * call->width, call->width);
    call_add(call, "from", n * call->width, call->width);
}

static wl_error run_permute(wl_context *context, const struct call *call, wl_stream stream) {
    return wl_permute(context, call->width, call->array[0].device, call->array[1].device, call->rank,
                      call->sizes, call->order, stream);
}

/* Splits each element's place in `to` into indices, and combines these in the order of `from`. */
static void expect_permute(const struct call *call) {
    uint64_t strides[WL_RANK_MAX], stride = 1;
    for (unsigned i = call->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= call->sizes[i];
    }
    for (uint64_t place = 0; place < call->n; place++) {
        uint64_t rest = place, from = 0;
        for (unsigned i = call->rank; i-- > 0;) {
            unsigned dimension = call->order[i];
            from += rest % call->sizes[dimension] * strides[dimension];
            rest /= call->sizes[dimension];
        }
        memcpy(call->array[0].host + place * call->width, call->array[1].host + from * call->width,
               call->width);
    }
}

const struct operation call_permute = {"wl_permute", choose_permute, run_permute, expect_permute};
