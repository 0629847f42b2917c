/* Writes a Matrix Market file.  While several threads make the text of some entries each, and compress it,
 * one writes what was made before.  Compressed, each part is a gzip file of its own: one behind the other,
 * they are one, too. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "matrix/decimal.h"
#include "matrix/market.h"
#include "matrix/share.h"

enum {
    PIECE = 16 << 10, /* entries that a thread writes at a time */
    PIECES_EACH = 4,  /* per thread, so that one that is slow leaves work to the others */
    LEVEL = 4,        /* 6, the usual one, takes three times as long and saves 5 % */
    LONGEST_HEAD = 160,
    LONGEST_LINE = 2 * (DECIMAL_INTEGER + 1) + 2 * (DECIMAL_REAL + 1),
};

struct piece {
    bool has_head;
    uint64_t first, last; /* entries; the last is not one of them */
    char *text, *compressed;
    const char *result; /* one of them; NULL: no memory */
    size_t length;
};

struct writer {
    const struct matrix *matrix;
    enum market_field field;
    FILE *file;
    size_t room;           /* bytes of a piece's text, and of it compressed */
    size_t count;          /* of pieces in a set */
    struct piece *sets[2]; /* one is made, the other written */
    struct piece *made, *written;
    bool compresses, failed;
    int reason; /* errno */
};

/* ---------------------------------------------------------------- text */

static size_t write_value(char *text, const struct matrix *matrix, uint64_t i) {
    const unsigned width = matrix->width;
    const unsigned char *value = (const unsigned char *)matrix->values + i * width;
    uint64_t bits = 0;
    size_t length;
    switch (matrix->kind) {
    case MATRIX_PATTERN:
        return 0;
    case MATRIX_BOOL:
        *text = value[0] ? '1' : '0';
        return 1;
    case MATRIX_SIGNED:
        memcpy(&bits, value, width);
        const unsigned above = 64 - 8 * width;
        return decimal_write_signed(text, (int64_t)(bits << above) >> above);
    case MATRIX_UNSIGNED:
        memcpy(&bits, value, width);
        return decimal_write_unsigned(text, bits);
    case MATRIX_REAL:
        return decimal_write(text, value, width);
    case MATRIX_COMPLEX:
        length = decimal_write(text, value, width / 2);
        text[length++] = ' ';
        return length + decimal_write(text + length, value + width / 2, width / 2);
    }
    return 0;
}

/* The row of an entry. */
static uint64_t row_of(const struct matrix *matrix, uint64_t entry) {
    uint64_t low = 0, high = matrix->rows;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (matrix_index(matrix->pointers, matrix->index_bytes, middle) <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t write_head(const struct writer *writer, char *text) {
    const struct matrix *matrix = writer->matrix;
    return (size_t)snprintf(text, LONGEST_HEAD,
                            "%%%%MatrixMarket matrix coordinate %s general\n%llu %llu %llu\n",
                            market_fields[writer->field], (unsigned long long)matrix->rows,
                            (unsigned long long)matrix->cols, (unsigned long long)matrix->entries);
}

/* Writes the lines of a piece's entries, and the head before them. */
static size_t write_text(const struct writer *writer, const struct piece *piece) {
    const struct matrix *matrix = writer->matrix;
    const unsigned bytes = matrix->index_bytes;
    char *at = piece->text;
    if (piece->has_head)
        at += write_head(writer, at);
    uint64_t row = piece->first < piece->last ? row_of(matrix, piece->first) : 0;
    for (uint64_t i = piece->first; i < piece->last; i++) {
        while (i >= matrix_index(matrix->pointers, bytes, row + 1))
            row++;
        at += decimal_write_unsigned(at, row + 1);
        *at++ = ' ';
        at += decimal_write_unsigned(at, matrix_index(matrix->indices, bytes, i) + 1);
        if (matrix->width) {
            *at++ = ' ';
            at += write_value(at, matrix, i);
        }
        *at++ = '\n';
    }
    return (size_t)(at - piece->text);
}

static bool compress_piece(struct piece *piece, size_t room) {
    z_stream stream = {.next_in = (unsigned char *)piece->text,
                       .avail_in = (unsigned)piece->length,
                       .next_out = (unsigned char *)piece->compressed,
                       .avail_out = (unsigned)room};
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY))
        return false;
    const bool good = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    piece->result = piece->compressed;
    piece->length = stream.total_out;
    return deflateEnd(&stream) == Z_OK && good;
}

/* ---------------------------------------------------------------- pieces */

