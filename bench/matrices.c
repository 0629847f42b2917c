/* Each kind is a function that makes one row, so that threads share the rows. */
#include "bench/matrices.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/inputs.h"
#include "bench/parallel.h"

enum { GRAIN = 1 << 12 };

struct maker {
    uint64_t seed, rows, cols, each;
    uint64_t grid[3]; /* points of a Laplacian's sides, the product is rows */
    unsigned scale;   /* rmat: log2 of rows */
    const struct bench_matrix_file *file;
};

/* Writes the row's columns, ascending, unless `columns` is NULL, and returns their number. */
typedef uint64_t row_fn(const struct maker *maker, uint64_t row, uint32_t *columns);

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---------------------------------------------------------------- uneven */

/* An eighth of the rows are empty and an eighth are long, with 16 entries per row on average. */
static uint64_t row_length(uint64_t seed, uint64_t row, uint64_t cols) {
    uint64_t h = bench_mix64(seed, row), length;
    switch (h & 7) {
    case 0:
        length = row == 0; /* a matrix of one row must not be empty */
        break;
    case 7:
        length = 1 + (h >> 8) % 97;
        break;
    default:
        length = 1 + (h >> 8) % 26;
    }
    return length < cols ? length : cols;
}

static bool column_is_empty(uint64_t column, uint64_t cols) {
    return cols >= 32 && column % 17 == 5;
}

/* The column of entry j in a row of `length` entries.  Each entry has its own range of columns, so columns
 * strictly ascend.  False if the range has only a column that must stay empty. */
static bool entry_column(uint64_t seed, uint64_t row, uint64_t j, uint64_t length, uint64_t cols,
                         uint32_t *out) {
    uint64_t low = j * cols / length, high = (j + 1) * cols / length;
    uint64_t column = low + bench_mix64(seed ^ 0x5bd1e995, row << 8 | j) % (high - low);
    if (column_is_empty(column, cols)) {
        if (column + 1 < high)
            column++;
        else if (column > low)
            column--;
        else
            return false;
    }
    *out = (uint32_t)column;
    return true;
}

static uint64_t uneven_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    uint64_t length = row_length(maker->seed, row, maker->cols), entries = 0;
    uint32_t column;
    for (uint64_t j = 0; j < length; j++)
        if (entry_column(maker->seed, row, j, length, maker->cols, &column)) {
            if (columns)
                columns[entries] = column;
            entries++;
        }
    return entries;
}

/* ---------------------------------------------------------------- uniform, with or without a dense row */

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(uint32_t *columns, uint64_t count) {
    if (count > 64) {
        qsort(columns, count, sizeof *columns, ascending);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        uint32_t column = columns[i];
        uint64_t at = i;
        for (; at > 0 && columns[at - 1] > column; at--)
            columns[at] = columns[at - 1];
        columns[at] = column;
    }
}

/* Draws columns and sorts them.  A column that is drawn again becomes the next one. */
static uint64_t uniform_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    uint64_t count = least(maker->each, maker->cols);
    if (!columns)
        return count;
    for (uint64_t j = 0; j < count; j++)
        columns[j] = (uint32_t)((bench_mix64(maker->seed, row << 32 | j) >> 32) * maker->cols >> 32);
    sort(columns, count);
    for (uint64_t j = 0; j < count; j++) {
        if (j && columns[j] <= columns[j - 1])
            columns[j] = columns[j - 1] + 1;
        /* The columns after it need room. */
        columns[j] = (uint32_t)least(columns[j], maker->cols - count + j);
    }
    return count;
}

static uint64_t dense_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    if (row != maker->rows / 2)
        return uniform_row(maker, row, columns);
    for (uint64_t c = 0; c < maker->cols && columns; c++)
        columns[c] = (uint32_t)c;
    return maker->cols;
}

/* ---------------------------------------------------------------- R-MAT */

