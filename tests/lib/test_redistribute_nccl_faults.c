/* What goes wrong between processes: every rank gets an error in bounded time, with words, and no output
 * passes for done.  With the stand-in for NCCL, whose settings say what fails. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "lib/redistribute/exchange.h"
#include "nccl/ranks.h"

/* PATIENCE_MS is the library's in these tests, and LONGEST seconds what any call may take then.  A call of
 * wl_redistribute has at least two rounds on each rank, and creating a plan three groups: two gathers, and
 * the connections. */
enum { RANKS = 3, PATIENCE_MS = 400, LONGEST = 10, CREATING = 3, ROUNDS = 2 };

/* ---------------------------------------------------------------- requests */

/* A valid request of a rank: an array of 6 x 5 x 4 elements, in slabs of the first dimension, which are to be
 * pencils of the second one.  Each test changes something. */
struct request {
    wl_context *context;
    void *comm;
    size_t element_bytes;
    unsigned dimensions;
    uint64_t sizes[WL_RANK_MAX + 1];
    wl_box from, to;
    bool no_sizes, no_from, no_to;
};

static struct request valid(const struct rank *rank) {
    const uint64_t r = rank->rank;
    struct request request = {rank->context, rank->comm, 8, 3, .sizes = {6, 5, 4}};
    request.from = (wl_box){{2 * r, 0, 0}, {2, 5, 4}, {0, 1, 2}};
    request.to = (wl_box){{0, 2 * r, 0}, {6, r < 2 ? 2 : 1, 4}, {2, 1, 0}};
    return request;
}

static wl_error create(wl_redistribution **plan, const struct request *request) {
    return wl_redistribution_create_nccl(plan, request->context, request->comm, request->element_bytes,
                                         request->dimensions, request->no_sizes ? NULL : request->sizes,
                                         request->no_from ? NULL : &request->from,
                                         request->no_to ? NULL : &request->to);
}

static wl_devptr from, to;

static void open_rank(struct rank *rank) {
    wl__nccl_patience = PATIENCE_MS;
    wl__round_bytes = 40;
    rank_load(rank, rank->rank % 2);
    rank_open(rank);
    need(wl_alloc(rank->context, &from, 6 * 5 * 4 * 8));
    need(wl_alloc(rank->context, &to, 6 * 5 * 4 * 8));
}

static void close_rank(struct rank *rank) {
    need(wl_free(rank->context, from));
    need(wl_free(rank->context, to));
    rank_close(rank);
}

static wl_redistribution *make(const struct rank *rank) {
    const struct request request = valid(rank);
    wl_redistribution *plan;
    need(create(&plan, &request));
    return plan;
}

static wl_error call(const struct rank *rank, wl_redistribution *plan) {
    const wl_stream stream = rank->stream;
    return wl_redistribute(plan, &to, &from, &stream);
}

/* A whole call that ends well. */
static void works(const struct rank *rank) {
    wl_redistribution *plan = make(rank);
    need(call(rank, plan));
    need(wl_redistribution_wait(plan, 1000 * LONGEST));
    wl_redistribution_destroy(plan);
}

static void expect(const struct rank *rank, wl_error error, wl_error wanted, const char *words) {
    if (error != wanted)
        rank_fail(rank, "%s, not %s with \"%s\": %s", wl_error_name(error), wl_error_name(wanted), words,
                  wl_message());
    if (!strstr(wl_message(), words))
        rank_fail(rank, "\"%s\" is not in \"%s\"", words, wl_message());
}

static void in_time(const struct rank *rank, double since) {
    if (now_seconds() - since > LONGEST)
        rank_fail(rank, "it took %.1f s", now_seconds() - since);
}

/* Starts the ranks, of which `dies` is killed; -1: none. */
static void run(const char *mode, const char *word, int dies) {
    int statuses[RANKS];
    const char *words[] = {word, NULL};
    ranks_run(mode, RANKS, 60, words, statuses);
    for (int r = 0; r < RANKS; r++) {
        const bool killed = WIFSIGNALED(statuses[r]) && WTERMSIG(statuses[r]) == SIGKILL;
        if (r == dies ? !killed : statuses[r] != 0)
            fail_msg("%s %s: rank %d has status %x", mode, word ? word : "", r, (unsigned)statuses[r]);
    }
}

/* ---------------------------------------------------------------- requests that do not fit together */

