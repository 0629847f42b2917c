#include "sim/exec/float.h"
#include "sim/exec/lanes_handlers.h"
#include "sim/exec/ops_float.h"

#include "sim/exec/lanes_list.h"

const struct sim_row sim_rows_float[] = {
#include "sim/exec/ops_float.h"
    {.pattern = NULL}};
