/* Requests and calls that are refused between processes: every rank gets the same words, and may go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nccl/plans.h"

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
        struct request request = valid_request(rank);
        wl_redistribution *plan = (wl_redistribution *)1;
        char message[256];
        snprintf(message, sizeof(message), "wl_redistribution_create_nccl: %s", wrongs[i].message);
        if (rank->rank == wrongs[i].rank)
            wrongs[i].change(&request);
        expect_error(rank, create_plan(&plan, &request), WL_ERROR_INVALID_ARGUMENT, message);
        if (strcmp(wl_message(), message) != 0 || plan)
            rank_fail(rank, "\"%s\" is not \"%s\"", wl_message(), message);
        need_in_time(rank, start);
    }
    plan_works(rank);
    close_rank(rank);
}

static void refused_by_all(void **state) {
    (void)state;
    need_ranks("refuse", NULL, -1);
}

/* Counts of a transpose that do not add up on one rank. */
static void count(struct rank *rank, int argc, char **argv) {
    static const uint64_t right[] = {4, 3, 3}, less[] = {3, 3, 3};
    wl_redistribution *plan;
    (void)argc, (void)argv;
    open_rank(rank);
    expect_error(
        rank,
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
    const struct request mine = valid_request(rank);
    expect_error(rank, create_plan(&plan, &mine), WL_ERROR_INVALID_ARGUMENT,
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
    struct request request = valid_request(rank);
    if (rank->rank == 1)
        request.context = other;
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_INVALID_ARGUMENT,
                 "rank 1: the communicator is on device 0, and the context on 1");
    plan_works(rank);
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
    struct request request = valid_request(rank);
    if (rank->rank == 2)
        request.context = other;
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_INVALID_ARGUMENT,
                 "rank 2: the context is not the primary context of its device");
    plan_works(rank);
    wl_close(other);
    cuda_need(rank->cuda.cuCtxDestroy(own));
    close_rank(rank);
}

static void refused_on_one_rank(void **state) {
    (void)state;
    setenv("WIDELOAD_SIM_DEVICES", "2", 1);
    need_ranks("count", NULL, -1);
    need_ranks("round", NULL, -1);
    need_ranks("device", NULL, -1);
    need_ranks("own", NULL, -1);
}

/* What a call refuses before it can tell the others. */
static void alone(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan = NULL;
    wl_context *host;
    (void)argc, (void)argv;
    open_rank(rank);
    need(wl_open(&host, "host"));
    const struct request right = valid_request(rank);
    struct request request = right;
    request.comm = NULL;
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_INVALID_ARGUMENT,
                 "wl_redistribution_create_nccl: comm is NULL");
    request = right;
    request.context = NULL;
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_INVALID_ARGUMENT, "context is NULL");
    request.context = host;
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_UNSUPPORTED,
                 "the context is of the host device, which NCCL cannot use");
    expect_error(rank, create_plan(NULL, &right), WL_ERROR_INVALID_ARGUMENT, "out is NULL");
    expect_error(rank,
                 wl_transpose_distributed_create_nccl(NULL, rank->context, rank->comm, 4, 1, 1, NULL, NULL),
                 WL_ERROR_INVALID_ARGUMENT, "wl_transpose_distributed_create_nccl: out is NULL");
    expect_error(rank, wl_redistribution_wait(NULL, 1), WL_ERROR_INVALID_ARGUMENT, "plan is NULL");
    const wl_box box = {{0}, {0}, {0}};
    need(wl_redistribution_create(&plan, 1, &rank->context, 4, 0, NULL, &box, &box));
    expect_error(rank, wl_redistribution_wait(plan, 1), WL_ERROR_UNSUPPORTED, "the plan is not of NCCL");
    wl_redistribution_destroy(plan);
    wl_close(host);
    plan_works(rank);
    close_rank(rank);
}

/* Without NCCL in the process. */
static void without(struct rank *rank, int argc, char **argv) {
    wl_redistribution *plan;
    (void)argc, (void)argv;
    need(wl_open(&rank->context, "sim"));
    rank->comm = rank;
    const struct request request = valid_request(rank);
    expect_error(rank, create_plan(&plan, &request), WL_ERROR_UNSUPPORTED,
                 "wl_redistribution_create_nccl: there is no NCCL in this process: neither its functions nor "
                 "libnccl.so.2 are loaded");
    wl_close(rank->context);
}

static void refused_alone(void **state) {
    (void)state;
    need_ranks("alone", NULL, -1);
    need_ranks("without", NULL, -1);
}

/* ---------------------------------------------------------------- calls */

/* A stream that captures is refused, and what was captured stays whole. */
static void capture(struct rank *rank, int argc, char **argv) {
    CUgraph graph;
    (void)argc, (void)argv;
    open_rank(rank);
    wl_redistribution *plan = make_plan(rank);
    cuda_need(rank->cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(rank->cuda.cuStreamBeginCapture(rank->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    expect_error(rank, call_plan(rank, plan), WL_ERROR_UNSUPPORTED, "wl_redistribute: the stream captures");
    cuda_need(rank->cuda.cuStreamEndCapture(rank->stream, &graph));
    cuda_need(rank->cuda.cuGraphDestroy(graph));
    cuda_need(rank->cuda.cuCtxSetCurrent(NULL));
    need(call_plan(rank, plan));
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
    wl_redistribution *plan = make_plan(rank);
    expect_error(rank, wl_redistribute(plan, &rank_to, &none, &stream), WL_ERROR_INVALID_ARGUMENT,
                 "wl_redistribute: from[0] is NULL");
    expect_error(rank, wl_redistribute(plan, &rank_to, &rank_to, &stream), WL_ERROR_INVALID_ARGUMENT,
                 "overlap");
    expect_error(rank, wl_redistribute(plan, NULL, &rank_from, &stream), WL_ERROR_INVALID_ARGUMENT,
                 "to is NULL");
    need(call_plan(rank, plan));
    need(wl_redistribution_wait(plan, 1000 * LONGEST));
    if (!strstr(wl_explain(), "wl_redistribute: ranks 3, dimensions 3, element_bytes 8, crossing bytes ") ||
        !strstr(wl_explain(),
                ", ranks that map 2: nccl: each rank packs in the memory of others on its machine"))
        rank_fail(rank, "\"%s\"", wl_explain());
    wl_redistribution_destroy(plan);
    close_rank(rank);
}

static void refused_calls(void **state) {
    (void)state;
    need_ranks("capture", NULL, -1);
    need_ranks("addresses", NULL, -1);
}

int main(int argc, char **argv) {
    static const struct rank_mode modes[] = {
        {"refuse", refuse},       {"count", count}, {"round", round_bytes}, {"device", device},
        {"own", own_context},     {"alone", alone}, {"without", without},   {"capture", capture},
        {"addresses", addresses}, {NULL, NULL},
    };
    const int status = ranks_child(argc, argv, modes);
    if (status >= 0)
        return status;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_by_all),
        cmocka_unit_test(refused_on_one_rank),
        cmocka_unit_test(refused_alone),
        cmocka_unit_test(refused_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
