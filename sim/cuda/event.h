#ifndef WIDELOAD_SIM_CUDA_EVENT_H
#define WIDELOAD_SIM_CUDA_EVENT_H

#include "sim/cuda/driver.h"

/* Stamps an event with the present moment.  Errors: INVALID_HANDLE. */
CUresult event_record(CUevent event);

#endif