struct wrong {
    void (*change)(struct request *request);
    unsigned rank; /* whose request is changed */
    const char *message;
};

#define CHANGE(name, statement)                                                                              \
    static void name(struct request *request) {                                                              \
        statement;                                                                                           \
    }
CHANGE(other_bytes, request->element_bytes = 4)
CHANGE(no_bytes, request->element_bytes = 0)
CHANGE(other_dimensions, request->dimensions = 2)
CHANGE(many_dimensions, request->dimensions = 9)
CHANGE(other_size, request->sizes[1] = 6)
CHANGE(without_sizes, request->no_sizes = true)
CHANGE(without_from, request->no_from = true)
CHANGE(without_to, request->no_to = true)
CHANGE(hole, request->from.sizes[0] = 1)
CHANGE(nothing, request->from.sizes[0] = 0)
CHANGE(overlap, request->from.begin[0] = 1; request->from.sizes[0] = 3)
CHANGE(outside, request->from.begin[0] = 5)
CHANGE(wrong_order, request->to.order[1] = 3)

static const struct wrong wrongs[] = {
    {other_bytes, 0, "element_bytes is 4 on rank 0, and 8 on rank 1"},
    {other_bytes, 2, "element_bytes is 8 on rank 0, and 4 on rank 2"},
    {no_bytes, 1, "element_bytes is 8 on rank 0, and 0 on rank 1"},
    {other_dimensions, 1, "dimensions is 3 on rank 0, and 2 on rank 1"},
    {many_dimensions, 1, "rank 1: dimensions is 9: it must be 0 to 8"},
    {other_size, 2, "sizes[1] is 5 on rank 0, and 6 on rank 2"},
    {without_sizes, 1, "rank 1: sizes is NULL"},
    {without_from, 2, "rank 2: from is NULL"},
    {without_to, 0, "rank 0: to is NULL"},
    {hole, 1, "to[0] wants the index (3, 0, 0), which no box of from has"},
    {nothing, 0, "to[0] wants the index (0, 0, 0), which no box of from has"},
    {overlap, 1, "from[0] and from[1] both have the index (1, 0, 0), which to[0] wants"},
    {outside, 2, "from[2] has 2 indices from 5 on in dimension 0, which has 6"},
    {wrong_order, 0, "to[0].order[1] is 3: it must hold each of 0 to 2 once"},
};

/* All ranks get the whole message, and may go on. */
static void refuse(struct rank *rank, int argc, char **argv) {
    (void)argc, (void)argv;
    open_rank(rank);
    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        const double start = now_seconds();
        struct request request = valid(rank);
        wl_redistribution *plan = (wl_redistribution *)1;
        char message[256];
        snprintf(message, sizeof(message), "wl_redistribution_create_nccl: %s", wrongs[i].message);
        if (rank->rank == wrongs[i].rank)
            wrongs[i].change(&request);
        expect(rank, create(&plan, &request), WL_ERROR_INVALID_ARGUMENT, message);
        if (strcmp(wl_message(), message) != 0 || plan)
            rank_fail(rank, "\"%s\" is not \"%s\"", wl_message(), message);
        in_time(rank, start);
    }
    works(rank);
    close_rank(rank);
}

static void refused_by_all(void **state) {
    (void)state;
    run("refuse", NULL, -1);
}

/* Counts of a transpose that do not add up on one rank. */
static void count(struct rank *rank, int argc, char **argv) {
    static const uint64_t right[] = {4, 3, 3}, less[] = {3, 3, 3};
    wl_redistribution *plan;
    (void)argc, (void)argv;
    open_rank(rank);
    expect(rank,
           wl_transpose_distributed_create_nccl(&plan, rank->context, rank->comm, 4, 10, 20,
                                                rank->rank == 1 ? less : right, NULL),
           WL_ERROR_INVALID_ARGUMENT,
           "wl_transpose_distributed_create_nccl: rank 1: the counts of from_rows do not add up to rows, 10");
    close_rank(rank);
}

/* Rounds of another length, as another version might have. */
static void round_bytes(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan;
    (void)argc, (void)argv;
    open_rank(rank);
    wl__round_bytes += rank->rank;
    const struct request mine = valid(rank);
    expect(rank, create(&plan, &mine), WL_ERROR_INVALID_ARGUMENT,
           "the length of a round is 40 on rank 0, and 41 on rank 1");
    close_rank(rank);
}

