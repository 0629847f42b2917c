/* The driver calls of every operation after its kernels are loaded: launches, and nothing that allocates,
 * loads or waits.  The driver counts and forwards to the simulator, so the results are compared too. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

#include <cmocka.h>

#include "calls.h"
#include "lib/driver.h"
#include "tracing_driver.h"

enum { CALLS = 40, BYTES = 64 << 10 };

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

static struct trace_counts *counts;
static wl_context *context;

static int setup(void **state) {
    (void)state;
    setenv("WIDELOAD_SIM_LIBRARY", TRACING_DRIVER, 1);
    void *library = dlopen(TRACING_DRIVER, RTLD_NOW);
    if (!library) {
        print_error("%s\n", dlerror());
        return -1;
    }
    trace_counts_fn *find;
    void *symbol = dlsym(library, "trace_counts");
    memcpy(&find, &symbol, sizeof(find));
    counts = find();
    return wl_open(&context, "sim") ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    wl_close(context);
    return 0;
}

static void need(wl_error error, const char *what) {
    if (error)
        fail_msg("%s: %s: %s", what, wl_error_name(error), wl_message());
}

/* Anyone who makes the library use another function must classify it here. */
static void every_function_is_known(void **state) {
    (void)state;
    static const char *const known[] = {
#define TRACED_NAME(name, parameters, arguments) STRING(name),
#define HARMLESS_NAME(name)                      STRING(name),
        TRACE_MAP(TRACED_NAME) TRACE_HARMLESS_MAP(HARMLESS_NAME)};
    static const char *const used[] = {
#define USED_NAME(name, older) STRING(name),
        WL_DRIVER_MAP(USED_NAME)
#define OPTIONAL_NAME(name) STRING(name),
            WL_DRIVER_OPTIONAL_MAP(OPTIONAL_NAME)};
    for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
            found = found || strcmp(used[i], known[k]) == 0;
        if (!found)
            fail_msg("tests/lib/tracing_driver.h does not say what %s does", used[i]);
    }
}

/* Asynchronous work on the caller's stream; no other counted call is work. */
static bool is_work(const char *name) {
    return strncmp(name, "cuLaunchKernel", 14) == 0 || strncmp(name, "cuMemsetD8Async", 15) == 0 ||
           strncmp(name, "cuMemcpyDtoDAsync", 17) == 0;
}

/* What orders work on several streams. */
static bool is_order(const char *name) {
    return strcmp(name, "cuEventRecord") == 0 || strcmp(name, "cuStreamWaitEvent") == 0;
}

/* Fails if anything but work was requested between the two counts; returns the amount of work. */
static uint64_t only_work(const struct trace_counts *before, const struct trace_counts *after, bool ordered,
                          const char *what) {
    uint64_t work = 0;
    const struct {
        const char *name;
        uint64_t calls;
    } all[] = {
#define DIFFERENCE(name, parameters, arguments) {STRING(name), after->name - before->name},
        TRACE_MAP(DIFFERENCE)};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (is_work(all[i].name))
            work += all[i].calls;
        else if (all[i].calls && !(ordered && is_order(all[i].name)))
            fail_msg("%s: %" PRIu64 " calls of %s", what, all[i].calls, all[i].name);
    return work;
}

/* Calls without an effect: no elements, or a row or a column in its place. */
static bool is_nothing(const struct call *call) {
    if (call->operation == &call_transpose_inplace && (call->rows <= 1 || call->cols <= 1))
        return true;
    for (unsigned i = 0; i < call->arrays; i++)
        if (call->array[i].bytes && !call->array[i].scratch)
            return false;
    return true;
}

/* Makes the same calls twice: the first time loads what they need. */
static void in_steady_state(const struct operation *operation) {
    static struct call calls[CALLS];
    uint64_t end = 0;
    wl_devptr device;
    for (unsigned i = 0; i < CALLS; i++) {
        struct draw draw = draw_from(5, i);
        call_choose(&calls[i], operation, context, &draw, BYTES);
        end = call_place(&calls[i], end);
    }
    unsigned char *host = malloc(end + 8), *got = malloc(end);
    assert_true(host && got);
    need(wl_alloc(context, &device, end), "wl_alloc");
    for (unsigned time = 0; time < 2; time++) {
        draw_fill(host, end, time);
        need(wl_upload(context, device, host, end), "wl_upload");
        for (unsigned i = 0; i < CALLS; i++) {
            struct trace_counts before, after;
            char words[2048];
            call_bind(&calls[i], device, host);
            call_describe(&calls[i], words, sizeof(words));
            memcpy(&before, counts, sizeof(before));
            need(operation->run(context, &calls[i], NULL), words);
            memcpy(&after, counts, sizeof(after));
            if (time == 1 && (only_work(&before, &after, false, words) == 0) != is_nothing(&calls[i]))
                fail_msg("%s: work was submitted for nothing, or none for something", words);
            if (!is_nothing(&calls[i]) &&
                strncmp(wl_explain(), operation->name, strlen(operation->name)) != 0)
                fail_msg("%s: wl_explain() says \"%s\"", words, wl_explain());
            operation->expect(&calls[i]);
        }
        need(wl_synchronize(context), "wl_synchronize");
        need(wl_download(context, got, device, end), "wl_download");
        uint64_t start = 0;
        for (unsigned i = 0; i < CALLS; i++) {
            char where[512];
            uint64_t next = call_place(&calls[i], start);
            if (!call_compare(&calls[i], got, host, start, next, where, sizeof(where)))
                fail_msg("%s: %s", operation->name, where);
            start = next;
        }
    }
    need(wl_free(context, device), "wl_free");
    free(host);
    free(got);
}

