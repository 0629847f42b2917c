#include "lib/permute/permute_bulk_box.h"

#define MEMORY         (56 * 1024) /* a block's at most, tables included: four fit a multiprocessor */
#define ROWS           4096        /* of a tile at most */
#define FEW            24 /* elements of 1 and 2 bytes, or bytes of wider ones, that are moved as one */
#define BARRIER        8  /* bytes */
#define NARROW_THREADS 384
#define NO_COST        1e30

/* ---------------------------------------------------------------- a tile's shape */

/* Elements that tiles share so that each has whole sectors. */
static unsigned shared_of(unsigned width, unsigned unit) {
    return (SECTOR - unit + width - 1) / width;
}

/* Marks an array's first dimensions that lie side by side within a tile; returns the product of their
 * extents. Stops at a dimension that `not` has. */
static uint64_t side_by_side(const struct box *box, bool by_out, bool *marks, const bool * not ) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t length = 1, whole = 1;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = wl__permute_dim(shape, by_out, i);
        if ((not &&not [d]) || (i > 0 && box->extent[d] == 1) || (!by_out && shape->dim[d].in != whole))
            break;
        whole *= shape->dim[d].size;
        marks[d] = true;
        length *= box->extent[d];
        if (box->extent[d] < shape->dim[d].size)
            break;
    }
    return length;
}

/* The grain of everything that moves places in an array, but for the dimensions along which it runs. */
static uint64_t places(const struct box *box, bool by_out, const bool *along, uint64_t bits) {
    const struct wl__permute_shape *shape = box->shape;
    for (unsigned d = 0; d < shape->rank; d++) {
        uint64_t stride = (by_out ? shape->dim[d].out : shape->dim[d].in) * shape->width;
        if (!along[d] && box->extent[d] > 1)
            bits |= stride;
        if (box->extent[d] < shape->dim[d].size)
            bits |= stride * box->step[d] | stride * (shape->dim[d].size - box->extent[d]);
    }
    if (!by_out && box->joined->count > 1)
        for (unsigned i = 0; i < box->joined->count; i++)
            bits |= box->joined->part[i].in * shape->width;
    return grain_of(bits);
}

static void look(struct box *box, uint64_t to, uint64_t from) {
    const struct wl__permute_shape *shape = box->shape;
    unsigned width = shape->width, last = shape->by_out[0], turns = 0, share = shared_of(width, box->unit);
    bool in_run[WL_RANK_MAX] = {false}, first[WL_RANK_MAX] = {true};
    for (unsigned d = 0; d < shape->rank; d++) {
        box->turn[d] = box->row[d] = box->side[d] = false;
        box->step[d] = box->extent[d];
    }
    box->turns = side_by_side(box, true, box->turn, first);
    box->row_length = side_by_side(box, false, box->row, box->turn);
    box->side_length = side_by_side(box, false, box->side, NULL);
    box->joined_load = box->joined->count > 1 && box->side_length == box->row_length &&
                               box->extent[0] == shape->dim[0].size &&
                               box->joined->part[0].in == shape->dim[0].size
                           ? box->row_length
                           : 0;
    bool whole = true;
    for (unsigned d = 0; d < shape->rank; d++)
        if (box->turn[d]) {
            turns++;
            whole = whole && box->extent[d] == shape->dim[d].size;
        }
    box->wraps = whole && turns < shape->rank && shape->by_out[turns] == 0 && box->extent[0] > 1 &&
                 box->turns >= WL_PERMUTE_ACCESS / width;
    box->run_length = box->turns * (box->wraps ? box->extent[0] : 1);
    for (unsigned d = 0; d < shape->rank; d++)
        in_run[d] = box->turn[d] || (box->wraps && d == 0);
    box->out_grain = places(box, true, in_run, to | box->run_length * width);
    box->shares = box->out_grain < SECTOR && turns == 1 && !box->wraps &&
                  box->extent[last] < shape->dim[last].size && box->extent[last] > 2 * (share + 1);
    if (box->shares) {
        box->step[last] -= share;
        box->out_grain = box->unit;
    }
    box->in_grain = places(box, false, box->side, from | box->side_length * width);
    box->traffic = 1;
    for (unsigned d = 0; d < shape->rank; d++) {
        uint64_t size = shape->dim[d].size, extent = box->extent[d];
        uint64_t tiles = size <= extent ? 1 : wl__divide_up(size - extent, box->step[d]) + 1;
        box->traffic *= (double)(tiles * extent) / (double)size;
    }
}

