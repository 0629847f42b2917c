/* Chooses the tile that bulk copies fill. */
#include <string.h>

#include "lib/permute/permute_bulk_box.h"

#define NO_COST 1e30

static bool plan_box(struct wl__permute_bulk_plan *plan, const struct box *box, const struct layout *layout,
                     uint64_t to, uint64_t from) {
    plan->bulk.tiles.to = to;
    plan->bulk.tiles.from = from;
    for (unsigned d = 0; d < box->shape->rank; d++) {
        plan->extent[d] = box->extent[d];
        plan->step[d] = box->step[d];
    }
    return wl__permute_bulk_lay_out(plan, box, layout);
}

static const struct layout layouts[] = {{true, false, 128, 0},
                                        {true, false, 32, 32},
                                        {true, false, 16, 16},
                                        {false, false, 128, 0},
                                        {false, false, 32, 32},
                                        {false, false, 16, 16},
                                        {true, true, 32, 0},
                                        {true, true, 16, 0},
                                        /* For packed elements. */
                                        {true, false, 16, 32},
                                        {true, false, 16, 64}};
enum { LAYOUTS = sizeof(layouts) / sizeof(layouts[0]), FOR_PACKED = 2 };

/* The best layout of a box; returns its cost. */
static double best_layout(struct wl__permute_bulk_plan *best, const struct box *box, uint64_t to,
                          uint64_t from) {
    double least = NO_COST;
    for (unsigned i = 0; i < (box->element ? LAYOUTS : LAYOUTS - FOR_PACKED); i++) {
        struct wl__permute_bulk_plan plan;
        const struct layout *layout = &layouts[i];
        if ((!layout->merged && box->row_length == box->side_length && !box->joined_load) ||
            (layout->phase == 128 && box->in_grain >= SECTOR) || !plan_box(&plan, box, layout, to, from))
            continue;
        /* Copies take fewer requests if both ends have the same place within lines, or sectors. */
        const struct wl__tuned_bulk *tuned = box->tuned;
        const bool torn = box->in_grain < SECTOR, off = layout->phase < (torn ? WL_PERMUTE_LINE : SECTOR);
        const double apart = plan.words && plan.bulk.vectors.count
                                 ? (layout->phase < WL_PERMUTE_LINE ? tuned->words.off_lines[!torn] : 0)
                             : !off ? 0
                             : torn ? tuned->off_lines[box->narrow]
                                    : tuned->off_sectors[box->narrow];
        double cost = wl__permute_bulk_cost(box, &plan) + wl__permute_bulk_cost_of_banks(box, &plan) + apart;
        if (cost < least) {
            least = cost;
            *best = plan;
        }
    }
    return least;
}

/* Three dimensions of 4-byte elements in reverse order: tiles of 256 by 512 bytes, through the joined
 * dimensions in streams, are 0.2 to 5 % faster than all others where lines are whole. */
#define REVERSED_IN  64 /* elements */
#define REVERSED_OUT 128

static bool is_reversed(const struct wl__permute_shape *shape, uint64_t to, uint64_t from) {
    return shape->width == 4 && shape->rank == 3 && shape->by_out[0] == 2 && shape->by_out[1] == 1 &&
           shape->dim[0].size % REVERSED_IN == 0 && shape->dim[0].size >= 2 * REVERSED_IN &&
           shape->dim[2].size >= REVERSED_OUT &&
           shape->dim[1].size * shape->dim[2].size * shape->width % SECTOR == 0 && to % SECTOR == 0 &&
           from % WL_PERMUTE_LINE == 0;
}

/* The order of is_reversed()'s tiles, or pairs. */
static enum wl__permute_order order_of(const struct box *box) {
    const struct joined *joined = box->joined;
    if (joined->count == 2 && joined->shape.rank == 2 && box->shape->width == 4 &&
        box->extent[0] == REVERSED_IN && box->extent[1] == REVERSED_OUT && box->in_grain >= WL_PERMUTE_LINE)
        return WL_PERMUTE_STREAMS;
    return WL_PERMUTE_PAIRS;
}

