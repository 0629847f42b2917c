#include "lib/permute/permute_plan.h"

/* ---------------------------------------------------------------- a tile's extents */

/* Grows the extents until a tile has `aim` or more contiguous bytes in the array of this order, if memory
 * allows. */
static void grow(uint64_t *extent, const struct wl__permute_shape *shape, bool by_out, uint64_t aim,
                 unsigned grain) {
    uint64_t run = shape->width;
    for (unsigned i = 0; i < shape->rank && run < aim; i++) {
        unsigned d = by_out ? shape->by_out[i] : i;
        uint64_t size = shape->dim[d].size;
        uint64_t want = wl__divide_up(aim, run);
        uint64_t extend;
        if (size <= want + want / 2) {
            extend = size;
        } else {
            /* Equal blocks, with whole grains where the dimension has whole grains. */
            uint64_t unit = i == 0 && size % grain == 0 ? grain : 1;
            uint64_t units = size / unit, blocks = units / wl__divide_up(want, unit);
            if (blocks == 0)
                blocks = 1;
            extend = wl__divide_up(units, blocks) * unit;
            if (i == 0 && unit < grain && size > 16 * grain) {
                /* Rows begin anywhere.  Takes the elements that groups of 8 accesses cover wherever they
                 * begin; the last access of a row of the output belongs to the next tile. */
                uint64_t share = by_out ? grain - 1 : 0, groups = (want + 4 * grain) / (8 * grain);
                uint64_t most = 8 * grain * (groups ? groups : 1) - (grain - 1) - share;
                extend = wl__divide_up(size - share, wl__divide_up(size - share, most)) + share;
            }
        }
        if (extend > extent[d])
            extent[d] = extend;
        if (extent[d] < size)
            return;
        run *= size;
    }
}

void wl__permute_extents(uint64_t *extent, const struct wl__permute_shape *shape, unsigned in_run,
                         unsigned out_run) {
    for (unsigned d = 0; d < shape->rank; d++)
        extent[d] = 1;
    grow(extent, shape, false, in_run, WL_PERMUTE_ACCESS / shape->width);
    grow(extent, shape, true, out_run, WL_PERMUTE_ACCESS / shape->width);
}

unsigned wl__permute_run(const uint64_t *extent, const struct wl__permute_shape *shape, bool by_out) {
    uint64_t run = shape->width;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = by_out ? shape->by_out[i] : i;
        run *= extent[d];
        if (extent[d] < shape->dim[d].size)
            break;
    }
    return (unsigned)(run < 1u << 30 ? run : 1u << 30);
}

/* Tiles along a dimension: each is `step` after the previous one, and the last ends with the dimension. */
static uint64_t tiles_along(uint64_t size, uint64_t extent, uint64_t step) {
    return size <= extent ? 1 : wl__divide_up(size - extent, step) + 1;
}
/* ---------------------------------------------------------------- division */

struct wl_permute_divisor wl__permute_divisor(uint64_t count) {
    struct wl_permute_divisor by = {(uint32_t)count, 0, 0};
    /* The least by which 2 << shift is not less than count. */
    by.shift = count > 2 ? 63 - (uint32_t)__builtin_clzll(count - 1) : 0;
    by.magic = (uint32_t)((((uint64_t)1 << 32) << by.shift) / count + 1);
    return by;
}

/* ---------------------------------------------------------------- a side */

static struct wl_permute_part part_of(const struct wl__permute_axis *axis, uint64_t count) {
    return (struct wl_permute_part){wl__permute_divisor(count), (uint32_t)axis->shared, axis->global,
                                    (uint32_t)axis->begin, 0};
}

bool wl__permute_share(struct wl_permute_side *side, struct wl__permute_accesses *out,
                       const struct wl__permute_axis *axis, unsigned axes, unsigned threads, unsigned most) {
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
        chunks = wl__divide_up(whole, threads / inner);
        chunk = wl__divide_up(whole, chunks);
        chunks = wl__divide_up(whole, chunk);
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
    out->threads = (unsigned)(inner * chunk);
    out->passes = (unsigned)passes;
    out->lanes = (double)sum / (double)(passes * out->threads);
    return true;
}

