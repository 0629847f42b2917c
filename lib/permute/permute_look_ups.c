/* Look-ups of rows' places that a tile's columns share. */
#include "lib/permute/permute_bulk_box.h"

/* Wavefronts of a warp's look-up that are few enough. */
#define FEW_WAVEFRONTS 1.5

/* Accesses by warps to the kinds of columns that a number of `alike` makes. */
static uint32_t kinds_of(const struct wl_permute_bulk *bulk, unsigned unit, uint32_t alike) {
    const uint32_t kinds = bulk->columns < alike ? bulk->columns : alike,
                   each = (unit == 1 && bulk->odd ? 2 : 1), together = each * (32 / bulk->lanes);
    return each * ((kinds + together - 1) / together);
}

/* From how many columns on runs begin alike within a sector, `least` at the least: a power of two. */
static uint32_t least_alike(uint64_t column_out, unsigned unit, uint32_t least) {
    uint32_t alike = SECTOR / unit;
    while (alike > least && alike / 2 * column_out % SECTOR == 0)
        alike /= 2;
    return alike;
}

bool wl__permute_look_ups_turn(struct wl_permute_bulk *bulk, unsigned unit) {
    uint64_t most = wl__divide_up(bulk->columns, least_alike(bulk->column_out, unit, 1));
    struct wl_permute_run *best = NULL;
    for (uint32_t i = 0; i < bulk->run_parts && !bulk->wraps; i++) {
        struct wl_permute_run *const run = &bulk->run[i];
        const uint64_t shared = wl__divide_up(run->by.count, least_alike(run->out, unit, 1));
        if (run->rows == 0 && shared > most) {
            most = shared;
            best = run;
        }
    }
    if (!best)
        return false;
    const struct wl_permute_run run = *best;
    *best = (struct wl_permute_run){
        .by = wl__permute_divisor(bulk->columns), .along = bulk->column_in, .out = bulk->column_out};
    bulk->runs = bulk->runs / run.by.count * bulk->columns;
    bulk->columns = run.by.count;
    bulk->column_in = run.along;
    bulk->column_out = run.out;
    bulk->odd = 0;
    bulk->row_table = bulk->run_table + 16 * bulk->runs;
    return true;
}

/* How many columns apart look-ups are shared: at the least from where on runs begin alike, or a multiple by
 * which the slowest warp has less to do.  A look-up takes instructions as 1.5 stores do.  Where rows are at
 * an odd distance, banks want the columns as they are. */
static uint32_t alike_of(const struct wl_permute_bulk *bulk, unsigned unit, uint32_t warps) {
    const uint32_t each = bulk->runs * bulk->along.count;
    if (bulk->odd)
        return SECTOR / unit;
    const uint32_t alike = least_alike(bulk->column_out, unit, 32 / bulk->lanes);
    uint32_t least = UINT32_MAX;
    uint32_t best = alike;
    for (uint32_t more = alike; more < bulk->columns + alike; more += alike) {
        const uint32_t turns = (each * kinds_of(bulk, unit, more) + warps - 1) / warps,
                       now = turns * (3 + 2 * ((bulk->columns + more - 1) / more));
        if (now < least) {
            least = now;
            best = more;
        }
    }
    return best;
}

unsigned wl__permute_look_ups_tables(struct wl_permute_bulk *bulk, unsigned unit) {
    const unsigned sector = SECTOR / unit, rows = 4 / unit;
    uint32_t span = bulk->turn.count * bulk->units;
    bulk->inner = wl__permute_divisor(bulk->columns);
    wl__permute_bulk_number_ends(bulk);
    bulk->span = wl__permute_divisor(span);
    bulk->quarter = (span + sector + bulk->units) / (4 * rows) + 1;
    bulk->tables = wl__permute_bulk_begin_alike(bulk, 4) ? 1 : rows;
    bulk->table = bulk->tables * 4 * bulk->quarter * rows * 2;
    return bulk->rows / bulk->turn.count * bulk->table;
}

unsigned wl__permute_look_ups_blocks(const struct wl__tuned_bulk *tuned, unsigned memory, uint64_t bytes) {
    static const unsigned many[] = {12, 8, 6};
    for (unsigned i = 0; bytes >= tuned->narrow.many && i < sizeof many / sizeof *many; i++)
        if (many[i] * (memory + WL_PERMUTE_RESERVED) <= WL_PERMUTE_SHARED)
            return many[i];
    return WL_PERMUTE_BLOCKS;
}