/* Joins the output's first `count` dimensions.  The input's first is not among them. */
static void join(struct joined *joined, const struct wl__permute_shape *shape, unsigned count) {
    unsigned is[WL_RANK_MAX], kept = 0;
    joined->count = count;
    joined->shape = *shape;
    if (count == 1)
        return;
    bool first[WL_RANK_MAX] = {false};
    uint64_t size = 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned d = shape->by_out[i];
        first[d] = true;
        joined->part[i].size = shape->dim[d].size;
        joined->part[i].in = shape->dim[d].in;
        size *= shape->dim[d].size;
    }
    for (unsigned d = 0; d < shape->rank; d++)
        if (!first[d]) {
            is[d] = kept;
            joined->shape.dim[kept++] = shape->dim[d];
        }
    for (unsigned i = count; i < shape->rank; i++)
        joined->shape.by_out[i - count + 1] = is[shape->by_out[i]];
    joined->shape.by_out[0] = kept;
    joined->shape.dim[kept].size = size;
    joined->shape.dim[kept].in = 0;
    joined->shape.dim[kept].out = 1;
    joined->shape.rank = kept + 1;
}

/* The bytes of rows that stay together, if they can be packed as elements; else 0. */
static unsigned packed_of(const struct wl__permute_shape *shape, uint64_t to, uint64_t from) {
    const uint64_t row = shape->dim[0].size;
    return shape->by_out[0] == 0 && row < SECTOR / shape->width
               ? wl__permute_units_of(shape->width * (unsigned)row, to, from)
               : 0;
}

/* How elements may be moved.  PACKED: rows that stay together may be packed.  LOOKED_UP: 4-byte elements go
 * by look-ups. */
enum way { PLAIN, PACKED, LOOKED_UP };

/* By what they are moved: as in struct box. */
struct moved {
    unsigned unit, element;
    bool narrow;
};

/* Makes rows of a few elements that stay together elements of several units. */
static const struct wl__permute_shape *widen(unsigned few, struct wl__permute_shape *wide,
                                             struct moved *moved, const struct wl__permute_shape *shape,
                                             uint64_t to, uint64_t from, enum way way) {
    uint64_t row = shape->dim[0].size;
    *moved = (struct moved){.unit = shape->width, .narrow = shape->width < 4 || way == LOOKED_UP};
    if (shape->width > 8 || shape->rank < 3 || shape->by_out[0] != 0)
        return shape;
    const unsigned packed = way == PACKED ? packed_of(shape, to, from) : 0;
    if (!packed && row > (shape->width <= 2 ? few : few / shape->width))
        return shape;
    *wide = (struct wl__permute_shape){.width = shape->width * (unsigned)row, .rank = shape->rank - 1};
    *moved = (struct moved){packed             ? 1 + (packed % 2 == 0)
                            : shape->width < 4 ? shape->width
                                               : WL_PERMUTE_LOOK_UP,
                            packed, true};
    for (unsigned d = 0; d < wide->rank; d++) {
        wide->dim[d].size = shape->dim[d + 1].size;
        wide->dim[d].in = shape->dim[d + 1].in / row;
        wide->dim[d].out = shape->dim[d + 1].out / row;
        wide->by_out[d] = shape->by_out[d + 1] - 1;
    }
    return wide;
}

/* The first way in which they may be taken. */
static enum taken first_taken(const struct moved *moved, const struct wl__permute_shape *shape) {
    return moved->unit > 2 || shape->width != moved->unit ? WL_TAKEN_ALONG_ROWS
           : moved->unit == 1                             ? WL_TAKEN_BY_WORDS
                                                          : WL_TAKEN_IN_GROUPS;
}

/* Only narrow elements have runs that continue along the rows. */
static bool has_kernel(const struct wl__permute_bulk_plan *plan) {
    return plan->narrow || plan->bulk.turn.count >= plan->bulk.length;
}

