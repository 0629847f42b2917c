/* The tables of ladder/<experiment>/ and ladder/library/. */
#ifndef WIDELOAD_LIB_LADDER_TABLES_H
#define WIDELOAD_LIB_LADDER_TABLES_H

#include "ladder/problem.h"

/* The table for an array of rungs. */
#define WL_RUNGS(array)                                                                                      \
    { array, sizeof(array) / sizeof((array)[0]) }

extern const struct wl__rungs wl__ladder_copy;
extern const struct wl__rungs wl__ladder_add;
extern const struct wl__rungs wl__ladder_read_offset;
extern const struct wl__rungs wl__ladder_write_offset;
extern const struct wl__rungs wl__ladder_stride;
extern const struct wl__rungs wl__ladder_layout;
extern const struct wl__rungs wl__ladder_transpose;
extern const struct wl__rungs wl__ladder_shared;
extern const struct wl__rungs wl__ladder_matmul;
extern const struct wl__rungs wl__ladder_csr_transpose;
extern const struct wl__rungs wl__ladder_copy_any;
extern const struct wl__rungs wl__ladder_add_any;
extern const struct wl__rungs wl__ladder_transpose_any;
extern const struct wl__rungs wl__ladder_transpose_inplace;
extern const struct wl__rungs wl__ladder_deinterleave;
extern const struct wl__rungs wl__ladder_interleave;
extern const struct wl__rungs wl__ladder_permute;
extern const struct wl__rungs wl__ladder_redistribute;

#endif
