#include "lib/transpose/narrow.h"

#include "lib/fields/streams.h"

/* A batch's matrices have to fill a block each. */
#define MATRIX_BYTES 2048
#define VECTOR_BYTES 16

static bool narrow(unsigned width, uint64_t fields) {
    if (fields <= WL_NARROW_LIMIT)
        return fields >= 2;
    return fields <= WL_NARROW_LIMIT_TORN && fields * width % VECTOR_BYTES != 0;
}

/* Whether the input's rows are the structures; else the output's are. */
static bool apart(unsigned width, const wl_transpose_layout *layout) {
    bool rows = narrow(width, layout->cols) && layout->from_ld == layout->cols;
    bool cols = narrow(width, layout->rows) && layout->to_ld == layout->rows;
    return rows && (!cols || layout->cols <= layout->rows);
}

bool wl__narrow_fits(unsigned width, const wl_transpose_layout *layout) {
    if (!apart(width, layout) && !(narrow(width, layout->rows) && layout->to_ld == layout->rows))
        return false;
    /* The longer side cannot overflow: the matrix lies in memory. */
    return layout->batch == 1 || layout->rows * layout->cols * width >= MATRIX_BYTES;
}

wl_error wl__narrow_transpose(wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                              const wl_transpose_layout *layout, wl_stream stream) {
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
    if (!apart(width, layout))
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
    return wl__streams_choose(context, &streams)->move(context, &streams, stream);
}
