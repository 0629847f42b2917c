/* The inputs: pseudo-random, different at every index, the same on every run of a seed.
 *
 * Constant or zero data would hide wrong indices and run faster than real data. */
#ifndef WIDELOAD_BENCH_INPUTS_H
#define WIDELOAD_BENCH_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "ladder/ladder.h"

enum {
    BENCH_INPUTS = 4,  /* as wl_problem's in[] */
    BENCH_OUTPUTS = 4, /* as wl_problem's out[] */
};

/* What an array's elements are, in words of 4 bytes. */
enum bench_kind {
    BENCH_KIND_NONE,   /* the array does not exist */
    BENCH_KIND_BITS,   /* any bits: moved, or multiplied modulo 2^32; unique among 2^32 neighbours */
    BENCH_KIND_FLOAT,  /* a float, an integer of 1 .. 2^24, unique among 2^24 neighbours: the sum of two is
                          rounded the same way everywhere, and is never NaN */
    BENCH_KIND_NORMAL, /* the bits of any normal float, unique among 254 x 2^24 neighbours: what multiplies
                          by 1 on its way, as BLAS does, moves them unchanged */
    BENCH_KIND_INDEX,  /* u32 of a sparse matrix */
    /* Of either sign and from 1/8 up to 32, so that most sums are rounded and none is NaN: */
    BENCH_KIND_F16,  /* two f16 a word */
    BENCH_KIND_BF16, /* two bf16 */
    BENCH_KIND_F64,  /* half an f64 */
};

struct bench_extent {
    enum bench_kind kind;
    uint64_t elements; /* of 4 bytes */
    uint32_t width;    /* bytes of what a message calls an element; 0: 4 */
};

/* The arrays that a reference reads and writes.  Of the outputs, those that a rung's `outputs` does not name
 * exist on the host only: the columns' starts of WL_REF_COO_TRANSPOSE, by which results are compared. */
struct bench_extents {
    struct bench_extent in[BENCH_INPUTS], out[BENCH_OUTPUTS];
};

struct bench_extents bench_extents_of(enum wl_reference reference, const struct wl_problem *problem);

/* Fills elements of any kind but INDEX; `stream` tells apart arrays of one seed. */
void bench_fill_input(enum bench_kind kind, uint64_t seed, unsigned stream, uint32_t *out, uint64_t elements);

/* A sparse matrix in both of its forms.  Rows and columns are uneven and some are empty; the columns
 * within a row ascend and differ. */
struct bench_sparse {
    uint64_t rows, cols, nnz;
    uint32_t *row_starts; /* rows + 1 */
    uint32_t *columns, *entry_rows, *values;
};

/* The number of entries that bench_sparse_fill will make, about 16 a row; UINT64_MAX when that is 2^32 or
 * more.  rows and cols are below 2^32 - 1. */
uint64_t bench_sparse_entries(uint64_t seed, uint64_t rows, uint64_t cols);
/* The arrays are the caller's, sized by the fields already set; any of them may be NULL except row_starts. */
void bench_sparse_fill(uint64_t seed, const struct bench_sparse *matrix);

#endif
