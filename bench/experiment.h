/* What the bench knows of each experiment beyond its rungs: its question, its shape, its default sizes. */
#ifndef WIDELOAD_BENCH_EXPERIMENT_H
#define WIDELOAD_BENCH_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/parse.h"
#include "ladder/ladder.h"

enum bench_shape {
    BENCH_SHAPE_ARRAY,  /* --size N */
    BENCH_SHAPE_MATRIX, /* --size N or RxC */
    BENCH_SHAPE_SPARSE, /* the same, about 16 entries a row */
    BENCH_SHAPE_MATMUL, /* --size N or MxNxK: (M x N) (N x K) */
    BENCH_SHAPE_BATCH,  /* --size N, RxC or BxRxC: B matrices */
    BENCH_SHAPE_TENSOR, /* --size N or sizes of every dimension, with an order after @ or by --order */
};

struct bench_experiment {
    const char *name;
    const char *question; /* one line, what the ladder answers */
    const char *lesson;   /* the answer, in 28 letters at most */
    enum bench_shape shape;
    struct bench_size size; /* of the teaching texts: --size text, and the simulator's default */
    bool has_offset, has_stride;
    /* Of the library's operations: which of --width, --type, --fields and --from-shift, --to-shift it has. */
    bool has_width, has_type, has_fields, has_shift;
    bool counts_bytes; /* N is a number of bytes */
};

/* The experiments in the ladder's order. */
const struct bench_experiment *bench_experiments(size_t *count);
/* NULL when there is none of that name. */
const struct bench_experiment *bench_find_experiment(const char *name);

/* The offsets and strides that are run where none are asked for. */
const struct bench_numbers *bench_default_offsets(void);
const struct bench_numbers *bench_default_strides(void);

/* The same of what the library's operations have. */
const struct bench_numbers *bench_default_widths(void);
const struct bench_numbers *bench_default_types(void);
const struct bench_numbers *bench_default_from_shifts(void);
const struct bench_numbers *bench_default_to_shifts(void);
const struct bench_field_choices *bench_default_fields(void);
const struct bench_orders *bench_default_orders(void);

/* "1,2,4,8", of a rung's `unrolls`, as --unroll takes them. */
void bench_unrolls_text(unsigned unrolls, char *out, size_t out_size);

/* "N (2^19 structures by default)" and the like, for `wideload list`. */
const char *bench_shape_syntax(enum bench_shape shape);

/* Fills the problem's sizes (n, rows, cols, m, k, batch, sizes) from a size; a tensor's number of dimensions
 * is the problem's rank.  False when the size's form does not suit the experiment or is out of its range. */
bool bench_set_size(const struct bench_experiment *experiment, const struct bench_size *size,
                    struct wl_problem *problem, struct base_error *error);

/* The next greater size of the same shape: every extent doubled, of a tensor one of them, step by step
 * another.  Extents stay even where they were; the caller sees to it that they do not overflow
 * (bench_set_size). */
struct bench_size bench_size_doubled(const struct bench_experiment *experiment, const struct bench_size *size,
                                     unsigned step);

/* The size as --size writes it: "1048576", "1024x1024", "1600x1007x1600", "64x12x512x64". */
void bench_size_text(const struct bench_experiment *experiment, const struct wl_problem *problem, char *out,
                     size_t out_size);

#endif
