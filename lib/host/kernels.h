/* The inner loops of the host device, compiled once for each set of vector instructions. */
#ifndef WIDELOAD_LIB_HOST_KERNELS_H
#define WIDELOAD_LIB_HOST_KERNELS_H

#include <stdint.h>

#include "wideload.h"

#define WL_HOST_TYPES 12
#define WL_HOST_LINE  64 /* bytes: a line of the caches, which streaming stores fill whole */

/* A block of a transpose: the element at to + b * to_pitch + a * width becomes the one at from + a *
 * from_pitch
 * + b * width, for a below `across` and b below `down`.  Pitches are in bytes, may be negative, and need no
 * alignment.  If `ahead` is not NULL, the block of that pitch which begins there is wanted next. */
typedef void wl__host_transpose(unsigned char *to, int64_t to_pitch, const unsigned char *from,
                                int64_t from_pitch, uint64_t across, uint64_t down,
                                const unsigned char *ahead, int64_t ahead_pitch);
/* n elements of a width, each side at a stride of its own. */
typedef void wl__host_line(unsigned char *to, int64_t to_stride, const unsigned char *from,
                           int64_t from_stride, uint64_t n, uint64_t bytes);
typedef void wl__host_sum(void *out, const void *a, const void *b, uint64_t n);

/* Tables by width: 1, 2, 4, 8 and 16 bytes. */
struct wl__host_kernels {
    const char *name; /* for wl_device_info.arch */
    wl__host_transpose *transpose[5];
    wl__host_line *line[5];
    wl__host_line *line_any; /* elements of any bytes */
    wl__host_sum *add[WL_HOST_TYPES];
};

extern const struct wl__host_kernels wl__host_default;
#ifdef __x86_64__
extern const struct wl__host_kernels wl__host_avx2, wl__host_avx512;
#endif

/* Those for this processor, or the i-th that it can run, the most general first; NULL past the last. */
const struct wl__host_kernels *wl__host_kernels(void);
const struct wl__host_kernels *wl__host_kernels_at(unsigned i);

/* Copies past the caches where the processor can: for arrays that would push everything else out of them.
 * Each thread must call wl__host_stream_end() before others read what it wrote. */
void wl__host_stream(unsigned char *to, const unsigned char *from, uint64_t bytes);
void wl__host_stream_end(void);

#endif
