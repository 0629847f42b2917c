#include "lib/permute_plan.h"

#include <string.h>

void wl__permute_reduce(struct wl__permute_shape *shape, unsigned width, uint64_t to, uint64_t from,
                        unsigned rank, const uint64_t *sizes, const unsigned *order) {
    uint64_t size[WL_RANK_MAX];  /* of merged dimensions */
    unsigned first[WL_RANK_MAX]; /* the input dimension each begins with, in the output's order */
    unsigned count = 0;
    /* In the output's order: join dimension to the one before if it follows it in the input too, with nothing
     * but sizes of 1 between. */
    unsigned last = 0;
    for (unsigned i = 0; i < rank; i++) {
        unsigned d = order[i];
        if (sizes[d] == 1)
            continue;
        bool follows = count > 0 && d > last;
        for (unsigned between = last + 1; follows && between < d; between++)
            follows = sizes[between] == 1;
        if (follows) {
            size[count - 1] *= sizes[d];
        } else {
            size[count] = sizes[d];
            first[count++] = d;
        }
        last = d;
    }
    shape->width = width;
    shape->rank = count;
    /* The input's order, innermost first, by the first dimension each stands for. */
    for (unsigned i = 0; i < count; i++) {
        unsigned later = 0;
        for (unsigned j = 0; j < count; j++)
            later += first[j] > first[i];
        shape->dim[later].size = size[i];
        shape->by_out[count - 1 - i] = later;
    }
    bool same = count && shape->by_out[0] == 0;
    if (same) {
        uint64_t row = shape->dim[0].size * width;
        uint64_t bits = row | to | from;
        while (shape->width < 16 && bits % (2 * shape->width) == 0)
            shape->width *= 2;
        shape->dim[0].size = row / shape->width;
        if (shape->dim[0].size == 1) {
            /* The rows are elements now. */
            for (unsigned d = 1; d < count; d++)
                shape->dim[d - 1] = shape->dim[d];
            for (unsigned i = 1; i < count; i++)
                shape->by_out[i - 1] = shape->by_out[i] - 1;
            shape->rank = count = count - 1;
        }
    }
    uint64_t stride = 1;
    for (unsigned d = 0; d < count; d++) {
        shape->dim[d].in = stride;
        stride *= shape->dim[d].size;
    }
    stride = 1;
    for (unsigned i = 0; i < count; i++) {
        shape->dim[shape->by_out[i]].out = stride;
        stride *= shape->dim[shape->by_out[i]].size;
    }
}

/* ---------------------------------------------------------------- a tile's extents */

static uint64_t divide_up(uint64_t a, uint64_t b) {
    return a / b + (a % b != 0);
}

/* Extents such that a tile's elements lie side by side for `aim` bytes or more in the array whose order this
 * is, if the memory allows. */
static void grow(uint64_t *extent, const struct wl__permute_shape *shape, bool by_out, uint64_t aim,
                 unsigned grain) {
    uint64_t run = shape->width;
    for (unsigned i = 0; i < shape->rank && run < aim; i++) {
        unsigned d = by_out ? shape->by_out[i] : i;
        uint64_t size = shape->dim[d].size;
        uint64_t want = divide_up(aim, run);
        uint64_t extend;
        if (size <= want + want / 2) {
            extend = size;
        } else {
            /* Blocks of one size, whole grains where the dimension has whole grains. */
            uint64_t unit = i == 0 && size % grain == 0 ? grain : 1;
            uint64_t units = size / unit, blocks = units / divide_up(want, unit);
            if (blocks == 0)
                blocks = 1;
            extend = divide_up(units, blocks) * unit;
            if (i == 0 && unit < grain && size > 16 * grain) {
                /* Rows begin anywhere.  As many elements as groups of 8 accesses cover wherever they begin,
                 * where the last access of a row of the output is the next tile's. */
                uint64_t share = by_out ? grain - 1 : 0, groups = (want + 4 * grain) / (8 * grain);
                uint64_t most = 8 * grain * (groups ? groups : 1) - (grain - 1) - share;
                extend = divide_up(size - share, divide_up(size - share, most)) + share;
            }
        }
        if (extend > extent[d])
            extent[d] = extend;
        if (extent[d] < size)
            return;
        run *= size;
    }
}

