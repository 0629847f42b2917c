#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "matrix/archive.h"
#include "matrix/internal.h"

enum {
    INPUT = 256 << 10,         /* bytes of the file that are decompressed at a time */
    MOST_DIRECTORY = 1 << 20,  /* SciPy's matrices have six members */
    MOST_COMMENT = UINT16_MAX, /* bytes behind the archive's end */
    MOST_RATIO = 1032,         /* what deflate makes of a byte at most */
    ZIP64 = 1,                 /* the extra field with sizes of 64 bits */
    ENCRYPTED = 1,             /* a member's flag */
};

uint64_t archive_at_once = 16 << 20;

/* Numbers are little endian, and nowhere aligned. */
static uint64_t get(const unsigned char *bytes, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Whether the file has these bytes.  Reads them.  If not, errno is 0 where they lie beyond its end, and else
 * says why it cannot be read. */
static bool read_at(const struct archive *archive, uint64_t offset, void *to, uint64_t bytes) {
    unsigned char *at = to;
    errno = 0;
    if (offset > archive->size || bytes > archive->size - offset)
        return false;
    while (bytes) {
        const ssize_t part = pread(archive->file, at, bytes < INT_MAX ? bytes : INT_MAX, (off_t)offset);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return false;
        at += part;
        offset += (uint64_t)part;
        bytes -= (uint64_t)part;
    }
    return true;
}

/* Reports errno, if read_at() has left one, or that `what` is wrong with the member. */
static bool refuse(const struct archive_array *array, const char *what, struct base_error *error) {
    if (errno)
        return base_failure(error, "its '%s' cannot be read: %s", array->name, strerror(errno));
    return base_failure(error, "its '%s' is %s", array->name, what);
}

/* ---------------------------------------------------------------- the directory */

/* Where the directory lies, from the archive's end at `at`, which is in memory, and in the file at `offset`.
 */
static bool locate(const struct archive *archive, const unsigned char *at, uint64_t offset, uint64_t *start,
                   uint64_t *bytes) {
    unsigned char locator[ARCHIVE_LOCATOR], end[ARCHIVE_END_64];
    *bytes = get(at + 12, 4);
    *start = get(at + 16, 4);
    if (offset < ARCHIVE_LOCATOR)
        return true;
    if (!read_at(archive, offset - ARCHIVE_LOCATOR, locator, sizeof locator))
        return false;
    if (memcmp(locator, "PK\6\7", 4) != 0)
        return true;
    if (!read_at(archive, get(locator + 8, 8), end, sizeof end) || memcmp(end, "PK\6\6", 4) != 0)
        return false;
    *bytes = get(end + 40, 8);
    *start = get(end + 48, 8);
    return true;
}

static bool read_directory(struct archive *archive) {
    const uint64_t most = ARCHIVE_END + MOST_COMMENT, tail = archive->size < most ? archive->size : most;
    unsigned char *bytes = malloc(tail + 1);
    bool good = bytes && tail >= ARCHIVE_END && read_at(archive, archive->size - tail, bytes, tail),
         found = false;
    uint64_t start = 0, length = 0;
    for (uint64_t at = tail - ARCHIVE_END; good && !found; at--) {
        found = memcmp(bytes + at, "PK\5\6", 4) == 0;
        good = found ? locate(archive, bytes + at, archive->size - tail + at, &start, &length) : at > 0;
    }
    free(bytes);
    if (!good || length > MOST_DIRECTORY || !(archive->directory = malloc(length + 1)))
        return false;
    archive->directory_bytes = length;
    return read_at(archive, start, archive->directory, length);
}

bool archive_open(struct archive *archive, int file, uint64_t size, struct base_error *error) {
    *archive = (struct archive){.file = file, .size = size};
    errno = 0;
    if (read_directory(archive))
        return true;
    return errno ? base_failure(error, "it cannot be read: %s", strerror(errno))
                 : base_failure(error, "it is no zip archive, as .npz files are, or is cut short");
}

void archive_close(struct archive *archive) {
    free(archive->directory);
    close(archive->file);
}

/* The member of this name in the directory; NULL: there is none.  Its name and extra field are within it. */
static const unsigned char *find(const struct archive *archive, const char *name) {
    const unsigned char *at = archive->directory;
    size_t left = archive->directory_bytes;
    const size_t length = strlen(name);
    while (left >= ARCHIVE_CENTRAL && memcmp(at, "PK\1\2", 4) == 0) {
        const size_t named = get(at + 28, 2),
                     bytes = ARCHIVE_CENTRAL + named + get(at + 30, 2) + get(at + 32, 2);
        if (bytes > left)
            return NULL;
        if (named == length + 4 && memcmp(at + ARCHIVE_CENTRAL, name, length) == 0 &&
            memcmp(at + ARCHIVE_CENTRAL + length, ".npy", 4) == 0)
            return at;
        at += bytes;
        left -= bytes;
    }
    return NULL;
}

bool archive_has(const struct archive *archive, const char *name) {
    return find(archive, name) != NULL;
}

/* Takes sizes of 64 bits from a member's extra field, in the order of those that do not fit 32 bits. */
static void widen(const unsigned char *member, uint64_t *const sizes[3]) {
    const unsigned char *at = member + ARCHIVE_CENTRAL + get(member + 28, 2);
    size_t left = get(member + 30, 2);
    while (left >= 4) {
        const size_t bytes = get(at + 2, 2);
        if (bytes > left - 4)
            return;
        if (get(at, 2) == ZIP64) {
            const unsigned char *wide = at + 4, *const end = wide + bytes;
            for (int i = 0; i < 3; i++)
                if (*sizes[i] == UINT32_MAX && end - wide >= 8) {
                    *sizes[i] = get(wide, 8);
                    wide += 8;
                }
            return;
        }
        at += 4 + bytes;
        left -= 4 + bytes;
    }
}

/* ---------------------------------------------------------------- a member */

static bool open_member(struct archive_array *array, const unsigned char *member, struct base_error *error) {
    const struct archive *archive = array->archive;
    unsigned char local[ARCHIVE_LOCAL];
    const uint64_t method = get(member + 10, 2);
    if (get(member + 8, 2) & ENCRYPTED || (method && method != Z_DEFLATED))
        return base_failure(error, "its '%s' is encrypted, or compressed otherwise than NumPy does it",
                            array->name);
    array->is_deflated = method;
    array->expected = (uint32_t)get(member + 16, 4);
    array->packed = get(member + 20, 4);
    array->size = get(member + 24, 4);
    array->offset = get(member + 42, 4);
    widen(member, (uint64_t *const[]){&array->size, &array->packed, &array->offset});
    if (!read_at(archive, array->offset, local, sizeof local) || memcmp(local, "PK\3\4", 4) != 0)
        return refuse(array, "damaged", error);
    array->offset += ARCHIVE_LOCAL + get(local + 26, 2) + get(local + 28, 2);
    if (array->offset > archive->size || array->packed > archive->size - array->offset)
        return base_failure(error, "its '%s' is cut short", array->name);
    if (!array->is_deflated)
        return true;
    array->input = malloc(INPUT);
    return (array->input && inflateInit2(&array->stream, -MAX_WBITS) == Z_OK) ||
           base_failure(error, "out of memory");
}

/* Decompresses `bytes` bytes, fewer where the data end or, with errno, cannot be read.  Returns how many. */
static uint64_t inflate_bytes(struct archive_array *array, unsigned char *to, uint64_t bytes) {
    z_stream *stream = &array->stream;
    stream->next_out = to;
    stream->avail_out = (unsigned)bytes;
    for (int result = Z_OK; result == Z_OK && stream->avail_out;) {
        /* Without input, too, zlib may hold output.  If it does not, it says Z_BUF_ERROR. */
        if (!stream->avail_in && array->packed) {
            const uint64_t part = array->packed < INPUT ? array->packed : INPUT;
            if (!read_at(array->archive, array->offset, array->input, part))
                return bytes - stream->avail_out;
            array->offset += part;
            array->packed -= part;
            stream->next_in = array->input;
            stream->avail_in = (unsigned)part;
        }
        result = inflate(stream, Z_NO_FLUSH);
    }
    errno = 0;
    return bytes - stream->avail_out;
}

/* Reads less than 2^32 bytes of the member. */
static bool read_bytes(struct archive_array *array, unsigned char *to, uint64_t bytes,
                       struct base_error *error) {
    bool good = bytes <= array->size;
    errno = 0;
    if (good && array->is_deflated) {
        good = inflate_bytes(array, to, bytes) == bytes;
    } else if (good) {
        good = bytes <= array->packed && read_at(array->archive, array->offset, to, bytes);
        array->offset += bytes;
        array->packed -= bytes;
    }
    array->size -= bytes;
    array->checksum = (uint32_t)crc32(array->checksum, to, good ? (unsigned)bytes : 0);
    return good || refuse(array, "cut short or damaged", error);
}

/* ---------------------------------------------------------------- an array */

static bool read_header(struct archive_array *array, struct base_error *error) {
    unsigned char *bytes = malloc(NPY_PREFIX + NPY_MOST_HEADER);
    struct base_error reason;
    if (!bytes)
        return base_failure(error, "out of memory");
    bool good = read_bytes(array, bytes, NPY_PREFIX, error);
    if (good) {
        const size_t length = npy_header_length(bytes, NPY_PREFIX, &reason);
        if (length && length < NPY_PREFIX)
            base_failure(&reason, "its header is too short");
        good = length >= NPY_PREFIX || base_failure(error, "its '%s': %s", array->name, reason.text);
        good = good && read_bytes(array, bytes + NPY_PREFIX, length - NPY_PREFIX, error) &&
               (npy_header_parse(&array->npy, bytes, length, &reason) ||
                base_failure(error, "its '%s': %s", array->name, reason.text));
    }
    free(bytes);
    return good;
}

/* Whether the member can hold what its header promises, before there is memory for it. */
static bool check_size(const struct archive_array *array, uint64_t packed, struct base_error *error) {
    const uint64_t bytes = array->npy.bytes;
    const bool fits = bytes <= array->size && bytes / (array->is_deflated ? MOST_RATIO : 1) <= packed;
    return fits || base_failure(error, "its '%s' is cut short: it has %llu bytes by its header", array->name,
                                (unsigned long long)bytes);
}

bool archive_find(const struct archive *archive, const char *name, struct archive_array *array,
                  struct base_error *error) {
    const unsigned char *member = find(archive, name);
    *array = (struct archive_array){.archive = archive, .name = name};
    if (!member)
        return base_failure(error, "it has no array '%s', which a sparse matrix has", name);
    if (open_member(array, member, error)) {
        const uint64_t packed = array->packed;
        if (read_header(array, error) && check_size(array, packed, error))
            return true;
    }
    archive_forget(array);
    return false;
}

/* Bytes that are swapped together. */
static size_t unit_of(const struct npy_dtype *dtype) {
    return dtype->kind == 'S'   ? 1
           : dtype->kind == 'U' ? 4
           : dtype->kind == 'c' ? dtype->bytes / 2
                                : dtype->bytes;
}

static void swap_bytes(unsigned char *data, uint64_t bytes, size_t unit) {
    for (const unsigned char *end = data + bytes; data < end; data += unit)
        for (size_t low = 0, high = unit - 1; low < high; low++, high--) {
            const unsigned char byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
}

/* Reads what the checksum is of, too, and is not asked for. */
static bool skip(struct archive_array *array, uint64_t bytes, struct base_error *error) {
    unsigned char unused[16 << 10];
    for (uint64_t part; bytes; bytes -= part) {
        part = bytes < sizeof unused ? bytes : sizeof unused;
        if (!read_bytes(array, unused, part, error))
            return false;
    }
    return true;
}

bool archive_read(struct archive_array *array, void *to, uint64_t elements, const struct matrix_watch *watch,
                  struct base_error *error) {
    const struct npy_array *npy = &array->npy;
    const uint64_t bytes = elements * npy->dtype.bytes;
    for (uint64_t done = 0; done < bytes; done += archive_at_once) {
        const uint64_t left = bytes - done;
        if (!read_bytes(array, (unsigned char *)to + done, left < archive_at_once ? left : archive_at_once,
                        error))
            return false;
        matrix_show(watch, "reads", done, bytes);
    }
    if (!skip(array, npy->bytes - bytes, error))
        return false;
    /* NumPy ignores what follows an array; then there is no checksum of what was read. */
    if (!array->size && array->checksum != array->expected)
        return base_failure(error, "its '%s' is damaged: its checksum is wrong", array->name);
    if (strchr(npy->dtype.text, '>'))
        swap_bytes(to, bytes, unit_of(&npy->dtype));
    return true;
}

void archive_forget(struct archive_array *array) {
    if (array->is_deflated)
        inflateEnd(&array->stream);
    free(array->input);
    npy_array_free(&array->npy);
    *array = (struct archive_array){0};
}
