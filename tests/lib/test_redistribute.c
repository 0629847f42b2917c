/* Redistributions over 1, 2, 3, 4 and 7 devices: every byte compared, and those around the arrays.
 *
 *     test_lib_redistribute [CASES [FIRST]]
 *
 * A case depends only on its number.  On the simulator, or with WIDELOAD_DEVICE=gpu on all GPUs, of which
 * each then is several ranks'; and on the host.  The ranks' streams hold work ahead of the call and behind
 * it. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_calls.h"
#include "lib/redistribute/redistribute.h"
#include "redistributions.h"

#ifdef __SANITIZE_ADDRESS__
#define CASES 150
#else
#define CASES 300
#endif

/* BYTES of a random array, and MATRIX of a large one.  An area has GUARD bytes on either side of an array and
 * up to 15 more ahead of it. */
enum { BYTES = 24 << 10, MATRIX = 9 << 20, GUARD = 64, AREA = MATRIX + 2 * GUARD + 16, POISON = 0xa5 };

static uint64_t cases = CASES, first_case;
static struct cuda_calls cuda;

/* A rank: `given` goes to `from` ahead of the call, and `to` goes to `result` behind it. */
static struct rank {
    wl_context *context;
    CUcontext primary;
    CUstream stream;
    wl_devptr given, from, to, result;
} ranks[RANKS_MOST];
static unsigned char *expected, *got;

/* ---------------------------------------------------------------- devices */

static bool on_gpus(void) {
    return strncmp(cuda_device_name(), "gpu", 3) == 0;
}

static unsigned devices; /* more ranks than these share them */

static int open_rank(struct rank *rank, unsigned number, bool host) {
    char name[16];
    wl_error error;
    do {
        snprintf(name, sizeof(name), host ? "host" : on_gpus() ? "gpu:%u" : "sim:%u", number % devices);
        error = wl_open(&rank->context, name);
        if (error == WL_ERROR_NO_DEVICE && number)
            devices = number;
    } while (error == WL_ERROR_NO_DEVICE && devices == number);
    wl_devptr *const areas[] = {&rank->given, &rank->from, &rank->to, &rank->result};
    for (unsigned i = 0; i < 4 && !error; i++)
        error = wl_alloc(rank->context, areas[i], AREA);
    if (error) {
        print_error("%s: %s\n", name, wl_message());
        return -1;
    }
    if (host)
        return 0;
    cuda_need(cuda.cuDevicePrimaryCtxRetain(&rank->primary, (CUdevice)(number % devices)));
    cuda_need(cuda.cuCtxSetCurrent(rank->primary));
    cuda_need(cuda.cuStreamCreate(&rank->stream, CU_STREAM_NON_BLOCKING));
    return 0;
}

static int open_all(bool host, unsigned most) {
    devices = most;
    expected = malloc(AREA);
    got = malloc(AREA);
    int failed = expected && got ? 0 : -1;
    if (!host) {
        setenv("WIDELOAD_SIM_DEVICES", "7", 1);
        cuda = cuda_open();
    }
    for (unsigned r = 0; r < RANKS_MOST && !failed; r++) {
        ranks[r] = (struct rank){0};
        failed = open_rank(&ranks[r], r, host);
    }
    return failed;
}

static int setup(void **state) {
    (void)state;
    return open_all(false, RANKS_MOST);
}

static int setup_few(void **state) {
    (void)state;
    return open_all(false, 2);
}

static int setup_host(void **state) {
    (void)state;
    return open_all(true, 1);
}

static int teardown(void **state) {
    (void)state;
    for (unsigned r = 0; r < RANKS_MOST; r++) {
        struct rank *rank = &ranks[r];
        const wl_devptr areas[] = {rank->given, rank->from, rank->to, rank->result};
        for (unsigned i = 0; i < 4; i++)
            if (wl_free(rank->context, areas[i]))
                return -1;
        if (rank->stream) {
            cuda_need(cuda.cuCtxSetCurrent(rank->primary));
            cuda_need(cuda.cuStreamDestroy(rank->stream));
            cuda_need(cuda.cuCtxSetCurrent(NULL));
        }
        wl_close(rank->context);
        if (rank->stream)
            cuda_need(cuda.cuDevicePrimaryCtxRelease((CUdevice)(r % devices)));
    }
    free(expected);
    free(got);
    return 0;
}

