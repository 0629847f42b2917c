/* What machine code says of its kernels.  The simulator does not run it, but a fat binary that holds some
 * beside the PTX tells how many registers ptxas gave each kernel, which no PTX does; occupancy hangs on that.
 */
#ifndef WIDELOAD_SIM_CUDA_MACHINE_H
#define WIDELOAD_SIM_CUDA_MACHINE_H

#include <stddef.h>

struct machine_kernel {
    char *name;         /* mangled, as in PTX */
    unsigned registers; /* a thread */
};

struct machine_code {
    struct machine_kernel *kernels;
    size_t count;
};

/* The virtual architecture that a cubin was compiled from, 90 for compute_90; 0 where it does not say. */
unsigned machine_compiled_from(const void *cubin, size_t size);

/* Reads a cubin, which is an ELF file.  One that is damaged says nothing; so does a lack of memory. */
void machine_read(const void *cubin, size_t size, struct machine_code *out);
/* Registers a thread; 0 for a kernel that is not there. */
unsigned machine_registers(const struct machine_code *code, const char *name);
void machine_free(struct machine_code *code);

#endif
