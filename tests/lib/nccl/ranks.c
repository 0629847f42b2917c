#include "ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/context.h"

double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void pause_ms(long milliseconds) {
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

bool ranks_on_gpus(void) {
    return strncmp(cuda_device_name(), "gpu", 3) == 0;
}

/* The count is asked for in the parent, whose children exec(). */
unsigned ranks_most(void) {
    int (*count_devices)(int *), (*init)(unsigned);
    int count = 0;
    if (!ranks_on_gpus())
        return 64;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    void *symbols[2] = {driver ? dlsym(driver, "cuInit") : NULL,
                        driver ? dlsym(driver, "cuDeviceGetCount") : NULL};
    memcpy(&init, &symbols[0], sizeof(init));
    memcpy(&count_devices, &symbols[1], sizeof(count_devices));
    return symbols[0] && symbols[1] && !init(0) && !count_devices(&count) ? (unsigned)count : 0;
}

/* ---------------------------------------------------------------- the parent */

static pid_t start(const char *mode, unsigned ranks, unsigned rank, const char *meet,
                   const char *const *words) {
    char numbers[2][16];
    char *arguments[24] = {"rank",     "--rank",   (char *)(uintptr_t)mode,
                           numbers[0], numbers[1], (char *)(uintptr_t)meet};
    snprintf(numbers[0], sizeof(numbers[0]), "%u", ranks);
    snprintf(numbers[1], sizeof(numbers[1]), "%u", rank);
    for (unsigned i = 0; i < 16 && words && words[i]; i++)
        arguments[6 + i] = (char *)(uintptr_t)words[i];
    const pid_t child = fork();
    if (child == 0) {
        execv("/proc/self/exe", arguments);
        _exit(127);
    }
    return child;
}

/* Waits for one rank until a time; kills it then. */
static int wait_for(pid_t child, double until) {
    int status = 0;
    pid_t ended;
    bool killed = false;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        if (now_seconds() > until && !killed) {
            fprintf(stderr, "a rank did not end in time\n");
            kill(child, SIGKILL);
            killed = true;
        }
        pause_ms(2);
    }
    return ended == child ? status : -1;
}

uint64_t ranks_run(const char *mode, unsigned ranks, unsigned seconds, const char *const *words,
                   int *statuses) {
    char meet[] = "/tmp/wideload-ranks-XXXXXX", file[64];
    pid_t children[64];
    uint64_t wrong = 0;
    if (!mkdtemp(meet))
        return UINT64_MAX;
    for (unsigned r = 0; r < ranks; r++)
        children[r] = start(mode, ranks, r, meet, words);
    const double until = now_seconds() + seconds;
    for (unsigned r = 0; r < ranks; r++) {
        const int status = children[r] > 0 ? wait_for(children[r], until) : -1;
        wrong |= (uint64_t)(status != 0) << r;
        if (statuses)
            statuses[r] = status;
    }
    snprintf(file, sizeof(file), "%s/id", meet);
    unlink(file);
    rmdir(meet);
    return wrong;
}

/* ---------------------------------------------------------------- a rank */

int ranks_child(int argc, char **argv, const struct rank_mode *modes) {
    if (argc < 6 || strcmp(argv[1], "--rank") != 0)
        return -1;
    struct rank rank = {.ranks = (unsigned)atoi(argv[3]), .rank = (unsigned)atoi(argv[4]), .meet = argv[5]};
    for (; modes->name; modes++)
        if (strcmp(modes->name, argv[2]) == 0) {
            modes->run(&rank, argc - 6, argv + 6);
            return 0;
        }
    rank_fail(&rank, "there is no mode %s", argv[2]);
}

