/* wl_csr_transpose and wl_coo_to_csr beside a sort in plain C: random matrices of every kind, index and
 * value.
 *
 *     test_lib_csr [CASES [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "csr.h"
#include "device.h"
#include "lib/sparse/ranges.h"
#include "lib/sparse/runs.h"
#include "lib/sparse/sort_parameters.h"

static uint64_t cases = 150, seed = 1;

static uint64_t size_like(uint64_t most) {
    uint64_t bits = 1;
    while (most >> bits)
        bits++;
    return 1 + draw((uint64_t)1 << draw(bits));
}

/* Makes blocks wide for any number of entries, or for none. */
static void choose_blocks(bool wide) {
    wl__sort_wide = wide ? 0 : UINT64_MAX;
}

/* Segments with so many bytes of counts, 1: of one tile; 0: as the library has them. */
static void choose_segments(uint64_t bytes) {
    static uint64_t usual;
    usual = usual ? usual : wl__sort_segment;
    wl__sort_segment = bytes ? bytes : usual;
}

/* Tries ranges of columns first for any number of entries, or for none. */
static void choose_ranges(bool ranges) {
    wl__ranges_least = ranges ? 0 : UINT64_MAX;
}

/* Sorts in several runs whenever that can be, or as the library does. */
static void choose_runs(bool runs) {
    static uint64_t usual;
    usual = usual ? usual : wl__runs_spare;
    wl__runs_spare = runs ? 0 : usual;
}

static void random_matrices(void **state) {
    (void)state;
    static const unsigned widths[] = {0, 1, 2, 4, 8, 16};
    for (uint64_t i = 0; i < cases; i++) {
        if (left_to_release())
            continue;
        state_of_random = seed * 1000003 + i;
        wl_sparse_shape shape = {.rows = size_like(i % 64 ? 70000 : 3000000),
                                 .cols = size_like(i % 16 ? 70000 : 6000000),
                                 .index_bytes = draw(2) ? 4 : 8,
                                 .width = widths[draw(6)]};
        shape.entries = draw(8) ? draw(40000) : draw(3);
        const enum kind kind = (enum kind)draw(KINDS);
        const bool by_columns = draw(3);
        struct matrix m = make_matrix(shape, kind);
        if (!by_columns)
            shuffle(&m);
        print_message("case %llu: %llu x %llu, %llu entries, kind %d, %u-byte indices, %u-byte values, %s\n",
                      (unsigned long long)i, (unsigned long long)shape.rows, (unsigned long long)shape.cols,
                      (unsigned long long)m.shape.entries, (int)kind, shape.index_bytes, shape.width,
                      by_columns ? "CSR" : "COO");
        choose_blocks(draw(2));
        choose_ranges(draw(2));
        choose_segments(draw(2) ? 0 : draw(2) ? 1 : 1 + draw(40000));
        choose_runs(false);
        run_case(&m, by_columns);
        free_matrix(&m);
    }
}

