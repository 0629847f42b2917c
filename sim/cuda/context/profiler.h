#ifndef WIDELOAD_SIM_CUDA_PROFILER_H
#define WIDELOAD_SIM_CUDA_PROFILER_H

/* The function of that name, or NULL. */
void *profiler_find(const char *name);

#endif