/* The shares of a matrix's quarters are .57, .19, .19 and .05, and so on within each quarter.  As fractions
 * of 2^32: the lower rows' share of all entries, and the right columns' of those in upper and in lower rows.
 */
#define LOWER       1030792151u /* .24 */
#define UPPER_RIGHT 1073741824u /* .19 / .76 */
#define LOWER_RIGHT 894784853u  /* .05 / .24 */

/* A share of the entries; chance decides what becomes of the last one. */
static uint64_t share(uint64_t entries, uint32_t part, uint64_t chance) {
    return (entries * part + (chance >> 32)) >> 32;
}

struct rmat {
    uint64_t row, key;
    unsigned scale;
};

/* The share of the right half of some columns in their entries. */
static uint32_t right_share(const struct rmat *of, unsigned level) {
    return of->row >> (of->scale - 1 - level) & 1 ? LOWER_RIGHT : UPPER_RIGHT;
}

static uint64_t rmat_chance(const struct rmat *of, unsigned level, uint64_t prefix) {
    return bench_mix64(of->key, ((uint64_t)1 << level) + prefix);
}

/* The column of a single entry: 16 bits of chance decide a level. */
static uint32_t rmat_column(const struct rmat *of, unsigned level, uint64_t prefix) {
    uint64_t chance = 0;
    for (unsigned drawn = 0; level < of->scale; level++, drawn++) {
        chance = drawn % 4 ? chance >> 16 : rmat_chance(of, level, prefix);
        prefix = 2 * prefix + ((chance & 0xffff) < right_share(of, level) >> 16);
    }
    return (uint32_t)prefix;
}

/* Shares entries out among the columns that begin with the bits of `prefix`.  Those of one place merge. */
static uint64_t rmat_columns(const struct rmat *of, unsigned level, uint64_t prefix, uint64_t entries,
                             uint32_t *columns) {
    if (entries == 0)
        return 0;
    if (entries == 1 || level == of->scale) {
        if (columns)
            *columns = rmat_column(of, level, prefix);
        return 1;
    }
    uint64_t right = share(entries, right_share(of, level), rmat_chance(of, level, prefix));
    uint64_t count = rmat_columns(of, level + 1, 2 * prefix, entries - right, columns);
    return count + rmat_columns(of, level + 1, 2 * prefix + 1, right, columns ? columns + count : NULL);
}

static uint64_t rmat_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    uint64_t entries = maker->each << maker->scale;
    for (unsigned level = 0; level < maker->scale; level++) {
        uint64_t prefix = row >> (maker->scale - level);
        uint64_t lower = share(entries, LOWER, bench_mix64(maker->seed, ((uint64_t)1 << level) + prefix));
        entries = row >> (maker->scale - 1 - level) & 1 ? lower : entries - lower;
    }
    const struct rmat of = {row, bench_mix64(maker->seed ^ 0x9e3779b1, row), maker->scale};
    return rmat_columns(&of, 0, 0, entries, columns);
}

/* ---------------------------------------------------------------- bands, grids, hardly any entries */

/* The band goes on at the other end. */
static uint64_t banded_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    uint64_t count = least(maker->each, maker->cols), first = (row + maker->cols - count / 2) % maker->cols;
    uint64_t past = first + count > maker->cols ? first + count - maker->cols : 0;
    for (uint64_t j = 0; j < count && columns; j++)
        columns[j] = (uint32_t)(j < past ? j : first + j - past);
    return count;
}

/* A point and its neighbours along each side. */
static uint64_t laplacian_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    const uint64_t apart[] = {1, maker->grid[0], maker->grid[0] * maker->grid[1]};
    uint32_t found[7];
    uint64_t count = 0;
    for (unsigned side = 3; side-- > 0;)
        if (row / apart[side] % maker->grid[side] > 0)
            found[count++] = (uint32_t)(row - apart[side]);
    found[count++] = (uint32_t)row;
    for (unsigned side = 0; side < 3; side++)
        if (row / apart[side] % maker->grid[side] < maker->grid[side] - 1)
            found[count++] = (uint32_t)(row + apart[side]);
    if (columns)
        memcpy(columns, found, count * sizeof *columns);
    return count;
}