static void need_at(wl_error error, const char *what, const char *file, int line) {
    if (error)
        fail_msg("%s:%d: %s: %s: %s", file, line, what, wl_error_name(error), wl_message());
}
#define need(call) need_at(call, #call, __FILE__, __LINE__)

/* ---------------------------------------------------------------- a case */

/* The arrays begin so many bytes past the first GUARD of their area. */
struct places {
    wl_context *contexts[RANKS_MOST];
    unsigned from_shift[RANKS_MOST], to_shift[RANKS_MOST];
    wl_devptr from[RANKS_MOST], to[RANKS_MOST];
    wl_stream streams[RANKS_MOST];
};

static void place(struct places *places, struct draw *draw, const struct redistribution *all) {
    for (unsigned r = 0; r < all->ranks; r++) {
        places->contexts[r] = ranks[r].context;
        places->from_shift[r] = draw_one_in(draw, 2) ? 0 : (unsigned)draw_below(draw, 16);
        places->to_shift[r] = draw_one_in(draw, 2) ? 0 : (unsigned)draw_below(draw, 16);
        places->from[r] = box_bytes(all, &all->from[r]) ? ranks[r].from + GUARD + places->from_shift[r] : 0;
        places->to[r] = box_bytes(all, &all->to[r]) ? ranks[r].to + GUARD + places->to_shift[r] : 0;
        places->streams[r] = ranks[r].stream;
    }
}

/* Sends what the ranks have, and poisons everything else. */
static void send(const struct redistribution *all, const struct places *places, uint64_t seed) {
    for (unsigned r = 0; r < all->ranks; r++) {
        const uint64_t bytes = box_bytes(all, &all->from[r]), to_bytes = box_bytes(all, &all->to[r]);
        memset(expected, POISON, bytes + 2 * GUARD + 16);
        if (bytes)
            box_fill(all, &all->from[r], seed, expected + GUARD + places->from_shift[r]);
        need(wl_upload(ranks[r].context, ranks[r].given, expected, bytes + 2 * GUARD + 16));
        need(wl_fill(ranks[r].context, ranks[r].from, 0, bytes + 2 * GUARD + 16, NULL));
        need(wl_fill(ranks[r].context, ranks[r].to, POISON, to_bytes + 2 * GUARD + 16, NULL));
        need(wl_fill(ranks[r].context, ranks[r].result, 0, to_bytes + 2 * GUARD + 16, NULL));
        need(wl_synchronize(ranks[r].context));
    }
}

/* The call amid other work of the ranks' streams. */
static void call(const struct redistribution *all, const struct places *places, wl_redistribution *plan) {
    for (unsigned r = 0; r < all->ranks; r++)
        need(wl_copy(ranks[r].context, ranks[r].from, ranks[r].given,
                     box_bytes(all, &all->from[r]) + 2 * GUARD + 16, ranks[r].stream));
    need(wl_redistribute(plan, places->to, places->from, places->streams));
    for (unsigned r = 0; r < all->ranks; r++) {
        need(wl_copy(ranks[r].context, ranks[r].result, ranks[r].to,
                     box_bytes(all, &all->to[r]) + 2 * GUARD + 16, ranks[r].stream));
        need(wl_fill(ranks[r].context, ranks[r].from, 0, box_bytes(all, &all->from[r]) + 2 * GUARD + 16,
                     ranks[r].stream));
        need(wl_fill(ranks[r].context, ranks[r].to, 0, box_bytes(all, &all->to[r]) + 2 * GUARD + 16,
                     ranks[r].stream));
    }
}

static void describe(const struct redistribution *all) {
    print_error("%u ranks, elements of %zu bytes, sizes", all->ranks, all->element_bytes);
    for (unsigned d = 0; d < all->dimensions; d++)
        print_error(" %" PRIu64, all->sizes[d]);
    for (unsigned r = 0; r < 2 * all->ranks; r++) {
        const wl_box *box = r % 2 ? &all->to[r / 2] : &all->from[r / 2];
        print_error("\n%s[%u]:", r % 2 ? "to" : "from", r / 2);
        for (unsigned d = 0; d < all->dimensions && box_bytes(all, box); d++)
            print_error(" %" PRIu64 "+%" PRIu64 "@%u", box->begin[d], box->sizes[d], box->order[d]);
    }
    print_error("\n");
}

