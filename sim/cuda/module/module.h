/* Modules, functions, libraries and kernels: the driver's records of loaded code. */
#ifndef WIDELOAD_SIM_CUDA_MODULE_H
#define WIDELOAD_SIM_CUDA_MODULE_H

#include "sim/cuda/driver.h"
#include "sim/cuda/module/machine.h"

struct CUmod_st {
    struct object object;
    struct sim_module *sim;
    CUdevice device;
    unsigned compiled_for;
    struct CUfunc_st *functions; /* every .entry function, in the order of the PTX */
    size_t function_count;
    CUlibrary library; /* NULL: loaded by cuModuleLoad* */
    CUmodule next_of_library;
};

struct CUfunc_st {
    struct object object;
    CUmodule module;
    const struct sim_function *sim;
    struct sim_function_info info;
    bool registers_known;                 /* from machine code; otherwise an estimate */
    _Atomic int max_dynamic_shared;       /* bytes, set by cuFuncSetAttribute */
    _Atomic int carveout, cluster_policy; /* stored only */
    _Atomic bool non_portable_cluster;
    struct legacy_launch *legacy;    /* legacy.c's; NULL until one of its functions is called */
    _Atomic int required_cluster[3]; /* 0: not set; used only if the kernel was not compiled with one */
};

/* A copy of an image's PTX, the facts from its machine code, and its name in messages. */
struct image {
    char *text; /* owned, NUL-terminated */
    size_t size;
    char name[160];
    struct machine_code machine; /* machine code that came with the PTX; often empty */
    unsigned compiled_for;       /* 90: the architecture of the code that a GPU would run */
};

/* Where a caller of cuModuleLoadDataEx or cuLinkCreate wants its logs.  size_slot, an element of the option
 * values, holds the buffer's size on entry and receives the length written. */
struct jit_log {
    char *text;
    size_t size;
    void **size_slot;
};
struct jit_options {
    struct jit_log info, error;
    void **wall_time_slot;  /* receives a float: milliseconds */
    unsigned max_registers; /* per thread; 0: no limit */
};

/* jit.c.  Errors: INVALID_VALUE for an unknown option. */
CUresult jit_parse(unsigned count, const CUjit_option *options, void **values, struct jit_options *out);
/* Writes the logs: failure's text, or nothing if it is NULL. */
void jit_report(const struct jit_options *options, const char *failure, double milliseconds);

/* image.c: image is a fat binary, its wrapper, machine code (rejected) or PTX text.  size is SIZE_MAX if only
 * the image itself says how long it is.  name is NULL for an image from memory.  Failures go to log_error().
 */
CUresult image_read(const void *image, size_t size, const char *name, struct image *out);
CUresult image_read_file(const char *path, struct image *out);
/* Reads a whole file; the caller frees *data.  Errors: FILE_NOT_FOUND, OPERATING_SYSTEM, OUT_OF_MEMORY. */
CUresult image_file_read(const char *path, void **data, size_t *size);
/* Links several texts, which may use each other's symbols, into one image. */
CUresult image_link(const struct ptx_text *texts, size_t count, struct image *out);
void image_free(struct image *image);
/* limit_registers.c: 0 registers: no limit.  Errors: OUT_OF_MEMORY. */
CUresult image_limit_registers(struct image *image, unsigned registers);

/* module.c.  context may be NULL for a library's module that no context has used yet.  other: a module of the
 * same library, with which it shares the managed variables; NULL: none. */
CUresult module_load(CUcontext context, CUdevice device, const struct image *image, CUmodule other,
                     CUmodule *out);
void module_unload(CUmodule module);
CUresult module_find_function(CUmodule module, const char *name, CUfunction *out);

/* function.c: the function in this context for a CUfunction, or for a CUkernel passed as one. */
CUresult function_resolve(CUfunction handle, CUcontext context, CUfunction *out);
CUresult function_get_attribute(const struct CUfunc_st *function, CUfunction_attribute attribute, int *out);
CUresult function_set_attribute(struct CUfunc_st *function, CUfunction_attribute attribute, int value);

/* occupancy.c: blocks of this shape that a multiprocessor holds at once; 0 if they are too large. */
size_t occupancy_blocks(const struct CUfunc_st *function, size_t threads, size_t dynamic);

/* library.c: the kernel's function in a context; loads the library there if necessary. */
CUresult kernel_function(CUkernel kernel, CUcontext context, CUfunction *out);
/* Call when a library's module is unloaded with its context. */
void library_forget_module(CUlibrary library, CUmodule module);

#endif
