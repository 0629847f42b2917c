/* The text of a file, plain or compressed by gzip, in blocks of whole lines. */
#ifndef WIDELOAD_MATRIX_TEXT_H
#define WIDELOAD_MATRIX_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/error.h"

struct text {
    gzFile file;
    size_t room; /* bytes of a block */
    bool ended;
};

struct text_block {
    char *text;
    size_t length; /* in bytes: whole lines, the file's last with an end, too */
    size_t rest;   /* bytes behind them, of a line that goes on in the next block */
};

/* Takes the descriptor over, in any case.  room: the longest line that can be read has so many bytes. */
bool text_open(struct text *text, int file, size_t room, struct base_error *error);
bool text_allocate(const struct text *text, struct text_block *block, struct base_error *error);

/* Reads what follows the block `before`; NULL: the beginning.  A block of length 0 is read only at the end of
 * the file, where `ended` is set.  Messages do not name the file. */
bool text_read(struct text *text, const struct text_block *before, struct text_block *block,
               struct base_error *error);

/* How many bytes of the file have been read, before they were decompressed. */
uint64_t text_offset(const struct text *text);

void text_close(struct text *text);

#endif
