/* Elements of some bytes that stay together, which permute_units.cu packs: how a tile's runs are shared among
 * its warps, and what that costs. */
#include "lib/permute/permute_units.h"

#include "lib/mask.h"
#include "lib/permute/permute_bulk_box.h"

#define WARPS (WL_PERMUTE_UNITS_THREADS / 32)

wl__kernel wl__permute_units_kernel(unsigned element) {
    switch (element) {
    case 5:
        return WL_KERNEL_permute_units5;
    case 7:
        return WL_KERNEL_permute_units7;
    case 10:
        return WL_KERNEL_permute_units10;
    case 28:
        return WL_KERNEL_permute_units28;
    default:
        return WL_KERNEL_COUNT;
    }
}

unsigned wl__permute_units_of(unsigned width, uint64_t to, uint64_t from) {
    const wl__kernel kernel = wl__permute_units_kernel(width);
    if (kernel == WL_KERNEL_COUNT || WL_MASKED(kernel) || (to | from) % WL_PERMUTE_UNITS_GRAIN(width))
        return 0;
    return width;
}

/* Words of shared memory that a lane reads for an element. */
static unsigned words_of(unsigned element) {
    const unsigned grain = WL_PERMUTE_UNITS_GRAIN(element), place = grain < 4 ? grain : 4;
    return (element + 7 - place) / 4;
}

/* What a warp takes for a step of one group per lane. */
static double step_of(const struct wl__tuned_units *tuned, unsigned element) {
    const unsigned group = WL_PERMUTE_UNITS_GROUP(element);
    return tuned->step + group * (tuned->element + tuned->word[element % 4 != 0] * words_of(element)) +
           tuned->vector * WL_PERMUTE_UNITS_STAGE(element) / 512;
}

/* The most words that lie in one bank, of those that columns' lanes read together. */
static unsigned columns_in_bank(uint32_t column_in, unsigned columns) {
    unsigned in_bank[32] = {0}, worst = 1;
    uint32_t before = UINT32_MAX;
    for (unsigned c = 0; c < columns; c++) {
        const uint32_t word = c * column_in / 4;
        if (word != before && ++in_bank[word % 32] > worst)
            worst = in_bank[word % 32];
        before = word;
    }
    return worst;
}

/* How a tile's runs are shared: columns that are taken as one, where runs continue, and lanes along a run. */
struct share {
    uint32_t columns, lanes;
    /* What follows from them. */
    uint32_t of_columns, deep, sets, before, alike, kinds;
    double cost; /* of all warps together */
};

static void look(struct share *share, const struct wl__tuned_units *tuned,
                 const struct wl_permute_bulk *bulk) {
    const unsigned element = bulk->element, group = WL_PERMUTE_UNITS_GROUP(element);
    const uint32_t column_in = share->columns * bulk->column_in,
                   column_out = (uint32_t)(share->columns * bulk->column_out),
                   span = share->columns * bulk->turn.count * element, set = share->lanes * group * element;
    const bool even = !bulk->torn && column_out % SECTOR == 0;
    /* Bytes before a run to where a sector begins with an element, and of its last sector behind it. */
    share->before = even ? 0 : WL_PERMUTE_UNITS_ALIKE(element);
    const uint32_t before = even ? 0 : share->before * element - WL_PERMUTE_UNITS_GRAIN(element),
                   behind = !bulk->wraps ? 0
                            : even       ? (0u - span) % SECTOR
                                         : SECTOR - 1;
    share->of_columns = (uint32_t)wl__divide_up(bulk->columns, share->columns);
    share->deep = 32 / share->lanes;
    share->sets = (uint32_t)wl__divide_up(before + span + behind, set);
    /* Four and more, by which elements also begin alike within a word. */
    uint32_t alike = 1;
    while (alike < share->deep || alike * column_out % SECTOR)
        alike *= 2;
    const double read =
        tuned->wave * (columns_in_bank(column_in, share->deep) - 1) * group * words_of(element);
    share->cost = 1e300;
    for (uint32_t more = alike; more < share->of_columns + alike; more += alike) {
        const uint32_t kinds = share->of_columns < more ? share->of_columns : more,
                       warps = (uint32_t)wl__divide_up(kinds, share->deep);
        const double cells = (double)bulk->runs * share->sets * warps,
                     steps = (double)wl__divide_up(share->of_columns, more),
                     each = tuned->cell + tuned->look_up * group + steps * (step_of(tuned, element) + read),
                     cost = each * WARPS * (double)(uint64_t)((cells + WARPS - 1) / WARPS);
        if (cost < share->cost) {
            share->cost = cost;
            share->alike = more;
            share->kinds = warps;
        }
    }
}

