/* wl_copy and wl_copy_2d: bytes at every alignment, rows of every length and pitch, and invalid arguments.
 * On the simulator, or the device that WIDELOAD_DEVICE names. */
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
#include "wideload.h"

/* ---------------------------------------------------------------- wl_copy */

static void copy(struct array *out, struct array *in, unsigned to, unsigned from, size_t bytes) {
    if (wl_copy(context, out->device + to, in->device + from, bytes, NULL) || wl_synchronize(context))
        fail_msg("%s", wl_message());
    memcpy((char *)array_words(out) + to, (char *)array_words(in) + from, bytes);
    char what[64];
    snprintf(what, sizeof(what), "wl_copy of %zu bytes, +%u to +%u", bytes, from, to);
    array_compare(context, out, what);
}

static void sizes_and_shifts(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 15, 16, 17, 31, 100, 2047, 2048, 2049, 4095, 33003};
    for (size_t size = 0; size < sizeof(sizes) / sizeof(sizes[0]); size++)
        for (unsigned pair = 0; pair < 32; pair++) {
            struct array in = array_make(context, sizes[size] / 4 + 6, 0, pair),
                         out = array_make(context, sizes[size] / 4 + 6, 0, 1000 + pair);
            copy(&out, &in, pair % 17, pair * 5 % 19, sizes[size]);
            array_free(context, &in);
            array_free(context, &out);
        }
}

/* All into the same array, whose other bytes must not change. */
static void every_pair_of_alignments(void **state) {
    (void)state;
    struct array in = array_make(context, 200, 0, 1), out = array_make(context, 200, 0, 2);
    for (unsigned to = 0; to < 128; to += to < 17 ? 1 : 5)
        for (unsigned from = 0; from < 17; from++)
            copy(&out, &in, to, from, 1 + (37 * to + 11 * from) % 600);
    array_compare(context, &in, "the source");
    array_free(context, &in);
    array_free(context, &out);
}

/* Arrays that fill their allocations: a byte read or written past either end faults on the simulator. */
static void nothing_outside(void **state) {
    (void)state;
    for (unsigned bytes = 1; bytes < 300; bytes += 7)
        for (unsigned shift = 0; shift < 17; shift++) {
            wl_devptr to, from;
            assert_int_equal(wl_alloc(context, &to, bytes + 3), WL_ERROR_OK);
            assert_int_equal(wl_alloc(context, &from, bytes + shift), WL_ERROR_OK);
            if (wl_copy(context, to + 3, from + shift, bytes, NULL) ||
                wl_copy(context, to + 3, from, bytes, NULL) || wl_synchronize(context))
                fail_msg("%s", wl_message());
            wl_free(context, to);
            wl_free(context, from);
        }
}

/* ---------------------------------------------------------------- wl_copy_2d */

struct rows {
    size_t to_pitch, from_pitch, row_bytes, rows;
    unsigned to, from; /* distance of the first row from alignment, in bytes */
};

static size_t span(size_t pitch, size_t row_bytes, size_t rows) {
    return rows ? (rows - 1) * pitch + row_bytes : 0;
}

static void copy_rows(struct rows p) {
    struct array in = array_make(context, (p.from + span(p.from_pitch, p.row_bytes, p.rows)) / 4 + 1, 0, 7),
                 out = array_make(context, (p.to + span(p.to_pitch, p.row_bytes, p.rows)) / 4 + 1, 0, 8);
    char what[160];
    snprintf(what, sizeof(what), "wl_copy_2d of %zu rows of %zu bytes, every %zu to every %zu, +%u to +%u",
             p.rows, p.row_bytes, p.from_pitch, p.to_pitch, p.from, p.to);
    if (wl_copy_2d(context, out.device + p.to, p.to_pitch, in.device + p.from, p.from_pitch, p.row_bytes,
                   p.rows, NULL) ||
        wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
    for (size_t r = 0; r < p.rows; r++)
        memcpy((char *)array_words(&out) + p.to + r * p.to_pitch,
               (char *)array_words(&in) + p.from + r * p.from_pitch, p.row_bytes);
    array_compare(context, &out, what);
    array_compare(context, &in, what);
    array_free(context, &in);
    array_free(context, &out);
}

/* Rows from one byte to several blocks, pitches with and without slack, at all alignments. */
static void rows_of_every_length(void **state) {
    (void)state;
    static const size_t lengths[] = {1,   2,   3,   4,   5,   7,    8,    12,   15,  16,  17,
                                     24,  31,  32,  33,  48,  60,   63,   64,   65,  100, 127,
                                     128, 129, 207, 208, 255, 256,  257,  316,  320, 322, 400,
                                     510, 512, 514, 516, 520, 1000, 1024, 2049, 4100};
    static const size_t slack[][2] = {{0, 1}, {4, 0}, {16, 32}, {3, 5}, {8, 12}, {64, 0}};
    static const unsigned places[][2] = {{0, 0}, {1, 0}, {0, 4}, {13, 6}, {16, 8}};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        for (size_t j = 0; j < sizeof(slack) / sizeof(slack[0]); j++)
            for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
                size_t length = lengths[i];
                copy_rows((struct rows){length + slack[j][0], length + slack[j][1], length,
                                        1 + (5 * i + 7 * j + 3 * k) % 23, places[k][0], places[k][1]});
            }
}

