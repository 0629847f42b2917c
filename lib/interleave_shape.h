/* The parameter of interleave.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_LIB_INTERLEAVE_SHAPE_H
#define WIDELOAD_LIB_INTERLEAVE_SHAPE_H

#include <stdint.h>

/* Streams that one launch can have. */
#define WL_STREAMS_MAX 64

struct wl_interleave_shape {
    uint64_t n;             /* structures of a matrix */
    uint64_t chunks;        /* of a matrix */
    uint64_t packed;        /* address of the structures */
    uint64_t packed_stride; /* bytes from a matrix to the next */
    uint64_t stream_batch;  /* the same for the streams */
    uint64_t stream_stride; /* bytes from a stream to the next, where there is no table */
    uint32_t structures;    /* by which chunks advance */
    uint32_t slack;         /* deinterleave: structures before a chunk's that it holds too */
    uint32_t vectors;       /* of 16 bytes that all streams have in a chunk: fields times a multiple of 8 */
    uint32_t fields;
    uint32_t fields_inverse; /* ceil(2^32 / fields): a multiplication divides */
    uint32_t pad; /* WL_SHIFTED: an empty vector after each 2^pad; else the inverse of that distance, 0: none */
    uint32_t row; /* bytes that a stream's vectors lie apart in shared memory, where rows are padded */
    uint32_t unused;
    uint64_t streams[WL_STREAMS_MAX];
};

#endif
