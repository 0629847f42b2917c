/* Each distinct text once, for as long as the set lives: records repeat kernels' and files' names. */
#ifndef WIDELOAD_PROF_NAMES_H
#define WIDELOAD_PROF_NAMES_H

#include <stddef.h>

struct prof_names {
    char **slots;
    size_t count, capacity;
};

/* NULL: out of memory. */
const char *prof_names_keep(struct prof_names *names, const char *text);
void prof_names_free(struct prof_names *names);

#endif