unsigned wl__permute_units_number(struct wl_permute_bulk *bulk, const struct wl__tuned_units *tuned,
                                  unsigned unit) {
    const unsigned units = bulk->element / unit, most = bulk->wraps ? bulk->columns : 1;
    struct share best = {.cost = 1e300};
    for (uint32_t columns = 1; columns <= most && columns <= 64; columns += columns < 8    ? 1
                                                                            : columns < 16 ? 2
                                                                                           : 4)
        for (uint32_t more = 1; more <= 2; more *= 2) {
            struct share share = {.columns = columns, .lanes = more * WL_PERMUTE_UNITS_LANES};
            look(&share, tuned, bulk);
            if (share.cost < best.cost)
                best = share;
        }
    const uint32_t rows = best.columns * bulk->turn.count;
    bulk->units = units;
    bulk->inner = wl__permute_divisor(bulk->columns);
    wl__permute_bulk_share_ends(bulk, bulk->wraps ? 1 : bulk->columns);
    bulk->total = bulk->turn.count * units * (bulk->wraps ? bulk->columns : 1);
    bulk->next_in = bulk->column_in;
    bulk->span = wl__permute_divisor(rows * units);
    bulk->columns = best.of_columns;
    bulk->column_in *= best.columns;
    bulk->column_out *= best.columns;
    const uint32_t taken = best.sets * best.lanes * WL_PERMUTE_UNITS_GROUP(bulk->element),
                   wanted = rows + (bulk->wraps ? (SECTOR - 1) / bulk->element + 1 : 0),
                   tables = bulk->rows / bulk->turn.count;
    bulk->table_rows = wanted < taken ? wanted : taken;
    bulk->before = best.before;
    const uint32_t others = best.before + taken - bulk->table_rows;
    bulk->others = wl__permute_divisor(others ? others : 1);
    bulk->others_in_all = tables * others;
    /* Copies of a table have an even number of entries. */
    bulk->table = 2 * (best.before + taken) * (best.before ? 2 : 1);
    bulk->row_table += 2 * best.before;
    bulk->lanes = best.lanes;
    bulk->along = wl__permute_divisor(best.sets);
    bulk->alike = best.alike;
    bulk->kinds = wl__permute_divisor(best.kinds);
    bulk->cells = bulk->runs * best.sets * best.kinds;
    return tables * bulk->table;
}

/* Steps of all warps, where each takes as many as the busiest. */
static double steps_of(const struct wl_permute_bulk *bulk) {
    return (double)wl__divide_up(bulk->cells, WARPS) * WARPS *
           (double)wl__divide_up(bulk->columns, bulk->alike);
}

double wl__permute_units_cost(const struct wl__tuned_units *tuned, const struct wl_permute_bulk *bulk) {
    const double cells = (double)wl__divide_up(bulk->cells, WARPS) * WARPS;
    return cells * (tuned->cell + tuned->look_up * WL_PERMUTE_UNITS_GROUP(bulk->element)) +
           steps_of(bulk) * step_of(tuned, bulk->element);
}

double wl__permute_units_least(const struct wl__tuned_units *tuned, unsigned element) {
    return step_of(tuned, element) / WL_PERMUTE_UNITS_STAGE(element);
}

double wl__permute_units_cost_of_banks(const struct wl__tuned_units *tuned,
                                       const struct wl_permute_bulk *bulk, double waves) {
    return tuned->wave * (waves - 1) * steps_of(bulk) * WL_PERMUTE_UNITS_GROUP(bulk->element) *
           words_of(bulk->element);
}