static void compare(const struct redistribution *all, const struct places *places, uint64_t seed,
                    uint64_t number) {
    for (unsigned r = 0; r < all->ranks; r++) {
        const uint64_t bytes = box_bytes(all, &all->to[r]), total = bytes + 2 * GUARD + 16;
        memset(expected, POISON, total);
        if (bytes)
            box_fill(all, &all->to[r], seed, expected + GUARD + places->to_shift[r]);
        need(wl_synchronize(ranks[r].context));
        need(wl_download(ranks[r].context, got, ranks[r].result, total));
        uint64_t i = 0;
        while (i < total && got[i] == expected[i])
            i++;
        if (i == total)
            continue;
        describe(all);
        fail_msg("case %" PRIu64 ": rank %u: byte %" PRId64 " of %" PRIu64 " is %d, not %d", number, r,
                 (int64_t)i - GUARD - places->to_shift[r], bytes, got[i], expected[i]);
    }
}

static wl_redistribution *make(const struct redistribution *all, const struct places *places) {
    wl_redistribution *plan = NULL;
    if (wl_redistribution_create(&plan, all->ranks, places->contexts, all->element_bytes, all->dimensions,
                                 all->sizes, all->from, all->to)) {
        describe(all);
        fail_msg("%s", wl_message());
    }
    return plan;
}

static void random_boxes(void **state) {
    static const unsigned counts[] = {1, 2, 3, 4, 7};
    (void)state;
    for (uint64_t number = first_case; number < first_case + cases; number++) {
        struct draw draw = draw_from(17, number);
        const struct redistribution all = redistribution_draw(&draw, counts[number % 5], BYTES);
        struct places places;
        place(&places, &draw, &all);
        wl_redistribution *plan = make(&all, &places);
        const unsigned times = draw_one_in(&draw, 4) ? 2 : 1;
        for (unsigned time = 0; time < times; time++) {
            send(&all, &places, number + time);
            call(&all, &places, plan);
            compare(&all, &places, number + time, number);
        }
        wl_redistribution_destroy(plan);
    }
}

/* ---------------------------------------------------------------- matrices */

struct matrix {
    unsigned ranks;
    size_t element_bytes;
    uint64_t rows, cols;
    bool even;
    uint64_t from_rows[RANKS_MOST], to_rows[RANKS_MOST];
};

static void transpose(const struct matrix *matrix) {
    const struct redistribution all = redistribution_of_matrix(
        matrix->ranks, matrix->element_bytes, matrix->rows, matrix->cols, matrix->from_rows, matrix->to_rows);
    struct draw draw = draw_from(matrix->rows, matrix->cols);
    struct places places;
    wl_redistribution *plan;
    place(&places, &draw, &all);
    need(wl_transpose_distributed_create(&plan, matrix->ranks, places.contexts, matrix->element_bytes,
                                         matrix->rows, matrix->cols, matrix->even ? NULL : matrix->from_rows,
                                         matrix->even ? NULL : matrix->to_rows));
    send(&all, &places, 5);
    call(&all, &places, plan);
    compare(&all, &places, 5, 0);
    wl_redistribution_destroy(plan);
}

