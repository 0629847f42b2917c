/* Strided copies in their simplest form. */
#include "lib/copy/strided.h"

void wl__strided_turn(struct wl__strided *all, unsigned d) {
    struct wl__strided_dimension *dim = &all->dim[d];
    all->to += (dim->size - 1) * (uint64_t)dim->to;
    all->from += (dim->size - 1) * (uint64_t)dim->from;
    dim->to = -dim->to;
    dim->from = -dim->from;
}

/* Without dimensions of one element; those that run backwards in the output run forwards. */
static void straighten(struct wl__strided *all) {
    unsigned rank = 0;
    for (unsigned d = 0; d < all->rank; d++) {
        if (all->dim[d].size == 1)
            continue;
        if (all->dim[d].to < 0)
            wl__strided_turn(all, d);
        all->dim[rank++] = all->dim[d];
    }
    all->rank = rank;
}

static void sort(struct wl__strided *all) {
    for (unsigned d = 1; d < all->rank; d++) {
        const struct wl__strided_dimension dim = all->dim[d];
        unsigned place = d;
        for (; place && all->dim[place - 1].to > dim.to; place--)
            all->dim[place] = all->dim[place - 1];
        all->dim[place] = dim;
    }
}

/* Whether `next` goes on where so many bytes on either side end. */
static bool follows(const struct wl__strided_dimension *next, uint64_t to, uint64_t from) {
    return (uint64_t)next->to == to && (uint64_t)next->from == from;
}

static void join(struct wl__strided *all) {
    unsigned rank = 0;
    for (unsigned d = 0; d < all->rank; d++) {
        const struct wl__strided_dimension next = all->dim[d];
        struct wl__strided_dimension *last = rank ? &all->dim[rank - 1] : NULL;
        if (!last && follows(&next, all->bytes, all->bytes))
            all->bytes *= next.size;
        else if (last && follows(&next, (uint64_t)last->to * last->size, (uint64_t)last->from * last->size))
            last->size *= next.size;
        else
            all->dim[rank++] = next;
    }
    all->rank = rank;
}

void wl__strided_reduce(struct wl__strided *all) {
    straighten(all);
    sort(all);
    join(all);
}

unsigned wl__strided_down(const struct wl__strided *all) {
    unsigned down = 0;
    for (unsigned d = 1; d < all->rank; d++)
        if (all->dim[d].from && (!all->dim[down].from ||
                                 wl__stride_size(all->dim[d].from) < wl__stride_size(all->dim[down].from)))
            down = d;
    return down;
}
