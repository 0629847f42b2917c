/* Every rung against plain C, at awkward sizes, alignments, offsets, strides and blocks: outputs poisoned,
 * guards around them, every word compared.  On the simulator, or the device that WIDELOAD_DEVICE names. */
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

/* ---------------------------------------------------------------- references */

static float get(const uint32_t *words, size_t i) {
    float value;
    memcpy(&value, words + i, 4);
    return value;
}

static void put(uint32_t *words, size_t i, float value) {
    memcpy(words + i, &value, 4);
}

/* Inputs of sums: finite floats, different at each index. */
static void make_floats(struct array *array) {
    for (size_t i = 0; i < array->words; i++)
        put(array_words(array), i, (float)(mix((uint32_t)i + 1) % 1000003) / 64.0f);
    array_send(context, array);
}

static void tiles(const struct wl_problem *p, uint32_t *out, const uint32_t *in, uint64_t tile_rows) {
    uint64_t tile = tile_rows * 32;
    for (uint64_t i = 0; i < p->n; i++) {
        uint64_t base = i / tile * tile, row = i % tile / tile_rows, column = i % tile % tile_rows;
        uint64_t from = base + column * 32 + row;
        out[i] = from < p->n ? in[from] : 0;
    }
}

static void reference(enum wl_reference what, const struct wl_problem *p, uint32_t *const out[4],
                      uint32_t *const in[4]) {
    switch (what) {
    case WL_REF_COPY:
    case WL_REF_TILE_COPY:
        memcpy(out[0], in[0], 4 * p->n);
        break;
    case WL_REF_ADD:
        for (uint64_t i = 0; i < p->n; i++)
            put(out[0], i, get(in[0], i) + get(in[1], i));
        break;
    case WL_REF_READ_OFFSET:
        for (uint64_t i = 0; p->offset < p->n && i < p->n - p->offset; i++)
            put(out[0], i, get(in[0], i + p->offset) + get(in[1], i + p->offset));
        break;
    case WL_REF_WRITE_OFFSET:
        for (uint64_t i = 0; p->offset < p->n && i < p->n - p->offset; i++)
            put(out[0], i + p->offset, get(in[0], i) + get(in[1], i));
        break;
    case WL_REF_STRIDE_LOAD:
        for (uint64_t i = 0; i * p->stride < p->n; i++)
            out[0][i] = in[0][i * p->stride];
        break;
    case WL_REF_STRIDE_STORE:
        for (uint64_t i = 0; i * p->stride < p->n; i++)
            out[0][i * p->stride] = in[0][i];
        break;
    case WL_REF_LAYOUT_AOS:
        for (uint64_t i = 0; i < p->n; i++) {
            put(out[0], 2 * i, get(in[0], 2 * i) + 10.0f);
            put(out[0], 2 * i + 1, get(in[0], 2 * i + 1) + 20.0f);
        }
        break;
    case WL_REF_LAYOUT_SOA:
        for (uint64_t i = 0; i < p->n; i++) {
            put(out[1], i, get(in[1], i) + 10.0f);
            put(out[2], i, get(in[2], i) + 20.0f);
        }
        break;
    case WL_REF_TRANSPOSE_COPY:
        memcpy(out[0], in[0], 4 * p->rows * p->cols);
        break;
    case WL_REF_TRANSPOSE:
        for (uint64_t r = 0; r < p->rows; r++)
            for (uint64_t c = 0; c < p->cols; c++)
                out[0][c * p->rows + r] = in[0][r * p->cols + c];
        break;
    case WL_REF_TILE_32x32:
        tiles(p, out[0], in[0], 32);
        break;
    case WL_REF_TILE_32x16:
        tiles(p, out[0], in[0], 16);
        break;
    case WL_REF_MATMUL:
        for (uint64_t r = 0; r < p->m; r++)
            for (uint64_t c = 0; c < p->k; c++) {
                uint32_t sum = 0;
                for (uint64_t i = 0; i < p->n; i++)
                    sum += in[0][r * p->n + i] * in[1][i * p->k + c];
                out[0][r * p->k + c] = sum;
            }
        break;
    default:
        fail(); /* sparse matrices: test_sparse.c; each library operation has its own test */
    }
}

/* ---------------------------------------------------------------- one run */

struct shape {
    size_t in[4], out[4]; /* words of each array; 0: absent, unless `empty` */
    bool floats;
};

static struct shape shape_of(enum wl_reference what, const struct wl_problem *p) {
    switch (what) {
    case WL_REF_ADD:
    case WL_REF_READ_OFFSET:
    case WL_REF_WRITE_OFFSET:
        return (struct shape){{p->n, p->n}, {p->n}, true};
    case WL_REF_LAYOUT_AOS:
        return (struct shape){{2 * p->n}, {2 * p->n}, true};
    case WL_REF_LAYOUT_SOA:
        return (struct shape){{0, p->n, p->n}, {0, p->n, p->n}, true};
    case WL_REF_TRANSPOSE:
    case WL_REF_TRANSPOSE_COPY:
        return (struct shape){{p->rows * p->cols}, {p->rows * p->cols}, false};
    case WL_REF_MATMUL:
        return (struct shape){{p->m * p->n, p->n * p->k}, {p->m * p->k}, false};
    default:
        return (struct shape){{p->n}, {p->n}, false};
    }
}

