/* Transposes of matrices of few rows or columns, as structures and streams, against plain C: every width,
 * both ways, batches of one dimension and of several, arrays at any alignment of their elements. */
#include <stdio.h>

#include "element.h"
#include "guarded_array.h"
#include "lib/transpose/narrow.h"
#include "lib/transpose/panels.h"

static void transpose(unsigned width, const wl_transpose_layout *layout, unsigned from_shift,
                      unsigned to_shift) {
    const wl_transpose_layout *l = layout;
    char what[160];
    snprintf(what, sizeof(what), "width %u, %llu x %llu, ld %llu and %llu, batch %llu, shifts %u and %u",
             width, (unsigned long long)l->rows, (unsigned long long)l->cols, (unsigned long long)l->from_ld,
             (unsigned long long)l->to_ld, (unsigned long long)l->batch, from_shift, to_shift);
    assert_true(wl__narrow_fits(&context->tuned->transpose.narrow, width, layout));
    uint64_t from_elements = (l->batch - 1) * l->from_stride + (l->rows - 1) * l->from_ld + l->cols;
    uint64_t to_elements = (l->batch - 1) * l->to_stride + (l->cols - 1) * l->to_ld + l->rows;
    struct array from = make(from_elements * width, (size_t)from_shift * width, 1);
    struct array to = make(to_elements * width, (size_t)to_shift * width, 2);
    for (uint64_t b = 0; b < l->batch; b++)
        for (uint64_t r = 0; r < l->rows; r++)
            for (uint64_t c = 0; c < l->cols; c++)
                copy_element(bytes_of(&to) + (b * l->to_stride + c * l->to_ld + r) * width,
                             bytes_of(&from) + (b * l->from_stride + r * l->from_ld + c) * width, width);
    need(wl__narrow_transpose(context, width, to.device, from.device, layout,
                              &(struct wl__digits){.count = 0}, NULL));
    if (wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
    check(&from, what);
    check(&to, what);
}

/* Batches in several dimensions, which begin anywhere: `from` and `to` are elements from one matrix to the
 * next of a digit, the last of which are the layout's strides. */
struct mixed {
    unsigned width;
    wl_transpose_layout layout;
    struct wl__digits digits;
    unsigned from_shift, to_shift; /* bytes */
};

static void transpose_mixed(const struct mixed *m) {
    const wl_transpose_layout *l = &m->layout;
    uint64_t from_last = 0, to_last = 0, each = l->batch;
    for (unsigned i = 0; i < m->digits.count; i++) {
        each /= m->digits.digit[i].size;
        from_last += (m->digits.digit[i].size - 1) * m->digits.digit[i].from;
        to_last += (m->digits.digit[i].size - 1) * m->digits.digit[i].to;
    }
    from_last += (each - 1) * l->from_stride + (l->rows - 1) * l->from_ld + l->cols;
    to_last += (each - 1) * l->to_stride + (l->cols - 1) * l->to_ld + l->rows;
    struct array from = make(from_last * m->width, m->from_shift, 3),
                 to = make(to_last * m->width, m->to_shift, 4);
    for (uint64_t b = 0; b < l->batch; b++) {
        uint64_t rest = b, from_at = 0, to_at = 0;
        for (unsigned i = 0; i < m->digits.count; i++) {
            from_at += rest % m->digits.digit[i].size * m->digits.digit[i].from;
            to_at += rest % m->digits.digit[i].size * m->digits.digit[i].to;
            rest /= m->digits.digit[i].size;
        }
        from_at += rest * l->from_stride;
        to_at += rest * l->to_stride;
        for (uint64_t r = 0; r < l->rows; r++)
            for (uint64_t c = 0; c < l->cols; c++)
                copy_element(bytes_of(&to) + (to_at + c * l->to_ld + r) * m->width,
                             bytes_of(&from) + (from_at + r * l->from_ld + c) * m->width, m->width);
    }
    need(wl__narrow_transpose(context, m->width, to.device, from.device, l, &m->digits, NULL));
    need(wl_synchronize(context));
    check(&from, "a batch's structures");
    check(&to, "a batch's streams");
}

static void batches_of_several_dimensions(void **state) {
    (void)state;
    static const struct mixed all[] = {
        /* Structures of one matrix begin within vectors, of the first not; and the streams of one. */
        {1,
         {.rows = 40,
          .cols = 8,
          .batch = 27,
          .from_ld = 8,
          .to_ld = 576,
          .from_stride = 320,
          .to_stride = 576 * 30},
         {2, {{3, 3298, 576 * 8}, {3, 1090 * 9, 576 * 90}}},
         0,
         32},
        {1,
         {.rows = 8, .cols = 48, .batch = 8, .from_ld = 480, .to_ld = 8, .from_stride = 48, .to_stride = 400},
         {2, {{2, 3840, 817}, {2, 7680, 1650}}},
         0,
         0},
        {2,
         {.rows = 400,
          .cols = 3,
          .batch = 12,
          .from_ld = 3,
          .to_ld = 401,
          .from_stride = 1200,
          .to_stride = 1203},
         {1, {{3, 4803, 4817}}},
         2,
         6},
        {4,
         {.rows = 5,
          .cols = 300,
          .batch = 12,
          .from_ld = 300,
          .to_ld = 5,
          .from_stride = 1500,
          .to_stride = 1500},
         {1, {{4, 4507, 4501}}},
         4,
         4},
        /* Only the digit has streams begin within vectors, of several chunks. */
        {1,
         {.rows = 3000,
          .cols = 3,
          .batch = 4,
          .from_ld = 3,
          .to_ld = 3200,
          .from_stride = 9000,
          .to_stride = 9600},
         {1, {{2, 18016, 19205}}},
         0,
         0},
        /* Of one dimension: structures' stride ends within vectors, the streams' does not; and the reverse.
         */
        {1,
         {.rows = 6, .cols = 96, .batch = 7, .from_ld = 96, .to_ld = 6, .from_stride = 576, .to_stride = 577},
         {.count = 0},
         32,
         32},
        {1,
         {.rows = 6, .cols = 96, .batch = 7, .from_ld = 96, .to_ld = 6, .from_stride = 577, .to_stride = 576},
         {.count = 0},
         32,
         32},
    };
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        transpose_mixed(&all[i]);
}

/* More fields than WL_NARROW_LIMIT are narrow only if they are not whole vectors. */
static bool never_narrow(unsigned width, uint64_t fields) {
    return fields > context->tuned->transpose.narrow.fields && fields * width % 16 == 0;
}

static void test_narrow(void **state) {
    (void)state;
    static const uint64_t narrow[] = {2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 49, 63};
    static const uint64_t lengths[] = {1, 5, 33, 400, 1001};
    for (unsigned width = 1; width <= 16; width *= 2)
        for (size_t k = 0; k < sizeof(narrow) / sizeof(narrow[0]); k++)
            for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
                uint64_t few = narrow[k], n = lengths[i];
                if (never_narrow(width, few) || left_to_release())
                    continue;
                transpose(width, &(wl_transpose_layout){n, few, few, n, 1, 0, 0}, 0, 0);
                transpose(width, &(wl_transpose_layout){few, n, n, few, 1, 0, 0}, 1, 0);
                transpose(width, &(wl_transpose_layout){n, few, few, n + 3, 1, 0, 0}, 0, 1);
                transpose(width, &(wl_transpose_layout){few, n, n + 5, few, 1, 0, 0}, 0, 3);
            }
}

