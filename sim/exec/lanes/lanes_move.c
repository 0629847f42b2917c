#include "sim/exec/lanes/lanes_handlers.h"

/* Two destinations; d gets the lower part. */
#define UNPACK(pattern, D, A, low, high)                                                                     \
    SIM_CLONES SIM_HANDLER(SIM_ID) {                                                                         \
        SOURCE_##A(a) LANE_##D *e_s = SIM_SLOT(w, in->e);                                                    \
        SIM_EVERY_LANE(D, GET_##A(a) e_s[i] = mask & (1u << i) ? SET_##D(high) : e_s[i];, low)               \
    }

#include "sim/exec/lanes/ops_move.h"

#include "sim/exec/lanes/lanes_list.h"
#undef UNPACK
#define UNPACK(pattern, D, A, low, high) SIM_ROW(pattern, SIM_ID, D, D, A, NONE, NONE, NONE, .small = 0)

const struct sim_row sim_rows_move[] = {
#include "sim/exec/lanes/ops_move.h"
    {.pattern = NULL}};
