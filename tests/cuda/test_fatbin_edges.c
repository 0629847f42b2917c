/* Handmade fat binaries: each length at its maximum, and one above. */
#include <lz4.h>
#include <stdio.h>

#include "sim/cuda/module/fatbin.h"
#include "tests/cuda/api.h"

enum { HEADER = 16, ENTRY = 64, PTX = 1, CODE = 2, LZ4 = 0x2000, ZSTD = 0x8000 };

static const char text[] = ".version 7.0\n.target sm_75\n.address_size 64\n";

struct part {
    unsigned kind, header, compressed, name_offset, name_size;
    uint64_t payload, flags, uncompressed;
    const char *name;  /* after the entry's fixed part */
    const char *bytes; /* the payload's, or a prefix; NULL: the text */
    size_t size;
};

static void put(unsigned char *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* A fat binary of exactly `room` bytes, whose end a sanitizer knows, with one entry. */
static unsigned char *image(const struct part *part, uint64_t body, size_t room) {
    unsigned char *bytes = calloc(1, room);
    assert_non_null(bytes);
    put(bytes, 0xBA55ED50, 4);
    put(bytes + 4, HEADER << 16 | 1, 4);
    put(bytes + 8, body, 8);
    if (room < HEADER + ENTRY)
        return bytes;
    unsigned char *entry = bytes + HEADER;
    put(entry, part->kind, 4);
    put(entry + 4, part->header, 4);
    put(entry + 8, part->payload, 8);
    put(entry + 16, part->compressed, 4);
    put(entry + 28, 75, 4);
    put(entry + 32, part->name_offset, 4);
    put(entry + 36, part->name_size, 4);
    put(entry + 40, part->flags, 8);
    put(entry + 56, part->uncompressed, 8);
    size_t at = HEADER + ENTRY;
    if (part->name) {
        const size_t length = strlen(part->name);
        assert_true(length <= room - at);
        memcpy(bytes + at, part->name, length);
    }
    const char *payload = part->bytes ? part->bytes : text;
    const size_t size = part->bytes ? part->size : sizeof text;
    if (part->header >= ENTRY && part->header <= room - HEADER && size <= room - HEADER - part->header)
        memcpy(bytes + HEADER + part->header, payload, size);
    return bytes;
}

static const struct part plain = {.kind = PTX, .header = ENTRY, .payload = sizeof text};

/* Checks the result if `size` bytes may be read; why: part of the reason, unless it succeeds. */
static void becomes(const struct part *part, uint64_t body, size_t room, size_t size,
                    enum fatbin_status wanted, const char *why) {
    unsigned char *bytes = image(part, body, room);
    struct fatbin_ptx ptx;
    char reason[256] = "";
    const enum fatbin_status status = fatbin_find_ptx(bytes, size, 90, &ptx, reason, sizeof reason);
    if (status != wanted || (why && !strstr(reason, why)))
        fail_msg("%d, not %d: %s", status, wanted, reason);
    if (status == FATBIN_OK) {
        assert_int_equal(ptx.size, strlen(text));
        assert_memory_equal(ptx.text, text, ptx.size);
    }
    free(ptx.owned);
    free(bytes);
}

static void header(void **state) {
    (void)state;
    const size_t all = HEADER + ENTRY + sizeof text;
    becomes(&plain, all - HEADER, all, all, FATBIN_OK, NULL);
    becomes(&plain, all - HEADER, all, SIZE_MAX, FATBIN_OK, NULL);
    becomes(&plain, all - HEADER + 1, all, all, FATBIN_CORRUPT, "promises more bytes");
    becomes(&plain, all - HEADER, all, all - 1, FATBIN_CORRUPT, "promises more bytes");
    becomes(&plain, 0, HEADER, HEADER, FATBIN_NO_PTX, "holds nothing");
    becomes(&plain, 0, HEADER, HEADER - 1, FATBIN_CORRUPT, "truncated in its header");
    becomes(&plain, UINT64_MAX, all, all, FATBIN_CORRUPT, "promises more bytes");
    /* A size that only the image states is believed up to half the address space. */
    struct part endless = plain;
    endless.payload = (uint64_t)INT64_MAX / 2 - ENTRY;
    becomes(&endless, (uint64_t)INT64_MAX / 2, all, SIZE_MAX, FATBIN_OK, NULL);
    endless.payload++;
    becomes(&endless, (uint64_t)INT64_MAX / 2 + 1, all, SIZE_MAX, FATBIN_CORRUPT, "promises more bytes");
}

/* An entry is within the whole, and so are its header and its payload. */
static void entry(void **state) {
    (void)state;
    const size_t all = HEADER + ENTRY + sizeof text;
    struct part part = plain;
    becomes(&part, ENTRY - 1, all, all, FATBIN_CORRUPT, "truncated in an entry's header");
    becomes(&part, 1, all, all, FATBIN_CORRUPT, "truncated in an entry's header");
    part.payload = sizeof text + 1;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than the whole");
    becomes(&part, all - HEADER + 1, all + 1, all + 1, FATBIN_OK, NULL);
    part.payload = UINT64_MAX - ENTRY + 1; /* the sum with the header wraps to 0 */
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than the whole");
    part = plain;
    part.header = ENTRY - 1;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than the whole");
    part.header = ENTRY + 1;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than the whole");
    becomes(&part, all - HEADER + 1, all + 1, all + 1, FATBIN_OK, NULL);
    part = (struct part){.kind = CODE, .header = ENTRY};
    becomes(&part, ENTRY, HEADER + ENTRY, HEADER + ENTRY, FATBIN_NO_PTX, "machine code");
    part.header = (unsigned)(all - HEADER);
    part.payload = 0;
    becomes(&part, all - HEADER, all, all, FATBIN_NO_PTX, "machine code");
    part.header++;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than the whole");
    part.header = UINT32_MAX;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than the whole");
}

static void compressed(void **state) {
    (void)state;
    char packed[256];
    const int length = LZ4_compress_default(text, packed, sizeof text, sizeof packed);
    assert_true(length > 0);
    struct part part = {.kind = PTX,
                        .header = ENTRY,
                        .compressed = (unsigned)length,
                        .payload = (uint64_t)length,
                        .flags = LZ4,
                        .uncompressed = sizeof text,
                        .bytes = packed,
                        .size = (size_t)length};
    const size_t all = HEADER + ENTRY + (size_t)length;
    becomes(&part, all - HEADER, all, all, FATBIN_OK, NULL);
    part.compressed++;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than its entry");
    part.compressed = 1u << 31;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "longer than its entry");
    part.compressed = 1;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "does not decompress");
    part.compressed = (unsigned)length;
    part.uncompressed = sizeof text + 1;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "does not decompress");
    part.uncompressed = sizeof text - 1;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "does not decompress");
    part.uncompressed = 1;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "does not decompress");
    part.uncompressed = 0;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "out of range");
    part.uncompressed = 1 << 30;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "does not decompress");
    part.uncompressed++;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "out of range");
    part.uncompressed = UINT64_MAX;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "out of range");
    part.uncompressed = sizeof text;
    part.flags = ZSTD;
    becomes(&part, all - HEADER, all, all, FATBIN_CORRUPT, "does not decompress");
    /* An entry that claims 2^31 - 1 bytes, and one more.  An empty block needs no further bytes. */
    part.flags = LZ4;
    part.payload = (uint64_t)1 << 31;
    part.compressed = 1u << 31;
    becomes(&part, ENTRY + part.payload, all, SIZE_MAX, FATBIN_CORRUPT, "longer than its entry");
    part.compressed--;
    becomes(&part, ENTRY + part.payload, all + 64, SIZE_MAX, FATBIN_CORRUPT, "does not decompress");
}

