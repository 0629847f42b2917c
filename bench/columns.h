/* The rows of a table laid out in the columns that its device gives figures for. */
#ifndef WIDELOAD_BENCH_COLUMNS_H
#define WIDELOAD_BENCH_COLUMNS_H

#include "base/grid.h"
#include "bench/plan.h"

struct bench_columns {
    struct base_grid grid;
    struct base_grid_column columns[BASE_GRID_COLUMNS]; /* the grid's, so this does not move */
    size_t status;                                      /* the column that says ok or FAIL */
    const struct bench_section *first;                  /* of the table's sections */
    const struct bench_row **rows;                      /* of them all */
    size_t row_count;
};

/* The sections of a table end with `section` (bench_section_table).  False when memory is exhausted.  The
 * caller closes it in any case; *out does not move before. */
bool bench_columns_open(struct bench_columns *out, const struct bench_plan *plan,
                        const struct bench_section *section, int line);
void bench_columns_close(struct bench_columns *laid);

/* What all rows share and no column says: "size 1048576, block 128", and a newline. */
void bench_columns_put_common(FILE *file, const struct bench_columns *laid);

#endif
