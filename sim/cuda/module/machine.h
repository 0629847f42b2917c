/* Facts about kernels in machine code.  The simulator does not run machine code, but if a fat binary has some
 * beside the PTX, it gives the number of registers that ptxas allocated to each kernel.  PTX does not have
 * that number, and occupancy depends on it.
 */
#ifndef WIDELOAD_SIM_CUDA_MACHINE_H
#define WIDELOAD_SIM_CUDA_MACHINE_H

#include <stddef.h>

struct machine_kernel {
    char *name;         /* mangled, as in PTX */
    unsigned registers; /* per thread */
};

struct machine_code {
    struct machine_kernel *kernels;
    size_t count;
};

/* The virtual architecture that a cubin was compiled from, 90 for compute_90; 0 if unknown. */
unsigned machine_compiled_from(const void *cubin, size_t size);

/* Reads a cubin, which is an ELF file.  *out is empty if it is damaged or memory is short. */
void machine_read(const void *cubin, size_t size, struct machine_code *out);
/* Registers per thread; 0 for an unknown kernel. */
unsigned machine_registers(const struct machine_code *code, const char *name);
void machine_free(struct machine_code *code);

#endif
