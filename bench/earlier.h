/* The internals of struct bench_earlier, for compare.c and earlier.c. */
#ifndef WIDELOAD_BENCH_EARLIER_H
#define WIDELOAD_BENCH_EARLIER_H

#include <jansson.h>

#include "bench/compare.h"

struct bench_earlier {
    char *path;
    json_t *document; /* checked: it has schema, device and rows */
};

/* The earlier row of the same experiment, kernel and parameters; NULL: there is none. */
const json_t *bench_earlier_row(const struct bench_earlier *earlier, const struct bench_row *row,
                                const json_t *params);

#endif
