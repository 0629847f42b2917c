#include "lib/driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

/* The unversioned name is the development link; an installed run-time package has only the other. */
static const char *const simulator_names[] = {"libwideload-sim.so",
                                              "libwideload-sim.so." STRING(WL_VERSION_MAJOR)};
#define SIMULATOR_NAMES (sizeof(simulator_names) / sizeof(simulator_names[0]))

/* NODELETE: NVIDIA's driver keeps threads and exit handlers, so closing must not unmap it. */
static void *open_library(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* The folder of the file that this code was loaded from, with its last slash; false when unknown. */
static bool own_folder(char *folder, size_t size) {
    Dl_info info;
    if (!dladdr((void *)(size_t)wl__driver_open, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash || (size_t)(slash - info.dli_fname) + 2 > size)
        return false;
    memcpy(folder, info.dli_fname, slash - info.dli_fname + 1);
    folder[slash - info.dli_fname + 1] = '\0';
    return true;
}

static wl_error open_simulator(struct wl__driver *driver) {
    const char *named = getenv("WIDELOAD_SIM_LIBRARY");
    if (named && *named) {
        driver->library = open_library(named);
        return driver->library
                   ? WL_ERROR_OK
                   : wl__fail(WL_ERROR_NO_DRIVER,
                              "the simulator that WIDELOAD_SIM_LIBRARY names cannot be opened: %s",
                              dlerror());
    }
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (own_folder(folder, sizeof(folder))) {
        for (size_t i = 0; i < SIMULATOR_NAMES && !driver->library; i++) {
            snprintf(path, sizeof(path), "%s%s", folder, simulator_names[i]);
            driver->library = open_library(path);
        }
    }
    for (size_t i = 0; i < SIMULATOR_NAMES && !driver->library; i++)
        driver->library = open_library(simulator_names[i]);
    if (driver->library)
        return WL_ERROR_OK;
    const char *why = dlerror();
    return wl__fail(WL_ERROR_NO_DRIVER,
                    "Wideload's simulator was found neither beside the library nor by the loader (%s); "
                    "WIDELOAD_SIM_LIBRARY may name its file",
                    why ? why : "no reason given");
}

static wl_error open_nvidia(struct wl__driver *driver) {
    driver->library = open_library("libcuda.so.1");
    if (driver->library)
        return WL_ERROR_OK;
    return wl__fail(
        WL_ERROR_NO_DRIVER,
        "no NVIDIA driver on this machine (%s); to run on the simulator, set WIDELOAD_DEVICE=sim or "
        "give --device sim",
        dlerror());
}

/* Stores the address of a symbol where a function pointer is kept, which ISO C cannot cast to. */
static bool find(void *library, const char *name, const char *older, void *slot) {
    void *symbol = dlsym(library, name);
    if (!symbol && older)
        symbol = dlsym(library, older);
    memcpy(slot, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static const char *find_all(struct wl__driver *driver) {
#define WL_DRIVER_FIND(name, older)                                                                          \
    if (!find(driver->library, STRING(name), older, &driver->name))                                          \
        return STRING(name);
    WL_DRIVER_MAP(WL_DRIVER_FIND)
#undef WL_DRIVER_FIND
    if (!driver->simulator)
        return NULL;
#define SIMULATOR_FIND(name)                                                                                 \
    if (!find(driver->library, #name, NULL, &driver->name))                                                  \
        return #name;
    SIMULATOR_FIND(wlSimGetCounters)
    SIMULATOR_FIND(wlSimResetCounters)
    SIMULATOR_FIND(wlSimSetArch)
    SIMULATOR_FIND(wlSimArch)
    SIMULATOR_FIND(wlSimArchAt)
    SIMULATOR_FIND(wlSimLastError)
    SIMULATOR_FIND(wlSimStrictBounds)
#undef SIMULATOR_FIND
    return NULL;
}

wl_error wl__driver_open(struct wl__driver *driver, bool simulator) {
    *driver = (struct wl__driver){.simulator = simulator};
    wl_error error = simulator ? open_simulator(driver) : open_nvidia(driver);
    if (error)
        return error;
    const char *missing = find_all(driver);
    if (missing) {
        error = wl__fail(WL_ERROR_NO_DRIVER, "%s lacks the function %s: it is %s",
                         simulator ? "the simulator's library" : "libcuda.so.1", missing,
                         simulator ? "another version, or not the simulator" : "too old for this program");
    } else {
        /* In a process that has opened the simulator by itself, its bounds stay as they are. */
        if (simulator)
            (void)driver->wlSimStrictBounds();
        CUresult result = driver->cuInit(0);
        if (result == CUDA_ERROR_NO_DEVICE)
            error = wl__fail(WL_ERROR_NO_DEVICE,
                             "the CUDA driver finds no GPU on this machine; to run on the simulator, set "
                             "WIDELOAD_DEVICE=sim or give --device sim");
        else if (result != CUDA_SUCCESS && simulator && *driver->wlSimLastError())
            error = wl__fail(WL_ERROR_NO_DRIVER, "%s", driver->wlSimLastError());
        else
            error = wl__driver_check(driver, result, "cuInit");
    }
    if (error)
        wl__driver_close(driver);
    return error;
}

void wl__driver_close(struct wl__driver *driver) {
    if (driver->library)
        dlclose(driver->library);
    driver->library = NULL;
}

static wl_error classify(CUresult result) {
    switch (result) {
    case CUDA_SUCCESS:
        return WL_ERROR_OK;
    case CUDA_ERROR_INVALID_VALUE:
        return WL_ERROR_INVALID_ARGUMENT;
    case CUDA_ERROR_OUT_OF_MEMORY:
        return WL_ERROR_OUT_OF_MEMORY;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
        return WL_ERROR_NO_DEVICE;
    case CUDA_ERROR_NOT_SUPPORTED:
        return WL_ERROR_UNSUPPORTED;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ASSERT:
        return WL_ERROR_KERNEL_FAULT;
    default:
        return WL_ERROR_DRIVER;
    }
}

/* Whether the simulator has something to say about this error: a fault, or a module that it refused. */
static bool is_explained(CUresult result) {
    return classify(result) == WL_ERROR_KERNEL_FAULT || result == CUDA_ERROR_INVALID_PTX ||
           result == CUDA_ERROR_INVALID_IMAGE || result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
           result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

wl_error wl__driver_check(const struct wl__driver *driver, CUresult result, const char *call) {
    if (result == CUDA_SUCCESS)
        return WL_ERROR_OK;
    const char *name = NULL, *text = NULL, *detail = NULL;
    driver->cuGetErrorName(result, &name);
    driver->cuGetErrorString(result, &text);
    if (driver->simulator && is_explained(result))
        detail = driver->wlSimLastError();
    bool explained = detail && *detail;
    return wl__fail(classify(result), "%s: %s (%s)%s%s", call, name ? name : "an unknown error",
                    text ? text : "no text", explained ? ": " : "", explained ? detail : "");
}
