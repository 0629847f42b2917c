/* What goes wrong between processes: every rank gets an error in bounded time, with words, and no output
 * passes for done.  With the stand-in for NCCL, whose settings say what fails. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "nccl/plans.h"

/* ---------------------------------------------------------------- ranks that are lost */

/* After a loss: each call of a plan with the communicator fails at once, and destroying it waits for
 * nothing. */
static void is_lost(struct rank *rank, wl_redistribution *plan, wl_redistribution *other) {
    const double start = now_seconds();
    expect_error(rank, call_plan(rank, plan), WL_ERROR_COMMUNICATION, "the communicator had been aborted");
    expect_error(rank, wl_redistribution_wait(plan, 100000), WL_ERROR_COMMUNICATION,
                 "the communicator had been aborted");
    expect_error(rank, call_plan(rank, other), WL_ERROR_COMMUNICATION, "an earlier call failed");
    wl_redistribution_destroy(plan);
    wl_redistribution_destroy(other);
    rank->comm = NULL;
    need_in_time(rank, start);
    close_rank(rank);
}

/* Rank 1 dies in the first round of a call, with half of its messages sent.  NCCL says so, or not: `told`. */
static void die(struct rank *rank, int argc, char **argv) {
    const bool told = argc && strcmp(argv[0], "told") == 0;
    open_rank(rank);
    wl_redistribution *plan = make_plan(rank), *other = make_plan(rank);
    need(call_plan(rank, plan));
    need(wl_redistribution_wait(plan, 1000 * LONGEST));
    const double start = now_seconds();
    *rank->standin = (struct standin){.tells = told};
    rank->standin->die_at = rank->rank == 1 ? 1 : 0;
    wl_error error = call_plan(rank, plan);
    if (!error)
        error = wl_redistribution_wait(plan, PATIENCE_MS);
    expect_error(rank, error, WL_ERROR_COMMUNICATION,
                 told ? "a rank went away: its socket was closed; the communicator was aborted"
                      : "wl_redistribution_wait: not done after 400 ms: rank");
    if (!told)
        expect_error(rank, error, WL_ERROR_COMMUNICATION,
                     rank->rank ? "rank 2 waits for ranks 0, 1; the communicator was aborted"
                                : "rank 0 waits for ranks 1, 2; the communicator was aborted");
    need_in_time(rank, start);
    is_lost(rank, plan, other);
}

/* In the first case NCCL sends all; in the others ranks pack in each other's memory. */
static void a_rank_dies(void **state) {
    (void)state;
    setenv("NCCL_P2P_DISABLE", "1", 1);
    need_ranks("die", "untold", 1);
    unsetenv("NCCL_P2P_DISABLE");
    need_ranks("die", "told", 1);
    need_ranks("die", "untold", 1);
}

/* Makes a plan and calls it, while a rank fails as its stand-in was told: an error that says so, in time. */
static void fail_somewhere(struct rank *rank, const char *says) {
    const double start = now_seconds();
    const struct request request = valid_request(rank);
    wl_redistribution *plan = NULL;
    wl_error error = create_plan(&plan, &request);
    if (!error)
        error = call_plan(rank, plan);
    if (!error)
        error = wl_redistribution_wait(plan, PATIENCE_MS);
    expect_error(rank, error, WL_ERROR_COMMUNICATION, says);
    wl_redistribution_destroy(plan);
    need_in_time(rank, start);
    rank->comm = NULL;
    close_rank(rank);
}

/* Rank 2 dies in one of the groups of creation. */
static void die_early(struct rank *rank, int argc, char **argv) {
    (void)argc;
    open_rank(rank);
    *rank->standin = (struct standin){0};
    rank->standin->die_at = rank->rank == 2 ? (unsigned)atoi(argv[0]) : 0;
    fail_somewhere(rank, "not done after 400 ms: ");
}

static void a_rank_dies_early(void **state) {
    (void)state;
    for (unsigned group = 1; group <= CREATING; group++) {
        char word[8];
        snprintf(word, sizeof(word), "%u", group);
        need_ranks("early", word, 2);
    }
}

