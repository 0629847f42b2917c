/* Programs that carry the runtime inside them (nvcc's default, libcudart_static.a): their copies of its
 * functions are made to jump to ours.
 *
 * NVRTC: a program that compiles for the device that it runs on asks for machine code.  The PTX is there just
 * as well, so the function that gives the one is made to give the other.  nvJitLink: jitlink.h. */
#ifndef WIDELOAD_SIM_CUDART_PATCH_H
#define WIDELOAD_SIM_CUDART_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of the runtime, of NVRTC or of nvJitLink, that an object holds. */
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
    bool has_symbols; /* it is not stripped */
    bool shared;      /* it asks for __cudaRegisterFatBinary: it was linked with -cudart shared */
    void *elf;        /* for static_runtime_free() */
    int file;
};

/* elf.c: false when the file cannot be read. */
bool static_runtime_read(const char *path, struct static_runtime *out);
void static_runtime_free(struct static_runtime *runtime);

/* patch.c: looks at the objects that were loaded since the last call.  Called with the loader's lock held, or
 * before there is a second thread. */
void patch_new_objects(void);

/* loader.c: has the loader call it whenever objects have been mapped, before their constructors run.  False:
 * this system's loader offers no way, and libraries that are opened later keep their own runtime. */
bool loader_follow(void (*mapped)(void));

/* Writes a jump to target over the JUMP_SIZE bytes at a place that is writable: movabs $target, %r11;
 * jmp *%r11: a register that no call preserves and none passes anything in. */
enum { JUMP_SIZE = 13 };
void patch_jump(unsigned char *at, void *target);

#endif