static void test_narrow_batches(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 16; width *= 2)
        for (uint64_t few = 2; few < 64; few += few < 32 ? 3 : 14) {
            const uint64_t n = 2100, cells = n * few;
            if (never_narrow(width, few) || left_to_release())
                continue;
            transpose(width, &(wl_transpose_layout){n, few, few, n, 3, cells, cells}, 0, 0);
            transpose(width, &(wl_transpose_layout){few, n, n, few, 3, cells, cells}, 0, 0);
            /* All are whole sectors. */
            transpose(width, &(wl_transpose_layout){2112, few, few, 2112, 3, 2112 * few, 2144 * few}, 0, 0);
            transpose(width, &(wl_transpose_layout){n, few, few, n + 1, 2, cells + 7, cells + few + 9}, 1, 2);
            transpose(width, &(wl_transpose_layout){few, n, n + 1, few, 2, cells + few + 9, cells + 1}, 2, 1);
        }
}

static void test_narrow_fits(void **state) {
    (void)state;
    static const struct {
        wl_transpose_layout layout;
        bool fits;
    } cases[] = {
        {{1000, 3, 3, 1000, 1, 0, 0}, true},    {{3, 1000, 1000, 3, 1, 0, 0}, true},
        {{1000, 3, 4, 1000, 1, 0, 0}, false},   {{3, 1000, 1000, 4, 1, 0, 0}, false},
        {{1000, 3, 3, 1024, 1, 0, 0}, true},    {{3, 1000, 1024, 3, 1, 0, 0}, true},
        {{1000, 33, 33, 1000, 1, 0, 0}, true},  {{33, 1000, 1000, 33, 1, 0, 0}, true},
        {{1000, 36, 36, 1000, 1, 0, 0}, false}, /* nine vectors */
        {{36, 1000, 1000, 36, 1, 0, 0}, false}, {{1000, 65, 65, 1000, 1, 0, 0}, false},
        {{65, 1000, 1000, 65, 1, 0, 0}, false}, {{1000, 1, 1, 1000, 1, 0, 0}, false},
        {{1, 1000, 1000, 1, 1, 0, 0}, false},   {{1000, 3, 3, 1000, 9, 3000, 3000}, true},
        {{5, 3, 3, 5, 9, 15, 15}, false},       {{3, 50176, 50176, 3, 8, 150528, 150528}, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (wl__narrow_fits(&context->tuned->transpose.narrow, 4, &cases[i].layout) != cases[i].fits)
            fail_msg("case %zu", i);
}

/* Which matrices of bytes have a table of places: columns shorter than a vector that do not go by words, of
 * enough bytes, whose places have 16 bits. */
static void places(void **state) {
    (void)state;
    static const struct {
        uint64_t rows, cols;
        bool are;
    } cases[] = {{5, 35, false},  {4, 44, true}, {15, 4369, true}, {15, 4370, false},
                 {16, 35, false}, {8, 45, true}, {8, 44, false}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const uint64_t rows = cases[i].rows, cols = cases[i].cols;
        const wl_transpose_layout layout = {.rows = rows,
                                            .cols = cols,
                                            .batch = 9,
                                            .from_ld = cols,
                                            .to_ld = rows,
                                            .from_stride = rows * cols,
                                            .to_stride = rows * cols};
        struct wl__panels panels;
        assert_true(wl__panels_matrices(context, 1, &layout, &panels));
        assert_int_equal(panels.places != 0, cases[i].are);
        if (panels.places) {
            assert_true(panels.places % 16 == 0 && panels.places >= panels.bytes);
            assert_int_equal(panels.shared, panels.places + WL_PLACES);
        }
    }
}

/* Bytes from row to row of panels of columns, on both sides of each bound, where multiprocessors have so many
 * KB of shared memory. */
static void rows_of_columns(void **state) {
    (void)state;
    static const struct {
        unsigned width;
        uint64_t rows, cols;
        uint32_t shared, pitch;
    } cases[] = {
        /* Bytes of an array from which on rows are long ones, if a budget allows it. */
        {1, 137, 382592, 228, 128},
        {1, 137, 382720, 228, 256},
        {1, 224, 300032, 228, 128},
        /* The least bytes of long rows. */
        {1, 64, 1024061, 228, 445},
        {1, 64, 1024062, 228, 190},
        /* Pairs: bytes of an array, and of its rows. */
        {2, 223, 117495, 228, 110},
        {2, 223, 117559, 228, 238},
        {2, 200, 200029, 228, 314},
        {2, 200, 200030, 228, 188},
        {2, 250, 200029, 228, 186},
        /* Two blocks fit, however little memory there is. */
        {2, 223, 117559, 100, 110},
        {4, 150, 100001, 228, 388},
        {4, 150, 100001, 100, 260},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t rows = cases[i].rows, cols = cases[i].cols;
        const wl_transpose_layout layout = {
            .batch = 1, .rows = rows, .cols = cols, .from_ld = cols, .to_ld = rows};
        wl_context some = {
            .capability = 90, .shared_each = cases[i].shared << 10, .tuned = wl__tuned_for(90)};
        struct wl__panels panels;
        assert_true(wl__panels_columns(&some, cases[i].width, &layout, &panels));
        if (panels.pitch != cases[i].pitch)
            fail_msg("width %u, %llu x %llu: rows of %u bytes", cases[i].width, (unsigned long long)rows,
                     (unsigned long long)cols, panels.pitch);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow),      cmocka_unit_test(test_narrow_batches),
        cmocka_unit_test(test_narrow_fits), cmocka_unit_test(batches_of_several_dimensions),
        cmocka_unit_test(places),           cmocka_unit_test(rows_of_columns),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
