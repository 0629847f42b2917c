/* Reads a Matrix Market file, plain or compressed.  The text is read in blocks, each of whole lines.  A
 * block's parts are read by several threads into arrays of their own, which are then put one behind the
 * other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "matrix/decimal.h"
#include "matrix/market.h"
#include "matrix/share.h"

enum { PIECE = 1 << 20 }; /* bytes of text that a thread reads at a time; no line may be longer */

struct reader {
    const char *path;
    uint64_t size; /* of the file, in bytes */
    const struct matrix_watch *watch;
    gzFile file;
    char *block;
    size_t room, length; /* length: bytes of the block, whole lines */
    size_t rest;         /* bytes behind them, of a line that goes on in the next block */
    bool ended;
    uint64_t lines; /* before the block */
    struct market_head head;
    struct matrix_triplets triplets;
    struct market_piece *pieces;
    size_t piece_count;
    uint64_t read; /* lines of entries */
};

static bool refuse(const struct reader *reader, uint64_t line, const char *what, struct base_error *error) {
    return base_failure(error, "%.400s: line %llu: %s", reader->path, (unsigned long long)line, what);
}

/* ---------------------------------------------------------------- blocks */

static bool read_failed(const struct reader *reader, struct base_error *error) {
    int number;
    gzerror(reader->file, &number);
    if (number == Z_ERRNO)
        return base_failure(error, "%.400s: it cannot be read: %s", reader->path, strerror(errno));
    return base_failure(error, "%.400s: its compressed data are %s", reader->path,
                        number == Z_BUF_ERROR   ? "cut short"
                        : number == Z_MEM_ERROR ? "too much for this machine's memory"
                                                : "damaged");
}

/* Reads the next block.  Its last line gets an end if it lacks one. */
static bool next_block(struct reader *reader, struct base_error *error) {
    memmove(reader->block, reader->block + reader->length, reader->rest);
    size_t filled = reader->rest;
    while (!reader->ended && filled < reader->room) {
        const int part = gzread(reader->file, reader->block + filled, (unsigned)(reader->room - filled));
        if (part < 0)
            return read_failed(reader, error);
        filled += (size_t)part;
        reader->ended = part == 0;
    }
    int number;
    gzerror(reader->file, &number);
    if (reader->ended && number != Z_OK)
        return read_failed(reader, error);
    if (reader->ended && filled && reader->block[filled - 1] != '\n')
        reader->block[filled++] = '\n';
    const char *last = memrchr(reader->block, '\n', filled);
    if (!last && filled)
        return refuse(reader, reader->lines + 1, "it is too long", error);
    reader->length = last ? (size_t)(last - reader->block) + 1 : 0;
    reader->rest = filled - reader->length;
    return true;
}

/* ---------------------------------------------------------------- the head */

/* Reads lines up to the one with the sizes, and sets *body to what follows it in the block. */
static bool read_head(struct reader *reader, const char **body, struct base_error *error) {
    struct base_error reason;
    bool is_first = true;
    for (;;) {
        const char *at = reader->block, *const end = reader->block + reader->length;
        while (at < end) {
            const char *line = at, *line_end = memchr(at, '\n', (size_t)(end - at));
            reader->lines++;
            at = line_end + 1;
            line += strspn(line, " \t\r");
            if (is_first) {
                is_first = false;
                if (!market_read_banner(&reader->head, line, line_end, &reason))
                    return refuse(reader, reader->lines, reason.text, error);
            } else if (*line != '%' && *line != '\n') {
                reader->head.size_line = reader->lines;
                *body = at;
                return market_read_sizes(&reader->head, line, line_end, &reason) ||
                       refuse(reader, reader->lines, reason.text, error);
            }
        }
        if (reader->ended)
            return base_failure(error, "%.400s: it ends before its line of sizes", reader->path);
        if (!next_block(reader, error))
            return false;
    }
}

/* ---------------------------------------------------------------- entries */

static bool allocate_pieces(struct reader *reader, struct base_error *error) {
    const size_t entries = PIECE / MARKET_SHORTEST_LINE * (reader->head.symmetry == MARKET_GENERAL ? 1 : 2);
    for (size_t i = 0; i < reader->piece_count; i++) {
        struct market_piece *piece = &reader->pieces[i];
        piece->head = &reader->head;
        piece->index_bytes = reader->triplets.index_bytes;
        piece->width = reader->triplets.width;
        piece->rows = matrix_allocate(entries, piece->index_bytes, error);
        piece->cols = piece->rows ? matrix_allocate(entries, piece->index_bytes, error) : NULL;
        piece->values = piece->cols ? matrix_allocate(entries, piece->width, error) : NULL;
        if (!piece->values)
            return false;
    }
    return true;
}

static void read_piece(void *argument, size_t i) {
    struct reader *reader = argument;
    market_read_piece(&reader->pieces[i]);
}

