/* wl_csr_check and wl_coo_check: what they say of random matrices, right ones and such with faults, beside a
 * plain loop in C.
 *
 *     test_lib_csr_check [CASES [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "tests/lib/device.h"

enum { GUARD = 64, POISON = 0xa5, WORDS = 256 };

static uint64_t cases = 600, seed = 1, state_of_random;

static uint64_t draw(uint64_t count) {
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (state_of_random >> 20) % count;
}

static void *allocated(size_t bytes) {
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* ---------------------------------------------------------------- matrices */

/* In rows (CSR): pointers and indices; else (COO) rows and columns. */
struct matrix {
    bool csr;
    wl_sparse_shape shape;
    uint64_t counts[2];
    int64_t *data[2];
};

/* 0 to `most`, and often few; or near a multiple of 2048, of which tiles of the kernel and blocks of the host
 * have one or two. */
static uint64_t size_like(uint64_t most) {
    uint64_t bits = 1;
    while (most >> bits)
        bits++;
    const uint64_t size = draw((uint64_t)1 << (draw(4) ? draw(bits) : bits - 1));
    return size > 2048 && draw(2) ? size / 2048 * 2048 + draw(3) - 1 : size;
}

/* A right one. */
static struct matrix make_matrix(uint64_t most_entries) {
    struct matrix m = {
        .csr = draw(3),
        .shape = {
            .rows = size_like(20000), .cols = size_like(70000), .index_bytes = draw(2) ? 4 : 8, .width = 4}};
    wl_sparse_shape *shape = &m.shape;
    if (draw(20) == 0)
        shape->rows = shape->cols = (uint64_t)1 << (shape->index_bytes == 4 ? 31 : 32);
    if (m.csr && shape->rows > 20000)
        shape->rows = 20000;
    shape->entries = shape->rows && shape->cols ? size_like(most_entries) : 0;
    m.counts[0] = m.csr ? shape->rows + 1 : shape->entries;
    m.counts[1] = shape->entries;
    for (unsigned a = 0; a < 2; a++)
        m.data[a] = allocated(m.counts[a] * 8);
    for (uint64_t i = 0; i < m.counts[0]; i++)
        m.data[0][i] =
            (int64_t)(m.csr ? i * shape->entries / (shape->rows ? shape->rows : 1) : draw(shape->rows));
    for (uint64_t i = 0; i < m.counts[1]; i++)
        m.data[1][i] = (int64_t)(draw(8) ? draw(shape->cols) : shape->cols - 1);
    return m;
}

static void free_matrix(struct matrix *m) {
    free(m->data[0]);
    free(m->data[1]);
}

/* What wl_message() must be: "" of a right matrix. */
static void expect_pointers(const struct matrix *m, char words[WORDS]) {
    const int64_t *pointers = m->data[0], entries = (int64_t)m->shape.entries;
    const uint64_t rows = m->shape.rows;
    for (uint64_t i = 0; i <= rows && !*words; i++) {
        const long long at = (long long)i, is = pointers[i];
        if (i == 0 && is != 0)
            snprintf(words, WORDS, "wl_csr_check: pointers[0] is %lld; the first row begins at 0", is);
        else if (i && is < pointers[i - 1])
            snprintf(words, WORDS,
                     "wl_csr_check: pointers[%lld] is %lld, less than pointers[%lld], which is %lld", at, is,
                     at - 1, (long long)pointers[i - 1]);
        else if (i == rows && is != entries)
            snprintf(words, WORDS, "wl_csr_check: pointers[%lld], the last, is %lld; there are %lld entries",
                     at, is, (long long)entries);
        else if (is > entries)
            snprintf(words, WORDS, "wl_csr_check: pointers[%lld] is %lld; there are %lld entries", at, is,
                     (long long)entries);
    }
}

static void expect_indices(const struct matrix *m, char words[WORDS]) {
    static const char *const calls[] = {"wl_coo_check: rows", "wl_coo_check: cols", "wl_csr_check: indices"};
    for (uint64_t i = 0; i < m->shape.entries; i++)
        for (unsigned a = m->csr; a < 2 && !*words; a++) {
            const int64_t is = m->data[a][i], count = (int64_t)(a ? m->shape.cols : m->shape.rows);
            if (is < 0 || is >= count)
                snprintf(words, WORDS, "%s[%lld] is %lld; the %s are 0 to %lld", calls[a + m->csr],
                         (long long)i, (long long)is, a ? "columns" : "rows", (long long)count - 1);
        }
}

