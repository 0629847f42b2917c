/* Reads the lines of a source file. */
#ifndef WIDELOAD_PROF_SOURCE_H
#define WIDELOAD_PROF_SOURCE_H

#include <stddef.h>

struct prof_source {
    char *text;
    const char **lines;
    size_t count;
};

/* *out is empty if the file is missing, too large for a source or not a regular file. */
void prof_source_read(const char *path, struct prof_source *out);
void prof_source_free(struct prof_source *source);
/* Copies a line (the first is 1) in UTF-8, with tabs as four spaces; "" if there is no such line. */
void prof_source_text(const struct prof_source *source, unsigned line, char *out, size_t size);
/* Copies a line (the first is 1), trimmed and with tabs as spaces; "" if there is no such line. */
void prof_source_line(const struct prof_source *source, unsigned line, char *out, size_t size);

#endif
