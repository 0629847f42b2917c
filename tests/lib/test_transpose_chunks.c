/* Long rows of the output that are stored by whole chunks of 256 bytes, in tiles of whole rows of the input:
 * every width, each place of a row in a chunk, tiles of 4 to 16 strips, both ends of the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_transpose.h"
#include "device.h"
#include "without_small.h"

static struct wl__tuned *tuned;

/* Takes rows of 4 KB in arrays of any size, and has tiles of as many strips as give them `tile` bytes. */
static void take(uint32_t tile) {
    struct wl__tuned_chunks *chunks = &tuned->transpose.pieces.chunks;
    chunks->stream = 4096;
    chunks->array = 0;
    chunks->tiles = 0;
    for (unsigned w = 0; w < 5; w++)
        chunks->tile[w] = tile;
}

static int open_with_chunks(void **state) {
    const int failed = open_device(state);
    if (!failed)
        tuned = leave_out_small(context);
    return failed;
}

static const char *chunks(void) {
    return wl__has_bulk(context) ? ": pieces: " : NULL;
}

/* Rows begin at each element of a chunk in turn: they are an odd number of elements, or begin `shift`
 * elements past a chunk. */
static void places(void **state) {
    (void)state;
    static const uint64_t cols[] = {59, 25, 45, 29, 5};
    for (unsigned w = 0; w < 5; w++)
        for (unsigned strips = 4; strips <= 16; strips *= 2) {
            const unsigned width = 1u << w;
            take(strips == 4 ? 0 : (strips * 128 + 256) * (uint32_t)cols[w]);
            const uint64_t rows = 4096 / width * (1 + strips / 8);
            check_transpose(width, (wl_transpose_layout){.rows = rows + 1, .cols = cols[w], .batch = 1}, 0, 0,
                            chunks());
            check_transpose(width, (wl_transpose_layout){.rows = rows + 13, .cols = cols[w], .batch = 3}, 3,
                            16 / width, chunks());
            for (unsigned shift = 1; shift < 256 / width; shift += 1 + 16 / width)
                check_transpose(width, (wl_transpose_layout){.rows = rows, .cols = cols[w], .batch = 1},
                                shift, 0, shift * width % 32 ? chunks() : NULL);
        }
}

/* Numbers of columns that are no multiple of a warp's four, or have bank conflicts and pads. */
static void columns(void **state) {
    (void)state;
    take(0);
    static const struct {
        unsigned width;
        uint64_t cols[6];
    } cases[] = {{1, {19, 21, 23, 49, 61, 63}},
                 {2, {9, 10, 12, 31, 101, 127}},
                 {4, {10, 11, 16, 32, 67, 100}},
                 {8, {10, 13, 32, 64, 113, 136}},
                 {16, {4, 7, 16, 32, 50, 67}}};
    for (unsigned n = 0; n < sizeof(cases) / sizeof(*cases); n++)
        for (unsigned c = 0; c < 6; c++)
            check_transpose(cases[n].width,
                            (wl_transpose_layout){.rows = 5000 / cases[n].width * 2 + 7,
                                                  .cols = cases[n].cols[c],
                                                  .batch = 1 + c % 2},
                            c, 0, chunks());
}

/* Rows of the output with gaps, which no element enters. */
static void gaps(void **state) {
    (void)state;
    take(0);
    for (unsigned w = 0; w < 5; w++) {
        const uint64_t rows = 4100 >> w;
        wl_transpose_layout layout = {.rows = rows * 2 + 1, .cols = 29, .batch = 2};
        layout.to_ld = layout.rows + 7, layout.to_stride = layout.cols * layout.to_ld + 3;
        check_transpose(1u << w, layout, 1, 0, chunks());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(columns),
        cmocka_unit_test(gaps),
    };
    return cmocka_run_group_tests(tests, open_with_chunks, close_device);
}
