/* What each rank sends, as copies between strides. */
#include <stdlib.h>

#include "lib/error.h"
#include "lib/redistribute/redistribute.h"

static wl_error add(wl_redistribution *plan, const struct wl__piece *piece) {
    if (plan->count == plan->room) {
        const size_t room = plan->room ? 2 * plan->room : 16;
        struct wl__piece *pieces = realloc(plan->pieces, room * sizeof(*pieces));
        if (!pieces)
            return wl__fail(WL_ERROR_OUT_OF_MEMORY, "no memory for the %zu pieces of a redistribution", room);
        plan->pieces = pieces;
        plan->room = room;
    }
    plan->pieces[plan->count++] = *piece;
    return WL_ERROR_OK;
}

bool wl__piece_between(struct wl__strided *all, const struct wl__request *request, unsigned from,
                       unsigned to) {
    const unsigned dimensions = request->dimensions;
    const wl_box *source = &request->from[from], *target = &request->to[to];
    uint64_t from_strides[WL_RANK_MAX], to_strides[WL_RANK_MAX];
    wl_box shared;
    if (!wl__box_meet(&shared, source, target, dimensions))
        return false;
    wl__box_strides(source, dimensions, request->element_bytes, from_strides);
    wl__box_strides(target, dimensions, request->element_bytes, to_strides);
    *all = (struct wl__strided){.bytes = request->element_bytes, .rank = dimensions};
    for (unsigned d = 0; d < dimensions; d++) {
        all->to += (shared.begin[d] - target->begin[d]) * to_strides[d];
        all->from += (shared.begin[d] - source->begin[d]) * from_strides[d];
        all->dim[d] =
            (struct wl__strided_dimension){shared.sizes[d], (int64_t)to_strides[d], (int64_t)from_strides[d]};
    }
    wl__strided_reduce(all);
    return true;
}

/* All bytes of a piece. */
static uint64_t bytes_of(const struct wl__strided *all) {
    uint64_t bytes = all->bytes;
    for (unsigned d = 0; d < all->rank; d++)
        bytes *= all->dim[d].size;
    return bytes;
}

/* Pushes take turns: each rank begins with the next one, so that not all send to the same.  The own part is
 * launched after the first. */
static wl_error add_pair(wl_redistribution *plan, const struct wl__request *request, unsigned from,
                         unsigned to) {
    const unsigned distance = (to + plan->ranks - from) % plan->ranks;
    struct wl__piece piece = {.from = from, .to = to, .turn = distance ? 2 * distance : 3};
    if (!wl__piece_between(&piece.all, request, from, to))
        return WL_ERROR_OK;
    if (from != to) {
        plan->crossing += bytes_of(&piece.all);
        plan->sends[(size_t)from * plan->ranks + to] = true;
        plan->members[from].sends++;
        plan->members[to].receives++;
    }
    return add(plan, &piece);
}

static int compare_turns(const void *a, const void *b) {
    const struct wl__piece *one = a, *other = b;
    if (one->turn != other->turn)
        return one->turn < other->turn ? -1 : 1;
    return (one->from > other->from) - (one->from < other->from);
}

static void choose_lane(const wl_redistribution *plan, struct wl__piece *piece) {
    if (piece->from != piece->to)
        piece->lane = WL__LANE_PUSH;
    else
        piece->lane = plan->members[piece->from].sends ? WL__LANE_OWN : WL__LANE_CALLER;
}

wl_error wl__make_pieces(wl_redistribution *plan, const struct wl__request *request) {
    wl_error error = WL_ERROR_OK;
    for (unsigned from = 0; from < plan->ranks && !error; from++)
        for (unsigned to = 0; to < plan->ranks && !error; to++)
            error = add_pair(plan, request, from, to);
    if (error)
        return error;
    if (plan->count)
        qsort(plan->pieces, plan->count, sizeof(*plan->pieces), compare_turns);
    for (size_t i = 0; i < plan->count; i++)
        choose_lane(plan, &plan->pieces[i]);
    return WL_ERROR_OK;
}