static void matrices(void **state) {
    (void)state;
    static const struct matrix all[] = {
        {1, 4, 37, 65, true, {37}, {65}},
        {2, 4, 100, 64, true, {50, 50}, {32, 32}},
        {3, 8, 100, 67, true, {34, 33, 33}, {23, 22, 22}},
        {4, 1, 131, 3, true, {33, 33, 33, 32}, {1, 1, 1, 0}},
        {7, 16, 5, 50, true, {1, 1, 1, 1, 1, 0, 0}, {8, 7, 7, 7, 7, 7, 7}},
        {4, 2, 61, 70, false, {0, 60, 0, 1}, {70, 0, 0, 0}},
        {3, 12, 61, 70, false, {1, 2, 58}, {30, 30, 10}},
        {2, 4, 0, 9, true, {0, 0}, {5, 4}},
        {2, 3, 0, 0, true, {0, 0}, {0, 0}},
        /* Pieces of the real size. */
        {2, 8, 1031, 1100, true, {516, 515}, {550, 550}},
        {2, 1, 2048, 4608, true, {1024, 1024}, {2304, 2304}},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        transpose(&all[i]);
}

/* ---------------------------------------------------------------- the rest */

/* The default streams, and what wl_explain() says. */
static void default_streams(void **state) {
    (void)state;
    static const uint64_t rows[] = {5, 4, 4}, cols[] = {3, 0, 8};
    const struct redistribution all = redistribution_of_matrix(3, 4, 13, 11, rows, cols);
    struct draw draw = draw_from(0, 0);
    struct places places;
    place(&places, &draw, &all);
    wl_redistribution *plan = make(&all, &places);
    send(&all, &places, 8);
    for (unsigned r = 0; r < 3; r++)
        need(wl_copy(ranks[r].context, ranks[r].from, ranks[r].given,
                     box_bytes(&all, &all.from[r]) + 2 * GUARD + 16, NULL));
    need(wl_redistribute(plan, places.to, places.from, NULL));
    assert_string_equal(wl_explain(),
                        ranks[0].stream
                            ? "wl_redistribute: ranks 3, dimensions 2, element_bytes 4, "
                              "crossing bytes 384: push: each device stores into the others' memory, "
                              "beside its own part"
                            : "wl_redistribute: ranks 3, dimensions 2, element_bytes 4, "
                              "crossing bytes 384: host: strided copies, one after the other");
    for (unsigned r = 0; r < 3; r++)
        need(wl_copy(ranks[r].context, ranks[r].result, ranks[r].to,
                     box_bytes(&all, &all.to[r]) + 2 * GUARD + 16, NULL));
    compare(&all, &places, 8, 0);
    wl_redistribution_destroy(plan);
}

/* Each rank's first push goes to the next rank, and its second one to the rank after that. */
static void pushes_take_turns(void **state) {
    (void)state;
    static const uint64_t rows[] = {4, 4, 4}, cols[] = {8, 8, 8};
    const struct redistribution all = redistribution_of_matrix(3, 4, 12, 24, rows, cols);
    struct places places = {0};
    for (unsigned r = 0; r < 3; r++)
        places.contexts[r] = ranks[r].context;
    wl_redistribution *plan = make(&all, &places);
    assert_int_equal(plan->count, 9);
    for (unsigned i = 0; i < 9; i++) {
        static const unsigned distances[] = {1, 0, 2};
        const struct wl__piece *piece = &plan->pieces[i];
        const unsigned distance = distances[i / 3];
        assert_int_equal(piece->from, i % 3);
        assert_int_equal(piece->to, (i % 3 + distance) % 3);
        assert_int_equal(piece->lane, distance ? WL__LANE_PUSH : WL__LANE_OWN);
    }
    wl_redistribution_destroy(plan);
}

/* What crosses is stored once, in whole sectors, and nothing is loaded. */
static void stores_cross(void **state) {
    (void)state;
    static const uint64_t rows[] = {256, 128, 384}, cols[] = {512, 64, 64};
    const struct redistribution all = redistribution_of_matrix(3, 4, 768, 640, rows, cols);
    struct places places = {0};
    wl_counters counters;
    if (on_gpus())
        return;
    for (unsigned r = 0; r < 3; r++) {
        places.contexts[r] = ranks[r].context;
        places.from[r] = ranks[r].from;
        places.to[r] = ranks[r].to;
    }
    wl_redistribution *plan = make(&all, &places);
    need(wl_reset_counters(ranks[0].context));
    need(wl_redistribute(plan, places.to, places.from, NULL));
    need(wl_get_counters(ranks[0].context, &counters));
    assert_int_equal(counters.peer_store_transactions * 32, plan->crossing);
    assert_int_equal(counters.peer_load_transactions, 0);
    assert_int_equal(counters.gst_transactions * 32, 768 * 640 * 4);
    wl_redistribution_destroy(plan);
}

/* All ranks' streams in one capture, which begins on the first. */
static void captured(void **state) {
    (void)state;
    static const uint64_t rows[] = {5, 40, 4}, cols[] = {30, 0, 8};
    const struct redistribution all = redistribution_of_matrix(3, 4, 49, 38, rows, cols);
    struct draw draw = draw_from(0, 0);
    struct places places;
    place(&places, &draw, &all);
    wl_redistribution *plan = make(&all, &places);
    CUevent begun, done[3];
    CUgraph graph;
    CUgraphExec exec;
    cuda_need(cuda.cuCtxSetCurrent(ranks[0].primary));
    cuda_need(cuda.cuEventCreate(&begun, CU_EVENT_DISABLE_TIMING));
    cuda_need(cuda.cuStreamBeginCapture(ranks[0].stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    cuda_need(cuda.cuEventRecord(begun, ranks[0].stream));
    for (unsigned r = 1; r < 3; r++)
        cuda_need(cuda.cuStreamWaitEvent(ranks[r].stream, begun, 0));
    call(&all, &places, plan);
    for (unsigned r = 1; r < 3; r++) {
        cuda_need(cuda.cuCtxSetCurrent(ranks[r].primary));
        cuda_need(cuda.cuEventCreate(&done[r], CU_EVENT_DISABLE_TIMING));
        cuda_need(cuda.cuEventRecord(done[r], ranks[r].stream));
        cuda_need(cuda.cuStreamWaitEvent(ranks[0].stream, done[r], 0));
    }
    cuda_need(cuda.cuCtxSetCurrent(ranks[0].primary));
    cuda_need(cuda.cuStreamEndCapture(ranks[0].stream, &graph));
    cuda_need(cuda.cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (uint64_t seed = 0; seed < 2; seed++) {
        send(&all, &places, seed);
        cuda_need(cuda.cuGraphLaunch(exec, ranks[0].stream));
        cuda_need(cuda.cuStreamSynchronize(ranks[0].stream));
        compare(&all, &places, seed, 0);
    }
    cuda_need(cuda.cuGraphExecDestroy(exec));
    cuda_need(cuda.cuGraphDestroy(graph));
    cuda_need(cuda.cuEventDestroy(begun));
    cuda_need(cuda.cuEventDestroy(done[1]));
    cuda_need(cuda.cuEventDestroy(done[2]));
    cuda_need(cuda.cuCtxSetCurrent(NULL));
    wl_redistribution_destroy(plan);
}

/* A capture that only one rank's stream belongs to. */
static void captured_in_part(void **state) {
    (void)state;
    static const uint64_t rows[] = {5, 40}, cols[] = {30, 8};
    const struct redistribution all = redistribution_of_matrix(2, 4, 45, 38, rows, cols);
    struct draw draw = draw_from(0, 0);
    struct places places;
    place(&places, &draw, &all);
    wl_redistribution *plan = make(&all, &places);
    send(&all, &places, 3);
    cuda_need(cuda.cuCtxSetCurrent(ranks[0].primary));
    cuda_need(cuda.cuStreamBeginCapture(ranks[0].stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    assert_int_equal(wl_redistribute(plan, places.to, places.from, places.streams), WL_ERROR_DRIVER);
    const char *words =
        "wl_redistribute: the streams of rank 0: cuStreamWaitEvent: CUDA_ERROR_STREAM_CAPTURE_";
    if (strncmp(wl_message(), words, strlen(words)) != 0)
        fail_msg("\"%s\"", wl_message());
    CUgraph graph;
    assert_int_equal(cuda.cuStreamEndCapture(ranks[0].stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    cuda_need(cuda.cuCtxSetCurrent(NULL));
    call(&all, &places, plan);
    compare(&all, &places, 3, 0);
    wl_redistribution_destroy(plan);
}

int main(int argc, char **argv) {
    if (argc > 1)
        cases = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_case = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes),     cmocka_unit_test(matrices),
        cmocka_unit_test(default_streams),  cmocka_unit_test(pushes_take_turns),
        cmocka_unit_test(stores_cross),     cmocka_unit_test(captured),
        cmocka_unit_test(captured_in_part),
    };
    const struct CMUnitTest of_few[] = {cmocka_unit_test(random_boxes), cmocka_unit_test(captured)};
    const struct CMUnitTest of_host[] = {
        cmocka_unit_test(random_boxes),
        cmocka_unit_test(matrices),
        cmocka_unit_test(default_streams),
    };
    return cmocka_run_group_tests_name("devices", tests, setup, teardown) +
           cmocka_run_group_tests_name("two devices", of_few, setup_few, teardown) +
           cmocka_run_group_tests_name("host", of_host, setup_host, teardown);
}
