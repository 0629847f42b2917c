/* NCCL: pieces by a group of ncclSend and ncclRecv, in one process.  NCCL moves bytes as they lie, so pieces
 * are packed before and unpacked after by the library's kernels. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/peers/library.h"

typedef struct nccl_comm *nccl_comm;
enum { NCCL_INT8 = 0 };

/* As nccl.h of NCCL 2 declares them; 0 is success. */
static struct {
    int (*version)(int *version);
    int (*init_all)(nccl_comm *comms, int count, const int *devices);
    int (*destroy)(nccl_comm comm);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *from, size_t count, int type, int peer, nccl_comm comm, wl_stream stream);
    int (*receive)(void *to, size_t count, int type, int peer, nccl_comm comm, wl_stream stream);
    nccl_comm comms[WL_DEVICES_MOST];
    unsigned count; /* of communicators; 0: none yet.  A run has one group */
} nccl;

static bool open_library(char version[24], char why[200]) {
    static const char *const files[] = {"libnccl.so.2", NULL};
    int number;
    memset(&nccl, 0, sizeof nccl);
    void *library = peer_load(files, why);
    if (!library || !peer_find(library, "ncclGetVersion", &nccl.version, why) ||
        !peer_find(library, "ncclCommInitAll", &nccl.init_all, why) ||
        !peer_find(library, "ncclCommDestroy", &nccl.destroy, why) ||
        !peer_find(library, "ncclGroupStart", &nccl.group_start, why) ||
        !peer_find(library, "ncclGroupEnd", &nccl.group_end, why) ||
        !peer_find(library, "ncclSend", &nccl.send, why) ||
        !peer_find(library, "ncclRecv", &nccl.receive, why))
        return false;
    int status = nccl.version(&number);
    if (status) {
        snprintf(why, 200, "ncclGetVersion gave status %d", status);
        return false;
    }
    snprintf(version, 24, "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
    return true;
}

static void close_library(void) {
    for (unsigned r = 0; r < nccl.count; r++)
        nccl.destroy(nccl.comms[r]);
    nccl.count = 0;
}

/* The communicators of the group, which are made for its first row. */
static wl_error open_comms(const struct wl_problem *problem, void **state) {
    const struct wl_group *group = problem->group;
    int devices[WL_DEVICES_MOST];
    *state = NULL;
    if (nccl.count)
        return WL_ERROR_OK;
    for (unsigned r = 0; r < group->count; r++)
        devices[r] = (int)(group->first + r);
    wl_error error = wl__enter(group->contexts[0]);
    if (error)
        return error;
    error = peer_check(nccl.init_all(nccl.comms, (int)group->count, devices), "ncclCommInitAll");
    nccl.count = error ? 0 : group->count;
    wl__leave(group->contexts[0]);
    return error;
}

static const char *applicable(wl_context *context, const struct wl_problem *problem) {
    (void)context, (void)problem;
    return peer_absent(&peer_nccl);
}

typedef wl_devptr place_fn(const struct wl_problem *problem, unsigned from, unsigned to);

static wl_error enqueue(const struct wl_problem *problem, place_fn *source, place_fn *target, unsigned from,
                        unsigned to) {
    size_t bytes = wl__piece_bytes(problem, from, to);
    const void *sent = (const void *)(uintptr_t)source(problem, from, to);
    void *received = (void *)(uintptr_t)target(problem, from, to);
    if (bytes == 0)
        return WL_ERROR_OK;
    wl_error error =
        peer_check(nccl.send(sent, bytes, NCCL_INT8, (int)to, nccl.comms[from], NULL), "ncclSend");
    return error ? error
                 : peer_check(nccl.receive(received, bytes, NCCL_INT8, (int)from, nccl.comms[to], NULL),
                              "ncclRecv");
}

/* All pieces that cross, in the devices' default streams. */
static wl_error exchange(const struct wl_problem *problem, place_fn *source, place_fn *target) {
    wl_error error = wl__enter(problem->group->contexts[0]);
    if (error)
        return error;
    error = peer_check(nccl.group_start(), "ncclGroupStart");
    if (!error) {
        for (unsigned turn = 1; turn < problem->gpus; turn++)
            for (unsigned from = 0; from < problem->gpus && !error; from++)
                error = enqueue(problem, source, target, from, (from + turn) % problem->gpus);
        wl_error ended = peer_check(nccl.group_end(), "ncclGroupEnd");
        error = error ? error : ended;
    }
    wl__leave(problem->group->contexts[0]);
    return error;
}

typedef wl_error piece_fn(const struct wl_problem *problem, unsigned from, unsigned to, uint64_t first,
                          uint64_t count, wl_stream stream);

static wl_error each_piece(const struct wl_problem *problem, piece_fn *move) {
    wl_error error = WL_ERROR_OK;
    for (unsigned turn = 1; turn < problem->gpus; turn++)
        for (unsigned from = 0; from < problem->gpus && !error; from++) {
            unsigned to = (from + turn) % problem->gpus;
            struct wl_piece piece = wl__piece(problem->rows, problem->cols, problem->gpus, from, to);
            error = move(problem, from, to, 0, piece.cols, NULL);
        }
    return error;
}

static wl_error transpose(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    wl_error error = wl__group_meet(problem->group);
    (void)context, (void)stream;
    if (!error)
        error = each_piece(problem, wl__piece_pack);
    if (!error)
        error = exchange(problem, wl__piece_sent, wl__piece_received);
    for (unsigned r = 0; r < problem->gpus && !error; r++)
        error = wl__piece_keep(problem, r, NULL);
    if (!error)
        error = each_piece(problem, wl__piece_unpack);
    return error ? error : wl__group_meet(problem->group);
}

static wl_error all_to_all(wl_context *context, const struct wl_problem *problem, wl_stream stream) {
    wl_error error = wl__group_meet(problem->group);
    (void)context, (void)stream;
    if (!error)
        error = exchange(problem, wl__run_from, wl__run_to);
    return error ? error : wl__group_meet(problem->group);
}

#define RUNG(title, text, what, function)                                                                    \
    .experiment = "redistribute", .name = title, .idea = text, .library = "NCCL", .reference = what,         \
    .outputs = 1, .fixed_block = true, .bytes_formula = "width*rows/gpus*(cols-cols/gpus)",                  \
    .bytes = wl__crossing_bytes, .applicable = applicable, .open = open_comms, .launch = function

static const struct wl_rung rungs[] = {
    {RUNG("nccl", "NCCL: pack, ncclSend and ncclRecv in a group, unpack", WL_REF_TRANSPOSE_ANY, transpose),
     .work_bytes = wl__staging_bytes},
    {RUNG("nccl-alltoall", "NCCL: ncclSend and ncclRecv of as many bytes, in a group", WL_REF_EXCHANGE,
          all_to_all)},
};

const struct peer_library peer_nccl = {"NCCL",       "nccl",       rungs, sizeof rungs / sizeof *rungs,
                                       open_library, close_library};