/* Rank 1's context is of another device than its communicator. */
static void device(struct rank *rank, int argc, char **argv) {
    wl_context *other;
    wl_redistribution *plan;
    (void)argc, (void)argv;
    open_rank(rank);
    need(wl_open(&other, "sim:1"));
    struct request request = valid(rank);
    if (rank->rank == 1)
        request.context = other;
    expect(rank, create(&plan, &request), WL_ERROR_INVALID_ARGUMENT,
           "rank 1: the communicator is on device 0, and the context on 1");
    works(rank);
    wl_close(other);
    close_rank(rank);
}

/* Rank 2's context is not the primary one. */
static void own_context(struct rank *rank, int argc, char **argv) {
    wl_context *other;
    wl_redistribution *plan;
    CUcontext own;
    (void)argc, (void)argv;
    open_rank(rank);
    cuda_need(rank->cuda.create_context(&own, 0, 0));
    need(wl_open(&other, "current"));
    cuda_need(rank->cuda.cuCtxSetCurrent(NULL));
    struct request request = valid(rank);
    if (rank->rank == 2)
        request.context = other;
    expect(rank, create(&plan, &request), WL_ERROR_INVALID_ARGUMENT,
           "rank 2: the context is not the primary context of its device");
    works(rank);
    wl_close(other);
    cuda_need(rank->cuda.cuCtxDestroy(own));
    close_rank(rank);
}

static void refused_on_one_rank(void **state) {
    (void)state;
    setenv("WIDELOAD_SIM_DEVICES", "2", 1);
    run("count", NULL, -1);
    run("round", NULL, -1);
    run("device", NULL, -1);
    run("own", NULL, -1);
}

/* What a call refuses before it can tell the others. */
static void alone(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL;
    wl_context *host;
    (void)argc, (void)argv;
    open_rank(rank);
    need(wl_open(&host, "host"));
    const struct request right = valid(rank);
    struct request request = right;
    request.comm = NULL;
    expect(rank, create(&plan, &request), WL_ERROR_INVALID_ARGUMENT,
           "wl_redistribution_create_nccl: comm is NULL");
    request = right;
    request.context = NULL;
    expect(rank, create(&plan, &request), WL_ERROR_INVALID_ARGUMENT, "context is NULL");
    request.context = host;
    expect(rank, create(&plan, &request), WL_ERROR_UNSUPPORTED,
           "the context is of the host device, which NCCL cannot use");
    expect(rank, create(NULL, &right), WL_ERROR_INVALID_ARGUMENT, "out is NULL");
    expect(rank, wl_transpose_distributed_create_nccl(NULL, rank->context, rank->comm, 4, 1, 1, NULL, NULL),
           WL_ERROR_INVALID_ARGUMENT, "wl_transpose_distributed_create_nccl: out is NULL");
    expect(rank, wl_redistribution_wait(NULL, 1), WL_ERROR_INVALID_ARGUMENT, "plan is NULL");
    const wl_box box = {{0}, {0}, {0}};
    need(wl_redistribution_create(&plan, 1, &rank->context, 4, 0, NULL, &box, &box));
    expect(rank, wl_redistribution_wait(plan, 1), WL_ERROR_UNSUPPORTED, "the plan is not of NCCL");
    wl_redistribution_destroy(plan);
    wl_close(host);
    works(rank);
    close_rank(rank);
}

/* Without NCCL in the process. */
static void without(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan;
    (void)argc, (void)argv;
    need(wl_open(&rank->context, "sim"));
    rank->comm = rank;
    const struct request request = valid(rank);
    expect(rank, create(&plan, &request), WL_ERROR_UNSUPPORTED,
           "wl_redistribution_create_nccl: there is no NCCL in this process: neither its functions nor "
           "libnccl.so.2 are loaded");
    wl_close(rank->context);
}

static void refused_alone(void **state) {
    (void)state;
    run("alone", NULL, -1);
    run("without", NULL, -1);
}

/* ---------------------------------------------------------------- ranks that are lost */

/* After a loss: each call of a plan with the communicator fails at once, and destroying it waits for
 * nothing. */
static void is_lost(struct rank *rank, wl_redistribution *plan, wl_redistribution *other) {
    const double start = now_seconds();
    expect(rank, call(rank, plan), WL_ERROR_COMMUNICATION, "the communicator had been aborted");
    expect(rank, wl_redistribution_wait(plan, 100000), WL_ERROR_COMMUNICATION,
           "the communicator had been aborted");
    expect(rank, call(rank, other), WL_ERROR_COMMUNICATION, "an earlier call failed");
    wl_redistribution_destroy(plan);
    wl_redistribution_destroy(other);
    rank->comm = NULL;
    in_time(rank, start);
    close_rank(rank);
}

