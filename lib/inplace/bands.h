/* What the kernels of inplace_bands.cu and inplace_cycles.cu and lib/inplace/transpose_bands.c agree on. */
#ifndef WIDELOAD_KERNELS_INPLACE_BANDS_H
#define WIDELOAD_KERNELS_INPLACE_BANDS_H

#include <stdint.h>

/* The longer side has `rows` rows of `cols` elements; `backwards`: memory has the transpose of that first.
 *
 * A band is 2^log rows, and a segment 2^log elements.  The matrix has `bands` whole bands and `rest` rows
 * after them.  Segment s of the transpose, of those that memory is made of, belongs to column c if it begins
 * after the column before has ended: so column c has the segments from floor(c rows / 2^log) on. */
struct wl__bands {
    uint64_t matrix, counters, bits;
    uint64_t rows, cols;
    uint64_t bands;
    uint64_t by_rows, by_cols; /* floor((2^64 - 1) / rows), / cols */
    uint32_t log, rest;
    uint32_t backwards;
    /* inplace_bands.cu: columns of a strip, strips, and teams of as many blocks. */
    uint32_t strip, strips, teams;
    /* inplace_cycles.cu: units of a segment, as a power of two; all units. */
    uint32_t log_parts;
    uint64_t units;
    /* Words of 32 bits, floor((2^64 - 1) / words), and as a power of two how many walks begin in each. */
    uint64_t words, by_words;
    uint32_t log_shares;
};

/* Bytes of a segment, if not more; and of a strip of a band.  Threads per block, and blocks that should fit a
 * multiprocessor. */
#define WL_BANDS_SEGMENT 128
#define WL_BANDS_LOADS   4
#define WL_BANDS_THREADS 256
#define WL_BANDS_BLOCKS  4
#define WL_BANDS_BYTES   (16 * WL_BANDS_LOADS * WL_BANDS_THREADS)
/* The columns of a strip: a row of them takes WL_BANDS_SEGMENT / 16 vectors for each byte of an element,
 * wherever it begins. */
#define WL_BANDS_STRIP(width) (WL_BANDS_BYTES / WL_BANDS_SEGMENT - 16 / (width) + 1)
/* Where byte o of two bands is in shared memory: a vector is left free after each 128 and each 2048 bytes, so
 * that rows begin in different banks. */
#define WL_BANDS_AT(o)  ((o) + (((o) >> 7) + ((o) >> 11)) * 16)
#define WL_BANDS_REGION (WL_BANDS_BYTES + 16)
#define WL_BANDS_SHARED (WL_BANDS_AT(2 * WL_BANDS_REGION) + 32)
/* Counters of a team, 4 bytes each: a ring for the steps, and one for what it has read of its neighbour. */
#define WL_BANDS_COUNTERS   8
#define WL_BANDS_RING       4
#define WL_BANDS_TEAMS_MOST 2048
/* Bands from which on each block has enough of them. */
#define WL_BANDS_ENOUGH 1024

/* Segments that a walk along a cycle takes at once, and threads per block. */
#define WL_CYCLES_RUN     3
#define WL_CYCLES_THREADS 256

#endif
