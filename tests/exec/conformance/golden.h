/* The golden files.  h200.txt has a line "name hash" for each case; h200-approximate.txt has "name results",
 * with the results of every GOLDEN_STEP-th tuple concatenated in hexadecimal.  "name refused" means that the
 * device refuses the instruction, "name unrecorded" that it was not run on the device yet. */
#ifndef WIDELOAD_CONFORMANCE_GOLDEN_H
#define WIDELOAD_CONFORMANCE_GOLDEN_H

#include <stdio.h>

#include "tests/exec/conformance/conformance.h"

enum { GOLDEN_STEP = 16 };

struct golden_entry {
    char *name;
    const char *results; /* in name's text; for approximate functions */
    uint64_t hash;
    bool refused, unrecorded;
};

struct golden {
    struct golden_entry *entries; /* sorted by name when all files are read */
    size_t count;
};

/* Adds a file's lines; false after printing an error. */
bool golden_read(struct golden *golden, const char *path);
void golden_free(struct golden *golden);
const struct golden_entry *golden_find(const struct golden *golden, const char *name);

/* An approximate function's results for every GOLDEN_STEP-th tuple. */
void golden_expected(const struct golden_entry *entry, const struct conformance_case *one,
                     struct results *out);
void golden_write(FILE *f, const struct conformance_case *one, const struct results *results);
uint64_t results_hash(const struct conformance_case *one, const struct results *results);

#endif