static unsigned run_of(const uint64_t *extent, const struct wl__permute_shape *shape, bool by_out) {
    uint64_t run = shape->width;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = by_out ? shape->by_out[i] : i;
        run *= extent[d];
        if (extent[d] < shape->dim[d].size)
            break;
    }
    return (unsigned)(run < 1u << 30 ? run : 1u << 30);
}

/* Tiles along a dimension: each `step` after the one before, the last ending with the dimension. */
static uint64_t tiles_along(uint64_t size, uint64_t extent, uint64_t step) {
    return size <= extent ? 1 : divide_up(size - extent, step) + 1;
}

/* ---------------------------------------------------------------- division */

static struct wl_permute_divisor divisor(uint64_t count) {
    struct wl_permute_divisor by = {(uint32_t)count, 0, 0};
    while ((2ull << by.shift) < count)
        by.shift++;
    by.magic = (uint32_t)((((uint64_t)1 << 32) << by.shift) / count + 1);
    return by;
}

/* ---------------------------------------------------------------- a side */

struct axis {
    uint64_t count, shared, global; /* bytes */
    uint64_t begin;                 /* elements along a shifted row */
};

static struct wl_permute_part part_of(const struct axis *axis, uint64_t count) {
    return (struct wl_permute_part){divisor(count), (uint32_t)axis->shared, axis->global,
                                    (uint32_t)axis->begin, 0};
}

/* Shares out the accesses that the axes span among threads and passes. */
static bool share_out(struct wl_permute_side *side, const struct axis *axis, unsigned axes, unsigned threads,
                      unsigned most, unsigned *used, unsigned *passes_used, double *lanes) {
    uint64_t inner = 1;
    unsigned i = 0;
    side->parts = 0;
    for (; i < axes && inner * axis[i].count <= threads; i++) {
        if (side->parts == WL_PERMUTE_PARTS)
            return false;
        side->part[side->parts++] = part_of(&axis[i], axis[i].count);
        inner *= axis[i].count;
    }
    uint64_t chunk = 1, chunks = 1, whole = 1;
    if (i < axes) {
        whole = axis[i].count;
        chunks = divide_up(whole, threads / inner);
        chunk = divide_up(whole, chunks);
        chunks = divide_up(whole, chunk);
        if (chunk > 1) {
            if (side->parts == WL_PERMUTE_PARTS)
                return false;
            side->part[side->parts++] = part_of(&axis[i], chunk);
        }
    }
    uint64_t passes = chunks;
    for (unsigned j = i + 1; j < axes; j++)
        passes *= axis[j].count;
    if (passes > most)
        return false;
    uint64_t sum = 0;
    for (unsigned k = 0; k < WL_PERMUTE_PASSES; k++) {
        side->limit[k] = side->shared[k] = side->begin[k] = 0;
        side->global[k] = 0;
        if (k >= passes)
            continue;
        uint64_t at = k % chunks * chunk, rest = k / chunks, left = whole - at;
        side->limit[k] = (uint32_t)(inner * (left < chunk ? left : chunk));
        sum += side->limit[k];
        if (i < axes) {
            side->shared[k] = (uint32_t)(at * axis[i].shared);
            side->global[k] = at * axis[i].global;
            side->begin[k] = (uint32_t)(at * axis[i].begin);
        }
        for (unsigned j = i + 1; j < axes; j++) {
            side->shared[k] += (uint32_t)(rest % axis[j].count * axis[j].shared);
            side->global[k] += rest % axis[j].count * axis[j].global;
            side->begin[k] += (uint32_t)(rest % axis[j].count * axis[j].begin);
            rest /= axis[j].count;
        }
    }
    *used = (unsigned)(inner * chunk);
    *passes_used = (unsigned)passes;
    *lanes = (double)sum / (double)(passes * *used);
    return true;
}

