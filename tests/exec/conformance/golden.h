/* The golden files.  h200.txt has a line "name hash" for each case, h200-approximate.txt "name results",
 * where the results of every GOLDEN_STEP-th tuple follow each other in hexadecimal; "name refused" where the
 * device takes no such instruction, "name unrecorded" where it has not been asked yet. */
#ifndef WIDELOAD_CONFORMANCE_GOLDEN_H
#define WIDELOAD_CONFORMANCE_GOLDEN_H

#include <stdio.h>

#include "tests/exec/conformance/conformance.h"

enum { GOLDEN_STEP = 16 };

struct golden_entry {
    char *name;
    const char *results; /* within name's text; of an approximate function */
    uint64_t hash;
    bool refused, unrecorded;
};

struct golden {
    struct golden_entry *entries; /* by name, once all is read */
    size_t count;
};

/* Adds a file's lines; false: it said why. */
bool golden_read(struct golden *golden, const char *path);
void golden_free(struct golden *golden);
const struct golden_entry *golden_find(const struct golden *golden, const char *name);

/* An approximate function's results, of every GOLDEN_STEP-th tuple. */
void golden_expected(const struct golden_entry *entry, const struct conformance_case *one,
                     struct results *out);
void golden_write(FILE *f, const struct conformance_case *one, const struct results *results);
uint64_t results_hash(const struct conformance_case *one, const struct results *results);

#endif
