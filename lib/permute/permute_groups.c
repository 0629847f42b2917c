/* Groups of columns that permute_groups.cu moves by words: how a tile's runs are shared among its warps, and
 * what that costs. */
#include "lib/permute/permute_bulk_box.h"

#define WARPS  (WL_PERMUTE_WORDS_THREADS / 32)
#define VECTOR WL_PERMUTE_ACCESS

/* What the busiest warp takes for so many cells of so many steps.  Words that lie anywhere are read as two.
 */
static double work_of(const struct wl__tuned_column_groups *tuned, const struct wl_permute_bulk *bulk,
                      unsigned unit, uint64_t cells, uint64_t steps, double waves) {
    const double reads = VECTOR / unit * (bulk->even ? 1 : 2),
                 step = tuned->step[unit == 2][!bulk->even] + reads * tuned->wave * (waves - 1);
    return (double)wl__divide_up(cells, WARPS) * (tuned->cell + step * (double)steps);
}

unsigned wl__permute_groups_number(struct wl_permute_bulk *bulk, const struct wl__tuned_column_groups *tuned,
                                   unsigned unit) {
    const uint32_t rows = VECTOR / unit, group = 4 / unit;
    if (!wl__permute_bulk_begin_alike(bulk, VECTOR))
        return 0;
    const uint32_t vectors = (uint32_t)wl__divide_up(bulk->turn.count + rows - 1, rows);
    bulk->span = bulk->turn;
    bulk->table_rows = vectors * rows;
    bulk->table = 2 * bulk->table_rows;
    /* Lanes along a run, and cells that share its columns. */
    uint32_t best_lanes = 0, best_kinds = 0;
    double least = 0;
    for (uint32_t lanes = 4; lanes <= 16; lanes *= 2) {
        bulk->lanes = lanes;
        const uint32_t together = 32 / lanes * group, most = (uint32_t)wl__divide_up(bulk->columns, together);
        const uint64_t cells = bulk->runs * wl__divide_up(vectors, lanes);
        const double waves = wl__permute_groups_wavefronts(bulk, unit);
        for (uint32_t kinds = 1; kinds <= most && kinds <= 2 * WARPS; kinds++) {
            const double work = work_of(tuned, bulk, unit, cells * kinds, wl__divide_up(most, kinds), waves);
            if (best_kinds == 0 || work < least) {
                least = work;
                best_lanes = lanes;
                best_kinds = kinds;
            }
        }
    }
    bulk->lanes = best_lanes;
    bulk->along = wl__permute_divisor(wl__divide_up(vectors, best_lanes));
    bulk->kinds = wl__permute_divisor(best_kinds);
    bulk->alike = best_kinds * (32 / best_lanes) * group;
    bulk->cells = bulk->runs * bulk->along.count * best_kinds;
    return bulk->rows / bulk->turn.count * bulk->table;
}

double wl__permute_groups_cost(const struct wl__tuned_column_groups *tuned,
                               const struct wl_permute_bulk *bulk, unsigned unit, double waves) {
    return WARPS * work_of(tuned, bulk, unit, bulk->cells, wl__divide_up(bulk->columns, bulk->alike), waves);
}
