/* The driver's side of the checks: WIDELOAD_CHECK names them.  Findings go to the file that WIDELOAD_PROF_OUT
 * names and, with WIDELOAD_LOG=1, to stderr. */
#ifndef WIDELOAD_SIM_CUDA_CHECK_H
#define WIDELOAD_SIM_CUDA_CHECK_H

#include "sim/cuda/driver.h"
#include "sim/exec/check/check.h"

/* Reads the environment.  Errors: INVALID_VALUE, OUT_OF_MEMORY, with the reason in the log. */
CUresult check_start(void);
void check_finish(void);
/* NULL if no check is on. */
struct sim_check *check_session(void);

/* Call after size bytes were copied; either side may be host memory. */
void check_copied(const char *function, uint64_t to, uint64_t from, size_t size);
/* Reports a range that a call must not name; where describes the range. */
void check_bad_range(const char *function, uint64_t address, size_t size, const char *where);
void check_bad_free(const char *function, uint64_t address);
/* Reports device memory not freed by a context that is being destroyed. */
void check_leaks(CUcontext context);

#endif
