/* The lines of a source file. */
#ifndef WIDELOAD_PROF_SOURCE_H
#define WIDELOAD_PROF_SOURCE_H

#include <stddef.h>

struct prof_source {
    char *text;
    const char **lines;
    size_t count;
};

/* Empty when the file is not there, or too large to be a source. */
void prof_source_read(const char *path, struct prof_source *out);
void prof_source_free(struct prof_source *source);
/* Line 1 is the first; without the spaces around it, tabs as spaces; "" where there is none. */
void prof_source_line(const struct prof_source *source, unsigned line, char *out, size_t size);

#endif
