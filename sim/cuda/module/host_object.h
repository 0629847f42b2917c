/* Host objects (.o) and libraries of them (.a), as nvcc writes them: the fat binaries inside. */
#ifndef WIDELOAD_SIM_CUDA_HOST_OBJECT_H
#define WIDELOAD_SIM_CUDA_HOST_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Receives one fat binary; false stops the walk.  The bytes are valid during the call only. */
typedef bool host_object_take(void *context, const void *fatbin, size_t size);

/* Hands each fat binary of an object, or of a library's objects, to take.  A section may hold several, one
 * after the other.  False: this is neither an ELF object nor a library, memory is short, or take stopped it.
 */
bool host_object_walk(const void *data, size_t size, host_object_take *take, void *context);

#endif
