#include "standin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <cuda.h>

#include "sockets.h"

/* Of ncclResult_t. */
enum {
    SUCCESS = 0,
    CUDA_FAILED = 1,
    SYSTEM_FAILED = 2,
    BAD_ARGUMENT = 4,
    BAD_USAGE = 5,
    REMOTE = 6,
    PROGRESS = 7
};
enum { OPERATIONS = 256 };

typedef struct unique_id {
    char words[128];
} unique_id;

struct comm {
    int ranks, rank, device;
    CUcontext primary;
    int sockets[SOCKETS_MOST]; /* to each rank; -1 to itself */
    bool stuck, ended;
    int error;
    unsigned progress; /* questions that are still answered "in progress" */
    struct comm *next; /* all that there ever were, so that the use of an ended one is seen */
};

/* A part of a group.  A gather is one for each other rank. */
struct operation {
    struct comm *comm;
    bool sends;
    int peer;
    CUdeviceptr address;
    size_t bytes;
    CUstream stream;
    char kind; /* 'p' for ncclSend and ncclRecv, 'g' for a gather */
};

/* As in nccl.h, with this file's types. */
int ncclGetVersion(int *version);
const char *ncclGetErrorString(int result);
const char *ncclGetLastError(const struct comm *comm);
int ncclGetUniqueId(unique_id *id);
int ncclCommInitRank(struct comm **out, int ranks, unique_id id, int rank);
int ncclCommDestroy(struct comm *comm);
int ncclCommAbort(struct comm *comm);
int ncclCommCount(const struct comm *comm, int *count);
int ncclCommCuDevice(const struct comm *comm, int *device);
int ncclCommUserRank(const struct comm *comm, int *rank);
int ncclCommGetAsyncError(struct comm *comm, int *result);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *from, size_t count, int type, int peer, struct comm *comm, CUstream stream);
int ncclRecv(void *to, size_t count, int type, int peer, struct comm *comm, CUstream stream);
int ncclAllGather(const void *from, void *to, size_t count, int type, struct comm *comm, CUstream stream);

static struct standin settings;
static struct comm *comms;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list */
static _Thread_local unsigned depth;
static _Thread_local struct operation operations[OPERATIONS];
static _Thread_local unsigned operation_count;

struct standin *standin_settings(void) {
    return &settings;
}

int standin_is_stuck(void) {
    bool stuck = false;
    pthread_mutex_lock(&lock);
    for (const struct comm *comm = comms; comm; comm = comm->next)
        stuck = stuck || (comm->stuck && !comm->ended);
    pthread_mutex_unlock(&lock);
    return stuck;
}

static void need_live(const struct comm *comm, const char *function) {
    if (comm && !comm->ended)
        return;
    fprintf(stderr, "the NCCL of the tests: %s of a communicator that %s\n", function,
            comm ? "was aborted or destroyed" : "is NULL");
    abort();
}

/* ---------------------------------------------------------------- communicators */

int ncclGetVersion(int *version) {
    *version = 20700;
    return SUCCESS;
}

const char *ncclGetErrorString(int result) {
    static const char *const words[] = {"no error",         "unhandled cuda error", "unhandled system error",
                                        "internal error",   "invalid argument",     "invalid usage",
                                        "a rank went away", "in progress"};
    return result >= 0 && result <= PROGRESS ? words[result] : "unknown";
}

const char *ncclGetLastError(const struct comm *comm) {
    return comm && comm->error == REMOTE ? "its socket was closed" : "";
}

int ncclGetUniqueId(unique_id *id) {
    uint64_t bits[2];
    memset(id, 0, sizeof(*id));
    if (getrandom(bits, sizeof(bits), 0) != sizeof(bits))
        return SYSTEM_FAILED;
    snprintf(id->words, sizeof(id->words), "wideload-%016llx%016llx", (unsigned long long)bits[0],
             (unsigned long long)bits[1]);
    return SUCCESS;
}

