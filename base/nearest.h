/* The name that a user probably meant. */
#ifndef WIDELOAD_BASE_NEAREST_H
#define WIDELOAD_BASE_NEAREST_H

#include <stddef.h>

/* Levenshtein's distance, ASCII letters compared without case. */
size_t base_edit_distance(const char *a, const char *b);

/* The candidate nearest to name, the first of equals; NULL when none is near (more than half of the
 * longer name, and more than 2, would have to change). */
const char *base_nearest(const char *name, const char *const *candidates, size_t count);

#endif
