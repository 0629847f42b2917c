#include "bench/host.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

void bench_get_host(struct bench_host *out) {
    cpu_set_t set;
    memset(out, 0, sizeof *out);
    out->cores = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(out->cpu, sizeof out->cpu, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    fclose(file);
}