/* The same for a view's rows.  Rows are not cut if that would need too many passes. */
static bool share_side(struct wl_permute_side *side, struct wl__permute_accesses *out,
                       const struct wl__permute_shape *shape, const uint64_t *extent, const uint64_t *pitch,
                       const struct wl__permute_view *view, unsigned cut, const struct wl__permute_aim *aim) {
    struct wl__permute_axis axis[WL_PERMUTE_AXES];
    unsigned axes = wl__permute_axes(axis, shape, extent, pitch, view, cut);
    if (wl__permute_share(side, out, axis, axes, aim->threads, aim->passes))
        return true;
    if (cut == 0)
        return false;
    axes = wl__permute_axes(axis, shape, extent, pitch, view, 0);
    return wl__permute_share(side, out, axis, axes, aim->threads, aim->passes);
}

static void set_row(struct wl_permute_side *side, const struct wl__permute_view *view, unsigned width,
                    uint64_t pitch) {
    unsigned vector = WL_PERMUTE_ACCESS / width;
    side->step = (uint32_t)(pitch * width);
    side->length = (uint32_t)view->length;
    side->whole = view->length >= vector ? (uint32_t)(view->length - vector + 1) : 0;
}

/* ---------------------------------------------------------------- the order of tiles */

struct walk {
    const struct wl__tuned_order *tuned;
    struct wl_permute_tiles *tiles;
    const uint64_t *extent, *step;
    const struct wl__permute_shape *shape;
    uint64_t group, streams;   /* tiles of joined dimensions that come together; places far apart */
    uint64_t low[WL_RANK_MAX]; /* numbered tiles along a dimension */
    uint64_t left[WL_RANK_MAX];
    uint64_t count;
};

/* Tiles of joined dimensions that come together, in each of so many streams.  The last group, or stream, is
 * moved back as a whole, so some tiles are moved twice: of groups near the best size it is the nearest that
 * costs 1 tile in 64 at most, or else the one that costs least. */
static uint64_t group_of(const struct wl__tuned_order *tuned, uint64_t tiles, uint64_t streams) {
    uint64_t best = tiles, least = UINT64_MAX;
    if (tiles <= tuned->group)
        return tiles;
    for (uint64_t group = 2; group <= 2 * tuned->group; group++) {
        const uint64_t twice = wl__divide_up(tiles, group * streams) * group * streams - tiles,
                       apart = group < tuned->group ? tuned->group - group : group - tuned->group,
                       cost = (twice <= tiles / 64 ? 0 : twice) * 2 * tuned->group + apart;
        if (cost < least) {
            least = cost;
            best = group;
        }
    }
    return best;
}

uint64_t wl__permute_joined_tiles(const struct wl__tuned_order *tuned, uint64_t tiles) {
    const uint64_t group = group_of(tuned, tiles, 1);
    return wl__divide_up(tiles, group) * group;
}

/* Joined dimensions have a stride of 0 in the input. */
static bool is_joined(const struct walk *walk, unsigned d) {
    return walk->shape->dim[d].in == 0;
}

/* Tiles along a dimension that are numbered. */
static uint64_t numbered_along(const struct walk *walk, unsigned d) {
    const uint64_t tiles = tiles_along(walk->shape->dim[d].size, walk->extent[d], walk->step[d]),
                   together = is_joined(walk, d) ? walk->group * walk->streams : 1;
    return wl__divide_up(tiles, together) * together;
}

/* Finds how joined dimensions are walked: every order takes groups of their tiles first.  Streams are for
 * many tiles. */
static void find_group(struct walk *walk, bool streams) {
    const struct wl__tuned_order *tuned = walk->tuned;
    const unsigned d = walk->shape->by_out[0];
    const uint64_t tiles = tiles_along(walk->shape->dim[d].size, walk->extent[d], walk->step[d]);
    walk->streams =
        streams && is_joined(walk, d) && tiles > 4 * tuned->group * tuned->streams ? tuned->streams : 1;
    walk->group = group_of(tuned, tiles, walk->streams);
}

/* Adds the next digit of a tile's number: `count` tiles along d, `apart` tiles from each other.  The last of
 * the highest digit is moved back. */
