/* The device's clocks and what slows them, from NVML (libnvidia-ml.so.1, opened at run time if it is there).
 */
#ifndef WIDELOAD_BENCH_CLOCKS_H
#define WIDELOAD_BENCH_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wideload.h"

struct bench_clocks; /* one device's */

/* NULL without NVML, and for a device that NVML does not know: there are no clocks then, which is no error.
 */
struct bench_clocks *bench_clocks_open(wl_context *context);
void bench_clocks_close(struct bench_clocks *clocks);

struct bench_clock_sample {
    double sm_mhz, memory_mhz; /* NaN where NVML does not say */
    uint64_t reasons;          /* BENCH_THROTTLE's bits and others of NVML's */
};

/* The clocks of this moment, so called while the device is busy.  False when nothing is known. */
bool bench_clocks_sample(struct bench_clocks *clocks, struct bench_clock_sample *out);
/* The highest clocks of the device; NaN where NVML does not say. */
void bench_clocks_most(struct bench_clocks *clocks, double *sm_mhz, double *memory_mhz);

/* What slows a clock, by the bits that NVML gives (nvmlClocksEventReason...).  An idle device, clocks that
 * somebody set, and a display's clocks are no throttling of a row. */
#define BENCH_THROTTLE(X)                                                                                    \
    X(sw_power_cap, 0x04)                                                                                    \
    X(hw_slowdown, 0x08)                                                                                     \
    X(sync_boost, 0x10)                                                                                      \
    X(sw_thermal_slowdown, 0x20)                                                                             \
    X(hw_thermal_slowdown, 0x40)                                                                             \
    X(hw_power_brake_slowdown, 0x80)

/* The i-th throttle reason that the bits hold, by name; NULL past the last. */
const char *bench_throttle_name(uint64_t reasons, size_t i);

#endif
