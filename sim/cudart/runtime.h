/* What the files of the CUDA runtime API share.
 *
 * The runtime is made of driver API calls alone (cu*, of cuda.h): it keeps the registered kernels and
 * variables, each thread's device and last error, and makes a device's primary context current where the
 * program left that to the runtime.  Handles of streams, events, pools and graphs are the driver's own, and
 * an error's number is the driver's wherever the two agree.
 *
 * names.h puts rt_ before the name of every function of the runtime: cudaMalloc is written as such here,
 * and checked against NVIDIA's declaration, but is rt_cudaMalloc to the compiler.
 *
 * Everything here may be called from any thread.
 */
#ifndef WIDELOAD_SIM_CUDART_RUNTIME_H
#define WIDELOAD_SIM_CUDART_RUNTIME_H

#include "names.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- errors (error.c) */

/* Keeps a failure as the calling thread's last error; returns it.  Every function of the API ends with it. */
cudaError_t runtime_result(cudaError_t error);
/* The same for the driver's answer. */
cudaError_t runtime_driver_result(CUresult error);
/* Says in the log which function is missing; cudaErrorNotSupported. */
cudaError_t runtime_unsupported(const char *name);
/* One line on stderr, when WIDELOAD_LOG=1. */
void runtime_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One line on stderr, or in the records of `wideload prof`: what keeps the program from running at all. */
void runtime_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---------------------------------------------------------------- contexts (context.c) */

/* The driver is ready: for calls that need no context. */
CUresult runtime_initialize(void);
/* The driver is ready and the thread has a current context: its device's primary one, unless the program
 * made another current itself.  For every call that does something. */
CUresult runtime_enter(void);
/* The device that the thread's calls go to. */
int runtime_device(void);
/* A device's primary context. */
CUresult runtime_primary(int device, CUcontext *out);
/* The per-thread default stream for the default stream, as _ptsz functions mean it. */
cudaStream_t runtime_per_thread(cudaStream_t stream);

/* ---------------------------------------------------------------- registered code (registration.c) */

/* What the driver calls a kernel that the program launches by its host function, or by a handle that
 * cudaGetKernel or cudaLibraryGetKernel gave.  Errors: INVALID_DEVICE_FUNCTION, and those of loading. */
cudaError_t runtime_kernel(const void *function, CUkernel *out);
/* nvcc's <<<>>> asks once for what it launches, by the host function, and keeps it: loading, and its failure,
 * are each launch's.  NULL: no such kernel is registered. */
struct symbol;
struct symbol *runtime_registered(const void *function);
cudaError_t runtime_registered_kernel(struct symbol *symbol, CUkernel *out);
/* The driver's form of a launch's configuration; it points at the same attributes.  False: it asks for more
 * shared memory than a number holds. */
bool runtime_launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out);

/* Where a __device__, __constant__ or __managed__ variable lies, by its host shadow.
 * Errors: INVALID_SYMBOL, and those of loading. */
cudaError_t runtime_symbol(const void *symbol, CUdeviceptr *address, size_t *size);
/* The host function of a kernel, or, for one that has none, its handle: what runtime_kernel() takes. */
void *runtime_function(CUkernel kernel);
/* Lets runtime_kernel know a handle that the program got. */
cudaError_t runtime_know_kernel(CUkernel kernel);
/* The handles of a library's kernels are of no use any more. */
void runtime_forget_library(CUlibrary library);
/* After a fork: nobody holds the lock. */
void runtime_registration_unlock(void);

/* ---------------------------------------------------------------- copies (copy_box.c, copy.c) */

/* What the driver calls a copy.  Errors: INVALID_VALUE, INVALID_PITCH_VALUE, INVALID_MEMCPY_DIRECTION,
 * NOT_SUPPORTED for CUDA arrays. */
cudaError_t runtime_copy_3d(CUDA_MEMCPY3D *out, const struct cudaMemcpy3DParms *p);
cudaError_t runtime_copy_1d(CUDA_MEMCPY3D *out, void *to, const void *from, size_t count,
                            enum cudaMemcpyKind kind);
/* What a program that asks is told of it. */
struct cudaMemcpy3DParms runtime_copy_params(const CUDA_MEMCPY3D *copy);
/* The part of a variable that a copy means.  Errors: INVALID_SYMBOL, INVALID_VALUE. */
cudaError_t runtime_symbol_part(const void *symbol, size_t count, size_t offset, void **out);

/* ---------------------------------------------------------------- the exports (entries.c, made) */

struct runtime_entry {
    const char *name;
    void *function, *function_v12; /* the same where CUDA 12 and 13 agree */
};
extern const struct runtime_entry runtime_entries[];
extern const size_t runtime_entry_count;

#endif