/* ---------------------------------------------------------------- the tile's memory */

/* How one side sees a tile. */
struct view {
    bool by_out, shifted;
    unsigned merged; /* leading dimensions that accesses run through as through one row */
    uint64_t length; /* elements of such a row */
};

static unsigned dim_at(const struct wl__permute_shape *shape, bool by_out, unsigned i) {
    return by_out ? shape->by_out[i] : i;
}

/* With `merge`, rows run through several dimensions: as many as make them begin at whole accesses wherever
 * tiles begin, or if none do, as many as there are. */
static struct view view_of(const struct wl__permute_shape *shape, const uint64_t *extent, bool by_out,
                           bool merge, uint64_t address) {
    struct view view = {by_out, true, 0, 1};
    uint64_t whole = 1;
    do {
        unsigned d = dim_at(shape, by_out, view.merged++);
        uint64_t bits = (whole * shape->dim[d].size | whole * extent[d]) * shape->width | address;
        view.length *= extent[d];
        view.shifted = bits % WL_PERMUTE_ACCESS != 0;
        if (!view.shifted || extent[d] < shape->dim[d].size)
            break;
        whole *= shape->dim[d].size;
    } while (merge && view.merged < shape->rank && extent[dim_at(shape, by_out, view.merged)] > 1);
    return view;
}

/* The share of a view's accesses that count. */
static double worth(const struct view *view, unsigned width) {
    unsigned vector = WL_PERMUTE_ACCESS / width;
    return view->shifted ? (double)view->length / (double)(view->length + 2 * vector) : 1;
}

/* The axes of a side in its array's order, the first counted in accesses.  A first axis of more than `cut`
 * bytes is cut there if it can be, and the rest of it comes last: a warp's lanes are then spread over several
 * rows, whose banks differ where those along a row are some words apart. */
static unsigned axes_of(struct axis *axis, const struct wl__permute_shape *shape, const uint64_t *extent,
                        const uint64_t *pitch, const struct view *view, unsigned cut) {
    unsigned n = 0, width = shape->width, vector = WL_PERMUTE_ACCESS / width,
             d = dim_at(shape, view->by_out, 0);
    uint64_t count = view->shifted ? divide_up(view->length + vector - 1, vector) : view->length / vector;
    uint64_t lanes = vector == 1 ? 0 : cut / WL_PERMUTE_ACCESS, rest = 1;
    uint64_t shared = vector * pitch[d] * width, begin = view->shifted ? vector : 0;
    if (lanes > 1 && count > lanes && (view->shifted || count % lanes == 0)) {
        rest = divide_up(count, lanes);
        count = lanes;
    }
    if (count > 1)
        axis[n++] = (struct axis){count, shared, WL_PERMUTE_ACCESS, begin};
    for (unsigned i = view->merged; i < shape->rank; i++) {
        d = dim_at(shape, view->by_out, i);
        if (extent[d] > 1)
            axis[n++] = (struct axis){extent[d], pitch[d] * width,
                                      (view->by_out ? shape->dim[d].out : shape->dim[d].in) * width, 0};
    }
    if (rest > 1)
        axis[n++] = (struct axis){rest, lanes * shared, lanes * WL_PERMUTE_ACCESS, lanes * begin};
    return n;
}

static void set_row(struct wl_permute_side *side, const struct view *view, unsigned width, uint64_t pitch) {
    unsigned vector = WL_PERMUTE_ACCESS / width;
    side->step = (uint32_t)(pitch * width);
    side->length = (uint32_t)view->length;
    side->whole = view->length >= vector ? (uint32_t)(view->length - vector + 1) : 0;
}

/* Wavefronts of the first lanes' accesses to shared memory, each lane's first element: 1 is best.  Wide
 * elements go in halves and quarters of a warp.  Rows are shifted as if the first began at a whole access. */
