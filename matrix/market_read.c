/* Reads a Matrix Market file.  While several threads read the parts of a block of its text, each into arrays
 * of its own, one reads the next block.  The parts' entries are then put one behind the other. */
#include <stdlib.h>
#include <string.h>

#include "matrix/decimal.h"
#include "matrix/market.h"
#include "matrix/share.h"
#include "matrix/text.h"

enum {
    PIECE = 256 << 10, /* bytes of text that a thread reads at a time */
    MOST_RATIO = 1032, /* what gzip makes of a byte at most */
    PIECES_EACH = 4,   /* per thread, so that one that is slow leaves work to the others */
};

struct reader {
    struct text text;
    struct text_block blocks[2], *block, *next;
    struct base_error *error; /* of reading the next block */
    bool failed;
    uint64_t lines; /* before the pieces, or before the body */
    struct market_head head;
    struct matrix_triplets triplets;
    struct market_piece *pieces;
    size_t room, count; /* of pieces */
    uint64_t *places;   /* where each piece's entries go */
    uint64_t read;      /* lines of entries */
};

static bool refuse(uint64_t line, const char *what, struct base_error *error) {
    return base_failure(error, "line %llu: %s", (unsigned long long)line, what);
}

static void swap_blocks(struct reader *reader) {
    struct text_block *block = reader->block;
    reader->block = reader->next;
    reader->next = block;
}

/* ---------------------------------------------------------------- the head */

/* Reads a line of the head.  *done: it is the one with the sizes, the last. */
static bool read_head_line(struct reader *reader, const char *line, const char *end, bool *done,
                           struct base_error *error) {
    struct market_head *head = &reader->head;
    struct base_error reason;
    bool good = true;
    line += strspn(line, " \t\r"); /* the line's end stops it */
    *done = false;
    if (++reader->lines == 1) {
        good = market_read_banner(head, line, end, &reason);
    } else if (*line != '%' && *line != '\n') {
        *done = true;
        head->size_line = reader->lines;
        good = market_read_sizes(head, line, end, &reason);
    }
    return good || refuse(reader->lines, reason.text, error);
}

/* Reads lines up to the one with the sizes, and sets *body to what follows it in the block. */
static bool read_head(struct reader *reader, const char **body, struct base_error *error) {
    const struct text_block *before = NULL;
    bool done = false;
    do {
        if (!text_read(&reader->text, before, reader->next, error))
            return false;
        swap_blocks(reader);
        before = reader->block;
        const char *line = before->text, *const end = line + before->length;
        while (line < end && !done) {
            const char *line_end = memchr(line, '\n', (size_t)(end - line));
            if (!read_head_line(reader, line, line_end, &done, error))
                return false;
            line = line_end + 1;
        }
        *body = line;
    } while (!done && !reader->text.ended);
    return done || base_failure(error, "it ends before its line of sizes");
}

/* ---------------------------------------------------------------- entries */

