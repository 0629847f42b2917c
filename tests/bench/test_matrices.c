/* Sparse matrices of each kind: valid, of the promised number of entries and shape, the same in each run. */
#include "tests/bench/test.h"

#include <stdlib.h>
#include <string.h>

#include "bench/experiment.h"
#include "bench/matrices.h"

static struct bench_matrix matrix_of(const char *text) {
    struct bench_matrices list;
    struct base_error error;
    if (!bench_parse_matrices("--matrix", text, &list, &error))
        fail_msg("%s", error.text);
    struct bench_matrix matrix = list.items[0];
    bench_matrices_free(&list);
    return matrix;
}

static struct bench_sparse made(const struct bench_matrix *matrix, uint64_t seed, uint64_t rows,
                                uint64_t cols) {
    uint64_t nnz = bench_sparse_entries(matrix, seed, rows, cols);
    assert_true(nnz <= UINT32_MAX);
    struct bench_sparse sparse = {
        .rows = rows,
        .cols = cols,
        .nnz = nnz,
        .row_starts = malloc(4 * (rows + 1)),
        .columns = malloc(4 * nnz + 4),
        .entry_rows = malloc(4 * nnz + 4),
        .values = malloc(4 * nnz + 4),
    };
    assert_true(sparse.row_starts && sparse.columns && sparse.entry_rows && sparse.values);
    sparse.columns[nnz] = sparse.entry_rows[nnz] = sparse.values[nnz] = 0x5a5a5a5a;
    bench_sparse_fill(matrix, seed, &sparse);
    return sparse;
}

static void release(struct bench_sparse *sparse) {
    free(sparse->row_starts);
    free(sparse->columns);
    free(sparse->entry_rows);
    free(sparse->values);
}

/* Columns are in range and strictly ascend, and nothing is written past the entries. */
static void check_valid(const char *text, const struct bench_sparse *sparse) {
    assert_int_equal(sparse->row_starts[0], 0);
    assert_int_equal(sparse->row_starts[sparse->rows], sparse->nnz);
    for (uint64_t r = 0; r < sparse->rows; r++)
        for (uint64_t e = sparse->row_starts[r]; e < sparse->row_starts[r + 1]; e++) {
            assert_int_equal(sparse->entry_rows[e], r);
            bool ascends = e == sparse->row_starts[r] || sparse->columns[e - 1] < sparse->columns[e];
            if (sparse->columns[e] >= sparse->cols || !ascends)
                fail_msg("%s %ux%u: entry %u has column %u", text, (unsigned)sparse->rows,
                         (unsigned)sparse->cols, (unsigned)e, sparse->columns[e]);
        }
    assert_int_equal(sparse->columns[sparse->nnz], 0x5a5a5a5a);
    assert_int_equal(sparse->entry_rows[sparse->nnz], 0x5a5a5a5a);
    assert_int_equal(sparse->values[sparse->nnz], 0x5a5a5a5a);
}

static bool equal(const struct bench_sparse *a, const struct bench_sparse *b) {
    return a->nnz == b->nnz && memcmp(a->row_starts, b->row_starts, 4 * (a->rows + 1)) == 0 &&
           memcmp(a->columns, b->columns, 4 * a->nnz) == 0 && memcmp(a->values, b->values, 4 * a->nnz) == 0;
}

static void each_kind(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool square;
    } kinds[] = {{"uneven", 0},      {"uniform:5", 0},  {"uniform:100", 0}, {"rmat", 1},
                 {"rmat:300", 1},    {"banded:4", 1},   {"laplacian2d", 1}, {"laplacian3d", 1},
                 {"dense-row:3", 0}, {"hypersparse", 0}};
    static const uint64_t shapes[][2] = {{1, 1}, {2, 2},    {64, 64},  {16384, 16384}, {0, 0},   {7, 0},
                                         {0, 7}, {1, 4097}, {4097, 1}, {33, 65},       {17, 17}, {9000, 700}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const struct bench_matrix matrix = matrix_of(kinds[k].text);
            struct base_error error;
            if (!bench_matrix_fits(&matrix, shapes[s][0], shapes[s][1], &error)) {
                assert_true(kinds[k].square && (s >= 4));
                continue;
            }
            struct bench_sparse sparse = made(&matrix, 5, shapes[s][0], shapes[s][1]);
            struct bench_sparse again = made(&matrix, 5, shapes[s][0], shapes[s][1]);
            check_valid(kinds[k].text, &sparse);
            assert_true(equal(&sparse, &again));
            release(&sparse);
            release(&again);
        }
}

