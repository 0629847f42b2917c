#include "lib/transpose/groups.h"
#include <string.h>

#define WARP 32
#define STEP 4 /* rows, and columns of a unit */

/* Cycles of a multiprocessor for the instructions of a step, and of a task's beginning. */
#define STEP_CYCLES 9.0
#define TASK_CYCLES 30.0

/* Passes over shared memory for the words that a warp's lanes read or write. */
static uint32_t passes_of(const uint32_t words[WARP]) {
    uint8_t lanes[WARP] = {0};
    uint8_t most = 0;
    for (uint32_t lane = 0; lane < WARP; lane++)
        if (++lanes[words[lane] % WARP] > most)
            most = lanes[words[lane] % WARP];
    return most;
}

/* Cycles of a block whose lanes take so many tasks of a unit, 2^beside side by side. */
static double cycles_of(const struct wl__groups *g, const struct wl_group_lanes *lanes) {
    uint32_t loads[WARP], stores[WARP];
    for (uint32_t lane = 0; lane < WARP; lane++) {
        /* As the kernels' part_of(): few units come again, with their next tasks. */
        const uint32_t side = lane >> lanes->beside, unit = side % g->units,
                       part = (side / g->units << lanes->beside) + (lane & ((1u << lanes->beside) - 1)),
                       matrix = unit / g->of_matrix, c = unit % g->of_matrix * STEP;
        loads[lane] =
            (matrix * g->matrix + c + part * (lanes->steps * STEP * g->row + g->pad)) / sizeof(uint32_t);
        stores[lane] =
            ((matrix * g->matrix_cols + c) * g->column + part * lanes->steps * STEP) / sizeof(uint32_t);
    }
    const uint32_t load = passes_of(loads) * (g->aligned ? STEP : 2 * STEP), store = passes_of(stores) * STEP;
    const uint32_t turns = (lanes->tasks + g->threads - 1) / g->threads;
    return turns * (lanes->steps * (load + store + STEP_CYCLES) + (g->even ? 0 : load + STEP) + TASK_CYCLES);
}

/* The best of some ways that have about one task for each lane.  A unit's last tasks may have no step. */
static void choose(const struct wl__groups *g, struct wl_group_lanes *out) {
    double best = 0;
    for (uint32_t beside = 0; 1u << beside <= WARP; beside++) {
        const uint32_t side = g->units << beside, most = (g->length + (1u << beside) - 1) >> beside;
        uint32_t turns = (g->threads + side - 1) / side;
        turns = turns > most ? most : turns > 1 ? turns - 1 : 1;
        for (uint32_t last = turns + 2; turns <= last && turns <= most; turns++) {
            const uint32_t parts = turns << beside;
            struct wl_group_lanes lanes = {
                .tasks = g->units * parts, .steps = (g->length + parts - 1) / parts, .beside = beside};
            const double cycles = cycles_of(g, &lanes);
            if (best == 0 || cycles < best) {
                best = cycles;
                *out = lanes;
            }
        }
    }
    out->by_units = wl_divisor(g->units);
}

void wl__groups_share(const struct wl__groups *groups, struct wl_group_lanes *lanes) {
    static _Thread_local struct {
        struct wl__groups groups;
        struct wl_group_lanes lanes;
    } last;
    if (memcmp(&last.groups, groups, sizeof *groups) != 0) {
        choose(groups, &last.lanes);
        last.groups = *groups;
    }
    *lanes = last.lanes;
}