/* ---------------------------------------------------------------- its place in shared memory */

/* How loads are laid out. */
struct layout {
    bool merged; /* rows that lie side by side are one load */
    bool cut;    /* but so many of them a load as make up an access */
    unsigned phase, swizzle;
};

/* The outermost dimension that lies side by side with the rows. */
static unsigned outermost(const struct box *box) {
    unsigned d = box->shape->rank - 1;
    while (d > 0 && !box->side[d])
        d--;
    return d;
}

static void add_row_part(struct wl_permute_bulk *bulk, uint64_t count, bool inner, uint64_t in,
                         uint64_t *loads) {
    bulk->rows *= (uint32_t)count;
    if (!inner)
        *loads *= count;
    if (count > 1)
        bulk->row[bulk->row_parts++] =
            (struct wl_permute_row){wl__permute_divisor(count), inner ? (uint32_t)in : 0, in};
}

static void add_row(struct wl_permute_bulk *bulk, const struct box *box, const struct layout *layout,
                    unsigned d, uint64_t *loads) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t in = shape->dim[d].in * shape->width, extent = box->extent[d];
    unsigned vector = WL_PERMUTE_ACCESS / box->unit;
    bool inner = layout->merged && box->side[d];
    if (layout->cut && inner && d == outermost(box)) {
        add_row_part(bulk, vector, true, in, loads);
        add_row_part(bulk, extent / vector, false, vector * in, loads);
    } else {
        add_row_part(bulk, extent, inner, in, loads);
    }
}

static void join_rows(struct wl_permute_bulk *bulk, const struct box *box, uint64_t *loads) {
    unsigned width = box->shape->width;
    for (unsigned i = 0; i < box->joined->count; i++)
        bulk->joined[bulk->joined_parts++] = (struct wl_permute_joined){
            wl__permute_divisor(box->joined->part[i].size), box->joined->part[i].in * width};
    bulk->rows *= (uint32_t)box->turns;
    bulk->joined_rows = box->shares ? (uint32_t)box->shape->dim[box->shape->rank - 1].size : 0;
    *loads *= box->turns;
}

/* Whether the rows that lie side by side can be loaded an access's worth of them at a time. */
static bool can_cut(const struct box *box) {
    unsigned outer = outermost(box), vector = WL_PERMUTE_ACCESS / box->unit;
    return box->joined->count == 1 && box->unit == box->shape->width && outer > 0 && !box->row[outer] &&
           box->extent[outer] % vector == 0 && box->extent[outer] > vector;
}

static void add_run(struct wl_permute_bulk *bulk, const struct box *box, unsigned d, uint64_t along,
                    uint64_t rows) {
    const struct wl__permute_shape *shape = box->shape;
    bulk->runs *= (uint32_t)box->extent[d];
    bulk->run[bulk->run_parts++] =
        (struct wl_permute_run){wl__permute_divisor(box->extent[d]), (uint32_t)along, (uint32_t)rows,
                                shape->dim[d].out * shape->width};
}

static unsigned round_up(uint64_t n, unsigned to) {
    return (unsigned)((n + to - 1) / to * to);
}

/* Loads that keep their places within a line lie closest where the pitch leads to the next one's place too.
 */
static void keep_places(struct wl_permute_bulk *bulk, unsigned unit) {
    unsigned i = 0, line = WL_PERMUTE_LINE;
    while (i < bulk->row_parts && bulk->row[i].inner)
        i++;
    if (bulk->phase < line || (!bulk->joined_parts && i == bulk->row_parts))
        return;
    uint64_t step = bulk->joined_parts ? bulk->joined[0].in : bulk->row[i].in;
    uint32_t least = bulk->load + 2 * (WL_PERMUTE_ACCESS - unit);
    uint32_t pitch = least + (uint32_t)(step - least) % line;
    if (pitch < bulk->pitch) {
        bulk->pitch = pitch;
        bulk->turn_pad = line + 2 * WL_PERMUTE_ACCESS;
    }
}