static void add_digit(struct walk *walk, unsigned d, uint64_t count, uint64_t apart, bool highest) {
    struct wl_permute_tiles *tiles = walk->tiles;
    uint64_t extent = walk->extent[d], size = walk->shape->dim[d].size, each = walk->step[d];
    uint64_t step = apart * each, back = highest ? (numbered_along(walk, d) - 1) * each + extent - size : 0;
    uint64_t in = walk->shape->dim[d].in * walk->shape->width,
             out = walk->shape->dim[d].out * walk->shape->width;
    walk->left[d] /= count;
    if (count > 1)
        tiles->digit[tiles->digits++] = (struct wl_permute_digit){
            wl__permute_divisor(count), each < extent,          step * in, step * out, back * in, back * out,
            in ? 0 : (uint32_t)step,    in ? 0 : (uint32_t)back};
    walk->count *= count;
}

/* Numbers `count` of the tiles left along d. */
static void number(struct walk *walk, unsigned d, uint64_t count) {
    uint64_t all = numbered_along(walk, d), apart = walk->low[d];
    walk->low[d] *= count;
    add_digit(walk, d, count, apart, walk->low[d] == all);
}

/* Numbers the streams of joined dimensions: their beginnings come first. */
static void number_streams(struct walk *walk) {
    const unsigned d = walk->shape->by_out[0];
    if (walk->streams > 1)
        add_digit(walk, d, walk->streams, walk->left[d] / walk->streams, true);
}

/* Numbers tiles along d so that they make about `aim` with the `now` that there are; returns how many. Takes
 * all if the numbered ones do not cover the dimension evenly, as only all of them can then be numbered, or if
 * nothing near the aim divides them. */
static uint64_t number_along(struct walk *walk, unsigned d, uint64_t aim, uint64_t now) {
    uint64_t size = walk->shape->dim[d].size, extent = walk->extent[d], all = walk->left[d], count = all,
             want = wl__divide_up(aim, now);
    if (is_joined(walk, d) && all > walk->group) {
        if (walk->low[d] == 1)
            count = walk->group;
    } else if (size % extent == 0 && walk->step[d] == extent) {
        while ((count + 1) / 2 > want || all % count)
            count--;
        if (count < want / 2 && all <= 4 * want)
            count = all;
    }
    number(walk, d, count);
    return count;
}

/* The next tiles in the output's order: about `aim`, in as many dimensions as necessary. */
static void number_some(struct walk *walk, uint64_t aim) {
    uint64_t now = 1;
    for (unsigned i = 0; i < walk->shape->rank && now < aim; i++)
        now *= number_along(walk, walk->shape->by_out[i], aim, now);
}

/* The next tiles in the input's order, so that contiguous data is loaded at about the same time.  Leaves out
 * those far apart in the output if loads already have whole lines, or are long: this keeps what all blocks
 * write at a time close together. */
static void number_near(struct walk *walk) {
    const struct wl__permute_shape *shape = walk->shape;
    uint64_t now = 1, run = wl__permute_run(walk->extent, shape, false);
    for (unsigned d = 0; d < shape->rank && now < walk->tuned->square; d++) {
        uint64_t apart = walk->step[d] * shape->dim[d].out * shape->width;
        bool whole = run % WL_PERMUTE_LINE == 0;
        if (walk->left[d] > 1 && apart > walk->tuned->far &&
            (whole || (d > 0 && run >= walk->tuned->long_run)))
            return;
        now *= number_along(walk, d, walk->tuned->square, now);
        run *= tiles_along(shape->dim[d].size, walk->extent[d], walk->step[d]) / walk->left[d];
    }
}

/* Two tiles that are contiguous in the input.  If they share lines and their number is odd, the fewest that
 * can be numbered, unless that is many. */
static void number_pair(struct walk *walk) {
    const struct wl__permute_shape *shape = walk->shape;
    bool whole = wl__permute_run(walk->extent, shape, false) % WL_PERMUTE_LINE == 0;
    unsigned d = 0;
    while (d < shape->rank - 1 && walk->left[d] == 1)
        d++;
    uint64_t all = walk->left[d], count = 2, most = whole ? 2 : 4 * walk->tuned->square;
    if (shape->dim[d].size % walk->extent[d] || walk->step[d] < walk->extent[d])
        count = all;
    while (count < all && all % count)
        count++;
    if (all > 1 && shape->dim[d].in != 0 && count <= most)
        number(walk, d, count);
}

