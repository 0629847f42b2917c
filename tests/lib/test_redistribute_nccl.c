/* Redistributions between 1, 2, 3, 4 and 7 processes: every byte compared, and those around the arrays.
 *
 *     test_lib_redistribute_nccl [CASES [FIRST]]
 *
 * A case depends only on its number.  On the simulator with the stand-in for NCCL, or with
 * WIDELOAD_DEVICE=gpu on GPUs with NVIDIA's, for as many ranks as there are GPUs.  Rounds are so short that
 * arrays go through many.  The rank's stream holds work ahead of the call and behind it. */
#include <inttypes.h>
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

#include <dlfcn.h>

#include <cmocka.h>

#include "lib/redistribute/exchange.h"
#include "nccl/ranks.h"
#include "redistributions.h"
#include "tracing_driver.h"

#ifdef __SANITIZE_ADDRESS__
#define CASES "25"
#else
#define CASES "100"
#endif

/* BYTES of a random array, and MATRIX of a large one.  An area has GUARD bytes on either side of an array and
 * up to 15 more ahead of it. */
enum { BYTES = 24 << 10, MATRIX = 9 << 20, GUARD = 64, AREA = MATRIX + 2 * GUARD + 16, POISON = 0xa5 };

/* ---------------------------------------------------------------- a rank's memory */

/* `given` goes to `from` ahead of the call, and `to` goes to `result` behind it. */
static _Thread_local wl_devptr given, from, to, result;
static _Thread_local unsigned char *expected, *got;

static void open_memory(struct rank *rank) {
    wl_devptr *const areas[] = {&given, &from, &to, &result};
    rank_load(rank, rank->rank % 2);
    rank_open(rank);
    for (unsigned i = 0; i < 4; i++)
        need(wl_alloc(rank->context, areas[i], AREA));
    expected = malloc(AREA);
    got = malloc(AREA);
    if (!expected || !got)
        rank_fail(rank, "no memory");
}

static void close_memory(struct rank *rank) {
    wl_devptr *const areas[] = {&given, &from, &to, &result};
    for (unsigned i = 0; i < 4; i++)
        need(wl_free(rank->context, *areas[i]));
    free(expected);
    free(got);
    rank_close(rank);
}

/* ---------------------------------------------------------------- a case */

/* What a rank does with one request; the arrays begin so many bytes past the first GUARD of their area. */
struct job {
    const struct redistribution *all;
    uint64_t number, seed;
    unsigned from_shift, to_shift;
};

static uint64_t from_total(const struct rank *rank, const struct job *job) {
    return box_bytes(job->all, &job->all->from[rank->rank]) + 2 * GUARD + 16;
}

static uint64_t to_total(const struct rank *rank, const struct job *job) {
    return box_bytes(job->all, &job->all->to[rank->rank]) + 2 * GUARD + 16;
}

/* Sends what the rank has, and poisons everything else. */
static void send(const struct rank *rank, const struct job *job) {
    const wl_box *box = &job->all->from[rank->rank];
    memset(expected, POISON, from_total(rank, job));
    if (box_bytes(job->all, box))
        box_fill(job->all, box, job->seed, expected + GUARD + job->from_shift);
    need(wl_upload(rank->context, given, expected, from_total(rank, job)));
    need(wl_fill(rank->context, from, 0, from_total(rank, job), NULL));
    need(wl_fill(rank->context, to, POISON, to_total(rank, job), NULL));
    need(wl_fill(rank->context, result, 0, to_total(rank, job), NULL));
    need(wl_synchronize(rank->context));
}

/* The call amid other work of the rank's stream. */
static void redistribute(const struct rank *rank, const struct job *job, wl_redistribution *plan) {
    const bool has = box_bytes(job->all, &job->all->from[rank->rank]) != 0,
               wants = box_bytes(job->all, &job->all->to[rank->rank]) != 0;
    const wl_devptr source = has ? from + GUARD + job->from_shift : 0,
                    target = wants ? to + GUARD + job->to_shift : 0;
    const wl_stream stream = rank->stream;
    need(wl_copy(rank->context, from, given, from_total(rank, job), stream));
    need(wl_redistribute(plan, &target, &source, &stream));
    need(wl_copy(rank->context, result, to, to_total(rank, job), stream));
    need(wl_fill(rank->context, from, 0, from_total(rank, job), stream));
    need(wl_fill(rank->context, to, 0, to_total(rank, job), stream));
    need(wl_redistribution_wait(plan, 20000));
}

