#ifndef WIDELOAD_SIM_CUDA_EVENT_H
#define WIDELOAD_SIM_CUDA_EVENT_H

#include "sim/cuda/driver.h"

/* Errors: OUT_OF_MEMORY. */
CUresult event_create(CUcontext context, unsigned flags, CUevent *out);
/* Its name for other processes, the same each time.  No work may be in flight.  Errors: INVALID_HANDLE, also
 * for one that was not made with CU_EVENT_INTERPROCESS; OUT_OF_MEMORY. */
CUresult event_export(CUevent event, struct sim_share_name *name);
/* Stamps an event with the present moment.  Errors: INVALID_HANDLE. */
CUresult event_record(CUevent event);
/* Makes a stream wait for it, which matters to captures only.  Errors: INVALID_HANDLE, those of captures. */
CUresult event_wait(CUstream stream, CUevent event);

#endif
