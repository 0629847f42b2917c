/* What the calls on sparse matrices share. */
#ifndef WIDELOAD_LIB_SPARSE_H
#define WIDELOAD_LIB_SPARSE_H

#include "wideload.h"

/* Refuses NULL, sizes that indices of index_bytes cannot count, and widths that no value has. */
wl_error wl__check_sparse_shape(const char *call, const wl_sparse_shape *shape);

#endif