void rank_fail(const struct rank *rank, const char *format, ...) {
    char message[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    fprintf(stderr, "rank %u of %u: %s\n", rank->rank, rank->ranks, message);
    _exit(1);
}

void rank_need(const struct rank *rank, wl_error error, const char *what) {
    if (error)
        rank_fail(rank, "%s: %s: %s", what, wl_error_name(error), wl_message());
}

static void find(const struct rank *rank, void *library, const char *name, void *slot) {
    void *symbol = dlsym(library, name);
    if (!symbol)
        rank_fail(rank, "NCCL has no %s", name);
    memcpy(slot, &symbol, sizeof(symbol));
}

/* The library is not closed: NCCL has threads. */
static void load_nccl(struct rank *rank, bool global) {
    void *library = dlopen(ranks_on_gpus() ? "libnccl.so.2" : NCCL_STANDIN,
                           RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library)
        rank_fail(rank, "%s", dlerror());
#define NCCL_CALL_FIND(name, parameters) find(rank, library, #name, &rank->name);
    NCCL_CALL_MAP(NCCL_CALL_FIND)
#undef NCCL_CALL_FIND
    if (ranks_on_gpus())
        return;
    standin_settings_fn *settings;
    find(rank, library, "standin_settings", &settings);
    find(rank, library, "standin_is_stuck", &rank->is_stuck);
    rank->standin = settings();
}

void rank_load(struct rank *rank, bool global) {
    rank->cuda = cuda_open();
    load_nccl(rank, global);
}

/* On the simulator no event is ready while the stand-in is stuck, as a kernel of NCCL's would wait then. */
static standin_is_stuck_fn *is_stuck;
static CUresult (*query_event)(CUevent event);

static CUresult query_unless_stuck(CUevent event) {
    return is_stuck() ? CUDA_ERROR_NOT_READY : query_event(event);
}

static void stop_events(struct rank *rank) {
    is_stuck = rank->is_stuck;
    query_event = rank->context->driver.cuEventQuery;
    rank->context->driver.cuEventQuery = query_unless_stuck;
}

/* Rank 0 makes the id, and puts it where the others look. */
static nccl_id meet(const struct rank *rank) {
    char path[128], made[136];
    nccl_id id;
    snprintf(path, sizeof(path), "%s/id", rank->meet);
    snprintf(made, sizeof(made), "%s~", path);
    if (rank->rank == 0) {
        FILE *file = fopen(made, "w");
        if (rank->ncclGetUniqueId(&id) || !file || fwrite(&id, sizeof(id), 1, file) != 1 || fclose(file) ||
            rename(made, path))
            rank_fail(rank, "%s cannot be written", path);
        return id;
    }
    for (const double until = now_seconds() + 60; now_seconds() < until; pause_ms(1)) {
        FILE *file = fopen(path, "r");
        const bool read = file && fread(&id, sizeof(id), 1, file) == 1;
        if (file)
            fclose(file);
        if (read)
            return id;
    }
    rank_fail(rank, "rank 0 did not come");
}

void rank_open(struct rank *rank) {
    char name[16] = "sim";
    const CUdevice device = ranks_on_gpus() ? (CUdevice)rank->rank : 0;
    if (ranks_on_gpus())
        snprintf(name, sizeof(name), "gpu:%u", rank->rank);
    need(wl_open(&rank->context, name));
    if (rank->standin)
        stop_events(rank);
    cuda_need(rank->cuda.cuDevicePrimaryCtxRetain(&rank->primary, device));
    cuda_need(rank->cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(rank->cuda.cuStreamCreate(&rank->stream, CU_STREAM_NON_BLOCKING));
    const int result = rank->ncclCommInitRank(&rank->comm, (int)rank->ranks, meet(rank), (int)rank->rank);
    if (result)
        rank_fail(rank, "ncclCommInitRank: %d", result);
    cuda_need(rank->cuda.cuCtxSetCurrent(NULL));
}

void rank_close(struct rank *rank) {
    if (rank->comm && rank->ncclCommDestroy(rank->comm))
        rank_fail(rank, "ncclCommDestroy failed");
    cuda_need(rank->cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(rank->cuda.cuStreamDestroy(rank->stream));
    cuda_need(rank->cuda.cuCtxSetCurrent(NULL));
    wl_close(rank->context);
    cuda_need(rank->cuda.cuDevicePrimaryCtxRelease(ranks_on_gpus() ? (CUdevice)rank->rank : 0));
}
