/* wl_permute through tiles of narrow elements and of short rows, where bulk copies are, against plain C:
 * shapes that reach each of their kernels, at addresses shifted by elements. */
#include "permuted.h"

/* Narrow elements, where bulk copies are: records along a long dimension; columns of two dimensions, of 5, 3,
 * 7 and 10 elements each, whose runs continue or not; dimensions that lie along a load. */
static void records_and_columns_move(void **state) {
    (void)state;
    skip_without_bulk();
    static const struct {
        struct problem problem;
        unsigned widths; /* bits */
    } all[] = {
        {{5, {167, 4, 3, 37, 5}, {2, 0, 3, 1, 4}, bulk}, 1},
        {{4, {3778, 7, 3, 4}, {2, 0, 3, 1}, bulk}, 2},
        {{3, {6, 5976, 6}, {2, 1, 0}, bulk}, 2},
        {{4, {5, 29, 1903, 4}, {0, 3, 2, 1}, bulk}, 2},
        {{4, {366, 6, 14, 7}, {1, 3, 0, 2}, bulk}, 2},
        {{4, {3, 1536, 7, 7}, {2, 1, 3, 0}, bulk}, 1 | 2},
        {{4, {7, 16, 1729, 7}, {3, 0, 2, 1}, bulk}, 1},
        {{6, {14, 4, 5, 192, 7, 3}, {1, 2, 4, 3, 5, 0}, bulk}, 2},
        {{5, {11, 6, 164, 37, 5}, {1, 4, 3, 0, 2}, bulk}, 1},
        {{4, {32, 500, 17, 3}, {3, 0, 2, 1}, bulk}, 1},
        {{5, {8, 111, 13, 7, 7}, {3, 1, 4, 0, 2}, bulk}, 1},
        {{4, {2, 796, 32, 10}, {3, 0, 2, 1}, bulk}, 1},
        {{5, {2, 88, 127, 12, 4}, {2, 4, 0, 1, 3}, bulk}, 1},
        {{4, {512, 11, 5, 30}, {3, 2, 1, 0}, bulk}, 1},
        {{6, {4, 13, 24, 32, 12, 7}, {3, 2, 5, 1, 0, 4}, bulk}, 2},
        {{6, {64, 2, 14, 16, 7, 23}, {1, 4, 3, 2, 5, 0}, bulk}, 1},
        /* Records along two dimensions: runs that overlap, several of them, short loads. */
        {{5, {9, 16, 10, 85, 20}, {3, 1, 2, 4, 0}, bulk}, 1},
        {{5, {85, 5, 4, 40, 20}, {1, 3, 0, 4, 2}, bulk}, 1},
        {{5, {13, 20, 85, 6, 9}, {3, 2, 0, 4, 1}, bulk}, 1},
        {{6, {9, 7, 9, 5, 31, 10}, {4, 1, 3, 2, 5, 0}, bulk}, 1},
        {{6, {3, 16, 9, 20, 31, 3}, {3, 4, 2, 5, 0, 1}, bulk}, 1},
        {{6, {9, 31, 40, 3, 11, 3}, {3, 5, 2, 0, 1, 4}, bulk}, 2},
        {{6, {7, 5, 8, 11, 31, 11}, {5, 2, 3, 0, 1, 4}, bulk}, 2},
        /* Columns along another dimension than rows; units of 4 bytes. */
        {{3, {743, 80, 4}, {2, 1, 0}, bulk}, 1 | 2},
        {{3, {647, 90, 3}, {2, 1, 0}, bulk}, 2},
        /* Its runs become more. */
        {{4, {11, 28, 23, 7}, {3, 1, 0, 2}, NULL}, 2},
        {{5, {5, 126, 6, 5, 5}, {3, 2, 0, 4, 1}, NULL}, 2},
        {{5, {25, 28, 4, 4, 7}, {4, 1, 0, 2, 3}, NULL}, 1},
        {{6, {4, 6, 7, 32, 64, 3}, {0, 4, 1, 3, 5, 2}, bulk}, 4},
        {{6, {8, 5, 4, 100, 7, 7}, {0, 3, 5, 2, 1, 4}, bulk}, 4},
        {{3, {88, 165, 5}, {1, 0, 2}, bulk}, 4},
        {{3, {63, 94, 3}, {1, 0, 2}, bulk}, 8},
    };
    static const unsigned shifts[][2] = {{0, 0}, {3, 0}, {0, 5}, {9, 7}};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (unsigned width = 1; width <= 8; width *= 2)
            for (unsigned k = 0; k < 4; k++)
                if (all[i].widths & width)
                    permute(&all[i].problem, width, shifts[k][0], shifts[k][1]);
    /* Rows that stay together, of a tile that had more of them than there are. */
    permute(&(struct problem){5, {125, 80, 6, 7, 5}, {3, 0, 2, 1, 4}, bulk}, 1, 81, 77);
}

/* Groups of columns that go by words, where bulk copies are and all runs begin alike within a vector: words
 * that lie anywhere and others, torn sectors and whole ones, dimensions of the output that are one, several
 * runs along a load, loads of vectors and by bulk copies, columns that warps share and others. */
