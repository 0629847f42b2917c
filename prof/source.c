#include "prof/source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "base/utf8.h"

enum { LARGEST = 64 << 20 };

static bool read_all(FILE *file, size_t size, struct prof_source *out) {
    out->text = malloc(size + 1);
    if (!out->text)
        return false;
    out->text[fread(out->text, 1, size, file)] = 0;
    size_t count = 1;
    for (const char *c = out->text; *c; c++)
        count += *c == '\n';
    out->lines = malloc(count * sizeof *out->lines);
    if (!out->lines)
        return false;
    for (char *c = out->text; *c; c += *c == '\n') { /* a newline ends a line, and begins none */
        out->lines[out->count++] = c;
        c += strcspn(c, "\n");
    }
    return true;
}

void prof_source_read(const char *path, struct prof_source *out) {
    struct stat status;
    *out = (struct prof_source){0};
    /* The records may name anything: open only a regular file. */
    if (stat(path, &status) || !S_ISREG(status.st_mode) || status.st_size > LARGEST)
        return;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!read_all(file, (size_t)status.st_size, out))
        prof_source_free(out);
    fclose(file);
}

void prof_source_free(struct prof_source *source) {
    free(source->text);
    free(source->lines);
    *source = (struct prof_source){0};
}

/* Copies `length` bytes in UTF-8; never cuts within a character. */
static void put_plain(const char *text, size_t length, char *out, size_t size) {
    if (length >= size)
        length = size - 1;
    for (size_t i = 0; i < length; i++)
        out[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    out[length] = 0;
    char *plain = base_utf8(out);
    if (!plain)
        return;
    length = strlen(plain) < size ? strlen(plain) : size - 1;
    while (length && ((unsigned char)plain[length] & 0xc0) == 0x80)
        length--;
    memcpy(out, plain, length);
    out[length] = 0;
    free(plain);
}

void prof_source_line(const struct prof_source *source, unsigned line, char *out, size_t size) {
    out[0] = 0;
    if (line < 1 || line > source->count)
        return;
    const char *text = source->lines[line - 1];
    size_t length = strcspn(text, "\r\n");
    while (length && (*text == ' ' || *text == '\t'))
        text++, length--;
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    put_plain(text, length, out, size);
}

void prof_source_text(const struct prof_source *source, unsigned line, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    if (line < 1 || line > source->count)
        return;
    const char *text = source->lines[line - 1];
    for (; (*text == ' ' || *text == '\t') && used + 4 < size; text++)
        used += (size_t)snprintf(out + used, size - used, "%s", *text == '\t' ? "    " : " ");
    put_plain(text, strcspn(text, "\r\n"), out + used, size - used);
}
