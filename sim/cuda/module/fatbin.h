/* Fat binaries, as nvcc and fatbinary write them: find the PTX inside.
 *
 * A fat binary is a 16-byte header and entries, each machine code or PTX for one architecture, plain or
 * compressed (LZ4 block, zstd frame).  Programs hand over either the thing itself or the 24-byte wrapper
 * that nvcc puts into .nvFatBinSegment, which points at it.
 */
#ifndef WIDELOAD_SIM_CUDA_FATBIN_H
#define WIDELOAD_SIM_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/cuda/module/architecture.h"

enum fatbin_status {
    FATBIN_OK,
    FATBIN_OTHER,   /* it does not begin as a fat binary does */
    FATBIN_CORRUPT, /* truncated, or its lengths or contents contradict each other */
    FATBIN_NO_PTX,  /* none that the device takes */
    FATBIN_NO_MEMORY,
    FATBIN_LINKED, /* device-linked parts (-rdc=true): fatbin_find_parts() has them */
};

struct fatbin_ptx {
    const char *text; /* of size bytes, without a NUL; points into the fat binary or to owned */
    size_t size;
    char *owned;    /* NULL, or to be freed */
    char name[128]; /* the source's, where the entry says it; else "" */
    struct architecture made_for;
};

/* Chooses the PTX that a driver would take for a device of this capability.  Where it would take machine code
 * instead: the PTX that this was compiled from, else the nearest to it that the device takes, else the
 * nearest plain one. size: how many bytes may be read; SIZE_MAX when only the image itself says.  Every
 * length inside is checked against it and against the lengths around it.  reason gets one line for what is
 * not FATBIN_OK. */
enum fatbin_status fatbin_find_ptx(const void *image, size_t size, unsigned capability,
                                   struct fatbin_ptx *out, char *reason, size_t reason_size);

struct fatbin_code {
    const void *code; /* an ELF file of size bytes; points into the fat binary or to owned */
    size_t size;
    void *owned;       /* NULL, or to be freed */
    unsigned made_for; /* 90: sm_90 or sm_90a */
};

/* The machine code that a device of this capability would run.  Also of a device-linked program, whose code
 * is one.  False: there is none, or it is damaged, which is no reason to refuse the PTX. */
bool fatbin_find_code(const void *image, size_t size, unsigned capability, struct fatbin_code *out);

/* fatbin_find_ptx() for a wrapper that may be of a device-linked program, whose parts are fat binaries of
 * their own: the PTX of each that has some.  FATBIN_NO_PTX: none has.  On FATBIN_OK *parts is to be given to
 * fatbin_free_parts(). */
enum fatbin_status fatbin_find_parts(const void *image, size_t size, unsigned capability,
                                     struct fatbin_ptx **parts, size_t *count, char *reason,
                                     size_t reason_size);
void fatbin_free_parts(struct fatbin_ptx *parts, size_t count);

#endif