static void write_set(struct writer *writer) {
    for (size_t i = 0; i < writer->count && !writer->failed; i++) {
        struct piece *piece = &writer->written[i];
        if (piece->length)
            writer->failed = fwrite(piece->result, 1, piece->length, writer->file) != piece->length;
        if (writer->failed)
            writer->reason = errno;
        piece->length = 0;
    }
}

/* Item 0 is what was made before, the others are pieces. */
static void work(void *argument, size_t i) {
    struct writer *writer = argument;
    if (i == 0) {
        write_set(writer);
        return;
    }
    struct piece *piece = &writer->made[i - 1];
    piece->result = piece->text;
    piece->length = write_text(writer, piece);
    if (writer->compresses && piece->length && !compress_piece(piece, writer->room))
        piece->result = NULL;
}

static bool failed(const struct writer *writer, struct base_error *error) {
    if (writer->failed)
        return base_failure(error, "it cannot be written: %s", strerror(writer->reason));
    return base_failure(error, "out of memory");
}

static bool write_pieces(struct writer *writer, const struct matrix_watch *watch, struct base_error *error) {
    const uint64_t entries = writer->matrix->entries;
    uint64_t next = 0;
    for (bool is_first = true, more = true; more; is_first = false) {
        more = is_first || next < entries;
        for (size_t i = 0; i < writer->count; i++) {
            struct piece *piece = &writer->made[i];
            piece->has_head = is_first && i == 0;
            piece->first = next;
            next = piece->last = entries - next > PIECE ? next + PIECE : entries;
        }
        matrix_share(work, writer, writer->count + 1);
        for (size_t i = 0; i < writer->count; i++)
            if (writer->failed || !writer->made[i].result)
                return failed(writer, error);
        matrix_show(watch, "writes", next, entries);
        struct piece *made = writer->made;
        writer->made = writer->written;
        writer->written = made;
    }
    return true;
}

static bool allocate_pieces(struct writer *writer, struct base_error *error) {
    for (int set = 0; set < 2; set++) {
        writer->sets[set] = calloc(writer->count, sizeof **writer->sets);
        for (size_t i = 0; i < writer->count; i++) {
            struct piece *piece = writer->sets[set] ? &writer->sets[set][i] : NULL;
            if (!piece || !(piece->text = malloc(writer->room)) ||
                (writer->compresses && !(piece->compressed = malloc(writer->room))))
                return base_failure(error, "out of memory");
        }
    }
    writer->made = writer->sets[0];
    writer->written = writer->sets[1];
    return true;
}

static void free_pieces(struct writer *writer) {
    for (int set = 0; set < 2; set++) {
        for (size_t i = 0; writer->sets[set] && i < writer->count; i++) {
            free(writer->sets[set][i].text);
            free(writer->sets[set][i].compressed);
        }
        free(writer->sets[set]);
    }
}

/* The field that holds the values. */
static bool choose_field(enum market_field *field, const struct matrix *matrix, struct base_error *error) {
    const unsigned width = matrix->width;
    switch (matrix->kind) {
    case MATRIX_PATTERN:
        *field = MARKET_PATTERN;
        break;
    case MATRIX_BOOL:
    case MATRIX_SIGNED:
        *field = MARKET_INTEGER;
        break;
    case MATRIX_UNSIGNED: /* other programs know signed integers of 64 bits alone */
        *field = width == 8 ? MARKET_UNSIGNED : MARKET_INTEGER;
        break;
    case MATRIX_REAL:
        *field = MARKET_REAL;
        break;
    case MATRIX_COMPLEX:
        *field = MARKET_COMPLEX;
        break;
    }
    return matrix->kind != MATRIX_REAL || width <= 8 ||
           base_failure(error, "a .mtx has reals of 64 bits at most, and these have %u; write a .npz",
                        8 * width);
}

bool market_write(const struct matrix *matrix, bool compresses, FILE *file, const struct matrix_watch *watch,
                  struct base_error *error) {
    struct writer writer = {.matrix = matrix, .file = file, .compresses = compresses};
    const size_t text = LONGEST_HEAD + (size_t)PIECE * LONGEST_LINE;
    writer.room = text + text / 1024 + 64; /* what does not compress becomes a little longer */
    writer.count = matrix_threads() * PIECES_EACH;
    if (writer.count > matrix->entries / PIECE + 1)
        writer.count = matrix->entries / PIECE + 1;
    decimal_prepare();
    const bool good = choose_field(&writer.field, matrix, error) && allocate_pieces(&writer, error) &&
                      write_pieces(&writer, watch, error);
    free_pieces(&writer);
    return good;
}
