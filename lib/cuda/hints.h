/* Eviction hints of loads, for both sides. */
#ifndef WIDELOAD_KERNELS_HINTS_H
#define WIDELOAD_KERNELS_HINTS_H

#include <stdint.h>

/* The constants that createpolicy.fractional makes for all accesses.  CUDA's own
 * cuda::access_property::normal and persisting are the same. */
#define WL_EVICT_NORMAL UINT64_C(0x10F0000000000000)
#define WL_EVICT_LAST   UINT64_C(0x14F0000000000000)

#endif
