/* A launch's samples as JSON: kinds of requests and maps of arrays.  docs/prof.md describes both. */
#ifndef WIDELOAD_SIM_CUDA_PROFILE_SAMPLES_H
#define WIDELOAD_SIM_CUDA_PROFILE_SAMPLES_H

#include "sim/cuda/record/profile_text.h"
#include "sim/exec/sample/sample.h"

/* Writes an array of objects, the kind with the most requests first.  Sorts the list. */
void profile_kinds_put(struct sim_kind **kinds, struct profile_text *text);
/* Appends an object to a list of them without its brackets. */
void profile_array_put(const struct sim_array *array, struct profile_text *text);

#endif