/* How often the first digit of a load's number begins anew in a tile. */
static uint64_t turns_of(const struct wl_permute_bulk *bulk) {
    uint64_t turns = bulk->turns;
    bool first = bulk->joined_parts == 0;
    for (uint32_t i = 0; i < bulk->row_parts; i++)
        if (!bulk->row[i].inner) {
            turns *= first ? 1 : bulk->row[i].by.count;
            first = false;
        }
    return turns;
}

/* For the kernel of narrow elements: the columns that share what is looked up are numbered apart from the
 * other runs.  Returns the bytes of its tables. */
static unsigned lay_out_narrow(struct wl_permute_bulk *bulk, const struct box *box) {
    unsigned unit = box->unit, sector = SECTOR / unit, rows = 4 / unit;
    uint64_t step = (bulk->joined_parts ? bulk->joined[0].in : bulk->row_parts ? bulk->row[0].in : 0) / unit;
    bulk->units = box->shape->width / unit;
    bulk->wraps = box->wraps;
    bulk->columns = (uint32_t)box->extent[0];
    bulk->column_out = box->shape->dim[0].out * box->shape->width;
    uint32_t span = bulk->turn.count * bulk->units;
    bulk->span = wl__permute_divisor(span);
    bulk->quarter = (span + sector + bulk->units) / (4 * rows) + 1;
    /* Where a joined dimension ends, banks change, and it gains nothing to have tried. */
    bool regular = bulk->units == 1 && (bulk->joined_parts == 0 || bulk->phase < WL_PERMUTE_LINE);
    bulk->odd = regular && step % 2 ? step % 4 : 0;
    uint64_t sectors = box->wraps ? wl__divide_up(span, sector) : span / sector;
    uint64_t vectors = sectors ? 2 * sectors : 1;
    bulk->lanes = 8;
    while (bulk->lanes / 2 >= vectors)
        bulk->lanes /= 2;
    unsigned kinds = bulk->columns < sector ? bulk->columns : sector, each = unit == 1 && bulk->odd ? 2 : 1;
    bulk->along = wl__permute_divisor(wl__divide_up(vectors, bulk->lanes));
    bulk->kinds = wl__permute_divisor(each * wl__divide_up(kinds, each * (32 / bulk->lanes)));
    bulk->cells = bulk->runs * bulk->along.count * bulk->kinds.count;
    return bulk->rows / bulk->turn.count * rows * 4 * bulk->quarter * rows * 2;
}

