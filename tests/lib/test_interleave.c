/* Structures to arrays and back, against plain C: every width, field counts on both sides of each strategy's
 * limits, sizes near the ends of vectors and chunks, arrays at any alignment of their elements. */
#include <stdio.h>
#include <string.h>

#include "element.h"
#include "guarded_array.h"
#include "wideload.h"

/* ---------------------------------------------------------------- equal fields */

/* Distance in elements of arrays from a 256-byte boundary, apart from the 64 bytes of guard. */
struct shifts {
    const char *name;
    unsigned packed;
    unsigned first, step; /* for stream f: first + f * step */
};

static const struct shifts shifts[] = {
    {"aligned", 0, 0, 0},
    {"structures shifted", 1, 0, 0},
    {"streams shifted", 0, 3, 0},
    {"all shifted", 5, 1, 7},
};

#define MOST_FIELDS 300

static void move_equal(unsigned width, unsigned fields, uint64_t n, const struct shifts *shift,
                       bool together) {
    char what[160];
    snprintf(what, sizeof(what), "%s, width %u, %u fields, n %llu, %s",
             together ? "wl_interleave" : "wl_deinterleave", width, fields, (unsigned long long)n,
             shift->name);
    struct array packed = make(n * fields * width, (size_t)shift->packed * width, 1), streams[MOST_FIELDS];
    wl_devptr addresses[MOST_FIELDS];
    for (unsigned f = 0; f < fields; f++) {
        streams[f] = make(n * width, (size_t)(shift->first + f * shift->step) * width % 256, 2 + f);
        addresses[f] = streams[f].device;
        for (uint64_t i = 0; i < n; i++) {
            unsigned char *a = bytes_of(&packed) + (i * fields + f) * width,
                          *b = bytes_of(&streams[f]) + i * width;
            copy_element(together ? a : b, together ? b : a, width);
        }
    }
    if (together)
        need(wl_interleave(context, width, fields, packed.device, addresses, n, NULL));
    else
        need(wl_deinterleave(context, width, fields, addresses, packed.device, n, NULL));
    wl_error error = wl_synchronize(context);
    if (error)
        fail_msg("%s: %s", what, wl_message());
    check(&packed, what);
    for (unsigned f = 0; f < fields; f++)
        check(&streams[f], what);
}

static void test_equal(void **state) {
    (void)state;
    static const unsigned fields[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 32, 33, 64, 65};
    static const uint64_t sizes[] = {1, 2, 3, 15, 16, 17, 33, 127, 128, 257, 1009};
    for (unsigned width = 1; width <= 16; width *= 2)
        for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++)
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
                if (left_to_release())
                    continue;
                /* Every shift occurs at some size. */
                const struct shifts *shift = &shifts[(i + f) % 4];
                move_equal(width, fields[f], sizes[i], shift, false);
                move_equal(width, fields[f], sizes[i], shift, true);
            }
}

static void test_many_fields(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 16; width *= 2)
        for (unsigned together = 0; together < 2; together++)
            move_equal(width, MOST_FIELDS, 70, &shifts[3], together);
}

/* Every size across more than one chunk of the narrowest fields: the last chunk has from 1 structure to all,
 * and the previous one ends in the middle of a vector. */
static void test_every_size(void **state) {
    (void)state;
    for (uint64_t n = 1; n < 600; n++)
        for (unsigned together = 0; together < 2; together++) {
            if (left_to_release())
                continue;
            move_equal(1, 2, n, &shifts[3], together);
            move_equal(4, 3, n, &shifts[2], together);
            if (n < 300)
                move_equal(2, 2 + (unsigned)n % 7, n, &shifts[0], together);
        }
}

/* 256-byte pieces of arrays that begin at sectors: field counts with every remainder by four and by eight,
 * and sizes near the ends of vectors and pieces. */