bool wl__permute_number(const struct wl__tuned_permute *tuned, struct wl_permute_tiles *tiles,
                        const struct wl__permute_shape *shape, const uint64_t *extent, const uint64_t *step,
                        enum wl__permute_order order) {
    struct walk walk = {&tuned->order, tiles, extent, step, shape, 1, 1, {0}, {0}, 1};
    find_group(&walk, order == WL_PERMUTE_STREAMS);
    tiles->digits = 0;
    for (unsigned d = 0; d < shape->rank; d++) {
        walk.low[d] = 1;
        walk.left[d] = numbered_along(&walk, d);
    }
    number_streams(&walk);
    if (order == WL_PERMUTE_PAIRS)
        number_pair(&walk);
    number_some(&walk, tuned->order.square);
    if (order == WL_PERMUTE_NEAR)
        number_near(&walk);
    number_some(&walk, UINT64_MAX);
    if (walk.count > INT32_MAX || tiles->digits > WL_PERMUTE_DIGITS)
        return false;
    tiles->tiles = (uint32_t)walk.count;
    tiles->bytes = shape->width;
    for (unsigned d = 0; d < shape->rank; d++)
        tiles->bytes *= shape->dim[d].size;
    tiles->whole = tiles->bytes >= WL_PERMUTE_ACCESS ? tiles->bytes - WL_PERMUTE_ACCESS + 1 : 0;
    return true;
}

bool wl__permute_tile(const struct wl__tuned_permute *tuned, struct wl__permute_plan *plan,
                      const struct wl__permute_shape *shape, const struct wl__permute_aim *aim) {
    unsigned rank = shape->rank, width = shape->width;
    uint64_t *extent = plan->extent;
    unsigned grain = WL_PERMUTE_ACCESS / width;
    uint64_t elements = 1;
    for (unsigned d = 0; d < rank; d++) {
        extent[d] = aim->extent[d];
        elements *= extent[d];
    }
    if (elements * width > aim->memory)
        return false;
    plan->width = width;
    plan->is_async = false;
    plan->in_run = wl__permute_run(extent, shape, false);
    plan->out_run = wl__permute_run(extent, shape, true);
    struct wl__permute_layout memory;
    wl__permute_lay_out(&memory, shape, extent, plan->sides.tiles.to, plan->sides.tiles.from, &plan->in_wave,
                        &plan->out_wave);
    plan->in_shifted = memory.in.shifted;
    plan->out_shifted = memory.out.shifted;
    /* Shifted rows of the output end with a whole access, unless they end their dimension: tiles share the
     * elements that may be left over, and the next tile stores them. */
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
    struct wl__permute_accesses in_accesses, out_accesses;
    if (!share_side(&plan->sides.in, &in_accesses, shape, extent, memory.pitch, &memory.in, memory.in_cut,
                    aim) ||
        !share_side(&plan->sides.out, &out_accesses, shape, extent, memory.pitch, &memory.out, memory.out_cut,
                    aim))
        return false;
    set_row(&plan->sides.in, &memory.in, width, memory.pitch[0]);
    set_row(&plan->sides.out, &memory.out, width, memory.pitch[out0]);
    const struct wl__permute_accesses *in = &in_accesses, *out = &out_accesses;
    unsigned threads = in->threads > out->threads ? in->threads : out->threads;
    plan->threads = (threads + 31) / 32 * 32;
    plan->in_passes = in->passes;
    plan->out_passes = out->passes;
    plan->passes = in->passes > out->passes ? in->passes : out->passes;
    double in_lanes = in->lanes * in->threads / plan->threads,
           out_lanes = out->lanes * out->threads / plan->threads;
    plan->lanes = in_lanes < out_lanes ? in_lanes : out_lanes;

    return wl__permute_number(tuned, &plan->sides.tiles, shape, extent, plan->step, WL_PERMUTE_NEAR);
}
