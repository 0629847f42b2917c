/* Shared by the ladders of the library's operations: each has the library's call, and for comparison the
 * driver's copy of as many bytes. */
#ifndef WIDELOAD_LIB_LADDER_LIBRARY_H
#define WIDELOAD_LIB_LADDER_LIBRARY_H

#include "ladder/tables.h"

/* 2 * wl__bytes_a_side() */
uint64_t wl__library_bytes(const struct wl_problem *problem);

/* cuMemcpyDtoDAsync of wl__bytes_a_side() bytes from in0 to out0. */
wl_error wl__memcpy_launch(wl_context *context, const struct wl_problem *problem, wl_stream stream);
/* The same for any number of bytes between any addresses. */
wl_error wl__memcpy_bytes(wl_context *context, wl_devptr to, wl_devptr from, uint64_t bytes,
                          wl_stream stream);

/* A rung of the table: the library's call. */
#define WL_LIBRARY_RUNG(of, text, what, formula, function)                                                   \
    .experiment = of, .name = "wideload", .idea = text, .reference = what, .outputs = 1,                     \
    .fixed_block = true, .bytes_formula = formula, .bytes = wl__library_bytes, .launch = function

/* The driver's copy. */
#define WL_MEMCPY_RUNG(of, formula)                                                                          \
    .experiment = of, .name = "memcpy", .idea = "the driver's copy of as many bytes (cuMemcpyDtoDAsync)",    \
    .library = "CUDA driver", .reference = WL_REF_SAME_BYTES, .outputs = 1, .fixed_block = true,             \
    .bytes_formula = formula, .bytes = wl__library_bytes, .launch = wl__memcpy_launch

#endif
