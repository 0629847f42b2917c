#include "sim/exec/lanes/float.h"
#include "sim/exec/lanes/lanes_handlers.h"
#include "sim/exec/lanes/ops_float.h"

#include "sim/exec/lanes/lanes_list.h"

const struct sim_row sim_rows_float[] = {
#include "sim/exec/lanes/ops_float.h"
    {.pattern = NULL}};