static void rows_of_pitches(void **state) {
    (void)state;
    static const struct rows cases[] = {{100, 100, 100, 0, 0, 0}, /* no rows */
                                        {5, 5, 0, 10, 0, 0},      /* no bytes */
                                        {1, 1, 1, 1, 0, 0},
                                        {10, 1000, 10, 1, 0, 0},       /* one row: pitches do not matter */
                                        {77, 77, 77, 100, 3, 1},       /* one contiguous run of bytes */
                                        {4096, 4096, 4000, 9, 0, 0},   /* rows of some blocks */
                                        {8192, 8191, 8190, 5, 1, 2},   /* every row has another shift */
                                        {16, 16, 12, 3000, 0, 0},      /* many short rows */
                                        {1, 2, 1, 5000, 0, 0},         /* every second byte */
                                        {3, 1, 1, 5000, 1, 1},         /* to every third byte */
                                        {256, 16, 16, 700, 0, 0},      /* whole vectors, far apart */
                                        {24, 40, 24, 333, 8, 8},       /* 8-byte words */
                                        {6, 10, 6, 999, 2, 4},         /* 2-byte words */
                                        {2048, 4096, 2048, 20, 0, 0}}; /* lines */
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        copy_rows(cases[i]);
}

/* Last rows that end with their allocation, and first rows that begin with it. */
static void no_row_outside(void **state) {
    (void)state;
    for (size_t bytes = 1; bytes < 200; bytes += 1 + bytes / 8)
        for (unsigned shift = 0; shift < 16; shift += 5) {
            size_t to_pitch = bytes + 3, from_pitch = bytes + shift;
            wl_devptr to, from;
            assert_int_equal(wl_alloc(context, &to, span(to_pitch, bytes, 5)), WL_ERROR_OK);
            assert_int_equal(wl_alloc(context, &from, span(from_pitch, bytes, 5) + shift), WL_ERROR_OK);
            if (wl_copy_2d(context, to, to_pitch, from + shift, from_pitch, bytes, 5, NULL) ||
                wl_copy_2d(context, to, to_pitch, from, from_pitch, bytes, 5, NULL) ||
                wl_synchronize(context))
                fail_msg("%zu bytes, shift %u: %s", bytes, shift, wl_message());
            wl_free(context, to);
            wl_free(context, from);
        }
}

/* Rows that are contiguous in the output, over several blocks: rows end at every place in a vector, both
 * sides begin at every place, and nothing outside is written. */
static void rows_without_gaps(void **state) {
    (void)state;
    static const size_t lengths[] = {36, 37, 47, 64, 99, 130, 199, 258, 511, 514, 767, 768, 769, 1030, 4097};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
        for (unsigned k = 0; k < 16; k++) {
            size_t length = lengths[i], count = 12000 / length;
            copy_rows((struct rows){length, length + 1 + (i + k) % 17, length, count, k, (5 * k + i) % 16});
        }
}

/* The same, with arrays that fill their allocations. */
static void no_row_without_gaps_outside(void **state) {
    (void)state;
    for (size_t bytes = 16; bytes < 1200; bytes += 1 + bytes / 8)
        for (unsigned shift = 1; shift < 16; shift += 3) {
            size_t from_pitch = bytes + shift, rows = 1 + 5000 / bytes;
            wl_devptr to, from;
            assert_int_equal(wl_alloc(context, &to, shift + rows * bytes), WL_ERROR_OK);
            assert_int_equal(wl_alloc(context, &from, span(from_pitch, bytes, rows) + shift), WL_ERROR_OK);
            if (wl_copy_2d(context, to + shift, bytes, from + shift, from_pitch, bytes, rows, NULL) ||
                wl_copy_2d(context, to, bytes, from, from_pitch, bytes, rows, NULL) ||
                wl_synchronize(context))
                fail_msg("%zu bytes, shift %u: %s", bytes, shift, wl_message());
            wl_free(context, to);
            wl_free(context, from);
        }
}

