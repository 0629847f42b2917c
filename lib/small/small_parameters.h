/* What the host tells the kernel of small arrays: plain C that both sides include.
 *
 * It is packed: 360 bytes less to read made a call of 1.5 us 0.2 us shorter (docs/notes/small.md).  Probably
 * a block that starts finds the cache of its parameters empty, and reads them line after line. */
#ifndef WIDELOAD_KERNELS_SMALL_PARAMETERS_H
#define WIDELOAD_KERNELS_SMALL_PARAMETERS_H

#include "lib/cuda/divisor.h"

#define WL_SMALL_PARTS  4    /* dimensions in which a box may have more than one element */
#define WL_SMALL_OTHERS 7    /* other dimensions of an array */
#define WL_SMALL_MOST   1024 /* elements of a box */
/* Elements per thread, of arrays that are small and of others.  More of them take more instructions to load
 * for the first block of a multiprocessor, and fewer for the whole array. */
#define WL_SMALL_FEW  2
#define WL_SMALL_MORE 4

/* n / count = n * magic >> WL_SMALL_SHIFT for n < WL_SMALL_MOST, count <= WL_SMALL_MOST: magic is 2^22 /
 * count, rounded up, so n times its error is less than 2^22. */
#define WL_SMALL_SHIFT 22

/* Bytes of shared memory: a word more after each 128 bytes. */
#define WL_SMALL_PAD(width)   ((width) > 4 ? (width) : 4)
#define WL_SMALL_BYTES(width) (WL_SMALL_MOST * (width) / 128 * (128 + WL_SMALL_PAD(width)))

/* A dimension of the array, cut into boxes: their number, and bytes from one to the next. */
struct wl_small_cut {
    struct wl_divisor boxes;
    uint32_t in, out;
};

/* A dimension of the box, as one side counts its elements: the bytes from one to the next in the array, and
 * the elements in the box's memory. */
struct wl_small_part {
    uint32_t magic, global;
    uint16_t count, shared;
    uint16_t dimension; /* its place in the input's order */
    uint16_t last;      /* elements of the last box along it */
};

/* Boxes that lie in two dimensions need one of these, others two. */
struct wl_small_pair {
    struct wl_small_cut cut[2];
    struct wl_small_part in[2], out[2]; /* the fastest first */
};

struct wl_small {
    uint64_t to, from;
    uint16_t parts, others; /* others: dimensions in which a box has one element */
    uint32_t elements;      /* of a box */
    struct wl_small_pair pair[WL_SMALL_PARTS / 2];
    struct wl_small_cut other[WL_SMALL_OTHERS];
};

#endif
