/* Plans tiles of records for narrow elements: all of a few dimensions, and part of one long one or two. */
#include "lib/permute/permute_bulk_box.h"

/* A tile has `taken` of the dimension `along`, `group` of the dimension `across`, and all of the dimensions
 * that are inside `along` in the input, or inside `across` in the output: a record each.  So a load is all
 * that follows `along` in the input, `taken` times, and a run is all that follows `across` in the output.
 * Columns are not a row's elements here.  Where both are one dimension, a column is `group` records, and runs
 * continue along the columns; else a column is a record, and `group` of the loads' rows follow each other. */
struct records {
    const struct wl__tuned_bulk *tuned;
    const struct wl__permute_shape *shape;
    uint64_t to, from;
    unsigned unit, element, along, across; /* element: as in struct box */
    uint64_t inside;                       /* elements of a record that are contiguous in the input */
    uint64_t pattern;                      /* and in the output */
    uint64_t record;                       /* bytes */
    uint64_t taken, group, share;
    unsigned phase, swizzle;
    enum taken look_ups;
};

static uint64_t common(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_one(const struct records *r) {
    return r->along == r->across;
}

/* Finds what a record has; false if elements of a row would be columns anyway. */
static bool find(struct records *r) {
    const struct wl__permute_shape *shape = r->shape;
    const uint64_t most = WL_PERMUTE_BULK_MEMORY;
    bool within = is_one(r); /* whether a run takes elements along a load */
    r->pattern = r->inside = 1;
    r->record = shape->width;
    for (unsigned d = 0; d < r->along && r->record <= most; d++) {
        r->inside *= shape->dim[d].size;
        r->record *= shape->dim[d].size;
    }
    for (unsigned i = 0; shape->by_out[i] != r->across && r->record <= most; i++) {
        const unsigned d = shape->by_out[i];
        if (d == r->along)
            return false;
        within = within || d < r->along;
        r->pattern *= shape->dim[d].size;
        r->record *= d > r->along ? shape->dim[d].size : 1;
    }
    return within && r->along > 0 && r->pattern > 1 && r->record <= most / 2;
}

/* Bytes of a run. */
static uint64_t run_of(const struct records *r) {
    return r->pattern * (is_one(r) ? r->taken : r->group) * r->shape->width;
}

/* Bytes at whose multiples parts of a dimension begin and end, if each step of it takes so many bytes.  All
 * that is further out lies at multiples of these. */
static uint64_t grain_along(const struct records *r, unsigned d, uint64_t begin, uint64_t step,
                            uint64_t part) {
    return grain_of(begin | step * (part | r->shape->dim[d].size % part));
}

/* The same for loads, and for runs. */
static uint64_t in_grain_of(const struct records *r) {
    return grain_along(r, r->along, r->from, r->inside * r->shape->width, r->taken);
}

static uint64_t out_grain_of(const struct records *r) {
    return grain_along(r, r->across, r->to, r->pattern * r->shape->width, is_one(r) ? r->taken : r->group);
}

/* Rows are a pattern's elements, of one group.  Where other dimensions of a record lead to in the output is
 * a run of its own, which takes its elements further along the same loads. */
static bool lay_out(struct wl__permute_bulk_plan *plan, const struct records *r) {
    const struct wl__permute_shape *shape = r->shape;
    struct wl_permute_bulk *bulk = &plan->bulk;
    const uint64_t width = shape->width, step = shape->dim[r->along].in * width,
                   each = is_one(r) ? r->group : 1;
    const unsigned vector = apart_of(r->unit, r->element, false);
    bool in_pattern[WL_RANK_MAX] = {false};
    uint64_t loads = 1;
    *bulk = (struct wl_permute_bulk){.tiles = {.to = r->to, .from = r->from},
                                     .rows = 1,
                                     .runs = 1,
                                     .torn = out_grain_of(r) < SECTOR,
                                     .phase = r->phase,
                                     .swizzle = r->swizzle};
    for (unsigned d = 0; d < shape->rank; d++)
        plan->extent[d] = d < r->along ? shape->dim[d].size : 1;
    for (unsigned i = 0; shape->by_out[i] != r->across; i++) {
        const unsigned d = shape->by_out[i];
        in_pattern[d] = true;
        plan->extent[d] = shape->dim[d].size;
        wl__permute_bulk_add_row(bulk, shape->dim[d].size, d < r->along, shape->dim[d].in * width, &loads);
    }
    wl__permute_bulk_add_row(bulk, r->group, is_one(r), shape->dim[r->across].in * width, &loads);
    for (unsigned d = 0; d < r->along; d++)
        if (!in_pattern[d])
            wl__permute_bulk_add_run(bulk, shape->dim[d].size, shape->dim[d].in * width, 0,
                                     shape->dim[d].out * width);
    plan->extent[r->across] = r->group;
    plan->extent[r->along] = r->taken;
    for (unsigned d = 0; d < shape->rank; d++)
        plan->step[d] = plan->extent[d];
    plan->step[r->across] -= r->share;
    bulk->load = (uint32_t)(r->taken * step);
    bulk->pitch = (bulk->load + 2 * r->phase - r->unit - 1) / r->phase * r->phase;
    bulk->length = (uint32_t)(run_of(r) / width);
    bulk->turn = wl__permute_divisor(bulk->rows);
    bulk->columns = (uint32_t)(r->taken / each);
    bulk->column_in = (uint32_t)(each * step);
    bulk->column_out = each * shape->dim[r->along].out * width;
    bulk->wraps = is_one(r);
    const uint64_t tile = loads * bulk->pitch + loads / vector * bulk->swizzle + r->phase + WL_PERMUTE_ACCESS;
    if (bulk->rows > WL_PERMUTE_BULK_ROWS || bulk->runs > WL_PERMUTE_BULK_ROWS ||
        tile > WL_PERMUTE_BULK_MEMORY)
        return false;
    return wl__permute_bulk_lay_out_narrow(r->tuned, plan, r->unit, (unsigned)width / r->unit, r->look_ups,
                                           r->element, loads, tile, wl__permute_bytes(shape));
}

/* Bytes of a tile. */
static uint64_t tile_of(const struct records *r) {
    return r->record * r->taken * (is_one(r) ? 1 : r->group);
}

/* The part of the cost that needs no layout.  A warp stores up to 512 bytes at a time. */
static double cost_at_least(const struct records *r) {
    const struct wl__tuned_bulk_narrow *tuned = &r->tuned->narrow;
    const double tile = (double)tile_of(r), rows = (double)(r->pattern * r->group);
    return tuned->least + tuned->run / (double)run_of(r) +
           (tuned->block + tuned->row[__builtin_ctz(r->unit)] * rows) / tile +
           (r->element ? wl__permute_units_least(&r->tuned->units, r->element)
                       : tuned->step[__builtin_ctz(r->unit)] / 512);
}

static double visited(uint64_t size, uint64_t extent, uint64_t step) {
    const uint64_t tiles = size <= extent ? 1 : wl__divide_up(size - extent, step) + 1;
    return (double)(tiles * extent) / (double)size;
}

/* The estimated cost beyond a copy, by the figures for narrow elements, without banks. */
static double cost_of(const struct records *r, const struct wl__permute_bulk_plan *plan) {
    const struct wl__permute_shape *shape = r->shape;
    const struct wl_permute_bulk *bulk = &plan->bulk;
    const uint64_t size = shape->dim[r->along].size, wide = shape->dim[r->across].size,
                   in_grain = in_grain_of(r), out_grain = out_grain_of(r);
    const double torn = in_grain < SECTOR ? (double)(SECTOR - in_grain) / bulk->load : 0,
                 read = visited(size, r->taken, r->taken) *
                            (is_one(r) ? 1 : visited(wide, r->group, r->group - r->share)) * (1 + torn) -
                        1;
    const struct runs runs = {(double)run_of(r), (double)(r->pattern * wide * shape->width), read,
                              r->share ? shape->width : out_grain, r->share > 0};
    return wl__permute_bulk_cost_of_narrow(r->tuned, r->unit, plan, &runs);
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

/* Part of a dimension for about `aim` bytes, where each step of it makes `each`: tiles of equal size, of
 * whole sectors where these divide the dimension. */
static uint64_t part_of(const struct records *r, unsigned d, uint64_t each, uint64_t aim) {
    const uint64_t size = r->shape->dim[d].size, want = wl__divide_up(aim, each);
    uint64_t unit = SECTOR / common(SECTOR, each);
    if (want + want / 2 >= size)
        return size;
    if (size % unit || unit > want)
        unit = 1;
    const uint64_t units = size / unit, tiles = units / wl__divide_up(want, unit);
    return wl__divide_up(units, tiles ? tiles : 1) * unit;
}

/* Plans the tile by each of the layouts, and keeps the cheapest if it costs less.  They differ in banks
 * alone. */
static void try_layouts_of(struct records *r, struct wl__permute_bulk_plan *plan, double *least) {
    static const struct {
        unsigned phase, swizzle;
    } layouts[] = {{128, 0}, {32, 32}, {16, 16}, {16, 32}, {16, 64}}; /* the last two for packed elements */
    const struct box box = {
        .tuned = r->tuned, .shape = r->shape, .unit = r->unit, .narrow = true, .element = r->element};
    for (unsigned i = 0; i < (r->element ? 5 : 3); i++) {
        struct wl__permute_bulk_plan trial;
        r->phase = layouts[i].phase;
        r->swizzle = layouts[i].swizzle;
        if (!lay_out(&trial, r))
            continue;
        trial.cost = cost_of(r, &trial);
        if (trial.cost >= *least)
            return; /* the other layouts cost as much */
        trial.cost += wl__permute_bulk_cost_of_banks(&box, &trial);
        if (trial.cost < *least) {
            *least = trial.cost;
            *plan = trial;
        }
    }
}

/* The same with columns along either dimension. */
static void try_layouts(struct records *r, struct wl__permute_bulk_plan *plan, double *least) {
    r->look_ups = WL_TAKEN_ALONG_ROWS;
    try_layouts_of(r, plan, least);
    r->look_ups = WL_TAKEN_ALONG_OTHERS;
    if (!r->element)
        try_layouts_of(r, plan, least);
}

/* Records along one dimension. */
static void consider_one(struct records *r, struct wl__permute_bulk_plan *plan, double *least) {
    static const unsigned sizes[] = {12, 16, 20, 24, 28, 32, 36, 40, 46}; /* KiB */
    uint64_t part = r->pattern * r->shape->width;
    r->share = 0;
    for (r->group = 1; r->group <= SECTOR; r->group *= 2, part *= 2) {
        for (unsigned s = 0; part >= WL_PERMUTE_ACCESS && s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            r->taken = taken_of(r, sizes[s] * UINT64_C(1024));
            if (r->taken > 0 && cost_at_least(r) < *least)
                try_layouts(r, plan, least);
        }
        if (part % SECTOR == 0)
            break;
    }
}

/* Records along two. */
static void consider_two(struct records *r, struct wl__permute_bulk_plan *plan, double *least) {
    static const unsigned aims[] = {96, 128, 192, 256, 384, 512, 768, 1024, 1536, 3072, 6144, 12288, 24576};
    enum { AIMS = sizeof(aims) / sizeof(aims[0]) };
    const uint64_t width = r->shape->width, run = r->pattern * width, wide = r->shape->dim[r->across].size,
                   share = wl__divide_up(SECTOR - r->unit, run);
    uint64_t before = 0;
    for (unsigned i = 0; i < AIMS; i++) {
        uint64_t group_before = 0;
        r->taken = part_of(r, r->along, r->inside * width, aims[i]);
        if (r->taken == before)
            continue;
        before = r->taken;
        if (r->record * r->taken > WL_PERMUTE_BULK_MEMORY)
            return;
        for (unsigned o = 0; o < AIMS; o++) {
            r->share = 0;
            r->group = part_of(r, r->across, run, aims[o]);
            if (tile_of(r) > WL_PERMUTE_BULK_MEMORY)
                break;
            if (r->group == group_before)
                continue;
            group_before = r->group;
            if (out_grain_of(r) < SECTOR && r->group < wide && r->group > 2 * (share + 1))
                r->share = share;
            if (cost_at_least(r) < *least)
                try_layouts(r, plan, least);
        }
    }
}

bool wl__permute_plan_records(const struct wl__tuned_permute *tuned, struct wl__permute_bulk_plan *plan,
                              const struct wl__permute_shape *shape, unsigned unit, unsigned element,
                              uint64_t to, uint64_t from, double limit) {
    struct records r = {
        .tuned = &tuned->bulk, .shape = shape, .to = to, .from = from, .unit = unit, .element = element};
    double least = limit;
    for (r.along = 0; r.along < shape->rank; r.along++)
        for (r.across = r.along; r.across < shape->rank; r.across++)
            if (find(&r)) {
                if (is_one(&r))
                    consider_one(&r, plan, &least);
                else
                    consider_two(&r, plan, &least);
            }
    return least < limit &&
           wl__permute_number(tuned, &plan->bulk.tiles, shape, plan->extent, plan->step, WL_PERMUTE_PAIRS);
}