/* Rank 0 does not make a call that the others make: "create", "call" or "destroy". */
static void stay_away(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL, *other;
    (void)argc;
    open_rank(rank);
    const double start = now_seconds();
    const struct request request = valid_request(rank);
    if (strcmp(argv[0], "create") == 0) {
        if (rank->rank) {
            expect_error(
                rank, create_plan(&plan, &request), WL_ERROR_COMMUNICATION,
                "wl_redistribution_create_nccl: not done after 400 ms: not all ranks have called it; the "
                "communicator was aborted");
            rank->comm = NULL;
        }
        need_in_time(rank, start);
        close_rank(rank);
        return;
    }
    need(create_plan(&plan, &request));
    need(create_plan(&other, &request));
    if (rank->rank == 0) {
        need(wl_redistribution_wait(plan, 0)); /* no call: nothing to wait for */
        nanosleep(&(struct timespec){1, 0}, NULL);
        wl_redistribution_destroy(plan);
        wl_redistribution_destroy(other);
        close_rank(rank);
        return;
    }
    rank->standin->patience_ms = 300;
    need(call_plan(rank, plan));
    if (strcmp(argv[0], "destroy") == 0) {
        /* It waits as long as creating does, and aborts. */
        wl_redistribution_destroy(plan);
        need_in_time(rank, start);
        expect_error(rank, call_plan(rank, other), WL_ERROR_COMMUNICATION, "an earlier call failed");
        wl_redistribution_destroy(other);
        rank->comm = NULL;
        close_rank(rank);
        return;
    }
    expect_error(rank, wl_redistribution_wait(plan, 200), WL_ERROR_COMMUNICATION,
                 "not done after 200 ms: rank");
    need_in_time(rank, start);
    is_lost(rank, plan, other);
}

/* The same, and ncclCommAbort never returns. */
static void abort_hangs(struct rank *rank, int argc, char **argv) {
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *plan = make_plan(rank);
    if (rank->rank == 0) {
        wl_redistribution_destroy(plan);
        close_rank(rank);
        return;
    }
    const double start = now_seconds();
    wl__nccl_abort_patience = 1100;
    rank->standin->abort_hangs = 1;
    need(call_plan(rank, plan));
    expect_error(rank, wl_redistribution_wait(plan, 200), WL_ERROR_COMMUNICATION,
                 "; ncclCommAbort has not returned");
    if (now_seconds() - start < 1.3)
        rank_fail(rank, "it did not wait for ncclCommAbort");
    wl_redistribution_destroy(plan);
    need_in_time(rank, start);
}

/* The connections, which creating a plan makes last, are never made: destroying the plan ends that. */
static void unconnected(struct rank *rank, int argc, char **argv) {
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *other = make_plan(rank);
    *rank->standin = (struct standin){.hang_at = CREATING};
    wl_redistribution *plan = make_plan(rank);
    const double start = now_seconds();
    wl_redistribution_destroy(plan);
    need_in_time(rank, start);
    expect_error(rank, call_plan(rank, other), WL_ERROR_COMMUNICATION, "an earlier call failed");
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
    wl_redistribution *plan = make_plan(rank), *other = make_plan(rank);
    *rank->standin = (struct standin){.hang_at = 1, .abort_hangs = 1};
    need(call_plan(rank, plan));
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
    need_ranks("away", "create", -1);
    need_ranks("away", "call", -1);
    need_ranks("away", "destroy", -1);
    need_ranks("connect", NULL, -1);
    need_ranks("thread", NULL, -1);
    need_ranks("hang", NULL, -1);
}

/* ---------------------------------------------------------------- failures of a rank's own */

/* NCCL fails at the end of a group on rank 1: in creating, or in a call. */
static void group_fails(struct rank *rank, int argc, char **argv) {
    (void)argc;
    open_rank(rank);
    *rank->standin = (struct standin){0};
    rank->standin->fail_at = rank->rank == 1 ? (unsigned)atoi(argv[0]) : 0;
    fail_somewhere(rank, rank->rank == 1 ? ": unhandled system error; the communicator was aborted"
                                         : "not done after 400 ms");
}

