/* Elements in a line, at any strides.  Where the output is contiguous and the input has a small stride, the
 * compiler knows both, and has vectors for them. */
#ifndef WIDELOAD_LIB_HOST_LINE_H
#define WIDELOAD_LIB_HOST_LINE_H

#include "lib/host/isa/vector.h"

#define WL_LOOP(width, to_step, from_step)                                                                   \
    for (uint64_t i = 0; i < n; i++)                                                                         \
        out[(int64_t)i * (to_step)] = in[(int64_t)i * (from_step)];                                          \
    break;

#define WL_LINE(width)                                                                                       \
    static void line##width(unsigned char *to, int64_t to_stride, const unsigned char *from,                 \
                            int64_t from_stride, uint64_t n, uint64_t bytes) {                               \
        wl_any##width *restrict out = (wl_any##width *)to;                                                   \
        const wl_any##width *restrict in = (const wl_any##width *)from;                                      \
        (void)bytes;                                                                                         \
        switch (to_stride == width ? from_stride : INT64_MAX) {                                              \
        case -(width):                                                                                       \
            WL_LOOP(width, 1, -1)                                                                            \
        case 0:                                                                                              \
            WL_LOOP(width, 1, 0)                                                                             \
        case (width):                                                                                        \
            WL_LOOP(width, 1, 1)                                                                             \
        case 2 * (width):                                                                                    \
            WL_LOOP(width, 1, 2)                                                                             \
        case 3 * (width):                                                                                    \
            WL_LOOP(width, 1, 3)                                                                             \
        case 4 * (width):                                                                                    \
            WL_LOOP(width, 1, 4)                                                                             \
        default:                                                                                             \
            for (uint64_t i = 0; i < n; i++, to += to_stride, from += from_stride)                           \
                *(wl_any##width *)to = *(const wl_any##width *)from;                                         \
        }                                                                                                    \
    }
WL_LINE(1)
WL_LINE(2)
WL_LINE(4)
WL_LINE(8)
WL_LINE(16)

/* Elements of first to 2 * first bytes, by two accesses that may overlap. */
#define WL_TWO(type, first)                                                                                  \
    for (uint64_t i = 0; i < n; i++, to += to_stride, from += from_stride) {                                 \
        const type head = *(const type *)from, tail = *(const type *)(from + bytes - (first));               \
        *(type *)to = head;                                                                                  \
        *(type *)(to + bytes - (first)) = tail;                                                              \
    }

static void line_any(unsigned char *to, int64_t to_stride, const unsigned char *from, int64_t from_stride,
                     uint64_t n, uint64_t bytes) {
    if (bytes > 32)
        for (uint64_t i = 0; i < n; i++, to += to_stride, from += from_stride)
            memcpy(to, from, bytes);
    else if (bytes >= 16)
        WL_TWO(wl_any16, 16)
    else if (bytes >= 8)
        WL_TWO(wl_any8, 8)
    else if (bytes >= 4)
        WL_TWO(wl_any4, 4)
    else if (bytes >= 2)
        WL_TWO(wl_any2, 2)
    else
        line1(to, to_stride, from, from_stride, n, 1);
}

#endif
