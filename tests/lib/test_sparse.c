/* The ladder's sparse transposes against one in plain C.  The order of entries in a column is free, so both
 * sides are sorted within each column before the comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "device.h"
#include "ladder/ladder.h"

struct entry {
    uint32_t column, row, value;
};

static int by_place(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Entries in row order, with the columns of each row in any order. */
static struct entry *make_entries(uint64_t rows, uint64_t cols, uint64_t nnz, uint32_t *starts) {
    struct entry *entries = calloc(nnz + 1, sizeof(*entries));
    assert_non_null(entries);
    for (uint64_t i = 0; i < nnz; i++) {
        /* Entries cluster in few rows, so that many are empty. */
        entries[i].row = (uint32_t)(mix((uint32_t)(i / 5) + 7) % rows);
        entries[i].column = (uint32_t)(i % 3 ? mix((uint32_t)i) % cols : mix((uint32_t)i) % (cols / 10 + 1));
        entries[i].value = mix((uint32_t)i * 3 + 11);
    }
    memset(starts, 0, 4 * (rows + 1));
    for (uint64_t i = 0; i < nnz; i++)
        starts[entries[i].row + 1]++;
    for (uint64_t r = 0; r < rows; r++)
        starts[r + 1] += starts[r];
    /* Distributes them stably by row. */
    struct entry *sorted = calloc(nnz + 1, sizeof(*sorted));
    uint32_t *next = malloc(4 * (rows + 1));
    assert_non_null(sorted);
    assert_non_null(next);
    memcpy(next, starts, 4 * (rows + 1));
    for (uint64_t i = 0; i < nnz; i++)
        sorted[next[entries[i].row]++] = entries[i];
    free(next);
    free(entries);
    return sorted;
}

static const struct wl_rung *find(const char *name) {
    size_t count;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rungs[i].experiment, "csr-transpose") == 0 && strcmp(rungs[i].name, name) == 0)
            return &rungs[i];
    fail_msg("no rung %s", name);
    return NULL;
}

static void run(const char *name, uint64_t rows, uint64_t cols, uint64_t nnz, uint32_t block,
                unsigned shift) {
    char what[128];
    snprintf(what, sizeof(what), "csr-transpose %s %llux%llu nnz=%llu block=%u shift=%u", name,
             (unsigned long long)rows, (unsigned long long)cols, (unsigned long long)nnz, block, shift);
    const struct wl_rung *rung = find(name);
    bool fast = rung->reference == WL_REF_CSR_TO_CSC;
    struct wl_problem problem = {.rows = rows, .cols = cols, .nnz = nnz, .block_x = block, .block_y = 1};
    const size_t in_words[4] = {rows + 1, nnz, nnz, nnz};
    const size_t out_words[4] = {fast ? cols + 1 : 0, nnz, nnz, fast ? 0 : nnz};
    struct array in[4], out[4];
    for (unsigned i = 0; i < 4; i++) {
        in[i] = array_make(context, in_words[i], shift, 10 + i);
        out[i] = array_make(context, out_words[i], shift, 20 + i);
        problem.in[i] = in[i].device;
        problem.out[i] = out[i].device;
    }
    struct array work = array_make(context, rung->work_bytes(context, &problem) / 4, shift, 30);
    problem.work = work.device;
    struct entry *entries = make_entries(rows ? rows : 1, cols ? cols : 1, nnz, array_words(&in[0]));
    for (uint64_t i = 0; i < nnz; i++) {
        array_words(&in[1])[i] = entries[i].column;
        array_words(&in[2])[i] = entries[i].value;
        array_words(&in[3])[i] = entries[i].row;
    }
    for (unsigned i = 0; i < 4; i++)
        array_send(context, &in[i]);

    wl_error error = rung->launch(context, &problem, NULL);
    if (!error)
        error = wl_synchronize(context);
    if (error)
        fail_msg("%s: %s", what, wl_message());

    qsort(entries, nnz, sizeof(*entries), by_place);
    uint32_t *got[4], *words[4];
    for (unsigned i = 0; i < 4; i++)
        got[i] = array_fetch(context, &out[i], &words[i], what);
    if (fast) {
        uint64_t before = 0;
        for (uint64_t c = 0; c <= cols; c++) {
            while (before < nnz && entries[before].column < c)
                before++;
            if (words[0][c] != before)
                fail_msg("%s: column %llu starts at %u, not %llu", what, (unsigned long long)c, words[0][c],
                         (unsigned long long)before);
        }
    }
    struct entry *result = calloc(nnz + 1, sizeof(*result));
    assert_non_null(result);
    for (uint64_t i = 0; i < nnz; i++) {
        /* Places are compared before sorting: entry i belongs to the column that contains place i. */
        result[i] = (struct entry){fast ? entries[i].column : words[3][i], words[1][i], words[2][i]};
        if (result[i].column != entries[i].column)
            fail_msg("%s: entry %llu is of column %u, not %u", what, (unsigned long long)i, result[i].column,
                     entries[i].column);
    }
    qsort(result, nnz, sizeof(*result), by_place);
    for (uint64_t i = 0; i < nnz; i++)
        if (memcmp(&result[i], &entries[i], sizeof(*result)) != 0)
            fail_msg("%s: entry %llu is (%u, %u, 0x%x), not (%u, %u, 0x%x)", what, (unsigned long long)i,
                     result[i].row, result[i].column, result[i].value, entries[i].row, entries[i].column,
                     entries[i].value);
    /* The inputs are unchanged, and work has its guards. */
    uint32_t *work_words, *work_got = array_fetch(context, &work, &work_words, what);
    free(work_got);
    for (unsigned i = 0; i < 4; i++) {
        array_compare(context, &in[i], what);
        array_free(context, &in[i]);
        array_free(context, &out[i]);
        free(got[i]);
    }
    array_free(context, &work);
    free(result);
    free(entries);
}