static void describe(const struct redistribution *all) {
    fprintf(stderr, "%u ranks, elements of %zu bytes, sizes", all->ranks, all->element_bytes);
    for (unsigned d = 0; d < all->dimensions; d++)
        fprintf(stderr, " %" PRIu64, all->sizes[d]);
    for (unsigned r = 0; r < 2 * all->ranks; r++) {
        const wl_box *box = r % 2 ? &all->to[r / 2] : &all->from[r / 2];
        fprintf(stderr, "\n%s[%u]:", r % 2 ? "to" : "from", r / 2);
        for (unsigned d = 0; d < all->dimensions && box_bytes(all, box); d++)
            fprintf(stderr, " %" PRIu64 "+%" PRIu64 "@%u", box->begin[d], box->sizes[d], box->order[d]);
    }
    fprintf(stderr, "\n");
}

static void compare(const struct rank *rank, const struct job *job) {
    const wl_box *box = &job->all->to[rank->rank];
    const uint64_t total = to_total(rank, job);
    memset(expected, POISON, total);
    if (box_bytes(job->all, box))
        box_fill(job->all, box, job->seed, expected + GUARD + job->to_shift);
    need(wl_synchronize(rank->context));
    need(wl_download(rank->context, got, result, total));
    uint64_t i = 0;
    while (i < total && got[i] == expected[i])
        i++;
    if (i == total)
        return;
    describe(job->all);
    rank_fail(rank, "case %" PRIu64 ": byte %" PRId64 " of %" PRIu64 " is %d, not %d", job->number,
              (int64_t)i - GUARD - job->to_shift, box_bytes(job->all, box), got[i], expected[i]);
}

/* What NCCL sends from where it lies, or receives where it goes, is not copied once more. */
static void sends_in_place(const struct rank *rank, const struct wl__flow *flows, unsigned count, bool sent) {
    for (unsigned i = 0; i < count; i++)
        if (!flows[i].mapped && flows[i].staged && wl__chunk_is_dense(&flows[i].all, &flows[i].cut, sent))
            rank_fail(rank, "what it %s rank %u has no gaps, and is copied", sent ? "sends to" : "gets from",
                      flows[i].peer);
}

static wl_redistribution *make(const struct rank *rank, const struct redistribution *all) {
    wl_redistribution *plan = NULL;
    if (wl_redistribution_create_nccl(&plan, rank->context, rank->comm, all->element_bytes, all->dimensions,
                                      all->sizes, &all->from[rank->rank], &all->to[rank->rank])) {
        describe(all);
        rank_fail(rank, "%s", wl_message());
    }
    sends_in_place(rank, plan->exchange->sends, plan->exchange->send_count, true);
    sends_in_place(rank, plan->exchange->receives, plan->exchange->receive_count, false);
    return plan;
}

/* ---------------------------------------------------------------- random boxes */

static CUresult (*open_handle)(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags);
static struct draw opens;

static CUresult open_or_fail(CUdeviceptr *address, CUipcMemHandle handle, unsigned flags) {
    return draw_one_in(&opens, 3) ? CUDA_ERROR_INVALID_DEVICE : open_handle(address, handle, flags);
}

/* Who maps whose memory: in half of the cases all do; else none, or some, or it fails for some. */
static void draw_maps(const struct rank *rank, struct draw *draw, struct draw *own) {
    struct wl__driver *driver = &rank->context->driver;
    const uint64_t way = draw_below(draw, 6);
    if (!open_handle)
        open_handle = driver->cuIpcOpenMemHandle;
    driver->cuIpcOpenMemHandle = way == 0 ? open_or_fail : open_handle;
    opens = *own;
    wl__maps_peers = way > 2 || way == 0 || (way == 1 && draw_one_in(own, 2));
}

