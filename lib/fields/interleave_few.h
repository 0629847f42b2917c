/* The parameter of interleave_few.cu's kernels: the same struct on both sides. */
#ifndef WIDELOAD_KERNELS_INTERLEAVE_FEW_H
#define WIDELOAD_KERNELS_INTERLEAVE_FEW_H

#include <stdint.h>

/* Maximum fields: a thread holds one vector of each. */
#define WL_FEW_LIMIT   8
#define WL_FEW_THREADS 128

struct wl_few_shape {
    uint64_t n;      /* structures per matrix */
    uint64_t blocks; /* per matrix: each takes WL_FEW_THREADS vectors of each stream */
    /* Addresses and distances are multiples of 16. */
    uint64_t packed;
    uint64_t packed_stride; /* bytes from one matrix to the next */
    uint64_t stream_batch;  /* the same for the streams */
    uint64_t streams[WL_FEW_LIMIT];
};

#endif