/* Each way to pack an entry into a word, on devices of each size of digits: keys and others of the bits. */
static void words_have_room(void **state) {
    (void)state;
    static const struct {
        uint64_t keys, others;
        bool csr; /* else COO */
    } shapes[] = {
        {1, 1, true},
        {1, (uint64_t)1 << 32, false},
        {2048, 70000, true},
        {4096, (uint64_t)1 << 32, false}, /* the other index alone takes 4 bytes */
        {2048, (uint64_t)1 << 31, false}, /* a first digit of 10 bits would leave one, which is too few */
        {4096, (uint64_t)1 << 31, false}, /* so would one of 11 bits */
        {8192, (uint64_t)1 << 31, false}, /* and one of 12 */
        {8192, (uint64_t)1 << 30, false}, /* a first digit of 11 bits leaves two */
        {1 << 20, 1 << 22, false},        /* 10 bits and 22 */
        {1 << 20, (1 << 22) + 1, false},  /* a first digit of 11 bits leaves 9, and 23 */
        {(1 << 20) + 1, (1 << 22) + 1, false},
        {(1 << 20) + 1, (1 << 23) + 1, false}, /* words of 8 bytes, two passes and on some devices three */
        {(1 << 21) + 1, 3000, true},
        {(1 << 23) + 1, 3000, true}, /* two passes, three, or four */
        {(1 << 24) + 1, 3000, true}, /* three passes, or four */
        /* The place tells 0 or 1 bit of the row in wide blocks, and 1 or 2 in narrow ones; with three passes
         * 4 and 1. */
        {1 << 22, 1 << 22, true},
        {1 << 22, (1 << 22) + 1, true},
        {(1 << 22) + 1, (1 << 20) + 1, true},
        {1 << 24, 70000, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (left_to_release())
            continue;
        state_of_random = seed + i;
        const bool csr = shapes[i].csr;
        const wl_sparse_shape shape = {.rows = csr ? shapes[i].others : shapes[i].keys,
                                       .cols = csr ? shapes[i].keys : shapes[i].others,
                                       .entries = 9001,
                                       .index_bytes = i % 2 ? 8 : 4,
                                       .width = i % 3 ? 2 : 16};
        struct matrix m = spread_matrix(shape, csr);
        if (!csr)
            shuffle(&m);
        for (unsigned wide = 0; wide < 2; wide++) {
            choose_blocks(wide);
            choose_segments(i % 2);
            choose_runs(false);
            run_case(&m, csr);
        }
        free_matrix(&m);
    }
}

/* A band of 9 entries in 16 rows: ranges of columns suit it, if the columns of the first rows are not far
 * apart. */
static struct matrix wide_band(wl_sparse_shape shape, bool far_apart) {
    struct matrix m = {.shape = shape, .starts = allocated((shape.rows + 1) * 8)};
    m.rows = allocated(8 * shape.entries);
    m.cols = allocated(8 * shape.entries);
    uint64_t count = 0;
    for (uint64_t row = 0; row < shape.rows; row++) {
        m.starts[row] = count;
        if (row % 16 < 9 && count < shape.entries) {
            m.rows[count] = row;
            m.cols[count++] = far_apart && row < 64 ? draw(shape.cols) : row / 4 % shape.cols;
        }
    }
    m.starts[shape.rows] = m.shape.entries = count;
    m.values = allocated(count * shape.width);
    for (uint64_t i = 0; i < count * shape.width; i++)
        m.values[i] = (unsigned char)i;
    return m;
}

/* Entries whose words have 8 bytes where indices have 4: in several runs. */
static void several_runs(void **state) {
    (void)state;
    static const unsigned widths[] = {0, 1, 2, 4, 8, 16};
    /* Too few for runs; the fewest; two kinds of blocks, of which the last run's need more counts. */
    static const uint64_t entries[] = {3, 8191, 8192, 8193, 45001};
    enum { FIRST = sizeof entries / sizeof *entries };
    for (unsigned i = 0; i < 12; i++) {
        state_of_random = seed * 104729 + i;
        wl_sparse_shape shape = {.rows = 8193 + draw((uint64_t)1 << (13 + draw(10))),
                                 .cols = (uint64_t)1 << 31,
                                 .entries = i < FIRST ? entries[i] : draw(60000),
                                 .index_bytes = 4,
                                 .width = widths[draw(6)]};
        struct matrix m =
            i < FIRST || draw(2) ? spread_matrix(shape, false) : make_matrix(shape, (enum kind)draw(KINDS));
        shuffle(&m);
        print_message("case %u: %llu x %llu, %llu entries, %u-byte values\n", i,
                      (unsigned long long)shape.rows, (unsigned long long)shape.cols,
                      (unsigned long long)m.shape.entries, shape.width);
        choose_blocks(draw(2));
        if (i + 1 == FIRST)
            wl__sort_wide = 9001;
        choose_segments(draw(2) ? 0 : draw(2) ? 1 : 1 + draw(40000));
        choose_runs(true);
        run_case(&m, false);
        free_matrix(&m);
    }
}

/* Rows and columns are so many that words have 8 bytes.  Ranges of columns are tried before: not of the first
 * matrix; they suit the second one, and fail with the third. */
static void several_runs_of_rows(void **state) {
    (void)state;
    wl_device_info info;
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    if (left_to_release() || strcmp(info.kind, "host") == 0)
        skip();
    const unsigned count = strcmp(info.arch, "sm_90") == 0 ? 3 : 1;
    for (unsigned i = 0; i < count; i++) {
        const wl_sparse_shape shape = {(1 << 24) + 1, (1 << 23) + 1, i ? 9437500 : 30000, 4, 2};
        state_of_random = seed;
        struct matrix m = i ? wide_band(shape, i == 2) : spread_matrix(shape, true);
        choose_blocks(true);
        choose_segments(0);
        choose_ranges(true);
        choose_runs(true);
        assert_int_equal(run_case(&m, true), i == 1);
        free_matrix(&m);
    }
}

/* The workspace is no larger than wideload.h says for any rows, columns and entries, and in several runs no
 * larger than in one. */
static void the_workspace_is_limited(void **state) {
    (void)state;
    static const unsigned widths[] = {0, 1, 2, 4, 8, 16};
    wl_device_info info;
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    choose_segments(0);
    choose_blocks(true);
    unsigned in_runs = 0;
    for (unsigned i = 0; i < 20000; i++) {
        state_of_random = seed * 31 + i;
        const bool by_columns = draw(2);
        const unsigned index = draw(2) ? 4 : 8;
        const uint64_t most = index == 4 ? INT32_MAX : (uint64_t)1 << 42;
        const wl_sparse_shape shape = {((uint64_t)1 << draw(32)) + draw(2),
                                       ((uint64_t)1 << draw(32)) + draw(2), most >> draw(8), index,
                                       widths[draw(6)]};
        wl_error (*workspace)(wl_context *, const wl_sparse_shape *, size_t *) =
            by_columns ? wl_csr_transpose_workspace : wl_coo_to_csr_workspace;
        size_t bytes, one_run;
        if (index == 4 && (shape.rows > (uint64_t)1 << 31 || shape.cols > (uint64_t)1 << 31))
            continue;
        choose_runs(false);
        assert_int_equal(workspace(context, &shape, &bytes), WL_ERROR_OK);
        expect_workspace(&shape, by_columns, bytes);
        wl__runs_spare = 1 << 20;
        assert_int_equal(workspace(context, &shape, &one_run), WL_ERROR_OK);
        assert_true(bytes <= one_run);
        in_runs += bytes < one_run;
    }
    if (strcmp(info.kind, "host") != 0)
        assert_in_range(in_runs, 100, 10000);
}

/* Devices of compute capability 8.0 have no room for wide blocks, whose tiles have fewer counts for an entry,
 * and those of 7.5 none for two digits of 11 bits: they have three, which take fewer counts still. */
static void digits_fit_shared_memory(void **state) {
    (void)state;
    static const struct {
        const char *arch;
        uint64_t bytes; /* per entry: words and counts */
    } devices[] = {{"sm_75", 4}, {"sm_80", 4 + 2}, {"sm_90", 4 + 1}};
    const wl_sparse_shape shape = {1 << 22, 1 << 22, 1 << 24, 4, 0};
    wl_device_info info;
    size_t bytes;
    choose_blocks(true);
    choose_segments(0);
    choose_runs(false);
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &bytes), WL_ERROR_OK);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(info.arch, devices[i].arch) == 0)
            assert_int_equal(bytes / shape.entries, devices[i].bytes);
}