static bool append(struct reader *reader, const struct market_piece *piece, struct base_error *error) {
    struct matrix_triplets *to = &reader->triplets;
    const size_t index = to->index_bytes;
    if (!matrix_triplets_reserve(to, to->entries + piece->entries, error))
        return false;
    memcpy((char *)to->row + to->entries * index, piece->rows, piece->entries * index);
    memcpy((char *)to->col + to->entries * index, piece->cols, piece->entries * index);
    memcpy((char *)to->value + to->entries * to->width, piece->values, piece->entries * to->width);
    to->entries += piece->entries;
    return true;
}

/* Reads the lines of `text`, which is all or the rest of the block. */
static bool read_block(struct reader *reader, const char *text, struct base_error *error) {
    const char *const end = reader->block + reader->length;
    size_t count = 0;
    while (text < end) {
        struct market_piece *piece = &reader->pieces[count++];
        const char *most = end - text > PIECE ? text + PIECE : end;
        /* A line that crosses the part's end belongs to the next part. */
        const char *last = memrchr(text, '\n', (size_t)(most - text));
        if (!last)
            last = memchr(most, '\n', (size_t)(end - most));
        piece->text = text;
        piece->end = text = last + 1;
    }
    matrix_share(read_piece, reader, count);
    for (size_t i = 0; i < count; i++) {
        const struct market_piece *piece = &reader->pieces[i];
        reader->lines += piece->lines;
        if (piece->failed)
            return refuse(reader, reader->lines + 1, piece->error.text, error);
        reader->read += piece->read;
        if (reader->read > reader->head.entries)
            return base_failure(error, "%.400s: it has more entries than the %llu of its line %llu",
                                reader->path, (unsigned long long)reader->head.entries,
                                (unsigned long long)reader->head.size_line);
        if (!append(reader, piece, error))
            return false;
    }
    return true;
}

static bool read_entries(struct reader *reader, struct base_error *error) {
    const struct market_head *head = &reader->head;
    struct matrix_triplets *triplets = &reader->triplets;
    const char *body = NULL;
    if (!next_block(reader, error) || !read_head(reader, &body, error))
        return false;
    triplets->rows = head->rows;
    triplets->cols = head->cols;
    triplets->index_bytes =
        matrix_index_bytes(head->rows, head->cols, head->entries << (head->symmetry != MARKET_GENERAL));
    triplets->width = head->field == MARKET_PATTERN ? 0 : head->field == MARKET_COMPLEX ? 16 : 8;
    if (!allocate_pieces(reader, error) || !read_block(reader, body, error))
        return false;
    while (!reader->ended) {
        if (!next_block(reader, error) || !read_block(reader, reader->block, error))
            return false;
        matrix_show(reader->watch, "reads", (uint64_t)gzoffset(reader->file), reader->size);
    }
    return reader->read == head->entries ||
           base_failure(error, "%.400s: it has %llu entries, but %llu by its line %llu", reader->path,
                        (unsigned long long)reader->read, (unsigned long long)head->entries,
                        (unsigned long long)head->size_line);
}

static bool open_reader(struct reader *reader, int file, struct base_error *error) {
    const size_t threads = matrix_threads();
    decimal_prepare();
    reader->file = gzdopen(file, "r");
    if (!reader->file) {
        close(file);
        return base_failure(error, "out of memory");
    }
    gzbuffer(reader->file, 256 << 10);
    reader->room = threads * PIECE;
    reader->piece_count = 2 * threads + 1; /* two parts that follow one another are more than a PIECE */
    reader->block = malloc(reader->room + 1);
    reader->pieces = calloc(reader->piece_count, sizeof *reader->pieces);
    return (reader->block && reader->pieces) || base_failure(error, "out of memory");
}

static void close_reader(struct reader *reader) {
    for (size_t i = 0; reader->pieces && i < reader->piece_count; i++) {
        free(reader->pieces[i].rows);
        free(reader->pieces[i].cols);
        free(reader->pieces[i].values);
    }
    free(reader->pieces);
    free(reader->block);
    if (reader->file)
        gzclose(reader->file);
}

bool market_read(struct matrix *matrix, int file, uint64_t size, const char *path,
                 const struct matrix_watch *watch, struct base_error *error) {
    static const enum matrix_kind kinds[] = {MATRIX_PATTERN, MATRIX_SIGNED, MATRIX_UNSIGNED, MATRIX_REAL,
                                             MATRIX_COMPLEX};
    struct reader reader = {.path = path, .size = size, .watch = watch};
    bool good = open_reader(&reader, file, error) && read_entries(&reader, error);
    close_reader(&reader);
    *matrix = (struct matrix){.kind = kinds[reader.head.field]};
    if (good)
        return matrix_of_triplets(matrix, &reader.triplets, watch, error);
    matrix_triplets_free(&reader.triplets);
    return false;
}
