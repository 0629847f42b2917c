#include "lib/permute/permute_layout.h"

/* With `merge`, rows run through several dimensions: as many as make rows begin at whole accesses wherever
 * tiles begin, or if none do, as many as possible. */
static struct wl__permute_view view_of(const struct wl__permute_shape *shape, const uint64_t *extent,
                                       bool by_out, bool merge, uint64_t address) {
    struct wl__permute_view view = {by_out, true, 0, 1};
    uint64_t whole = 1;
    do {
        unsigned d = wl__permute_dim(shape, by_out, view.merged++);
        uint64_t bits = (whole * shape->dim[d].size | whole * extent[d]) * shape->width | address;
        view.length *= extent[d];
        view.shifted = bits % WL_PERMUTE_ACCESS != 0;
        if (!view.shifted || extent[d] < shape->dim[d].size)
            break;
        whole *= shape->dim[d].size;
    } while (merge && view.merged < shape->rank && extent[wl__permute_dim(shape, by_out, view.merged)] > 1);
    return view;
}

/* The share of a view's accesses that counts. */
static double worth(const struct wl__permute_view *view, unsigned width) {
    unsigned vector = WL_PERMUTE_ACCESS / width;
    return view->shifted ? (double)view->length / (double)(view->length + 2 * vector) : 1;
}

unsigned wl__permute_axes(struct wl__permute_axis *axis, const struct wl__permute_shape *shape,
                          const uint64_t *extent, const uint64_t *pitch, const struct wl__permute_view *view,
                          unsigned cut) {
    unsigned n = 0, width = shape->width, vector = WL_PERMUTE_ACCESS / width,
             d = wl__permute_dim(shape, view->by_out, 0);
    uint64_t count = view->shifted ? wl__divide_up(view->length + vector - 1, vector) : view->length / vector;
    uint64_t lanes = vector == 1 ? 0 : cut / WL_PERMUTE_ACCESS, rest = 1;
    uint64_t shared = vector * pitch[d] * width, begin = view->shifted ? vector : 0;
    if (lanes > 1 && count > lanes && (view->shifted || count % lanes == 0)) {
        rest = wl__divide_up(count, lanes);
        count = lanes;
    }
    if (count > 1)
        axis[n++] = (struct wl__permute_axis){count, shared, WL_PERMUTE_ACCESS, begin};
    for (unsigned i = view->merged; i < shape->rank; i++) {
        d = wl__permute_dim(shape, view->by_out, i);
        if (extent[d] > 1)
            axis[n++] =
                (struct wl__permute_axis){extent[d], pitch[d] * width,
                                          (view->by_out ? shape->dim[d].out : shape->dim[d].in) * width, 0};
    }
    if (rest > 1)
        axis[n++] = (struct wl__permute_axis){rest, lanes * shared, lanes * WL_PERMUTE_ACCESS, lanes * begin};
    return n;
}

/* Wavefronts of the first lanes' accesses to shared memory, each lane's first element: 1 is best.  Wide
 * elements go in halves and quarters of a warp.  Rows are shifted as if the first began at a whole access. */
static unsigned wavefronts(const struct wl__permute_axis *axis, unsigned axes, unsigned width,
                           const struct wl__permute_view *view, uint64_t pitch) {
    uint32_t word[32], step = (uint32_t)(pitch * width);
    unsigned lanes = width <= 4 ? 32 : 128 / width, group = width <= 4 ? 1 : width / 4;
    unsigned place[WL_PERMUTE_AXES] = {0}, in_bank[32] = {0}, worst = 0;
    unsigned first[32] = {0}, next[32]; /* lanes plus 1 whose words differ and are the same modulo 32 */
    uint32_t at = 16 * step;            /* above any shift */
    uint64_t global = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned shift = view->shifted ? (unsigned)(global % WL_PERMUTE_ACCESS) / width : 0;
        word[lane] = (at - shift * step) / 4;
        const unsigned slot = word[lane] % 32;
        unsigned other = first[slot];
        while (other > 0 && word[other - 1] != word[lane])
            other = next[other - 1];
        if (other == 0) {
            const unsigned bank = slot / group;
            next[lane] = first[slot];
            first[slot] = lane + 1;
            in_bank[bank]++;
            worst = in_bank[bank] > worst ? in_bank[bank] : worst;
        }
        unsigned i = 0;
        for (; i < axes; i++) {
            at += (uint32_t)axis[i].shared;
            global += axis[i].global;
            if (++place[i] < axis[i].count)
                break;
            at -= (uint32_t)(axis[i].count * axis[i].shared);
            global -= axis[i].count * axis[i].global;
            place[i] = 0;
        }
        if (i == axes)
            break;
    }
    return worst;
}

