/* Whether ranks' boxes fit together. */
#include <stdio.h>
#include <string.h>

#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/redistribute/redistribute.h"

/* Room for the words of an index: eight numbers. */
enum { INDEX_WORDS = 8 * 22 + 3 };

static const char *index_in_words(char words[INDEX_WORDS], const uint64_t *index, unsigned dimensions) {
    size_t used = (size_t)snprintf(words, INDEX_WORDS, "(");
    for (unsigned d = 0; d < dimensions; d++)
        used += (size_t)snprintf(words + used, INDEX_WORDS - used, "%s%llu", d ? ", " : "",
                                 (unsigned long long)index[d]);
    snprintf(words + used, INDEX_WORDS - used, ")");
    return words;
}

/* ---------------------------------------------------------------- each by itself */

static wl_error check_contexts(const struct wl__request *request) {
    const char *call = request->call;
    if (request->ranks == 0)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: ranks is 0", call);
    if (!request->contexts)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: contexts is NULL", call);
    for (unsigned r = 0; r < request->ranks; r++) {
        const wl_context *context = request->contexts[r], *first = request->contexts[0];
        if (!context)
            return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: contexts[%u] is NULL", call, r);
        if (wl__is_host(context) != wl__is_host(first) ||
            context->driver.cuLaunchKernel != first->driver.cuLaunchKernel)
            return wl__fail(
                WL_ERROR_INVALID_ARGUMENT,
                "%s: contexts[%u] and contexts[0] are of different kinds: they must all be of GPUs, all "
                "of the simulator, or all of the host",
                call, r);
    }
    return WL_ERROR_OK;
}

static wl_error check_array(const struct wl__request *request) {
    const char *call = request->call;
    if (request->element_bytes == 0)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: element_bytes is 0", call);
    if (request->dimensions > WL_RANK_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: dimensions is %u: it must be 0 to %d", call,
                        request->dimensions, WL_RANK_MAX);
    if ((request->dimensions && !request->sizes) || !request->from || !request->to)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call,
                        !request->from ? "from"
                        : !request->to ? "to"
                                       : "sizes");
    uint64_t bytes = request->element_bytes;
    bool empty = false;
    for (unsigned d = 0; d < request->dimensions; d++) {
        empty = empty || request->sizes[d] == 0;
        bytes = wl__multiply(bytes, request->sizes[d]);
    }
    if (!empty && bytes > INT64_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: the array has 2^63 bytes or more", call);
    return WL_ERROR_OK;
}

static wl_error check_box(const struct wl__request *request, const char *list, unsigned rank,
                          const wl_box *box) {
    unsigned seen = 0;
    if (wl__box_is_empty(box, request->dimensions))
        return WL_ERROR_OK;
    for (unsigned d = 0; d < request->dimensions; d++) {
        const uint64_t size = request->sizes[d];
        if (box->begin[d] > size || box->sizes[d] > size - box->begin[d])
            return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                            "%s: %s[%u] has %llu indices from %llu on in dimension %u, which has %llu",
                            request->call, list, rank, (unsigned long long)box->sizes[d],
                            (unsigned long long)box->begin[d], d, (unsigned long long)size);
    }
    for (unsigned place = 0; place < request->dimensions; place++) {
        const unsigned d = box->order[place];
        if (d >= request->dimensions || seen >> d & 1)
            return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                            "%s: %s[%u].order[%u] is %u: it must hold each of 0 to %u once", request->call,
                            list, rank, place, d, request->dimensions - 1);
        seen |= 1u << d;
    }
    return WL_ERROR_OK;
}

static wl_error check_each(const struct wl__request *request) {
    wl_error error = WL_ERROR_OK;
    for (unsigned r = 0; r < request->ranks && !error; r++) {
        error = check_box(request, "from", r, &request->from[r]);
        if (!error)
            error = check_box(request, "to", r, &request->to[r]);
    }
    return error;
}

/* ---------------------------------------------------------------- all together */