static bool allocate_pieces(struct reader *reader, struct base_error *error) {
    const size_t entries = PIECE / MARKET_SHORTEST_LINE * (reader->head.symmetry == MARKET_GENERAL ? 1 : 2);
    for (size_t i = 0; i < reader->room; i++) {
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

/* Cuts text into pieces of whole lines.  A line that crosses a piece's end belongs to the next one, unless it
 * is longer than a piece. */
static void cut(struct reader *reader, const char *text, const char *end) {
    reader->count = 0;
    while (text < end) {
        struct market_piece *piece = &reader->pieces[reader->count++];
        const char *most = end - text > PIECE ? text + PIECE : end;
        const char *last = memrchr(text, '\n', (size_t)(most - text));
        if (!last)
            last = memchr(most, '\n', (size_t)(end - most));
        piece->text = text;
        piece->end = text = last + 1;
    }
}

/* Item 0 is the next block, which takes longest if it is compressed; the others are the pieces. */
static void work(void *argument, size_t i) {
    struct reader *reader = argument;
    if (i)
        market_read_piece(&reader->pieces[i - 1]);
    else if (!reader->text.ended)
        reader->failed = !text_read(&reader->text, reader->block, reader->next, reader->error);
    else
        reader->next->length = 0;
}

static void copy(void *argument, size_t i) {
    const struct reader *reader = argument;
    const struct market_piece *piece = &reader->pieces[i];
    const struct matrix_triplets *to = &reader->triplets;
    const size_t index = to->index_bytes, width = to->width, place = reader->places[i];
    memcpy((char *)to->row + place * index, piece->rows, piece->entries * index);
    memcpy((char *)to->col + place * index, piece->cols, piece->entries * index);
    memcpy((char *)to->value + place * width, piece->values, piece->entries * width);
}

/* Puts the pieces' entries behind those before. */
static bool append(struct reader *reader, struct base_error *error) {
    struct matrix_triplets *to = &reader->triplets;
    const struct market_head *head = &reader->head;
    for (size_t i = 0; i < reader->count; i++) {
        const struct market_piece *piece = &reader->pieces[i];
        reader->lines += piece->lines;
        if (piece->failed)
            return refuse(reader->lines + 1, piece->error.text, error);
        reader->places[i] = to->entries;
        to->entries += piece->entries;
        reader->read += piece->read;
    }
    if (reader->read > head->entries)
        return base_failure(error, "it has more entries than the %llu of its line %llu",
                            (unsigned long long)head->entries, (unsigned long long)head->size_line);
    if (!matrix_triplets_reserve(to, to->entries, error))
        return false;
    matrix_share(copy, reader, reader->count);
    return true;
}

/* Reads the entries from `body` on, which is in the block. */
static bool read_body(struct reader *reader, const char *body, uint64_t size,
                      const struct matrix_watch *watch, struct base_error *error) {
    const struct market_head *head = &reader->head;
    reader->error = error;
    cut(reader, body, reader->block->text + reader->block->length);
    for (;;) {
        const bool ended = reader->text.ended;
        matrix_share(work, reader, reader->count + 1);
        if (!append(reader, error) || reader->failed)
            return false;
        matrix_show(watch, "reads", text_offset(&reader->text), size);
        if (ended)
            break;
        swap_blocks(reader);
        cut(reader, reader->block->text, reader->block->text + reader->block->length);
    }
    return reader->read == head->entries ||
           base_failure(error, "it has %llu entr%s, but %llu by its line %llu",
                        (unsigned long long)reader->read, reader->read == 1 ? "y" : "ies",
                        (unsigned long long)head->entries, (unsigned long long)head->size_line);
}

/* ---------------------------------------------------------------- the whole */

/* How many pieces a block of a file of this size has.  Compressed, it may be several times as long. */
static size_t count_pieces(uint64_t size) {
    const uint64_t most = matrix_threads() * PIECES_EACH, enough = size / (PIECE / 4) + 1;
    return enough < most ? enough : most;
}

static bool open_reader(struct reader *reader, int file, uint64_t size, struct base_error *error) {
    const size_t pieces = count_pieces(size);
    decimal_prepare();
    reader->block = &reader->blocks[0];
    reader->next = &reader->blocks[1];
    reader->room = 2 * pieces + 1; /* two that follow one another have more than PIECE bytes */
    if (!text_open(&reader->text, file, pieces * PIECE, error) ||
        !text_allocate(&reader->text, reader->block, error) ||
        !text_allocate(&reader->text, reader->next, error))
        return false;
    reader->pieces = calloc(reader->room, sizeof *reader->pieces);
    reader->places = calloc(reader->room, sizeof *reader->places);
    return (reader->pieces && reader->places) || base_failure(error, "out of memory");
}

static void close_reader(struct reader *reader) {
    for (size_t i = 0; reader->pieces && i < reader->room; i++) {
        free(reader->pieces[i].rows);
        free(reader->pieces[i].cols);
        free(reader->pieces[i].values);
    }
    free(reader->pieces);
    free(reader->places);
    free(reader->blocks[0].text);
    free(reader->blocks[1].text);
    text_close(&reader->text);
}

/* Those that the file can have, where its head says more; with those on the other side of the diagonal, which
 * itself has no more than one per row. */
static uint64_t least_entries(const struct market_head *head, uint64_t size) {
    const uint64_t most = MOST_RATIO * size / MARKET_SHORTEST_LINE,
                   lines = head->entries < most ? head->entries : most;
    return head->symmetry != MARKET_GENERAL && lines > head->rows ? 2 * lines - head->rows : lines;
}

static bool read_all(struct reader *reader, uint64_t size, const struct matrix_watch *watch,
                     struct base_error *error) {
    const struct market_head *head = &reader->head;
    struct matrix_triplets *triplets = &reader->triplets;
    const char *body = NULL;
    if (!read_head(reader, &body, error))
        return false;
    triplets->rows = head->rows;
    triplets->cols = head->cols;
    triplets->index_bytes =
        matrix_index_bytes(head->rows, head->cols, head->entries << (head->symmetry != MARKET_GENERAL));
    triplets->width = head->field == MARKET_PATTERN ? 0 : head->field == MARKET_COMPLEX ? 16 : 8;
    return matrix_check_memory(head->rows, head->cols, least_entries(head, size), triplets->index_bytes,
                               triplets->width, error) &&
           allocate_pieces(reader, error) && read_body(reader, body, size, watch, error);
}

bool market_read(struct matrix *matrix, int file, uint64_t size, const struct matrix_watch *watch,
                 struct base_error *error) {
    static const enum matrix_kind kinds[] = {MATRIX_PATTERN, MATRIX_SIGNED, MATRIX_UNSIGNED, MATRIX_REAL,
                                             MATRIX_COMPLEX};
    struct reader reader = {.failed = false};
    const bool good = open_reader(&reader, file, size, error) && read_all(&reader, size, watch, error);
    close_reader(&reader);
    *matrix = (struct matrix){.kind = kinds[reader.head.field]};
    if (good)
        return matrix_of_triplets(matrix, &reader.triplets, watch, error);
    matrix_triplets_free(&reader.triplets);
    return false;
}