/* The other side's first dimension outside my rows: a warp's lanes are neighbours in it. */
static unsigned first_apart(const struct wl__permute_shape *shape, const uint64_t *extent,
                            const struct wl__permute_view *mine, const struct wl__permute_view *other) {
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = wl__permute_dim(shape, other->by_out, i);
        bool within = extent[d] == 1;
        for (unsigned k = 0; k < mine->merged; k++)
            within = within || wl__permute_dim(shape, mine->by_out, k) == d;
        if (!within)
            return d;
    }
    return wl__permute_dim(shape, other->by_out, 0);
}

static void pad(struct wl__permute_layout *memory, const struct wl__permute_shape *shape,
                const uint64_t *extent, const struct wl__permute_view *mine,
                const struct wl__permute_view *other, unsigned rows, unsigned others) {
    unsigned first = first_apart(shape, extent, mine, other);
    uint64_t at = 1;
    bool padded = false;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = wl__permute_dim(shape, mine->by_out, i);
        if (i >= mine->merged && extent[d] > 1) {
            if (d == first)
                at += others;
            else if (!padded)
                at += rows;
            padded = true;
        }
        memory->pitch[d] = at;
        at *= extent[d];
    }
    memory->elements = at;
}

/* Chooses where to cut a view's rows; returns the wavefronts. */
static unsigned best_cut(unsigned *cut, const struct wl__permute_shape *shape, const uint64_t *extent,
                         const uint64_t *pitch, const struct wl__permute_view *view) {
    static const unsigned cuts[] = {0, 128, 64};
    unsigned least = UINT32_MAX;
    for (unsigned i = 0; i < sizeof(cuts) / sizeof(cuts[0]) && least > 1; i++) {
        struct wl__permute_axis axis[WL_PERMUTE_AXES];
        unsigned axes = wl__permute_axes(axis, shape, extent, pitch, view, cuts[i]);
        unsigned wave =
            wavefronts(axis, axes, shape->width, view, pitch[wl__permute_dim(shape, view->by_out, 0)]);
        if (wave < least) {
            least = wave;
            *cut = cuts[i];
        }
    }
    return least;
}

void wl__permute_lay_out(struct wl__permute_layout *best, const struct wl__permute_shape *shape,
                         const uint64_t *extent, uint64_t to, uint64_t from, unsigned *in_best,
                         unsigned *out_best) {
    struct wl__permute_view in = view_of(shape, extent, false, false, from),
                            out = view_of(shape, extent, true, false, to),
                            in_merged = view_of(shape, extent, false, true, from),
                            out_merged = view_of(shape, extent, true, true, to);
    unsigned width = shape->width;
    bool by_out =
        worth(&out_merged, width) * worth(&in, width) > worth(&in_merged, width) * worth(&out, width);
    struct wl__permute_layout trial = {by_out ? in : in_merged, by_out ? out_merged : out, 0, 0, {0}, 0};
    const struct wl__permute_view *mine = by_out ? &trial.out : &trial.in,
                                  *other = by_out ? &trial.in : &trial.out;
    unsigned least = UINT32_MAX;
    for (unsigned rows = 0; rows < 5; rows++)
        for (unsigned others = 0; others < 5; others++) {
            pad(&trial, shape, extent, mine, other, rows, others);
            unsigned in_wave = best_cut(&trial.in_cut, shape, extent, trial.pitch, &trial.in);
            if (in_wave >= least)
                continue;
            unsigned out_wave = best_cut(&trial.out_cut, shape, extent, trial.pitch, &trial.out);
            if (in_wave + out_wave >= least)
                continue;
            least = in_wave + out_wave;
            *best = trial;
            *in_best = in_wave;
            *out_best = out_wave;
            if (least == 2)
                return;
        }
}