static void groups_of_columns_move(void **state) {
    (void)state;
    skip_without_bulk();
    static const struct {
        struct problem problem;
        unsigned width;
    } all[] = {
        {{5, {27, 16, 42, 3, 19}, {4, 0, 2, 3, 1}, bulk}, 1},
        {{4, {48, 32, 7, 118}, {3, 2, 1, 0}, bulk}, 1},
        {{3, {288, 25, 161}, {2, 1, 0}, bulk}, 1},
        {{5, {96, 2, 10, 9, 77}, {4, 3, 1, 2, 0}, bulk}, 1},
        {{4, {48, 16, 23, 47}, {1, 3, 2, 0}, bulk}, 1},
        {{5, {5, 5, 44, 4, 189}, {4, 1, 2, 0, 3}, bulk}, 1},
        {{4, {16, 39, 33, 41}, {3, 2, 1, 0}, bulk}, 1},
        {{4, {16, 35, 242, 7}, {3, 2, 1, 0}, bulk}, 1},
        {{3, {384, 331, 8}, {2, 1, 0}, bulk}, 1},
        {{5, {16, 5, 233, 4, 11}, {3, 4, 2, 1, 0}, bulk}, 1},
        {{4, {101, 14, 16, 44}, {1, 3, 2, 0}, bulk}, 1},
        {{4, {16, 231, 7, 40}, {3, 2, 1, 0}, bulk}, 1},
        {{3, {304, 40, 61}, {2, 1, 0}, bulk}, 2},
        {{4, {31, 23, 112, 47}, {3, 2, 0, 1}, bulk}, 2},
    };
    static const unsigned shifts[][2] = {{0, 0}, {3, 0}, {0, 5}, {9, 7}};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (unsigned k = 0; k < 4; k++)
            permute(&all[i].problem, all[i].width, shifts[k][0], shifts[k][1]);
}

/* Rows of some bytes that are packed in groups, where bulk copies are: runs that continue along the rows and
 * others, whole sectors and torn ones, batches, several tiles that overlap, dimensions of the output that are
 * one, records, few columns and many. */
static void short_rows_are_packed(void **state) {
    (void)state;
    skip_without_bulk();
    static const unsigned rows[] = {5, 7, 10, 12, 28};
    static const struct problem all[] = {
        {4, {32, 3, 64}, {2, 0, 1, 3}, NULL},      {4, {53, 3, 37}, {2, 1, 0, 3}, NULL},
        {4, {3, 41, 67}, {1, 2, 0, 3}, NULL},      {4, {5, 127, 9}, {0, 2, 1, 3}, NULL},
        {4, {101, 3, 103}, {2, 0, 1, 3}, NULL},    {5, {5, 40, 4, 13}, {2, 3, 0, 1, 4}, NULL},
        {5, {7, 5, 96, 4}, {2, 1, 3, 0, 4}, NULL}, {5, {17, 7, 3, 29}, {2, 3, 1, 0, 4}, NULL},
        {3, {211, 67}, {1, 0, 2}, NULL},           {3, {6, 1203}, {1, 0, 2}, NULL},
        {3, {1021, 9}, {1, 0, 2}, NULL},           {4, {2, 8, 7}, {2, 1, 0, 3}, NULL},
        {4, {7, 2, 10}, {1, 2, 0, 3}, NULL},       {3, {3, 41}, {1, 0, 2}, NULL},
    };
    for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
        for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
            /* Bytes, or wider words where these make up a row, at addresses that suit its kernel, and others.
             */
            const unsigned grain = rows[r] & -rows[r], pick = (r + i) % 3,
                           width = rows[r] > 24 || (pick && grain >= 2) ? pick == 2 && grain >= 4 ? 4 : 2 : 1;
            struct problem problem = all[i];
            problem.sizes[problem.rank - 1] = rows[r] / width;
            problem.order[problem.rank - 1] = problem.rank - 1;
            const unsigned step = grain > width ? grain / width : 1;
            permute(&problem, width, 0, 0);
            permute(&problem, width, (1 + i) * step, (3 + r) * step);
            permute(&problem, width, i % 2, 1);
        }
}

/* Strips whose loads would lie on the same banks, were they as far apart in shared memory as in the input. */
static void strips_move(void **state) {
    (void)state;
    skip_without_bulk();
    static const uint64_t sizes[][3] = {{60, 512, 25}, {35, 1024, 23}, {60, 515, 23}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct problem problem = {3, {0}, {1, 0, 2}, ": strips: "};
        memcpy(problem.sizes, sizes[i], sizeof(sizes[i]));
        permute(&problem, 1, 0, 0);
        permute(&problem, 1, 3, 5);
    }
}

int main(int count, char **words) {
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_and_columns_move),
        cmocka_unit_test(groups_of_columns_move),
        cmocka_unit_test(short_rows_are_packed),
        cmocka_unit_test(strips_move),
    };
    return cmocka_run_group_tests(tests, open_tiles, close_device);
}