static bool lay_out(struct wl__permute_bulk_plan *plan, const struct box *box, const struct layout *layout) {
    const struct wl__permute_shape *shape = box->shape;
    struct wl_permute_bulk *bulk = &plan->bulk;
    unsigned width = shape->width, vector = WL_PERMUTE_ACCESS / box->unit;
    uint64_t loads = 1, along = width, rows = box->turns;
    if (layout->cut && !can_cut(box))
        return false;
    bulk->rows = bulk->runs = 1;
    bulk->row_parts = bulk->run_parts = bulk->joined_parts = bulk->joined_rows = 0;
    bulk->joined_load = layout->merged ? (uint32_t)(box->joined_load * width) : 0;
    if (box->joined->count > 1)
        join_rows(bulk, box, &loads);
    else
        for (unsigned i = 0; i < shape->rank; i++)
            if (box->turn[shape->by_out[i]])
                add_row(bulk, box, layout, shape->by_out[i], &loads);
    for (unsigned d = 0; d < shape->rank; d++)
        if (!box->turn[d] && !box->row[d])
            add_row(bulk, box, layout, d, &loads);
    for (unsigned d = 0; d < shape->rank; d++)
        if (box->row[d]) {
            if (box->extent[d] > 1 && !(d == 0 && (box->wraps || box->unit < 4)))
                add_run(bulk, box, d, along, 0);
            along *= box->extent[d];
        }
    for (unsigned d = 0; d < shape->rank; d++)
        if (!box->turn[d] && !box->row[d] && box->extent[d] > 1) {
            add_run(bulk, box, d, 0, rows);
            rows *= box->extent[d];
        }
    bulk->load = (uint32_t)((layout->merged ? box->side_length : box->row_length) * width);
    if (layout->cut)
        bulk->load = (uint32_t)(bulk->load / box->extent[outermost(box)] * vector);
    bulk->phase = layout->phase;
    bulk->swizzle = layout->swizzle;
    /* From the least place to the end of the widest window. */
    bulk->pitch = round_up(bulk->load + layout->phase - box->unit, layout->phase);
    bulk->turn_pad = 0;
    bulk->turns =
        bulk->joined_parts ? (uint32_t)wl__divide_up(box->turns - 1, box->joined->part[0].size) + 1 : 1;
    if (bulk->joined_load) {
        bulk->load = (uint32_t)(box->turns / bulk->turns * bulk->joined_load);
        bulk->pitch = bulk->joined_load;
        bulk->swizzle = 0;
        /* Of narrow elements whole lines where they can be, so that banks follow each other. */
        bulk->turn_pad = box->unit < 4 && layout->phase == WL_PERMUTE_ACCESS
                             ? WL_PERMUTE_LINE
                             : layout->phase + 2 * WL_PERMUTE_ACCESS;
    } else {
        keep_places(bulk, box->unit);
    }
    bulk->length = (uint32_t)box->run_length;
    bulk->turn = wl__permute_divisor(box->turns);
    unsigned vectors =
        (unsigned)wl__divide_up(bulk->length * width + past_line(box->out_grain), WL_PERMUTE_ACCESS);
    bulk->lanes = bulk->runs == 1 ? 32 : bulk->runs < 4 ? 16 : 8;
    while (bulk->lanes > 1 && bulk->lanes / 2 >= vectors)
        bulk->lanes /= 2;
    unsigned deep = 32 / bulk->lanes;
    bulk->along = wl__permute_divisor(wl__divide_up(vectors, bulk->lanes));
    bulk->cells = (uint32_t)wl__divide_up(bulk->runs, deep) * bulk->along.count;
    uint64_t at = loads * bulk->pitch + loads / vector * bulk->swizzle + turns_of(bulk) * bulk->turn_pad +
                  layout->phase + WL_PERMUTE_ACCESS;
    if (bulk->rows > ROWS || bulk->runs > ROWS || at > MEMORY)
        return false;
    bulk->run_table = round_up(at, 16);
    bulk->row_table = bulk->run_table + 16 * bulk->runs;
    unsigned tables = box->unit < 4 ? lay_out_narrow(bulk, box) : 4 * bulk->rows;
    bulk->barrier = round_up(bulk->row_table + tables, BARRIER);
    plan->memory = bulk->barrier + BARRIER;
    plan->unit = box->unit;
    plan->threads = box->unit < 4 ? NARROW_THREADS : 2048 / blocks_of(plan->memory, box->unit);
    /* Pairs of neighbours gain. */
    plan->cluster = 2;
    return plan->memory <= MEMORY;
}

/* ---------------------------------------------------------------- the choice */

static bool plan_box(struct wl__permute_bulk_plan *plan, const struct box *box, const struct layout *layout,
                     uint64_t to, uint64_t from) {
    plan->bulk.tiles.to = to;
    plan->bulk.tiles.from = from;
    for (unsigned d = 0; d < box->shape->rank; d++) {
        plan->extent[d] = box->extent[d];
        plan->step[d] = box->step[d];
    }
    return lay_out(plan, box, layout);
}

static const struct layout layouts[] = {
    {true, false, 128, 0},  {true, false, 32, 32},  {true, false, 16, 16}, {false, false, 128, 0},
    {false, false, 32, 32}, {false, false, 16, 16}, {true, true, 32, 0},   {true, true, 16, 0}};

