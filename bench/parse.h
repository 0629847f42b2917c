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

struct bench_sizes {
    struct bench_size *items;
    size_t count;
};

struct bench_names {
    char **items;
    size_t count;
};

/* Elements of an array at most: times 4 bytes they stay clear of 64 bits. */
#define BENCH_GREATEST_SIZE ((uint64_t)1 << 60)

/* Values of a list at most. */
enum { BENCH_LIST_LIMIT = 4096 };

/* number = digits [ "K" | "M" | "G" | "T" | "Ki" | "Mi" | "Gi" | "Ti" ] | digits "^" digits.
 * `option` ("--size") names the place in error messages. */
bool bench_parse_number(const char *option, const char *text, uint64_t *out, struct bench_error *error);
/* size = number [ "x" number [ "x" number ] ]; the product of the extents fits 60 bits. */
bool bench_parse_size(const char *option, const char *text, struct bench_size *out,
                      struct bench_error *error);
/* block = number [ "x" number ], each extent at least 1; 1024 threads at most. */
bool bench_parse_block(const char *option, const char *text, struct bench_block *out,
                       struct bench_error *error);

/* list = item { "," item }; each item is a value or, of all but names, a range of numbers:
 *     range = first ":" last [ ":" step | ":x" factor ]    0:32, 0:128:8, 1:64:x2
 * with `last` as its greatest value where the steps meet it.  Values stand in the order given, each once.  A
 * list of more than BENCH_LIST_LIMIT is refused.  The caller frees what it holds, also after a failure. */
bool bench_parse_numbers(const char *option, const char *text, struct bench_numbers *out,
                         struct bench_error *error);
bool bench_parse_sizes(const char *option, const char *text, struct bench_sizes *out,
                       struct bench_error *error);
bool bench_parse_blocks(const char *option, const char *text, struct bench_blocks *out,
                        struct bench_error *error);
bool bench_parse_names(const char *option, const char *text, struct bench_names *out,
                       struct bench_error *error);

/* A decimal number of at least 0; a percent sign may follow. */
bool bench_parse_percentage(const char *option, const char *text, double *out, struct bench_error *error);
/* A decimal number greater than 0, such as a peak in GB/s or a time in seconds. */
bool bench_parse_positive(const char *option, const char *text, double *out, struct bench_error *error);

void bench_numbers_free(struct bench_numbers *numbers);
void bench_sizes_free(struct bench_sizes *sizes);
void bench_blocks_free(struct bench_blocks *blocks);
void bench_names_free(struct bench_names *names);

/* Copies text up to a separator or the end; the next piece starts at *next, NULL after the last.  NULL: out
 * of memory. */
char *bench_cut(const char *text, char separator, const char **next);

#endif