bool wl__permute_bulk(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                      const struct wl__permute_shape *shape, unsigned joined_count, const uint64_t *extent,
                      uint64_t to, uint64_t from) {
    struct joined joined;
    struct wl__permute_shape wide;
    struct moved moved;
    shape = widen(tuned->bulk.few, &wide, &moved, shape, to, from, PACKED);
    if (shape->by_out[0] == 0 || moved.unit > 8)
        return false;
    if (shape == &wide)
        extent++;
    join(&joined, shape, joined_count);
    struct box box = {.tuned = &tuned->bulk,
                      .order = &tuned->order,
                      .joined = &joined,
                      .shape = &joined.shape,
                      .unit = moved.unit,
                      .narrow = moved.narrow,
                      .taken = first_taken(&moved, shape),
                      .element = moved.element};
    for (unsigned d = 0; d < joined.shape.rank; d++)
        box.extent[d] = extent[d];
    if (joined_count > 1 && extent[joined.shape.rank - 1] == joined.shape.dim[joined.shape.rank - 1].size)
        return false;
    wl__permute_bulk_look(&box, to, from);
    return best_layout(plan, &box, to, from) < NO_COST && has_kernel(plan) &&
           wl__permute_number(tuned, &plan->bulk.tiles, &joined.shape, plan->extent, plan->step,
                              order_of(&box));
}

/* Grows the extents until about `aim` contiguous bytes of an array are in the tile.  fine: an extent may be
 * less than a sector's elements, by powers of two, where less is wanted. */
static void grow(struct box *box, bool by_out, uint64_t aim, bool fine) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t *extent = box->extent;
    uint64_t run = shape->width;
    for (unsigned i = 0; i < shape->rank && run < aim; i++) {
        unsigned d = wl__permute_dim(shape, by_out, i);
        uint64_t size = shape->dim[d].size, want = wl__divide_up(aim, run), extend = size;
        if (!by_out && shape->dim[d].in * shape->width != run)
            return;
        if (size > want + want / 2) {
            /* Tiles of equal size, with whole sectors and whole pieces where the dimension has them.  Tiles
             * of narrow elements may have less than a piece. */
            uint64_t unit = PIECE / grain_of(run);
            if (!by_out || size % unit || (box->narrow && want < unit))
                unit = SECTOR / (grain_of(run) < SECTOR ? grain_of(run) : SECTOR);
            while (fine && unit > want)
                unit /= 2;
            uint64_t shared = by_out && i == 0 && size % unit ? shared_of(shape->width, box->unit) : 0;
            if (size % unit)
                unit = 1;
            uint64_t units = size / unit, tiles = units / wl__divide_up(want, unit);
            tiles = tiles ? tiles : 1;
            extend = wl__divide_up(units + shared * (tiles - 1), tiles) * unit;
        }
        if (extend > extent[d])
            extent[d] = extend;
        if (extent[d] < size)
            return;
        run *= size;
    }
}

/* Whether these tiles are faster.  They are for elements of up to 8 bytes whose rows begin anywhere, unless a
 * contiguously written tile fits the limit of the other kernels; for 4 bytes also if rows are short in both
 * arrays. */
static bool worth(const struct wl__tuned_permute *tuned, const struct wl__permute_shape *shape,
                  const struct moved *moved, bool shifted) {
    const unsigned unit = moved->unit;
    unsigned last = shape->by_out[0];
    uint64_t in = shape->dim[0].size * shape->width, out = shape->dim[last].size * shape->width;
    if (last == 0 || unit > 8)
        return false;
    if (moved->narrow)
        return shifted || shape->width > unit;
    return !wl__permute_is_whole(tuned, shape) &&
           (shifted || (unit == 4 && in < tuned->short_row && out < tuned->short_row));
}

