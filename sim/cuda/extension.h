/* The simulator's exports that CUDA does not have; include/wideload.h documents them. */
#ifndef WIDELOAD_SIM_CUDA_EXTENSION_H
#define WIDELOAD_SIM_CUDA_EXTENSION_H

#include "wideload.h"

struct CUlinkState_st;

WL_API int wlSimGetCounters(struct wl_counters *out);
WL_API int wlSimResetCounters(void);
WL_API int wlSimSetArch(const char *arch);
WL_API const char *wlSimArch(void);
WL_API const char *wlSimArchAt(unsigned i, int *proved);
WL_API const char *wlSimLastError(void);
WL_API int wlSimStrictBounds(void);
/* cuLinkCreate() without a context, for nvJitLink's replacement.  max_registers: per thread; 0: no limit.
 * Pass the state to cuLinkAddData(), cuLinkComplete() and cuLinkDestroy(); they then need no context either.
 * The result is a CUresult. */
WL_API int wlSimLinkCreate(unsigned max_registers, struct CUlinkState_st **stateOut);

/* The function of that name; NULL if unknown. */
void *extension_find(const char *name);

#endif
