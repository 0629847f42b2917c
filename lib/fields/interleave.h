/* The parameter of interleave.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_INTERLEAVE_H
#define WIDELOAD_KERNELS_INTERLEAVE_H

#include <stdint.h>

#include "lib/cuda/batch.h"

/* Maximum streams of one launch. */
#define WL_STREAMS_MAX 64

#define WL_INTERLEAVE_THREADS      128
#define WL_INTERLEAVE_THREADS_MANY 256 /* for chunks with many vectors */
/* Consecutive vectors of a stream that neighbouring lanes of a warp take. */
#define WL_INTERLEAVE_GROUP 16

struct wl_interleave_shape {
    uint64_t n;             /* structures per matrix */
    uint64_t chunks;        /* per matrix */
    uint64_t packed;        /* address of the structures */
    uint64_t packed_stride; /* bytes from one matrix to the next */
    uint64_t stream_batch;  /* the same for the streams */
    struct wl_batch batch;  /* other dimensions of the matrices: from the structures, and to the streams */
    uint32_t structures;    /* by which chunks advance */
    uint32_t slack;   /* structures that a chunk holds before its own, and for interleave after them too */
    uint32_t vectors; /* 16-byte vectors that all streams have in a chunk: fields times groups times
                         WL_INTERLEAVE_GROUP */
    uint32_t fields;
    uint32_t fields_inverse; /* ceil(2^32 / fields): a multiplication divides */
    uint32_t pairs_inverse;  /* the same for fields / 2; 0 for 1 */
    /* WL_SHIFTED, 1 and 2 bytes: a warp's halves take fields that are `apart` from each other, and after
     * `period` of these the next ones in between.  Period 0: neighbouring fields. */
    uint32_t apart, period;
    uint32_t pad;      /* the inverse of the count of vectors between empty ones in shared memory; 0: none */
    uint32_t byte_pad; /* WL_SHIFTED: the same in bytes */
    uint32_t row;      /* else: bytes between a stream's vectors in shared memory */
    uint64_t streams[WL_STREAMS_MAX];
};

#endif