/* Moves a block of a matrix's columns to other columns of the same matrix. */
static void rows_beside_each_other(void **state) {
    (void)state;
    enum { PITCH = 100, ROWS = 20, BYTES = 30 };
    static const unsigned places[][2] = {{0, 30}, {30, 0}, {70, 0}, {5, 35}, {60, 10}, {41, 2}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct array matrix = array_make(context, PITCH * ROWS / 4, 0, 3);
        char *bytes = (char *)array_words(&matrix);
        if (wl_copy_2d(context, matrix.device + places[i][0], PITCH, matrix.device + places[i][1], PITCH,
                       BYTES, ROWS, NULL) ||
            wl_synchronize(context))
            fail_msg("%s", wl_message());
        for (unsigned r = 0; r < ROWS; r++)
            memcpy(bytes + r * PITCH + places[i][0], bytes + r * PITCH + places[i][1], BYTES);
        array_compare(context, &matrix, "a column block");
        array_free(context, &matrix);
    }
}

/* Each length and alignment has its own strategy, and reports it. */
static void ways(void **state) {
    (void)state;
    static const struct {
        struct rows rows;
        const char *way;
    } cases[] = {
        {{64, 64, 64, 9, 1, 0}, ": run: "},          {{80, 96, 64, 9, 0, 0}, ": vectors: "},
        {{504, 504, 496, 3, 0, 0}, ": words-8: "},   {{24, 32, 24, 9, 0, 8}, ": words-8: "},
        {{404, 400, 400, 3, 4, 0}, ": slots-4: "},   {{104, 128, 100, 3, 0, 4}, ": words-4: "},
        {{100, 101, 100, 41944, 0, 4}, ": seams: "}, {{769, 771, 769, 3, 0, 0}, ": dense: "},
        {{100, 101, 100, 41943, 0, 4}, ": bytes: "}, {{20, 21, 20, 9, 0, 0}, ": dense: "},
        {{15, 16, 15, 9, 0, 0}, ": bytes: "},        {{20, 22, 20, 9, 0, 0}, ": words-2: "},
        {{1000, 1000, 998, 3, 0, 0}, ": slots-2: "}, {{300, 300, 298, 3, 2, 0}, ": words-2: "},
        {{301, 300, 298, 3, 0, 0}, ": slots-1: "},   {{100, 100, 99, 3, 0, 0}, ": bytes: "},
        {{100, 50, 50, 1, 3, 2}, ": run: "},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        copy_rows(cases[i].rows);
        if (!strstr(wl_explain(), cases[i].way))
            fail_msg("case %zu: %s", i, wl_explain());
    }
}

static void refuses(const char *part, wl_error error) {
    assert_int_equal(error, WL_ERROR_INVALID_ARGUMENT);
    if (!strstr(wl_message(), part) || !strstr(wl_message(), "wl_copy_2d"))
        fail_msg("\"%s\" does not say wl_copy_2d and \"%s\"", wl_message(), part);
}

static void refusals(void **state) {
    (void)state;
    const wl_devptr x = 1 << 20, y = 2 << 20;
    refuses("context", wl_copy_2d(NULL, x, 10, y, 10, 10, 10, NULL));
    refuses("to_pitch is 9", wl_copy_2d(context, x, 9, y, 10, 10, 10, NULL));
    refuses("from_pitch is 9", wl_copy_2d(context, x, 10, y, 9, 10, 10, NULL));
    refuses("to is NULL", wl_copy_2d(context, 0, 10, y, 10, 10, 10, NULL));
    refuses("from is NULL", wl_copy_2d(context, x, 10, 0, 10, 10, 10, NULL));
    refuses("to goes past", wl_copy_2d(context, x, SIZE_MAX / 2, y, 10, 10, 10, NULL));
    refuses("from goes past", wl_copy_2d(context, x, 10, y, SIZE_MAX - 7, 10, 10, NULL));
    refuses("to goes past", wl_copy_2d(context, x, SIZE_MAX / 3, y, 10, 10, 7, NULL));
    refuses("to and from overlap", wl_copy_2d(context, x, 10, x, 10, 10, 10, NULL));
    refuses("to and from overlap", wl_copy_2d(context, x, 20, x + 9, 20, 10, 10, NULL));
    refuses("to and from overlap", wl_copy_2d(context, x + 11, 20, x, 20, 10, 10, NULL));
    refuses("to and from overlap", wl_copy_2d(context, x, 20, x + 10, 21, 10, 10, NULL));
    refuses("to and from overlap", wl_copy_2d(context, x, 30, x + 95, 30, 10, 10, NULL));
    assert_int_equal(wl_copy_2d(context, 0, 0, 0, 0, 0, 10, NULL), WL_ERROR_OK);
    assert_int_equal(wl_copy_2d(context, 0, 5, 0, 5, 5, 0, NULL), WL_ERROR_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_shifts),
        cmocka_unit_test(every_pair_of_alignments),
        cmocka_unit_test(nothing_outside),
        cmocka_unit_test(rows_of_every_length),
        cmocka_unit_test(rows_of_pitches),
        cmocka_unit_test(no_row_outside),
        cmocka_unit_test(rows_without_gaps),
        cmocka_unit_test(no_row_without_gaps_outside),
        cmocka_unit_test(rows_beside_each_other),
        cmocka_unit_test(ways),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