/* The place of an entry, which has 16 bits in a block, tells at most so many of its digit and its row: 12 and
 * 4, or 11 and 5. */
static void places_tell_16_bits(void **state) {
    (void)state;
    wl_sparse_shape shape = {1 << 26, 1 << 22, 1 << 24, 4, 0};
    wl_device_info info;
    size_t bytes, more;
    choose_blocks(true);
    choose_segments(0);
    choose_runs(false);
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    if (strcmp(info.arch, "sm_80") != 0 && strcmp(info.arch, "sm_90") != 0)
        skip();
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &bytes), WL_ERROR_OK);
    shape.rows++;
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &more), WL_ERROR_OK);
    assert_in_range(more - bytes, 3 * shape.entries, 4 * shape.entries);
}

/* A place has 32 bits in wide blocks' kernels.  Their tiles are larger, so the counts take less room. */
static void wide_blocks_count_to_32_bits(void **state) {
    (void)state;
    wl_sparse_shape shape = {1 << 20, 2048, UINT32_MAX, 8, 0};
    wl_device_info info;
    size_t bytes;
    choose_blocks(true);
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    if (strcmp(info.arch, "sm_90") != 0)
        skip();
    /* All tiles are one segment, so the counts show how large tiles are. */
    choose_segments(UINT64_MAX);
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &bytes), WL_ERROR_OK);
    assert_true(bytes < shape.entries);
    shape.entries++;
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &bytes), WL_ERROR_OK);
    assert_int_equal(bytes / shape.entries, 2);
}

/* 2^26 entries in wide blocks are one segment, whatever the digits: their counts are all in the workspace.  A
 * tile more begins another one. */
