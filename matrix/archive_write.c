#include <stdlib.h>
#include <string.h>

#include "matrix/archive.h"
#include "matrix/internal.h"

enum {
    AT_ONCE = 16 << 20, /* bytes that are written between two reports */
    DATE = 0x21,        /* the first of 1980, as in NumPy's archives: equal matrices make equal files */
    VERSION = 20,
    ZIP64 = 1, /* the extra field with sizes of 64 bits */
};

/* Part of an archive that is put together. */
struct record {
    unsigned char bytes[128];
    size_t length;
};

static void put(struct record *record, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        record->bytes[record->length++] = (unsigned char)(value >> 8 * i);
}

static void put_text(struct record *record, const char *text, size_t length) {
    memcpy(record->bytes + record->length, text, length);
    record->length += length;
}

static uint64_t short_of(uint64_t value) {
    return value < UINT32_MAX ? value : UINT32_MAX;
}

static bool write_bytes(struct archive_writer *writer, const void *bytes, size_t count) {
    writer->offset += count;
    return fwrite(bytes, 1, count, writer->file) == count;
}

/* What a member's header and its place in the directory have in common: the version to the extra field's
 * length. */
static void put_member(struct record *record, const struct archive_member *member, unsigned extra) {
    put(record, extra ? ARCHIVE_VERSION_64 : VERSION, 2);
    put(record, 0, 2 + 2 + 2); /* flags, method, time */
    put(record, DATE, 2);
    put(record, member->checksum, 4);
    put(record, short_of(member->size), 4);
    put(record, short_of(member->size), 4);
    put(record, strlen(member->name), 2);
    put(record, extra, 2);
}

/* The extra field has the two sizes, and in the directory the offset, where they do not fit 32 bits. */
static unsigned extra_of(const struct archive_member *member, bool has_offset) {
    const unsigned bytes =
        (member->size >= UINT32_MAX ? 16 : 0) + (has_offset && member->offset >= UINT32_MAX ? 8 : 0);
    return bytes ? bytes + 4 : 0;
}

static void put_extra(struct record *record, const struct archive_member *member, bool has_offset) {
    const unsigned extra = extra_of(member, has_offset);
    if (!extra)
        return;
    put(record, ZIP64, 2);
    put(record, extra - 4, 2);
    if (member->size >= UINT32_MAX) {
        put(record, member->size, 8);
        put(record, member->size, 8);
    }
    if (has_offset && member->offset >= UINT32_MAX)
        put(record, member->offset, 8);
}

bool archive_append_file(struct archive_writer *writer, const char *name, const void *header, size_t length,
                         const void *data, uint64_t bytes) {
    struct archive_member *member = &writer->members[writer->count++];
    struct record record = {.length = 0};
    snprintf(member->name, sizeof member->name, "%s.npy", name);
    member->offset = writer->offset;
    member->size = length + bytes;
    member->checksum = (uint32_t)crc32_z(0, header, length);
    if (bytes) /* crc32_z() takes no data as a new beginning */
        member->checksum = (uint32_t)crc32_z(member->checksum, data, bytes);
    put_text(&record, "PK\3\4", 4);
    put_member(&record, member, extra_of(member, false));
    put_text(&record, member->name, strlen(member->name));
    put_extra(&record, member, false);
    bool good = write_bytes(writer, record.bytes, record.length) && write_bytes(writer, header, length);
    for (uint64_t done = 0; good && done < bytes; done += AT_ONCE) {
        good =
            write_bytes(writer, (const char *)data + done, bytes - done < AT_ONCE ? bytes - done : AT_ONCE);
        matrix_show(writer->watch, "writes", done, bytes);
    }
    return good;
}

bool archive_append(struct archive_writer *writer, const char *name, const char *dtype, unsigned rank,
                    const uint64_t *shape, const void *data, uint64_t bytes) {
    struct base_error error;
    size_t length;
    char *header = npy_header_make(dtype, rank, shape, &length, &error);
    const bool good = header && archive_append_file(writer, name, header, length, data, bytes);
    free(header);
    return good;
}

/* The end of 64 bits, and where it is. */
static void put_end_64(struct record *record, const struct archive_writer *writer, uint64_t start) {
    put_text(record, "PK\6\6", 4);
    put(record, ARCHIVE_END_64 - 12, 8);
    put(record, ARCHIVE_VERSION_64, 2);
    put(record, ARCHIVE_VERSION_64, 2);
    put(record, 0, 4 + 4); /* disks */
    put(record, writer->count, 8);
    put(record, writer->count, 8);
    put(record, writer->offset - start, 8);
    put(record, start, 8);
    put_text(record, "PK\6\7", 4);
    put(record, 0, 4);
    put(record, writer->offset, 8);
    put(record, 1, 4);
}

bool archive_end(struct archive_writer *writer) {
    const uint64_t start = writer->offset;
    bool good = true;
    for (size_t i = 0; i < writer->count && good; i++) {
        const struct archive_member *member = &writer->members[i];
        struct record record = {.length = 0};
        put_text(&record, "PK\1\2", 4);
        put(&record, ARCHIVE_VERSION_64, 2);
        put_member(&record, member, extra_of(member, true));
        put(&record, 0, 2 + 2 + 2); /* comment, disk, internal attributes */
        put(&record, 0, 4);         /* external ones */
        put(&record, short_of(member->offset), 4);
        put_text(&record, member->name, strlen(member->name));
        put_extra(&record, member, true);
        good = write_bytes(writer, record.bytes, record.length);
    }
    struct record record = {.length = 0};
    const uint64_t bytes = writer->offset - start;
    if (start >= UINT32_MAX)
        put_end_64(&record, writer, start);
    put_text(&record, "PK\5\6", 4);
    put(&record, 0, 2 + 2);
    put(&record, writer->count, 2);
    put(&record, writer->count, 2);
    put(&record, bytes, 4);
    put(&record, short_of(start), 4);
    put(&record, 0, 2);
    return good && write_bytes(writer, record.bytes, record.length);
}
