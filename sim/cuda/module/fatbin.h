/* Fat binaries, as nvcc and fatbinary write them: finds the PTX inside.
 *
 * A fat binary is a 16-byte header and entries.  Each entry is machine code or PTX for one architecture,
 * plain or compressed (LZ4 block, zstd frame).  Programs pass either the fat binary itself or the 24-byte
 * wrapper that nvcc puts into .nvFatBinSegment, which points to it.
 */
#ifndef WIDELOAD_SIM_CUDA_FATBIN_H
#define WIDELOAD_SIM_CUDA_FATBIN_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/cuda/module/architecture.h"

enum fatbin_status {
    FATBIN_OK,
    FATBIN_OTHER,   /* does not begin as a fat binary */
    FATBIN_CORRUPT, /* truncated, or its lengths or contents contradict each other */
    FATBIN_NO_PTX,  /* none that the device accepts */
    FATBIN_NO_MEMORY,
    FATBIN_LINKED, /* device-linked parts (-rdc=true): use fatbin_find_parts() */
};

struct fatbin_ptx {
    const char *text; /* size bytes, without a NUL; points into the fat binary or to owned */
    size_t size;
    char *owned;    /* NULL, or freed by the caller */
    char name[128]; /* the source's name, if the entry has one; else "" */
    struct architecture made_for;
};

/* Chooses the PTX that a driver would take for a device of this capability.  If a driver would take machine
 * code instead: the PTX that it was compiled from, else the nearest to it that the device accepts, else the
 * nearest plain one.  size: the number of readable bytes; SIZE_MAX if only the image itself says.  Every
 * length inside is checked against it and against the lengths around it.  reason gets one line unless the
 * result is FATBIN_OK. */
enum fatbin_status fatbin_find_ptx(const void *image, size_t size, unsigned capability,
                                   struct fatbin_ptx *out, char *reason, size_t reason_size);

struct fatbin_code {
    const void *code; /* an ELF file of size bytes; points into the fat binary or to owned */
    size_t size;
    void *owned;       /* NULL, or freed by the caller */
    unsigned made_for; /* 90: sm_90 or sm_90a */
};

/* The machine code that a device of this capability would run, also from a device-linked program.  False:
 * there is none or it is damaged, which is no reason to reject the PTX. */
bool fatbin_find_code(const void *image, size_t size, unsigned capability, struct fatbin_code *out);

/* fatbin_find_ptx() for a wrapper that may be a device-linked program, whose parts are separate fat binaries:
 * finds the PTX of each part that has some.  FATBIN_NO_PTX: none has.  On FATBIN_OK the caller frees *parts
 * with fatbin_free_parts(). */
enum fatbin_status fatbin_find_parts(const void *image, size_t size, unsigned capability,
                                     struct fatbin_ptx **parts, size_t *count, char *reason,
                                     size_t reason_size);
void fatbin_free_parts(struct fatbin_ptx *parts, size_t count);

#endif
