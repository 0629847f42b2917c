/* A variant is the width, type, fields and order of a library operation, or the kind of a sparse matrix.  A
 * section has one size and variant. */
#ifndef WIDELOAD_BENCH_VARIANT_H
#define WIDELOAD_BENCH_VARIANT_H

#include "bench/plan.h"

/* The request's lists; where it has none, the defaults. */
struct bench_variants {
    struct bench_numbers widths, types;
    struct bench_field_choices fields;
    struct bench_orders orders;
    struct bench_matrices matrices;
};

/* Width and order that are part of a size and replace the lists. */
struct bench_own_variant {
    uint64_t width;
    struct bench_order order;
};

/* The variants of an experiment at a size.  The lists point into the request, static data or *own, which this
 * sets from the size. */
struct bench_variants bench_variants_of(const struct bench_experiment *experiment,
                                        const struct bench_request *request, const struct bench_size *size,
                                        struct bench_own_variant *own);
/* The number of variants, including those for which bench_variant_set returns false. */
size_t bench_variant_count(const struct bench_variants *variants);
/* Sets the i-th variant in the problem.  False if it repeats another: structures ignore the width. */
bool bench_variant_set(const struct bench_variants *variants, size_t i, struct wl_problem *problem);

/* Refuses invalid widths, and lists that no chosen experiment uses. */
bool bench_variants_check(const struct bench_request *request,
                          bool (*chosen)(const struct bench_request *, const char *experiment),
                          struct base_error *error);

/* "width 4", "type f16", "fields 3, width 4", "order 0213, width 2", "matrix rmat:16", "width 4,
 * gpus 2"; "": the experiment has
 * no variants. */
void bench_variant_text(const struct bench_experiment *experiment, const struct wl_problem *problem,
                        char *out, size_t out_size);
/* "3", "f32x3+f64+i32"; "0213".  The problem must have fields or an order. */
void bench_fields_text(const struct wl_problem *problem, char *out, size_t out_size);
void bench_order_text(const struct wl_problem *problem, char *out, size_t out_size);

#endif
