/* Modules, functions, libraries and kernels: what the driver keeps about loaded code. */
#ifndef WIDELOAD_SIM_CUDA_MODULE_H
#define WIDELOAD_SIM_CUDA_MODULE_H

#include "sim/cuda/driver.h"
#include "sim/cuda/module/machine.h"

struct CUmod_st {
    struct object object;
    struct sim_module *sim;
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
    bool registers_known;                 /* machine code says them; else they are an estimate */
    _Atomic int max_dynamic_shared;       /* bytes, as cuFuncSetAttribute left it */
    _Atomic int carveout, cluster_policy; /* heard, without effect */
    _Atomic bool non_portable_cluster;
    struct legacy_launch *legacy;    /* legacy.c's; NULL until the first of its functions is called */
    _Atomic int required_cluster[3]; /* 0: not set; only where the kernel was not compiled for some */
};

/* The PTX of an image, copied, what the machine code beside it says, and what to call it in messages. */
struct image {
    char *text; /* owned, NUL-ended */
    size_t size;
    char name[160];
    struct machine_code machine; /* of what came with the PTX; often nothing */
    unsigned compiled_for;       /* 90: what a GPU would run of it */
};

/* Where a caller of cuModuleLoadDataEx or cuLinkCreate wants its logs.  A size slot, an element of the
 * option values, holds the buffer's size on entry and gets the length written. */
struct jit_log {
    char *text;
    size_t size;
    void **size_slot;
};
struct jit_options {
    struct jit_log info, error;
    void **wall_time_slot;  /* gets a float: milliseconds */
    unsigned max_registers; /* a thread; 0: no limit */
};

/* jit.c.  Errors: INVALID_VALUE for an option that CUDA does not have. */
CUresult jit_parse(unsigned count, const CUjit_option *options, void **values, struct jit_options *out);
/* Writes the logs: failure's text, or nothing when it is NULL. */
void jit_report(const struct jit_options *options, const char *failure, double milliseconds);

/* image.c: image is a fat binary, its wrapper, machine code (refused) or PTX text; size is SIZE_MAX when
 * only the image itself says how long it is; name is NULL where it has none, for it comes from memory.
 * Failures go to log_error(). */
CUresult image_read(const void *image, size_t size, const char *name, struct image *out);
CUresult image_read_file(const char *path, struct image *out);
/* A whole file, to be given to free().  Errors: FILE_NOT_FOUND, OPERATING_SYSTEM, OUT_OF_MEMORY. */
CUresult image_file_read(const char *path, void **data, size_t *size);
/* Makes one image of several texts that use each other's symbols. */
CUresult image_link(const struct ptx_text *texts, size_t count, struct image *out);
void image_free(struct image *image);
/* limit_registers.c: 0 registers: no limit.  Errors: OUT_OF_MEMORY. */
CUresult image_limit_registers(struct image *image, unsigned registers);

/* module.c.  context may be NULL for a library's module that none has used yet. */
CUresult module_load(CUcontext context, const struct image *image, CUmodule *out);
void module_unload(CUmodule module);
CUresult module_find_function(CUmodule module, const char *name, CUfunction *out);

/* function.c: the function that a CUfunction, or a CUkernel passed as one, means in this context. */
CUresult function_resolve(CUfunction handle, CUcontext context, CUfunction *out);
CUresult function_get_attribute(const struct CUfunc_st *function, CUfunction_attribute attribute, int *out);
CUresult function_set_attribute(struct CUfunc_st *function, CUfunction_attribute attribute, int value);

/* occupancy.c: how many blocks of this shape a multiprocessor holds at once; 0: they are too large. */
size_t occupancy_blocks(const struct CUfunc_st *function, size_t threads, size_t dynamic);

/* library.c: the kernel's function in a context, loading the library there if need be. */
CUresult kernel_function(CUkernel kernel, CUcontext context, CUfunction *out);
/* Called when a library's module is unloaded with its context. */
void library_forget_module(CUlibrary library, CUmodule module);

#endif