/* Rank 1 dies in the first round of a call, with half of its messages sent.  NCCL says so, or not: `told`. */
static void die(struct rank *rank, int argc, char **argv) {
    const bool told = argc && strcmp(argv[0], "told") == 0;
    open_rank(rank);
    wl_redistribution *plan = make(rank), *other = make(rank);
    need(call(rank, plan));
    need(wl_redistribution_wait(plan, 1000 * LONGEST));
    const double start = now_seconds();
    *rank->standin = (struct standin){.tells = told};
    rank->standin->die_at = rank->rank == 1 ? 1 : 0;
    wl_error error = call(rank, plan);
    if (!error)
        error = wl_redistribution_wait(plan, PATIENCE_MS);
    expect(rank, error, WL_ERROR_COMMUNICATION,
           told ? "a rank went away: its socket was closed; the communicator was aborted"
                : "wl_redistribution_wait: not done after 400 ms: rank");
    if (!told)
        expect(rank, error, WL_ERROR_COMMUNICATION,
               rank->rank ? "rank 2 waits for ranks 0, 1; the communicator was aborted"
                          : "rank 0 waits for ranks 1, 2; the communicator was aborted");
    in_time(rank, start);
    is_lost(rank, plan, other);
}

static void a_rank_dies(void **state) {
    (void)state;
    run("die", "told", 1);
    run("die", "untold", 1);
}

/* Rank 2 dies in one of the groups of creation. */
static void die_early(struct rank *rank, int argc, char **argv) {
    const double start = now_seconds();
    (void)argc;
    open_rank(rank);
    *rank->standin = (struct standin){0};
    rank->standin->die_at = rank->rank == 2 ? (unsigned)atoi(argv[0]) : 0;
    const struct request request = valid(rank);
    wl_redistribution *plan = NULL;
    wl_error error = create(&plan, &request);
    if (!error)
        error = call(rank, plan);
    if (!error)
        error = wl_redistribution_wait(plan, PATIENCE_MS);
    expect(rank, error, WL_ERROR_COMMUNICATION, "not done after 400 ms: ");
    wl_redistribution_destroy(plan);
    in_time(rank, start);
    rank->comm = NULL;
    close_rank(rank);
}

static void a_rank_dies_early(void **state) {
    (void)state;
    for (unsigned group = 1; group <= CREATING; group++) {
        char word[8];
        snprintf(word, sizeof(word), "%u", group);
        run("early", word, 2);
    }
}

/* Rank 0 does not make a call that the others make: "create", "call" or "destroy". */
static void stay_away(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL, *other;
    (void)argc;
    open_rank(rank);
    const double start = now_seconds();
    const struct request request = valid(rank);
    if (strcmp(argv[0], "create") == 0) {
        if (rank->rank) {
            expect(rank, create(&plan, &request), WL_ERROR_COMMUNICATION,
                   "wl_redistribution_create_nccl: not done after 400 ms: not all ranks have called it; the "
                   "communicator was aborted");
            rank->comm = NULL;
        }
        in_time(rank, start);
        close_rank(rank);
        return;
    }
    need(create(&plan, &request));
    need(create(&other, &request));
    if (rank->rank == 0) {
        need(wl_redistribution_wait(plan, 0)); /* no call: nothing to wait for */
        nanosleep(&(struct timespec){1, 0}, NULL);
        wl_redistribution_destroy(plan);
        wl_redistribution_destroy(other);
        close_rank(rank);
        return;
    }
    rank->standin->patience_ms = 300;
    need(call(rank, plan));
    if (strcmp(argv[0], "destroy") == 0) {
        /* It waits as long as creating does, and aborts. */
        wl_redistribution_destroy(plan);
        in_time(rank, start);
        expect(rank, call(rank, other), WL_ERROR_COMMUNICATION, "an earlier call failed");
        wl_redistribution_destroy(other);
        rank->comm = NULL;
        close_rank(rank);
        return;
    }
    expect(rank, wl_redistribution_wait(plan, 200), WL_ERROR_COMMUNICATION, "not done after 200 ms: rank");
    in_time(rank, start);
    is_lost(rank, plan, other);
}

