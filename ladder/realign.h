/* The cutting of shifted arrays for ladder/realign.cuh. */
#ifndef WIDELOAD_LIB_REALIGN_H
#define WIDELOAD_LIB_REALIGN_H

#include "ladder/problem.h"

/* out[i] = a[i] + b[i], i < count, computed in 16-byte vectors of out.  a's and b's vectors begin shift_a and
 * shift_b elements (0 to 3) into an aligned vector. */
struct wl__realign {
    uint64_t head, vectors;
    uint32_t shift_a, shift_b;
};

/* The cut reads no element of a and b outside [0, count). */
struct wl__realign wl__realign(wl_devptr out, wl_devptr a, wl_devptr b, uint64_t count);

/* Cuts and launches one of the two realigned kernels. */
wl_error wl__realign_launch(wl_context *context, wl__kernel kernel, wl_devptr out, wl_devptr a, wl_devptr b,
                            uint64_t count, struct wl__block block, wl_stream stream);

#endif
