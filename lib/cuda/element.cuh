/* Elements of WL_WIDTH bytes (1, 2, 4, 8 or 16), names of kernels that are compiled once per width, and
 * addresses that come in a struct. */
#ifndef WIDELOAD_KERNELS_ELEMENT_CUH
#define WIDELOAD_KERNELS_ELEMENT_CUH

#include "lib/cuda/global.cuh"

#if WL_WIDTH == 16
typedef uint4 wl_element;
#elif WL_WIDTH == 8
typedef uint2 wl_element;
#elif WL_WIDTH == 4
typedef uint32_t wl_element;
#elif WL_WIDTH == 2
typedef uint16_t wl_element;
#else
typedef uint8_t wl_element;
#endif

/* Elements per 16-byte vector. */
#define WL_EACH (16 / WL_WIDTH)

#define WL_JOINED(name, width, suffix) wl_##name##width##suffix
/* Expands the arguments, which ## would not do. */
#define WL_JOIN(name, width, suffix) WL_JOINED(name, width, suffix)

#endif
