/* Which code a device accepts: CUDA's rules, as observed on an H200's driver (tests/h200/choices.txt).  Pure
 * functions. */
#ifndef WIDELOAD_SIM_CUDA_ARCHITECTURE_H
#define WIDELOAD_SIM_CUDA_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>

/* Among architectures of one number, in order of preference. */
enum architecture_kind {
    ARCHITECTURE_PLAIN,    /* 90: this device and later ones */
    ARCHITECTURE_FAMILY,   /* 100f: this device and later ones of its major version */
    ARCHITECTURE_SPECIFIC, /* 90a: only this device */
};

/* The target of a piece of code.  number is 10 * major + minor; 0: none. */
struct architecture {
    unsigned number;
    enum architecture_kind kind;
};

/* Parses "sm_90a" or "compute_100f", reading at most size bytes.  False: it is neither. */
bool architecture_parse(const char *text, size_t size, struct architecture *out);
/* "90a"; text has room for 16 bytes. */
const char *architecture_name(struct architecture architecture, char text[16]);

/* Whether a device of this capability runs machine code, or accepts PTX, for the architecture.  The
 * simulator's devices before 7.5, for which nvcc 13 makes no code, accept any plain PTX. */
bool architecture_runs_code(struct architecture code, unsigned capability);
bool architecture_takes_ptx(struct architecture ptx, unsigned capability);

/* Whether the device prefers a to b; it accepts both.  b.number 0: there is no b yet. */
bool architecture_comes_first(struct architecture a, struct architecture b, unsigned capability);
/* Whether a is nearer than b to `compiled`, the source of the machine code that the device would run; it
 * accepts both PTX a and b.  Equal is nearest, then the highest below, then the lowest above. */
bool architecture_is_nearer(struct architecture a, struct architecture b, struct architecture compiled);

#endif
