/* Copies between strides on the host. */
#include <string.h>

#include "lib/host/host.h"

static void copy(unsigned char *to, const unsigned char *from, const struct wl__strided *all, unsigned rank) {
    if (rank == 0) {
        memcpy(to, from, all->bytes);
        return;
    }
    const struct wl__strided_dimension *dim = &all->dim[rank - 1];
    for (uint64_t i = 0; i < dim->size; i++)
        copy(to + (int64_t)i * dim->to, from + (int64_t)i * dim->from, all, rank - 1);
}

wl_error wl__host_move(const wl_context *context, struct wl__choice *choice,
                       const struct wl__strided *asked) {
    struct wl__strided all = *asked;
    wl__strided_reduce(&all);
    choice->kernel = "host-loops";
    choice->why = "a loop for each dimension";
    wl__chose(context, choice);
    copy(wl__host_pointer(all.to), wl__host_pointer(all.from), &all, all.rank);
    return WL_ERROR_OK;
}
