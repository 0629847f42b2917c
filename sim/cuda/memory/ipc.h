/* Interprocess memory: declarations for the driver's other files. */
#ifndef WIDELOAD_SIM_CUDA_IPC_H
#define WIDELOAD_SIM_CUDA_IPC_H

#include "sim/cuda/memory/memory.h"

/* Whether cuIpcGetMemHandle accepts it: only cuMemAlloc's memory.  NULL is allowed. */
bool ipc_is_capable(const struct allocation *allocation);
/* Call when a context releases an import: it is no longer open. */
void ipc_forget(const struct allocation *allocation);

#endif
