#include "matrix/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool text_open(struct text *text, int file, size_t room, struct base_error *error) {
    *text = (struct text){.room = room, .file = gzdopen(file, "r")};
    if (!text->file) {
        close(file);
        return base_failure(error, "out of memory");
    }
    gzbuffer(text->file, 256 << 10);
    return true;
}

bool text_allocate(const struct text *text, struct text_block *block, struct base_error *error) {
    *block = (struct text_block){.text = malloc(text->room + 1)}; /* with the last line's end */
    return block->text || base_failure(error, "out of memory");
}

static bool failed(const struct text *text, struct base_error *error) {
    int number;
    gzerror(text->file, &number);
    if (number == Z_ERRNO)
        return base_failure(error, "it cannot be read: %s", strerror(errno));
    if (number == Z_MEM_ERROR)
        return base_failure(error, "out of memory");
    return base_failure(error, "its compressed data are %s", number == Z_BUF_ERROR ? "cut short" : "damaged");
}

bool text_read(struct text *text, const struct text_block *before, struct text_block *block,
               struct base_error *error) {
    size_t filled = before ? before->rest : 0;
    int number;
    if (before)
        memmove(block->text, before->text + before->length, filled);
    while (!text->ended && filled < text->room) {
        const int part = gzread(text->file, block->text + filled, (unsigned)(text->room - filled));
        if (part < 0)
            return failed(text, error);
        filled += (size_t)part;
        text->ended = part == 0;
    }
    /* That the data are cut short is no error of the call that meets their end. */
    gzerror(text->file, &number);
    if (text->ended && number != Z_OK && number != Z_STREAM_END)
        return failed(text, error);
    if (text->ended && filled && block->text[filled - 1] != '\n')
        block->text[filled++] = '\n';
    const char *last = memrchr(block->text, '\n', filled);
    if (!last && filled)
        return base_failure(error, "it has a line of more than %zu bytes", text->room);
    block->length = last ? (size_t)(last - block->text) + 1 : 0;
    block->rest = filled - block->length;
    return true;
}

uint64_t text_offset(const struct text *text) {
    const z_off_t offset = gzoffset(text->file);
    return offset > 0 ? (uint64_t)offset : 0;
}

void text_close(struct text *text) {
    if (text->file)
        gzclose(text->file);
}
