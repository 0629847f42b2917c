/* Programs that contain the runtime (nvcc's default, libcudart_static.a): their copies of its functions are
 * patched to jump to ours.
 *
 * NVRTC: a program that compiles for its own device asks for machine code.  The PTX is available too, so the
 * function that returns the code is patched to return the PTX.  nvJitLink: see jitlink.h. */
#ifndef WIDELOAD_SIM_CUDART_PATCH_H
#define WIDELOAD_SIM_CUDART_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function of the runtime, of NVRTC or of nvJitLink in an object file. */
struct static_function {
    uintptr_t address; /* the file's own virtual address */
    size_t size;
    const char *name;
};

/* What an ELF file contains of the runtime. */
struct static_runtime {
    struct static_function *functions;
    size_t count;
    bool has_kernels; /* it has a section .nv_fatbin */
    bool has_symbols; /* it is not stripped */
    bool shared;      /* linked with -cudart shared: it imports __cudaRegisterFatBinary */
    void *elf;        /* for static_runtime_free() */
    int file;
};

/* elf.c: false if the file cannot be read. */
bool static_runtime_read(const char *path, struct static_runtime *out);
void static_runtime_free(struct static_runtime *runtime);

/* patch.c: patches the objects loaded since the last call.  Call with the loader's lock held, or before there
 * is a second thread. */
void patch_new_objects(void);

/* loader.c: makes the loader call mapped() whenever objects have been mapped, before their constructors run.
 * False: this system's loader has no such hook; libraries opened later keep their own runtime. */
bool loader_follow(void (*mapped)(void));

/* Writes a jump to target over JUMP_SIZE writable bytes: movabs $target, %r11; jmp *%r11.  No call preserves
 * %r11 or passes anything in it. */
enum { JUMP_SIZE = 13 };
void patch_jump(unsigned char *at, void *target);

#endif
