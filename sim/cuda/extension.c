/* The simulator's own exports: counters, counting rules, and the last error as text. */
#include "sim/cuda/extension.h"

#include <string.h>

#include "sim/cuda/driver.h"

/* Sums over all devices: all contexts of the process add to them. */
int wlSimGetCounters(struct wl_counters *out) {
    CUresult error = driver_check();
    if (error)
        return (int)error;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&driver.counters_lock);
    *out = driver.counters;
    pthread_mutex_unlock(&driver.counters_lock);
    return CUDA_SUCCESS;
}

int wlSimResetCounters(void) {
    CUresult error = driver_check();
    if (error)
        return (int)error;
    pthread_mutex_lock(&driver.counters_lock);
    memset(&driver.counters, 0, sizeof driver.counters);
    pthread_mutex_unlock(&driver.counters_lock);
    return CUDA_SUCCESS;
}

int wlSimSetArch(const char *arch) {
    CUresult error = driver_check();
    if (error)
        return (int)error;
    const struct count_rules *rules = arch ? count_rules_find(arch) : NULL;
    if (!rules)
        return CUDA_ERROR_INVALID_VALUE;
    atomic_store(&driver.rules, rules);
    return CUDA_SUCCESS;
}

/* Before cuInit: the name of the default rules. */
const char *wlSimArch(void) {
    const struct count_rules *rules = atomic_load(&driver.rules);
    return count_rules_name(rules ? rules : count_rules_find(NULL));
}

const char *wlSimArchAt(unsigned i, int *proved) {
    const struct count_rules *rules = count_rules_at(i);
    if (rules && proved)
        *proved = count_rules_proved(rules);
    return rules ? count_rules_name(rules) : NULL;
}

int wlSimStrictBounds(void) {
    return (int)driver_be_strict();
}

const char *wlSimLastError(void) {
    return log_last_error();
}

void *extension_find(const char *name) {
    static const struct {
        const char *name;
        void *function;
    } table[] = {
        {"wlSimGetCounters", (void *)wlSimGetCounters},
        {"wlSimResetCounters", (void *)wlSimResetCounters},
        {"wlSimSetArch", (void *)wlSimSetArch},
        {"wlSimArch", (void *)wlSimArch},
        {"wlSimArchAt", (void *)wlSimArchAt},
        {"wlSimLastError", (void *)wlSimLastError},
        {"wlSimStrictBounds", (void *)wlSimStrictBounds},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    return NULL;
}