/* Refuses two boxes of `from` that share an element which somebody wants. */
static wl_error check_overlap(const struct wl__request *request, unsigned a, unsigned b) {
    wl_box both, wanted;
    char words[INDEX_WORDS];
    if (!wl__box_meet(&both, &request->from[a], &request->from[b], request->dimensions))
        return WL_ERROR_OK;
    for (unsigned r = 0; r < request->ranks; r++)
        if (wl__box_meet(&wanted, &both, &request->to[r], request->dimensions))
            return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                            "%s: from[%u] and from[%u] both have the index %s, which to[%u] wants",
                            request->call, a, b, index_in_words(words, wanted.begin, request->dimensions), r);
    return WL_ERROR_OK;
}

/* Whether a box has a place, of which only the first `dimensions` numbers count. */
static bool has(const wl_box *box, const uint64_t *place, unsigned dimensions) {
    for (unsigned d = 0; d < dimensions; d++)
        if (place[d] < box->begin[d] || place[d] - box->begin[d] >= box->sizes[d])
            return false;
    return true;
}

/* Elements of `wanted` that ranks have at a place, of which the numbers up to dimension d are given.  If that
 * is all of them, it stays so up to *next, where the first of these boxes ends. */
static uint64_t count_at(const struct wl__request *request, const wl_box *wanted, const uint64_t *place,
                         unsigned d, uint64_t *next) {
    uint64_t count = 0;
    *next = UINT64_MAX;
    for (unsigned r = 0; r < request->ranks; r++) {
        wl_box part;
        if (!wl__box_meet(&part, &request->from[r], wanted, request->dimensions) || !has(&part, place, d + 1))
            continue;
        const uint64_t end = part.begin[d] + part.sizes[d];
        *next = end < *next ? end : *next;
        count += wl__box_volume(&part, d + 1, request->dimensions);
    }
    return count;
}

/* Finds the first place of `wanted` that no rank has.  There is one, and the boxes of `from` do not overlap
 * in `wanted`: so fewer elements than there are mean a hole. */
static void find_hole(const struct wl__request *request, const wl_box *wanted, uint64_t place[WL_RANK_MAX]) {
    for (unsigned d = 0; d < request->dimensions; d++) {
        const uint64_t all = wl__box_volume(wanted, d + 1, request->dimensions);
        uint64_t next = wanted->begin[d];
        do
            place[d] = next;
        while (count_at(request, wanted, place, d, &next) == all);
    }
}

/* Refuses a box of `to` with elements that nobody has. */
static wl_error check_hole(const struct wl__request *request, unsigned rank) {
    const wl_box *wanted = &request->to[rank];
    uint64_t count = 0, place[WL_RANK_MAX];
    wl_box part;
    char words[INDEX_WORDS];
    if (wl__box_is_empty(wanted, request->dimensions))
        return WL_ERROR_OK;
    for (unsigned r = 0; r < request->ranks; r++)
        if (wl__box_meet(&part, &request->from[r], wanted, request->dimensions))
            count += wl__box_volume(&part, 0, request->dimensions);
    if (count == wl__box_volume(wanted, 0, request->dimensions))
        return WL_ERROR_OK;
    find_hole(request, wanted, place);
    return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: to[%u] wants the index %s, which no box of from has",
                    request->call, rank, index_in_words(words, place, request->dimensions));
}

wl_error wl__check_boxes(const struct wl__request *request) {
    wl_error error = check_array(request);
    if (!error)
        error = check_each(request);
    for (unsigned a = 0; a < request->ranks && !error; a++)
        for (unsigned b = a + 1; b < request->ranks && !error; b++)
            error = check_overlap(request, a, b);
    for (unsigned r = 0; r < request->ranks && !error; r++)
        error = check_hole(request, r);
    return error;
}

wl_error wl__check_request(const struct wl__request *request) {
    const wl_error error = check_contexts(request);
    return error ? error : wl__check_boxes(request);
}
