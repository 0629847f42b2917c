/* What makes a section of an experiment besides its size: the width, type, fields and order of the library's
 * operations. */
#ifndef WIDELOAD_BENCH_VARIANT_H
#define WIDELOAD_BENCH_VARIANT_H

#include "bench/plan.h"

/* The request's lists, and the defaults where it has none. */
struct bench_variants {
    struct bench_numbers widths, types;
    struct bench_field_choices fields;
    struct bench_orders orders;
};

/* What a size may bring itself, in place of the lists. */
struct bench_own_variant {
    uint64_t width;
    struct bench_order order;
};

/* Of an experiment at a size.  The lists are the request's, static, or *own's, which the size sets. */
struct bench_variants bench_variants_of(const struct bench_experiment *experiment,
                                        const struct bench_request *request, const struct bench_size *size,
                                        struct bench_own_variant *own);
/* How many there are, those that bench_variant_set passes over too. */
size_t bench_variant_count(const struct bench_variants *variants);
/* Sets the i-th into the problem; false for one that is no variant of its own: structures have no width. */
bool bench_variant_set(const struct bench_variants *variants, size_t i, struct wl_problem *problem);

/* Refuses widths that are none, and lists that no chosen experiment has a use for. */
bool bench_variants_check(const struct bench_request *request,
                          bool (*chosen)(const struct bench_request *, const char *experiment),
                          struct base_error *error);

/* "width 4", "type f16", "fields 3, width 4", "order 0213, width 2"; nothing for experiments without. */
void bench_variant_text(const struct bench_experiment *experiment, const struct wl_problem *problem,
                        char *out, size_t out_size);
/* "3", "f32x3+f64+i32"; "0213"; of problems that have them. */
void bench_fields_text(const struct wl_problem *problem, char *out, size_t out_size);
void bench_order_text(const struct wl_problem *problem, char *out, size_t out_size);

#endif
