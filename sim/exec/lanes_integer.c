#include "sim/exec/integer.h"
#include "sim/exec/lanes_handlers.h"
#include "sim/exec/ops_integer.h"

#include "sim/exec/lanes_list.h"

const struct sim_row sim_rows_integer[] = {
#include "sim/exec/ops_integer.h"
    {.pattern = NULL}};
