/* The host as a device: its memory and what is known of it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/host/host.h"
#include "lib/host/kernels.h"
#include "lib/host/threads.h"

/* As CUDA aligns. */
#define ALIGNMENT 256
/* Half of a last-level cache, where the system does not say. */
#define CACHE_BYTES (8 << 20)

static struct wl__host host;

/* Bytes of the last-level cache that this processor shares with its nearest; 0 if unknown.  sysconf() gives
 * those of all such caches together. */
static uint64_t find_cache(void) {
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
    unsigned kib = 0;
    if (file && fscanf(file, "%uK", &kib) != 1)
        kib = 0;
    if (file)
        fclose(file);
    return (uint64_t)kib << 10;
}

static void prepare(void) {
    const uint64_t cache = find_cache();
    host.kernels = wl__host_kernels();
    host.stream_from = cache ? cache / 2 : CACHE_BYTES;
    wl__host_threads_prepare();
}

wl_error wl__host_open(wl_context *context) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    context->host = &host;
    context->tuned = wl__tuned_for(0);
    return WL_ERROR_OK;
}

/* The value of a line "key  : value" of a file below /proc, without its end; false if there is none. */
static bool find_line(const char *path, const char *key, char *value, size_t size) {
    char line[256];
    FILE *file = fopen(path, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof(line), file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = *value != '\0';
    }
    if (file)
        fclose(file);
    return found;
}

void wl__host_info(wl_device_info *out) {
    char available[64];
    const long page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
    if (!find_line("/proc/cpuinfo", "model name", out->name, sizeof(out->name)))
        snprintf(out->name, sizeof(out->name), "host processor");
    snprintf(out->kind, sizeof(out->kind), "host");
    snprintf(out->arch, sizeof(out->arch), "%s", host.kernels->name);
    out->multiprocessors = (int)wl__host_threads();
    out->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    if (find_line("/proc/meminfo", "MemAvailable", available, sizeof(available)))
        out->free_bytes = strtoull(available, NULL, 10) * 1024;
#ifdef _SC_LEVEL2_CACHE_SIZE
    const long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    out->l2_bytes = cache > 0 ? (int)cache : 0;
#endif
    out->arch_proved = 1;
}

wl_error wl__host_alloc(wl_devptr *out, size_t bytes) {
    void *memory = NULL;
    /* One byte gives an address of its own. */
    if (posix_memalign(&memory, ALIGNMENT, bytes ? bytes : 1) != 0)
        return wl__fail(WL_ERROR_OUT_OF_MEMORY, "the host has no room for %zu bytes", bytes);
    *out = (uintptr_t)memory;
    return WL_ERROR_OK;
}

void wl__host_free(wl_devptr address) {
    free(wl__host_pointer(address));
}
