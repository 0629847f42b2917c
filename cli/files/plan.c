#include "cli/files/plan.h"

void files_dense_strides(const struct files_space *space, uint64_t record, uint64_t *strides) {
    uint64_t stride = record;
    for (unsigned d = space->rank; d-- > 0; stride *= space->size[d])
        strides[d] = stride;
}

/* Runs of this many bytes are read and written about as fast as longer ones, and of a plain copy a box in the
 * cache is faster than a large one. */
static const uint64_t long_run = 4 << 20;
/* Boxes that are cut to fewer elements keep a multiple of these, which transposes do whole. */
enum { TILE = 64 };

/* ---------------------------------------------------------------- the space */

static bool can_join(const struct files_space *space, const struct files_view *views, size_t view_count,
                     unsigned outer, unsigned inner) {
    for (size_t v = 0; v < view_count; v++)
        if (views[v].stride[outer] != views[v].stride[inner] * space->size[inner])
            return false;
    return true;
}

static void sort(struct files_view *view, unsigned rank) {
    for (unsigned d = 0; d < rank; d++) {
        unsigned at = d;
        for (; at && view->stride[view->order[at - 1]] < view->stride[d]; at--)
            view->order[at] = view->order[at - 1];
        view->order[at] = d;
    }
}

void files_space_merge(struct files_space *space, struct files_view *views, size_t view_count) {
    unsigned rank = 0;
    for (unsigned d = 0; d < space->rank; d++) {
        if (space->size[d] == 1)
            continue;
        unsigned to = rank;
        if (rank && can_join(space, views, view_count, rank - 1, d)) {
            to = rank - 1;
            space->size[to] *= space->size[d];
        } else {
            space->size[to] = space->size[d];
            rank++;
        }
        for (size_t v = 0; v < view_count; v++)
            views[v].stride[to] = views[v].stride[d];
    }
    space->rank = rank;
    for (size_t v = 0; v < view_count; v++)
        sort(&views[v], rank);
}

/* ---------------------------------------------------------------- boxes */

uint64_t files_box_elements(const struct files_box *box, const struct files_space *space) {
    uint64_t elements = 1;
    for (unsigned d = 0; d < space->rank; d++)
        elements *= box->count[d];
    return elements;
}

/* The innermost dimension of a view that the box does not have whole: more of it makes longer runs.  -1:
 * none. */
static int growing(const struct files_box *box, const struct files_space *space,
                   const struct files_view *view, uint64_t *run) {
    *run = view->record;
    for (unsigned i = space->rank; i-- > 0;) {
        unsigned d = view->order[i];
        *run *= box->count[d];
        if (box->count[d] < space->size[d])
            return (int)d;
    }
    return -1;
}

/* Boxes of about equal size, instead of one that is nearly empty at the end. */
static void even_out(struct files_box *box, const struct files_space *space) {
    for (unsigned d = 0; d < space->rank; d++) {
        uint64_t size = space->size[d], most = box->count[d], parts = (size + most - 1) / most;
        uint64_t even = (size + parts - 1) / parts;
        if (parts > 1 && even > TILE)
            even = (even + TILE - 1) / TILE * TILE;
        if (even < most)
            box->count[d] = even;
    }
}

void files_box_choose(struct files_box *box, const struct files_space *space, const struct files_view *views,
                      size_t view_count, uint64_t elements) {
    bool fixed[NPY_MOST_DIMENSIONS] = {false}; /* no room for more of this dimension */
    for (unsigned d = 0; d < space->rank; d++) {
        box->start[d] = 0;
        box->count[d] = 1;
    }
    /* Always lengthen the shortest run that can grow. */
    while (true) {
        int best = -1;
        uint64_t shortest = long_run;
        for (size_t v = 0; v < view_count; v++) {
            uint64_t run;
            int d = growing(box, space, &views[v], &run);
            if (d >= 0 && !fixed[d] && run < shortest) {
                best = d;
                shortest = run;
            }
        }
        if (best < 0)
            break;
        uint64_t others = files_box_elements(box, space) / box->count[best], most = elements / others;
        uint64_t wanted = space->size[best] / 2 < box->count[best] ? space->size[best] : 2 * box->count[best];
        if (wanted > most) {
            fixed[best] = true;
            wanted = most > 2 * TILE ? most / TILE * TILE : most;
        }
        if (wanted > box->count[best])
            box->count[best] = wanted;
    }
    even_out(box, space);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void files_box_first(struct files_box *box, const struct files_space *space, const struct files_box *most) {
    for (unsigned d = 0; d < space->rank; d++) {
        box->start[d] = 0;
        box->count[d] = most->count[d];
    }
}

bool files_box_next(struct files_box *box, const struct files_space *space, const struct files_box *most) {
    for (unsigned d = space->rank; d-- > 0;) {
        box->start[d] += box->count[d];
        if (box->start[d] < space->size[d]) {
            box->count[d] = least(most->count[d], space->size[d] - box->start[d]);
            return true;
        }
        box->start[d] = 0;
        box->count[d] = most->count[d];
    }
    return false;
}

void files_box_strides(const struct files_box *box, const struct files_space *space,
                       const struct files_view *view, int64_t *strides) {
    uint64_t stride = view->record;
    for (unsigned i = space->rank; i-- > 0;) {
        unsigned d = view->order[i];
        strides[d] = (int64_t)stride;
        stride *= box->count[d];
    }
}

/* ---------------------------------------------------------------- runs */

void files_runs_first(struct files_runs *runs, const struct files_view *view, const struct files_space *space,
                      const struct files_box *box) {
    *runs = (struct files_runs){.view = view, .box = box, .offset = view->offset, .length = view->record};
    for (unsigned d = 0; d < space->rank; d++)
        runs->offset += box->start[d] * view->stride[d];
    for (unsigned i = space->rank; i-- > 0;) {
        unsigned d = view->order[i];
        runs->length *= box->count[d];
        if (box->count[d] < space->size[d]) {
            runs->dimensions = i;
            break;
        }
    }
}

bool files_runs_next(struct files_runs *runs) {
    for (unsigned i = runs->dimensions; i-- > 0;) {
        unsigned d = runs->view->order[i];
        runs->offset += runs->view->stride[d];
        if (++runs->at[i] < runs->box->count[d])
            return true;
        runs->offset -= runs->box->count[d] * runs->view->stride[d];
        runs->at[i] = 0;
    }
    return false;
}