/* What the process's ranks have in common: the rounds, maps, and how the stand-in behaves. */
static void draw_process(const struct rank *rank, struct draw *draw) {
    static const uint64_t rounds[] = {97, 512, 2048, 7000, 1 << 20};
    wl__round_bytes = rounds[draw_below(draw, 5)];
    struct draw own = draw_from(rank->rank, draw->state);
    draw_maps(rank, draw, &own);
    if (!rank->standin)
        return;
    rank->standin->delay_us = draw_one_in(&own, 8) ? 300 : 0;
    rank->standin->progress = draw_one_in(&own, 4) ? 2 : 0;
}

static void run_cases(struct rank *rank, uint64_t first, uint64_t count, bool alone) {
    open_memory(rank);
    for (uint64_t number = first; number < first + count; number++) {
        struct draw draw = draw_from(23 + rank->ranks, number);
        const struct redistribution all = redistribution_draw(&draw, rank->ranks, BYTES);
        struct draw own = draw_from(rank->rank, number); /* what ranks need not agree on */
        struct job job = {&all, number, 0, (unsigned)draw_below(&own, 16) * draw_one_in(&own, 2),
                          (unsigned)draw_below(&own, 16) * draw_one_in(&own, 2)};
        if (alone)
            draw_process(rank, &draw);
        wl_redistribution *plan = make(rank, &all);
        const unsigned times = 1 + (unsigned)draw_below(&draw, 4) * draw_one_in(&draw, 3);
        for (unsigned time = 0; time < times; time++) {
            job.seed = number + time;
            send(rank, &job);
            redistribute(rank, &job, plan);
            compare(rank, &job);
        }
        wl_redistribution_destroy(plan);
    }
    close_memory(rank);
}

static void random_boxes(struct rank *rank, int argc, char **argv) {
    (void)argc;
    run_cases(rank, strtoull(argv[1], NULL, 10), strtoull(argv[0], NULL, 10), true);
}

static const char *cases = CASES, *first_case = "0";

static void random_boxes_of_all(void **state) {
    static const unsigned counts[] = {1, 2, 3, 4, 7};
    const char *words[] = {cases, first_case, NULL};
    const unsigned seconds = 60 + (unsigned)atoi(cases);
    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (counts[i] <= ranks_most())
            assert_int_equal(ranks_run("random", counts[i], seconds, words, NULL), 0);
}

/* Two ranks in one process, each in a thread of its own. */
static void *run_thread(void *argument) {
    run_cases(argument, 0, 20, false);
    return NULL;
}

static void threads(struct rank *rank, int argc, char **argv) {
    struct rank two[2];
    pthread_t handles[2];
    (void)argc, (void)argv;
    wl__round_bytes = 700;
    for (unsigned r = 0; r < 2; r++) {
        two[r] = *rank;
        two[r].ranks = 2;
        two[r].rank = r;
        if (pthread_create(&handles[r], NULL, run_thread, &two[r]))
            rank_fail(rank, "there is no thread");
    }
    pthread_join(handles[0], NULL);
    pthread_join(handles[1], NULL);
}

static void ranks_in_threads(void **state) {
    (void)state;
    if (ranks_most() >= 2)
        assert_int_equal(ranks_run("threads", 1, 120, NULL, NULL), 0);
}

/* ---------------------------------------------------------------- matrices */

struct matrix {
    unsigned ranks;
    size_t element_bytes;
    uint64_t rows, cols;
    bool even;
    uint64_t round_bytes, from_rows[RANKS_MOST], to_rows[RANKS_MOST];
};

static const struct matrix matrices[] = {
    {1, 4, 37, 65, true, 64, {37}, {65}},
    {2, 4, 100, 64, true, 300, {50, 50}, {32, 32}},
    {2, 4, 0, 9, true, 300, {0, 0}, {5, 4}},
    {2, 3, 0, 0, true, 300, {0, 0}, {0, 0}},
    {2, 100000, 5, 2, false, 5000, {2, 3}, {0, 2}}, /* an element is cut */
    /* Rounds of the real size and several ones. */
    {2, 8, 1031, 1100, true, 1 << 20, {516, 515}, {550, 550}},
    {2, 1, 2048, 4608, true, 32 << 20, {1024, 1024}, {2304, 2304}},
    {4, 1, 131, 3, true, 64, {33, 33, 33, 32}, {1, 1, 1, 0}},
    {4, 4, 61, 70, false, 1000, {0, 60, 0, 1}, {70, 0, 0, 0}},
    {4, 12, 61, 70, false, 1000, {1, 2, 58, 0}, {30, 30, 10, 0}},
};