static void expect(const struct matrix *m, char words[WORDS]) {
    words[0] = '\0';
    if (m->csr)
        expect_pointers(m, words);
    if (!*words)
        expect_indices(m, words);
}

/* ---------------------------------------------------------------- calls */

/* The arrays and the workspace in one piece of memory, with guards between them.  Nothing follows the last
 * array: there the simulator notices each access. */
struct image {
    uint64_t at[3], end;
    unsigned char *bytes;
};

static void put(unsigned char *to, const struct matrix *m, unsigned array) {
    for (uint64_t i = 0; i < m->counts[array]; i++)
        if (m->shape.index_bytes == 4)
            ((int32_t *)(void *)to)[i] = (int32_t)m->data[array][i];
        else
            ((int64_t *)(void *)to)[i] = m->data[array][i];
}

/* Arrays begin at any element, the workspace at any multiple of 8. */
static struct image image_of(const struct matrix *m) {
    const unsigned index = m->shape.index_bytes, last = (unsigned)draw(2), order[3] = {2, !last, last};
    struct image image = {.end = 0};
    for (unsigned i = 0; i < 3; i++) {
        const unsigned a = order[i], align = a < 2 ? index : WL_SPARSE_CHECK_BYTES;
        image.at[a] = (image.end + GUARD + 255) / 256 * 256 + align * draw(16 / align + 1);
        image.end = image.at[a] + (a < 2 ? m->counts[a] * index : WL_SPARSE_CHECK_BYTES);
    }
    image.bytes = allocated(image.end);
    memset(image.bytes, POISON, image.end);
    put(image.bytes + image.at[0], m, 0);
    put(image.bytes + image.at[1], m, 1);
    return image;
}

static wl_error call(const struct matrix *m, const struct image *image, wl_devptr memory) {
    const wl_devptr first = memory + image->at[0], second = memory + image->at[1],
                    work = memory + image->at[2];
    /* The values are not looked at. */
    return m->csr ? wl_csr_check(context, &m->shape, &(const wl_csr){first, second, 1}, work, NULL)
                  : wl_coo_check(context, &m->shape, first, second, work, NULL);
}

/* Checks a matrix twice; the words must be the same, and only the workspace may change. */
static void run(const struct matrix *m) {
    char words[WORDS];
    struct image image = image_of(m);
    unsigned char *after = allocated(image.end);
    wl_devptr memory;
    expect(m, words);
    assert_int_equal(wl_alloc(context, &memory, image.end), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, memory, image.bytes, image.end), WL_ERROR_OK);
    for (int time = 0; time < 2; time++) {
        const wl_error error = call(m, &image, memory);
        if (error != (*words ? WL_ERROR_INVALID_ARGUMENT : WL_ERROR_OK) ||
            (error && strcmp(wl_message(), words) != 0))
            fail_msg("error %d, '%s', not '%s'", (int)error, error ? wl_message() : "", words);
        if (strncmp(wl_explain(), m->csr ? "wl_csr_check: rows " : "wl_coo_check: rows ", 19) != 0)
            fail_msg("wl_explain() says '%s'", wl_explain());
    }
    assert_int_equal(wl_download(context, after, memory, image.end), WL_ERROR_OK);
    memcpy(after + image.at[2], image.bytes + image.at[2], WL_SPARSE_CHECK_BYTES);
    assert_memory_equal(after, image.bytes, image.end);
    assert_int_equal(wl_free(context, memory), WL_ERROR_OK);
    free(image.bytes);
    free(after);
}

/* ---------------------------------------------------------------- faults */

enum fault { FIRST, LAST, DESCENDS, BELOW_0, ABOVE, FAULTS };

/* The first place, the last, one at the end of a block, or any. */
static uint64_t place_among(uint64_t first, uint64_t count) {
    const uint64_t which = draw(5), any = first + draw(count - first), end = any / 2048 * 2048;
    return which == 0 ? first : which == 1 ? count - 1 : which == 2 && end > first ? end - 1 : any;
}

static int64_t above(const struct matrix *m, int64_t limit) {
    return draw(4) ? limit + (int64_t)draw(3) : m->shape.index_bytes == 4 ? INT32_MAX : INT64_MAX;
}