/* What may be joined: the output's dimensions before the input's last, or before its last two. */
static unsigned joins_of(struct joined *joined, const struct wl__permute_shape *shape) {
    unsigned joins = 0;
    uint64_t rows = 1;
    join(&joined[joins++], shape, 1);
    for (unsigned i = 0; shape->by_out[i] != 0; i++) {
        unsigned next = shape->by_out[i + 1];
        rows *= shape->dim[shape->by_out[i]].size;
        if (rows > INT32_MAX)
            break;
        if (i > 0 && (next == 0 || next == 1))
            join(&joined[joins++], shape, i + 1);
    }
    return joins;
}

/* The cheapest tiles so far, by costs without banks, each in the first layout that fits. */
struct search {
    const struct wl__tuned_permute *tuned;
    uint64_t to, from;
    struct moved moved;
    unsigned tried;
    struct box best[8];
    double cost[8];
};

static void consider_taken(struct search *search, const struct box *box) {
    struct wl__permute_bulk_plan trial;
    if (!plan_box(&trial, box, &layouts[box->in_grain >= SECTOR], search->to, search->from) &&
        (!search->moved.narrow || !plan_box(&trial, box, &layouts[2], search->to, search->from)))
        return;
    const double now = wl__permute_bulk_cost(box, &trial);
    unsigned at = search->tried;
    while (at > 0 && now < search->cost[at - 1])
        at--;
    if (at == search->tried || (at > 0 && now == search->cost[at - 1]))
        return;
    for (unsigned k = search->tried - 1; k > at; k--) {
        search->best[k] = search->best[k - 1];
        search->cost[k] = search->cost[k - 1];
    }
    search->best[at] = *box;
    search->cost[at] = now;
}

static void consider(struct search *search, struct box *box) {
    const struct moved *moved = &search->moved;
    const unsigned last = box->shape->rank - 1,
                   end = !moved->narrow || moved->element ? WL_TAKEN_ALONG_OTHERS : WL_TAKEN_WAYS;
    if (box->joined->count > 1 && box->extent[last] == box->shape->dim[last].size)
        return;
    wl__permute_bulk_look(box, search->to, search->from);
    for (unsigned taken = first_taken(moved, box->shape); taken < end; taken++) {
        box->taken = (enum taken)taken;
        consider_taken(search, box);
    }
}

/* Tries tiles of about so many contiguous bytes in either array. */
static void consider_all(struct search *search, const struct joined *joined) {
    /* Only narrow elements use the last ones. */
    static const unsigned aims[] = {128,  192,  256,  320,  352, 384, 512, 640, 768,
                                    1024, 1536, 2048, 4096, 96,  160, 224, 288, 448};
    enum { ALL = sizeof(aims) / sizeof(aims[0]) };
    const bool narrow = search->moved.narrow;
    const unsigned count = narrow ? ALL : ALL - 5;
    const size_t bytes = joined->shape.rank * sizeof(search->best->extent[0]);
    for (unsigned i = 0; i < count; i++) {
        struct box in[2];
        uint64_t before[2][WL_RANK_MAX] = {{0}};
        for (int fine = 0; fine <= narrow; fine++) {
            in[fine] = (struct box){.tuned = &search->tuned->bulk,
                                    .order = &search->tuned->order,
                                    .joined = joined,
                                    .shape = &joined->shape,
                                    .unit = search->moved.unit,
                                    .narrow = narrow,
                                    .element = search->moved.element};
            for (unsigned d = 0; d < joined->shape.rank; d++)
                in[fine].extent[d] = 1;
            grow(&in[fine], false, aims[i], fine);
        }
        for (unsigned o = 0; o < count; o++)
            for (int fine = 0; fine <= narrow; fine++) {
                struct box box = in[fine];
                grow(&box, true, aims[o], fine);
                const bool again = memcmp(before[fine], box.extent, bytes) == 0;
                memcpy(before[fine], box.extent, bytes);
                if (!again && !(fine && memcmp(before[0], box.extent, bytes) == 0))
                    consider(search, &box);
            }
    }
}

