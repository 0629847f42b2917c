#include "sim/exec/lanes/integer.h"
#include "sim/exec/lanes/lanes_handlers.h"
#include "sim/exec/lanes/ops_integer.h"

#include "sim/exec/lanes/lanes_list.h"

const struct sim_row sim_rows_integer[] = {
#include "sim/exec/lanes/ops_integer.h"
    {.pattern = NULL}};
