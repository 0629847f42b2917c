/* The parameter of interleave.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_INTERLEAVE_H
#define WIDELOAD_KERNELS_INTERLEAVE_H

#include <stdint.h>

/* Streams that one launch can have. */
#define WL_STREAMS_MAX 64

#define WL_INTERLEAVE_THREADS      128
#define WL_INTERLEAVE_THREADS_MANY 256 /* of chunks with many vectors */
/* Consecutive vectors of a stream that lanes of a warp side by side take. */
#define WL_INTERLEAVE_GROUP 16

struct wl_interleave_shape {
    uint64_t n;             /* structures of a matrix */
    uint64_t chunks;        /* of a matrix */
    uint64_t packed;        /* address of the structures */
    uint64_t packed_stride; /* bytes from a matrix to the next */
    uint64_t stream_batch;  /* the same for the streams */
    uint32_t structures;    /* by which chunks advance */
    uint32_t slack;         /* that a chunk holds before its own, and for interleave after them too */
    uint32_t vectors;       /* of 16 bytes that all streams have in a chunk: fields times groups times
                               WL_INTERLEAVE_GROUP */
    uint32_t fields;
    uint32_t fields_inverse; /* ceil(2^32 / fields): a multiplication divides */
    uint32_t pairs_inverse;  /* the same of fields / 2; 0 for 1 */
    uint32_t pad;      /* an empty vector in shared memory after so many: the inverse of that; 0: none */
    uint32_t byte_pad; /* WL_SHIFTED: the same of bytes */
    uint32_t row;      /* else: bytes that a stream's vectors lie apart in shared memory */
    uint64_t streams[WL_STREAMS_MAX];
};

#endif
