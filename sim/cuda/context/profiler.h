#ifndef WIDELOAD_SIM_CUDA_PROFILER_H
#define WIDELOAD_SIM_CUDA_PROFILER_H

/* The function of that name; NULL if unknown. */
void *profiler_find(const char *name);

#endif
