#include "lib/permute_bulk.h"

#include "lib/permute_plan.h"

#define SECTOR  WL_PERMUTE_SECTOR
#define MEMORY  (74 * 1024) /* a block's at most, tables included: three fit a multiprocessor */
#define ROWS    4096        /* of a tile at most */
#define BARRIER 8           /* bytes */
#define NO_COST 1e30

/* ---------------------------------------------------------------- a tile's shape */

/* What side by side means in a tile. */
struct box {
    const struct wl__permute_shape *shape;
    uint64_t extent[WL_RANK_MAX], step[WL_RANK_MAX];
    bool
        turn[WL_RANK_MAX]; /* dimensions whose elements a run takes in turn: each step is a row of the tile */
    bool row[WL_RANK_MAX]; /* dimensions along a row */
    bool
        side[WL_RANK_MAX]; /* dimensions that lie side by side in the input, along rows and from row to row */
    bool wraps;            /* runs go on along the rows */
    uint64_t turns;        /* product of the extents in `turn` */
    uint64_t row_length, side_length, run_length; /* elements */
    uint64_t in_grain,
        out_grain; /* bytes of which rows that are loaded, and runs, begin and end at multiples */
    bool shares;   /* tiles overlap in the output's last dimension, and write whole sectors */
    double traffic;
};

static uint64_t grain_of(uint64_t bits) {
    uint64_t grain = bits & -bits;
    return grain == 0 || grain > WL_PERMUTE_LINE ? WL_PERMUTE_LINE : grain;
}

/* Marks an array's first dimensions that lie side by side within a tile; returns the product of their
 * extents. Stops at a dimension that `not` has. */
static uint64_t side_by_side(const struct box *box, bool by_out, bool *marks, const bool * not ) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t length = 1;
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned d = wl__permute_dim(shape, by_out, i);
        if ((not &&not [d]) || (i > 0 && box->extent[d] == 1))
            break;
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
    return grain_of(bits);
}

