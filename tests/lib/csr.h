/* Sparse matrices for the tests of wl_csr_transpose and wl_coo_to_csr, and one call beside a sort in plain C.
 */
#ifndef WIDELOAD_TESTS_CSR_H
#define WIDELOAD_TESTS_CSR_H

#include <stdbool.h>
#include <stdint.h>

#include "wideload.h"

enum { POISON = 0xa5 };

/* Random numbers follow from it. */
extern uint64_t state_of_random;
uint64_t draw(uint64_t count);
/* Memory of the host. */
void *allocated(size_t bytes);

/* A matrix's entries, row by row. */
struct matrix {
    wl_sparse_shape shape;
    uint64_t *starts, *rows, *cols; /* rows + 1 starts */
    unsigned char *values;
};

/* How many entries the rows have, and where. */
enum kind { UNIFORM, POWER, BAND, GRID, FEW_ROWS, DENSE_ROW, ONE_COLUMN, KINDS };

/* shape.entries is about how many there will be. */
struct matrix make_matrix(wl_sparse_shape shape, enum kind kind);
/* shape.entries from the first row to the last, in any columns, the last among them; starts are left out if
 * they are not needed. */
struct matrix spread_matrix(wl_sparse_shape shape, bool with_starts);
void shuffle(struct matrix *m);
void free_matrix(struct matrix *m);

/* Memory of the device between guard zones, which free_array() looks at; the contents are POISON. */
struct array {
    wl_devptr all, at;
    uint64_t bytes;
};

struct array new_array(uint64_t bytes);
void free_array(struct array *array);
struct array indices_array(const uint64_t *from, uint64_t count, unsigned bytes);
void expect_indices(const struct array *array, const uint64_t *expected, uint64_t count, unsigned bytes,
                    const char *what);

/* Bytes of workspace are no more than wideload.h says. */
void expect_workspace(const wl_sparse_shape *shape, bool by_columns, uint64_t bytes);
/* Transposes a matrix (by columns), or makes rows of its entries, and compares all of the result.  True: it
 * went by ranges of columns (lib/sparse/ranges.h). */
bool run_case(const struct matrix *m, bool by_columns);

#endif