/* One of eight rows has an entry. */
static uint64_t hypersparse_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    uint64_t first = row / 8 * 8, h = bench_mix64(maker->seed, first);
    if (!maker->cols || row != first + (h & 0xffff) % least(8, maker->rows - first))
        return 0;
    if (columns)
        *columns = (uint32_t)((h >> 32) * maker->cols >> 32);
    return 1;
}

static uint64_t file_row(const struct maker *maker, uint64_t row, uint32_t *columns) {
    uint32_t first = maker->file->row_starts[row], count = maker->file->row_starts[row + 1] - first;
    if (columns)
        memcpy(columns, maker->file->columns + first, count * sizeof *columns);
    return count;
}

/* ---------------------------------------------------------------- the kinds */

static const struct {
    const char *name, *says;
    uint64_t each;
    row_fn *row;
    bool square, power;
} kinds[BENCH_MATRIX_KINDS + 1] = {
    [BENCH_MATRIX_UNEVEN] = {.name = "uneven",
                             .says = "about 16 entries a row: some rows are empty, some long",
                             .row = uneven_row},
    [BENCH_MATRIX_UNIFORM] = {.name = "uniform",
                              .says = "N entries a row, anywhere",
                              .each = 16,
                              .row = uniform_row},
    [BENCH_MATRIX_RMAT] = {.name = "rmat",
                           .says = "R-MAT (.57,.19,.19,.05), a power law: N a row before equal ones merge",
                           .each = 16,
                           .row = rmat_row,
                           .square = true,
                           .power = true},
    [BENCH_MATRIX_BANDED] = {.name = "banded",
                             .says = "N entries a row, around the diagonal",
                             .each = 17,
                             .row = banded_row,
                             .square = true},
    [BENCH_MATRIX_LAPLACIAN_2D] = {.name = "laplacian2d",
                                   .says = "5 points of a grid, as square as the size allows",
                                   .row = laplacian_row,
                                   .square = true},
    [BENCH_MATRIX_LAPLACIAN_3D] = {.name = "laplacian3d",
                                   .says = "7 points of a grid, as cubic as the size allows",
                                   .row = laplacian_row,
                                   .square = true},
    [BENCH_MATRIX_DENSE_ROW] = {.name = "dense-row",
                                .says = "uniform:N, but that the middle row is full",
                                .each = 16,
                                .row = dense_row},
    [BENCH_MATRIX_HYPERSPARSE] = {.name = "hypersparse",
                                  .says = "one entry in eight rows",
                                  .row = hypersparse_row},
    [BENCH_MATRIX_FILE] = {.row = file_row},
};

const char *bench_matrix_name(enum bench_matrix_kind kind) {
    return kinds[kind].name;
}

const char *bench_matrix_says(enum bench_matrix_kind kind) {
    return kinds[kind].says;
}

uint64_t bench_matrix_each(enum bench_matrix_kind kind) {
    return kinds[kind].each;
}

bool bench_matrix_fits(const struct bench_matrix *matrix, uint64_t rows, uint64_t cols,
                       struct base_error *error) {
    bool square = !kinds[matrix->kind].square || rows == cols;
    bool power = !kinds[matrix->kind].power || (rows && (rows & (rows - 1)) == 0);
    return (square && power) ||
           base_usage(error, "--matrix: %s has as many rows as columns%s, not %" PRIu64 "x%" PRIu64,
                      kinds[matrix->kind].name, kinds[matrix->kind].power ? ", a power of two" : "", rows,
                      cols);
}

/* The greatest divisor of n whose `power`-th power is n at most. */
static uint64_t side_of(uint64_t n, unsigned power) {
    uint64_t side = 1;
    for (uint64_t d = 1; d * d * (power == 3 ? d : 1) <= n; d++)
        if (n % d == 0)
            side = d;
    return side;
}