/* What other ranks map has blocks of the driver's to itself: 2 MiB each.  Allocations that are shorter may
 * share one, and a rank that is late would store into what has taken this one's place. */
static void is_apart(const struct rank *rank, const wl_redistribution *plan) {
    size_t bytes = 0;
    if (!plan->exchange->near_staging)
        return;
    cuda_need(rank->cuda.cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                               plan->exchange->near_staging));
    if (bytes % (2 << 20))
        rank_fail(rank, "other ranks map %zu bytes, which may be a part of a block", bytes);
}

/* A rank packs in each other's memory if it may.  On GPUs the driver has a say. */
static void is_mapped(const struct rank *rank, const struct matrix *matrix, const wl_redistribution *plan,
                      bool maps) {
    const bool all = maps && matrix->rows && matrix->cols && matrix->even && matrix->cols >= matrix->ranks;
    const unsigned count = plan->exchange->pair_count;
    if (rank->standin && (all ? count != rank->ranks - 1 : !maps && count))
        rank_fail(rank, "%u pairs", count);
    is_apart(rank, plan);
}

/* "1", "LOC": ranks are told not to reach each other's memory. */
static void transpose(struct rank *rank, int argc, char **argv) {
    (void)argc;
    const bool maps = strcmp(argv[0], "0") == 0;
    if (!maps)
        setenv(strcmp(argv[0], "1") == 0 ? "NCCL_P2P_DISABLE" : "NCCL_P2P_LEVEL", argv[0], 1);
    open_memory(rank);
    for (size_t i = 0; i < sizeof(matrices) / sizeof(matrices[0]); i++) {
        const struct matrix *matrix = &matrices[i];
        if (matrix->ranks != rank->ranks)
            continue;
        const struct redistribution all =
            redistribution_of_matrix(matrix->ranks, matrix->element_bytes, matrix->rows, matrix->cols,
                                     matrix->from_rows, matrix->to_rows);
        const struct job job = {&all, i, i, 0, 0};
        wl_redistribution *plan;
        wl__round_bytes = matrix->round_bytes;
        need(wl_transpose_distributed_create_nccl(
            &plan, rank->context, rank->comm, matrix->element_bytes, matrix->rows, matrix->cols,
            matrix->even ? NULL : matrix->from_rows, matrix->even ? NULL : matrix->to_rows));
        is_mapped(rank, matrix, plan, maps);
        send(rank, &job);
        redistribute(rank, &job, plan);
        compare(rank, &job);
        wl_redistribution_destroy(plan);
    }
    close_memory(rank);
}

static void transposes(void **state) {
    static const unsigned counts[] = {1, 2, 4, 4, 2};
    static const char *const says[] = {"0", "0", "0", "1", "LOC"};
    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        const char *words[] = {says[i], NULL};
        if (counts[i] <= ranks_most())
            assert_int_equal(ranks_run("transpose", counts[i], 120, words, NULL), 0);
    }
}

/* ---------------------------------------------------------------- a rank that dies */

/* The last rank dies where the others make the call.  On GPUs a kernel of NCCL's waits for it then. */
static void lose(struct rank *rank, int argc, char **argv) {
    static const uint64_t rows[] = {3000, 3000}, cols[] = {2000, 2000};
    const struct redistribution all = redistribution_of_matrix(2, 1, 6000, 4000, rows, cols);
    const wl_stream stream = rank->stream;
    wl_devptr slabs[2];
    (void)argc, (void)argv;
    open_memory(rank);
    need(wl_alloc(rank->context, &slabs[0], 12000000));
    need(wl_alloc(rank->context, &slabs[1], 12000000));
    wl_redistribution *plan = make(rank, &all);
    need(wl_redistribute(plan, &slabs[1], &slabs[0], &stream));
    need(wl_redistribution_wait(plan, 20000));
    if (rank->rank == 1)
        raise(SIGKILL);
    const double start = now_seconds();
    wl_error error = wl_redistribute(plan, &slabs[1], &slabs[0], &stream);
    if (!error)
        error = wl_redistribution_wait(plan, 2000);
    if (error != WL_ERROR_COMMUNICATION || now_seconds() - start > 20)
        rank_fail(rank, "%s after %.1f s: %s", wl_error_name(error), now_seconds() - start, wl_message());
    wl_redistribution_destroy(plan);
    rank->comm = NULL;
    if (ranks_on_gpus()) { /* which may have faulted, as the other rank's memory is gone */
        fprintf(stderr, "%.1f s: %s\n", now_seconds() - start, wl_message());
        return;
    }
    need(wl_free(rank->context, slabs[0]));
    need(wl_free(rank->context, slabs[1]));
    close_memory(rank);
}

