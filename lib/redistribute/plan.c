/* wl_redistribution_create, wl_transpose_distributed_create, wl_redistribution_destroy. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/redistribute/exchange.h"

static void free_plan(wl_redistribution *plan) {
    free(plan->members);
    free(plan->sends);
    free(plan->pieces);
    free(plan);
}

static wl_redistribution *new_plan(const struct wl__request *request) {
    wl_redistribution *plan = calloc(1, sizeof(*plan));
    if (!plan)
        return NULL;
    plan->ranks = request->ranks;
    plan->dimensions = request->dimensions;
    plan->element_bytes = request->element_bytes;
    plan->host = wl__is_host(request->contexts[0]);
    plan->members = calloc(plan->ranks, sizeof(*plan->members));
    plan->sends = calloc(plan->ranks, (size_t)plan->ranks * sizeof(*plan->sends));
    if (plan->members && plan->sends)
        return plan;
    free_plan(plan);
    return NULL;
}

static void fill_members(wl_redistribution *plan, const struct wl__request *request) {
    const unsigned dimensions = plan->dimensions;
    for (unsigned r = 0; r < plan->ranks; r++) {
        struct wl__member *member = &plan->members[r];
        member->context = request->contexts[r];
        member->from_bytes = wl__box_volume(&request->from[r], 0, dimensions) * plan->element_bytes;
        member->to_bytes = wl__box_volume(&request->to[r], 0, dimensions) * plan->element_bytes;
        snprintf(member->from_name, sizeof(member->from_name), "from[%u]", r);
        snprintf(member->to_name, sizeof(member->to_name), "to[%u]", r);
    }
}

wl_error wl__new_redistribution(wl_redistribution **out, const struct wl__request *request) {
    wl_redistribution *plan = new_plan(request);
    if (!plan)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "%s: no memory for a plan of %u ranks", request->call,
                        request->ranks);
    fill_members(plan, request);
    *out = plan;
    return WL_ERROR_OK;
}

static wl_error make(wl_redistribution **out, const struct wl__request *request) {
    wl_redistribution *plan;
    wl_error error = wl__check_request(request);
    if (!error)
        error = wl__new_redistribution(&plan, request);
    if (error)
        return error;
    error = wl__make_pieces(plan, request);
    if (!error && !plan->host)
        error = wl__make_lanes(plan, request->call);
    if (error)
        wl_redistribution_destroy(plan);
    else
        *out = plan;
    return error;
}

wl_error wl_redistribution_create(wl_redistribution **out, unsigned ranks, wl_context *const *contexts,
                                  size_t element_bytes, unsigned dimensions, const uint64_t *sizes,
                                  const wl_box *from, const wl_box *to) {
    const struct wl__request request = {.call = "wl_redistribution_create",
                                        .ranks = ranks,
                                        .dimensions = dimensions,
                                        .contexts = contexts,
                                        .element_bytes = element_bytes,
                                        .sizes = sizes,
                                        .from = from,
                                        .to = to};
    if (!out)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: out is NULL", request.call);
    *out = NULL;
    return make(out, &request);
}

wl_error wl__find_slabs(wl_box *boxes, unsigned first, unsigned count_boxes,
                        const struct wl__request *request, unsigned rows, const uint64_t *counts) {
    const unsigned cols = 1 - rows, ranks = request->ranks;
    const uint64_t all = request->sizes[rows];
    uint64_t begin = 0;
    for (unsigned r = 0; r < ranks; r++) {
        const uint64_t count = counts ? counts[r] : all / ranks + (r < all % ranks);
        if (count > all - begin)
            break;
        if (r >= first && r - first < count_boxes) {
            wl_box *box = &boxes[r - first];
            *box = (wl_box){.order = {rows, cols}};
            box->begin[rows] = begin;
            box->sizes[rows] = count;
            box->sizes[cols] = request->sizes[cols];
        }
        begin += count;
        if (r + 1 == ranks && begin == all)
            return WL_ERROR_OK;
    }
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: the counts of %s do not add up to %s, %llu",
                    request->call, rows ? "to_rows" : "from_rows", rows ? "cols" : "rows",
                    (unsigned long long)all);
}

wl_error wl_transpose_distributed_create(wl_redistribution **out, unsigned ranks, wl_context *const *contexts,
                                         size_t element_bytes, uint64_t rows, uint64_t cols,
                                         const uint64_t *from_rows, const uint64_t *to_rows) {
    const uint64_t sizes[2] = {rows, cols};
    struct wl__request request = {.call = "wl_transpose_distributed_create",
                                  .ranks = ranks,
                                  .dimensions = 2,
                                  .contexts = contexts,
                                  .element_bytes = element_bytes,
                                  .sizes = sizes};
    if (!out)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: out is NULL", request.call);
    *out = NULL;
    if (ranks == 0)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: ranks is 0", request.call);
    wl_box *boxes = calloc(ranks, 2 * sizeof(*boxes));
    if (!boxes)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "%s: no memory for the boxes of %u ranks", request.call,
                        ranks);
    request.from = boxes;
    request.to = boxes + ranks;
    wl_error error = wl__find_slabs(boxes, 0, ranks, &request, 0, from_rows);
    if (!error)
        error = wl__find_slabs(boxes + ranks, 0, ranks, &request, 1, to_rows);
    if (!error)
        error = make(out, &request);
    free(boxes);
    return error;
}

void wl_redistribution_destroy(wl_redistribution *plan) {
    if (!plan)
        return;
    if (plan->exchange)
        wl__finish_exchange(plan->exchange);
    else if (!plan->host)
        wl__free_lanes(plan);
    free_plan(plan);
}
