/* The parameter of the kernels of deinterleave_32.cu, and of deinterleave_bulk.cu for 32 fields: the same
 * struct on both sides. */
#ifndef WIDELOAD_KERNELS_DEINTERLEAVE_32_H
#define WIDELOAD_KERNELS_DEINTERLEAVE_32_H

#include <stdint.h>

#define WL_32_STREAMS 32
/* Bytes of each stream that a block moves. */
#define WL_32_PIECE 256
/* Fields that a block moves, by width: all, but half of them for 16 bytes. */
#define WL_32_PART(width) ((width) == 16 ? 16 : 32)
/* Two 16-byte vectors per thread. */
#define WL_32_THREADS(width) (WL_32_PART(width) * WL_32_PIECE / 32)

struct wl_32_shape {
    uint64_t n;             /* structures per matrix */
    uint64_t chunks;        /* per matrix, and per part */
    uint64_t packed;        /* address of the structures */
    uint64_t packed_stride; /* bytes from one matrix to the next */
    uint64_t stream;        /* address of the first stream */
    uint64_t stream_bytes;  /* from one stream to the next */
    uint64_t stream_batch;  /* from one matrix's first stream to the next one's */
};

#endif