static void test_bulk(void **state) {
    (void)state;
    static const unsigned fields[] = {16, 17, 18, 19, 20, 23, 24, 25, 30, 31, 32, 33, 62, 63, 64};
    for (unsigned width = 1; width <= 4; width *= 2)
        for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
            const uint64_t piece = 256 / width;
            const uint64_t sizes[] = {1, 15, 16, piece - 1, piece, piece + 1, 3 * piece - 16 / width, 777};
            for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
                move_equal(width, fields[f], sizes[i], &shifts[0], false);
        }
}

/* 32 equidistant streams in one array: ascending or descending, aligned to sectors or not. */
static void move_32(unsigned width, uint64_t n, uint64_t apart, bool backwards, unsigned shift) {
    enum { FIELDS = 32 };
    char what[120];
    snprintf(what, sizeof(what), "width %u, n %llu, streams %llu bytes apart%s, shift %u", width,
             (unsigned long long)n, (unsigned long long)apart, backwards ? " backwards" : "", shift);
    struct array packed = make(n * FIELDS * width, 0, 1), to = make(FIELDS * apart, shift, 2);
    wl_devptr addresses[FIELDS];
    for (unsigned f = 0; f < FIELDS; f++) {
        uint64_t at = (backwards ? FIELDS - 1 - f : f) * apart;
        addresses[f] = to.device + at;
        for (uint64_t i = 0; i < n; i++)
            copy_element(bytes_of(&to) + at + i * width, bytes_of(&packed) + (i * FIELDS + f) * width, width);
    }
    need(wl_deinterleave(context, width, FIELDS, addresses, packed.device, n, NULL));
    bool sectors = apart % 32 == 0 && shift % 32 == 0;
    if ((strstr(wl_explain(), ": 32: ") != NULL) != sectors)
        fail_msg("%s: %s", what, wl_explain());
    if (wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
    check(&packed, what);
    check(&to, what);
}

static void test_32(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 3, 15, 16, 17, 31, 33, 63, 64, 65, 129, 255, 256, 257, 1009};
    for (unsigned width = 1; width <= 16; width *= 2)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            uint64_t apart = (sizes[i] * width + 31) / 32 * 32;
            move_32(width, sizes[i], apart, false, 0);
            move_32(width, sizes[i], apart + 64, true, 32);
            move_32(width, sizes[i], apart, true, 16);
            move_32(width, sizes[i], apart + 16, false, 0);
        }
}

/* Many chunks, of the largest size. */
static void test_large(void **state) {
    (void)state;
    for (unsigned together = 0; together < 2; together++) {
        if (left_to_release())
            continue;
        move_equal(1, 3, 3500003, &shifts[3], together);
        move_equal(4, 2, 1100001, &shifts[3], together);
        move_equal(16, 9, 70001, &shifts[0], together);
    }
}

