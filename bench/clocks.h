/* The device's clocks and what slows them, from NVML (libnvidia-ml.so.1, opened at run time if it is there).
 */
#ifndef WIDELOAD_BENCH_CLOCKS_H
#define WIDELOAD_BENCH_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wideload.h"

struct bench_clocks; /* of one device */

/* NULL without NVML and for a device that NVML does not know: this is not an error.  Every function below
 * takes NULL. */
struct bench_clocks *bench_clocks_open(wl_context *context);
void bench_clocks_close(struct bench_clocks *clocks);

struct bench_clock_sample {
    double sm_mhz, memory_mhz; /* NaN: unknown */
    uint64_t reasons;          /* NVML's bits: those of BENCH_THROTTLE and others */
};

/* The current clocks: call it while the device is busy.  False if nothing is known. */
bool bench_clocks_sample(struct bench_clocks *clocks, struct bench_clock_sample *out);
/* The highest clocks of the device; NaN: unknown. */
void bench_clocks_most(struct bench_clocks *clocks, double *sm_mhz, double *memory_mhz);

/* NVML's reasons for a slower clock that count as throttling (nvmlClocksEventReason...).  An idle device,
 * clocks set by an application and a display's clocks do not. */
#define BENCH_THROTTLE(X)                                                                                    \
    X(sw_power_cap, 0x04)                                                                                    \
    X(hw_slowdown, 0x08)                                                                                     \
    X(sync_boost, 0x10)                                                                                      \
    X(sw_thermal_slowdown, 0x20)                                                                             \
    X(hw_thermal_slowdown, 0x40)                                                                             \
    X(hw_power_brake_slowdown, 0x80)

/* The name of the i-th throttle reason among the bits; NULL past the last. */
const char *bench_throttle_name(uint64_t reasons, size_t i);

#endif