int ncclCommInitRank(struct comm **out, int ranks, unique_id id, int rank) {
    struct comm *comm = calloc(1, sizeof(*comm));
    CUdevice device;
    if (!comm || ranks > SOCKETS_MOST || cuCtxGetDevice(&device) ||
        cuDevicePrimaryCtxRetain(&comm->primary, device)) {
        free(comm);
        return CUDA_FAILED;
    }
    comm->ranks = ranks;
    comm->rank = rank;
    comm->device = (int)device;
    pthread_mutex_lock(&lock);
    comm->next = comms;
    comms = comm;
    pthread_mutex_unlock(&lock);
    if (!sockets_connect(comm->sockets, ranks, rank, id.words))
        return SYSTEM_FAILED;
    *out = comm;
    return SUCCESS;
}

static int end(struct comm *comm, const char *function) {
    need_live(comm, function);
    for (int r = 0; r < comm->ranks; r++)
        if (comm->sockets[r] >= 0)
            close(comm->sockets[r]);
    comm->ended = true;
    return cuDevicePrimaryCtxRelease((CUdevice)comm->device) ? CUDA_FAILED : SUCCESS;
}

int ncclCommDestroy(struct comm *comm) {
    return end(comm, "ncclCommDestroy");
}

int ncclCommAbort(struct comm *comm) {
    while (settings.abort_hangs)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return end(comm, "ncclCommAbort");
}

int ncclCommCount(const struct comm *comm, int *count) {
    need_live(comm, "ncclCommCount");
    *count = comm->ranks;
    return SUCCESS;
}

int ncclCommCuDevice(const struct comm *comm, int *device) {
    need_live(comm, "ncclCommCuDevice");
    *device = comm->device;
    return SUCCESS;
}

int ncclCommUserRank(const struct comm *comm, int *rank) {
    need_live(comm, "ncclCommUserRank");
    *rank = comm->rank;
    return SUCCESS;
}

int ncclCommGetAsyncError(struct comm *comm, int *result) {
    need_live(comm, "ncclCommGetAsyncError");
    *result = comm->error ? comm->error : settings.error;
    if (!*result && comm->progress) {
        comm->progress--;
        *result = PROGRESS;
    }
    return SUCCESS;
}

/* ---------------------------------------------------------------- groups */

/* Reads what is sent, or makes room for what is received. */
static bool fill_message(const struct operation *operation, struct message *message) {
    *message =
        (struct message){.sends = operation->sends, .rank = operation->peer, .bytes = operation->bytes};
    message->data = malloc(operation->bytes + 1);
    message->head = (struct head){operation->bytes, (uint64_t)operation->kind};
    return message->data && (!operation->sends || (!cuMemcpyDtoHAsync(message->data, operation->address,
                                                                      operation->bytes, operation->stream) &&
                                                   !cuStreamSynchronize(operation->stream)));
}

static bool write_back(const struct operation *operation, const struct message *message) {
    return operation->sends ||
           (!cuMemcpyHtoDAsync(operation->address, message->data, operation->bytes, operation->stream) &&
            !cuStreamSynchronize(operation->stream));
}