static unsigned wavefronts(const struct axis *axis, unsigned axes, unsigned width, const struct view *view,
                           uint64_t pitch) {
    uint32_t word[32], step = (uint32_t)(pitch * width);
    unsigned lanes = width <= 4 ? 32 : 128 / width, group = width <= 4 ? 1 : width / 4;
    unsigned place[WL_RANK_MAX + 1] = {0}, in_bank[32] = {0}, worst = 0;
    uint32_t at = 16 * step; /* more than any shift */
    uint64_t global = 0;
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned shift = view->shifted ? (unsigned)(global % WL_PERMUTE_ACCESS) / width : 0;
        word[lane] = (at - shift * step) / 4;
        bool seen = false;
        for (unsigned other = 0; other < lane && !seen; other++)
            seen = word[other] == word[lane];
        if (!seen) {
            unsigned bank = word[lane] % 32 / group;
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

/* A tile's memory has the order of one side, whose accesses may then run through several dimensions; what
 * pads it so that both sides' banks differ is found by trying. */
struct memory {
    struct view in, out;
    unsigned in_cut, out_cut;    /* bytes; 0: none */
    uint64_t pitch[WL_RANK_MAX]; /* elements */
    uint64_t elements;
};

static void pad(struct memory *memory, const struct wl__permute_shape *shape, const uint64_t *extent,
                const struct view *mine, const struct view *other, unsigned rows, unsigned others) {
    unsigned first = dim_at(shape, other->by_out, 0);
    uint64_t at = 1;
    bool padded = false;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = dim_at(shape, mine->by_out, i);
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

/* Where to cut a view's rows; returns the wavefronts. */
static unsigned best_cut(unsigned *cut, const struct wl__permute_shape *shape, const uint64_t *extent,
                         const uint64_t *pitch, const struct view *view) {
    static const unsigned cuts[] = {0, 128, 64};
    unsigned least = UINT32_MAX;
    for (unsigned i = 0; i < sizeof(cuts) / sizeof(cuts[0]) && least > 1; i++) {
        struct axis axis[WL_RANK_MAX + 1];
        unsigned axes = axes_of(axis, shape, extent, pitch, view, cuts[i]);
        unsigned wave = wavefronts(axis, axes, shape->width, view, pitch[dim_at(shape, view->by_out, 0)]);
        if (wave < least) {
            least = wave;
            *cut = cuts[i];
        }
    }
    return least;
}

static void lay_out(struct memory *best, struct wl__permute_plan *plan,
                    const struct wl__permute_shape *shape) {
    const uint64_t *extent = plan->extent;
    uint64_t from = plan->tiles.from, to = plan->tiles.to;
    struct view in = view_of(shape, extent, false, false, from),
                out = view_of(shape, extent, true, false, to),
                in_merged = view_of(shape, extent, false, true, from),
                out_merged = view_of(shape, extent, true, true, to);
    unsigned width = shape->width;
    bool by_out =
        worth(&out_merged, width) * worth(&in, width) > worth(&in_merged, width) * worth(&out, width);
    struct memory trial = {by_out ? in : in_merged, by_out ? out_merged : out, 0, 0, {0}, 0};
    const struct view *mine = by_out ? &trial.out : &trial.in, *other = by_out ? &trial.in : &trial.out;
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
            plan->in_wave = in_wave;
            plan->out_wave = out_wave;
            if (least == 2)
                return;
        }
}

/* The order of tiles. */
struct walk {
    struct wl__permute_plan *plan;
    const struct wl__permute_shape *shape;
    uint64_t left[WL_RANK_MAX]; /* tiles along a dimension that are not numbered yet */
    uint64_t count;
};

/* Numbers `count` of the tiles along d that are left. */
static void number(struct walk *walk, unsigned d, uint64_t count) {
    struct wl_permute_tiles *tiles = &walk->plan->tiles;
    uint64_t extent = walk->plan->extent[d], size = walk->shape->dim[d].size, each = walk->plan->step[d];
    uint64_t blocks = tiles_along(size, extent, each), step = blocks / walk->left[d] * each;
    uint64_t back = walk->left[d] == count ? (blocks - 1) * each + extent - size : 0;
    uint64_t in = walk->shape->dim[d].in * walk->shape->width,
             out = walk->shape->dim[d].out * walk->shape->width;
    walk->left[d] /= count;
    if (count > 1)
        tiles->digit[tiles->digits++] = (struct wl_permute_digit){divisor(count), each < extent, step * in,
                                                                  step * out,     back * in,     back * out};
    walk->count *= count;
}

/* The next tiles in an array's order: about `aim`, in as many dimensions as it takes. */
static void number_some(struct walk *walk, bool by_out, uint64_t aim) {
    uint64_t now = 1;
    for (unsigned i = 0; i < walk->shape->rank && now < aim; i++) {
        unsigned d = dim_at(walk->shape, by_out, i);
        uint64_t size = walk->shape->dim[d].size, extent = walk->plan->extent[d], count = walk->left[d];
        if (size % extent == 0 && walk->plan->step[d] == extent)
            while ((count + 1) / 2 > divide_up(aim, now) || walk->left[d] % count)
                count--;
        number(walk, d, count);
        now *= count;
    }
}

static bool number_tiles(struct wl__permute_plan *plan, const struct wl__permute_shape *shape,
                         unsigned order) {
    struct walk walk = {plan, shape, {0}, 1};
    plan->tiles.digits = 0;
    for (unsigned d = 0; d < shape->rank; d++)
        walk.left[d] = tiles_along(shape->dim[d].size, plan->extent[d], plan->step[d]);
    if (order == 2 || order == 3) {
        for (unsigned i = 0; i < 2 * shape->rank; i++) {
            unsigned k = 0;
            for (; k < shape->rank && walk.left[dim_at(shape, (i + order) % 2, k)] == 1; k++)
                ;
            if (k < shape->rank) {
                unsigned d = dim_at(shape, (i + order) % 2, k);
                number(&walk, d, walk.left[d]);
            }
        }
    }
    if (order >= 4) {
        static const unsigned some[][2] = {{4, 4}, {8, 8}, {16, 16}, {32, 8}, {8, 32}, {64, 1}};
        number_some(&walk, true, some[order - 4][0]);
        number_some(&walk, false, some[order - 4][1]);
    }
    number_some(&walk, order != 0, UINT64_MAX);
    if (walk.count > INT32_MAX || plan->tiles.digits > WL_PERMUTE_DIGITS)
        return false;
    plan->tiles.tiles = (uint32_t)walk.count;
    plan->tiles.bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++)
        plan->tiles.bytes *= shape->dim[d].size;
    plan->tiles.whole =
        plan->tiles.bytes >= WL_PERMUTE_ACCESS ? plan->tiles.bytes - WL_PERMUTE_ACCESS + 1 : 0;
    return true;
}

bool wl__permute_tile(struct wl__permute_plan *plan, const struct wl__permute_shape *shape,
                      const struct wl__permute_aim *aim) {
    unsigned rank = shape->rank, width = shape->width;
    uint64_t *extent = plan->extent;
    for (unsigned d = 0; d < rank; d++)
        extent[d] = 1;
    unsigned grain = WL_PERMUTE_ACCESS / width;
    grow(extent, shape, false, aim->in_run, grain);
    grow(extent, shape, true, aim->out_run, grain);
    uint64_t elements = 1;
    for (unsigned d = 0; d < rank; d++)
        elements *= extent[d];
    if (elements * width > aim->memory)
        return false;
    plan->width = width;
    plan->in_run = run_of(extent, shape, false);
    plan->out_run = run_of(extent, shape, true);
    struct memory memory;
    lay_out(&memory, plan, shape);
    plan->in_shifted = memory.in.shifted;
    plan->out_shifted = memory.out.shifted;
    /* Shifted rows of the output end with a whole access, where they do not end their dimension: tiles share
     * the elements that may be left over, and the next one stores them. */
    unsigned out0 = shape->by_out[0];
    bool shares = memory.out.shifted && memory.out.merged == 1 && extent[out0] < shape->dim[out0].size &&
                  extent[out0] > 2 * grain && (memory.in.shifted || out0 >= memory.in.merged);
    plan->traffic = 1;
    for (unsigned d = 0; d < rank; d++) {
        plan->step[d] = shares && d == out0 ? extent[d] - (grain - 1) : extent[d];
        plan->traffic *= (double)(tiles_along(shape->dim[d].size, extent[d], plan->step[d]) * extent[d]) /
                         (double)shape->dim[d].size;
    }
    plan->memory = (unsigned)(memory.elements * width);
    struct axis in_axis[WL_RANK_MAX + 1], out_axis[WL_RANK_MAX + 1];
    unsigned in_axes = axes_of(in_axis, shape, extent, memory.pitch, &memory.in, memory.in_cut);
    unsigned out_axes = axes_of(out_axis, shape, extent, memory.pitch, &memory.out, memory.out_cut);
    unsigned in_threads, out_threads, in_passes, out_passes;
    double in_lanes, out_lanes;
    if (!share_out(&plan->tiles.in, in_axis, in_axes, aim->threads, aim->passes, &in_threads, &in_passes,
                   &in_lanes) ||
        !share_out(&plan->tiles.out, out_axis, out_axes, aim->threads, aim->passes, &out_threads, &out_passes,
                   &out_lanes))
        return false;
    set_row(&plan->tiles.in, &memory.in, width, memory.pitch[0]);
    set_row(&plan->tiles.out, &memory.out, width, memory.pitch[out0]);
    unsigned threads = in_threads > out_threads ? in_threads : out_threads;
    plan->threads = (threads + 31) / 32 * 32;
    plan->passes = in_passes > out_passes ? in_passes : out_passes;
    in_lanes *= (double)in_threads / plan->threads;
    out_lanes *= (double)out_threads / plan->threads;
    plan->lanes = in_lanes < out_lanes ? in_lanes : out_lanes;

    return number_tiles(plan, shape, aim->walk);
}

bool wl__permute_rows(struct wl__permute_plan *plan, const struct wl__permute_shape *shape,
                      const struct wl__permute_aim *aim) {
    unsigned width = shape->width;
    for (unsigned d = 0; d < shape->rank; d++)
        plan->extent[d] = 1;
    grow(plan->extent, shape, true, aim->out_run, 1);
    uint64_t elements = 1;
    plan->traffic = 1;
    struct axis in_axis[WL_RANK_MAX], out_axis[WL_RANK_MAX];
    unsigned axes = 0;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = shape->by_out[i];
        uint64_t extent = plan->extent[d];
        plan->step[d] = extent;
        elements *= extent;
        plan->traffic *=
            (double)(divide_up(shape->dim[d].size, extent) * extent) / (double)shape->dim[d].size;
        if (extent > 1) {
            in_axis[axes] = (struct axis){extent, 0, shape->dim[d].in * width, 0};
            out_axis[axes++] = (struct axis){extent, 0, shape->dim[d].out * width, 0};
        }
    }
    if (elements * width > aim->memory)
        return false;
    plan->width = width;
    plan->in_shifted = plan->out_shifted = false;
    plan->in_run = run_of(plan->extent, shape, false);
    plan->out_run = run_of(plan->extent, shape, true);
    plan->memory = plan->in_wave = plan->out_wave = 0;
    unsigned threads;
    if (!share_out(&plan->tiles.in, in_axis, axes, aim->threads, aim->passes, &threads, &plan->passes,
                   &plan->lanes) ||
        !share_out(&plan->tiles.out, out_axis, axes, aim->threads, aim->passes, &threads, &plan->passes,
                   &plan->lanes))
        return false;
    plan->threads = (threads + 31) / 32 * 32;
    return number_tiles(plan, shape, aim->walk);
}

