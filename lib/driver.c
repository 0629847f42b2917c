#include "lib/driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "lib/parts.h"

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

/* The unversioned name is the development link; an installed run-time package has only the other one. */
static const char *const simulator_names[] = {"libwideload-sim.so",
                                              "libwideload-sim.so." STRING(WL_VERSION_MAJOR)};
#define SIMULATOR_NAMES (sizeof(simulator_names) / sizeof(simulator_names[0]))

/* NODELETE: NVIDIA's driver keeps threads and exit handlers, so closing must not unmap it. */
#define OPEN_MODE   (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
#define LOADED_MODE (OPEN_MODE | RTLD_NOLOAD) /* only what is in the process already */

static const char nvidia_name[] = "libcuda.so.1";

/* The simulator's handle; NULL if it is not found: then dlerror() says why. */
static void *find_simulator(const char *named, int mode) {
    if (named && *named)
        return dlopen(named, mode);
    char folder[PATH_MAX], path[PATH_MAX + 64];
    void *library = NULL;
    for (unsigned part = 0; !library && wl__parts_folder(part, folder, sizeof(folder)); part++)
        for (size_t i = 0; i < SIMULATOR_NAMES && !library; i++) {
            snprintf(path, sizeof(path), "%s%s", folder, simulator_names[i]);
            library = dlopen(path, mode);
        }
    for (size_t i = 0; i < SIMULATOR_NAMES && !library; i++)
        library = dlopen(simulator_names[i], mode);
    return library;
}

static wl_error open_simulator(struct wl__driver *driver) {
    const char *named = getenv("WIDELOAD_SIM_LIBRARY");
    driver->library = find_simulator(named, OPEN_MODE);
    if (driver->library)
        return WL_ERROR_OK;
    const char *why = dlerror();
    if (!why)
        why = "no reason given";
    if (named && *named)
        return wl__fail(WL_ERROR_NO_DRIVER,
                        "the simulator that WIDELOAD_SIM_LIBRARY names cannot be opened: %s", why);
    return wl__fail(WL_ERROR_NO_DRIVER,
                    "Wideload's simulator was found neither beside the library nor by the loader (%s); "
                    "WIDELOAD_SIM_LIBRARY may name its file",
                    why);
}

static wl_error open_nvidia(struct wl__driver *driver) {
    driver->library = dlopen(nvidia_name, OPEN_MODE);
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
#define WL_DRIVER_FIND_OPTIONAL(name) (void)find(driver->library, STRING(name), NULL, &driver->name);
    WL_DRIVER_OPTIONAL_MAP(WL_DRIVER_FIND_OPTIONAL)
#undef WL_DRIVER_FIND_OPTIONAL
    /* The simulator may be installed in place of NVIDIA's library; if asked for by name, it must be it. */
    if (!driver->simulator && !find(driver->library, "wlSimGetCounters", NULL, &driver->wlSimGetCounters))
        return NULL;
    driver->simulator = true;
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

/* The functions of an open library, which is called `library` in messages. */
static wl_error bind(struct wl__driver *driver, const char *library) {
    const char *missing = find_all(driver);
    if (!missing)
        return WL_ERROR_OK;
    return wl__fail(WL_ERROR_NO_DRIVER, "%s lacks the function %s: it is %s", library, missing,
                    driver->simulator ? "another version, or not the simulator" : "too old for this program");
}

static wl_error initialize(struct wl__driver *driver) {
    /* In a process that opened the simulator itself, its bounds stay as they are. */
    if (driver->simulator)
        (void)driver->wlSimStrictBounds();
    CUresult result = driver->cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE)
        return wl__fail(WL_ERROR_NO_DEVICE,
                        "the CUDA driver finds no GPU on this machine; to run on the simulator, set "
                        "WIDELOAD_DEVICE=sim or give --device sim");
    if (result != CUDA_SUCCESS && driver->simulator && *driver->wlSimLastError())
        return wl__fail(WL_ERROR_NO_DRIVER, "%s", driver->wlSimLastError());
    return wl__driver_check(driver, result, "cuInit");
}

wl_error wl__driver_open(struct wl__driver *driver, bool simulator) {
    *driver = (struct wl__driver){.simulator = simulator};
    wl_error error = simulator ? open_simulator(driver) : open_nvidia(driver);
    if (error)
        return error;
    error = bind(driver, simulator ? "the simulator's library" : nvidia_name);
    if (!error)
        error = initialize(driver);
    if (error)
        wl__driver_close(driver);
    return error;
}

wl_error wl__driver_open_current(struct wl__driver *driver, CUcontext *current) {
    wl_error error = WL_ERROR_OK;
    for (int simulator = 0; simulator < 2; simulator++) {
        *driver = (struct wl__driver){.simulator = simulator};
        driver->library = simulator ? find_simulator(getenv("WIDELOAD_SIM_LIBRARY"), LOADED_MODE)
                                    : dlopen(nvidia_name, LOADED_MODE);
        *current = NULL;
        if (!driver->library)
            continue;
        wl_error bound = bind(driver, simulator ? "the simulator's library" : nvidia_name);
        if (!bound && driver->cuCtxGetCurrent(current) == CUDA_SUCCESS && *current)
            return WL_ERROR_OK;
        error = bound ? bound : error;
        wl__driver_close(driver);
    }
    return error ? error
                 : wl__fail(WL_ERROR_NO_DEVICE,
                            "no CUDA context is current in the calling thread: cuCtxSetCurrent, or a call of "
                            "the CUDA runtime that uses the device, makes one so");
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
