/* Plans tiles of records for narrow elements: all of a few dimensions, and part of a long one. */
#include "lib/permute/permute_bulk_box.h"

/* A tile has `taken` of the dimension `along`, and all of those that are inside it in either array: a record
 * each.  So a load is all that follows `along` in the input, `taken` times, and a run is all that follows it
 * in the output.  Columns are not a row's elements here: a column is `group` records. */
struct records {
    const struct wl__tuned_bulk *tuned;
    const struct wl__permute_shape *shape;
    uint64_t to, from;
    unsigned unit, along;
    uint64_t pattern; /* elements of a record that are contiguous in the output */
    uint64_t record;  /* bytes */
    uint64_t taken, group;
    unsigned phase;
};

static uint64_t common(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Finds what a record along a dimension has; false if elements of a row would be columns anyway. */
static bool find(struct records *r) {
    const struct wl__permute_shape *shape = r->shape;
    const uint64_t most = WL_PERMUTE_BULK_MEMORY;
    r->pattern = 1;
    r->record = shape->width;
    for (unsigned d = 0; d < r->along && r->record <= most; d++)
        r->record *= shape->dim[d].size;
    for (unsigned i = 0; shape->by_out[i] != r->along && r->record <= most; i++) {
        r->pattern *= shape->dim[shape->by_out[i]].size;
        r->record *= shape->by_out[i] > r->along ? shape->dim[shape->by_out[i]].size : 1;
    }
    return r->along > 0 && r->pattern > 1 && r->record <= most / 2;
}

/* Rows are a pattern's elements, of one group.  Where other dimensions of a record lead to in the output is
 * a run of its own, which takes its elements further along the same loads. */
static bool lay_out(struct wl__permute_bulk_plan *plan, const struct records *r) {
    const struct wl__permute_shape *shape = r->shape;
    struct wl_permute_bulk *bulk = &plan->bulk;
    const uint64_t width = shape->width, step = shape->dim[r->along].in * width;
    bool in_pattern[WL_RANK_MAX] = {false};
    uint64_t loads = 1;
    *bulk = (struct wl_permute_bulk){
        .tiles = {.to = r->to, .from = r->from}, .rows = 1, .runs = 1, .phase = r->phase};
    for (unsigned d = 0; d < shape->rank; d++)
        plan->extent[d] = d < r->along ? shape->dim[d].size : 1;
    for (unsigned i = 0; shape->by_out[i] != r->along; i++) {
        const unsigned d = shape->by_out[i];
        in_pattern[d] = true;
        plan->extent[d] = shape->dim[d].size;
        wl__permute_bulk_add_row(bulk, shape->dim[d].size, d < r->along, shape->dim[d].in * width, &loads);
    }
    wl__permute_bulk_add_row(bulk, r->group, true, step, &loads);
    for (unsigned d = 0; d < r->along; d++)
        if (!in_pattern[d])
            wl__permute_bulk_add_run(bulk, shape->dim[d].size, shape->dim[d].in * width, 0,
                                     shape->dim[d].out * width);
    plan->extent[r->along] = r->taken;
    for (unsigned d = 0; d < shape->rank; d++)
        plan->step[d] = plan->extent[d];
    bulk->load = (uint32_t)(r->taken * step);
    bulk->pitch = (bulk->load + 2 * r->phase - r->unit - 1) / r->phase * r->phase;
    bulk->length = (uint32_t)(r->pattern * r->taken);
    bulk->turn = wl__permute_divisor(bulk->rows);
    bulk->columns = (uint32_t)(r->taken / r->group);
    bulk->column_in = (uint32_t)(r->group * step);
    bulk->column_out = r->group * shape->dim[r->along].out * width;
    bulk->wraps = 1;
    const uint64_t tile = loads * bulk->pitch + r->phase + WL_PERMUTE_ACCESS;
    if (bulk->rows > WL_PERMUTE_BULK_ROWS || bulk->runs > WL_PERMUTE_BULK_ROWS ||
        tile > WL_PERMUTE_BULK_MEMORY)
        return false;
    return wl__permute_bulk_lay_out_narrow(plan, r->unit, (unsigned)width / r->unit, loads, tile);
}

/* The part of the cost that needs no layout. */
static double cost_at_least(const struct records *r) {
    const struct wl__tuned_bulk_narrow *tuned = &r->tuned->narrow;
    const double width = r->shape->width, taken = (double)r->taken, tile = (double)r->record * taken,
                 load = (double)r->shape->dim[r->along].in * width * taken,
                 run = (double)r->pattern * width * taken;
    return tuned->load / load + tuned->run / run +
           tuned->row * (double)(r->pattern * r->group) * width / r->unit / tile +
           (tile < tuned->full ? tuned->idle * (1 - tile / tuned->full) : 0);
}

/* The estimated cost beyond a copy, by the figures for narrow elements. */
static double cost_of(const struct records *r, const struct wl__permute_bulk_plan *plan) {
    const struct wl__tuned_bulk_narrow *tuned = &r->tuned->narrow;
    const struct wl__permute_shape *shape = r->shape;
    const struct wl_permute_bulk *bulk = &plan->bulk;
    const struct box box = {.tuned = r->tuned, .shape = shape, .unit = r->unit};
    const uint64_t size = shape->dim[r->along].size, places = r->taken | size % r->taken;
    uint64_t in = r->from | bulk->load, out = r->to | bulk->length * shape->width;
    bool past = false;
    for (unsigned i = 0; i < shape->rank; i++) {
        const unsigned d = shape->by_out[i];
        past = past || d == r->along;
        if (past)
            out |= shape->dim[d].out * shape->width * (d == r->along ? places : 1);
        if (i >= r->along)
            in |= shape->dim[i].in * shape->width * (i == r->along ? places : 1);
    }
    const double tile = (double)(r->record * r->taken), run = (double)bulk->length * shape->width,
                 torn = grain_of(in) < SECTOR ? (double)(SECTOR - grain_of(in)) / bulk->load : 0,
                 read = (double)(wl__divide_up(size, r->taken) * r->taken) / (double)size * (1 + torn) - 1;
    return cost_at_least(r) + tuned->read * read + (grain_of(out) < SECTOR ? tuned->parts / run : 0) +
           tuned->lines * past_line(grain_of(out)) / run +
           (tuned->cell + tuned->kind * (double)wl__divide_up(bulk->columns, bulk->alike)) * bulk->cells /
               tile +
           wl__permute_bulk_cost_of_banks(&box, plan);
}

/* Records of a tile of about so many bytes: tiles of equal size, whose runs are whole sectors where records
 * allow it. */
static uint64_t taken_of(const struct records *r, uint64_t bytes) {
    const uint64_t size = r->shape->dim[r->along].size, want = bytes / r->record,
                   even = SECTOR / common(SECTOR, r->pattern * r->shape->width);
    uint64_t unit = r->group * (even / common(even, r->group));
    if (want >= size)
        return size / r->group * r->group;
    if (want < 2 * unit)
        unit = r->group;
    return want < unit
               ? 0
               : wl__divide_up(wl__divide_up(size, wl__divide_up(size, want / unit * unit)), unit) * unit;
}

/* Plans the tile by each of the layouts, and keeps the cheapest if it costs less. */
static void try_layouts(struct records *r, struct wl__permute_bulk_plan *plan, double *least) {
    static const unsigned phases[] = {128, 32, 16};
    for (unsigned i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
        struct wl__permute_bulk_plan trial;
        r->phase = phases[i];
        if (!lay_out(&trial, r))
            continue;
        trial.cost = cost_of(r, &trial);
        if (trial.cost < *least) {
            *least = trial.cost;
            *plan = trial;
        }
    }
}

bool wl__permute_plan_records(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                              const struct wl__permute_shape *shape, unsigned unit, uint64_t to,
                              uint64_t from, double limit) {
    static const unsigned sizes[] = {12, 16, 20, 24, 28, 32, 36, 40, 46}; /* KiB */
    struct records r = {.tuned = &tuned->bulk, .shape = shape, .to = to, .from = from, .unit = unit};
    double least = limit;
    for (r.along = 0; r.along < shape->rank; r.along++) {
        if (!find(&r))
            continue;
        uint64_t part = r.pattern * shape->width;
        for (r.group = 1; r.group <= SECTOR; r.group *= 2, part *= 2) {
            for (unsigned s = 0; part >= WL_PERMUTE_ACCESS && s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                r.taken = taken_of(&r, sizes[s] * UINT64_C(1024));
                if (r.taken > 0 && cost_at_least(&r) < least)
                    try_layouts(&r, plan, &least);
            }
            if (part % SECTOR == 0)
                break;
        }
    }
    return least < limit &&
           wl__permute_number(tuned, &plan->bulk.tiles, shape, plan->extent, plan->step, WL_PERMUTE_PAIRS);
}
