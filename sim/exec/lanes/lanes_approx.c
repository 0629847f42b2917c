#include "sim/exec/lanes/approx.h"
#include "sim/exec/lanes/lanes_handlers.h"

/* Applies the function to both halves of a pair. */
#define EACH1(function) (function((uint16_t)a, m) | (uint32_t)function((uint16_t)(a >> 16), m) << 16)

#include "sim/exec/lanes/ops_approx.h"

#include "sim/exec/lanes/lanes_list.h"

const struct sim_row sim_rows_approx[] = {
#include "sim/exec/lanes/ops_approx.h"
    {.pattern = NULL}};
