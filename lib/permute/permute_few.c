#include "lib/permute/permute_few.h"
#include "lib/cuda/hints.h"
#include "lib/launch.h"
#include "lib/permute/permute_movers.h"

#define VECTOR 16
#define SECTOR 32

/* The last two dimensions of one side, as structures, whose elements are streams on the other side. */
struct streams {
    bool together;   /* from streams to structures: interleave */
    unsigned fields; /* the dimension of them */
    unsigned along;  /* and the one of a stream's elements */
};

/* False if the last two dimensions of neither side are streams of the other.  With fewer than three
 * dimensions the matrix is all of the array, which is a transpose. */
static bool find(const struct wl__permute_shape *shape, struct streams *streams) {
    const unsigned last = shape->by_out[0];
    if (shape->rank < 3 || last == 0)
        return false;
    streams->together = shape->by_out[1] == 0 && shape->dim[last].size <= WL_PERMUTE_FEW_LIMIT;
    streams->fields = streams->together ? last : 0;
    streams->along = streams->together ? 0 : 1;
    return streams->together || (last == 1 && shape->dim[0].size <= WL_PERMUTE_FEW_LIMIT);
}

/* Bytes of a stream in one matrix. */
static uint64_t stream_bytes(const struct wl__permute_shape *shape, const struct streams *streams) {
    return shape->dim[streams->along].size * shape->width;
}

/* Strides of the streams' side are multiples of a stream. */
bool wl__permute_can_few(const struct wl__permute_shape *shape, wl_devptr to, wl_devptr from) {
    struct streams streams;
    return shape->width <= 8 && find(shape, &streams) &&
           (to | from | stream_bytes(shape, &streams)) % VECTOR == 0 &&
           wl__permute_bytes(shape) / VECTOR <= INT32_MAX;
}

/* Columns that become rows are stored by streams, which should be whole sectors unless the L2 has them all.
 */
double wl__permute_cost_few(const wl_context *context, const struct wl__permute_shape *shape) {
    const struct wl__tuned_few *tuned = &context->tuned->permute.few;
    struct streams streams;
    if (!find(shape, &streams))
        return WL_DEAR;
    const uint64_t stream = stream_bytes(shape, &streams), bytes = wl__permute_bytes(shape),
                   threads = bytes / VECTOR / shape->dim[streams.fields].size;
    if (shape->dim[streams.fields].size > tuned->fewest &&
        threads < (shape->width == 8 ? tuned->wide_threads : tuned->threads))
        return WL_DEAR;
    if (bytes <= tuned->small_array)
        return wl__cost_where(stream >= tuned->short_stream[streams.together]);
    return wl__cost_where(stream >= tuned->long_stream && (streams.together || stream % SECTOR == 0) &&
                          (shape->width <= (streams.together ? 4 : 2) || bytes <= tuned->wide_array));
}

static wl__kernel kernel_of(unsigned width, bool together, uint64_t fields) {
    static const wl__kernel first[2][4] = {
        {WL_KERNEL_permute_deinterleave1_2, WL_KERNEL_permute_deinterleave2_2,
         WL_KERNEL_permute_deinterleave4_2, WL_KERNEL_permute_deinterleave8_2},
        {WL_KERNEL_permute_interleave1_2, WL_KERNEL_permute_interleave2_2, WL_KERNEL_permute_interleave4_2,
         WL_KERNEL_permute_interleave8_2}};
    return first[together][__builtin_ctz(width)] + (wl__kernel)(fields - 2);
}

/* The dimensions of the batch, in the structures' order. */
static void fill(struct wl_permute_few *few, const struct wl__permute_shape *shape,
                 const struct streams *streams) {
    struct wl_batch *const batch = &few->batch;
    for (unsigned i = 2; i < shape->rank; i++) {
        const unsigned d = wl__permute_dim(shape, streams->together, i);
        few->from_stride = shape->dim[d].in * shape->width;
        few->to_stride = shape->dim[d].out * shape->width;
        if (i + 1 < shape->rank)
            batch->digit[batch->digits++] =
                (struct wl_batch_digit){wl_divisor(shape->dim[d].size), few->from_stride, few->to_stride};
    }
}

wl_error wl__permute_run_few(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                             wl_devptr from, wl_stream stream) {
    struct streams streams;
    if (!find(shape, &streams))
        return WL_ERROR_MASKED;
    const uint64_t fields = shape->dim[streams.fields].size, bytes = wl__permute_bytes(shape),
                   vectors = bytes / VECTOR / fields;
    struct wl_permute_few few = {
        .from = from,
        .to = to,
        .pitch = shape->width * (streams.together ? shape->dim[streams.fields].in : shape->dim[0].out),
        .hint = 2 * bytes >= context->tuned->large_arrays ? WL_EVICT_LAST : WL_EVICT_NORMAL,
        .vectors = (uint32_t)vectors,
        .by_stream = wl_divisor(stream_bytes(shape, &streams) / VECTOR),
    };
    fill(&few, shape, &streams);
    void *arguments[] = {&few};
    const uint32_t threads = WL_PERMUTE_FEW_THREADS;
    return wl__launch(context, kernel_of(shape->width, streams.together, fields),
                      (uint32_t)((vectors + threads - 1) / threads), 1, (struct wl__block){threads, 1},
                      arguments, stream);
}
