/* A stub of libnvidia-ml.so.1: one device, with the UUID of tests/bench/fake.c. */
#include <stdlib.h>
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);

enum { SUCCESS = 0, NOT_FOUND = 6, NOT_SUPPORTED = 3, SM = 1, MEMORY = 2 };

static int known;

int nvmlInit_v2(void) {
    return SUCCESS;
}

int nvmlShutdown(void) {
    return SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
    const char *none = getenv("FAKE_NVML");
    if (strcmp(uuid, "GPU-10111213-1415-1617-1819-1a1b1c1d1e1f") != 0 || (none && strcmp(none, "none") == 0))
        return NOT_FOUND;
    *device = &known;
    return SUCCESS;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz) {
    if (device != &known || (type != SM && type != MEMORY))
        return NOT_SUPPORTED;
    *mhz = type == SM ? 1755 : 2619;
    return SUCCESS;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz) {
    if (device != &known || type != SM)
        return NOT_SUPPORTED;
    *mhz = 1980;
    return SUCCESS;
}

/* Reports idle, a power cap and a hot chip. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons) {
    (void)device;
    *reasons = 0x1 | 0x4 | 0x40;
    return SUCCESS;
}