/* A communicator that reports an error: already when a plan is made, or in a call, or while waiting. */
static void report(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL;
    wl_error error = WL_ERROR_OK;
    (void)argc;
    open_rank(rank);
    const struct request mine = valid_request(rank);
    if (strcmp(argv[0], "create") != 0)
        need(create_plan(&plan, &mine));
    if (strcmp(argv[0], "wait") == 0)
        need(call_plan(rank, plan));
    /* Others have to be through, too, as an abort closes their sockets. */
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    rank->standin->error = 6;
    if (strcmp(argv[0], "create") == 0)
        error = create_plan(&plan, &mine);
    else
        error = strcmp(argv[0], "call") == 0 ? call_plan(rank, plan)
                                             : wl_redistribution_wait(plan, 1000 * LONGEST);
    expect_error(rank, error, WL_ERROR_COMMUNICATION,
                 ": NCCL: a rank went away; the communicator was aborted");
    wl_redistribution_destroy(plan);
    rank->comm = NULL;
    close_rank(rank);
}

/* A communicator that does not block, and whose work stays in progress on rank 1. */
static void progress(struct rank *rank, int argc, char **argv) {
    (void)argc, (void)argv;
    open_rank(rank);
    rank->standin->progress = 3;
    plan_works(rank);
    const double start = now_seconds();
    const struct request request = valid_request(rank);
    wl_redistribution *plan;
    rank->standin->progress = rank->rank == 1 ? UINT32_MAX : 3;
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_COMMUNICATION,
                 rank->rank == 1
                     ? "wl_redistribution_create_nccl: ncclAllGather: still in progress after 400 ms; the "
                       "communicator was aborted"
                     : "wl_redistribution_create_nccl: not done after 400 ms: not all ranks have called it");
    need_in_time(rank, start);
    rank->comm = NULL;
    close_rank(rank);
}

static void groups_fail(unsigned first, unsigned last) {
    for (unsigned group = first; group <= last; group++) {
        char word[8];
        snprintf(word, sizeof(word), "%u", group);
        need_ranks("group", word, -1);
    }
}

static void nccl_fails(void **state) {
    (void)state;
    groups_fail(1, CREATING + ROUNDS);
    setenv("NCCL_P2P_DISABLE", "1", 1);
    groups_fail(CREATING_APART, CREATING_APART + ROUNDS);
    unsetenv("NCCL_P2P_DISABLE");
    need_ranks("progress", NULL, -1);
    need_ranks("report", "create", -1);
    need_ranks("report", "call", -1);
    need_ranks("report", "wait", -1);
}

/* The driver's functions, of which one fails from a call on. */
static unsigned fail_after;
static CUresult (*alloc)(CUdeviceptr *address, size_t bytes);
static CUresult (*record)(CUevent event, CUstream stream);
static CUresult (*make_event)(CUevent *event, unsigned flags);

static bool fails(void) {
    return fail_after && --fail_after == 0;
}

/* What a plan holds of a device: memory, and mappings of other ranks'. */
static int held, mapped;
static struct wl__driver real;

static CUresult count_alloc(CUdeviceptr *address, size_t bytes) {
    const CUresult result = real.cuMemAlloc(address, bytes);
    held += result == CUDA_SUCCESS;
    return result;
}

static CUresult count_free(CUdeviceptr address) {
    held--;
    return real.cuMemFree(address);
}

static CUresult count_open(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
    const CUresult result = real.cuIpcOpenMemHandle(address, handle, flags);
    held += result == CUDA_SUCCESS;
    mapped += result == CUDA_SUCCESS;
    return result;
}

static CUresult count_close(CUdeviceptr address) {
    held--;
    return real.cuIpcCloseMemHandle(address);
}