static void start_late(void) {
    uint32_t bits = 0;
    if (!settings.delay_us || getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
        return;
    const struct timespec pause = {0, (long)(bits % settings.delay_us) * 1000};
    nanosleep(&pause, NULL);
}

/* What becomes of a communicator whose peer does not answer, or is gone. */
static void lose(struct comm *comm, bool gone) {
    if (gone && settings.tells)
        comm->error = REMOTE;
    else
        comm->stuck = true;
}

static int exchange(struct comm *comm, struct message *messages) {
    bool right = true;
    for (unsigned i = 0; i < operation_count; i++)
        right = fill_message(&operations[i], &messages[i]) && right;
    if (!right)
        return CUDA_FAILED;
    const enum sockets_end result = sockets_exchange(comm->sockets, messages, operation_count,
                                                     settings.patience_ms ? settings.patience_ms : 20000,
                                                     settings.die_at && settings.groups == settings.die_at);
    if (result != SOCKETS_DONE) {
        lose(comm, result == SOCKETS_GONE);
        return SUCCESS;
    }
    for (unsigned i = 0; i < operation_count; i++)
        right = write_back(&operations[i], &messages[i]) && right;
    return right ? SUCCESS : CUDA_FAILED;
}

static int run_group(void) {
    struct comm *comm = operations[0].comm;
    struct message messages[OPERATIONS] = {0};
    const unsigned number = ++settings.groups;
    if (settings.fail_at && number == settings.fail_at)
        return SYSTEM_FAILED;
    if (comm->error)
        return comm->error;
    comm->stuck = comm->stuck || (settings.hang_at && number >= settings.hang_at);
    if (comm->stuck)
        return SUCCESS;
    start_late();
    if (cuCtxPushCurrent(comm->primary))
        return CUDA_FAILED;
    const int result = exchange(comm, messages);
    CUcontext popped;
    (void)cuCtxPopCurrent(&popped);
    for (unsigned i = 0; i < operation_count; i++)
        free(messages[i].data);
    comm->progress = settings.progress;
    return result || !comm->progress ? result : PROGRESS;
}

int ncclGroupStart(void) {
    depth++;
    return SUCCESS;
}

int ncclGroupEnd(void) {
    if (!depth)
        return BAD_USAGE;
    if (--depth || !operation_count)
        return SUCCESS;
    const int result = run_group();
    operation_count = 0;
    return result;
}

static int add(const struct operation *operation) {
    struct comm *comm = operation->comm;
    if (operation->peer < 0 || operation->peer >= comm->ranks || operation->peer == comm->rank ||
        operation_count == OPERATIONS || (operation_count && operations[0].comm != comm))
        return BAD_ARGUMENT;
    operations[operation_count++] = *operation;
    return SUCCESS;
}

int ncclSend(const void *from, size_t count, int type, int peer, struct comm *comm, CUstream stream) {
    const struct operation operation = {comm, true, peer, (CUdeviceptr)(uintptr_t)from, count, stream, 'p'};
    need_live(comm, "ncclSend");
    ncclGroupStart();
    const int result = type == 0 ? add(&operation) : BAD_ARGUMENT, end_result = ncclGroupEnd();
    return result ? result : end_result;
}

int ncclRecv(void *to, size_t count, int type, int peer, struct comm *comm, CUstream stream) {
    const struct operation operation = {comm, false, peer, (CUdeviceptr)(uintptr_t)to, count, stream, 'p'};
    need_live(comm, "ncclRecv");
    ncclGroupStart();
    const int result = type == 0 ? add(&operation) : BAD_ARGUMENT, end_result = ncclGroupEnd();
    return result ? result : end_result;
}

int ncclAllGather(const void *from, void *to, size_t count, int type, struct comm *comm, CUstream stream) {
    const CUdeviceptr own = (CUdeviceptr)(uintptr_t)from, all = (CUdeviceptr)(uintptr_t)to;
    int result = type == 0 ? SUCCESS : BAD_ARGUMENT;
    need_live(comm, "ncclAllGather");
    ncclGroupStart();
    for (int r = 0; r < comm->ranks && !result; r++) {
        const struct operation out = {comm, true, r, own, count, stream, 'g'},
                               in = {comm, false, r, all + (size_t)r * count, count, stream, 'g'};
        if (r == comm->rank)
            continue;
        result = add(&out);
        if (!result)
            result = add(&in);
    }
    if (!result && cuMemcpyDtoDAsync(all + (size_t)comm->rank * count, own, count, stream))
        result = CUDA_FAILED;
    const int end_result = ncclGroupEnd();
    return result ? result : end_result;
}
