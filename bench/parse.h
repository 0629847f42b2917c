/* Numbers, sizes and lists as the command line writes them. */
#ifndef WIDELOAD_BENCH_PARSE_H
#define WIDELOAD_BENCH_PARSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ladder/ladder.h"

/* Dimensions in another order: the i-th is the one that was axis[i]. */
struct bench_order {
    unsigned rank; /* 0: none */
    unsigned char axis[WL_RANK_MAX];
};

struct bench_size {
    unsigned dimensions; /* 1: N, 2: RxC, 3: MxNxK or BxRxC, up to WL_RANK_MAX of a tensor */
    uint64_t extent[WL_RANK_MAX];
    struct bench_order order; /* of a tensor: 64x12x512x64@0213 */
    uint32_t width;           /* of its elements, as in 2^26x3/1; 0: the size says none */
    bool text;                /* "text": the experiment's own, and nothing else is set */
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

/* What a structure holds: `count` equal fields, or those of `structure` where count is 0. */
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

/* Elements of an array at most: times 4 bytes they stay clear of 64 bits. */
#define BENCH_GREATEST_SIZE ((uint64_t)1 << 60)

/* Values of a list at most. */
enum { BENCH_LIST_LIMIT = 4096 };

/* number = digits [ "K" | "M" | "G" | "T" | "Ki" | "Mi" | "Gi" | "Ti" ] | digits "^" digits.
 * `option` ("--size") names the place in error messages. */
bool bench_parse_number(const char *option, const char *text, uint64_t *out, struct base_error *error);
/* size = number { "x" number } [ "@" order ] [ "/" width ], WL_RANK_MAX numbers at most, whose product fits
 * 60 bits. */
bool bench_parse_size(const char *option, const char *text, struct bench_size *out, struct base_error *error);
/* Refuses what is no element's width. */
bool bench_is_width(const char *option, uint64_t width, struct base_error *error);
/* block = number [ "x" number ], each extent at least 1; 1024 threads at most. */
bool bench_parse_block(const char *option, const char *text, struct bench_block *out,
                       struct base_error *error);

/* list = item { "," item }; each item is a value or, of all but names, a range of numbers; a size may be a
 * name of bench/cases.h: range = first ":" last [ ":" step | ":x" factor ]    0:32, 0:128:8, 1:64:x2 with
 * `last` as its greatest value where the steps meet it.  Values stand in the order given, each once.  A list
 * of more than BENCH_LIST_LIMIT is refused.  The caller frees what it holds, also after a failure. */
bool bench_parse_numbers(const char *option, const char *text, struct bench_numbers *out,
                         struct base_error *error);
bool bench_parse_sizes(const char *option, const char *text, struct bench_sizes *out,
                       struct base_error *error);
bool bench_parse_blocks(const char *option, const char *text, struct bench_blocks *out,
                        struct base_error *error);
bool bench_parse_names(const char *option, const char *text, struct bench_names *out,
                       struct base_error *error);

/* Types by wl_add's names in small letters, as their numbers. */
bool bench_parse_types(const char *option, const char *text, struct bench_numbers *out,
                       struct base_error *error);
/* Each item is a number of equal fields, a range of such numbers, or a structure:
 *     structure = [ "packed:" ] member { "+" member },  member = type [ "x" count ]      f32x3+f64+i32
 * A member is one field.  Members are aligned to their type as C does it, the structure to the widest of
 * them; of a packed one nothing is. */
bool bench_parse_fields(const char *option, const char *text, struct bench_field_choices *out,
                        struct base_error *error);
/* order = digit { digit }, each of 0 .. rank - 1 once: 0213.  A list of single digits is one order: 0,2,1,3.
 */
bool bench_parse_order(const char *option, const char *text, struct bench_order *out,
                       struct base_error *error);
bool bench_parse_orders(const char *option, const char *text, struct bench_orders *out,
                        struct base_error *error);
/* "f32"; NULL past the last. */
const char *bench_type_name(unsigned type);
unsigned bench_type_bytes(unsigned type);

/* A decimal number of at least 0; a percent sign may follow. */
bool bench_parse_percentage(const char *option, const char *text, double *out, struct base_error *error);
/* A decimal number greater than 0, such as a peak in GB/s or a time in seconds. */
bool bench_parse_positive(const char *option, const char *text, double *out, struct base_error *error);

void bench_numbers_free(struct bench_numbers *numbers);
void bench_sizes_free(struct bench_sizes *sizes);
void bench_blocks_free(struct bench_blocks *blocks);
void bench_names_free(struct bench_names *names);
void bench_field_choices_free(struct bench_field_choices *choices);
void bench_orders_free(struct bench_orders *orders);

/* Copies text up to a separator or the end; the next piece starts at *next, NULL after the last.  NULL: out
 * of memory. */
char *bench_cut(const char *text, char separator, const char **next);

#endif
