/* What both sides know of permute_units.cu's kernels: elements of some bytes that stay together. */
#ifndef WIDELOAD_KERNELS_PERMUTE_UNITS_H
#define WIDELOAD_KERNELS_PERMUTE_UNITS_H

#define WL_PERMUTE_UNITS_THREADS 256

/* The greatest power of two that divides an element's bytes, which are 5 or 7 times that: elements begin at
 * its multiples.  Elements after which they begin alike within a sector. */
#define WL_PERMUTE_UNITS_GRAIN(bytes) ((bytes) & -(bytes))
#define WL_PERMUTE_UNITS_ALIKE(bytes) (32 / WL_PERMUTE_UNITS_GRAIN(bytes))
/* Lanes that take these elements together, a group each. */
#define WL_PERMUTE_UNITS_LANES        4
#define WL_PERMUTE_UNITS_GROUP(bytes) (WL_PERMUTE_UNITS_ALIKE(bytes) / WL_PERMUTE_UNITS_LANES)
/* Bytes of shared memory in which a warp's vectors are put in order. */
#define WL_PERMUTE_UNITS_STAGE(bytes) (32 * WL_PERMUTE_UNITS_GROUP(bytes) * (bytes))

#endif