/* The same, and ncclCommAbort never returns. */
static void abort_hangs(struct rank *rank, int argc, char **argv) {
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *plan = make(rank);
    if (rank->rank == 0) {
        wl_redistribution_destroy(plan);
        close_rank(rank);
        return;
    }
    const double start = now_seconds();
    wl__nccl_abort_patience = 1100;
    rank->standin->abort_hangs = 1;
    need(call(rank, plan));
    expect(rank, wl_redistribution_wait(plan, 200), WL_ERROR_COMMUNICATION,
           "; ncclCommAbort has not returned");
    if (now_seconds() - start < 1.3)
        rank_fail(rank, "it did not wait for ncclCommAbort");
    wl_redistribution_destroy(plan);
    in_time(rank, start);
}

/* The connections, which creating a plan makes last, are never made: destroying the plan ends that. */
static void unconnected(struct rank *rank, int argc, char **argv) {
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *other = make(rank);
    *rank->standin = (struct standin){.hang_at = CREATING};
    wl_redistribution *plan = make(rank);
    const double start = now_seconds();
    wl_redistribution_destroy(plan);
    in_time(rank, start);
    expect(rank, call(rank, other), WL_ERROR_COMMUNICATION, "an earlier call failed");
    wl_redistribution_destroy(other);
    rank->comm = NULL;
    close_rank(rank);
}

static void *wait_in_vain(void *plan) {
    return (void *)(uintptr_t)(wl_redistribution_wait(plan, 200) == WL_ERROR_COMMUNICATION);
}

static _Atomic bool is_destroyed;

static void *destroy(void *plan) {
    wl_redistribution_destroy(plan);
    is_destroyed = true;
    return NULL;
}

/* One thread aborts the communicator, and another one destroys a second plan: what NCCL's kernels may use
 * until the abort has ended is not freed before. */
static void abort_in_thread(struct rank *rank, int argc, char **argv) {
    pthread_t waits, destroys;
    void *was_error = NULL;
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *plan = make(rank), *other = make(rank);
    *rank->standin = (struct standin){.hang_at = 1, .abort_hangs = 1};
    need(call(rank, plan));
    struct wl__communicator *communicator = plan->exchange->communicator;
    if (pthread_create(&waits, NULL, wait_in_vain, plan))
        rank_fail(rank, "no thread");
    while (!communicator->aborted)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (pthread_create(&destroys, NULL, destroy, other))
        rank_fail(rank, "no thread");
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    if (is_destroyed)
        rank_fail(rank, "a plan was freed amid ncclCommAbort");
    rank->standin->abort_hangs = 0;
    pthread_join(waits, &was_error);
    pthread_join(destroys, NULL);
    if (!was_error)
        rank_fail(rank, "waiting was no error");
    wl_redistribution_destroy(plan);
    rank->comm = NULL;
    close_rank(rank);
}

static void a_rank_stays_away(void **state) {
    (void)state;
    run("away", "create", -1);
    run("away", "call", -1);
    run("away", "destroy", -1);
    run("connect", NULL, -1);
    run("thread", NULL, -1);
    run("hang", NULL, -1);
}

/* ---------------------------------------------------------------- failures of a rank's own */

/* NCCL fails at the end of a group on rank 1: in creating, or in a call. */
static void group_fails(struct rank *rank, int argc, char **argv) {
    const double start = now_seconds();
    (void)argc;
    open_rank(rank);
    *rank->standin = (struct standin){0};
    rank->standin->fail_at = rank->rank == 1 ? (unsigned)atoi(argv[0]) : 0;
    const struct request request = valid(rank);
    wl_redistribution *plan = NULL;
    wl_error error = create(&plan, &request);
    if (!error)
        error = call(rank, plan);
    if (!error)
        error = wl_redistribution_wait(plan, PATIENCE_MS);
    expect(rank, error, WL_ERROR_COMMUNICATION,
           rank->rank == 1 ? ": unhandled system error; the communicator was aborted"
                           : "not done after 400 ms");
    wl_redistribution_destroy(plan);
    in_time(rank, start);
    rank->comm = NULL;
    close_rank(rank);
}