static void sweep(const char *name) {
    static const uint64_t shapes[][3] = {
        {0, 0, 0},      {0, 7, 0},       {7, 0, 0},       {1, 1, 1},          {1, 1, 300},     {5, 3, 31},
        {300, 1, 1000}, {1, 2047, 1000}, {40, 2048, 999}, {1000, 5000, 3000}, {3, 70000, 4099}};
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        run(name, shapes[i][0], shapes[i][1], shapes[i][2], 0, (unsigned)i % 4);
    static const uint32_t blocks[] = {1, 31, 33, 64, 1024};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        run(name, 50, 60, 1500, blocks[i], 0);
}

static void fast(void **state) {
    (void)state;
    sweep("fast");
}

static void triplet(void **state) {
    (void)state;
    sweep("triplet");
}

/* Also more entries than a block has, all in one column, in few, and in more than there are ranges. */
static void in_blocks(const char *name) {
    static const uint64_t shapes[][3] = {{7, 1, 20000},      {100, 16, 8192},     {100, 16, 8193},
                                         {9000, 513, 16385}, {300, 70000, 40000}, {20, 512 * 8192, 5000}};
    sweep(name);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
        run(name, shapes[i][0], shapes[i][1], shapes[i][2], 0, (unsigned)i % 4);
}

static void shared(void **state) {
    (void)state;
    in_blocks("shared");
}

static void partition(void **state) {
    (void)state;
    in_blocks("partition");
}

/* More than 2048 x 2048 columns: three levels of the scan. */
static void deep_scan(void **state) {
    (void)state;
    run("fast", 10, 2048 * 2048 + 5, 1000, 0, 0);
}

static void refusals(void **state) {
    (void)state;
    const struct wl_rung *rung = find("fast");
    struct wl_problem problem = {
        .rows = 1, .cols = 1, .nnz = 1, .in = {4096, 4096, 4096, 4096}, .out = {4096, 4096, 4096, 4096}};
    assert_int_equal(rung->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT); /* no work */
    problem.work = 4096;
    problem.rows = 0;
    assert_int_equal(rung->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT);
    problem.rows = 1;
    problem.nnz = (uint64_t)1 << 32;
    assert_int_equal(rung->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT);
    problem.nnz = 1;
    problem.cols = UINT64_MAX;
    assert_int_equal(rung->launch(context, &problem, NULL), WL_ERROR_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast),      cmocka_unit_test(triplet),   cmocka_unit_test(shared),
        cmocka_unit_test(partition), cmocka_unit_test(deep_scan), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
