/* A stub of libnccl.so.2: sends and receives of a group meet in order, and host memory is copied. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int ncclGetVersion(int *version);
int ncclCommInitAll(void **comms, int count, const int *devices);
int ncclCommDestroy(void *comm);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclSend(const void *from, size_t count, int type, int peer, void *comm, void *stream);
int ncclRecv(void *to, size_t count, int type, int peer, void *comm, void *stream);

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, MOST = 16, CALLS = 256 };

/* A communicator is the address of its rank. */
static int ranks[MOST], ranks_count, in_group;

static struct call {
    const void *from;
    void *to;
    size_t bytes;
    int rank, peer;
} sends[CALLS], receives[CALLS];
static int send_count, receive_count;

static int is(const char *failure) {
    const char *wanted = getenv("FAKE_NCCL");
    return wanted && strcmp(wanted, failure) == 0;
}

int ncclGetVersion(int *version) {
    *version = 22803;
    return is("no-version") ? SYSTEM_ERROR : SUCCESS;
}

int ncclCommInitAll(void **comms, int count, const int *devices) {
    if (count < 1 || count > MOST || ranks_count || is("no-comms"))
        return is("no-comms") ? SYSTEM_ERROR : INVALID_USAGE;
    for (int i = 0; i < count; i++) {
        if (devices[i] != i)
            return INVALID_ARGUMENT;
        ranks[i] = i;
        comms[i] = &ranks[i];
    }
    ranks_count = count;
    return SUCCESS;
}

int ncclCommDestroy(void *comm) {
    if (comm != &ranks[*(int *)comm] || ranks_count == 0)
        return INVALID_ARGUMENT;
    ranks_count--;
    return SUCCESS;
}

int ncclGroupStart(void) {
    in_group = 1;
    send_count = receive_count = 0;
    return SUCCESS;
}

static int put(struct call *calls, int *count, struct call call, int type, const void *comm) {
    if (!in_group || type != 0 || call.bytes == 0 || *count == CALLS || call.peer >= ranks_count)
        return INVALID_ARGUMENT;
    call.rank = *(const int *)comm;
    calls[(*count)++] = call;
    return SUCCESS;
}

int ncclSend(const void *from, size_t count, int type, int peer, void *comm, void *stream) {
    struct call call = {.from = from, .bytes = count, .peer = peer};
    return stream || is("no-send") ? SYSTEM_ERROR : put(sends, &send_count, call, type, comm);
}

int ncclRecv(void *to, size_t count, int type, int peer, void *comm, void *stream) {
    struct call call = {.to = to, .bytes = count, .peer = peer};
    return stream ? INVALID_ARGUMENT : put(receives, &receive_count, call, type, comm);
}

int ncclGroupEnd(void) {
    int status = send_count == receive_count && in_group ? SUCCESS : INVALID_USAGE;
    for (int i = 0; i < receive_count && !status; i++) {
        int k = 0;
        while (k < send_count &&
               (sends[k].rank != receives[i].peer || sends[k].peer != receives[i].rank || !sends[k].from))
            k++;
        if (k == send_count || sends[k].bytes != receives[i].bytes)
            return INVALID_USAGE;
        memcpy(receives[i].to, sends[k].from, sends[k].bytes);
        sends[k].from = NULL;
    }
    in_group = 0;
    return status;
}