static int64_t below_0(const struct matrix *m) {
    return draw(4) ? -1 - (int64_t)draw(3) : m->shape.index_bytes == 4 ? INT32_MIN : INT64_MIN;
}

/* Makes a pointer wrong, and says which. */
static uint64_t plant_in_pointers(struct matrix *m, enum fault fault) {
    const uint64_t rows = m->shape.rows, entries = m->shape.entries;
    const uint64_t at = fault == FIRST || !rows ? 0 : fault == LAST ? rows : place_among(1, rows + 1);
    int64_t *pointer = &m->data[0][at];
    switch (fault) {
    case FIRST:
    case ABOVE:
        *pointer = above(m, (int64_t)(at ? entries : 0) + 1);
        break;
    case LAST:
        *pointer = (int64_t)entries + (draw(2) ? 1 : -1);
        break;
    case DESCENDS:
        *pointer = !at ? 1 : pointer[-1] > INT32_MIN ? pointer[-1] - 1 : pointer[-1];
        break;
    default:
        *pointer = below_0(m);
    }
    return at;
}

/* The same of an index.  One that fits no index of this width, as 2^31 columns have none above, stays right.
 */
static uint64_t plant_in_indices(struct matrix *m, unsigned array, enum fault fault) {
    const uint64_t at = place_among(0, m->counts[array]), limit = array ? m->shape.cols : m->shape.rows;
    if (fault != BELOW_0 && (m->shape.index_bytes == 8 || limit <= INT32_MAX - 3))
        m->data[array][at] = above(m, (int64_t)limit);
    else
        m->data[array][at] = below_0(m);
    return at;
}

static void plant(struct matrix *m, char where[32]) {
    static const char *const names[] = {"rows", "cols", "indices"};
    const enum fault fault = (enum fault)draw(FAULTS);
    const bool pointers = m->csr && (!m->shape.entries || draw(2));
    const unsigned array = m->csr ? 1 : (unsigned)draw(2);
    const uint64_t at = pointers ? plant_in_pointers(m, fault) : plant_in_indices(m, array, fault);
    snprintf(where, 32, "%s[%llu]", pointers ? "pointers" : names[array + m->csr], (unsigned long long)at);
}

static void describe(const char *what, uint64_t i, const struct matrix *m) {
    const wl_sparse_shape *shape = &m->shape;
    print_message("%s %llu: %s, %llu x %llu, %llu entries, %u-byte indices\n", what, (unsigned long long)i,
                  m->csr ? "CSR" : "COO", (unsigned long long)shape->rows, (unsigned long long)shape->cols,
                  (unsigned long long)shape->entries, shape->index_bytes);
}

/* Each matrix without a fault, with one, and with several, of which the first is named. */
static void random_matrices(void **state) {
    (void)state;
    for (uint64_t i = 0; i < cases; i++) {
        char where[32], words[WORDS];
        if (left_to_release())
            continue;
        state_of_random = seed * 1000003 + i;
        struct matrix m = make_matrix(40000);
        describe("matrix", i, &m);
        expect(&m, words);
        assert_string_equal(words, "");
        run(&m);
        for (unsigned fault = 0; fault < 4 && (m.csr || m.shape.entries); fault++) {
            plant(&m, where);
            expect(&m, words);
            if (fault == 0 && !strstr(words, where))
                fail_msg("a fault in %s, but '%s'", where, words);
            run(&m);
        }
        free_matrix(&m);
    }
}

/* Of entries in several tiles or threads' shares, many are wrong: the first one is named. */
static void many_faults(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        char where[32];
        if (left_to_release())
            continue;
        state_of_random = seed * 7919 + i;
        struct matrix m = make_matrix(600000);
        describe("many faults", i, &m);
        for (unsigned fault = 0; fault < 50 && (m.csr || m.shape.entries); fault++)
            plant(&m, where);
        run(&m);
        free_matrix(&m);
    }
}

/* Any bits: whatever they are, nothing outside of the arrays is read, which would fault. */
static void any_bits(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 40; i++) {
        if (left_to_release())
            continue;
        state_of_random = seed * 104729 + i;
        struct matrix m = make_matrix(20000);
        for (unsigned a = 0; a < 2; a++)
            for (uint64_t at = 0; at < m.counts[a]; at++) {
                const uint64_t bits = draw((uint64_t)1 << 44) << 20 ^ draw((uint64_t)1 << 44);
                m.data[a][at] = m.shape.index_bytes == 4 ? (int32_t)bits : (int64_t)bits;
            }
        run(&m);
        free_matrix(&m);
    }
}

