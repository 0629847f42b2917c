/* Tests and measurements with one process for each rank of an NCCL communicator: on the simulator with the
 * stand-in, or with WIDELOAD_DEVICE=gpu on GPUs with NVIDIA's NCCL, libnccl.so.2.
 *
 * A program starts itself again for each rank, before it opens a driver, with what the rank is to do. */
#ifndef WIDELOAD_TESTS_RANKS_H
#define WIDELOAD_TESTS_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "../cuda_calls.h"
#include "standin.h"
#include "wideload.h"

/* An ncclUniqueId. */
typedef struct nccl_id {
    char words[128];
} nccl_id;

#define NCCL_CALL_MAP(X)                                                                                     \
    X(ncclGetUniqueId, (nccl_id * id))                                                                       \
    X(ncclCommInitRank, (void **comm, int ranks, nccl_id id, int rank))                                      \
    X(ncclCommDestroy, (void *comm))                                                                         \
    X(ncclCommAbort, (void *comm))                                                                           \
    X(ncclGroupStart, (void))                                                                                \
    X(ncclGroupEnd, (void))                                                                                  \
    X(ncclSend, (const void *from, size_t count, int type, int peer, void *comm, CUstream stream))           \
    X(ncclRecv, (void *to, size_t count, int type, int peer, void *comm, CUstream stream))

struct rank {
    unsigned ranks, rank;
    const char *meet; /* a folder of the run */
    struct cuda_calls cuda;
#define NCCL_CALL_FIELD(name, parameters) int(*name) parameters;
    NCCL_CALL_MAP(NCCL_CALL_FIELD)
#undef NCCL_CALL_FIELD
    struct standin *standin; /* NULL on GPUs */
    standin_is_stuck_fn *is_stuck;
    CUcontext primary;
    CUstream stream;
    wl_context *context;
    void *comm;
};

bool ranks_on_gpus(void);
/* GPUs, of which each is one rank's; on the simulator, no limit. */
unsigned ranks_most(void);

/* What a rank does; a failure ends the process. */
typedef void rank_fn(struct rank *rank, int argc, char **argv);
struct rank_mode {
    const char *name;
    rank_fn *run;
};
/* If this process is a rank's, runs its mode and returns its exit status; else -1.  The last mode has no
 * name. */
int ranks_child(int argc, char **argv, const struct rank_mode *modes);

/* Starts the ranks and waits for all, at most so many seconds; then kills them.  `words` are for the mode,
 * the last is NULL.  Returns a bit for each rank that did not end with status 0.  Each rank's status is as
 * waitpid() gives it. */
uint64_t ranks_run(const char *mode, unsigned ranks, unsigned seconds, const char *const *words,
                   int *statuses);

/* Opens the driver and NCCL; `global`: NCCL's names are the process's.  Then the context and the
 * communicator. */
void rank_load(struct rank *rank, bool global);
void rank_open(struct rank *rank);
/* Closes the context and, unless it is NULL, as after it was aborted, the communicator. */
void rank_close(struct rank *rank);
/* Ends the process with a message. */
void rank_fail(const struct rank *rank, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void rank_need(const struct rank *rank, wl_error error, const char *what);
#define need(call) rank_need(rank, call, #call)

double now_seconds(void);

#endif
