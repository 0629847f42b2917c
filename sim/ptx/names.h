/* Interned names: each text is stored once, so equal names are equal pointers.  A name also holds what it
 * stands for at the parser's current point (scope.h).
 */
#ifndef WIDELOAD_SIM_PTX_NAMES_H
#define WIDELOAD_SIM_PTX_NAMES_H

#include "sim/ptx/arena.h"

#include <stdint.h>

struct ptx_binding;
struct ptx_range;
struct ptx_wanted;
struct ptx_opcode;

struct ptx_name {
    const char *text; /* NUL-terminated, in the module's arena */
    size_t length;
    uint64_t hash;
    struct ptx_binding *binding;     /* what it stands for, innermost scope first */
    struct ptx_range *range;         /* %r of %r<12>, innermost scope first */
    struct ptx_wanted *wanted;       /* references to a label not yet defined, innermost scope first */
    const struct ptx_opcode *opcode; /* its words, once an instruction has used it as an opcode */
};

struct ptx_names {
    struct ptx_name **slots; /* open addressing; capacity is a power of two */
    size_t capacity, count;
    struct ptx_arena *texts;   /* lifetime of the texts: the module's */
    struct ptx_arena *scratch; /* lifetime of the rest: the parser's */
};

/* NULL if there is no such name. */
struct ptx_name *ptx__names_find(const struct ptx_names *names, const char *text, size_t length);

/* The name with this text, added if it is new.  NULL on out-of-memory. */
struct ptx_name *ptx__names_add(struct ptx_names *names, const char *text, size_t length);

#endif