/* The same entries without the arrays that are not asked for. */
static void parts(void **state) {
    (void)state;
    const struct bench_matrix matrix = matrix_of("rmat");
    struct bench_sparse sparse = made(&matrix, 3, 256, 256);
    uint32_t starts[257];
    struct bench_sparse less = {.rows = 256, .cols = 256, .nnz = sparse.nnz, .row_starts = starts};
    bench_sparse_fill(&matrix, 3, &less);
    assert_memory_equal(starts, sparse.row_starts, sizeof starts);
    release(&sparse);
}

static void seeds_differ(void **state) {
    (void)state;
    static const char *const kinds[] = {"uneven", "uniform", "rmat", "dense-row", "hypersparse"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct bench_matrix matrix = matrix_of(kinds[k]);
        struct bench_sparse a = made(&matrix, 1, 512, 512), b = made(&matrix, 2, 512, 512);
        uint64_t less = a.nnz < b.nnz ? a.nnz : b.nnz;
        assert_memory_not_equal(a.columns, b.columns, 4 * less);
        release(&a);
        release(&b);
    }
}

static void counts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t rows, cols, entries;
    } cases[] = {
        {"uneven", 65536, 65536, 1065148}, /* as in results from before there were other kinds */
        {"uniform:16", 4096, 4096, 65536},
        {"uniform", 4096, 1000, 65536},
        {"uniform:300", 64, 100, 6400}, /* no more than there are columns */
        {"uniform:2^18", 64, 1 << 20, 1 << 24},
        {"banded", 1000, 1000, 17000},
        {"banded:9", 5, 5, 25},
        {"dense-row", 1000, 500, 999 * 16 + 500},
        {"hypersparse", 1 << 16, 1 << 16, 1 << 13},
        {"hypersparse", 17, 5, 3},
        {"laplacian2d", 4096, 4096, 5 * 4096 - 2 * 64 - 2 * 64},
        {"laplacian2d", 6, 6, 5 * 6 - 2 * 2 - 2 * 3},
        {"laplacian2d", 7, 7, 5 * 7 - 2 * 7 - 2 * 1},
        {"laplacian3d", 4096, 4096, 7 * 4096 - 6 * 256},
        {"laplacian3d", 24, 24, 7 * 24 - 2 * (2 * 3 + 3 * 4 + 4 * 2)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bench_matrix matrix = matrix_of(cases[i].text);
        uint64_t entries = bench_sparse_entries(&matrix, 1, cases[i].rows, cases[i].cols);
        if (entries != cases[i].entries)
            fail_msg("%s: %llu entries", cases[i].text, (unsigned long long)entries);
    }
}

static void too_many_entries(void **state) {
    (void)state;
    static const char *const kinds[] = {"uniform:2^12", "rmat:2^12", "banded:2^12", "dense-row:2^12"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct bench_matrix matrix = matrix_of(kinds[k]);
        assert_int_equal(bench_sparse_entries(&matrix, 1, 1 << 21, 1 << 21), UINT64_MAX);
    }
    const struct bench_matrix most = matrix_of("uniform:4294967295"), just = matrix_of("banded:4095");
    assert_int_equal(bench_sparse_entries(&most, 1, UINT32_MAX - 1, UINT32_MAX - 1), UINT64_MAX);
    assert_int_equal(bench_sparse_entries(&just, 1, 1 << 20, 1 << 20), (uint64_t)4095 << 20);
}