/* shifts: distance in words of in[0], in[1], in[2] and the outputs from alignment. */
static void run(const struct wl_rung *rung, struct wl_problem problem, const unsigned shifts[4]) {
    char what[256];
    snprintf(what, sizeof(what),
             "%s %s n=%llu %llux%llu m=%llu k=%llu offset=%llu stride=%llu block=%ux%u unroll=%u "
             "shifts=%u,%u,%u,%u",
             rung->experiment, rung->name, (unsigned long long)problem.n, (unsigned long long)problem.rows,
             (unsigned long long)problem.cols, (unsigned long long)problem.m, (unsigned long long)problem.k,
             (unsigned long long)problem.offset, (unsigned long long)problem.stride, problem.block_x,
             problem.block_y, problem.unroll, shifts[0], shifts[1], shifts[2], shifts[3]);
    struct shape shape = shape_of(rung->reference, &problem);
    struct array in[4], out[4];
    uint32_t *in_words[4], *out_words[4];
    for (unsigned i = 0; i < 4; i++) {
        in[i] = array_make(context, shape.in[i], shifts[i < 2 ? i : 2], 1000 + i);
        out[i] = array_make(context, shape.out[i], shifts[3], 2000 + i);
        if (shape.floats)
            make_floats(&in[i]);
        problem.in[i] = in[i].device;
        problem.out[i] = out[i].device;
        in_words[i] = array_words(&in[i]);
        out_words[i] = array_words(&out[i]);
    }
    if (rung->applicable)
        assert_null(rung->applicable(context, &problem));
    wl_error error = rung->launch(context, &problem, NULL);
    if (!error)
        error = wl_synchronize(context);
    if (error)
        fail_msg("%s: %s", what, wl_message());
    reference(rung->reference, &problem, out_words, in_words);
    for (unsigned i = 0; i < 4; i++) {
        array_compare(context, &out[i], what);
        array_compare(context, &in[i], what);
        array_free(context, &out[i]);
        array_free(context, &in[i]);
    }
}

static const unsigned aligned[4] = {0, 0, 0, 0};

typedef void rung_fn(const struct wl_rung *rung);

static void each_rung(const char *experiment, rung_fn *function) {
    size_t count, found = 0;
    const struct wl_rung *rungs = wl__ladder(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(rungs[i].experiment, experiment) == 0) {
            function(&rungs[i]);
            found++;
        }
    assert_true(found > 0);
}

/* ---------------------------------------------------------------- sweeps */

static const uint64_t sizes[] = {0, 1, 2, 3, 5, 31, 33, 127, 1000, 4099};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static const unsigned shifts[][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {3, 3, 3, 3}, {1, 0, 0, 0},
                                     {0, 0, 0, 2}, {0, 2, 3, 1}, {3, 1, 0, 2}};
#define SHIFTS (sizeof(shifts) / sizeof(shifts[0]))

static const uint32_t blocks[][2] = {{1, 1}, {31, 1},  {32, 1},   {33, 1},
                                     {7, 5}, {1, 100}, {1024, 1}, {32, 32}};
#define BLOCKS (sizeof(blocks) / sizeof(blocks[0]))

/* Combines sizes and alignments at the default block, then tries blocks. */
static void sweep_with(const struct wl_rung *rung, uint64_t offset, uint64_t stride) {
    for (size_t i = 0; i < SIZES; i++)
        for (size_t j = 0; j < SHIFTS; j++)
            run(rung, (struct wl_problem){.n = sizes[i], .offset = offset, .stride = stride}, shifts[j]);
}

static void sweep_blocks(const struct wl_rung *rung, uint64_t offset, uint64_t stride) {
    if (rung->fixed_block)
        return;
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t j = 0; j < 2; j++)
            run(rung,
                (struct wl_problem){.n = j ? 4099 : 33,
                                    .offset = offset,
                                    .stride = stride,
                                    .block_x = blocks[i][0],
                                    .block_y = blocks[i][1]},
                shifts[j * 5]);
}

/* Accesses per thread, with sizes near a block's share, alignments and blocks. */
static void sweep_unrolls(const struct wl_rung *rung, uint64_t offset) {
    for (uint32_t unroll = 1; unroll <= rung->unrolls; unroll *= 2) {
        struct wl_problem problem = {.offset = offset, .stride = 1, .unroll = unroll};
        for (size_t i = 0; i < SIZES; i++)
            for (size_t j = 0; j < SHIFTS; j++) {
                problem.n = sizes[i];
                run(rung, problem, shifts[j]);
            }
        for (size_t i = 0; i < BLOCKS; i++) {
            problem.n = 4099;
            problem.block_x = blocks[i][0];
            problem.block_y = blocks[i][1];
            run(rung, problem, shifts[i % SHIFTS]);
        }
        problem.block_x = 96;
        problem.block_y = 1;
        for (uint64_t n = 4 * 96 * unroll - 1; n <= 4 * 96 * unroll + 1; n++) {
            problem.n = n + offset;
            run(rung, problem, aligned);
        }
    }
    /* A number of accesses for which there is no kernel. */
    struct wl_problem problem = {.n = 1, .stride = 1, .unroll = 3, .in = {4, 4}, .out = {4}};
    if (rung->unrolls)
        assert_int_equal(rung->launch(context, &problem, NULL), WL_ERROR_NOT_APPLICABLE);
}

