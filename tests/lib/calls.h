/* Calls of the library's operations as data: drawn at random, run on a device, computed again by plain C.
 *
 * A call names arrays; each has its place in a piece of memory that the device and the host hold alike, with
 * guards between the arrays.  The host's plain C changes its copy as the call must change the device's, so
 * that afterwards both are equal byte for byte, guards and padding included. */
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
/* A size of 0 .. most, the awkward ones likely: 0, 1, small, about powers of two, and anything. */
uint64_t draw_size(struct draw *draw, uint64_t most);
/* Two sizes whose product is at most `most`. */
void draw_sizes(struct draw *draw, uint64_t most, uint64_t *rows, uint64_t *cols);
/* 1, 2, 4, 8 or 16. */
unsigned draw_width(struct draw *draw);
/* How much more than it needs a pitch or stride has: often 0.  `times` such are at most `most` together. */
uint64_t draw_slack(struct draw *draw, uint64_t times, uint64_t most);

/* ---------------------------------------------------------------- calls */

#define CALL_ARRAYS (WL_FIELDS_MAX + 2)

struct call_array {
    const char *name; /* the argument's */
    uint64_t bytes;
    unsigned align;  /* its address is a multiple of this */
    int inside;      /* it lies in this array, delta bytes on; -1: in a place of its own */
    uint64_t delta;  /* bytes */
    bool scratch;    /* what it holds afterwards is nobody's business */
    unsigned shift;  /* bytes past a 256-byte boundary, a multiple of align */
    uint64_t offset; /* bytes from the memory's start, shift among them */
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
    /* Sums of floats: a NaN of either is a NaN, whatever its bits. */
    bool floats;
    unsigned arrays;
    struct call_array array[CALL_ARRAYS];
};

struct operation {
    const char *name;
    /* Draws the arguments; the arrays have at most some `bytes` bytes together.  The context is asked for
     * what a workspace must hold. */
    void (*choose)(struct call *call, wl_context *context, struct draw *draw, uint64_t bytes);
    wl_error (*run)(wl_context *context, const struct call *call, wl_stream stream);
    /* The same on call->array[].host. */
    void (*expect)(const struct call *call);
};

/* Every operation of wideload.h; NULL past the last. */
const struct operation *operation_at(unsigned i);

/* Draws a call of the operation, and where in a block of 256 bytes its arrays begin. */
void call_choose(struct call *call, const struct operation *operation, wl_context *context, struct draw *draw,
                 uint64_t bytes);
/* Gives the arrays their places from `start` on; returns the end, guards included. */
uint64_t call_place(struct call *call, uint64_t start);
/* The arrays' addresses in memory that begins at `device` and at `host`. */
void call_bind(struct call *call, wl_devptr device, unsigned char *host);
/* The call and its arguments in words, into text. */
void call_describe(const struct call *call, char *text, size_t size);
/* Compares what the device has, `got`, with the host's copy from call_bind() in bytes start .. end - 1;
 * false, and a text that says where, when they differ. */
bool call_compare(const struct call *call, const unsigned char *got, const unsigned char *host,
                  uint64_t start, uint64_t end, char *text, size_t size);

/* For the tables of operations: adds an array. */
struct call_array *call_add(struct call *call, const char *name, uint64_t bytes, unsigned align);

/* calls_*.c */
extern const struct operation call_copy, call_copy_2d, call_add_types;
extern const struct operation call_transpose, call_transpose_batched, call_transpose_inplace, call_permute;
extern const struct operation call_deinterleave, call_interleave, call_deinterleave_fields,
    call_interleave_fields;

#endif
