#include "lib/transpose/narrow.h"

#include "lib/fields/interleave.h"
#include "lib/fields/streams.h"

#define VECTOR_BYTES 16

/* Whether each side may be structures of a few fields, whose rows are contiguous there. */
struct sides {
    bool rows, cols;
};

static bool is_few(const struct wl__tuned_narrow *tuned, unsigned width, uint64_t fields, uint32_t whole) {
    return fields >= 2 && (fields <= whole || (fields <= tuned->torn && fields * width % VECTOR_BYTES != 0));
}

static struct sides suited(const struct wl__tuned_narrow *tuned, unsigned width,
                           const wl_transpose_layout *l) {
    /* Of wide elements longer structures that are whole vectors suit only streams that are, too. */
    const bool longer = width <= 2 || l->to_ld * width % VECTOR_BYTES == 0;
    const uint32_t whole = longer ? tuned->whole[__builtin_ctz(width)] : tuned->fields;
    return (struct sides){is_few(tuned, width, l->cols, whole) && l->from_ld == l->cols,
                          is_few(tuned, width, l->rows, tuned->fields) && l->to_ld == l->rows};
}

static struct sides possible(const wl_transpose_layout *l) {
    return (struct sides){l->cols >= 2 && l->cols <= WL_STREAMS_MAX && l->from_ld == l->cols,
                          l->rows >= 2 && l->rows <= WL_STREAMS_MAX && l->to_ld == l->rows};
}

bool wl__narrow_can(const wl_transpose_layout *layout) {
    const struct sides can = possible(layout);
    return can.rows || can.cols;
}

bool wl__narrow_fits(const struct wl__tuned_narrow *tuned, unsigned width,
                     const wl_transpose_layout *layout) {
    const struct sides suit = suited(tuned, width, layout);
    /* The longer side cannot overflow: the matrix lies in memory. */
    return (suit.rows || suit.cols) &&
           (layout->batch == 1 || layout->rows * layout->cols * width >= tuned->matrix);
}

/* Whether the input's rows are the structures; if not, the output's are. */
static bool is_apart(const struct wl__tuned_narrow *tuned, unsigned width,
                     const wl_transpose_layout *layout) {
    struct sides sides = suited(tuned, width, layout);
    if (!sides.rows && !sides.cols)
        sides = possible(layout);
    return sides.rows && (!sides.cols || layout->cols <= layout->rows);
}

wl_error wl__narrow_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, const struct wl__digits *digits,
                              wl_stream stream) {
    struct wl__streams streams = {
        .width = width,
        .fields = (unsigned)layout->cols,
        .n = layout->rows,
        .packed = from,
        .stream = to,
        .stream_bytes = layout->to_ld * width,
        .batch = layout->batch,
        .packed_batch = layout->from_stride * width,
        .stream_batch = layout->to_stride * width,
    };
    if (!is_apart(&context->tuned->transpose.narrow, width, layout))
        streams = (struct wl__streams){
            .together = true,
            .width = width,
            .fields = (unsigned)layout->rows,
            .n = layout->cols,
            .packed = to,
            .stream = from,
            .stream_bytes = layout->from_ld * width,
            .batch = layout->batch,
            .packed_batch = layout->to_stride * width,
            .stream_batch = layout->from_stride * width,
        };
    streams.others = wl__batch_of(width, digits);
    for (uint32_t i = 0; streams.together && i < streams.others.digits; i++) {
        struct wl_batch_digit *const digit = &streams.others.digit[i];
        *digit = (struct wl_batch_digit){digit->size, digit->to, digit->from};
    }
    return wl__streams_move(context, &streams, stream);
}
