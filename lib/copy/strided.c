/* wl_copy_strided: an array from any strides to any others. */
#include "lib/copy/strided.h"

#include "lib/arguments.h"
#include "lib/error.h"
#include "lib/host/host.h"

static const char call[] = "wl_copy_strided";

/* The distance of a dimension's last element from its first. */
static uint64_t reach_of(uint64_t size, int64_t stride) {
    return wl__multiply(size - 1, wl__stride_size(stride));
}

/* An array from its first byte to its last.  The element at index 0 is at `address`. */
static wl_error find_bytes(struct wl__array *array, uint64_t bytes, unsigned rank, const uint64_t *sizes,
                           const int64_t *strides) {
    uint64_t before = 0, after = bytes;
    for (unsigned d = 0; d < rank; d++) {
        uint64_t *side = strides[d] < 0 ? &before : &after;
        *side = wl__add(*side, reach_of(sizes[d], strides[d]));
    }
    if (!array->address)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call, array->name);
    if (before > array->address)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s goes past the beginning of the address space",
                        call, array->name);
    array->address -= before;
    array->bytes = wl__add(before, after);
    return WL_ERROR_OK;
}

/* Refuses strides by which elements of `to` may share a byte. */
static wl_error check_apart(uint64_t bytes, unsigned rank, const uint64_t *sizes, const int64_t *strides) {
    uint64_t span = bytes; /* of the dimensions so far, from the first byte to the last */
    unsigned done = 0;
    for (unsigned i = 0; i < rank; i++) {
        unsigned least = rank;
        uint64_t smallest = 0;
        for (unsigned d = 0; d < rank; d++) {
            const uint64_t stride = wl__stride_size(strides[d]);
            if (sizes[d] > 1 && !(done & 1u << d) && (least == rank || stride < smallest)) {
                least = d;
                smallest = stride;
            }
        }
        if (least == rank)
            break;
        if (smallest < span)
            return wl__fail(
                WL_ERROR_INVALID_ARGUMENT,
                "%s: to_stride_bytes[%u] is %lld: elements of to would overlap, as those of smaller "
                "strides span %llu bytes",
                call, least, (long long)strides[least], (unsigned long long)span);
        span = wl__add(span, wl__multiply(sizes[least] - 1, smallest));
        done |= 1u << least;
    }
    return WL_ERROR_OK;
}

static wl_error check_shape(size_t element_bytes, const int64_t *to_strides, const int64_t *from_strides,
                            unsigned rank, const uint64_t *sizes) {
    if (element_bytes == 0)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: element_bytes is 0", call);
    if (rank > WL_RANK_MAX)
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: rank is %u: it must be 0 to %d", call, rank,
                        WL_RANK_MAX);
    if (rank && (!to_strides || !from_strides || !sizes))
        return wl__fail(WL_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", call,
                        !sizes        ? "sizes"
                        : !to_strides ? "to_stride_bytes"
                                      : "from_stride_bytes");
    return WL_ERROR_OK;
}

static bool is_empty(unsigned rank, const uint64_t *sizes) {
    for (unsigned d = 0; d < rank; d++)
        if (sizes[d] == 0)
            return true;
    return false;
}

wl_error wl_copy_strided(wl_context *context, size_t element_bytes, wl_devptr to, const int64_t *to_strides,
                         wl_devptr from, const int64_t *from_strides, unsigned rank, const uint64_t *sizes,
                         wl_stream stream) {
    wl_error error = wl__check_context(call, context);
    if (!error)
        error = check_shape(element_bytes, to_strides, from_strides, rank, sizes);
    if (error || is_empty(rank, sizes))
        return error;
    struct wl__reach reach = {.context = context};
    struct wl__array target = {"to", to, 0}, source = {"from", from, 0};
    error = find_bytes(&target, element_bytes, rank, sizes, to_strides);
    if (!error)
        error = find_bytes(&source, element_bytes, rank, sizes, from_strides);
    if (!error)
        error = check_apart(element_bytes, rank, sizes, to_strides);
    if (!error)
        error = wl__check_both(call, &reach, &target, &source, 1);
    if (error)
        return error;
    struct wl__strided all = {.to = to, .from = from, .bytes = element_bytes, .rank = rank};
    for (unsigned d = 0; d < rank; d++)
        all.dim[d] = (struct wl__strided_dimension){sizes[d], to_strides[d], from_strides[d]};
    struct wl__choice choice = {.operation = call,
                                .facts = {{"element_bytes", element_bytes}, {"rank", rank}}};
    if (wl__is_host(context))
        return wl__host_move(context, &choice, &all);
    wl__strided_reduce(&all);
    return wl__strided_move(context, &choice, &all, stream);
}
