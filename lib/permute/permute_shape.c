#include "lib/permute/permute_shape.h"

void wl__permute_reduce(struct wl__permute_shape *shape, unsigned width, uint64_t to, uint64_t from,
                        unsigned rank, const uint64_t *sizes, const unsigned *order) {
    uint64_t size[WL_RANK_MAX];  /* of merged dimensions */
    unsigned first[WL_RANK_MAX]; /* the input dimension that each begins with, in the output's order */
    unsigned count = 0;
    /* In the output's order: join a dimension to the previous one if it follows it in the input too, with
     * only sizes of 1 between. */
    unsigned last = 0;
    for (unsigned i = 0; i < rank; i++) {
        unsigned d = order[i];
        if (sizes[d] == 1)
            continue;
        bool follows = count > 0 && d > last;
        for (unsigned between = last + 1; follows && between < d; between++)
            follows = sizes[between] == 1;
        if (follows) {
            size[count - 1] *= sizes[d];
        } else {
            size[count] = sizes[d];
            first[count++] = d;
        }
        last = d;
    }
    shape->width = width;
    shape->rank = count;
    /* The input's order, innermost first, by the first dimension that each stands for. */
    for (unsigned i = 0; i < count; i++) {
        unsigned later = 0;
        for (unsigned j = 0; j < count; j++)
            later += first[j] > first[i];
        shape->dim[later].size = size[i];
        shape->by_out[count - 1 - i] = later;
    }
    bool same = count && shape->by_out[0] == 0;
    if (same) {
        uint64_t row = shape->dim[0].size * width;
        uint64_t bits = row | to | from;
        while (shape->width < 16 && bits % (2 * shape->width) == 0)
            shape->width *= 2;
        shape->dim[0].size = row / shape->width;
        if (shape->dim[0].size == 1) {
            /* Rows are now elements. */
            for (unsigned d = 1; d < count; d++)
                shape->dim[d - 1] = shape->dim[d];
            for (unsigned i = 1; i < count; i++)
                shape->by_out[i - 1] = shape->by_out[i] - 1;
            shape->rank = count = count - 1;
        }
    }
    uint64_t stride = 1;
    for (unsigned d = 0; d < count; d++) {
        shape->dim[d].in = stride;
        stride *= shape->dim[d].size;
    }
    stride = 1;
    for (unsigned i = 0; i < count; i++) {
        shape->dim[shape->by_out[i]].out = stride;
        stride *= shape->dim[shape->by_out[i]].size;
    }
}

uint64_t wl__permute_bytes(const struct wl__permute_shape *shape) {
    uint64_t bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++)
        bytes *= shape->dim[d].size;
    return bytes;
}
