/* The simulator's speed, with counting: thread-instructions per second on one worker thread and on all cores,
 * with samples for a page, with all checks on, and compared with the same work compiled by gcc -O2.
 *
 * usage: speed KERNELS.PTX
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/exec/check/check.h"
#include "tests/speed/host.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static char *read_file(const char *name, size_t *size) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    if (text && fread(text, 1, *size, file) != *size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

/* Repeats a launch for half a second, at least three times; the best time counts. */
static bool best_time(const struct sim_launch *launch, struct wl_counters *counters, double *best) {
    struct sim_fault fault;
    double start = seconds();
    unsigned runs = 0;
    *best = 1e30;
    do {
        double before = seconds();
        if (!sim_launch_run(launch, counters, &fault)) {
            fprintf(stderr, "speed: %s\n", fault.text);
            return false;
        }
        double after = seconds();
        if (after - before < *best)
            *best = after - before;
    } while (++runs < 3 || seconds() - start < 0.5);
    return true;
}

static void count_finding(void *argument, const struct sim_finding *finding) {
    char text[1024];
    sim_finding_describe(finding, text, sizeof text);
    fprintf(stderr, "speed: %s\n", text);
    ++*(unsigned *)argument;
}

static void pass_over(void *argument, const struct sim_array *array) {
    (void)argument, (void)array;
}

static bool report(const char *name, struct sim_launch *launch, double host) {
    struct wl_counters counters;
    unsigned findings = 0;
    double one, sampled, all, checked;
    launch->threads = 1;
    if (!best_time(launch, &counters, &one))
        return false;
    launch->array = pass_over;
    if (!best_time(launch, &counters, &sampled))
        return false;
    launch->array = NULL;
    launch->threads = 0;
    if (!best_time(launch, &counters, &all))
        return false;
    launch->check = sim_check_create(launch->memory, SIM_CHECK_ALL, count_finding, &findings);
    if (!launch->check)
        return false;
    for (struct sim_allocation a = {0}; sim_memory_next(launch->memory, a.serial, &a);)
        sim_check_written(launch->check, a.base, a.size);
    bool ok = best_time(launch, &counters, &checked);
    sim_check_destroy(launch->check);
    launch->check = NULL;
    if (!ok || findings)
        return false;
    double millions = 1e-6 * (double)counters.thread_inst_executed;
    printf("%-28s %8.1f M thread-instructions\n", name, millions);
    printf("  one thread  %8.3f s  %8.1f M/s\n", one, millions / one);
    printf("  %ld threads   %8.3f s  %8.1f M/s\n", sysconf(_SC_NPROCESSORS_ONLN), all, millions / all);
    printf("  sampled     %8.3f s  (for a page, %.2f times slower)\n", sampled, sampled / one);
    printf("  checked     %8.3f s  (all checks, %.2f times slower)\n", checked, checked / one);
    printf("  gcc -O2     %8.3f s  (one thread is %.1f times slower)\n", host, one / host);
    return true;
}

static void *buffer(struct sim_memory *memory, size_t bytes) {
    return (void *)(uintptr_t)sim_memory_alloc(memory, bytes, SIM_MEMORY_DEVICE);
}

static bool run_matmul(struct sim_memory *memory, const struct sim_module *module) {
    enum { N = 512 };
    struct {
        int *a, *b, *c;
        int n;
    } params = {buffer(memory, 4 * N * N), buffer(memory, 4 * N * N), buffer(memory, 4 * N * N), N};
    int *expected = malloc(4 * N * N);
    if (!params.a || !params.b || !params.c || !expected)
        return false;
    for (int i = 0; i < N * N; i++) {
        params.a[i] = (int)((unsigned)i * 2654435761u >> 20);
        params.b[i] = (int)((unsigned)i * 2246822519u >> 20);
    }
    struct sim_launch launch = {.memory = memory,
                                .function = sim_module_function(module, "matmul"),
                                .grid = {N / 16, N / 16, 1},
                                .block = {16, 16, 1},
                                .params = &params,
                                .rules = count_rules_find(NULL)};
    double before = seconds();
    host_matmul(params.a, params.b, expected, N);
    double host = seconds() - before;
    bool ok = report("tiled int matmul 512^3", &launch, host);
    if (ok && memcmp(expected, params.c, 4 * N * N) != 0) {
        fprintf(stderr, "speed: the product is wrong\n");
        ok = false;
    }
    free(expected);
    return ok;
}

static bool run_vector_add(struct sim_memory *memory, const struct sim_module *module) {
    enum { N = 1 << 20 };
    struct {
        float *a, *b, *c;
        int n;
    } params = {buffer(memory, 4 * N), buffer(memory, 4 * N), buffer(memory, 4 * N), N};
    float *expected = malloc(4 * N);
    if (!params.a || !params.b || !params.c || !expected)
        return false;
    for (int i = 0; i < N; i++) {
        params.a[i] = (float)i;
        params.b[i] = (float)(2 * i + 1);
    }
    struct sim_launch launch = {.memory = memory,
                                .function = sim_module_function(module, "vector_add"),
                                .grid = {N / 256, 1, 1},
                                .block = {256, 1, 1},
                                .params = &params,
                                .rules = count_rules_find(NULL)};
    host_vector_add(params.a, params.b, expected, N); /* touches the pages */
    double before = seconds();
    host_vector_add(params.a, params.b, expected, N);
    double host = seconds() - before;
    bool ok = report("vector add 1 Mi", &launch, host);
    if (ok && memcmp(expected, params.c, 4 * N) != 0) {
        fprintf(stderr, "speed: the sum is wrong\n");
        ok = false;
    }
    free(expected);
    return ok;
}

int main(int argc, char **argv) {
    size_t size;
    char *text = argc == 2 ? read_file(argv[1], &size) : NULL;
    if (!text) {
        fprintf(stderr, "usage: speed KERNELS.PTX\n");
        return 2;
    }
    struct sim_memory *memory = sim_memory_create(1ull << 30);
    struct sim_module *module = NULL;
    struct ptx_error error;
    bool ok = memory != NULL;
    if (ok && !sim_module_load(memory, argv[1], text, size, &module, &error)) {
        fprintf(stderr, "%s\n", error.text);
        ok = false;
    }
    ok = ok && run_matmul(memory, module) && run_vector_add(memory, module);
    sim_module_unload(module);
    sim_memory_destroy(memory);
    free(text);
    return ok ? 0 : 1;
}
