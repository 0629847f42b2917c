/* Parses numbers, sizes and lists of the command line. */
#ifndef WIDELOAD_BENCH_PARSE_H
#define WIDELOAD_BENCH_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ladder/ladder.h"

/* A permutation of dimensions: dimension i of the output is dimension axis[i] of the input. */
struct bench_order {
    unsigned rank; /* 0: none */
    unsigned char axis[WL_RANK_MAX];
};

struct bench_size {
    unsigned dimensions; /* 1: N, 2: RxC, 3: MxNxK or BxRxC; tensors: up to WL_RANK_MAX */
    uint64_t extent[WL_RANK_MAX];
    struct bench_order order; /* of a tensor: 64x12x512x64@0213 */
    uint32_t width;           /* of an element in bytes: 2^26x3/1; 0: not given */
    bool text;                /* "text": the experiment's own size; all else is 0 */
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

/* The fields of a structure: `count` equal ones, or those of `structure` if count is 0. */
struct bench_field_choice {
    uint32_t count;
    struct wl_structure structure;
};

struct bench_field_choices {
    struct bench_field_choice *items;
    size_t count;
};

struct bench_orders {
    struct bench_order *items;
    size_t count;
};

/* Maximum elements of an array: 4 times this many bytes fit in 64 bits. */
#define BENCH_GREATEST_SIZE ((uint64_t)1 << 60)

/* Maximum values of a list. */
enum { BENCH_LIST_LIMIT = 4096 };

/* number = digits [ "K" | "M" | "G" | "T" | "Ki" | "Mi" | "Gi" | "Ti" ] | digits "^" digits.
 * `option` ("--size") names the place in error messages. */
bool bench_parse_number(const char *option, const char *text, uint64_t *out, struct base_error *error);
/* size = number { "x" number } [ "@" order ] [ "/" width ].  At most WL_RANK_MAX numbers; their product is at
 * most 2^60. */
bool bench_parse_size(const char *option, const char *text, struct bench_size *out, struct base_error *error);
/* Refuses an invalid element width. */
bool bench_is_width(const char *option, uint64_t width, struct base_error *error);
/* block = number [ "x" number ], each at least 1; at most 1024 threads. */
bool bench_parse_block(const char *option, const char *text, struct bench_block *out,
                       struct base_error *error);

/* list = item { "," item }.  An item is a value or, in all lists but names, a range of numbers:
 *     range = first ":" last [ ":" step | ":x" factor ]      0:32, 0:128:8, 1:64:x2
 * A range includes `last` if a step reaches it.  A size may also be a name of bench/cases.h.  Values keep the
 * order given, without duplicates, at most BENCH_LIST_LIMIT.  The caller frees *out, also after a failure. */
bool bench_parse_numbers(const char *option, const char *text, struct bench_numbers *out,
                         struct base_error *error);
bool bench_parse_sizes(const char *option, const char *text, struct bench_sizes *out,
                       struct base_error *error);
bool bench_parse_blocks(const char *option, const char *text, struct bench_blocks *out,
                        struct base_error *error);
bool bench_parse_names(const char *option, const char *text, struct bench_names *out,
                       struct base_error *error);

/* Types by wl_add's names in lower case; the list holds their numbers. */
bool bench_parse_types(const char *option, const char *text, struct bench_numbers *out,
                       struct base_error *error);
/* Each item is a number of equal fields, a range of such numbers, or a structure:
 *     structure = [ "packed:" ] member { "+" member },  member = type [ "x" count ]      f32x3+f64+i32
 * A member is one field.  Members and structure are aligned as in C; a packed structure has no padding. */
bool bench_parse_fields(const char *option, const char *text, struct bench_field_choices *out,
                        struct base_error *error);
/* order = digit { digit }, each of 0 .. rank - 1 once: 0213.  Single digits with commas are one order too:
 * 0,2,1,3. */
bool bench_parse_order(const char *option, const char *text, struct bench_order *out,
                       struct base_error *error);
bool bench_parse_orders(const char *option, const char *text, struct bench_orders *out,
                        struct base_error *error);
/* "f32"; NULL past the last. */
const char *bench_type_name(unsigned type);
unsigned bench_type_bytes(unsigned type);

/* A decimal number of at least 0 and an optional percent sign. */
bool bench_parse_percentage(const char *option, const char *text, double *out, struct base_error *error);
/* A decimal number greater than 0, such as a peak in GB/s or a time in seconds. */
bool bench_parse_positive(const char *option, const char *text, double *out, struct base_error *error);

void bench_numbers_free(struct bench_numbers *numbers);
void bench_sizes_free(struct bench_sizes *sizes);
void bench_blocks_free(struct bench_blocks *blocks);
void bench_names_free(struct bench_names *names);
void bench_field_choices_free(struct bench_field_choices *choices);
void bench_orders_free(struct bench_orders *orders);

/* Copies text up to a separator or the end; *next is the start of the next piece, NULL after the last.  The
 * caller frees the copy.  NULL: out of memory. */
char *bench_cut(const char *text, char separator, const char **next);

#endif
