#include "matrix/archive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "matrix/internal.h"

enum {
    AT_ONCE = 16 << 20, /* bytes that are read or written between two reports */
    MOST_RATIO = 1032,  /* what deflate makes of a byte at most */
    LONGEST_NAME = 40,  /* with .npy */
    DATE = 0x21 << 16,  /* the first of 1980, as in NumPy's archives: equal matrices make equal files */
};

/* ---------------------------------------------------------------- the file below */

static voidpf open_given(voidpf file, const void *name, int mode) {
    (void)name;
    (void)mode;
    return file;
}

static int close_nothing(voidpf opaque, voidpf file) {
    (void)opaque;
    (void)file;
    return 0;
}

static zlib_filefunc64_def calls_of(FILE *file) {
    zlib_filefunc64_def calls;
    fill_fopen64_filefunc(&calls);
    calls.zopen64_file = open_given;
    calls.zclose_file = close_nothing;
    calls.opaque = file;
    return calls;
}

/* ---------------------------------------------------------------- reading */

bool archive_open(struct archive *archive, int file, uint64_t size, struct base_error *error) {
    *archive = (struct archive){.file = fdopen(file, "r"), .size = size};
    if (!archive->file) {
        close(file);
        return base_failure(error, "out of memory");
    }
    zlib_filefunc64_def calls = calls_of(archive->file);
    archive->zip = unzOpen2_64("", &calls);
    return archive->zip || base_failure(error, "it is no zip archive, as .npz files are, or is cut short");
}

void archive_close(struct archive *archive) {
    if (archive->zip)
        unzClose(archive->zip);
    if (archive->file)
        fclose(archive->file);
}

bool archive_has(const struct archive *archive, const char *name) {
    char file[LONGEST_NAME];
    snprintf(file, sizeof file, "%s.npy", name);
    return unzLocateFile(archive->zip, file, 1) == UNZ_OK;
}

static bool read_bytes(const struct archive_array *array, unsigned char *to, uint64_t bytes,
                       struct base_error *error) {
    while (bytes) {
        const int part =
            unzReadCurrentFile(array->archive->zip, to, bytes < AT_ONCE ? (unsigned)bytes : AT_ONCE);
        if (part <= 0)
            return base_failure(error, part ? "its '%s' is damaged" : "its '%s' is cut short", array->name);
        to += part;
        bytes -= (uint64_t)part;
    }
    return true;
}

static bool read_header(struct archive_array *array, struct base_error *error) {
    unsigned char *bytes = malloc(NPY_PREFIX + NPY_MOST_HEADER);
    struct base_error reason;
    if (!bytes)
        return base_failure(error, "out of memory");
    bool good = read_bytes(array, bytes, NPY_PREFIX, error);
    if (good) {
        const size_t length = npy_header_length(bytes, NPY_PREFIX, &reason);
        good = length >= NPY_PREFIX || base_failure(error, "its '%s': %s", array->name, reason.text);
        good = good && read_bytes(array, bytes + NPY_PREFIX, length - NPY_PREFIX, error) &&
               (npy_header_parse(&array->npy, bytes, length, &reason) ||
                base_failure(error, "its '%s': %s", array->name, reason.text));
    }
    free(bytes);
    return good;
}

/* Whether the archive can hold what a header promises, before there is memory for it. */
static bool check_size(const struct archive_array *array, const unz_file_info64 *info,
                       struct base_error *error) {
    const uint64_t packed = info->compressed_size, size = array->npy.data + array->npy.bytes;
    const bool fits = size <= info->uncompressed_size && packed <= array->archive->size &&
                      size / (info->compression_method ? MOST_RATIO : 1) <= packed;
    return fits || base_failure(error, "its '%s' is cut short: it has %llu bytes by its header", array->name,
                                (unsigned long long)array->npy.bytes);
}

bool archive_find(const struct archive *archive, const char *name, struct archive_array *array,
                  struct base_error *error) {
    unz_file_info64 info;
    *array = (struct archive_array){.archive = archive, .name = name};
    if (!archive_has(archive, name))
        return base_failure(error, "it has no array '%s', which a sparse matrix has", name);
    if (unzGetCurrentFileInfo64(archive->zip, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK)
        return base_failure(error, "its '%s' is damaged", name);
    if (info.flag & 1 || (info.compression_method && info.compression_method != Z_DEFLATED))
        return base_failure(error, "its '%s' is encrypted, or compressed otherwise than NumPy does it", name);
    if (unzOpenCurrentFile(archive->zip) != UNZ_OK)
        return base_failure(error, "its '%s' is damaged", name);
    if (read_header(array, error) && check_size(array, &info, error))
        return true;
    archive_forget(array);
    return false;
}

static void swap_bytes(unsigned char *data, uint64_t count, size_t size) {
    for (uint64_t i = 0; i < count; i++, data += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            const unsigned char byte = data[low];
            data[low] = data[high];
            data[high] = byte;
        }
}

bool archive_read(const struct archive_array *array, void *to, const struct matrix_watch *watch,
                  struct base_error *error) {
    const struct npy_array *npy = &array->npy;
    unsigned char beyond;
    for (uint64_t done = 0; done < npy->bytes; done += AT_ONCE) {
        const uint64_t left = npy->bytes - done;
        if (!read_bytes(array, (unsigned char *)to + done, left < AT_ONCE ? left : AT_ONCE, error))
            return false;
        matrix_show(watch, "reads", (uint64_t)ftello(array->archive->file), array->archive->size);
    }
    /* The checksum is compared at the end.  NumPy ignores what follows an array. */
    if (unzReadCurrentFile(array->archive->zip, &beyond, 1) == 0 &&
        unzCloseCurrentFile(array->archive->zip) != UNZ_OK)
        return base_failure(error, "its '%s' is damaged: its checksum is wrong", array->name);
    const unsigned parts = npy->dtype.kind == 'c' ? 2 : 1;
    if (strchr(npy->dtype.text, '>'))
        swap_bytes(to, npy->elements * parts, npy->dtype.bytes / parts);
    return true;
}

void archive_forget(struct archive_array *array) {
    unzCloseCurrentFile(array->archive->zip);
    npy_array_free(&array->npy);
}

/* ---------------------------------------------------------------- writing */

zipFile archive_begin(FILE *file) {
    zlib_filefunc64_def calls = calls_of(file);
    return zipOpen2_64("", APPEND_STATUS_CREATE, NULL, &calls);
}

bool archive_append(zipFile zip, const char *name, const char *dtype, unsigned rank, const uint64_t *shape,
                    const void *data, uint64_t bytes, const struct matrix_watch *watch) {
    const zip_fileinfo info = {.dosDate = DATE};
    struct base_error error;
    char file[LONGEST_NAME];
    size_t length;
    snprintf(file, sizeof file, "%s.npy", name);
    char *header = npy_header_make(dtype, rank, shape, &length, &error);
    if (!header)
        return false;
    bool good = zipOpenNewFileInZip64(zip, file, &info, NULL, 0, NULL, 0, NULL, 0, 0,
                                      bytes + length > UINT32_MAX) == ZIP_OK &&
                zipWriteInFileInZip(zip, header, (unsigned)length) == ZIP_OK;
    for (uint64_t done = 0; good && done < bytes; done += AT_ONCE) {
        const uint64_t left = bytes - done;
        good = zipWriteInFileInZip(zip, (const char *)data + done,
                                   left < AT_ONCE ? (unsigned)left : AT_ONCE) == ZIP_OK;
        matrix_show(watch, "writes", done, bytes);
    }
    free(header);
    return good && zipCloseFileInZip(zip) == ZIP_OK;
}