/* ---------------------------------------------------------------- special matrices */

static void without_entries(void **state) {
    (void)state;
    static const uint64_t sizes[][2] = {{0, 0}, {0, 5}, {1, 0}, {5000, 0}, {3, 7}};
    wl_devptr memory;
    int32_t pointers[5001] = {0};
    assert_int_equal(wl_alloc(context, &memory, sizeof pointers + 16), WL_ERROR_OK);
    const wl_devptr work = memory, at = memory + 16;
    assert_int_equal(wl_upload(context, at, pointers, sizeof pointers), WL_ERROR_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const wl_sparse_shape shape = {sizes[i][0], sizes[i][1], 0, 4, 0};
        assert_int_equal(wl_csr_check(context, &shape, &(wl_csr){at, 0, 0}, work, NULL), WL_ERROR_OK);
        assert_int_equal(wl_coo_check(context, &shape, 0, 0, work, NULL), WL_ERROR_OK);
    }
    pointers[0] = 1;
    assert_int_equal(wl_upload(context, at, pointers, sizeof pointers), WL_ERROR_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const wl_sparse_shape shape = {sizes[i][0], sizes[i][1], 0, 4, 0};
        assert_int_equal(wl_csr_check(context, &shape, &(wl_csr){at, 0, 0}, work, NULL),
                         WL_ERROR_INVALID_ARGUMENT);
        assert_string_equal(wl_message(), "wl_csr_check: pointers[0] is 1; the first row begins at 0");
    }
    assert_int_equal(wl_free(context, memory), WL_ERROR_OK);
}

static void refused(const char *says, wl_error error) {
    if (error != WL_ERROR_INVALID_ARGUMENT || !strstr(wl_message(), says))
        fail_msg("error %d, '%s', not '%s'", (int)error, wl_message(), says);
}

static void wrong_arguments(void **state) {
    (void)state;
    const wl_sparse_shape good = {4, 5, 6, 4, 4}, wide = {4, 5, 6, 16, 4},
                          large = {4, 5, (uint64_t)1 << 31, 4, 4};
    wl_devptr at;
    wl_device_info info;
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &at, 4096), WL_ERROR_OK);
    const wl_csr matrix = {at, at + 512, 0};
    const wl_devptr work = at + 1024;
    refused("wl_csr_check: the context is NULL", wl_csr_check(NULL, &good, &matrix, work, NULL));
    refused("wl_csr_check: shape is NULL", wl_csr_check(context, NULL, &matrix, work, NULL));
    refused("wl_csr_check: matrix is NULL", wl_csr_check(context, &good, NULL, work, NULL));
    refused("wl_csr_check: index_bytes is 16", wl_csr_check(context, &wide, &matrix, work, NULL));
    refused("wl_coo_check: 2147483648 entries", wl_coo_check(context, &large, at, at, work, NULL));
    refused("matrix->pointers is NULL", wl_csr_check(context, &good, &(wl_csr){0, at, 0}, work, NULL));
    refused("matrix->indices is NULL", wl_csr_check(context, &good, &(wl_csr){at, 0, 0}, work, NULL));
    refused("matrix->indices is 0x", wl_csr_check(context, &good, &(wl_csr){at, at + 2, 0}, work, NULL));
    refused("wl_coo_check: the context is NULL", wl_coo_check(NULL, &good, at, at, work, NULL));
    refused("wl_coo_check: shape is NULL", wl_coo_check(context, NULL, at, at, work, NULL));
    refused("wl_coo_check: rows is NULL", wl_coo_check(context, &good, 0, at, work, NULL));
    refused("wl_coo_check: cols is NULL", wl_coo_check(context, &good, at, 0, work, NULL));
    refused("wl_coo_check: cols is 0x", wl_coo_check(context, &good, at, at + 1, work, NULL));
    if (strcmp(info.kind, "host") != 0) { /* which needs no workspace */
        refused("workspace is NULL", wl_csr_check(context, &good, &matrix, 0, NULL));
        refused("workspace is 0x", wl_csr_check(context, &good, &matrix, work + 4, NULL));
        refused("workspace and matrix->pointers overlap",
                wl_csr_check(context, &good, &matrix, at + 16, NULL));
        refused("workspace and cols overlap", wl_coo_check(context, &good, at, at + 512, at + 528, NULL));
    }
    assert_int_equal(wl_free(context, at), WL_ERROR_OK);
}