/* Some rows and columns of the default are empty, with 16 entries a row on average. */
static void uneven(void **state) {
    (void)state;
    struct bench_sparse sparse = made(bench_default_matrices()->items, 5, 4096, 4096);
    unsigned empty_rows = 0, empty_cols = 0;
    static unsigned char seen[4096];
    for (uint64_t e = 0; e < sparse.nnz; e++)
        seen[sparse.columns[e]] = 1;
    for (unsigned i = 0; i < 4096; i++) {
        empty_rows += sparse.row_starts[i] == sparse.row_starts[i + 1];
        empty_cols += !seen[i];
    }
    assert_true(empty_rows > 100 && empty_cols > 100);
    assert_true(sparse.nnz > 4096 * 15 && sparse.nnz < 4096 * 17);
    release(&sparse);
}

/* Each sixteenth of the columns has its share of a uniform matrix's entries. */
static void uniform(void **state) {
    (void)state;
    const struct bench_matrix matrix = matrix_of("uniform");
    struct bench_sparse sparse = made(&matrix, 1, 4096, 4096);
    uint64_t part[16] = {0};
    for (uint64_t e = 0; e < sparse.nnz; e++)
        part[sparse.columns[e] / 256]++;
    for (unsigned i = 0; i < 16; i++)
        assert_in_range(part[i], 4096 * 95 / 100, 4096 * 105 / 100);
    release(&sparse);
}

/* The quarters' shares of R-MAT, its few full rows, and how many entries merge: at scale 12, a tenth. */
static void power_law(void **state) {
    (void)state;
    const struct bench_matrix matrix = matrix_of("rmat:1");
    struct bench_sparse sparse = made(&matrix, 1, 1 << 20, 1 << 20);
    uint64_t quarter[4] = {0}, most = 0;
    for (uint64_t e = 0; e < sparse.nnz; e++)
        quarter[2 * (sparse.entry_rows[e] >> 19) + (sparse.columns[e] >> 19)]++;
    static const double shares[] = {.57, .19, .19, .05};
    assert_in_range(sparse.nnz, (1 << 20) * 9 / 10, 1 << 20);
    for (unsigned i = 0; i < 4; i++) {
        double found = (double)quarter[i] / (double)sparse.nnz;
        assert_true(found > shares[i] - .03 && found < shares[i] + .03);
    }
    for (uint64_t r = 0; r < sparse.rows; r++)
        if (sparse.row_starts[r + 1] - sparse.row_starts[r] > most)
            most = sparse.row_starts[r + 1] - sparse.row_starts[r];
    assert_in_range(most, 500, 5000); /* .76^20 of 2^20 entries is 4340 before equal ones merge */
    release(&sparse);
}

/* A band's and a grid's matrices have the pattern of their transposes, and the diagonal. */
static void symmetric(void **state) {
    (void)state;
    enum { SIDE = 60 };
    static const char *const kinds[] = {"banded:7", "laplacian2d", "laplacian3d"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        static unsigned char dense[SIDE][SIDE];
        memset(dense, 0, sizeof dense);
        const struct bench_matrix matrix = matrix_of(kinds[k]);
        struct bench_sparse sparse = made(&matrix, 1, SIDE, SIDE);
        for (uint64_t e = 0; e < sparse.nnz; e++)
            dense[sparse.entry_rows[e]][sparse.columns[e]] = 1;
        for (unsigned r = 0; r < SIDE; r++) {
            assert_true(dense[r][r]);
            for (unsigned c = 0; c < SIDE; c++)
                assert_int_equal(dense[r][c], dense[c][r]);
        }
        release(&sparse);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind),        cmocka_unit_test(parts),     cmocka_unit_test(seeds_differ),
        cmocka_unit_test(counts),           cmocka_unit_test(uneven),    cmocka_unit_test(uniform),
        cmocka_unit_test(too_many_entries), cmocka_unit_test(power_law), cmocka_unit_test(symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