/* The source's name is between the entry's fixed part and its payload. */
static void name(void **state) {
    (void)state;
    char longest[200];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    const struct {
        unsigned offset, size;
        const char *name, *wanted;
    } cases[] = {
        {ENTRY, 6, "abc.cu", "abc.cu"},
        {ENTRY, 5, "abc.cu", "abc.c"},
        {ENTRY + 1, 5, "abc.cu", "bc.cu"},
        {ENTRY + 5, 1, "abc.cu", "u"},
        {ENTRY + 6, 0, "abc.cu", ""},
        {ENTRY, 0, "abc.cu", ""},
        {ENTRY, 7, "abc.cu", ""},
        {ENTRY + 1, 6, "abc.cu", ""},
        {ENTRY + 6, 1, "abc.cu", ""},
        {ENTRY + 7, 1, "abc.cu", ""},
        {ENTRY + 7, UINT32_MAX, "abc.cu", ""},
        {ENTRY - 1, 6, "abc.cu", ""},
        {ENTRY - 4, 4, "abc.cu", ""},
        {0, 6, "abc.cu", ""},
        {UINT32_MAX, 6, "abc.cu", ""},
        {ENTRY, UINT32_MAX, "abc.cu", ""},
        {ENTRY, 126, longest, longest + 199 - 126},
        {ENTRY, 127, longest, longest + 199 - 127},
        {ENTRY, 128, longest, longest + 199 - 127},
        {ENTRY, 199, longest, longest + 199 - 127},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct part part = plain;
        part.name = cases[i].name;
        part.name_offset = cases[i].offset;
        part.name_size = cases[i].size;
        part.header = ENTRY + (unsigned)strlen(cases[i].name);
        part.uncompressed = UINT64_MAX; /* bytes before the name that end no text */
        const size_t all = HEADER + part.header + sizeof text;
        unsigned char *bytes = image(&part, all - HEADER, all);
        struct fatbin_ptx ptx;
        char reason[256];
        assert_int_equal(fatbin_find_ptx(bytes, all, 90, &ptx, reason, sizeof reason), FATBIN_OK);
        assert_string_equal(ptx.name, cases[i].wanted);
        assert_memory_equal(ptx.text, text, sizeof text);
        free(bytes);
    }
}

struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *linked;
};

/* At most the first 4096 parts of a device-linked program are used. */
static void linked(void **state) {
    (void)state;
    enum { MOST = 4096 };
    static const void *list[MOST + 2];
    const size_t all = HEADER + ENTRY + sizeof text;
    unsigned char *bytes = image(&plain, all - HEADER, all);
    const struct wrapper wrapper = {0x466243b1, 2, bytes, list};
    for (size_t count = 0; count <= MOST + 1; count += count == 1 ? MOST - 2 : 1) {
        for (size_t i = 0; i <= MOST + 1; i++)
            list[i] = i < count ? bytes : NULL;
        struct fatbin_ptx *parts;
        size_t found = 99;
        char reason[256] = "";
        const enum fatbin_status status =
            fatbin_find_parts(&wrapper, SIZE_MAX, 90, &parts, &found, reason, sizeof reason);
        assert_int_equal(status, count ? FATBIN_OK : FATBIN_NO_PTX);
        assert_int_equal(found, count < MOST ? count : MOST);
        fatbin_free_parts(parts, found);
    }
    free(bytes);
}

/* A wrapper's version; a wrapper from a file is not accepted. */
static void wrappers(void **state) {
    (void)state;
    const size_t all = HEADER + ENTRY + sizeof text;
    unsigned char *bytes = image(&plain, all - HEADER, all);
    for (uint32_t version = 0; version <= 3; version++)
        for (int data = 0; data <= 1; data++) {
            const struct wrapper wrapper = {0x466243b1, version, data ? bytes : NULL, NULL};
            struct fatbin_ptx ptx;
            char reason[256];
            const enum fatbin_status wanted =
                data && (version == 1 || version == 2) ? FATBIN_OK : FATBIN_CORRUPT;
            assert_int_equal(fatbin_find_ptx(&wrapper, SIZE_MAX, 90, &ptx, reason, sizeof reason), wanted);
            assert_int_equal(fatbin_find_ptx(&wrapper, sizeof wrapper, 90, &ptx, reason, sizeof reason),
                             FATBIN_OTHER);
        }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header), cmocka_unit_test(entry),  cmocka_unit_test(compressed),
        cmocka_unit_test(name),   cmocka_unit_test(linked), cmocka_unit_test(wrappers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