/* The best layout of a box; returns its cost. */
static double best_layout(struct wl__permute_bulk_plan *best, const struct box *box, uint64_t to,
                          uint64_t from) {
    double least = NO_COST;
    for (unsigned i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct wl__permute_bulk_plan plan;
        const struct layout *layout = &layouts[i];
        if ((!layout->merged && box->row_length == box->side_length && !box->joined_load) ||
            (layout->phase == 128 && box->in_grain >= SECTOR) || !plan_box(&plan, box, layout, to, from))
            continue;
        /* Copies whose both ends lie alike within lines, or sectors, take fewer requests. */
        const bool narrow = box->unit < 4;
        double cost = wl__permute_bulk_cost(box, &plan) + wl__permute_bulk_cost_of_banks(box, &plan) +
                      (box->in_grain < SECTOR   ? layout->phase < WL_PERMUTE_LINE ? narrow ? 0.04 : 0.054 : 0
                       : layout->phase < SECTOR ? narrow ? 0.02 : 0.039
                                                : 0);
        if (cost < least) {
            least = cost;
            *best = plan;
        }
    }
    return least;
}

/* Three dimensions in reverse order, of 4-byte elements: tiles of 256 bytes by 512, through the joined
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

/* Neighbours in the input that share sectors come together, all that can; of others pairs. */
static enum wl__permute_order order_of(const struct box *box) {
    const struct joined *joined = box->joined;
    if (joined->count == 2 && joined->shape.rank == 2 && box->shape->width == 4 &&
        box->extent[0] == REVERSED_IN && box->extent[1] == REVERSED_OUT && box->in_grain >= WL_PERMUTE_LINE)
        return WL_PERMUTE_STREAMS;
    return box->in_grain < SECTOR ? WL_PERMUTE_ROWS : WL_PERMUTE_PAIRS;
}

/* Joins the output's first dimensions, so many of them, none of which is the input's first. */
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

/* Rows of a few elements that stay together are elements of several units. */
static const struct wl__permute_shape *widen(struct wl__permute_shape *wide, unsigned *unit,
                                             const struct wl__permute_shape *shape) {
    uint64_t row = shape->dim[0].size;
    *unit = shape->width;
    if (shape->width > 8 || shape->rank < 3 || shape->by_out[0] != 0 ||
        row > (shape->width <= 2 ? FEW : FEW / shape->width))
        return shape;
    *unit = shape->width == 1 ? 1 : 2;
    *wide = (struct wl__permute_shape){.width = shape->width * (unsigned)row, .rank = shape->rank - 1};
    for (unsigned d = 0; d < wide->rank; d++) {
        wide->dim[d].size = shape->dim[d + 1].size;
        wide->dim[d].in = shape->dim[d + 1].in / row;
        wide->dim[d].out = shape->dim[d + 1].out / row;
        wide->by_out[d] = shape->by_out[d + 1] - 1;
    }
    return wide;
}

bool wl__permute_bulk(struct wl__permute_bulk_plan *plan, const struct wl__permute_shape *shape,
                      unsigned joined_count, const uint64_t *extent, uint64_t to, uint64_t from) {
    struct joined joined;
    struct wl__permute_shape wide;
    unsigned unit;
    shape = widen(&wide, &unit, shape);
    if (shape->by_out[0] == 0 || unit > 8)
        return false;
    if (shape == &wide)
        extent++;
    join(&joined, shape, joined_count);
    struct box box = {.joined = &joined, .shape = &joined.shape, .unit = unit};
    for (unsigned d = 0; d < joined.shape.rank; d++)
        box.extent[d] = extent[d];
    if (joined_count > 1 && extent[joined.shape.rank - 1] == joined.shape.dim[joined.shape.rank - 1].size)
        return false;
    look(&box, to, from);
    return best_layout(plan, &box, to, from) < NO_COST &&
           wl__permute_number(&plan->bulk.tiles, &joined.shape, plan->extent, plan->step, order_of(&box));
}

