/* The inside of an earlier run's results, for the files that compare with them. */
#ifndef WIDELOAD_BENCH_EARLIER_H
#define WIDELOAD_BENCH_EARLIER_H

#include <jansson.h>

#include "bench/compare.h"

struct bench_earlier {
    char *path;
    json_t *document; /* schema, device and rows are there */
};

/* The earlier row of the same experiment, kernel and parameters; NULL when there is none. */
const json_t *bench_earlier_row(const struct bench_earlier *earlier, const struct bench_row *row,
                                const json_t *params);

#endif
