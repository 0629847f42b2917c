/* The parameter of deinterleave_bulk.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_DEINTERLEAVE_BULK_H
#define WIDELOAD_KERNELS_DEINTERLEAVE_BULK_H

#include <stdint.h>

#define WL_BULK_THREADS 128
/* Bytes of each stream that a block moves, and 16-byte vectors. */
#define WL_BULK_PIECE   256
#define WL_BULK_VECTORS (WL_BULK_PIECE / 16)
/* Bytes of shared memory for the structures: a word may be read past the last one. */
#define WL_BULK_PACKED(fields) (WL_BULK_PIECE * (fields) + 16)
/* The same with the streams' pieces. */
#define WL_BULK_SHARED(fields) (WL_BULK_PACKED(fields) + WL_BULK_PIECE * (fields))
/* Maximum streams of one launch. */
#define WL_BULK_STREAMS 64

struct wl_bulk_shape {
    uint64_t n;             /* structures per matrix */
    uint64_t chunks;        /* per matrix */
    uint64_t packed;        /* address of the structures */
    uint64_t packed_stride; /* bytes from one matrix to the next */
    uint64_t stream_batch;  /* the same for the streams */
    uint32_t fields;
    uint32_t groups;         /* of fields that make a word; the last may share some with the previous one */
    uint32_t groups_inverse; /* ceil(2^32 / groups): a multiplication divides */
    uint32_t turns;          /* a mask of a vector's number: the order in which its structures are read */
    uint64_t streams[WL_BULK_STREAMS];
};

#endif