/* ---------------------------------------------------------------- the choice */

#define THREADS 256
#define MEMORY  (44 * 1024) /* padding comes on top; a block may have 48 KB */

/* Tiles in the output's order finish what they write soonest, and that is best where what they read is long;
 * else neighbours in the input, which share 64 bytes of memory at the ends of their rows, should not be far
 * apart. */
static unsigned walk_for(unsigned in_run) {
    return in_run >= 250 ? 1 : 4;
}

bool wl__permute_plan_rows(struct wl__permute_plan *plan, const struct wl__permute_shape *shape, uint64_t to,
                           uint64_t from) {
    if (shape->by_out[0] != 0 || shape->width < 8 || shape->dim[0].size * shape->width < 128)
        return false;
    plan->tiles.to = to;
    plan->tiles.from = from;
    for (unsigned run = 12288; run >= 1024; run /= 2) {
        const struct wl__permute_aim aim = {
            0, run, THREADS * WL_PERMUTE_PASSES * 16, THREADS, WL_PERMUTE_PASSES, 1};
        if (wl__permute_rows(plan, shape, &aim))
            return true;
    }
    return false;
}

/* What a tile is thought to cost, 1 being a copy: fitted to an H200's times of some thousand plans. */
static double cost_of(const struct wl__permute_shape *shape, const uint64_t *extent) {
    double traffic = 1, bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++) {
        bytes *= (double)extent[d];
        traffic *=
            (double)(divide_up(shape->dim[d].size, extent[d]) * extent[d]) / (double)shape->dim[d].size;
    }
    if (bytes > MEMORY)
        return 1e30;
    double passes = bytes / (THREADS * WL_PERMUTE_ACCESS);
    double blocks = passes <= 4 ? 6 : passes <= 6 ? 5 : 4, fit = 220 * 1024 / (bytes + 1024);
    double in_flight = bytes * (blocks < fit ? blocks : fit);
    return traffic * (1 + 3.6 / run_of(extent, shape, false) + 11.8 / run_of(extent, shape, true)) +
           0.085 * (1 - in_flight / (395 * 1024)) + 43 / bytes;
}