static void look(struct box *box, uint64_t to, uint64_t from) {
    const struct wl__permute_shape *shape = box->shape;
    unsigned width = shape->width, last = shape->by_out[0], turns = 0;
    bool in_run[WL_RANK_MAX] = {false}, first[WL_RANK_MAX] = {true};
    for (unsigned d = 0; d < shape->rank; d++) {
        box->turn[d] = box->row[d] = box->side[d] = false;
        box->step[d] = box->extent[d];
    }
    box->turns = side_by_side(box, true, box->turn, first);
    box->row_length = side_by_side(box, false, box->row, box->turn);
    box->side_length = side_by_side(box, false, box->side, NULL);
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
    uint64_t grain = SECTOR / width;
    box->out_grain = places(box, true, in_run, to | box->run_length * width);
    box->shares = box->out_grain < SECTOR && turns == 1 && !box->wraps &&
                  box->extent[last] < shape->dim[last].size && box->extent[last] > 2 * grain;
    if (box->shares) {
        box->step[last] -= grain - 1;
        box->out_grain = width;
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
    unsigned phase, swizzle;
};

static void add_row(struct wl_permute_bulk *bulk, const struct box *box, bool merged, unsigned d,
                    uint64_t *loads) {
    const struct wl__permute_shape *shape = box->shape;
    uint64_t in = shape->dim[d].in * shape->width;
    bool inner = merged && box->side[d];
    bulk->rows *= (uint32_t)box->extent[d];
    if (!inner)
        *loads *= box->extent[d];
    if (box->extent[d] > 1)
        bulk->row[bulk->row_parts++] =
            (struct wl_permute_row){wl__permute_divisor(box->extent[d]), inner ? (uint32_t)in : 0, in};
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

static bool lay_out(struct wl__permute_bulk_plan *plan, const struct box *box, const struct layout *layout) {
    const struct wl__permute_shape *shape = box->shape;
    struct wl_permute_bulk *bulk = &plan->bulk;
    unsigned width = shape->width, vector = WL_PERMUTE_ACCESS / width;
    uint64_t loads = 1, along = width, rows = box->turns;
    bulk->rows = bulk->runs = 1;
    bulk->row_parts = bulk->run_parts = 0;
    for (unsigned i = 0; i < shape->rank; i++)
        if (box->turn[shape->by_out[i]])
            add_row(bulk, box, layout->merged, shape->by_out[i], &loads);
    for (unsigned d = 0; d < shape->rank; d++)
        if (!box->turn[d] && !box->row[d])
            add_row(bulk, box, layout->merged, d, &loads);
    for (unsigned d = 0; d < shape->rank; d++)
        if (box->row[d]) {
            if (box->extent[d] > 1 && !(box->wraps && d == 0))
                add_run(bulk, box, d, along, 0);
            along *= box->extent[d];
        }
    for (unsigned d = 0; d < shape->rank; d++)
        if (!box->turn[d] && !box->row[d] && box->extent[d] > 1) {
            add_run(bulk, box, d, 0, rows);
            rows *= box->extent[d];
        }
    bulk->load = (uint32_t)((layout->merged ? box->side_length : box->row_length) * width);
    bulk->phase = layout->phase;
    bulk->swizzle = layout->swizzle;
    /* From the least place to the end of the widest window. */
    bulk->pitch = round_up(bulk->load + layout->phase - width, layout->phase);
    bulk->length = (uint32_t)box->run_length;
    bulk->turn = wl__permute_divisor(box->turns);
    unsigned vectors =
        (unsigned)wl__divide_up(bulk->length * width + WL_PERMUTE_LINE - box->out_grain, WL_PERMUTE_ACCESS);
    bulk->lanes = bulk->runs == 1 ? 32 : bulk->runs < 4 ? 16 : 8;
    while (bulk->lanes > 1 && bulk->lanes / 2 >= vectors)
        bulk->lanes /= 2;
    unsigned deep = 32 / bulk->lanes;
    bulk->along = wl__permute_divisor(wl__divide_up(vectors, bulk->lanes));
    bulk->cells = (uint32_t)wl__divide_up(bulk->runs, deep) * bulk->along.count;
    uint64_t at = loads * bulk->pitch + loads / vector * layout->swizzle + WL_PERMUTE_ACCESS;
    if (bulk->rows > ROWS || bulk->runs > ROWS || at > MEMORY)
        return false;
    bulk->run_table = round_up(at, 16);
    bulk->row_table = bulk->run_table + 16 * bulk->runs;
    bulk->barrier = round_up(bulk->row_table + 4 * bulk->rows, BARRIER);
    plan->memory = bulk->barrier + BARRIER;
    plan->threads = plan->memory > 24 * 1024 ? 512 : 256;
    /* Pairs of neighbours gain, where there are four blocks and more to a multiprocessor. */
    plan->cluster = plan->memory > 57 * 1024 ? 1 : 2;
    return plan->memory <= MEMORY;
}

static uint32_t place_of(const struct wl_permute_bulk *bulk, uint32_t row, unsigned vector) {
    uint64_t from = bulk->tiles.from;
    uint32_t loads = 0, each = 1, inner = 0;
    for (uint32_t i = 0; i < bulk->row_parts; i++) {
        uint32_t digit = row % bulk->row[i].by.count;
        row /= bulk->row[i].by.count;
        if (bulk->row[i].inner) {
            inner += digit * bulk->row[i].inner;
        } else {
            loads += digit * each;
            each *= bulk->row[i].by.count;
            from += digit * bulk->row[i].in;
        }
    }
    return loads * bulk->pitch + loads / vector * bulk->swizzle + ((uint32_t)from & (bulk->phase - 1)) +
           inner;
}

/* Wavefronts that a warp's access to the tile takes, 1 being best: of the first warp's lanes, some of their
 * elements. */
static double wavefronts(const struct wl_permute_bulk *bulk, unsigned width) {
    unsigned vector = WL_PERMUTE_ACCESS / width, group = width <= 4 ? 32 : 128 / width, total = 0,
             samples = 0;
    for (unsigned j = 0; j<vector; j += vector> 2 ? vector / 2 : 1)
        for (unsigned begin = 0; begin < 32; begin += group, samples++) {
            uint32_t word[32];
            unsigned in_bank[32] = {0}, worst = 0, words = 0;
            for (unsigned lane = begin; lane < begin + group; lane++) {
                uint32_t run = lane / bulk->lanes, element = lane % bulk->lanes * vector + j, along = 0,
                         rows = 0;
                if (run >= bulk->runs || element >= bulk->length)
                    continue;
                for (uint32_t i = 0; i < bulk->run_parts; i++) {
                    along += run % bulk->run[i].by.count * bulk->run[i].along;
                    rows += run % bulk->run[i].by.count * bulk->run[i].rows;
                    run /= bulk->run[i].by.count;
                }
                along += element / bulk->turn.count * width;
                word[words] = (place_of(bulk, rows + element % bulk->turn.count, vector) + along) / 4;
                bool seen = false;
                for (unsigned other = 0; other < words && !seen; other++)
                    seen = word[other] == word[words];
                if (seen)
                    continue;
                for (unsigned part = 0; part < (width <= 4 ? 1 : width / 4); part++) {
                    unsigned *bank = &in_bank[(word[words] + part) % 32];
                    if (++*bank > worst)
                        worst = *bank;
                }
                words++;
            }
            total += worst;
        }
    return (double)total / samples;
}

/* ---------------------------------------------------------------- the choice */

/* Sectors that a row of so many bytes touches on the average beyond its own. */
static double sectors_too_many(uint64_t grain) {
    return grain >= SECTOR ? 0 : (double)(SECTOR - grain) / SECTOR;
}

/* What a tile is thought to cost, as a share of what a copy does: fitted to an H200's times of 1800 tiles.
 * What is read of the L2 beyond the need; runs that begin within lines, or end within sectors; short loads
 * and runs; few blocks. */
static double cost_of(const struct box *box, const struct wl__permute_bulk_plan *plan) {
    const struct wl_permute_bulk *bulk = &plan->bulk;
    double load = bulk->load, run = (double)box->run_length * box->shape->width;
    double row = bulk->load < box->side_length * box->shape->width
                     ? sectors_too_many(grain_of(bulk->load | box->in_grain))
                     : sectors_too_many(box->in_grain);
    double read = box->traffic * (1 + SECTOR * row / load) - 1;
    double lines = (double)(WL_PERMUTE_LINE - box->out_grain) / run;
    double parts = box->out_grain < SECTOR && !box->shares ? 25 / run : 0;
    unsigned blocks = 227 * 1024 / (plan->memory + 1024), most = 2048 / plan->threads;
    return 0.4 * read + 0.05 * lines + parts + 12 / load + 3.9 / run + 2048.0 / plan->memory +
           0.05 / (blocks < most ? blocks : most);
}

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

static const struct layout layouts[] = {{true, 128, 0},  {true, 32, 32},  {true, 16, 16},
                                        {false, 128, 0}, {false, 32, 32}, {false, 16, 16}};

/* The best layout of a box; returns its cost. */
static double best_layout(struct wl__permute_bulk_plan *best, const struct box *box, uint64_t to,
                          uint64_t from) {
    double least = NO_COST;
    for (unsigned i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
        struct wl__permute_bulk_plan plan;
        const struct layout *layout = &layouts[i];
        if ((!layout->merged && box->row_length == box->side_length) ||
            (layout->phase == 128 && box->in_grain >= SECTOR) || !plan_box(&plan, box, layout, to, from))
            continue;
        /* Copies whose both ends lie alike within lines, or sectors, take fewer requests. */
        double cost = cost_of(box, &plan) + 0.005 * (wavefronts(&plan.bulk, box->shape->width) - 1) +
                      (box->in_grain < SECTOR   ? layout->phase < WL_PERMUTE_LINE ? 0.04 : 0
                       : layout->phase < SECTOR ? 0.02
                                                : 0);
        if (cost < least) {
            least = cost;
            *best = plan;
        }
    }
    return least;
}

/* Of narrow elements more are picked for each vector than there is time for. */
static bool fits(const struct wl__permute_shape *shape) {
    return shape->by_out[0] != 0 && (shape->width == 4 || shape->width == 8);
}

bool wl__permute_bulk(struct wl__permute_bulk_plan *plan, const struct wl__permute_shape *shape,
                      const uint64_t *extent, uint64_t to, uint64_t from) {
    struct box box = {.shape = shape};
    if (!fits(shape))
        return false;
    for (unsigned d = 0; d < shape->rank; d++)
        box.extent[d] = extent[d];
    look(&box, to, from);
    return best_layout(plan, &box, to, from) < NO_COST &&
           wl__permute_number(&plan->bulk.tiles, shape, plan->extent, plan->step, WL_PERMUTE_SQUARES);
}

/* Extents such that about `aim` bytes lie side by side in an array. */
static void grow(uint64_t *extent, const struct wl__permute_shape *shape, bool by_out, uint64_t aim) {
    uint64_t run = shape->width;
    for (unsigned i = 0; i < shape->rank && run < aim; i++) {
        unsigned d = wl__permute_dim(shape, by_out, i);
        uint64_t size = shape->dim[d].size, want = wl__divide_up(aim, run), extend = size;
        if (size > want + want / 2) {
            /* Tiles of one size, whole sectors where the dimension has whole sectors. */
            uint64_t unit = SECTOR / (grain_of(run) < SECTOR ? grain_of(run) : SECTOR);
            uint64_t shared = by_out && i == 0 && size % unit ? unit - 1 : 0;
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

bool wl__permute_plan_bulk(struct wl__permute_bulk_plan *plan, const struct wl__permute_shape *shape,
                           uint64_t to, uint64_t from) {
    static const unsigned aims[] = {128, 192, 256, 320, 384, 512, 640, 768, 1024, 1536, 2048, 4096};
    enum { AIMS = sizeof(aims) / sizeof(aims[0]), TRIED = 3 };
    if (!fits(shape))
        return false;
    struct box best[TRIED];
    double cost[TRIED] = {NO_COST, NO_COST, NO_COST}, least = NO_COST;
    for (unsigned i = 0; i < AIMS; i++)
        for (unsigned o = 0; o < AIMS; o++) {
            struct box box = {.shape = shape};
            struct wl__permute_bulk_plan trial;
            for (unsigned d = 0; d < shape->rank; d++)
                box.extent[d] = 1;
            grow(box.extent, shape, false, aims[i]);
            grow(box.extent, shape, true, aims[o]);
            look(&box, to, from);
            if (!plan_box(&trial, &box, &layouts[box.in_grain >= SECTOR], to, from))
                continue;
            double now = cost_of(&box, &trial);
            unsigned at = TRIED;
            while (at > 0 && now < cost[at - 1])
                at--;
            if (at == TRIED || (at > 0 && now == cost[at - 1]))
                continue;
            for (unsigned k = TRIED - 1; k > at; k--) {
                best[k] = best[k - 1];
                cost[k] = cost[k - 1];
            }
            best[at] = box;
            cost[at] = now;
        }
    for (unsigned k = 0; k < TRIED; k++) {
        struct wl__permute_bulk_plan trial;
        double now = cost[k] < NO_COST ? best_layout(&trial, &best[k], to, from) : NO_COST;
        if (now < least) {
            least = now;
            *plan = trial;
        }
    }
    return least < NO_COST &&
           wl__permute_number(&plan->bulk.tiles, shape, plan->extent, plan->step, WL_PERMUTE_SQUARES);
}