/* A communicator that reports an error: already when a plan is made, or in a call, or while waiting. */
static void report(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL;
    wl_error error = WL_ERROR_OK;
    (void)argc;
    open_rank(rank);
    const struct request mine = valid(rank);
    if (strcmp(argv[0], "create") != 0)
        need(create(&plan, &mine));
    if (strcmp(argv[0], "wait") == 0)
        need(call(rank, plan));
    /* Others have to be through, too, as an abort closes their sockets. */
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    rank->standin->error = 6;
    if (strcmp(argv[0], "create") == 0)
        error = create(&plan, &mine);
    else
        error =
            strcmp(argv[0], "call") == 0 ? call(rank, plan) : wl_redistribution_wait(plan, 1000 * LONGEST);
    expect(rank, error, WL_ERROR_COMMUNICATION, ": NCCL: a rank went away; the communicator was aborted");
    wl_redistribution_destroy(plan);
    rank->comm = NULL;
    close_rank(rank);
}

/* A communicator that does not block, and whose work stays in progress on rank 1. */
static void progress(struct rank *rank, int argc, char **argv) {
    (void)argc, (void)argv;
    open_rank(rank);
    rank->standin->progress = 3;
    works(rank);
    const double start = now_seconds();
    const struct request request = valid(rank);
    wl_redistribution *plan;
    rank->standin->progress = rank->rank == 1 ? UINT32_MAX : 3;
    expect(rank, create(&plan, &request), WL_ERROR_COMMUNICATION,
           rank->rank == 1
               ? "wl_redistribution_create_nccl: ncclAllGather: still in progress after 400 ms; the "
                 "communicator was aborted"
               : "wl_redistribution_create_nccl: not done after 400 ms: not all ranks have called it");
    in_time(rank, start);
    rank->comm = NULL;
    close_rank(rank);
}

static void nccl_fails(void **state) {
    (void)state;
    for (unsigned group = 1; group <= CREATING + ROUNDS; group++) {
        char word[8];
        snprintf(word, sizeof(word), "%u", group);
        run("group", word, -1);
    }
    run("progress", NULL, -1);
    run("report", "create", -1);
    run("report", "call", -1);
    run("report", "wait", -1);
}

/* The driver's functions, of which one fails from a call on. */
static unsigned fail_after;
static CUresult (*alloc)(CUdeviceptr *address, size_t bytes);
static CUresult (*record)(CUevent event, CUstream stream);
static CUresult (*make_event)(CUevent *event, unsigned flags);

static bool fails(void) {
    return fail_after && --fail_after == 0;
}

static CUresult alloc_or_fail(CUdeviceptr *address, size_t bytes) {
    return fails() ? CUDA_ERROR_OUT_OF_MEMORY : alloc(address, bytes);
}

static CUresult record_or_fail(CUevent event, CUstream stream) {
    return fails() ? CUDA_ERROR_LAUNCH_FAILED : record(event, stream);
}

static CUresult make_event_or_fail(CUevent *event, unsigned flags) {
    return fails() ? CUDA_ERROR_OUT_OF_MEMORY : make_event(event, flags);
}

/* Rank 1 has no memory for staging, or cannot make an event: all get that error, and may go on. */
static void no_memory(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL;
    (void)argc, (void)argv;
    open_rank(rank);
    const struct request request = valid(rank);
    struct wl__driver *driver = &rank->context->driver;
    alloc = driver->cuMemAlloc;
    make_event = driver->cuEventCreate;
    driver->cuMemAlloc = alloc_or_fail;
    fail_after = rank->rank == 1 ? 2 : 0; /* the first is for what ranks tell each other */
    expect(rank, create(&plan, &request), WL_ERROR_OUT_OF_MEMORY,
           "wl_redistribution_create_nccl: rank 1: no ");
    expect(rank, WL_ERROR_OUT_OF_MEMORY, WL_ERROR_OUT_OF_MEMORY, " bytes of memory for staging");
    driver->cuMemAlloc = alloc;
    driver->cuEventCreate = make_event_or_fail;
    for (unsigned number = 2; number < 8; number++) {
        fail_after = rank->rank == 1 ? number : 0;
        expect(rank, create(&plan, &request), WL_ERROR_OUT_OF_MEMORY,
               "wl_redistribution_create_nccl: rank 1: cuEventCreate: CUDA_ERROR_OUT_OF_MEMORY");
    }
    driver->cuEventCreate = make_event;
    works(rank);
    close_rank(rank);
}

