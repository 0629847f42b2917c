/* Checks that the files that a command reads and writes are different files, however their paths are spelled.
 */
#ifndef WIDELOAD_BASE_PLACE_H
#define WIDELOAD_BASE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct base_place {
    const char *name; /* "--json", "the program": its name in messages */
    const char *path; /* "-": standard output; NULL: a stream or nothing */
    bool read;        /* not an output of this command: outputs must differ from it */
    bool is_stream;   /* the place is a descriptor; it is checked only if it is a regular file */
    int stream;
};

/* The path of the file that opening a missing file would create: dangling symbolic links are followed.  False
 * after too many links, or if the path is too long. */
bool base_place_follow(const char *path, char out[PATH_MAX]);

/* Whether a path names standard output: "-", /dev/stdout, /proc/self/fd/1 ... */
bool base_place_is_stdout(const char *path);

/* False if an output is the same file as another place, also through a link, another spelling, or the name of
 * a file that does not exist yet.  Several places may be /dev/null. */
bool base_places_check(const struct base_place *places, size_t count, struct base_error *error);

#endif