static bool plan_bulk(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                      const struct wl__permute_shape *shape, uint64_t to, uint64_t from, bool shifted,
                      enum way way) {
    if (way != LOOKED_UP && is_reversed(shape, to, from)) {
        const uint64_t extent[WL_RANK_MAX] = {REVERSED_IN, REVERSED_OUT};
        return wl__permute_bulk(tuned, plan, shape, 2, extent, to, from);
    }
    struct search search = {.tuned = tuned, .to = to, .from = from};
    struct wl__permute_shape wide;
    struct joined joined[3];
    shape = widen(tuned->bulk.few, &wide, &search.moved, shape, to, from, way);
    if (!worth(tuned, shape, &search.moved, shifted))
        return false;
    const bool narrow = search.moved.narrow;
    search.tried = narrow ? 6 : 8;
    for (unsigned k = 0; k < search.tried; k++)
        search.cost[k] = NO_COST;
    const unsigned joins = joins_of(joined, shape);
    for (unsigned j = 0; j < joins; j++)
        consider_all(&search, &joined[j]);
    const struct box *chosen = NULL;
    double least = NO_COST;
    for (unsigned k = 0; k < search.tried; k++) {
        struct wl__permute_bulk_plan trial;
        const struct box *box = &search.best[k];
        const double cost = search.cost[k] < NO_COST ? best_layout(&trial, box, to, from) : NO_COST;
        if (cost < least) {
            least = cost;
            *plan = trial;
            chosen = box;
        }
    }
    /* Bytes whose rows are one access go by words or in groups, if that is cheap. */
    const bool access =
        shape->width == 1 && shape->dim[0].size == WL_PERMUTE_ACCESS && from % WL_PERMUTE_ACCESS == 0;
    const double most = access ? tuned->bulk.words.access : tuned->bulk.most,
                 limit = chosen && least < most ? least : most;
    struct wl__permute_bulk_plan records;
    if (narrow && wl__permute_plan_records(tuned, &records, shape, search.moved.unit, search.moved.element,
                                           to, from, limit)) {
        *plan = records;
        return !access;
    }
    if (!chosen || least > most || !has_kernel(plan) || (access && !plan->words && !plan->groups))
        return false;
    plan->cost = least;
    /* With aligned rows, other kernels are faster than tiles that write less than whole pieces. */
    return (shifted || narrow || chosen->out_grain == PIECE) &&
           wl__permute_number(tuned, &plan->bulk.tiles, chosen->shape, plan->extent, plan->step,
                              order_of(chosen));
}

static bool plan_any(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                     const struct wl__permute_shape *shape, uint64_t to, uint64_t from, bool shifted) {
    const struct wl__tuned_units *units = &tuned->bulk.units;
    struct wl__permute_bulk_plan other;
    const bool planned = plan_bulk(tuned, plan, shape, to, from, shifted, PACKED);
    if (!planned && shape->width == WL_PERMUTE_LOOK_UP && shape->by_out[0] != 0)
        return !wl__permute_is_whole(tuned, shape) &&
               plan_bulk(tuned, plan, shape, to, from, shifted, LOOKED_UP) &&
               plan->cost <= tuned->bulk.look_ups;
    if (planned ? !plan->element || plan->cost <= units->dear : !packed_of(shape, to, from))
        return planned;
    /* Columns that begin differently within a sector have lanes at different rows.  Some strides put these
     * into a few banks. */
    if (plan_bulk(tuned, &other, shape, to, from, shifted, PLAIN) &&
        (!planned || other.cost + units->margin < plan->cost)) {
        *plan = other;
        return true;
    }
    return planned;
}

bool wl__permute_plan_bulk(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                           const struct wl__permute_shape *shape, uint64_t to, uint64_t from, bool shifted) {
    if (!plan_any(tuned, plan, shape, to, from, shifted))
        return false;
    if (plan->narrow && !plan->words && !plan->groups && !plan->element)
        wl__permute_look_ups_part_banks(plan);
    return true;
}
