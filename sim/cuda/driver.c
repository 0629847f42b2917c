/* cuInit, the environment's settings, and the end of the process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/cuda/check.h"
#include "sim/cuda/driver.h"
#include "sim/cuda/record/profile.h"
#include "sim/cuda/record/records.h"

struct driver driver = {
    .run_lock = PTHREAD_MUTEX_INITIALIZER,
    .counters_lock = PTHREAD_MUTEX_INITIALIZER,
};

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int state = CUDA_ERROR_NOT_INITIALIZED;
static _Atomic bool forked; /* this process is a child of one that used the driver */

/* Parses "12", "64K" or "3G", a number of bytes above 0; false if it is not one. */
static bool parse_bytes(const char *text, uint64_t *out) {
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    static const char suffixes[] = "KMGT";
    const char *suffix = *end ? strchr(suffixes, *end & ~0x20) : NULL;
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    if (suffix)
        end++;
    if (errno || *end || !value || value > UINT64_MAX >> shift)
        return false;
    *out = (uint64_t)value << shift;
    return true;
}

static bool is_set(const char *name) {
    const char *text = getenv(name);
    return text && *text && strcmp(text, "0") != 0;
}

static CUresult read_arch(void) {
    const char *name = getenv("WIDELOAD_ARCH");
    const struct count_rules *rules = count_rules_find(name && *name ? name : NULL);
    if (!rules) {
        log_error("WIDELOAD_ARCH: no rules are named '%s'", name);
        return CUDA_ERROR_INVALID_VALUE;
    }
    atomic_store(&driver.rules, rules);
    return CUDA_SUCCESS;
}

static CUresult read_threads(void) {
    const char *text = getenv("WIDELOAD_THREADS");
    driver.threads = 0;
    if (!text || !*text)
        return CUDA_SUCCESS;
    char *end;
    unsigned long value = strtoul(text, &end, 10); /* also accepts spaces and signs */
    if (*text < '0' || *end || value < 1 || value > 4096) {
        log_error("WIDELOAD_THREADS: '%s' is not a number of threads (1 to 4096)", text);
        return CUDA_ERROR_INVALID_VALUE;
    }
    driver.threads = (unsigned)value;
    return CUDA_SUCCESS;
}

static CUresult read_devices(void) {
    const char *text = getenv("WIDELOAD_SIM_DEVICES");
    driver.devices = 1;
    if (!text || !*text)
        return CUDA_SUCCESS;
    char *end;
    unsigned long value = strtoul(text, &end, 10); /* also accepts spaces and signs */
    if (*text < '0' || *text > '9' || *end || value < 1 || value > SIM_MAX_DEVICES) {
        log_error("WIDELOAD_SIM_DEVICES: '%s' is not a number of devices (1 to %d)", text, SIM_MAX_DEVICES);
        return CUDA_ERROR_INVALID_VALUE;
    }
    driver.devices = (unsigned)value;
    return CUDA_SUCCESS;
}

static CUresult create_memory(void) {
    const char *text = getenv("WIDELOAD_SIM_MEMORY");
    /* On Linux both are always known. */
    uint64_t bytes =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3 / driver.devices;
    if (text && *text && !parse_bytes(text, &bytes)) {
        log_error("WIDELOAD_SIM_MEMORY: '%s' is not a number of bytes, such as 512M or 8G", text);
        return CUDA_ERROR_INVALID_VALUE;
    }
    driver.memory = sim_memory_create(bytes);
    for (unsigned i = 1; driver.memory && i < driver.devices; i++)
        (void)sim_memory_add_device(driver.memory);
    driver.textures = sim_textures_create();
    return driver.memory && driver.textures ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* As with any CUDA driver, a child cannot use what its parent initialized; it may initialize the driver if
 * the parent had not.  Never wait for a lock here: its owner may exist only in the parent. */
static void in_child(void) {
    init_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (atomic_exchange(&state, CUDA_ERROR_NOT_INITIALIZED) == CUDA_SUCCESS) {
        atomic_store(&forked, true);
        sim_memory_forked(driver.memory);
    }
}

__attribute__((constructor)) static void watch_forks(void) {
    (void)pthread_atfork(NULL, NULL, in_child);
}

static void destroy_memory(void) {
    sim_textures_destroy(driver.textures);
    sim_memory_destroy(driver.memory);
    driver.textures = NULL;
    driver.memory = NULL;
}

CUresult driver_be_strict(void) {
    pthread_mutex_lock(&init_lock);
    bool early = atomic_load(&state) == CUDA_ERROR_NOT_INITIALIZED && !atomic_load(&forked);
    driver.strict |= early;
    CUresult error = driver.strict ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
    pthread_mutex_unlock(&init_lock);
    return error;
}

/* A program to be recorded must not run unrecorded launches, so a failure is an error.  It is printed here,
 * as nobody else can tell the user. */
static CUresult open_records(void) {
    if (records_open())
        return CUDA_SUCCESS;
    int reason = errno;
    log_error("WIDELOAD_PROF_OUT: %s: %s", getenv("WIDELOAD_PROF_OUT"), strerror(reason));
    if (!driver.log)
        fprintf(stderr, "wideload-sim: the records cannot be written: %s: %s\n", getenv("WIDELOAD_PROF_OUT"),
                strerror(reason));
    return CUDA_ERROR_OPERATING_SYSTEM;
}

static CUresult start(void) {
    driver.log = is_set("WIDELOAD_LOG");
    driver.blocking = is_set("CUDA_LAUNCH_BLOCKING");
    CUresult error = open_records();
    if (!error)
        error = read_arch();
    if (!error)
        error = read_threads();
    if (!error)
        error = read_devices();
    if (!error)
        error = create_memory();
    if (!error)
        error = check_start();
    /* A user's program may access memory past an array's end wherever a GPU would allow it.  If the process
     * cannot reserve the addresses for that, such an access faults. */
    if (!error && !driver.strict && !(sim_check_enabled(check_session()) & SIM_CHECK_MEMORY))
        (void)sim_memory_pack(driver.memory);
    if (error) {
        check_finish();
        destroy_memory();
    } else {
        profile_start();
    }
    return error;
}

CUresult cuInit(unsigned int Flags) {
    if (Flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (atomic_load(&forked))
        return CUDA_ERROR_NOT_INITIALIZED;
    pthread_mutex_lock(&init_lock);
    CUresult error = (CUresult)atomic_load(&state);
    if (error == CUDA_ERROR_NOT_INITIALIZED) {
        error = start();
        if (!error)
            atomic_store(&state, CUDA_SUCCESS);
    }
    pthread_mutex_unlock(&init_lock);
    return error;
}

CUresult cuDriverGetVersion(int *driverVersion) {
    if (!driverVersion)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = 13000;
    return CUDA_SUCCESS;
}

CUresult driver_check(void) {
    return (CUresult)atomic_load_explicit(&state, memory_order_acquire);
}

CUresult driver_check_device(CUdevice device) {
    CUresult error = driver_check();
    if (error)
        return error;
    return driver_has(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

bool driver_has(CUdevice device) {
    return device >= 0 && (unsigned)device < driver.devices;
}

/* Runs when the process ends or the library is closed.  The contexts have no owner. */
__attribute__((destructor)) static void finish(void) {
    if (atomic_exchange(&state, CUDA_ERROR_DEINITIALIZED) != CUDA_SUCCESS)
        return;
    if (work_in_flight())
        return; /* it ends with the process and may use all this until then */
    object_destroy_owned(NULL);
    check_finish();
    destroy_memory();
}