static void a_rank_dies(void **state) {
    int statuses[2];
    (void)state;
    if (ranks_most() < 2)
        return;
    assert_int_equal(ranks_run("lose", 2, 90, NULL, statuses), 2);
    assert_true(WIFSIGNALED(statuses[1]));
}

/* ---------------------------------------------------------------- what a call asks of the driver */

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

static bool is_asynchronous(const char *name) {
    return strncmp(name, "cuLaunchKernel", 14) == 0 || strncmp(name, "cuMemcpyDtoDAsync", 17) == 0 ||
           strcmp(name, "cuEventRecord") == 0 || strcmp(name, "cuStreamWaitEvent") == 0;
}

static void only_asynchronous(const struct rank *rank, const struct trace_counts *before,
                              const struct trace_counts *after) {
    const struct {
        const char *name;
        uint64_t calls;
    } all[] = {
#define DIFFERENCE(name, parameters, arguments) {STRING(name), after->name - before->name},
        TRACE_MAP(DIFFERENCE)};
    uint64_t asynchronous = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (is_asynchronous(all[i].name))
            asynchronous += all[i].calls;
        else if (all[i].calls)
            rank_fail(rank, "%" PRIu64 " calls of %s", all[i].calls, all[i].name);
    if (!asynchronous)
        rank_fail(rank, "the driver was not asked for anything");
}

/* Once its kernels are loaded, a call allocates nothing and waits for nothing.  What the stand-in asks for is
 * not counted. */
static void count_calls(struct rank *rank, int argc, char **argv) {
    static const uint64_t rows[] = {70, 30, 0}, cols[] = {20, 30, 10};
    const struct redistribution all = redistribution_of_matrix(3, 4, 100, 60, rows, cols);
    const struct job job = {&all, 0, 0, 0, 0};
    const wl_stream stream = rank->stream;
    trace_counts_fn *counts;
    (void)argc, (void)argv;
    open_memory(rank);
    void *symbol = dlsym(rank->cuda.library, "trace_counts");
    memcpy(&counts, &symbol, sizeof(counts));
    wl__round_bytes = 500;
    wl_redistribution *plan = make(rank, &all);
    send(rank, &job);
    redistribute(rank, &job, plan);
    compare(rank, &job);
    const wl_devptr source = from + GUARD, target = to + GUARD;
    const struct trace_counts before = *counts();
    need(wl_redistribute(plan, &target, &source, &stream));
    const struct trace_counts after = *counts();
    only_asynchronous(rank, &before, &after);
    need(wl_redistribution_wait(plan, 20000));
    wl_redistribution_destroy(plan);
    close_memory(rank);
}

static void calls_only_put_work_on_streams(void **state) {
    (void)state;
    if (ranks_on_gpus())
        return;
    const char *simulator = getenv("WIDELOAD_SIM_LIBRARY");
    char *kept = simulator ? strdup(simulator) : NULL;
    setenv("WIDELOAD_SIM_LIBRARY", TRACING_DRIVER, 1);
    const uint64_t wrong = ranks_run("count", 3, 60, NULL, NULL);
    if (kept)
        setenv("WIDELOAD_SIM_LIBRARY", kept, 1);
    free(kept);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
    static const struct rank_mode modes[] = {
        {"random", random_boxes}, {"threads", threads},   {"transpose", transpose},
        {"lose", lose},           {"count", count_calls}, {NULL, NULL},
    };
    const int status = ranks_child(argc, argv, modes);
    if (status >= 0)
        return status;
    if (argc > 1)
        cases = argv[1];
    if (argc > 2)
        first_case = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes_of_all),
        cmocka_unit_test(ranks_in_threads),
        cmocka_unit_test(transposes),
        cmocka_unit_test(a_rank_dies),
        cmocka_unit_test(calls_only_put_work_on_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