/* Extents such that about `aim` bytes lie side by side in an array. */
static void grow(struct box *box, bool by_out, uint64_t aim) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t *extent = box->extent;
    uint64_t run = shape->width;
    for (unsigned i = 0; i < shape->rank && run < aim; i++) {
        unsigned d = wl__permute_dim(shape, by_out, i);
        uint64_t size = shape->dim[d].size, want = wl__divide_up(aim, run), extend = size;
        if (!by_out && shape->dim[d].in * shape->width != run)
            return;
        if (size > want + want / 2) {
            /* Tiles of one size, whole sectors where the dimension has whole ones, and pieces to be written.
             */
            uint64_t unit = PIECE / grain_of(run);
            if (!by_out || size % unit)
                unit = SECTOR / (grain_of(run) < SECTOR ? grain_of(run) : SECTOR);
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

/* Where these tiles are the faster ones: elements of up to 8 bytes whose rows begin anywhere, unless a tile
 * that is written side by side is not larger than the others' may be; of 4 bytes also rows that are short in
 * both arrays. */
static bool worth(const struct wl__permute_shape *shape, unsigned unit, bool shifted) {
    unsigned last = shape->by_out[0];
    uint64_t in = shape->dim[0].size * shape->width, out = shape->dim[last].size * shape->width;
    if (last == 0 || unit > 8)
        return false;
    if (unit < 4)
        return shifted || shape->width > unit;
    return !wl__permute_is_whole(shape) && (shifted || (unit == 4 && in < 512 && out < 512));
}

/* What may be joined: the output's dimensions before the input's last, and before its last two. */
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

bool wl__permute_plan_bulk(struct wl__permute_bulk_plan *plan, const struct wl__permute_shape *shape,
                           uint64_t to, uint64_t from, bool shifted) {
    /* The last ones of narrow elements alone. */
    static const unsigned aims[] = {128,  192,  256,  320,  352, 384, 512, 640, 768,
                                    1024, 1536, 2048, 4096, 96,  160, 224, 288, 448};
    enum { ALL = sizeof(aims) / sizeof(aims[0]), TRIED = 8 };
    if (is_reversed(shape, to, from)) {
        const uint64_t extent[WL_RANK_MAX] = {REVERSED_IN, REVERSED_OUT};
        return wl__permute_bulk(plan, shape, 2, extent, to, from);
    }
    struct wl__permute_shape wide;
    unsigned unit;
    shape = widen(&wide, &unit, shape);
    if (!worth(shape, unit, shifted))
        return false;
    struct box best[TRIED];
    const struct box *chosen = NULL;
    double cost[TRIED], least = NO_COST;
    struct joined joined[3];
    unsigned joins = joins_of(joined, shape), count = unit < 4 ? ALL : ALL - 5, tried = unit < 4 ? 6 : TRIED;
    for (unsigned k = 0; k < tried; k++)
        cost[k] = NO_COST;
    for (unsigned i = 0; i < joins * count; i++)
        for (unsigned o = 0; o < count; o++) {
            const struct joined *with = &joined[i / count];
            struct box box = {.joined = with, .shape = &with->shape, .unit = unit};
            struct wl__permute_bulk_plan trial;
            unsigned last = with->shape.rank - 1;
            for (unsigned d = 0; d <= last; d++)
                box.extent[d] = 1;
            grow(&box, false, aims[i % count]);
            grow(&box, true, aims[o]);
            if (with->count > 1 && box.extent[last] == with->shape.dim[last].size)
                continue;
            look(&box, to, from);
            if (!plan_box(&trial, &box, &layouts[box.in_grain >= SECTOR], to, from) &&
                (unit >= 4 || !plan_box(&trial, &box, &layouts[2], to, from)))
                continue;
            double now = wl__permute_bulk_cost(&box, &trial);
            unsigned at = tried;
            while (at > 0 && now < cost[at - 1])
                at--;
            if (at == tried || (at > 0 && now == cost[at - 1]))
                continue;
            for (unsigned k = tried - 1; k > at; k--) {
                best[k] = best[k - 1];
                cost[k] = cost[k - 1];
            }
            best[at] = box;
            cost[at] = now;
        }
    for (unsigned k = 0; k < tried; k++) {
        struct wl__permute_bulk_plan trial;
        double now = cost[k] < NO_COST ? best_layout(&trial, &best[k], to, from) : NO_COST;
        if (now < least) {
            least = now;
            *plan = trial;
            chosen = &best[k];
        }
    }
    if (unit < 4 && least > 1.5)
        return false;
    /* Where nothing begins anywhere, others are faster than those that write less than whole pieces. */
    return chosen && (shifted || unit < 4 || chosen->out_grain == PIECE) &&
           wl__permute_number(&plan->bulk.tiles, chosen->shape, plan->extent, plan->step, order_of(chosen));
}
