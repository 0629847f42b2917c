/* The interface of each fuzz target: called by libFuzzer, or by replay.c with the stored inputs. */
#ifndef WIDELOAD_TESTS_FUZZ_H
#define WIDELOAD_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0.  It must not depend on earlier calls, nor leave anything behind. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that the input must not break; not an assert(), because release builds omit those. */
#define FUZZ_CHECK(condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* file.c: a name under which the bytes can be opened; valid until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
