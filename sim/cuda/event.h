#ifndef WIDELOAD_SIM_CUDA_EVENT_H
#define WIDELOAD_SIM_CUDA_EVENT_H

#include "sim/cuda/driver.h"

/* Stamps an event with the present moment.  Errors: INVALID_HANDLE. */
CUresult event_record(CUevent event);
/* Makes a stream wait for it, which matters to captures only.  Errors: INVALID_HANDLE, those of captures. */
CUresult event_wait(CUstream stream, CUevent event);

#endif
