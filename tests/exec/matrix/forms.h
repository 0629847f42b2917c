/* Every form of mma and wmma, as kernels in PTX, with inputs for them. */
#ifndef WIDELOAD_TESTS_MATRIX_FORMS_H
#define WIDELOAD_TESTS_MATRIX_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/exec/harness.h"

struct form {
    const char *name; /* "m16n8k16.row.col.f32.f16.f16.f32" */
    bool wmma;
    unsigned m, n, k;
    const char *a, *b, *c, *d; /* element types */
    const char *layout[2];
    const char *more; /* ".satfinite", ".xor.popc" or "" */
};

enum { FORM_SEEDS = 4, FORM_BYTES = 8192 };

extern const struct form forms[];
extern const unsigned form_count;

/* "mma.m16n8k16.row.col.f32.f16.f16.f32" */
void form_name(const struct form *form, char *name, size_t size);
/* The module's text; its kernel "run" takes pointers to a, b, c and d, FORM_BYTES each. */
void form_text(const struct form *form, char *text, size_t size);
/* A harness with that module; close it with harness_close().  Fails the test if it does not load. */
void form_open(struct harness *h, const struct form *form);
/* Inputs: seed 0 gives small whole numbers, 1 numbers of similar size, 2 of any size, 3 also infinities, NaN,
 * zeros and subnormals. */
void form_fill(const struct form *form, unsigned seed, void *a, void *b, void *c);
unsigned form_bits(const char *type);

#endif
