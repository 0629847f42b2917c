/* Arguments and results of a call that the simulator itself handles.  Private to sim/exec. */
#ifndef WIDELOAD_SIM_CALL_H
#define WIDELOAD_SIM_CALL_H

#include <string.h>

#include "sim/exec/worker.h"

static inline uint64_t sim_call_argument(const struct sim_warp *w, const struct sim_call *call, size_t i,
                                         unsigned lane) {
    const struct sim_frame_param *p = &call->arguments[i];
    uint64_t value = 0;
    memcpy(&value, w->base[0] + p->offset + lane * p->stride, p->size < 8 ? p->size : 8);
    return value;
}

static inline void sim_call_return(struct sim_warp *w, const struct sim_call *call, unsigned lane,
                                   uint64_t value) {
    const struct sim_frame_param *p = &call->results[0];
    memcpy(w->base[0] + p->offset + lane * p->stride, &value, p->size < 8 ? p->size : 8);
}

#endif
