/* A set of texts.  It stores each text once, since records repeat the names of kernels and files; equal texts
 * have the same address. */
#ifndef WIDELOAD_PROF_NAMES_H
#define WIDELOAD_PROF_NAMES_H

#include <stddef.h>

struct prof_names {
    char **slots;
    size_t count, capacity;
};

/* Returns the set's copy of a text, valid until prof_names_free().  NULL: out of memory. */
const char *prof_names_keep(struct prof_names *names, const char *text);
void prof_names_free(struct prof_names *names);

#endif
