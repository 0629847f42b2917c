/* wl_permute: reorders dimensions. */
#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/permute/permute_movers.h"

static const char call[] = "wl_permute";

static wl_error check_shape(unsigned rank, const uint64_t *sizes, const unsigned *order) {
    if (rank > WL_RANK_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: rank is %u: it must be 0 to %d", call, rank,
                        WL_RANK_MAX);
    if (rank && !sizes)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: sizes is NULL", call);
    if (rank && !order)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: order is NULL", call);
    unsigned seen = 0;
    for (unsigned i = 0; i < rank; i++) {
        if (order[i] >= rank || (seen & 1u << order[i]))
            return wl__fail(WL_ERROR_INVALID_ARGUMENT,
                            "%s: order[%u] is %u: order must hold each of 0 to %u once", call, i, order[i],
                            rank - 1);
        seen |= 1u << order[i];
    }
    return WL_ERROR_OK;
}

/* Bytes of an array; 0 if any size is 0, however large the others are. */
static uint64_t bytes_of(unsigned width, unsigned rank, const uint64_t *sizes) {
    uint64_t bytes = width;
    for (unsigned i = 0; i < rank; i++) {
        if (sizes[i] == 0)
            return 0;
        bytes = wl__multiply(bytes, sizes[i]);
    }
    return bytes;
}

static wl_error move_on_host(const wl_context *context, unsigned width, wl_devptr to, wl_devptr from,
                             unsigned rank, const uint64_t *sizes, const unsigned *order) {
    struct wl__strided all = {.to = to, .from = from, .bytes = width, .rank = rank};
    uint64_t bytes = width;
    for (unsigned d = rank; d-- > 0; bytes *= sizes[d]) {
        all.dim[d].size = sizes[d];
        all.dim[d].from = (int64_t)bytes;
    }
    bytes = width;
    for (unsigned i = rank; i-- > 0; bytes *= sizes[order[i]])
        all.dim[order[i]].to = (int64_t)bytes;
    struct wl__choice choice = {.operation = call,
                                .facts = {{"width", width}, {"rank", rank}, {"bytes", bytes}}};
    return wl__host_move(context, &choice, &all);
}

wl_error wl_permute(wl_context *context, unsigned width, wl_devptr to, wl_devptr from, unsigned rank,
                    const uint64_t *sizes, const unsigned *order, wl_stream stream) {
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = wl__check_width(call, width);
    if (!error)
        error = check_shape(rank, sizes, order);
    if (error)
        return error;
    uint64_t bytes = bytes_of(width, rank, sizes);
    struct wl__reach reach = {.context = context};
    const struct wl__array target = {"to", to, bytes}, source = {"from", from, bytes};
    error = wl__check_both(call, &reach, &target, &source, width);
    if (error || bytes == 0)
        return error;
    if (wl__is_host(context))
        return move_on_host(context, width, to, from, rank, sizes, order);

    struct wl__permute_shape shape;
    wl__permute_reduce(&shape, width, to, from, rank, sizes, order);
    struct wl__choice choice = {
        .operation = call,
        .facts = {{"width", width}, {"rank", rank}, {"bytes", bytes}, {"merged rank", shape.rank}}};
    return wl__permute_move(context, &shape, to, from, &choice, stream);
}
