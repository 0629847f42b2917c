#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t base_available_memory(void) {
    uint64_t kib = UINT64_MAX / 1024;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return UINT64_MAX;
    char line[128];
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
            break;
    fclose(file);
    return kib * 1024;
}
