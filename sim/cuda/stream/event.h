#ifndef WIDELOAD_SIM_CUDA_EVENT_H
#define WIDELOAD_SIM_CUDA_EVENT_H

#include "sim/cuda/driver.h"

/* Errors: OUT_OF_MEMORY. */
CUresult event_create(CUcontext context, unsigned flags, CUevent *out);
/* Its name for other processes, the same at each call.  Call with no work in flight.  Errors: INVALID_HANDLE,
 * also for an event made without CU_EVENT_INTERPROCESS; OUT_OF_MEMORY. */
CUresult event_export(CUevent event, struct sim_share_name *name);
/* Stores the current time in an event.  Errors: INVALID_HANDLE. */
CUresult event_record(CUevent event);
/* Makes a stream wait for an event; only captures need it.  Errors: INVALID_HANDLE, those of captures. */
CUresult event_wait(CUstream stream, CUevent event);

#endif
