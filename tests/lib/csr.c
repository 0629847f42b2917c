#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csr.h"
#include "device.h"
#include "lib/sparse/ranges.h"
#include "lib/sparse/sort.h"

enum { GUARD = 64 };

uint64_t state_of_random;

uint64_t draw(uint64_t count) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (state_of_random >> 20) % count;
}

/* ---------------------------------------------------------------- matrices */

static uint64_t entries_of_row(enum kind kind, uint64_t row, const wl_sparse_shape *shape) {
    const uint64_t mean = shape->entries / shape->rows + 1;
    switch (kind) {
    case POWER:
        return draw(8) ? draw(mean + 1) : draw(8 * mean);
    case FEW_ROWS:
        return draw(16) ? 0 : draw(16 * mean);
    case DENSE_ROW:
        return row == shape->rows / 2 ? shape->entries : draw(2);
    default:
        return draw(2 * mean);
    }
}

static uint64_t column_of(enum kind kind, uint64_t row, const wl_sparse_shape *shape) {
    const uint64_t cols = shape->cols, any = draw(cols);
    switch (kind) {
    case POWER:
        return draw(cols) * any / cols;
    case BAND:
        return (row * cols / shape->rows + draw(9)) % cols;
    case GRID: /* rows have entries in three places */
        return (row * cols / shape->rows + draw(3) * (cols / 5) + draw(9)) % cols;
    case ONE_COLUMN:
        return draw(10) ? cols / 3 : any;
    default:
        return any;
    }
}

void *allocated(size_t bytes) {
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* shape.entries is about how many there will be. */
struct matrix make_matrix(wl_sparse_shape shape, enum kind kind) {
    struct matrix m = {.shape = shape, .starts = allocated((shape.rows + 1) * 8)};
    uint64_t most = shape.entries, count = 0;
    m.rows = allocated(8 * most);
    m.cols = allocated(8 * most);
    for (uint64_t row = 0; row < shape.rows; row++) {
        m.starts[row] = count;
        for (uint64_t left = most ? entries_of_row(kind, row, &shape) : 0; left && count < most; left--) {
            m.rows[count] = row;
            m.cols[count++] = column_of(kind, row, &shape);
        }
    }
    m.starts[shape.rows] = m.shape.entries = count;
    m.values = allocated(count * shape.width);
    for (uint64_t i = 0; i < count * shape.width; i++)
        m.values[i] = (unsigned char)draw(256);
    return m;
}

void free_matrix(struct matrix *m) {
    free(m->starts);
    free(m->rows);
    free(m->cols);
    free(m->values);
}

/* A matrix of shape.entries entries from its first row to its last, and in any columns, the last among them.
 * Its starts are left out if they are not needed. */
struct matrix spread_matrix(wl_sparse_shape shape, bool with_starts) {
    struct matrix m = {
        .shape = shape, .rows = allocated(8 * shape.entries), .cols = allocated(8 * shape.entries)};
    m.values = allocated(shape.entries * shape.width);
    for (uint64_t i = 0; i < shape.entries; i++) {
        m.rows[i] = i + 1 < shape.entries ? i * shape.rows / shape.entries : shape.rows - 1;
        m.cols[i] = i ? draw(shape.cols) : shape.cols - 1;
    }
    for (uint64_t i = 0; i < shape.entries * shape.width; i++)
        m.values[i] = (unsigned char)draw(256);
    if (with_starts) {
        uint64_t entry = 0;
        m.starts = allocated((shape.rows + 1) * 8);
        for (uint64_t row = 0; row <= shape.rows; row++) {
            while (entry < shape.entries && m.rows[entry] < row)
                entry++;
            m.starts[row] = entry;
        }
    }
    return m;
}

/* The same entries in another order. */
void shuffle(struct matrix *m) {
    const unsigned width = m->shape.width;
    for (uint64_t i = m->shape.entries; i-- > 1;) {
        const uint64_t other = draw(i + 1), row = m->rows[i], col = m->cols[i];
        unsigned char value[16];
        m->rows[i] = m->rows[other];
        m->cols[i] = m->cols[other];
        m->rows[other] = row;
        m->cols[other] = col;
        memcpy(value, m->values + i * width, width);
        memmove(m->values + i * width, m->values + other * width, width);
        memcpy(m->values + other * width, value, width);
    }
}

/* ---------------------------------------------------------------- device arrays */

/* Between guard zones; the contents are poison. */
struct array new_array(uint64_t bytes) {
    struct array array = {.bytes = bytes};
    assert_int_equal(wl_alloc(context, &array.all, bytes + 512 + GUARD), WL_ERROR_OK);
    array.at = (array.all + GUARD + 255) / 256 * 256;
    assert_int_equal(wl_fill(context, array.all, POISON, bytes + 512 + GUARD, NULL), WL_ERROR_OK);
    return array;
}

void free_array(struct array *array) {
    unsigned char guards[2 * GUARD];
    assert_int_equal(wl_download(context, guards, array->at - GUARD, GUARD), WL_ERROR_OK);
    assert_int_equal(wl_download(context, guards + GUARD, array->at + array->bytes, GUARD), WL_ERROR_OK);
    for (int i = 0; i < 2 * GUARD; i++)
        assert_int_equal(guards[i], POISON);
    assert_int_equal(wl_free(context, array->all), WL_ERROR_OK);
}

struct array indices_array(const uint64_t *from, uint64_t count, unsigned bytes) {
    struct array array = new_array(count * bytes);
    void *narrow = allocated(count * bytes);
    for (uint64_t i = 0; i < count; i++)
        if (bytes == 4)
            ((uint32_t *)narrow)[i] = (uint32_t)from[i];
        else
            ((uint64_t *)narrow)[i] = from[i];
    assert_int_equal(wl_upload(context, array.at, narrow, count * bytes), WL_ERROR_OK);
    free(narrow);
    return array;
}

void expect_indices(const struct array *array, const uint64_t *expected, uint64_t count, unsigned bytes,
                    const char *what) {
    void *found = allocated(count * bytes);
    assert_int_equal(wl_download(context, found, array->at, count * bytes), WL_ERROR_OK);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t value = bytes == 4 ? ((uint32_t *)found)[i] : ((uint64_t *)found)[i];
        if (value != expected[i])
            fail_msg("%s %llu is %llu, not %llu", what, (unsigned long long)i, (unsigned long long)value,
                     (unsigned long long)expected[i]);
    }
    free(found);
}

