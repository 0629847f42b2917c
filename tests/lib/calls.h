/* Calls of the library's operations as data: drawn at random, run on a device, and recomputed in plain C.
 *
 * A call names arrays.  Each has its place in memory that exists on the device and on the host, with guards
 * between the arrays.  Plain C changes the host's copy as the call must change the device's; afterwards both
 * must be equal byte for byte, including guards and padding. */
#ifndef WIDELOAD_TESTS_CALLS_H
#define WIDELOAD_TESTS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wideload.h"

/* ---------------------------------------------------------------- random numbers */

struct draw {
    uint64_t state;
};
struct draw draw_from(uint64_t seed, uint64_t number);
uint64_t draw_bits(struct draw *draw);
/* 0 .. below - 1; below > 0. */
uint64_t draw_below(struct draw *draw, uint64_t below);
bool draw_one_in(struct draw *draw, unsigned n);
/* Fills memory, up to 7 bytes past its end. */
void draw_fill(unsigned char *bytes, uint64_t count, uint64_t seed);
/* A size of 0 .. most; awkward ones are likely: 0, 1, small ones, and those near powers of two. */
uint64_t draw_size(struct draw *draw, uint64_t most);
/* Two sizes whose product is at most `most`. */
void draw_sizes(struct draw *draw, uint64_t most, uint64_t *rows, uint64_t *cols);
/* 1, 2, 4, 8 or 16. */
unsigned draw_width(struct draw *draw);
/* The excess of a pitch or stride over its minimum: often 0.  `times` of them are at most `most` together. */
uint64_t draw_slack(struct draw *draw, uint64_t times, uint64_t most);

/* ---------------------------------------------------------------- calls */

#define CALL_ARRAYS (WL_FIELDS_MAX + 2)

struct call_array {
    const char *name; /* the argument's */
    uint64_t bytes;
    unsigned align;  /* its address is a multiple of this */
    int inside;      /* it is in this array, delta bytes from its beginning; -1: has its own place */
    uint64_t delta;  /* bytes */
    bool scratch;    /* its contents after the call do not matter */
    unsigned shift;  /* bytes past a 256-byte boundary, a multiple of align */
    uint64_t offset; /* bytes from the memory's start, including shift */
    wl_devptr device;
    unsigned char *host;
};

struct call {
    const struct operation *operation;
    unsigned width;
    wl_type type;
    uint64_t n, rows, cols;
    size_t to_pitch, from_pitch;
    wl_transpose_layout layout;
    unsigned fields;
    wl_field field[WL_FIELDS_MAX];
    uint32_t structure_bytes;
    unsigned rank;
    uint64_t sizes[WL_RANK_MAX];
    unsigned order[WL_RANK_MAX];
    int64_t to_strides[WL_RANK_MAX], from_strides[WL_RANK_MAX];
    uint64_t to_first, from_first; /* bytes from the arrays' beginnings to their elements at index 0 */
    /* Sums of floats: all NaNs are equal, whatever their bits. */
    bool floats;
    unsigned arrays;
    struct call_array array[CALL_ARRAYS];
};

struct operation {
    const char *name;
    /* Draws the arguments; the arrays have about `bytes` bytes together.  Asks the context for the size of a
     * workspace. */
    void (*choose)(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes);
    wl_error (*run)(wl_context *context, const struct call *call, wl_stream stream);
    /* The same on call->array[].host. */
    void (*expect)(const struct call *call);
};

/* Every operation of wideload.h; NULL after the last. */
const struct operation *operation_at(unsigned i);

/* Draws a call of the operation, and where its arrays begin in a block of 256 bytes. */
void call_choose(struct call *call, const struct operation *operation, wl_context *context, struct draw *draw,
                 uint64_t bytes);
/* Places the arrays from `start` on; returns the end, including guards. */
uint64_t call_place(struct call *call, uint64_t start);
/* Sets the arrays' addresses in memory that begins at `device` and at `host`. */
void call_bind(struct call *call, wl_devptr device, unsigned char *host);
/* Writes the call and its arguments in words to text. */
void call_describe(const struct call *call, char *text, size_t size);
/* Compares the device's bytes start .. end - 1, `got`, with the host's copy from call_bind().  False if they
 * differ; text then says where. */
bool call_compare(const struct call *call, const unsigned char *got, const unsigned char *host,
                  uint64_t start, uint64_t end, char *text, size_t size);

/* For the tables of operations: adds an array. */
struct call_array *call_add(struct call *call, const char *name, uint64_t bytes, unsigned align);

/* calls_*.c */
extern const struct operation call_copy, call_copy_2d, call_strided, call_add_types;
extern const struct operation call_transpose, call_transpose_batched, call_transpose_inplace, call_permute;
extern const struct operation call_deinterleave, call_interleave, call_deinterleave_fields,
    call_interleave_fields;

#endif
