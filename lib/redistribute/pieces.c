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

/* Makes a copy between strides of what two boxes share. */
static void fill_piece(struct wl__strided *all, const wl_redistribution *plan, const wl_box *shared,
                       const wl_box *from, const wl_box *to) {
    const unsigned dimensions = plan->dimensions;
    uint64_t from_strides[WL_RANK_MAX], to_strides[WL_RANK_MAX];
    wl__box_strides(from, dimensions, plan->element_bytes, from_strides);
    wl__box_strides(to, dimensions, plan->element_bytes, to_strides);
    *all = (struct wl__strided){.bytes = plan->element_bytes, .rank = dimensions};
    for (unsigned d = 0; d < dimensions; d++) {
        all->to += (shared->begin[d] - to->begin[d]) * to_strides[d];
        all->from += (shared->begin[d] - from->begin[d]) * from_strides[d];
        all->dim[d] = (struct wl__strided_dimension){shared->sizes[d], (int64_t)to_strides[d],
                                                     (int64_t)from_strides[d]};
    }
    wl__strided_reduce(all);
}

/* Pushes take turns: each rank begins with the next one, so that not all send to the same.  The own part is
 * launched after the first. */
static wl_error add_pair(wl_redistribution *plan, const struct wl__request *request, unsigned from,
                         unsigned to) {
    const unsigned distance = (to + plan->ranks - from) % plan->ranks;
    struct wl__piece piece = {.from = from, .to = to, .turn = distance ? 2 * distance : 3};
    wl_box shared;
    if (!wl__box_meet(&shared, &request->from[from], &request->to[to], plan->dimensions))
        return WL_ERROR_OK;
    if (from != to) {
        plan->crossing += wl__box_volume(&shared, 0, plan->dimensions) * plan->element_bytes;
        plan->sends[(size_t)from * plan->ranks + to] = true;
        plan->members[from].sends++;
        plan->members[to].receives++;
    }
    fill_piece(&piece.all, plan, &shared, &request->from[from], &request->to[to]);
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
