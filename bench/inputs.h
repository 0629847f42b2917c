/* The inputs are pseudo-random, differ at every index, and are the same in every run with the same seed.
 *
 * Constant or zero data would hide wrong indices and run faster than real data. */
#ifndef WIDELOAD_BENCH_INPUTS_H
#define WIDELOAD_BENCH_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "ladder/ladder.h"

enum {
    BENCH_INPUTS = 4,  /* entries of wl_problem's in[] */
    BENCH_OUTPUTS = 4, /* entries of wl_problem's out[] */
};

/* The contents of an array, in 4-byte words. */
enum bench_kind {
    BENCH_KIND_NONE,   /* the array does not exist */
    BENCH_KIND_BITS,   /* any bits, moved or multiplied modulo 2^32; unique among 2^32 neighbours */
    BENCH_KIND_FLOAT,  /* f32 integers of 1 .. 2^24, unique among 2^24 neighbours: a sum of two is rounded the
                          same way everywhere and is never NaN */
    BENCH_KIND_NORMAL, /* any normal f32, unique among 254 x 2^24 neighbours: code that multiplies by 1, such
                          as BLAS, moves it unchanged */
    BENCH_KIND_INDEX,  /* u32 indices of a sparse matrix (bench/matrices.h) */
    /* Both signs and magnitudes from 1/8 to 32, so that most sums are rounded and none is NaN: */
    BENCH_KIND_F16,  /* two f16 per word */
    BENCH_KIND_BF16, /* two bf16 per word */
    BENCH_KIND_F64,  /* half an f64 per word */
};

struct bench_extent {
    enum bench_kind kind;
    uint64_t elements; /* 4-byte words */
    uint32_t width;    /* bytes of an element in messages; 0: 4 */
};

/* The arrays that a reference reads and writes.  Outputs that a rung's `outputs` does not name exist on the
 * host only: the column starts of WL_REF_COO_TRANSPOSE, which the comparison of results needs. */
struct bench_extents {
    struct bench_extent in[BENCH_INPUTS], out[BENCH_OUTPUTS];
};

struct bench_extents bench_extents_of(enum wl_reference reference, const struct wl_problem *problem);

/* Fills elements of any kind but INDEX.  Arrays of one seed differ by `stream`. */
void bench_fill_input(enum bench_kind kind, uint64_t seed, unsigned stream, uint32_t *out, uint64_t elements);

/* A 64-bit finaliser: every bit of the result depends on every bit of both arguments. */
uint64_t bench_mix64(uint64_t seed, uint64_t value);

#endif