static void every_operation(void **state) {
    (void)state;
    for (unsigned i = 0; operation_at(i); i++)
        in_steady_state(operation_at(i));
}

/* The calls that return an answer wait for it, on their stream alone, and put nothing else on it than others
 * do. */
static void checks_wait_for_their_stream(void **state) {
    (void)state;
    const wl_sparse_shape shape = {5, 5, 0, 4, 0};
    wl_devptr memory;
    need(wl_alloc(context, &memory, 64), "wl_alloc");
    need(wl_fill(context, memory, 0, 64, NULL), "wl_fill");
    for (unsigned time = 0; time < 2; time++) {
        struct trace_counts before, after;
        memcpy(&before, counts, sizeof(before));
        need(wl_csr_check(context, &shape, &(wl_csr){memory, 0, 0}, memory + 32, NULL), "wl_csr_check");
        memcpy(&after, counts, sizeof(after));
        if (time == 0)
            continue;
        assert_int_equal(after.cuMemcpyDtoHAsync - before.cuMemcpyDtoHAsync, 1);
        assert_int_equal(after.cuStreamSynchronize - before.cuStreamSynchronize, 1);
        after.cuMemcpyDtoHAsync = before.cuMemcpyDtoHAsync;
        after.cuStreamSynchronize = before.cuStreamSynchronize;
        assert_int_equal(only_work(&before, &after, false, "wl_csr_check"), 2);
    }
    need(wl_free(context, memory), "wl_free");
}

/* Three ranks on one device; each has slabs of 100 columns after the call, of which it had 33 or 34 rows. */
static void redistributions(void **state) {
    (void)state;
    wl_context *const contexts[3] = {context, context, context};
    wl_devptr from[3], to[3];
    wl_redistribution *plan;
    need(wl_transpose_distributed_create(&plan, 3, contexts, 4, 100, 100, NULL, NULL), "create");
    for (unsigned r = 0; r < 3; r++) {
        need(wl_alloc(context, &from[r], 34 * 100 * 4), "wl_alloc");
        need(wl_alloc(context, &to[r], 34 * 100 * 4), "wl_alloc");
    }
    for (unsigned time = 0; time < 2; time++) {
        struct trace_counts before, after;
        memcpy(&before, counts, sizeof(before));
        need(wl_redistribute(plan, to, from, NULL), "wl_redistribute");
        memcpy(&after, counts, sizeof(after));
        if (time == 1)
            assert_int_equal(only_work(&before, &after, true, "wl_redistribute"), 9);
    }
    need(wl_synchronize(context), "wl_synchronize");
    wl_redistribution_destroy(plan);
    for (unsigned r = 0; r < 3; r++) {
        need(wl_free(context, from[r]), "wl_free");
        need(wl_free(context, to[r]), "wl_free");
    }
}

/* Tests the counting itself: forbidden calls are detected. */
static void it_counts(void **state) {
    (void)state;
    wl_devptr memory;
    uint64_t allocations = counts->cuMemAlloc, waits = counts->cuCtxSynchronize,
             loads = counts->cuModuleLoadData;
    need(wl_alloc(context, &memory, 64), "wl_alloc");
    need(wl_synchronize(context), "wl_synchronize");
    need(wl_copy(context, memory, memory + 32, 32, NULL), "wl_copy");
    assert_int_equal(counts->cuMemAlloc, allocations + 1);
    assert_int_equal(counts->cuCtxSynchronize, waits + 1);
    assert_int_equal(counts->cuModuleLoadData, loads + 1);
    need(wl_free(context, memory), "wl_free");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_known),
        cmocka_unit_test_setup_teardown(it_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(every_operation, setup, teardown),
        cmocka_unit_test_setup_teardown(checks_wait_for_their_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(redistributions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
