#include "lib/small/small.h"

#include "lib/launch.h"
#include "lib/mover.h"

/* Elements that a box should have contiguous on either side. */
#define RUN 32

/* Bytes of a box of elements of more than 4 bytes, at most: larger boxes are slower. */
#define BYTES 4096

/* A box that is being chosen. */
struct box {
    const struct wl__permute_shape *shape;
    uint32_t extent[WL_RANK_MAX];
    uint32_t elements, parts;
};

bool wl__small_can(const struct wl__permute_shape *shape) {
    uint64_t in = shape->width, out = shape->width;
    for (unsigned d = 0; d < shape->rank; d++) {
        const uint64_t steps = shape->dim[d].size - 1, limit = INT32_MAX;
        if (steps > limit ||
            (steps && (shape->dim[d].in > limit / steps || shape->dim[d].out > limit / steps)))
            return false;
        in += steps * shape->dim[d].in * shape->width;
        out += steps * shape->dim[d].out * shape->width;
    }
    return in <= INT32_MAX && out <= INT32_MAX;
}

/* Makes the box at least `extent` long in a dimension, if it may have one more part. */
static void extend(struct box *box, unsigned d, uint64_t extent) {
    const uint64_t size = box->shape->dim[d].size;
    if (extent > size)
        extent = size;
    if (extent <= box->extent[d] || (box->extent[d] == 1 && box->parts == WL_SMALL_PARTS))
        return;
    box->parts += box->extent[d] == 1;
    box->elements = (uint32_t)(box->elements / box->extent[d] * extent);
    box->extent[d] = (uint32_t)extent;
}

/* Makes the box contiguous for `run` elements in an array's order. */
static void lengthen(struct box *box, bool by_out, uint64_t run) {
    uint64_t now = 1;
    for (unsigned i = 0; i < box->shape->rank && now < run; i++) {
        const unsigned d = wl__permute_dim(box->shape, by_out, i);
        extend(box, d, wl__divide_up(run, now));
        now *= box->extent[d];
        if (box->extent[d] < box->shape->dim[d].size)
            return;
    }
}

/* A box that is as long as it may on both sides; then as large as it may in the input's order. */
static void choose(struct box *box, const struct wl__permute_shape *shape, bool large) {
    uint32_t most = large ? WL_SMALL_MOST : WL_SMALL_MOST / 2;
    if (most > BYTES / shape->width && shape->width > 4)
        most = BYTES / shape->width;
    for (uint64_t run = RUN;; run /= 2) {
        *box = (struct box){.shape = shape, .elements = 1};
        for (unsigned d = 0; d < shape->rank; d++)
            box->extent[d] = 1;
        lengthen(box, false, run);
        lengthen(box, true, run);
        if (box->elements <= most)
            break;
    }
    for (unsigned d = 0; d < shape->rank && 2 * box->elements <= most; d++)
        extend(box, d, most / box->elements * box->extent[d]);
}

uint32_t wl__small_magic(uint32_t count) {
    return ((1u << WL_SMALL_SHIFT) + count - 1) / count;
}

/* Cuts the array into boxes; their number. */
static uint32_t cut(struct wl_small *p, const struct box *box) {
    const struct wl__permute_shape *shape = box->shape;
    uint32_t boxes = 1, parts = 0;
    for (unsigned d = 0; d < shape->rank; d++) {
        const uint32_t extent = box->extent[d], along = (uint32_t)(shape->dim[d].size - 1) / extent + 1;
        const struct wl_small_cut made = {wl_divisor(along),
                                          (uint32_t)(extent * shape->dim[d].in * shape->width),
                                          (uint32_t)(extent * shape->dim[d].out * shape->width)};
        boxes *= along;
        if (extent > 1) {
            p->pair[parts / 2].cut[parts % 2] = made;
            parts++;
        } else {
            p->other[p->others++] = made;
        }
    }
    /* Parts that the box lacks have one element. */
    for (p->parts = (uint16_t)parts; parts < WL_SMALL_PARTS; parts++)
        p->pair[parts / 2].cut[parts % 2].boxes = wl_divisor(1);
    return boxes;
}

/* Lists the box's dimensions in an array's order. */
static void list_parts(struct wl_small *p, const struct box *box, bool by_out) {
    const struct wl__permute_shape *shape = box->shape;
    uint32_t shared[WL_RANK_MAX], place[WL_RANK_MAX], n = 0, next = 1;
    for (unsigned d = 0; d < shape->rank; d++) {
        place[d] = n;
        shared[d] = next;
        n += box->extent[d] > 1;
        next *= box->extent[d];
    }
    n = 0;
    for (unsigned i = 0; i < shape->rank + WL_SMALL_PARTS && n < WL_SMALL_PARTS; i++) {
        struct wl_small_part part = {wl__small_magic(1), 0, 1, 0, (uint16_t)n, 1};
        if (i < shape->rank) {
            const unsigned d = wl__permute_dim(shape, by_out, i);
            const uint32_t extent = box->extent[d];
            if (extent == 1)
                continue;
            const uint64_t stride = by_out ? shape->dim[d].out : shape->dim[d].in;
            part = (struct wl_small_part){
                wl__small_magic(extent), (uint32_t)(stride * shape->width),
                (uint16_t)extent,        (uint16_t)shared[d],
                (uint16_t)place[d],      (uint16_t)((shape->dim[d].size - 1) % extent + 1)};
        }
        *(by_out ? &p->pair[n / 2].out[n % 2] : &p->pair[n / 2].in[n % 2]) = part;
        n++;
    }
}

static double elements_of(const struct wl__permute_shape *shape) {
    double elements = 1;
    for (unsigned d = 0; d < shape->rank; d++)
        elements *= (double)shape->dim[d].size;
    return elements;
}

double wl__small_cost(const wl_context *context, const struct wl__permute_shape *shape, uint32_t others) {
    const struct wl__tuned_small *tuned = &context->tuned->small;
    const double elements = elements_of(shape);
    const bool large = elements >= tuned->large;
    return wl__cost_where(tuned->first[large] + tuned->per_million[large] * 1e-6 * elements < others);
}

wl_error wl__small_move(wl_context *context, const struct wl__permute_shape *shape, wl_devptr to,
                        wl_devptr from, wl_stream stream) {
    static const wl__kernel kernels[][2] = {{WL_KERNEL_small_few1, WL_KERNEL_small_more1},
                                            {WL_KERNEL_small_few2, WL_KERNEL_small_more2},
                                            {WL_KERNEL_small_few4, WL_KERNEL_small_more4},
                                            {WL_KERNEL_small_few8, WL_KERNEL_small_more8},
                                            {WL_KERNEL_small_few16, WL_KERNEL_small_more16}};
    const bool large = elements_of(shape) >= context->tuned->small.large;
    const uint32_t each = large ? WL_SMALL_MORE : WL_SMALL_FEW;
    struct wl_small p = {.to = to, .from = from};
    struct box box;
    choose(&box, shape, large);
    p.elements = box.elements;
    const uint32_t blocks = cut(&p, &box);
    list_parts(&p, &box, false);
    list_parts(&p, &box, true);
    void *arguments[] = {&p};
    return wl__launch(context, kernels[__builtin_ctz(shape->width)][large], blocks, 1,
                      (struct wl__block){((p.elements - 1) / each / 32 + 1) * 32, 1}, arguments, stream);
}
