/* The rows of a table, laid out in the columns for which its device gives figures. */
#ifndef WIDELOAD_BENCH_COLUMNS_H
#define WIDELOAD_BENCH_COLUMNS_H

#include "base/grid.h"
#include "bench/plan.h"

struct bench_columns {
    struct base_grid grid;
    struct base_grid_column columns[BASE_GRID_COLUMNS]; /* grid points to them: do not copy the struct */
    size_t status;                                      /* index of the column with ok or FAIL */
    const struct bench_section *first;                  /* the table's first section */
    const struct bench_row **rows;                      /* of all its sections */
    size_t row_count;
};

/* Lays out the table that ends with `section` (bench_section_table).  False: out of memory.  The caller
 * closes it in any case, and must not move *out before. */
bool bench_columns_open(struct bench_columns *out, const struct bench_plan *plan,
                        const struct bench_section *section, int line);
void bench_columns_close(struct bench_columns *laid);

/* Writes the values that all rows share and no column shows: "size 1048576, block 128", and a newline. */
void bench_columns_put_common(FILE *file, const struct bench_columns *laid);

#endif
