/* Whether the files that a command reads and writes are different ones, however they are spelled. */
#ifndef WIDELOAD_BASE_PLACE_H
#define WIDELOAD_BASE_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct base_place {
    const char *name; /* "--json", "the program": as messages name it */
    const char *path; /* "-": standard output; NULL: none, unless it is a stream */
    bool read;      /* the command reads it, or something else writes it: only outputs must differ from it */
    bool is_stream; /* instead of a path: a descriptor, which counts where it is a regular file */
    int stream;
};

/* The file that would be made where nothing stands: a link that leads nowhere is followed.  False where it
 * leads too far. */
bool base_place_follow(const char *path, char out[PATH_MAX]);

/* Whether a path is another name of standard output: "-", /dev/stdout, /proc/self/fd/1 ... */
bool base_place_is_stdout(const char *path);

/* False where an output is the same file as another place, by a link, another spelling or a name that is
 * still to be made.  /dev/null may be given to several. */
bool base_places_check(const struct base_place *places, size_t count, struct base_error *error);

#endif
