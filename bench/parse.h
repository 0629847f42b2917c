/* Numbers, sizes and lists as the command line writes them. */
#ifndef WIDELOAD_BENCH_PARSE_H
#define WIDELOAD_BENCH_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"

struct bench_size {
    unsigned dimensions; /* 1: N, 2: RxC, 3: MxNxK */
    uint64_t extent[3];
};

struct bench_block {
    uint32_t x, y; /* `512` is 512, 1 */
};

struct bench_numbers {
    uint64_t *items;
    size_t count;
};

struct bench_blocks {
    struct bench_block *items;
    size_t count;
};

struct bench_names {
    char **items;
    size_t count;
};

/* number = digits [ "K" | "M" | "G" | "T" | "Ki" | "Mi" | "Gi" | "Ti" ] | digits "^" digits.
 * `option` ("--size") names the place in error messages. */
bool bench_parse_number(const char *option, const char *text, uint64_t *out, struct bench_error *error);
/* size = number [ "x" number [ "x" number ] ]; the product of the extents fits 60 bits. */
bool bench_parse_size(const char *option, const char *text, struct bench_size *out,
                      struct bench_error *error);
/* One or more numbers with commas between.  The caller frees what it holds, also after a failure. */
bool bench_parse_numbers(const char *option, const char *text, struct bench_numbers *out,
                         struct bench_error *error);
/* One or more of `X` or `XxY`, each extent at least 1, with commas between; 1024 threads at most. */
bool bench_parse_blocks(const char *option, const char *text, struct bench_blocks *out,
                        struct bench_error *error);
/* One or more names with commas between. */
bool bench_parse_names(const char *option, const char *text, struct bench_names *out,
                       struct bench_error *error);
/* A decimal number of at least 0; a percent sign may follow. */
bool bench_parse_percentage(const char *option, const char *text, double *out, struct bench_error *error);
/* A decimal number greater than 0, such as a peak in GB/s or a time in seconds. */
bool bench_parse_positive(const char *option, const char *text, double *out, struct bench_error *error);

void bench_numbers_free(struct bench_numbers *numbers);
void bench_blocks_free(struct bench_blocks *blocks);
void bench_names_free(struct bench_names *names);

#endif
