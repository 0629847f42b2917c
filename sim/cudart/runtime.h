/* The CUDA runtime API: declarations shared by its files.
 *
 * The runtime uses only driver API calls (cu*, of cuda.h).  It keeps the registered kernels and variables,
 * and each thread's device and last error; it makes a device's primary context current if the program has not
 * chosen one.  Handles of streams, events, pools and graphs are the driver's own.  Error numbers equal the
 * driver's wherever both define them.
 *
 * names.h prefixes every function of the runtime with rt_: cudaMalloc is written and checked against NVIDIA's
 * declaration as such, but compiled as rt_cudaMalloc.
 *
 * All functions are thread-safe.
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

/* Stores a failure as the calling thread's last error; returns it.  Every API function ends with it. */
cudaError_t runtime_result(cudaError_t error);
/* The same for a driver's error. */
cudaError_t runtime_driver_result(CUresult error);
/* Logs the missing function's name; returns cudaErrorNotSupported. */
cudaError_t runtime_unsupported(const char *name);
/* Prints one line on stderr if WIDELOAD_LOG=1. */
void runtime_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints one line on stderr or into the records of `wideload prof`, for errors that stop the program. */
void runtime_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---------------------------------------------------------------- contexts (context.c) */

/* Initializes the driver, for calls that need no context. */
CUresult runtime_initialize(void);
/* Initializes the driver and makes the device's primary context current, unless the thread has a current
 * context.  Call it in every function that does work. */
CUresult runtime_enter(void);
/* The device of the calling thread. */
int runtime_device(void);
/* A device's primary context. */
CUresult runtime_primary(int device, CUcontext *out);
/* Maps the default stream to the per-thread default stream, for _ptsz functions. */
cudaStream_t runtime_per_thread(cudaStream_t stream);

/* ---------------------------------------------------------------- registered code (registration.c) */

/* The driver's handle of a kernel, given by its host function or by a handle from cudaGetKernel or
 * cudaLibraryGetKernel.  Errors: INVALID_DEVICE_FUNCTION, and those of loading. */
cudaError_t runtime_kernel(const void *function, CUkernel *out);
/* nvcc's <<<>>> looks a kernel up once, by its host function, and keeps the result; each launch loads it if
 * necessary and reports that failure.  NULL: no such kernel is registered. */
struct symbol;
struct symbol *runtime_registered(const void *function);
cudaError_t runtime_registered_kernel(struct symbol *symbol, CUkernel *out);
/* Converts a launch's configuration to the driver's, which points to the same attributes.  False: the shared
 * memory size does not fit. */
bool runtime_launch_config(const cudaLaunchConfig_t *config, CUlaunchConfig *out);

/* The address of a __device__, __constant__ or __managed__ variable, by its host shadow.
 * Errors: INVALID_SYMBOL, and those of loading. */
cudaError_t runtime_symbol(const void *symbol, CUdeviceptr *address, size_t *size);
/* A kernel's host function or, if it has none, its handle: an argument for runtime_kernel(). */
void *runtime_function(CUkernel kernel);
/* Registers a handle that the program received, for runtime_kernel(). */
cudaError_t runtime_know_kernel(CUkernel kernel);
/* Invalidates the handles of a library's kernels. */
void runtime_forget_library(CUlibrary library);
/* Call after a fork: no thread holds the lock then. */
void runtime_registration_unlock(void);

/* ---------------------------------------------------------------- copies (copy_box.c, copy.c) */

/* Converts a copy to the driver's description.  Errors: INVALID_VALUE, INVALID_PITCH_VALUE,
 * INVALID_MEMCPY_DIRECTION, NOT_SUPPORTED for CUDA arrays. */
cudaError_t runtime_copy_3d(CUDA_MEMCPY3D *out, const struct cudaMemcpy3DParms *p);
cudaError_t runtime_copy_1d(CUDA_MEMCPY3D *out, void *to, const void *from, size_t count,
                            enum cudaMemcpyKind kind);
/* Converts a driver's description back, for queries. */
struct cudaMemcpy3DParms runtime_copy_params(const CUDA_MEMCPY3D *copy);
/* The address of a part of a variable.  Errors: INVALID_SYMBOL, INVALID_VALUE. */
cudaError_t runtime_symbol_part(const void *symbol, size_t count, size_t offset, void **out);

/* ---------------------------------------------------------------- the exports (entries.c, generated) */

struct runtime_entry {
    const char *name;
    void *function, *function_v12; /* equal if CUDA 12 and 13 agree */
};
extern const struct runtime_entry runtime_entries[];
extern const size_t runtime_entry_count;

#endif
