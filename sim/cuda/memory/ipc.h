/* What the driver's other files ask of interprocess memory. */
#ifndef WIDELOAD_SIM_CUDA_IPC_H
#define WIDELOAD_SIM_CUDA_IPC_H

#include "sim/cuda/memory/memory.h"

/* Whether cuIpcGetMemHandle takes it: cuMemAlloc's.  NULL is allowed. */
bool ipc_is_capable(const struct allocation *allocation);
/* An import that its context releases is open no longer. */
void ipc_forget(const struct allocation *allocation);

#endif