static void sweep_plain(const struct wl_rung *rung) {
    sweep_with(rung, 0, 1);
    sweep_blocks(rung, 0, 1);
    sweep_unrolls(rung, 0);
}

static void sweep_offsets(const struct wl_rung *rung) {
    static const uint64_t offsets[] = {0, 1, 2, 3, 4, 11, 128};
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        sweep_with(rung, offsets[i], 1);
    sweep_blocks(rung, 0, 1);
    sweep_blocks(rung, 11, 1);
    sweep_unrolls(rung, 0);
    sweep_unrolls(rung, 11);
    const uint64_t past[] = {999, 1000, 1001, UINT64_MAX / 4, UINT64_MAX};
    for (size_t i = 0; i < sizeof(past) / sizeof(past[0]); i++)
        run(rung, (struct wl_problem){.n = 1000, .offset = past[i], .stride = 1}, aligned);
}

static void sweep_strides(const struct wl_rung *rung) {
    static const uint64_t strides[] = {1, 2, 3, 7, 32, 33, 999, 1000, 5000, UINT64_MAX};
    for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++)
        run(rung, (struct wl_problem){.n = 1000, .stride = strides[i]}, shifts[i % SHIFTS]);
    sweep_with(rung, 0, 3);
    sweep_blocks(rung, 0, 2);
}

static void sweep_tiles(const struct wl_rung *rung) {
    static const uint64_t tile_sizes[] = {0, 1, 31, 33, 511, 512, 513, 1000, 1024, 1025, 4099};
    for (size_t i = 0; i < sizeof(tile_sizes) / sizeof(tile_sizes[0]); i++)
        run(rung, (struct wl_problem){.n = tile_sizes[i], .stride = 1}, shifts[i % SHIFTS]);
}

static void sweep_matrices(const struct wl_rung *rung) {
    static const uint64_t matrices[][2] = {{0, 5}, {5, 0},   {1, 1},   {1, 301},  {301, 1},
                                           {2, 3}, {33, 65}, {64, 64}, {130, 77}, {64, 200}};
    for (size_t i = 0; i < sizeof(matrices) / sizeof(matrices[0]); i++)
        run(rung, (struct wl_problem){.rows = matrices[i][0], .cols = matrices[i][1], .stride = 1},
            shifts[i % SHIFTS]);
    for (size_t i = 0; i < BLOCKS && !rung->fixed_block; i++)
        run(rung,
            (struct wl_problem){
                .rows = 70, .cols = 45, .stride = 1, .block_x = blocks[i][0], .block_y = blocks[i][1]},
            aligned);
}

static void sweep_products(const struct wl_rung *rung) {
    static const uint64_t products[][3] = {{0, 4, 4},    {4, 4, 0},      {3, 0, 5},
                                           {1, 1, 1},    {1, 70, 1},     {33, 17, 65},
                                           {64, 64, 64}, {130, 33, 140}, {17, 100, 129}};
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
        run(rung,
            (struct wl_problem){.m = products[i][0], .n = products[i][1], .k = products[i][2], .stride = 1},
            shifts[i % SHIFTS]);
    for (size_t i = 0; i < BLOCKS && !rung->fixed_block; i++)
        run(rung,
            (struct wl_problem){
                .m = 35, .n = 10, .k = 41, .stride = 1, .block_x = blocks[i][0], .block_y = blocks[i][1]},
            aligned);
}

static void test_copy(void **state) {
    (void)state;
    each_rung("copy", sweep_plain);
}

static void test_add(void **state) {
    (void)state;
    each_rung("add", sweep_plain);
}

static void test_layout(void **state) {
    (void)state;
    each_rung("layout", sweep_plain);
}

static void test_read_offset(void **state) {
    (void)state;
    each_rung("read-offset", sweep_offsets);
}

static void test_write_offset(void **state) {
    (void)state;
    each_rung("write-offset", sweep_offsets);
}

static void test_stride(void **state) {
    (void)state;
    each_rung("stride", sweep_strides);
}

static void test_shared(void **state) {
    (void)state;
    each_rung("shared", sweep_tiles);
}

static void test_transpose(void **state) {
    (void)state;
    each_rung("transpose", sweep_matrices);
}

static void test_matmul(void **state) {
    (void)state;
    each_rung("matmul", sweep_products);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),         cmocka_unit_test(test_add),    cmocka_unit_test(test_layout),
        cmocka_unit_test(test_read_offset),  cmocka_unit_test(test_stride), cmocka_unit_test(test_shared),
        cmocka_unit_test(test_write_offset), cmocka_unit_test(test_matmul), cmocka_unit_test(test_transpose),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
