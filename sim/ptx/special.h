/* PTX's predefined registers. */
#ifndef WIDELOAD_SIM_PTX_SPECIAL_H
#define WIDELOAD_SIM_PTX_SPECIAL_H

#include <stdbool.h>

/* Whether the name is one of PTX's own: "%tid.x", "%laneid", "%envreg3", "WARP_SZ" ... */
bool ptx__is_special(const char *name);

#endif