/* Each sector is loaded once, but that of the pointer before a warp's 128, which is one of the warp's last
 * request. */
static void each_is_read_once(void **state) {
    (void)state;
    enum { POINTERS = 16384, ENTRIES = 65536 };
    const wl_sparse_shape shape = {POINTERS - 1, 5, ENTRIES, 4, 0};
    static int32_t pointers[POINTERS];
    wl_counters counted;
    wl_devptr at;
    if (wl_reset_counters(context))
        skip(); /* only the simulator counts */
    for (int i = 0; i < POINTERS; i++)
        pointers[i] = i == POINTERS - 1 ? ENTRIES : i;
    assert_int_equal(wl_alloc(context, &at, 4 * (POINTERS + ENTRIES) + 8), WL_ERROR_OK);
    assert_int_equal(wl_fill(context, at, 0, 4 * (POINTERS + ENTRIES), NULL), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, at, pointers, sizeof pointers), WL_ERROR_OK);
    const wl_csr matrix = {at, at + 4 * POINTERS, 0};
    assert_int_equal(wl_csr_check(context, &shape, &matrix, at + 4 * (POINTERS + ENTRIES), NULL),
                     WL_ERROR_OK);
    assert_int_equal(wl_get_counters(context, &counted), WL_ERROR_OK);
    assert_int_equal(counted.gld_transactions, (POINTERS + ENTRIES) / 8 + POINTERS / 128 - 1);
    assert_int_equal(counted.gst_transactions + counted.global_atomic_transactions, 0);
    assert_int_equal(wl_free(context, at), WL_ERROR_OK);
}

/* More than 2^31 entries, the last of them wrong: on a GPU with 18 GB free, and on the host, where they are
 * one page of zeros again and again.  The simulator would take minutes, and instrumented code 20 s. */
static void many_entries(void **state) {
    (void)state;
    const uint64_t entries = ((uint64_t)1 << 31) + 4321, bytes = entries * 8, wrong = UINT64_MAX;
    const wl_sparse_shape shape = {1, 7, entries, 8, 0};
    const uint64_t pointers[2] = {0, entries};
    wl_device_info info;
    wl_devptr indices, small;
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    const bool host = strcmp(info.kind, "host") == 0;
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    if (strcmp(info.kind, "sim") == 0)
        skip();
    assert_int_equal(wl_alloc(context, &small, 64), WL_ERROR_OK);
    if (host) {
        void *zeros =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_ptr_not_equal(zeros, MAP_FAILED);
        (void)madvise(zeros, bytes, MADV_NOHUGEPAGE); /* not every system shares large pages of zeros */
        indices = (wl_devptr)(uintptr_t)zeros;
    } else {
        assert_int_equal(wl_alloc(context, &indices, bytes), WL_ERROR_OK);
        assert_int_equal(wl_fill(context, indices, 0, bytes, NULL), WL_ERROR_OK);
    }
    const wl_csr matrix = {small, indices, 0};
    assert_int_equal(wl_upload(context, small, pointers, sizeof pointers), WL_ERROR_OK);
    assert_int_equal(wl_upload(context, indices + bytes - 8, &wrong, 8), WL_ERROR_OK);
    assert_int_equal(wl_csr_check(context, &shape, &matrix, small + 32, NULL), WL_ERROR_INVALID_ARGUMENT);
    assert_string_equal(wl_message(), "wl_csr_check: indices[2147487968] is -1; the columns are 0 to 6");
    assert_int_equal(wl_free(context, small), WL_ERROR_OK);
    if (host)
        assert_int_equal(munmap((void *)(uintptr_t)indices, bytes), 0);
    else
        assert_int_equal(wl_free(context, indices), WL_ERROR_OK);
}

int main(int argc, char **argv) {
    if (argc > 1)
        cases = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),   cmocka_unit_test(many_faults),
        cmocka_unit_test(any_bits),          cmocka_unit_test(without_entries),
        cmocka_unit_test(wrong_arguments),   cmocka_unit_test(many_entries),
        cmocka_unit_test(each_is_read_once),
    };
    return cmocka_run_group_tests_name("device", tests, open_device, close_device) +
           cmocka_run_group_tests_name("host", tests, open_host, close_device);
}
