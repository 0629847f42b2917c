/* What the simulator exports beside CUDA's functions; include/wideload.h documents them. */
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
/* cuLinkCreate() for a caller that has no context: nvJitLink's stand-in.  max_registers: a thread's; 0: no
 * limit.  The state goes to cuLinkAddData(), cuLinkComplete() and cuLinkDestroy(); then none of them needs a
 * context.  The result is a CUresult. */
WL_API int wlSimLinkCreate(unsigned max_registers, struct CUlinkState_st **stateOut);

/* The function of that name, or NULL. */
void *extension_find(const char *name);

#endif