/* ---------------------------------------------------------------- one case */

/* Sorts by counting: the result in plain C. */
static void expect_sorted(const struct matrix *m, bool by_columns, const struct array to[3]) {
    const uint64_t keys = by_columns ? m->shape.cols : m->shape.rows, entries = m->shape.entries;
    const uint64_t *key = by_columns ? m->cols : m->rows, *other = by_columns ? m->rows : m->cols;
    const unsigned width = m->shape.width;
    uint64_t *starts = calloc(keys + 2, 8), *others = allocated(8 * entries);
    unsigned char *values = allocated(entries * width), *found = allocated(entries * width);
    assert_non_null(starts);
    for (uint64_t i = 0; i < entries; i++)
        starts[key[i] + 2]++;
    for (uint64_t k = 0; k < keys; k++)
        starts[k + 2] += starts[k + 1];
    for (uint64_t i = 0; i < entries; i++) {
        const uint64_t at = starts[key[i] + 1]++;
        others[at] = other[i];
        memcpy(values + at * width, m->values + i * width, width);
    }
    expect_indices(&to[0], starts, keys + 1, m->shape.index_bytes, "pointer");
    expect_indices(&to[1], others, entries, m->shape.index_bytes, "index");
    assert_int_equal(wl_download(context, found, to[2].at, entries * width), WL_ERROR_OK);
    assert_memory_equal(found, values, entries * width);
    free(starts);
    free(others);
    free(values);
    free(found);
}