static struct maker maker_of(const struct bench_matrix *matrix, uint64_t seed, uint64_t rows, uint64_t cols) {
    struct maker maker = {.seed = seed,
                          .rows = rows,
                          .cols = cols,
                          .each = matrix->each,
                          .grid = {1, 1, 1},
                          .file = matrix->file};
    if (matrix->kind == BENCH_MATRIX_RMAT)
        maker.scale = (unsigned)__builtin_ctzll(rows);
    if (matrix->kind == BENCH_MATRIX_LAPLACIAN_3D)
        maker.grid[2] = side_of(rows, 3);
    if (matrix->kind == BENCH_MATRIX_LAPLACIAN_2D || matrix->kind == BENCH_MATRIX_LAPLACIAN_3D) {
        maker.grid[1] = side_of(rows / maker.grid[2], 2);
        maker.grid[0] = rows / maker.grid[2] / maker.grid[1];
    }
    return maker;
}

/* ---------------------------------------------------------------- whole matrices */

struct job {
    struct maker maker;
    row_fn *row;
    const struct bench_sparse *sparse;
    _Atomic uint64_t entries;
};

static void count_entries(void *argument, uint64_t first, uint64_t last) {
    struct job *job = argument;
    uint64_t entries = 0;
    for (uint64_t row = first; row < last && entries <= UINT32_MAX; row++)
        entries += job->row(&job->maker, row, NULL);
    atomic_fetch_add(&job->entries, entries);
}

uint64_t bench_sparse_entries(const struct bench_matrix *matrix, uint64_t seed, uint64_t rows,
                              uint64_t cols) {
    struct job job = {.maker = maker_of(matrix, seed, rows, cols), .row = kinds[matrix->kind].row};
    /* share() multiplies 32-bit numbers, also before equal places merge. */
    if (matrix->kind == BENCH_MATRIX_RMAT && rows * matrix->each > UINT32_MAX)
        return UINT64_MAX;
    atomic_init(&job.entries, 0);
    bench_parallel(rows, GRAIN, count_entries, &job);
    uint64_t entries = atomic_load(&job.entries);
    return entries > UINT32_MAX ? UINT64_MAX : entries;
}

static void count_rows(void *argument, uint64_t first, uint64_t last) {
    const struct job *job = argument;
    for (uint64_t row = first; row < last; row++)
        job->sparse->row_starts[row] = (uint32_t)job->row(&job->maker, row, NULL);
}

static void fill_rows(void *argument, uint64_t first, uint64_t last) {
    const struct job *job = argument;
    const struct bench_sparse *sparse = job->sparse;
    for (uint64_t row = first; row < last; row++) {
        if (sparse->columns)
            job->row(&job->maker, row, sparse->columns + sparse->row_starts[row]);
        for (uint64_t e = sparse->row_starts[row]; e < sparse->row_starts[row + 1] && sparse->entry_rows; e++)
            sparse->entry_rows[e] = (uint32_t)row;
    }
}

void bench_sparse_fill(const struct bench_matrix *matrix, uint64_t seed, const struct bench_sparse *sparse) {
    struct job job = {.maker = maker_of(matrix, seed, sparse->rows, sparse->cols),
                      .row = kinds[matrix->kind].row,
                      .sparse = sparse};
    bench_parallel(sparse->rows, GRAIN, count_rows, &job);
    uint32_t entries = 0;
    for (uint64_t row = 0; row < sparse->rows; row++) {
        uint32_t count = sparse->row_starts[row];
        sparse->row_starts[row] = entries;
        entries += count;
    }
    sparse->row_starts[sparse->rows] = entries;
    /* A thread has as many rows as have the entries of GRAIN usual ones. */
    bench_parallel(sparse->rows, 1 + 16 * GRAIN * sparse->rows / ((uint64_t)entries + 1), fill_rows, &job);
    if (sparse->values)
        bench_fill_input(BENCH_KIND_BITS, seed, 2, sparse->values, entries);
}
