/* The registers that PTX defines itself. */
#ifndef WIDELOAD_SIM_PTX_SPECIAL_H
#define WIDELOAD_SIM_PTX_SPECIAL_H

#include <stdbool.h>

/* "%tid.x", "%laneid", "%envreg3", "WARP_SZ" ...: is it one of PTX's own? */
bool ptx__is_special(const char *name);

#endif
