/* Boxes of a global array. */
#include "lib/arguments.h"
#include "lib/redistribute/redistribute.h"

bool wl__box_is_empty(const wl_box *box, unsigned dimensions) {
    for (unsigned d = 0; d < dimensions; d++)
        if (box->sizes[d] == 0)
            return true;
    return false;
}

uint64_t wl__box_volume(const wl_box *box, unsigned first, unsigned dimensions) {
    uint64_t volume = 1;
    for (unsigned d = first; d < dimensions; d++)
        volume = wl__multiply(volume, box->sizes[d]);
    return volume;
}

bool wl__box_meet(wl_box *out, const wl_box *a, const wl_box *b, unsigned dimensions) {
    *out = *b;
    if (wl__box_is_empty(a, dimensions) || wl__box_is_empty(b, dimensions))
        return false;
    for (unsigned d = 0; d < dimensions; d++) {
        const uint64_t a_end = a->begin[d] + a->sizes[d], b_end = b->begin[d] + b->sizes[d],
                       begin = a->begin[d] > b->begin[d] ? a->begin[d] : b->begin[d],
                       end = a_end < b_end ? a_end : b_end;
        if (begin >= end)
            return false;
        out->begin[d] = begin;
        out->sizes[d] = end - begin;
    }
    return true;
}

void wl__box_strides(const wl_box *box, unsigned dimensions, uint64_t element_bytes,
                     uint64_t strides[WL_RANK_MAX]) {
    uint64_t bytes = element_bytes;
    for (unsigned place = dimensions; place-- > 0;) {
        const unsigned d = box->order[place];
        strides[d] = bytes;
        bytes *= box->sizes[d];
    }
}
