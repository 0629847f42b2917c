#include "sim/exec/bits.h"
#include "sim/exec/lanes_handlers.h"
#include "sim/exec/ops_bits.h"

#include "sim/exec/lanes_list.h"

const struct sim_row sim_rows_bits[] = {
#include "sim/exec/ops_bits.h"
    {.pattern = NULL}};