void expect_workspace(const wl_sparse_shape *shape, bool by_columns, uint64_t bytes) {
    wl_device_info info;
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    const bool old = strcmp(info.arch, "sm_75") == 0;
    const uint64_t keys = by_columns ? shape->cols : shape->rows, two_digits = old ? 1 << 20 : 1 << 22,
                   three_digits = 1 << 24;
    const bool is_short =
        shape->index_bytes == 8 ||
        (keys <= two_digits && shape->rows * shape->cols <= (uint64_t)1 << (by_columns ? 46 : 40)) ||
        (by_columns && shape->rows <= three_digits && shape->cols <= three_digits);
    const uint64_t each = keys > (old ? 1024 : 2048) ? shape->index_bytes + shape->width : 0,
                   lines = is_short ? 0 : 64 * (shape->rows + shape->cols) + (64 << 20),
                   counts = shape->entries * 21 / 10, most = 67 << 20,
                   limit = shape->entries * each + lines + (counts < most ? counts : most) +
                           8 * (keys / 4096) + (1280 << 10);
    if (bytes > limit)
        fail_msg("%llu x %llu, %llu entries, %u-byte indices, %u-byte values, %s: %llu bytes, more than %llu",
                 (unsigned long long)shape->rows, (unsigned long long)shape->cols,
                 (unsigned long long)shape->entries, shape->index_bytes, shape->width,
                 by_columns ? "CSR" : "COO", (unsigned long long)bytes, (unsigned long long)limit);
}

/* Whether the result was written by ranges of columns: the workspace begins with whether they failed. */
static bool went_by_ranges(const wl_sparse_shape *shape, const struct array *workspace) {
    const struct wl__sort sort = {.keys = shape->cols,
                                  .rows = shape->rows,
                                  .entries = shape->entries,
                                  .index_bytes = shape->index_bytes,
                                  .width = shape->width,
                                  .has_pointers = true};
    uint32_t failed;
    if (!wl__ranges_suit(context, &sort))
        return false;
    assert_int_equal(wl_download(context, &failed, workspace->at, 4), WL_ERROR_OK);
    return failed == 0;
}

bool run_case(const struct matrix *m, bool by_columns) {
    const wl_sparse_shape *shape = &m->shape;
    const unsigned index = shape->index_bytes;
    struct array from[3] = {by_columns ? indices_array(m->starts, shape->rows + 1, index)
                                       : indices_array(m->rows, shape->entries, index),
                            indices_array(m->cols, shape->entries, index),
                            new_array(shape->entries * shape->width)};
    struct array to[3] = {new_array(((by_columns ? shape->cols : shape->rows) + 1) * index),
                          new_array(shape->entries * index), new_array(shape->entries * shape->width)};
    size_t bytes;
    /* Words of 8 bytes may lie there between passes, so it begins at any multiple of an index. */
    to[1].at += index * draw(2);
    assert_int_equal(wl_upload(context, from[2].at, m->values, shape->entries * shape->width), WL_ERROR_OK);
    assert_int_equal(
        (by_columns ? wl_csr_transpose_workspace : wl_coo_to_csr_workspace)(context, shape, &bytes),
        WL_ERROR_OK);
    expect_workspace(shape, by_columns, bytes);
    struct array workspace = new_array(bytes);
    /* Without values, their addresses are ignored. */
    const wl_csr out = {to[0].at, to[1].at, shape->width ? to[2].at : 1},
                 in = {from[0].at, from[1].at, shape->width ? from[2].at : 0};
    const wl_error error = by_columns ? wl_csr_transpose(context, shape, &out, &in, workspace.at, bytes, NULL)
                                      : wl_coo_to_csr(context, shape, &out, from[0].at, from[1].at, in.values,
                                                      workspace.at, bytes, NULL);
    if (error || wl_synchronize(context))
        fail_msg("%s", wl_message());
    expect_sorted(m, by_columns, to);
    const bool ranges = by_columns && bytes && went_by_ranges(shape, &workspace);
    for (int i = 0; i < 3; i++) {
        free_array(&from[i]);
        free_array(&to[i]);
    }
    free_array(&workspace);
    return ranges;
}
