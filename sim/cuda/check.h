/* The checks as the driver has them: WIDELOAD_CHECK names them, and what they find goes to the file that
 * WIDELOAD_PROF_OUT names and, with WIDELOAD_LOG=1, to stderr. */
#ifndef WIDELOAD_SIM_CUDA_CHECK_H
#define WIDELOAD_SIM_CUDA_CHECK_H

#include "sim/cuda/driver.h"
#include "sim/exec/check/check.h"

/* Reads the environment.  Errors: INVALID_VALUE, OUT_OF_MEMORY, with the reason in the log. */
CUresult check_start(void);
void check_finish(void);
/* NULL when nothing is checked. */
struct sim_check *check_session(void);

/* After size bytes were copied; either side may be the host's own memory. */
void check_copied(const char *function, uint64_t to, uint64_t from, size_t size);
/* A range that a call must not name: text says why. */
void check_bad_range(const char *function, uint64_t address, size_t size, const char *where);
void check_bad_free(const char *function, uint64_t address);
/* The device memory that a context which ends has not freed. */
void check_leaks(CUcontext context);

#endif