/* Converting and converting back restores the data, with every strategy. */
static void test_explained(void **state) {
    (void)state;
    static const struct {
        unsigned width, fields, shift;
        const char *kernel;
    } cases[] = {{4, 1, 0, "copy"},  {4, 3, 0, "registers"}, {4, 3, 3, "chunks"},  {4, 17, 0, "chunks"},
                 {2, 17, 0, "bulk"}, {2, 17, 2, "chunks"},   {1, 17, 1, "chunks"}, {4, 65, 0, "tiles"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char start[96];
        snprintf(start, sizeof(start), "wl_deinterleave: width %u, fields %u, n 100: %s: ", cases[i].width,
                 cases[i].fields, cases[i].kernel);
        move_equal(cases[i].width, cases[i].fields, 100, &shifts[cases[i].shift], false);
        if (strncmp(wl_explain(), start, strlen(start)) != 0)
            fail_msg("\"%s\" does not begin \"%s\"", wl_explain(), start);
    }
}

/* ---------------------------------------------------------------- described fields */

struct description {
    const char *name;
    uint32_t structure_bytes;
    unsigned count;
    wl_field fields[WL_FIELDS_MAX];
};

static const struct description descriptions[] = {
    {"f32x3 f64 i32 packed", 24, 3, {{0, 12}, {12, 8}, {20, 4}}},
    {"f32x3 f64 i32 with gaps", 32, 3, {{0, 12}, {16, 8}, {24, 4}}},
    {"odd sizes", 7, 3, {{0, 1}, {1, 4}, {5, 2}}},
    {"in another order", 16, 3, {{8, 2}, {0, 8}, {12, 4}}},
    {"one in the middle", 64, 1, {{24, 8}}},
    {"one at the end of a large one", 1024, 1, {{1023, 1}}},
    {"one that is all", 12, 1, {{0, 12}}},
    {"equal", 12, 3, {{4, 4}, {0, 4}, {8, 4}}},
    {"equal, but of 3 bytes", 9, 3, {{0, 3}, {3, 3}, {6, 3}}},
    {"large", 1024, 4, {{0, 1000}, {1000, 1}, {1001, 2}, {1016, 8}}},
    {"two of 16 in 33", 33, 2, {{1, 16}, {17, 16}}},
};

static void move_described(const struct description *what, uint64_t n, unsigned shift, bool together) {
    char words[160];
    snprintf(words, sizeof(words), "%s, %s, n %llu, shift %u", together ? "interleave" : "deinterleave",
             what->name, (unsigned long long)n, shift);
    uint64_t row = what->structure_bytes;
    uint32_t first = what->structure_bytes, end = 0;
    for (unsigned f = 0; f < what->count; f++) {
        const wl_field *field = &what->fields[f];
        first = field->offset < first ? field->offset : first;
        end = field->offset + field->bytes > end ? field->offset + field->bytes : end;
    }
    struct array packed = make(n * row, shift, 1), arrays[WL_FIELDS_MAX];
    if (together)
        memset(bytes_of(&packed), 0, n * row);
    wl_devptr addresses[WL_FIELDS_MAX];
    for (unsigned f = 0; f < what->count; f++) {
        uint32_t bytes = what->fields[f].bytes;
        arrays[f] = make(n * bytes, shift * (f + 1) % 61, 2 + f);
        addresses[f] = arrays[f].device;
        for (uint64_t i = 0; i < n; i++) {
            unsigned char *a = bytes_of(&packed) + i * row + what->fields[f].offset;
            unsigned char *b = bytes_of(&arrays[f]) + i * bytes;
            copy_element(together ? a : b, together ? b : a, bytes);
        }
    }
    if (together)
        need(wl_interleave_fields(context, what->fields, what->count, what->structure_bytes, packed.device,
                                  addresses, n, NULL));
    else
        need(wl_deinterleave_fields(context, what->fields, what->count, what->structure_bytes, addresses,
                                    packed.device, n, NULL));
    if (wl_synchronize(context))
        fail_msg("%s: %s", words, wl_message());
    check(&packed, words);
    for (unsigned f = 0; f < what->count; f++)
        check(&arrays[f], words);
}

static void test_described(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 5, 16, 31, 33, 255, 257, 1000};
    static const unsigned shift[] = {0, 4, 1, 2, 16, 7};
    for (size_t d = 0; d < sizeof(descriptions) / sizeof(descriptions[0]); d++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            for (size_t s = 0; s < sizeof(shift) / sizeof(shift[0]); s++) {
                if (left_to_release())
                    continue;
                move_described(&descriptions[d], sizes[i], shift[s], false);
                move_described(&descriptions[d], sizes[i], shift[s], true);
            }
}

/* All sizes across some chunks; the last one may end before the previous one's vectors do. */
static void test_described_every_size(void **state) {
    (void)state;
    for (uint64_t n = 1; n < 450; n++)
        for (unsigned together = 0; together < 2; together++) {
            if (left_to_release())
                continue;
            move_described(&descriptions[n % 3], n, (unsigned)n % 5, together);
            if (n < 150)
                move_described(&descriptions[9], n, (unsigned)n % 17, together);
        }
}

/* The maximum number of fields, in the largest and in the smallest structure. */
static void test_described_most(void **state) {
    (void)state;
    for (uint32_t bytes = 1; bytes <= 16; bytes += 3) {
        struct description most = {
            .name = "64 fields", .structure_bytes = 64 * bytes, .count = WL_FIELDS_MAX};
        for (unsigned f = 0; f < WL_FIELDS_MAX; f++)
            most.fields[f] = (wl_field){(WL_FIELDS_MAX - 1 - f) * bytes, bytes};
        for (unsigned together = 0; together < 2; together++) {
            move_described(&most, 333, 0, together);
            move_described(&most, 100, 3, together);
        }
    }
}

/* The bytes before the first named field and after the last one need not be mapped. */
static void test_described_ends(void **state) {
    (void)state;
    const wl_field field = {16, 8};
    const uint64_t n = 77, row = 64;
    struct array packed = make((n - 1) * row + 8, 0, 1), array = make(n * 8, 0, 2);
    for (uint64_t i = 0; i < n; i++)
        memcpy(bytes_of(&array) + 8 * i, bytes_of(&packed) + row * i, 8);
    need(wl_deinterleave_fields(context, &field, 1, (uint32_t)row, &array.device, packed.device - 16, n,
                                NULL));
    need(wl_synchronize(context));
    check(&packed, "named bytes alone");
    check(&array, "named bytes alone");
}

/* ---------------------------------------------------------------- invalid arguments */

static void refused(wl_error error, const char *message) {
    if (error != WL_ERROR_INVALID_ARGUMENT || !strstr(wl_message(), message))
        fail_msg("%s, \"%s\", where \"%s\" was to be refused", wl_error_name(error), wl_message(), message);
}

static void test_errors(void **state) {
    (void)state;
    struct array a = make(4096, 0, 1), b = make(4096, 0, 2);
    wl_devptr arrays[3] = {b.device, b.device + 400, b.device + 800}, in = a.device;
    const wl_field fields[3] = {{0, 4}, {4, 8}, {12, 2}};
    refused(wl_deinterleave(NULL, 4, 3, arrays, in, 100, NULL), "wl_deinterleave: the context is NULL");
    refused(wl_deinterleave(context, 3, 3, arrays, in, 100, NULL), "width is 3");
    refused(wl_deinterleave(context, 4, 3, NULL, in, 100, NULL), "to is NULL");
    refused(wl_deinterleave(context, 4, 3, arrays, 0, 100, NULL), "from is NULL");
    refused(wl_deinterleave(context, 4, 3, arrays, in + 2, 100, NULL), "from is 0x");
    refused(wl_deinterleave(context, 4, 3, arrays, in, UINT64_MAX / 8, NULL), "from goes past the end");
    refused(wl_deinterleave(context, 4, 3, arrays, in, 101, NULL), "to[0] and to[1] overlap");
    refused(wl_interleave(context, 4, 3, 0, arrays, 100, NULL), "wl_interleave: to is NULL");
    arrays[1] += 1;
    refused(wl_deinterleave(context, 4, 3, arrays, in, 100, NULL), "to[1] is 0x");
    arrays[1] = in + 16;
    refused(wl_deinterleave(context, 4, 3, arrays, in, 100, NULL), "to[1] and from overlap");
    refused(wl_interleave(context, 4, 3, in, arrays, 100, NULL), "from[1] and to overlap");
    arrays[1] = 0;
    refused(wl_interleave(context, 4, 3, in, arrays, 100, NULL), "from[1] is NULL");
    refused(wl_interleave_fields(context, fields, 3, 16, in, arrays, 10, NULL), "from[1] is NULL");
    arrays[1] = arrays[0] + 7;
    refused(wl_deinterleave_fields(context, fields, 3, 16, arrays, in, 10, NULL), "to[0] and to[1] overlap");
    refused(wl_deinterleave_fields(context, NULL, 3, 16, arrays, in, 10, NULL), "fields is NULL");
    refused(wl_deinterleave_fields(context, fields, 0, 16, arrays, in, 10, NULL), "count is 0");
    refused(wl_deinterleave_fields(context, fields, 65, 16, arrays, in, 10, NULL), "count is 65");
    refused(wl_deinterleave_fields(context, fields, 3, 0, arrays, in, 10, NULL), "structure_bytes is 0");
    refused(wl_deinterleave_fields(context, fields, 3, 1025, arrays, in, 10, NULL),
            "structure_bytes is 1025");
    refused(wl_deinterleave_fields(context, fields, 3, 13, arrays, in, 10, NULL),
            "fields[2], 2 bytes at offset 12");
    refused(wl_deinterleave_fields(context, fields, 3, 16, NULL, in, 10, NULL), "to is NULL");
    const wl_field overlapping[2] = {{0, 4}, {3, 2}}, nothing[1] = {{0, 0}}, far[1] = {{UINT32_MAX, 2}};
    refused(wl_interleave_fields(context, overlapping, 2, 16, in, arrays, 10, NULL), "overlaps another");
    refused(wl_interleave_fields(context, nothing, 1, 16, in, arrays, 10, NULL), "fields[0] has 0 bytes");
    refused(wl_interleave_fields(context, far, 1, 16, in, arrays, 10, NULL), "fields[0], 2 bytes");
    check(&a, "a call that was refused");
    check(&b, "a call that was refused");
}

/* Every choice of three fields of seven bytes, in any order. */
static void test_fields_overlap(void **state) {
    (void)state;
    enum { STRUCTURE = 7 };
    wl_field all[STRUCTURE * (STRUCTURE + 1) / 2];
    unsigned count = 0;
    for (uint32_t offset = 0; offset < STRUCTURE; offset++)
        for (uint32_t bytes = 1; offset + bytes <= STRUCTURE; bytes++)
            all[count++] = (wl_field){offset, bytes};
    for (unsigned i = 0; i < count * count * count; i++) {
        const wl_field fields[3] = {all[i % count], all[i / count % count], all[i / count / count]};
        unsigned map = 0, bits = 0;
        for (unsigned f = 0; f < 3; f++) {
            map |= ((1u << fields[f].bytes) - 1) << fields[f].offset;
            bits += fields[f].bytes;
        }
        wl_error error = wl_deinterleave_fields(context, fields, 3, STRUCTURE, NULL, 0, 0, NULL);
        if ((unsigned)__builtin_popcount(map) == bits)
            need(error);
        else
            refused(error, "overlaps another");
    }
}

static void test_nothing(void **state) {
    (void)state;
    const wl_field field = {0, 4};
    need(wl_deinterleave(context, 4, 3, NULL, 0, 0, NULL));
    need(wl_deinterleave(context, 4, 0, NULL, 0, 7, NULL));
    need(wl_interleave(context, 4, 3, 0, NULL, 0, NULL));
    need(wl_deinterleave_fields(context, &field, 1, 4, NULL, 0, 0, NULL));
    need(wl_interleave_fields(context, &field, 1, 4, 0, NULL, 0, NULL));
}

/* One array may be the input for several fields. */
static void test_shared_input(void **state) {
    (void)state;
    struct array from = make(4000, 0, 1), to = make(12000, 0, 2);
    const wl_devptr arrays[3] = {from.device, from.device, from.device};
    for (size_t i = 0; i < 3000; i++)
        memcpy(bytes_of(&to) + 4 * i, bytes_of(&from) + 4 * (i / 3), 4);
    need(wl_interleave(context, 4, 3, to.device, arrays, 1000, NULL));
    need(wl_synchronize(context));
    check(&from, "one array thrice");
    check(&to, "one array thrice");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_many_fields),
        cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_32),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_explained),
        cmocka_unit_test(test_described),
        cmocka_unit_test(test_described_every_size),
        cmocka_unit_test(test_described_most),
        cmocka_unit_test(test_described_ends),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_fields_overlap),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_shared_input),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