/* Rank 1's driver fails amid a call.  The others wait in vain. */
static void driver_fails(struct rank *rank, int argc, char **argv) {
    (void)argc;
    open_rank(rank);
    wl_redistribution *plan = make(rank), *other = make(rank);
    struct wl__driver *driver = &rank->context->driver;
    record = driver->cuEventRecord;
    driver->cuEventRecord = record_or_fail;
    fail_after = rank->rank == 1 ? (unsigned)atoi(argv[0]) : 0;
    const double start = now_seconds();
    wl_error error = call(rank, plan);
    if (!error)
        error = wl_redistribution_wait(plan, PATIENCE_MS);
    driver->cuEventRecord = record;
    expect(rank, error, WL_ERROR_COMMUNICATION,
           rank->rank == 1 ? "wl_redistribute: cuEventRecord: CUDA_ERROR_LAUNCH_FAILED"
                           : "not done after 400 ms");
    in_time(rank, start);
    is_lost(rank, plan, other);
}

static void a_rank_cannot(void **state) {
    (void)state;
    run("memory", NULL, -1);
    run("driver", "1", -1);
    run("driver", "2", -1);
    run("driver", "3", -1);
    run("driver", "5", -1); /* in the second round, ahead of what it sends */
}

/* A stream that captures is refused, and what was captured stays whole. */
static void capture(struct rank *rank, int argc, char **argv) {
    CUgraph graph;
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *plan = make(rank);
    cuda_need(rank->cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(rank->cuda.cuStreamBeginCapture(rank->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    expect(rank, call(rank, plan), WL_ERROR_UNSUPPORTED, "wl_redistribute: the stream captures");
    cuda_need(rank->cuda.cuStreamEndCapture(rank->stream, &graph));
    cuda_need(rank->cuda.cuGraphDestroy(graph));
    cuda_need(rank->cuda.cuCtxSetCurrent(NULL));
    need(call(rank, plan));
    need(wl_redistribution_wait(plan, 1000 * LONGEST));
    wl_redistribution_destroy(plan);
    close_rank(rank);
}

/* Wrong addresses are refused before anything is sent, so the call may be made again. */
static void addresses(struct rank *rank, int argc, char **argv) {
    const wl_stream stream = rank->stream;
    const wl_devptr none = 0;
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *plan = make(rank);
    expect(rank, wl_redistribute(plan, &to, &none, &stream), WL_ERROR_INVALID_ARGUMENT,
           "wl_redistribute: from[0] is NULL");
    expect(rank, wl_redistribute(plan, &to, &to, &stream), WL_ERROR_INVALID_ARGUMENT, "overlap");
    expect(rank, wl_redistribute(plan, NULL, &from, &stream), WL_ERROR_INVALID_ARGUMENT, "to is NULL");
    need(call(rank, plan));
    need(wl_redistribution_wait(plan, 1000 * LONGEST));
    if (!strstr(wl_explain(), "wl_redistribute: ranks 3, dimensions 3, element_bytes 8, crossing bytes ") ||
        !strstr(wl_explain(), ": nccl: each rank packs what others want, and NCCL sends it in rounds"))
        rank_fail(rank, "\"%s\"", wl_explain());
    wl_redistribution_destroy(plan);
    close_rank(rank);
}

static void refused_calls(void **state) {
    (void)state;
    run("capture", NULL, -1);
    run("addresses", NULL, -1);
}

int main(int argc, char **argv) {
    static const struct rank_mode modes[] = {
        {"refuse", refuse},
        {"count", count},
        {"round", round_bytes},
        {"device", device},
        {"own", own_context},
        {"alone", alone},
        {"without", without},
        {"die", die},
        {"early", die_early},
        {"away", stay_away},
        {"group", group_fails},
        {"memory", no_memory},
        {"driver", driver_fails},
        {"capture", capture},
        {"hang", abort_hangs},
        {"progress", progress},
        {"report", report},
        {"addresses", addresses},
        {"connect", unconnected},
        {"thread", abort_in_thread},
        {NULL, NULL},
    };
    const int status = ranks_child(argc, argv, modes);
    if (status >= 0)
        return status;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_by_all),    cmocka_unit_test(refused_on_one_rank),
        cmocka_unit_test(refused_alone),     cmocka_unit_test(a_rank_dies),
        cmocka_unit_test(a_rank_dies_early), cmocka_unit_test(a_rank_stays_away),
        cmocka_unit_test(nccl_fails),        cmocka_unit_test(a_rank_cannot),
        cmocka_unit_test(refused_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
