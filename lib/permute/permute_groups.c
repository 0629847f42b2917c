/* Groups of columns that permute_groups.cu moves by words: how a tile's runs are shared among its warps, and
 * what that costs. */
#include "lib/permute/permute_bulk_box.h"

#define WARPS  (WL_PERMUTE_WORDS_THREADS / 32)
#define VECTOR WL_PERMUTE_ACCESS

/* Whether all runs of a tile begin alike within a vector. */
static bool are_alike(const struct wl_permute_bulk *bulk) {
    uint64_t bits = bulk->column_out;
    for (uint32_t i = 0; i < bulk->run_parts; i++)
        bits |= bulk->run[i].out;
    return bits % VECTOR == 0;
}

/* What the busiest warp takes.  Words that lie anywhere are read as two. */
static double work_of(const struct wl__tuned_column_groups *tuned, const struct wl_permute_bulk *bulk,
                      unsigned unit, double waves) {
    const double reads = VECTOR / unit * (bulk->even ? 1 : 2),
                 step = tuned->step[unit == 2][!bulk->even] + reads * tuned->wave * (waves - 1);
    return (double)wl__divide_up(bulk->cells, WARPS) *
           (tuned->cell + step * (double)wl__divide_up(bulk->columns, bulk->alike));
}

/* Shares groups of columns among so many cells, each of which takes every so many. */
static void share(struct wl_permute_bulk *bulk, unsigned unit, uint32_t lanes, uint32_t kinds) {
    const uint32_t rows = VECTOR / unit, vectors = bulk->table_rows / rows;
    bulk->lanes = lanes;
    bulk->along = wl__permute_divisor(wl__divide_up(vectors, lanes));
    bulk->kinds = wl__permute_divisor(kinds);
    bulk->alike = kinds * (32 / lanes) * (4 / unit);
    bulk->cells = bulk->runs * bulk->along.count * kinds;
}

unsigned wl__permute_groups_number(struct wl_permute_bulk *bulk, const struct wl__tuned_column_groups *tuned,
                                   unsigned unit) {
    const uint32_t rows = VECTOR / unit, groups = (uint32_t)wl__divide_up(bulk->columns, 4 / unit);
    if (!are_alike(bulk))
        return 0;
    bulk->span = bulk->turn;
    bulk->table_rows = (uint32_t)wl__divide_up(bulk->turn.count + rows - 1, rows) * rows;
    bulk->table = 2 * bulk->table_rows;
    struct wl_permute_bulk best = {.cells = 0};
    double least = 0;
    for (uint32_t lanes = 4; lanes <= 16; lanes *= 2) {
        const uint32_t deep = 32 / lanes, most = (uint32_t)wl__divide_up(groups, deep);
        bulk->lanes = lanes;
        const double waves = wl__permute_groups_wavefronts(bulk, unit);
        for (uint32_t kinds = 1; kinds <= most && kinds <= 2 * WARPS; kinds++) {
            share(bulk, unit, lanes, kinds);
            const double work = work_of(tuned, bulk, unit, waves);
            if (best.cells == 0 || work < least) {
                least = work;
                best = *bulk;
            }
        }
    }
    *bulk = best;
    return bulk->rows / bulk->turn.count * bulk->table;
}

double wl__permute_groups_cost(const struct wl__tuned_column_groups *tuned,
                               const struct wl_permute_bulk *bulk, unsigned unit, double waves) {
    return WARPS * work_of(tuned, bulk, unit, waves);
}
