/* The parameter of deinterleave_32.cu's kernels, and of deinterleave_bulk.cu's of 32 fields: the same struct
 * on both sides. */
#ifndef WIDELOAD_KERNELS_DEINTERLEAVE_32_H
#define WIDELOAD_KERNELS_DEINTERLEAVE_32_H

#include <stdint.h>

#define WL_32_STREAMS 32
/* Bytes of each stream that a block moves. */
#define WL_32_PIECE 256
/* Fields that a block moves, of so wide ones: all, but of 16 bytes one half. */
#define WL_32_PART(width) ((width) == 16 ? 16 : 32)
/* Two vectors of 16 bytes a thread. */
#define WL_32_THREADS(width) (WL_32_PART(width) * WL_32_PIECE / 32)

struct wl_32_shape {
    uint64_t n;             /* structures of a matrix */
    uint64_t chunks;        /* of a matrix, and of a part */
    uint64_t packed;        /* address of the structures */
    uint64_t packed_stride; /* bytes from a matrix to the next */
    uint64_t stream;        /* address of the first stream */
    uint64_t stream_bytes;  /* from a stream to the next */
    uint64_t stream_batch;  /* from a matrix's first to the next's */
};

#endif
