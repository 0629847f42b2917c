#include "bench/clocks.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ladder/ladder.h"

/* NVML's functions as its reference manual declares them; they return 0 on success. */
typedef struct nvml_device *nvml_device;
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*by_uuid)(const char *uuid, nvml_device *device);
    int (*clock)(nvml_device device, int type, unsigned *mhz);
    int (*most)(nvml_device device, int type, unsigned *mhz);
    int (*reasons)(nvml_device device, unsigned long long *reasons); /* may be NULL */
};

struct bench_clocks {
    void *library;
    struct nvml nvml;
    nvml_device device;
    bool ready; /* NVML is initialised */
};

static bool find(void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    memcpy(slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_all(void *library, struct nvml *nvml) {
    /* The first name is the newer one; a driver has at least one of them. */
    if (!find(library, "nvmlDeviceGetCurrentClocksEventReasons", &nvml->reasons))
        find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml->reasons);
    return find(library, "nvmlInit_v2", &nvml->init) && find(library, "nvmlShutdown", &nvml->shutdown) &&
           find(library, "nvmlDeviceGetHandleByUUID", &nvml->by_uuid) &&
           find(library, "nvmlDeviceGetClockInfo", &nvml->clock) &&
           find(library, "nvmlDeviceGetMaxClockInfo", &nvml->most);
}

/* NVML's form: "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx". */
static void uuid_text(const unsigned char uuid[16], char out[48]) {
    int at = snprintf(out, 48, "GPU");
    for (int i = 0; i < 16; i++)
        at += snprintf(out + at, 48 - (size_t)at, "%s%02x",
                       i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

struct bench_clocks *bench_clocks_open(wl_context *context) {
    unsigned char uuid[16];
    char text[48];
    if (wl__is_simulator(context) || wl__device_uuid(context, uuid))
        return NULL;
    struct bench_clocks *clocks = calloc(1, sizeof *clocks);
    if (!clocks)
        return NULL;
    uuid_text(uuid, text);
    clocks->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    clocks->ready = clocks->library && find_all(clocks->library, &clocks->nvml) && clocks->nvml.init() == 0;
    if (clocks->ready && clocks->nvml.by_uuid(text, &clocks->device) == 0)
        return clocks;
    bench_clocks_close(clocks);
    return NULL;
}

void bench_clocks_close(struct bench_clocks *clocks) {
    if (!clocks)
        return;
    if (clocks->ready)
        clocks->nvml.shutdown();
    if (clocks->library)
        dlclose(clocks->library);
    free(clocks);
}

static double ask(int (*question)(nvml_device, int, unsigned *), nvml_device device, int type) {
    unsigned mhz;
    return question(device, type, &mhz) == 0 ? mhz : NAN;
}

bool bench_clocks_sample(struct bench_clocks *clocks, struct bench_clock_sample *out) {
    unsigned long long reasons = 0;
    if (!clocks)
        return false;
    out->sm_mhz = ask(clocks->nvml.clock, clocks->device, NVML_CLOCK_SM);
    out->memory_mhz = ask(clocks->nvml.clock, clocks->device, NVML_CLOCK_MEMORY);
    if (clocks->nvml.reasons && clocks->nvml.reasons(clocks->device, &reasons) != 0)
        reasons = 0;
    out->reasons = reasons;
    return !isnan(out->sm_mhz) || !isnan(out->memory_mhz);
}

void bench_clocks_most(struct bench_clocks *clocks, double *sm_mhz, double *memory_mhz) {
    *sm_mhz = clocks ? ask(clocks->nvml.most, clocks->device, NVML_CLOCK_SM) : NAN;
    *memory_mhz = clocks ? ask(clocks->nvml.most, clocks->device, NVML_CLOCK_MEMORY) : NAN;
}

const char *bench_throttle_name(uint64_t reasons, size_t i) {
#define NAME(name, bit)                                                                                      \
    if (reasons & (bit) && i-- == 0)                                                                         \
        return #name;
    BENCH_THROTTLE(NAME)
#undef NAME
    return NULL;
}
