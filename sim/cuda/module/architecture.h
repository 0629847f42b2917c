/* Which code a device takes: CUDA's rules, as an H200's driver was seen to follow them
 * (tests/h200/choices.txt).  Pure functions. */
#ifndef WIDELOAD_SIM_CUDA_ARCHITECTURE_H
#define WIDELOAD_SIM_CUDA_ARCHITECTURE_H

#include <stdbool.h>
#include <stddef.h>

/* In order of preference among those of one number. */
enum architecture_kind {
    ARCHITECTURE_PLAIN,    /* 90: this device and later ones */
    ARCHITECTURE_FAMILY,   /* 100f: this device and later ones of its major version */
    ARCHITECTURE_SPECIFIC, /* 90a: this device alone */
};

/* What code was made for.  number is 10 * major + minor; 0: nothing. */
struct architecture {
    unsigned number;
    enum architecture_kind kind;
};

/* "sm_90a" or "compute_100f", of which at most size bytes are read.  False: it is neither. */
bool architecture_parse(const char *text, size_t size, struct architecture *out);
/* "90a"; text has room for 16 bytes. */
const char *architecture_name(struct architecture architecture, char text[16]);

/* Whether a device of this capability runs machine code, or takes PTX, made for the architecture.  The
 * simulator's devices before 7.5, for which nvcc 13 makes no code, take any plain PTX. */
bool architecture_runs_code(struct architecture code, unsigned capability);
bool architecture_takes_ptx(struct architecture ptx, unsigned capability);

/* Of two that the device runs or takes: a comes before b.  b.number 0: there is no b yet. */
bool architecture_comes_first(struct architecture a, struct architecture b, unsigned capability);
/* Of PTX that the device takes, where it would run machine code that was compiled from `compiled`: a comes
 * nearer to that than b.  The same is nearest, then the highest below, then the lowest above. */
bool architecture_is_nearer(struct architecture a, struct architecture b, struct architecture compiled);

#endif
