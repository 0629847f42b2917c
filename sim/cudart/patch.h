/* Programs that carry the runtime inside them (nvcc's default, libcudart_static.a): their copies of its
 * functions are made to jump to ours. */
#ifndef WIDELOAD_SIM_CUDART_PATCH_H
#define WIDELOAD_SIM_CUDART_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of the runtime that an object holds. */
struct static_function {
    uintptr_t address; /* in the file's own numbering */
    size_t size;
    const char *name;
};

/* What an ELF file says about the runtime. */
struct static_runtime {
    struct static_function *functions;
    size_t count;
    bool has_kernels; /* there is a section .nv_fatbin */
    bool shared;      /* it asks for __cudaRegisterFatBinary: it was linked with -cudart shared */
    void *elf;        /* for static_runtime_free() */
    int file;
};

/* elf.c: false when the file cannot be read. */
bool static_runtime_read(const char *path, struct static_runtime *out);
void static_runtime_free(struct static_runtime *runtime);

#endif
