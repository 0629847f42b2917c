/* Which kernel transposes are done by, on a device with asynchronous loads and bulk copies, and on one
 * without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check_transpose.h"
#include "device.h"

struct choice {
    unsigned width;
    wl_transpose_layout layout;
    unsigned to_shift, from_shift;
    const char *kernel, *older;
};

static void check_choices(const struct choice *choices, size_t count) {
    for (size_t i = 0; i < count; i++)
        check_transpose(choices[i].width, choices[i].layout, choices[i].to_shift, choices[i].from_shift,
                        has_async() ? choices[i].kernel : choices[i].older);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Single lines; arrays, rows and matrices that begin at vectors, and such that do not. */
static const struct choice aligned[] = {
    {4, {.rows = 1, .cols = 1000, .batch = 1}, 1, 2, ": line: ", ": line: "},
    {4, {.rows = 1000, .cols = 1, .batch = 3}, 1, 2, ": line: ", ": line: "},
    {4, {.rows = 128, .cols = 256, .batch = 2}, 0, 0, ": async: ", ": vectors: "},
    {4, {.rows = 128, .cols = 256, .batch = 2}, 8, 64, ": async: ", ": vectors: "},
    {4, {.rows = 128, .cols = 256, .batch = 2}, 8, 32, ": async: ", ": vectors: "},
    {4, {.rows = 128, .cols = 800, .batch = 2}, 8, 32, ": async: ", ": vectors: "},
    {4, {.rows = 128, .cols = 804, .batch = 2}, 8, 32, ": vectors: ", ": vectors: "},
    {4, {.rows = 128, .cols = 832, .batch = 1, .from_ld = 864}, 0, 0, ": vectors: ", ": vectors: "},
    {8,
     {.rows = 128, .cols = 256, .batch = 2, .from_stride = 128 * 256 + 16},
     0,
     0,
     ": vectors: ",
     ": vectors: "},
    {8, {.rows = 128, .cols = 256, .batch = 1}, 4, 32, ": vectors: ", ": vectors: "},
    {16, {.rows = 34, .cols = 65, .batch = 2, .from_ld = 67}, 2, 1, ": async: ", ": shifted: "},
    {4,
     {.rows = 128, .cols = 832, .batch = 1, .to_stride = 128 * 832 + 1},
     8,
     4,
     ": vectors: ",
     ": vectors: "},
    /* Rows of the output that are no sectors, but vectors, and fit a tile. */
    {1, {.rows = 64, .cols = 4096, .batch = 1}, 16, 0, ": panels: ", ": shifted: "},
    {1, {.rows = 80, .cols = 1984, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {1, {.rows = 80, .cols = 2000, .batch = 1}, 0, 0, ": async: ", ": shifted: "},
    {1, {.rows = 80, .cols = 4096, .batch = 1, .to_ld = 112}, 0, 0, ": windows: ", ": shifted: "},
    {1, {.rows = 128, .cols = 4096, .batch = 1}, 16, 0, ": async: ", ": shifted: "},
    {1, {.rows = 144, .cols = 4096, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {2, {.rows = 56, .cols = 4096, .batch = 1}, 0, 0, ": async: ", ": shifted: "},
    {2, {.rows = 72, .cols = 4096, .batch = 1}, 0, 0, ": columns: ", ": shifted: "},
    {4, {.rows = 128, .cols = 256, .batch = 1}, 4, 4, ": shifted: ", ": shifted: "},
    {2, {.rows = 144, .cols = 264, .batch = 1}, 16, 8, ": async: ", ": shifted: "},
    {1, {.rows = 529, .cols = 250, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {16, {.rows = 33, .cols = 65, .batch = 1}, 1, 0, ": shifted: ", ": shifted: "},
    {16, {.rows = 34, .cols = 65, .batch = 1}, 2, 1, ": async: ", ": shifted: "},
    {4,
     {.rows = 128, .cols = 256, .batch = 2, .to_stride = 128 * 256 + 1},
     0,
     0,
     ": shifted: ",
     ": shifted: "},
    {4, {.rows = 128, .cols = 255, .batch = 1, .from_ld = 256}, 0, 0, ": shifted: ", ": shifted: "},
    {4, {.rows = 128, .cols = 256, .batch = 1}, 1, 0, ": shifted: ", ": shifted: "},
};

static void by_alignment(void **state) {
    (void)state;
    check_choices(aligned, COUNT(aligned));
    assert_int_equal(strcspn(wl_explain(), ":"), strlen("wl_transpose_batched"));
}

/* Rows that are not whole vectors, of the input or of the output. */
static const struct choice odd[] = {
    {2, {.rows = 136, .cols = 49, .batch = 1}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 144, .cols = 49, .batch = 1}, 0, 0, ": pieces: ", ": narrow: "},
    {2, {.rows = 130, .cols = 49, .batch = 1}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 56, .cols = 49, .batch = 1}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 144, .cols = 50, .batch = 1}, 0, 0, ": pieces: ", ": narrow: "},
    {2, {.rows = 136, .cols = 52, .batch = 1}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 128, .cols = 49, .batch = 1}, 0, 0, ": pieces: ", ": narrow: "},
    {1, {.rows = 128, .cols = 36, .batch = 1}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 128, .cols = 197, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 1024, .cols = 196, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {2, {.rows = 257, .cols = 257, .batch = 30}, 0, 0, ": panels: ", ": shifted: "},
    {4, {.rows = 64, .cols = 81, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {4, {.rows = 64, .cols = 903, .batch = 1}, 0, 0, ": shifted: ", ": shifted: "},
    {4, {.rows = 49, .cols = 64, .batch = 1}, 0, 0, ": columns: ", ": narrow: "},
    {2, {.rows = 49, .cols = 64, .batch = 1}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 599, .cols = 72, .batch = 1}, 0, 0, ": columns: ", ": shifted: "},
    {2, {.rows = 601, .cols = 72, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {2, {.rows = 601, .cols = 56, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    /* Rows of the output that begin anywhere: of short rows, pieces; with pads if banks conflict. */
    {1, {.rows = 1101, .cols = 77, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 64, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 104, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 112, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 144, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 152, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 168, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 77, .batch = 3}, 0, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 77, .batch = 3}, 0, 1, ": windows: ", ": shifted: "},
    {1, {.rows = 1024, .cols = 88, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {2, {.rows = 1003, .cols = 208, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {2, {.rows = 1003, .cols = 149, .batch = 1}, 3, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 1101, .cols = 29, .batch = 1}, 0, 0, ": pieces: ", ": narrow: "},
    {1, {.rows = 1101, .cols = 28, .batch = 1}, 0, 0, ": narrow: ", ": narrow: "},
    {2, {.rows = 1003, .cols = 26, .batch = 1}, 0, 0, ": pieces: ", ": narrow: "},
    {2, {.rows = 5003, .cols = 24, .batch = 1}, 0, 0, ": narrow: ", ": narrow: "},
    /* Of 8 bytes, whose rows are long. */
    {8, {.rows = 1026, .cols = 399, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {8, {.rows = 1026, .cols = 401, .batch = 1}, 0, 0, ": shifted: ", ": shifted: "},
    {8, {.rows = 1026, .cols = 100, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {8, {.rows = 1026, .cols = 66, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {8, {.rows = 1026, .cols = 64, .batch = 1}, 0, 0, ": shifted: ", ": shifted: "},
    {8, {.rows = 1026, .cols = 104, .batch = 1}, 0, 0, ": shifted: ", ": shifted: "},
    {8, {.rows = 1024, .cols = 399, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {8, {.rows = 1024, .cols = 401, .batch = 1}, 0, 0, ": shifted: ", ": shifted: "},
    {8, {.rows = 1024, .cols = 400, .batch = 1}, 0, 0, ": vectors: ", ": vectors: "},
    {8, {.rows = 501, .cols = 35, .batch = 3}, 2, 4, ": pieces: ", ": narrow: "},
    {8, {.rows = 1026, .cols = 31, .batch = 1}, 0, 0, ": narrow: ", ": narrow: "},
    {8, {.rows = 1026, .cols = 33, .batch = 1}, 0, 0, ": pieces: ", ": narrow: "},
    {8, {.rows = 130, .cols = 99, .batch = 1}, 0, 0, ": shifted: ", ": shifted: "},
    {8, {.rows = 128, .cols = 99, .batch = 1}, 0, 0, ": shifted: ", ": shifted: "},
    /* Long rows, where banks conflict. */
    {1, {.rows = 8192, .cols = 436, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {1, {.rows = 8192, .cols = 452, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {2, {.rows = 512, .cols = 228, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    /* Tall panels, whose rows end anywhere, and at vectors. */
    {1, {.rows = 399, .cols = 16001, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {1, {.rows = 401, .cols = 16001, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {1, {.rows = 240, .cols = 16001, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    /* By words, at their places in a sector. */
    {1, {.rows = 200, .cols = 16100, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {1, {.rows = 201, .cols = 16107, .batch = 1}, 3, 5, ": panels: ", ": shifted: "},
    {1, {.rows = 272, .cols = 16001, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {1, {.rows = 96, .cols = 16001, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {1, {.rows = 128, .cols = 16001, .batch = 1}, 0, 0, ": windows: ", ": shifted: "},
    {1, {.rows = 128, .cols = 16001, .batch = 1}, 16, 0, ": panels: ", ": shifted: "},
};

static void of_odd_rows(void **state) {
    (void)state;
    check_choices(odd, COUNT(odd));
}

/* Few rows or columns, or little of both. */
static const struct choice narrow[] = {
    {4, {.rows = 1000, .cols = 3, .batch = 1}, 1, 2, ": narrow: ", ": narrow: "},
    {2, {.rows = 32, .cols = 300, .batch = 2}, 1, 2, ": matrices: ", ": narrow: "},
    {2, {.rows = 32, .cols = 624, .batch = 100}, 1, 2, ": matrices: ", ": narrow: "},
    {2, {.rows = 32, .cols = 656, .batch = 100}, 1, 2, ": narrow: ", ": narrow: "},
    {4, {.rows = 1000, .cols = 3, .batch = 1, .from_ld = 4}, 1, 2, ": matrices: ", ": small: "},
    {4, {.rows = 3000, .cols = 3, .batch = 1, .from_ld = 4}, 1, 2, ": small: ", ": small: "},
    /* Of any size, if they are thin. */
    {4, {.rows = 200000, .cols = 3, .batch = 1, .from_ld = 5}, 1, 2, ": small: ", ": small: "},
    {8, {.rows = 40000, .cols = 16, .batch = 1, .from_ld = 17}, 1, 2, ": small: ", ": small: "},
    {8, {.rows = 40000, .cols = 17, .batch = 1, .from_ld = 18}, 1, 2, ": shifted: ", ": shifted: "},
    /* Small matrices of a batch. */
    {2, {.rows = 32, .cols = 144, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 32, .cols = 128, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {2, {.rows = 13, .cols = 128, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 13, .cols = 256, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {2, {.rows = 17, .cols = 128, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {4, {.rows = 64, .cols = 13, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {4, {.rows = 128, .cols = 8, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {4, {.rows = 136, .cols = 8, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {8, {.rows = 128, .cols = 4, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {8, {.rows = 132, .cols = 4, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {16, {.rows = 64, .cols = 4, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {16, {.rows = 66, .cols = 4, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {2, {.rows = 256, .cols = 4, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 272, .cols = 4, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {2, {.rows = 640, .cols = 12, .batch = 100}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 704, .cols = 12, .batch = 100}, 0, 0, ": narrow: ", ": narrow: "},
    {2, {.rows = 1000, .cols = 18, .batch = 100}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 1000, .cols = 19, .batch = 100}, 0, 0, ": narrow: ", ": narrow: "},
    {4, {.rows = 8, .cols = 100, .batch = 20, .from_ld = 200}, 0, 0, ": narrow: ", ": narrow: "},
    /* Bytes, in streams that are whole vectors: matrices of few columns, and of few rows. */
    {1, {.rows = 352, .cols = 11, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 352, .cols = 15, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 352, .cols = 18, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 352, .cols = 19, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 1184, .cols = 18, .batch = 100}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 1312, .cols = 18, .batch = 100}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 768, .cols = 14, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 768, .cols = 15, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 2544, .cols = 13, .batch = 100}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 2960, .cols = 13, .batch = 100}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 1024, .cols = 11, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 2400, .cols = 12, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 8, .cols = 1008, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 8, .cols = 1024, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 7, .cols = 1008, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 1008, .cols = 8, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 10, .cols = 1984, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 10, .cols = 2016, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 8, .cols = 1984, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 512, .cols = 4, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 15, .cols = 768, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {2, {.rows = 384, .cols = 15, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {16, {.rows = 64, .cols = 9, .batch = 20}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 829, .cols = 4, .batch = 20}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 7001, .cols = 4, .batch = 100}, 0, 0, ": matrices: ", ": narrow: "},
    {1, {.rows = 7201, .cols = 4, .batch = 100}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 6, .cols = 4501, .batch = 100}, 0, 0, ": matrices: ", ": narrow: "},
    /* Streams of bytes that are no whole vectors. */
    {1, {.rows = 37, .cols = 120001, .batch = 1}, 0, 0, ": panels: ", ": narrow: "},
    {1, {.rows = 37, .cols = 5008, .batch = 1}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 21, .cols = 5001, .batch = 1}, 0, 0, ": narrow: ", ": narrow: "},
    {1, {.rows = 21, .cols = 400001, .batch = 1}, 0, 0, ": panels: ", ": narrow: "},
    {2, {.rows = 30, .cols = 150001, .batch = 1}, 0, 0, ": panels: ", ": narrow: "},
    {2, {.rows = 30, .cols = 5001, .batch = 1}, 0, 0, ": narrow: ", ": narrow: "},
    {2, {.rows = 320, .cols = 14001, .batch = 1}, 0, 0, ": slots: ", ": shifted: "},
    {2, {.rows = 160, .cols = 24001, .batch = 1}, 0, 0, ": slots: ", ": shifted: "},
    {2, {.rows = 168, .cols = 24001, .batch = 1}, 0, 0, ": slots: ", ": shifted: "},
    {2, {.rows = 152, .cols = 24001, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {2, {.rows = 308, .cols = 14001, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {2, {.rows = 316, .cols = 14001, .batch = 1}, 0, 0, ": slots: ", ": shifted: "},
    {2, {.rows = 280, .cols = 72, .batch = 1}, 0, 0, ": columns: ", ": shifted: "},
    /* Rows of bytes that are no vectors: panels that move by words, and columns of more rows. */
    {1, {.rows = 136, .cols = 16384, .batch = 1}, 0, 0, ": panels: ", ": shifted: "},
    {1, {.rows = 536, .cols = 16384, .batch = 1}, 0, 0, ": columns: ", ": shifted: "},
    {4, {.rows = 447, .cols = 36, .batch = 1}, 0, 0, ": columns: ", ": shifted: "},
    {4, {.rows = 449, .cols = 36, .batch = 1}, 0, 0, ": pieces: ", ": shifted: "},
    {2, {.rows = 81, .cols = 56, .batch = 1}, 0, 0, ": matrices: ", ": shifted: "},
    {2, {.rows = 81, .cols = 56, .batch = 1, .to_ld = 82}, 0, 0, ": matrices: ", ": shifted: "},
    {2, {.rows = 181, .cols = 156, .batch = 1, .to_ld = 182}, 0, 0, ": windows: ", ": shifted: "},
    {2, {.rows = 136, .cols = 49, .batch = 1, .from_ld = 50}, 0, 0, ": matrices: ", ": shifted: "},
    {2, {.rows = 136, .cols = 49, .batch = 1, .from_ld = 90}, 0, 0, ": panels: ", ": shifted: "},
};

static void of_small_and_narrow_matrices(void **state) {
    (void)state;
    check_choices(narrow, COUNT(narrow));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_alignment),
        cmocka_unit_test(of_odd_rows),
        cmocka_unit_test(of_small_and_narrow_matrices),
    };
    return cmocka_run_group_tests(tests, open_without_small, close_device);
}
