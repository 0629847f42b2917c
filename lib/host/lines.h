/* Lines and rows in a few instructions: calls of memcpy() for each would take as long as the memory does. */
#ifndef WIDELOAD_LIB_HOST_LINES_H
#define WIDELOAD_LIB_HOST_LINES_H

#include <stdint.h>
#include <string.h>

#include "lib/host/kernels.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Copies a line past the caches, if the processor can.  `to` is aligned. */
static inline void wl__host_stream_line(unsigned char *to, const unsigned char *from) {
#ifdef __SSE2__
    __m128i part[4];
    for (int i = 0; i < 4; i++)
        part[i] = _mm_loadu_si128((const __m128i *)from + i);
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)to + i, part[i]);
#else
    memcpy(to, from, WL_HOST_LINE);
#endif
}

/* Copies a row of at least half a line. */
static inline void wl__host_copy_row(unsigned char *to, const unsigned char *from, uint64_t bytes) {
    enum { HALF = WL_HOST_LINE / 2 };
    for (uint64_t i = 0; i + HALF <= bytes; i += HALF)
        memcpy(to + i, from + i, HALF);
    memcpy(to + bytes - HALF, from + bytes - HALF, HALF);
}

/* Fetches a row's lines into the cache. */
static inline void wl__host_fetch_row(const unsigned char *row, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i += WL_HOST_LINE)
        __builtin_prefetch(row + i);
    __builtin_prefetch(row + bytes - 1);
}

#endif