static void segments_are_long(void **state) {
    (void)state;
    enum { TILE = 16384 };
    const uint64_t least = (uint64_t)1 << 26;
    wl_sparse_shape shape = {1 << 22, 1 << 22, least, 4, 0};
    wl_device_info info;
    size_t bytes, more;
    choose_blocks(true);
    choose_segments(0);
    choose_runs(false);
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    if (strcmp(info.arch, "sm_90") != 0)
        skip();
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &bytes), WL_ERROR_OK);
    assert_true(bytes >= 4 * least + (least / TILE << 12) * 4);
    shape.entries += TILE;
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &more), WL_ERROR_OK);
    /* Words of 4 bytes, and the counts of the segment before. */
    assert_int_equal(more - bytes, 4 * TILE + (8 << 12));
}

/* From 2^32 entries on, words have 8 bytes: the kernels for words of 4 count places to 32 bits. */
static void many_entries_have_long_words(void **state) {
    (void)state;
    wl_sparse_shape shape = {1 << 20, 1 << 20, UINT32_MAX, 8, 0};
    wl_device_info info;
    size_t below, from_there_on;
    choose_blocks(false);
    choose_segments(0);
    choose_runs(false);
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    if (strcmp(info.kind, "host") == 0)
        skip();
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &below), WL_ERROR_OK);
    shape.entries++;
    assert_int_equal(wl_csr_transpose_workspace(context, &shape, &from_there_on), WL_ERROR_OK);
    assert_in_range(from_there_on - below, 4 * shape.entries, 5 * shape.entries);
}

/* Several chunks of tiles, the last one of them partly full: in one segment, or in one and a part. */
static void many_entries(void **state) {
    (void)state;
    if (left_to_release())
        skip();
    for (unsigned i = 0; i < 3; i++) {
        const bool wide = i == 1;
        state_of_random = seed;
        choose_blocks(wide);
        choose_segments(i == 2 ? 65 * WL_SORT_TILE_BYTES(256, 10) : 0);
        const wl_sparse_shape shape = {1000, 900, 64 * (wide ? 16384 : 4096) + 9000, 4, 1};
        struct matrix m = spread_matrix(shape, true);
        run_case(&m, true);
        free_matrix(&m);
    }
}

/* Bytes of an array. */
static unsigned char *contents(const struct array *array) {
    unsigned char *bytes = allocated(array->bytes);
    assert_int_equal(wl_download(context, bytes, array->at, array->bytes), WL_ERROR_OK);
    return bytes;
}

/* Rows' starts, or rows, and indices of any bits: the result means nothing, but it is the same in each run,
 * nothing else is written, and nothing outside of the arrays is read, which would fault. */
