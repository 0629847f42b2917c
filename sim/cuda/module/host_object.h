/* Host objects (.o) and static libraries (.a) written by nvcc: finds the fat binaries inside. */
#ifndef WIDELOAD_SIM_CUDA_HOST_OBJECT_H
#define WIDELOAD_SIM_CUDA_HOST_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

/* Receives one fat binary, valid only during the call; false stops the walk. */
typedef bool host_object_take(void *context, const void *fatbin, size_t size);

/* Passes each fat binary of an object, or of a library's objects, to take.  A section may hold several in
 * sequence.  False: not an ELF object or library, out of memory, or take stopped the walk. */
bool host_object_walk(const void *data, size_t size, host_object_take *take, void *context);

#endif
