// Runs the planted bugs and their twins as a program, for a GPU with NVIDIA's
// compute-sanitizer and for `wideload prof --check`.
//
// usage: planted list CHECK           the names of a check's bugs: memory, race, init, sync or host
//        planted bug|ok NAME          one bug, or its twin
//        planted bug|ok all-CHECK     all of a check's, one after the other
#include <stdio.h>
#include <string.h>

#include "bugs.cu"
#include "bugs.h"

struct planted {
    const char *check, *name;
    void (*bug)(int *, int *, int), (*ok)(int *, int *, int);
    unsigned grid, block;
    int n;
    size_t shared;
    unsigned flags;
};

#define ROW_OF(check, name, grid, block, n, shared, flags)                                                   \
    {check, #name, bug_##name, ok_##name, grid, block, n, shared, flags},
#define MEMORY_ROW(name, kind, ...) ROW_OF("memory", name, __VA_ARGS__)
#define RACE_ROW(name, kind, ...)   ROW_OF("race", name, __VA_ARGS__)
#define INIT_ROW(name, kind, ...)   ROW_OF("init", name, __VA_ARGS__)
#define SYNC_ROW(name, kind, ...)   ROW_OF("sync", name, __VA_ARGS__)
static const struct planted table[] = {BUGS_MEMORY(MEMORY_ROW) BUGS_RACE(RACE_ROW) BUGS_INIT(INIT_ROW)
                                           BUGS_SYNC(SYNC_ROW)};

static void say(const char *name, cudaError_t error) {
    printf("%s: %s\n", name, cudaGetErrorName(error));
    fflush(stdout);
}

static void run(const struct planted *p, bool bug) {
    int host[2048], *a, *b;
    size_t size = p->n * sizeof(int);
    for (int i = 0; i < 2048; i++)
        host[i] = i;
    if (cudaMalloc(&a, size) || cudaMalloc(&b, size) || cudaMemset(a, 0, size))
        return say(p->name, cudaGetLastError());
    if (!(p->flags & BUG_UNWRITTEN) || (p->flags & BUG_TWIN_FINDS && !bug))
        cudaMemcpy(b, host, size, cudaMemcpyHostToDevice);
    bool freed = p->flags & BUG_FREED && bug;
    if (freed)
        cudaFree(b);
    (bug ? p->bug : p->ok)<<<p->grid, p->block, p->shared>>>(a, b, p->n);
    cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
    say(p->name, launched ? launched : ended);
    cudaFree(a);
    if (!freed)
        cudaFree(b);
}

// ---------------------------------------------------------------- errors of the host

static void leak(bool bug) {
    int *p;
    cudaMalloc(&p, 400); // at
    if (!bug)
        cudaFree(p);
}

static void leak_of_a_pool(bool bug) {
    int *p;
    cudaMallocAsync((void **)&p, 400, 0); // at
    if (!bug)
        cudaFreeAsync(p, 0);
    cudaDeviceSynchronize();
}

static void freed_twice(bool bug) {
    int *p;
    cudaMalloc(&p, 400);
    cudaFree(p);
    if (bug)
        cudaFree(p); // at
}

static void copy_past_end(bool bug) {
    int *p, host[128] = {0};
    cudaMalloc(&p, 400);
    cudaMemcpy(p, host, bug ? 404 : 400, cudaMemcpyHostToDevice); // at
    cudaFree(p);
}

static void copy_of_unwritten(bool bug) {
    int *p, host[100];
    cudaMalloc(&p, 400);
    cudaMemset(p, 0, bug ? 200 : 400);
    cudaMemcpy(host, p, 400, cudaMemcpyDeviceToHost); // at
    cudaFree(p);
}

static const struct {
    const char *name;
    void (*run)(bool bug);
} host_table[] = {{"leak", leak},
                  {"leak_of_a_pool", leak_of_a_pool},
                  {"freed_twice", freed_twice},
                  {"copy_past_end", copy_past_end},
                  {"copy_of_unwritten", copy_of_unwritten}};

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    bool list = strcmp(argv[1], "list") == 0, bug = strcmp(argv[1], "bug") == 0, known = false;
    const char *all = strncmp(argv[2], "all-", 4) == 0 ? argv[2] + 4 : list ? argv[2] : "";
    for (const struct planted *p = table; p < table + sizeof table / sizeof *table; p++) {
        if (strcmp(all, p->check) != 0 && strcmp(argv[2], p->name) != 0)
            continue;
        known = true;
        if (list)
            puts(p->name);
        else
            run(p, bug);
    }
    for (size_t i = 0; i < sizeof host_table / sizeof *host_table; i++) {
        if (strcmp(all, "host") != 0 && strcmp(argv[2], host_table[i].name) != 0)
            continue;
        known = true;
        if (list) {
            puts(host_table[i].name);
            continue;
        }
        host_table[i].run(bug);
        say(host_table[i].name, cudaGetLastError());
    }
    return known ? 0 : 2;
}