bool wl__permute_plan_tiles(struct wl__permute_plan *plan, const struct wl__permute_shape *shape, uint64_t to,
                            uint64_t from) {
    static const unsigned runs[] = {1, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    enum { RUNS = sizeof(runs) / sizeof(runs[0]) };
    double cost[RUNS][RUNS];
    unsigned grain = WL_PERMUTE_ACCESS / shape->width;
    for (unsigned i = 0; i < RUNS; i++) {
        uint64_t in_extent[WL_RANK_MAX];
        for (unsigned d = 0; d < shape->rank; d++)
            in_extent[d] = 1;
        grow(in_extent, shape, false, runs[i], grain);
        for (unsigned o = 0; o < RUNS; o++) {
            uint64_t extent[WL_RANK_MAX];
            memcpy(extent, in_extent, sizeof(extent));
            grow(extent, shape, true, runs[o], grain);
            cost[i][o] = cost_of(shape, extent);
        }
    }
    plan->tiles.to = to;
    plan->tiles.from = from;
    /* The cheapest that can be made; of one element to a tile all can. */
    for (;;) {
        unsigned in = 0, out = 0;
        for (unsigned i = 0; i < RUNS; i++)
            for (unsigned o = 0; o < RUNS; o++)
                if (cost[i][o] < cost[in][out])
                    in = i, out = o;
        if (cost[in][out] >= 1e30)
            return false;
        cost[in][out] = 1e30;
        struct wl__permute_aim aim = {runs[in], runs[out], MEMORY, THREADS, WL_PERMUTE_PASSES, 1};
        uint64_t extent[WL_RANK_MAX];
        for (unsigned d = 0; d < shape->rank; d++)
            extent[d] = 1;
        grow(extent, shape, false, aim.in_run, grain);
        grow(extent, shape, true, aim.out_run, grain);
        aim.walk = walk_for(run_of(extent, shape, false));
        if (wl__permute_tile(plan, shape, &aim) && plan->memory <= 48 * 1024)
            return true;
    }
}
