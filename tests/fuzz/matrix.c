/* A sparse matrix's file.  If it begins with PK, it is an .npz; if with 0, the arrays of one, which are
 * packed here so that their checksums are right; otherwise a .mtx, plain or compressed.  The indices of what
 * is read of it are in range, and what is written of it is read as the same. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "matrix/archive.h"
#include "matrix/internal.h"
#include "tests/fuzz/fuzz.h"

/* matrix/ refuses what is larger than the memory that is available: here, 64 MiB. */
uint64_t __wrap_base_available_memory(void);
uint64_t __wrap_base_available_memory(void) {
    return 64 << 20;
}

static bool read_once(struct matrix *matrix, const char *path, bool is_npz) {
    struct base_error error = {.text = ""};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    FUZZ_CHECK(file >= 0);
    const off_t size = lseek(file, 0, SEEK_END);
    FUZZ_CHECK(lseek(file, 0, SEEK_SET) == 0);
    if ((is_npz ? npz_read : market_read)(matrix, file, (uint64_t)size, NULL, &error))
        return true;
    FUZZ_CHECK(error.text[0] && !strchr(error.text, '\n') && !error.usage);
    return false;
}

/* Arrays are read in parts.  Where these end changes nothing. */
static bool read_file(struct matrix *matrix, const char *path, bool is_npz) {
    const uint64_t at_once = archive_at_once;
    struct matrix again;
    const bool good = read_once(matrix, path, is_npz);
    if (!is_npz)
        return good;
    archive_at_once = 48;
    FUZZ_CHECK(read_once(&again, path, is_npz) == good);
    archive_at_once = at_once;
    if (good)
        matrix_free(&again);
    return good;
}

static void check(const struct matrix *matrix) {
    const unsigned bytes = matrix->index_bytes;
    uint64_t before = 0;
    FUZZ_CHECK(bytes == 4 || bytes == 8);
    for (uint64_t row = 0; row <= matrix->rows; row++) {
        const uint64_t pointer = matrix_index(matrix->pointers, bytes, row);
        FUZZ_CHECK(pointer >= before && (row || !pointer));
        before = pointer;
    }
    FUZZ_CHECK(before == matrix->entries);
    for (uint64_t i = 0; i < matrix->entries; i++)
        FUZZ_CHECK(matrix_index(matrix->indices, bytes, i) < matrix->cols);
}

/* Packs arrays, each behind its length of two bytes, into the file. */
static void pack(FILE *file, const uint8_t *data, size_t size) {
    static const char *const names[] = {"format", "shape", "indptr", "indices",
                                        "data",   "row",   "col",    "_is_array"};
    struct archive_writer writer = {.file = file};
    for (int i = 0; i < ARCHIVE_MOST_MEMBERS && size >= 2; i++) {
        size_t length = (size_t)data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        if (length > size)
            length = size;
        FUZZ_CHECK(archive_append_file(&writer, names[i], data, length, "", 0));
        data += length;
        size -= length;
    }
    FUZZ_CHECK(archive_end(&writer));
}

/* A file that is written anew: "w" on a name of fuzz_file(). */
static FILE *begin(const char **path) {
    *path = fuzz_file((const uint8_t *)"", 0);
    FILE *file = fopen(*path, "w");
    FUZZ_CHECK(file);
    return file;
}

static void write_again(const struct matrix *matrix, bool is_npz) {
    struct matrix again;
    struct base_error error;
    const char *path;
    FILE *file = begin(&path);
    const bool written =
        is_npz ? npz_write(matrix, file, NULL, &error) : market_write(matrix, false, file, NULL, &error);
    FUZZ_CHECK(fclose(file) == 0);
    FUZZ_CHECK(written || (matrix->kind == MATRIX_REAL && matrix->width == 16));
    if (!written)
        return;
    FUZZ_CHECK(read_file(&again, path, is_npz));
    FUZZ_CHECK(again.rows == matrix->rows && again.cols == matrix->cols && again.entries == matrix->entries);
    for (uint64_t row = 0; row <= matrix->rows; row++)
        FUZZ_CHECK(matrix_index(again.pointers, again.index_bytes, row) ==
                   matrix_index(matrix->pointers, matrix->index_bytes, row));
    for (uint64_t i = 0; i < matrix->entries; i++)
        FUZZ_CHECK(matrix_index(again.indices, again.index_bytes, i) ==
                   matrix_index(matrix->indices, matrix->index_bytes, i));
    if (matrix->width && again.kind == matrix->kind && again.width == matrix->width &&
        matrix->kind != MATRIX_REAL && matrix->kind != MATRIX_COMPLEX)
        FUZZ_CHECK(memcmp(again.values, matrix->values, matrix->entries * matrix->width) == 0);
    else if (again.kind == MATRIX_REAL && again.width == 8 && matrix->kind == MATRIX_REAL &&
             matrix->width == 8)
        for (uint64_t i = 0; i < matrix->entries; i++) {
            const double a = ((const double *)again.values)[i], b = ((const double *)matrix->values)[i];
            FUZZ_CHECK(a == b || (a != a && b != b));
        }
    matrix_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct matrix matrix, transposed;
    struct base_error error;
    const bool is_packed = size && data[0] == 0,
               is_npz = is_packed || (size >= 2 && memcmp(data, "PK", 2) == 0);
    const char *path;
    if (is_packed) {
        FILE *file = begin(&path);
        pack(file, data + 1, size - 1);
        FUZZ_CHECK(fclose(file) == 0);
    } else {
        path = fuzz_file(data, size);
    }
    if (!read_file(&matrix, path, is_npz))
        return 0;
    check(&matrix);
    if (matrix.cols <= 1 << 16 && matrix.rows <= 1 << 16) {
        FUZZ_CHECK(matrix_transpose(&transposed, &matrix, &error));
        check(&transposed);
        write_again(&transposed, false);
        write_again(&transposed, true);
        matrix_free(&transposed);
    }
    matrix_free(&matrix);
    return 0;
}