static void any_bits_do_no_harm(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 40; i++) {
        if (left_to_release())
            continue;
        state_of_random = seed * 7919 + i;
        const bool csr = i % 3;
        choose_blocks(i % 2);
        choose_ranges(i / 2 % 2);
        choose_segments(i / 4 % 2);
        choose_runs(i / 8 % 2);
        /* Some CSR matrices have so many rows and columns that an entry's place tells a part of the row. */
        wl_sparse_shape shape = {1 + draw(!csr     ? 30000
                                          : i == 4 ? 3000000
                                                   : 3000),
                                 1 + draw(i % 4 ? 3000 : 5000000), 1 + draw(20000), draw(2) ? 4 : 8,
                                 draw(2) ? 4 : 0};
        /* In several runs, of which a CSR matrix's have many rows and columns. */
        if (i / 8 % 2 && !csr)
            shape = (wl_sparse_shape){9000, (uint64_t)1 << 31, 10000 + shape.entries, 4, shape.width};
        if (i == 8)
            shape = (wl_sparse_shape){(1 << 24) + 1, (1 << 23) + 1, 10000 + shape.entries, 4, shape.width};
        struct array arrays[7];
        const uint64_t bytes[7] = {((csr ? shape.cols : shape.rows) + 1) * shape.index_bytes,
                                   shape.entries * shape.index_bytes,
                                   shape.entries * shape.width,
                                   (csr ? shape.rows + 1 : shape.entries) * shape.index_bytes,
                                   shape.entries * shape.index_bytes,
                                   shape.entries * shape.width,
                                   0};
        size_t work;
        assert_int_equal((csr ? wl_csr_transpose_workspace : wl_coo_to_csr_workspace)(context, &shape, &work),
                         WL_ERROR_OK);
        for (int a = 0; a < 7; a++)
            arrays[a] = new_array(a < 6 ? bytes[a] : work);
        for (int a = 3; a < 5; a++) {
            unsigned char *any = allocated(bytes[a]);
            for (uint64_t at = 0; at < bytes[a]; at++)
                any[at] = (unsigned char)(at % 4 < 2 || draw(8) == 0 ? draw(256) : 0);
            assert_int_equal(wl_upload(context, arrays[a].at, any, bytes[a]), WL_ERROR_OK);
            free(any);
        }
        const wl_csr to = {arrays[0].at, arrays[1].at, arrays[2].at},
                     from = {arrays[3].at, arrays[4].at, arrays[5].at};
        unsigned char *results[3];
        for (int run = 0; run < 2; run++) {
            for (int a = 0; a < 3; a++)
                assert_int_equal(wl_fill(context, arrays[a].at, POISON, bytes[a], NULL), WL_ERROR_OK);
            assert_int_equal(wl_fill(context, arrays[6].at, (uint8_t)run, work, NULL), WL_ERROR_OK);
            if ((csr ? wl_csr_transpose(context, &shape, &to, &from, arrays[6].at, work, NULL)
                     : wl_coo_to_csr(context, &shape, &to, from.pointers, from.indices, from.values,
                                     arrays[6].at, work, NULL)) ||
                wl_synchronize(context))
                fail_msg("%s", wl_message());
            for (int a = 0; a < 3; a++) {
                unsigned char *result = contents(&arrays[a]);
                if (run) {
                    assert_memory_equal(result, results[a], bytes[a]);
                    free(results[a]);
                    free(result);
                } else {
                    results[a] = result;
                }
            }
        }
        for (int a = 0; a < 7; a++)
            free_array(&arrays[a]);
    }
}

static void refused(const char *says, wl_error error) {
    if (error != WL_ERROR_INVALID_ARGUMENT || !strstr(wl_message(), says))
        fail_msg("error %d, '%s', not '%s'", (int)error, wl_message(), says);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    const wl_sparse_shape good = {4, 5, 6, 4, 4};
    wl_sparse_shape shape = good;
    size_t bytes;
    struct array memory = new_array(1 << 16);
    const wl_devptr at = memory.at;
    const wl_csr to = {at, at + 1024, at + 2048}, from = {at + 4096, at + 5120, at + 6144};
    refused("context", wl_csr_transpose_workspace(NULL, &good, &bytes));
    refused("shape is NULL", wl_csr_transpose_workspace(context, NULL, &bytes));
    refused("bytes is NULL", wl_csr_transpose_workspace(context, &good, NULL));
    shape.index_bytes = 5;
    refused("index_bytes is 5", wl_csr_transpose_workspace(context, &shape, &bytes));
    shape = good;
    shape.width = 3;
    refused("width is 3", wl_csr_transpose_workspace(context, &shape, &bytes));
    shape = good;
    shape.entries = (uint64_t)INT32_MAX + 1;
    refused("2147483648 entries", wl_csr_transpose_workspace(context, &shape, &bytes));
    shape = good;
    shape.cols = ((uint64_t)1 << 31) + 1;
    refused("2147483649 columns", wl_csr_transpose_workspace(context, &shape, &bytes));
    shape = good;
    shape.index_bytes = 8;
    shape.entries = ((uint64_t)1 << 42) + 1;
    refused("4398046511105 entries", wl_coo_to_csr_workspace(context, &shape, &bytes));
    shape = good;
    shape.index_bytes = 8;
    shape.rows = ((uint64_t)1 << 32) + 1;
    refused("4294967297 rows", wl_coo_to_csr_workspace(context, &shape, &bytes));
    shape = good;
    shape.rows = 0;
    refused("without rows or columns", wl_csr_transpose_workspace(context, &shape, &bytes));
    assert_int_equal(wl_csr_transpose_workspace(context, &good, &bytes), WL_ERROR_OK);
    const wl_devptr work = at + 16384;
    if (bytes) { /* the host needs none */
        refused("workspace_bytes", wl_csr_transpose(context, &good, &to, &from, work, bytes - 1, NULL));
        refused("workspace is NULL", wl_csr_transpose(context, &good, &to, &from, 0, bytes, NULL));
        refused("not a multiple of 256",
                wl_csr_transpose(context, &good, &to, &from, work + 16, bytes, NULL));
        refused(
            "workspace and from->values overlap",
            wl_csr_transpose(context, &good, &to, &(wl_csr){at + 4096, at + 5120, work}, work, bytes, NULL));
    }
    refused("to is NULL", wl_csr_transpose(context, &good, NULL, &from, work, bytes, NULL));
    refused("from is NULL", wl_csr_transpose(context, &good, &to, NULL, work, bytes, NULL));
    refused("to->pointers",
            wl_csr_transpose(context, &good, &(wl_csr){0, at + 1024, at + 2048}, &from, work, bytes, NULL));
    refused("to->indices",
            wl_csr_transpose(context, &good, &(wl_csr){at, at + 1026, at + 2048}, &from, work, bytes, NULL));
    refused("overlap", wl_csr_transpose(context, &good, &to, &(wl_csr){at + 4096, at + 1024, at + 6144}, work,
                                        bytes, NULL));
    refused("to is NULL",
            wl_coo_to_csr(context, &good, NULL, from.pointers, from.indices, from.values, work, bytes, NULL));
    refused("rows is NULL",
            wl_coo_to_csr(context, &good, &to, 0, from.indices, from.values, work, bytes, NULL));
    assert_int_equal(wl_free(context, memory.all), WL_ERROR_OK);
}

