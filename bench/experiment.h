/* Each experiment's question, shape and default sizes; its rungs are in the ladder. */
#ifndef WIDELOAD_BENCH_EXPERIMENT_H
#define WIDELOAD_BENCH_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/matrices.h"
#include "bench/parse.h"
#include "ladder/ladder.h"

enum bench_shape {
    BENCH_SHAPE_ARRAY,  /* --size N */
    BENCH_SHAPE_MATRIX, /* --size N or RxC */
    BENCH_SHAPE_SPARSE, /* the same; its entries are --matrix's */
    BENCH_SHAPE_MATMUL, /* --size N or MxNxK: (M x N) (N x K) */
    BENCH_SHAPE_BATCH,  /* --size N, RxC or BxRxC: B matrices */
    BENCH_SHAPE_TENSOR, /* --size N or all dimensions; the order follows @ or is --order's */
};

struct bench_experiment {
    const char *name;
    const char *question; /* one line: the question that the ladder answers */
    const char *lesson;   /* the answer, at most 28 characters */
    enum bench_shape shape;
    struct bench_size size; /* the teaching texts' size: --size text, and the simulator's default */
    bool has_offset, has_stride;
    /* Which of --width, --type, --fields and --from-shift with --to-shift a library operation takes. */
    bool has_width, has_type, has_fields, has_shift;
    bool counts_bytes; /* N is in bytes */
    bool has_gpus;     /* its arrays lie on --gpus devices; it has --width 4 if no other is asked for */
};

/* The experiments in the ladder's order. */
const struct bench_experiment *bench_experiments(size_t *count);
/* NULL: there is no experiment of that name. */
const struct bench_experiment *bench_find_experiment(const char *name);

/* The values that run if the request has none. */
const struct bench_numbers *bench_default_offsets(void);
const struct bench_numbers *bench_default_strides(void);

/* The same for the library's operations. */
const struct bench_numbers *bench_default_widths(const struct bench_experiment *experiment);
const struct bench_numbers *bench_default_types(void);
const struct bench_numbers *bench_default_from_shifts(void);
const struct bench_numbers *bench_default_to_shifts(void);
const struct bench_field_choices *bench_default_fields(void);
const struct bench_orders *bench_default_orders(void);
const struct bench_matrices *bench_default_matrices(void);

/* A rung's `unrolls` as --unroll takes them: "1,2,4,8". */
void bench_unrolls_text(unsigned unrolls, char *out, size_t out_size);

/* "N (2^19 structures by default)" and the like, for `wideload list`. */
const char *bench_shape_syntax(enum bench_shape shape);

/* Fills the problem's sizes (n, rows, cols, m, k, batch, sizes).  A tensor's number of dimensions is the
 * problem's rank.  False if the size has the wrong form for the experiment or is out of range. */
bool bench_set_size(const struct bench_experiment *experiment, const struct bench_size *size,
                    struct wl_problem *problem, struct base_error *error);

/* The next larger size of the same shape: all extents are doubled, or extent step % dimensions of a tensor.
 * The caller checks for overflow (bench_set_size). */
struct bench_size bench_size_doubled(const struct bench_experiment *experiment, const struct bench_size *size,
                                     unsigned step);

/* The size as --size writes it: "1048576", "1024x1024", "1600x1007x1600", "64x12x512x64". */
void bench_size_text(const struct bench_experiment *experiment, const struct wl_problem *problem, char *out,
                     size_t out_size);

#endif
