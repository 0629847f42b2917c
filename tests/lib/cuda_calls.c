#include "cuda_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

#include <cmocka.h>

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

const char *cuda_device_name(void) {
    const char *device = getenv("WIDELOAD_DEVICE");
    return device && *device ? device : "sim";
}

static void find(void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    if (!symbol)
        fail_msg("the driver lacks %s", name);
    memcpy(slot, &symbol, sizeof(symbol));
}

struct cuda_calls cuda_open(void) {
    const char *simulator = getenv("WIDELOAD_SIM_LIBRARY");
    if (!simulator || !*simulator)
        simulator = "libwideload-sim.so";
    const char *name = strncmp(cuda_device_name(), "gpu", 3) == 0 ? "libcuda.so.1" : simulator;
    struct cuda_calls calls = {.library = dlopen(name, RTLD_NOW | RTLD_NODELETE)};
    if (!calls.library)
        fail_msg("%s", dlerror());
#define CUDA_CALL_FIND(name) find(calls.library, STRING(name), &calls.name);
    CUDA_CALL_MAP(CUDA_CALL_FIND)
#undef CUDA_CALL_FIND
    find(calls.library, "cuCtxCreate_v2", &calls.create_context);
    cuda_need(calls.cuInit(0));
    return calls;
}

void cuda_need_at(CUresult result, const char *call, const char *file, int line) {
    if (result != CUDA_SUCCESS)
        fail_msg("%s:%d: %s: CUDA error %d", file, line, call, (int)result);
}