void wl__permute_look_ups_number(struct wl_permute_bulk *bulk, unsigned unit, unsigned threads,
                                 unsigned lanes) {
    const unsigned sector = SECTOR / unit;
    const uint32_t span = bulk->span.count;
    uint64_t sectors = bulk->wraps ? wl__divide_up(span, sector) : span / sector;
    uint64_t vectors = sectors ? 2 * sectors : 1;
    bulk->lanes = lanes;
    while (bulk->lanes / 2 >= vectors)
        bulk->lanes /= 2;
    bulk->along = wl__permute_divisor(wl__divide_up(vectors, bulk->lanes));
    bulk->alike = alike_of(bulk, unit, threads / 32);
    bulk->alike_in = bulk->alike * bulk->column_in;
    bulk->columns_in = bulk->columns * bulk->column_in;
    bulk->alike_out = bulk->alike * bulk->column_out;
    bulk->kinds = wl__permute_divisor(kinds_of(bulk, unit, bulk->alike));
    bulk->cells = bulk->runs * bulk->along.count * bulk->kinds.count;
}

/* What a tile's look-ups take: instructions for places that columns share, and wavefronts for elements. */
static double work_of(const struct wl__permute_bulk_plan *plan) {
    enum { PLACES = 12 };
    const struct wl_permute_bulk *bulk = &plan->bulk;
    const uint64_t turns = wl__divide_up(bulk->cells, plan->threads / 32),
                   same = wl__divide_up(bulk->columns, bulk->alike);
    return (double)turns * (PLACES + (double)same * WL_PERMUTE_ACCESS / plan->unit *
                                         wl__permute_look_ups_wavefronts(bulk, plan->unit));
}

/* Takes the plan if it has less to do by a twentieth. */
static void keep_better(struct wl__permute_bulk_plan *best, double *least,
                        const struct wl__permute_bulk_plan *trial) {
    const double work = work_of(trial);
    if (work < *least * 19 / 20) {
        *least = work;
        *best = *trial;
    }
}

/* Bytes of a tile's loads in shared memory, without what their places add. */
static uint32_t loads_of(const struct wl_permute_bulk *bulk, unsigned unit) {
    return bulk->loads * bulk->pitch + bulk->loads / apart_of(unit, 0, false) * bulk->swizzle;
}

/* Puts loads so far apart, and moves what lies behind the tile; false if that is too much for a block. */
static bool part_loads(struct wl__permute_bulk_plan *plan, uint32_t pitch, uint32_t swizzle) {
    struct wl_permute_bulk *bulk = &plan->bulk;
    const uint32_t before = loads_of(bulk, plan->unit);
    bulk->phase = WL_PERMUTE_ACCESS;
    bulk->pitch = pitch;
    bulk->swizzle = swizzle;
    /* A multiple of 16 in either direction. */
    const uint32_t moved =
        (loads_of(bulk, plan->unit) - before + WL_PERMUTE_ACCESS - 1) & ~(uint32_t)(WL_PERMUTE_ACCESS - 1);
    bulk->run_table += moved;
    bulk->row_table += moved;
    bulk->load_table += bulk->load_table ? moved : 0;
    bulk->barrier += moved;
    plan->memory += moved;
    return plan->blocks * (plan->memory + WL_PERMUTE_RESERVED) <= WL_PERMUTE_SHARED;
}

void wl__permute_look_ups_part_banks(struct wl__permute_bulk_plan *plan) {
    enum { SWIZZLES = 3 * WL_PERMUTE_ACCESS };
    const struct wl__permute_bulk_plan first = *plan;
    if (wl__permute_look_ups_wavefronts(&plan->bulk, plan->unit) <= FEW_WAVEFRONTS)
        return;
    double least = work_of(plan);
    for (unsigned lanes = 2 * WL_PERMUTE_LANES; first.bulk.lanes == WL_PERMUTE_LANES && lanes <= 32;
         lanes *= 2) {
        struct wl__permute_bulk_plan trial = first;
        wl__permute_look_ups_number(&trial.bulk, trial.unit, trial.threads, lanes);
        keep_better(plan, &least, &trial);
    }
    /* Wider elements gain less by that than they lose by copies that take more requests. */
    if (first.unit > 1 || first.bulk.joined_load)
        return;
    const struct wl__permute_bulk_plan second = *plan;
    const uint32_t pitch =
        (second.bulk.load + 2 * WL_PERMUTE_ACCESS - 1) / WL_PERMUTE_ACCESS * WL_PERMUTE_ACCESS;
    for (uint32_t swizzle = 0; swizzle < SWIZZLES; swizzle += WL_PERMUTE_ACCESS)
        for (uint32_t pad = 0; pad < WL_PERMUTE_LINE; pad += WL_PERMUTE_ACCESS) {
            struct wl__permute_bulk_plan trial = second;
            if (part_loads(&trial, pitch + pad, swizzle))
                keep_better(plan, &least, &trial);
        }
}
