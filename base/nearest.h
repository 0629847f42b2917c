/* The name that a user probably meant. */
#ifndef WIDELOAD_BASE_NEAREST_H
#define WIDELOAD_BASE_NEAREST_H

#include <stddef.h>

/* The edit distance, in which a swap of neighbours counts as 1; case is ignored. */
size_t base_edit_distance(const char *a, const char *b);

/* The candidate nearest to name, the first of equals.  NULL when none is near: a third of the longer name's
 * letters may differ, or 1 of up to 3. */
const char *base_nearest(const char *name, const char *const *candidates, size_t count);

#endif
