/* wl_copy_strided. */
#include <string.h>

#include "calls.h"

static uint64_t size_of(int64_t stride) {
    return stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
}

/* Draws strides of an array that no two elements share a byte of, in this order of its dimensions.  Plain
 * ones have gaps of whole elements, and are positive. */
static void draw_strides(struct draw *draw, const struct call *call, const unsigned *order, bool plain,
                         int64_t *strides) {
    uint64_t span = call->n;
    for (unsigned i = 0; i < call->rank; i++) {
        const unsigned d = order[i];
        const uint64_t size = call->sizes[d] ? call->sizes[d] : 1;
        uint64_t stride = span;
        /* Gaps of elements, as in slices, or of bytes. */
        if (draw_one_in(draw, 4))
            stride += plain || draw_one_in(draw, 2) ? call->n * draw_below(draw, 4) : draw_below(draw, 9);
        span += (size - 1) * stride;
        strides[d] = !plain && draw_one_in(draw, 4) ? -(int64_t)stride : (int64_t)stride;
    }
}

/* Bytes that the strides reach, and the place of the element at index 0 in them. */
static uint64_t extent(const struct call *call, const int64_t *strides, uint64_t *first) {
    uint64_t bytes = call->n;
    *first = 0;
    for (unsigned d = 0; d < call->rank; d++) {
        if (call->sizes[d] == 0)
            return *first = 0;
        bytes += (call->sizes[d] - 1) * size_of(strides[d]);
        *first += strides[d] < 0 ? (call->sizes[d] - 1) * size_of(strides[d]) : 0;
    }
    return bytes;
}

static void shuffle(struct draw *draw, unsigned *order, unsigned rank) {
    for (unsigned d = 0; d < rank; d++)
        order[d] = d;
    for (unsigned d = rank; d > 1; d--) {
        const unsigned other = (unsigned)draw_below(draw, d), kept = order[d - 1];
        order[d - 1] = order[other];
        order[other] = kept;
    }
}

static void choose_strided(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes) {
    unsigned order[WL_RANK_MAX];
    /* Half of the calls are slices of arrays, whose dimensions change places. */
    const bool plain = draw_one_in(draw, 2);
    (void)context;
    call->n = !plain && draw_one_in(draw, 2) ? 1 + draw_below(draw, draw_one_in(draw, 4) ? 300 : 40)
                                             : draw_width(draw);
    call->rank = (unsigned)draw_below(draw, plain || draw_one_in(draw, 2) ? 4 : WL_RANK_MAX + 1);
    uint64_t left = bytes / 8 / call->n;
    for (unsigned d = 0; d < call->rank; d++) {
        call->sizes[d] =
            plain || draw_one_in(draw, 3) ? draw_size(draw, left) : draw_size(draw, left < 9 ? left : 9);
        left = call->sizes[d] ? left / call->sizes[d] : left;
    }
    shuffle(draw, order, call->rank);
    draw_strides(draw, call, order, plain, call->to_strides);
    if (draw_one_in(draw, 2))
        shuffle(draw, order, call->rank);
    draw_strides(draw, call, order, plain, call->from_strides);
    /* Elements that are read several times. */
    for (unsigned d = 0; d < call->rank && !plain; d++)
        if (draw_one_in(draw, 8))
            call->from_strides[d] = draw_one_in(draw, 2) ? 0 : (int64_t)draw_below(draw, 9) - 4;
    const uint64_t to_bytes = extent(call, call->to_strides, &call->to_first);
    call_add(call, "to", to_bytes, 1);
    const uint64_t from_bytes = extent(call, call->from_strides, &call->from_first);
    call_add(call, "from", from_bytes, 1);
}

static wl_error run_strided(wl_context *context, const struct call *call, wl_stream stream) {
    return wl_copy_strided(context, call->n, call->array[0].device + call->to_first, call->to_strides,
                           call->array[1].device + call->from_first, call->from_strides, call->rank,
                           call->sizes, stream);
}

static void copy(const struct call *call, unsigned d, unsigned char *to, const unsigned char *from) {
    if (d == call->rank) {
        memcpy(to, from, call->n);
        return;
    }
    for (uint64_t i = 0; i < call->sizes[d]; i++)
        copy(call, d + 1, to + (int64_t)i * call->to_strides[d], from + (int64_t)i * call->from_strides[d]);
}

static void expect_strided(const struct call *call) {
    if (call->array[0].bytes)
        copy(call, 0, call->array[0].host + call->to_first, call->array[1].host + call->from_first);
}

const struct operation call_strided = {"wl_copy_strided", choose_strided, run_strided, expect_strided};
