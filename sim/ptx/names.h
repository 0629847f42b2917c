/* Names, each stored once: a name's text is compared as a pointer from then on, and what it stands for at the
 * point that the parser has reached hangs on it (scope.h).
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
    const char *text; /* NUL-ended, in the module's arena */
    size_t length;
    uint64_t hash;
    struct ptx_binding *binding;     /* what it stands for, innermost scope first */
    struct ptx_range *range;         /* %r of %r<12>, innermost scope first */
    struct ptx_wanted *wanted;       /* references to a label not yet seen, innermost scope first */
    const struct ptx_opcode *opcode; /* its words, when an instruction has used it as its opcode */
};

struct ptx_names {
    struct ptx_name **slots; /* open addressing; capacity is a power of two */
    size_t capacity, count;
    struct ptx_arena *texts;   /* where the texts live: as long as the module */
    struct ptx_arena *scratch; /* where the rest lives: as long as the parser */
};

/* NULL: no such name. */
struct ptx_name *ptx__names_find(const struct ptx_names *names, const char *text, size_t length);

/* The one name with this text, made when there is none.  NULL: out of memory. */
struct ptx_name *ptx__names_add(struct ptx_names *names, const char *text, size_t length);

#endif