static void a_matrix_without_entries_has_starts(void **state) {
    (void)state;
    for (unsigned index = 4; index <= 8; index += 4) {
        const wl_sparse_shape shape = {3, 1000, 0, index, 8};
        struct array starts = new_array(1001 * index);
        uint64_t *zeros = calloc(1001, 8);
        assert_non_null(zeros);
        assert_int_equal(
            wl_csr_transpose(context, &shape, &(wl_csr){starts.at, 0, 0}, &(wl_csr){0, 0, 0}, 0, 0, NULL),
            WL_ERROR_OK);
        assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
        expect_indices(&starts, zeros, 1001, index, "pointer");
        free(zeros);
        free_array(&starts);
    }
}

/* The host's counts do not fit in memory: an error, before anything is written. */
static void entries_without_room(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its own memory is larger than any limit */
#else
    struct rlimit kept, less;
    assert_int_equal(getrlimit(RLIMIT_AS, &kept), 0);
    less = (struct rlimit){(rlim_t)8 << 30, kept.rlim_max};
    /* Nothing is at these addresses, and nothing looks there: the entries would take 51 GB once more. */
    const wl_sparse_shape shape = {1, 5000, (uint64_t)1 << 31, 8, 16};
    const wl_devptr far = (wl_devptr)1 << 40;
    const wl_csr to = {far, 2 * far, 3 * far}, from = {4 * far, 5 * far, 6 * far};
    assert_int_equal(setrlimit(RLIMIT_AS, &less), 0);
    const wl_error error = wl_csr_transpose(context, &shape, &to, &from, 0, 0, NULL);
    assert_int_equal(setrlimit(RLIMIT_AS, &kept), 0);
    assert_int_equal(error, WL_ERROR_OUT_OF_MEMORY);
    assert_string_equal(wl_message(),
                        "wl_csr_transpose: the host has no room for 2147483648 entries in 625 buckets");
#endif
}

int main(int argc, char **argv) {
    if (argc > 1)
        cases = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(words_have_room),
        cmocka_unit_test(several_runs),
        cmocka_unit_test(several_runs_of_rows),
        cmocka_unit_test(the_workspace_is_limited),
        cmocka_unit_test(digits_fit_shared_memory),
        cmocka_unit_test(places_tell_16_bits),
        cmocka_unit_test(wide_blocks_count_to_32_bits),
        cmocka_unit_test(segments_are_long),
        cmocka_unit_test(many_entries_have_long_words),
        cmocka_unit_test(many_entries),
        cmocka_unit_test(any_bits_do_no_harm),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_matrix_without_entries_has_starts),
    };
    const struct CMUnitTest of_host[] = {cmocka_unit_test(entries_without_room)};
    /* The driver comes first: LeakSanitizer takes some addresses of a later library's thread-local memory for
     * another layout, and then crashes. */
    return cmocka_run_group_tests_name("device", tests, open_device, close_device) +
           cmocka_run_group_tests_name("host", tests, open_host, close_device) +
           cmocka_run_group_tests_name("host alone", of_host, open_host, close_device);
}