static void count_held(struct wl__driver *driver) {
    real = *driver;
    driver->cuMemAlloc = count_alloc;
    driver->cuMemFree = count_free;
    driver->cuIpcOpenMemHandle = count_open;
    driver->cuIpcCloseMemHandle = count_close;
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

/* Rank 1 has no memory for staging, or cannot make an event: all get that error, hold nothing, and may go on.
 * "apart": no rank maps another one's memory. */
static void no_memory(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL;
    (void)argc;
    open_rank(rank);
    const struct request request = valid_request(rank);
    struct wl__driver *driver = &rank->context->driver;
    count_held(driver);
    alloc = driver->cuMemAlloc;
    make_event = driver->cuEventCreate;
    driver->cuMemAlloc = alloc_or_fail;
    fail_after = rank->rank == 1 ? 2 : 0; /* the first is for what ranks tell each other */
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_OUT_OF_MEMORY,
                 "wl_redistribution_create_nccl: rank 1: no ");
    expect_error(rank, WL_ERROR_OUT_OF_MEMORY, WL_ERROR_OUT_OF_MEMORY, " bytes of memory for staging");
    driver->cuMemAlloc = alloc;
    driver->cuEventCreate = make_event_or_fail;
    for (unsigned number = 2; number < 8; number++) {
        fail_after = rank->rank == 1 ? number : 0;
        expect_error(rank, create_plan(&plan, &request), WL_ERROR_OUT_OF_MEMORY,
                     "wl_redistribution_create_nccl: rank 1: cuEventCreate: CUDA_ERROR_OUT_OF_MEMORY");
        if (held)
            rank_fail(rank, "%d allocations or mappings are left", held);
    }
    driver->cuEventCreate = make_event;
    if ((mapped == 0) != (strcmp(argv[0], "apart") == 0))
        rank_fail(rank, "%d mappings", mapped);
    plan_works(rank);
    if (held)
        rank_fail(rank, "%d allocations or mappings are left", held);
    close_rank(rank);
}

/* Rank 1's driver fails amid a call.  The others wait in vain. */
static void driver_fails(struct rank *rank, int argc, char **argv) {
    (void)argc;
    open_rank(rank);
    wl_redistribution *plan = make_plan(rank), *other = make_plan(rank);
    struct wl__driver *driver = &rank->context->driver;
    record = driver->cuEventRecord;
    driver->cuEventRecord = record_or_fail;
    fail_after = rank->rank == 1 ? (unsigned)atoi(argv[0]) : 0;
    const double start = now_seconds();
    wl_error error = call_plan(rank, plan);
    if (!error)
        error = wl_redistribution_wait(plan, PATIENCE_MS);
    driver->cuEventRecord = record;
    expect_error(rank, error, WL_ERROR_COMMUNICATION,
                 rank->rank == 1 ? "wl_redistribute: cuEventRecord: CUDA_ERROR_LAUNCH_FAILED"
                                 : "not done after 400 ms");
    need_in_time(rank, start);
    is_lost(rank, plan, other);
}

static void a_rank_cannot(void **state) {
    (void)state;
    need_ranks("memory", "near", -1);
    setenv("NCCL_P2P_DISABLE", "1", 1);
    need_ranks("memory", "apart", -1);
    unsetenv("NCCL_P2P_DISABLE");
    need_ranks("driver", "1", -1);
    need_ranks("driver", "2", -1);
    need_ranks("driver", "3", -1);
    need_ranks("driver", "5", -1); /* in the second round, ahead of what it sends */
}

int main(int argc, char **argv) {
    static const struct rank_mode modes[] = {
        {"die", die},          {"early", die_early},     {"away", stay_away},         {"group", group_fails},
        {"memory", no_memory}, {"driver", driver_fails}, {"hang", abort_hangs},       {"progress", progress},
        {"report", report},    {"connect", unconnected}, {"thread", abort_in_thread}, {NULL, NULL},
    };
    const int status = ranks_child(argc, argv, modes);
    if (status >= 0)
        return status;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_dies),       cmocka_unit_test(a_rank_dies_early),
        cmocka_unit_test(a_rank_stays_away), cmocka_unit_test(nccl_fails),
        cmocka_unit_test(a_rank_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
