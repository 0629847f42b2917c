/* Requests of memory as samples, and arrays as maps: what a page shows beyond counters.  The records have
 * them if the program ran for a page (docs/prof.md). */
#ifndef WIDELOAD_PROF_REQUESTS_H
#define WIDELOAD_PROF_REQUESTS_H

#include "picture/picture.h"
#include "prof/place.h"

enum prof_space {
    PROF_GLOBAL,
    PROF_SHARED,
    PROF_LOCAL,
    PROF_CLUSTER /* other blocks' shared memory */,
    PROF_SPACES
};

/* The requests of a line that took equally many transactions in one space, and the first of them as an
 * example. */
struct prof_kind {
    enum prof_space space;
    uint64_t requests;
    unsigned transactions;  /* of each */
    uint64_t moved, useful; /* bytes of all of them together */
    /* The example. */
    unsigned block[3], warp; /* the block, and the warp in it, that made it */
    enum count_kind access;
    bool skips_l1, increment, compare; /* as in struct count_access */
    unsigned bytes;                    /* per lane */
    uint32_t mask;
    uint64_t address[32]; /* in shared and local memory an offset; 0 outside mask */
};

enum { PROF_PARTS = 128 };

/* A part of an array: the bytes that requests moved to and from it. */
struct prof_cell {
    uint64_t read_useful, read_moved, written_useful, written_moved;
};

/* What launches did to an array. */
struct prof_array {
    int64_t process;
    uint64_t serial;  /* the process's how-manieth allocation; 0: all that lies in no other array */
    uint64_t address; /* of its first byte */
    uint64_t size;    /* bytes; 0 if serial is 0 */
    uint64_t part;    /* bytes of a part: a power of two */
    size_t parts;     /* at most PROF_PARTS; the last one may have fewer bytes */
    struct prof_cell *cells;
    size_t cell_count; /* the parts after these are all 0 */
};

/* Where an array came from. */
struct prof_allocation {
    int64_t process;
    uint64_t serial, address, size;
    const char *kind;          /* "device", "managed", "host", "module" */
    const char *name;          /* a variable's, demangled; NULL: it is none */
    struct prof_frame *frames; /* of the call that allocated it, the innermost first; NULL: unknown */
    size_t frame_count;
};

#endif
