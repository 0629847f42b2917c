/* Every operation of wideload.h with random arguments, against plain C, byte for byte: outputs are poisoned,
 * and bytes around and between the arrays must not change.  On the simulator, or the device that
 * WIDELOAD_DEVICE names.
 *
 *     test_lib_random [--seed N] [--cases N] [--case N] [--bytes N] [--threads N] [--operation NAME]
 * [--shared]
 *
 * A case depends only on the seed and its number, so --seed and --case repeat a failure.  Several threads
 * (--threads) call concurrently, each with its own stream.  On the simulator each array is a separate
 * allocation, so its bounds reveal every access outside it; on a GPU, or with --shared, each thread's arrays
 * share one large allocation, which makes a million cases take about a minute. */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "calls.h"
#include "cuda_calls.h"
#include "without_small.h"

enum { BATCH = 64, FAILURES = 10, SCRATCH = 8 << 20 };

/* Builds with sanitizers take several times as long for a case. */
#ifdef __SANITIZE_ADDRESS__
#define CASES 2500
#else
#define CASES 10000
#endif

static struct {
    uint64_t seed, cases, bytes, only;
    bool one, shared;
    unsigned threads;
    const struct operation *operation;
} options = {.cases = CASES, .bytes = 1 << 20, .threads = 1};

static struct cuda_calls cuda;
static wl_context *context, *large; /* large: without the mover of small arrays; each has half the cases */
static CUcontext primary;
static _Atomic uint64_t next_case, bytes_moved;
static _Atomic unsigned failures;
static _Atomic uint64_t ran[32];

struct worker {
    pthread_t thread;
    CUstream stream;
    CUdeviceptr device;        /* size bytes; 0 if each array has its own */
    unsigned char *host, *got; /* expected and actual contents of the device */
    uint64_t size;
    unsigned count;
    uint64_t number[BATCH], start[BATCH + 1];
    struct call call[BATCH];
    wl_devptr own[BATCH][CALL_ARRAYS];
};

static void tell(const struct worker *worker, unsigned i, const char *what) {
    char words[2048];
    if (atomic_fetch_add(&failures, 1) >= FAILURES)
        return;
    call_describe(&worker->call[i], words, sizeof(words));
    printf("FAIL --seed %" PRIu64 " --case %" PRIu64 " --bytes %" PRIu64 ": %s\n    %s\n", options.seed,
           worker->number[i], options.bytes, words, what);
    fflush(stdout);
}

/* Whether a call of the driver or the library succeeded. */
static bool went(const struct worker *worker, unsigned i, int result, const char *call) {
    char words[2048];
    if (result == 0)
        return true;
    snprintf(words, sizeof(words), "%s: error %d: %s", call, result, wl_message());
    tell(worker, i, words);
    return false;
}

/* ---------------------------------------------------------------- arrays on the device */

/* Allocates each array from its block of 256 bytes to its last byte. */
static bool send_own(struct worker *worker, unsigned i) {
    struct call *call = &worker->call[i];
    for (unsigned k = 0; k < call->arrays; k++) {
        struct call_array *array = &call->array[k];
        if (array->inside >= 0)
            continue;
        uint64_t bytes = array->shift + array->bytes;
        if (!went(worker, i, wl_alloc(context, &worker->own[i][k], bytes), "wl_alloc") ||
            !went(worker, i,
                  wl_upload(context, worker->own[i][k], worker->host + array->offset - array->shift, bytes),
                  "wl_upload"))
            return false;
        array->device = worker->own[i][k] + array->shift;
    }
    for (unsigned k = 0; k < call->arrays; k++)
        if (call->array[k].inside >= 0)
            call->array[k].device = call->array[call->array[k].inside].device + call->array[k].delta;
    return true;
}

static bool fetch_own(struct worker *worker, unsigned i) {
    const struct call *call = &worker->call[i];
    uint64_t start = worker->start[i];
    bool good = true;
    memcpy(worker->got + start, worker->host + start, worker->start[i + 1] - start);
    for (unsigned k = 0; k < call->arrays; k++) {
        const struct call_array *array = &call->array[k];
        if (array->inside >= 0 || !worker->own[i][k])
            continue;
        good = good && went(worker, i,
                            wl_download(context, worker->got + array->offset - array->shift,
                                        worker->own[i][k], array->shift + array->bytes),
                            "wl_download");
    }
    return good;
}

static void free_own(struct worker *worker, unsigned i) {
    for (unsigned k = 0; k < worker->call[i].arrays; k++) {
        if (worker->own[i][k])
            (void)went(worker, i, wl_free(context, worker->own[i][k]), "wl_free");
        worker->own[i][k] = 0;
    }
}

/* ---------------------------------------------------------------- batches */

static void run_batch(struct worker *worker) {
    uint64_t end = worker->start[worker->count];
    bool good = worker->count > 0;
    draw_fill(worker->host, end, options.seed ^ worker->number[0]);
    if (options.shared && good)
        good = went(worker, 0, cuda.cuMemcpyHtoDAsync(worker->device, worker->host, end, worker->stream),
                    "cuMemcpyHtoDAsync");
    for (unsigned i = 0; i < worker->count && good; i++) {
        struct call *call = &worker->call[i];
        call_bind(call, worker->device, worker->host);
        good = (options.shared || send_own(worker, i)) &&
               went(worker, i,
                    call->operation->run(worker->number[i] % 2 ? large : context, call, worker->stream),
                    call->operation->name);
    }
    /* The first one is named, since it is unknown which one faulted. */
    good = good && went(worker, 0, cuda.cuStreamSynchronize(worker->stream),
                        "a kernel of this or one of the 63 next cases");
    for (unsigned i = 0; i < worker->count && good; i++) {
        const struct call *call = &worker->call[i];
        call->operation->expect(call);
        for (unsigned k = 0; k < call->arrays; k++)
            atomic_fetch_add(&bytes_moved, call->array[k].bytes);
    }
    if (options.shared && good)
        good = went(worker, 0, cuda.cuMemcpyDtoHAsync(worker->got, worker->device, end, worker->stream),
                    "cuMemcpyDtoHAsync") &&
               went(worker, 0, cuda.cuStreamSynchronize(worker->stream), "cuStreamSynchronize");
    for (unsigned i = 0; i < worker->count; i++) {
        char words[1024];
        if (good && !options.shared)
            good = fetch_own(worker, i);
        if (good && !call_compare(&worker->call[i], worker->got, worker->host, worker->start[i],
                                  worker->start[i + 1], words, sizeof(words)))
            tell(worker, i, words);
        if (!options.shared)
            free_own(worker, i);
    }
    worker->count = 0;
}

static unsigned operations(void) {
    unsigned count = 0;
    while (operation_at(count))
        count++;
    return count;
}

/* Sizes of all magnitudes are equally likely, from a few bytes to options.bytes. */
static void choose(struct worker *worker, uint64_t number) {
    struct draw draw = draw_from(options.seed, number);
    unsigned which = (unsigned)draw_below(&draw, operations());
    const struct operation *operation = options.operation ? options.operation : operation_at(which);
    unsigned orders = 0;
    while (options.bytes >> orders > 64)
        orders++;
    uint64_t bytes = options.bytes >> draw_below(&draw, orders + 1);
    struct call *call = &worker->call[worker->count];
    call_choose(call, operation, context, &draw, bytes);
    uint64_t end = call_place(call, worker->start[worker->count]);
    if (end > worker->size && worker->count) {
        struct call kept = *call;
        run_batch(worker);
        worker->call[0] = kept;
        call = &worker->call[0];
        end = call_place(call, 0);
    }
    worker->number[worker->count] = number;
    if (end > worker->size) {
        tell(worker, worker->count, "the case is larger than the test's memory");
        return;
    }
    worker->start[++worker->count] = end;
    for (unsigned i = 0; operation_at(i); i++)
        if (operation_at(i) == operation)
            atomic_fetch_add(&ran[i], 1);
    if (worker->count == BATCH)
        run_batch(worker);
}

static void *work(void *argument) {
    struct worker *worker = argument;
    if (!went(worker, 0, cuda.cuCtxSetCurrent(primary), "cuCtxSetCurrent"))
        return NULL;
    for (;;) {
        uint64_t first = atomic_fetch_add(&next_case, BATCH);
        if (first >= options.cases || atomic_load(&failures) >= FAILURES)
            break;
        for (uint64_t number = first; number < first + BATCH && number < options.cases; number++)
            choose(worker, options.one ? options.only : number);
    }
    if (worker->count)
        run_batch(worker);
    return NULL;
}

/* ---------------------------------------------------------------- the program */

static void make_worker(struct worker *worker) {
    void *host, *got;
    worker->size = SCRATCH > 16 * options.bytes ? SCRATCH : 16 * options.bytes;
    cuda_need(cuda.cuStreamCreate(&worker->stream, CU_STREAM_NON_BLOCKING));
    cuda_need(cuda.cuMemAllocHost(&host, worker->size + 8));
    cuda_need(cuda.cuMemAllocHost(&got, worker->size + 8));
    if (options.shared)
        cuda_need(cuda.cuMemAlloc(&worker->device, worker->size));
    worker->host = host;
    worker->got = got;
}

static void free_worker(struct worker *worker) {
    if (options.shared)
        (void)cuda.cuMemFree(worker->device);
    (void)cuda.cuMemFreeHost(worker->host);
    (void)cuda.cuMemFreeHost(worker->got);
    (void)cuda.cuStreamDestroy(worker->stream);
}

static void all_cases(void **state) {
    (void)state;
    CUdevice device;
    cuda = cuda_open();
    cuda_need(cuda.cuDeviceGet(&device, 0));
    cuda_need(cuda.cuDevicePrimaryCtxRetain(&primary, device));
    cuda_need(cuda.cuCtxSetCurrent(primary));
    if (wl_open(&context, cuda_device_name()) || wl_open(&large, cuda_device_name()))
        fail_msg("%s", wl_message());
    leave_out_small(large);
    struct worker *workers = calloc(options.threads, sizeof(*workers));
    assert_non_null(workers);
    for (unsigned i = 0; i < options.threads; i++)
        make_worker(&workers[i]);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (unsigned i = 1; i < options.threads; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    work(&workers[0]);
    for (unsigned i = 1; i < options.threads; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    clock_gettime(CLOCK_MONOTONIC, &to);
    uint64_t total = 0;
    for (unsigned i = 0; operation_at(i); i++) {
        printf("%-24s %" PRIu64 " cases\n", operation_at(i)->name, ran[i]);
        total += ran[i];
    }
    printf("%" PRIu64 " cases, %.1f MB of arrays, %u failures, %.1f s\n", total, (double)bytes_moved * 1e-6,
           failures, (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);
    for (unsigned i = 0; i < options.threads; i++)
        free_worker(&workers[i]);
    free(workers);
    wl_close(context);
    wl_close(large);
    (void)cuda.cuCtxSetCurrent(NULL);
    (void)cuda.cuDevicePrimaryCtxRelease(device);
    assert_int_equal(failures, 0);
    assert_int_equal(total, options.cases);
}

static int usage(const char *program) {
    fprintf(stderr,
            "usage: %s [--seed N] [--cases N] [--case N] [--bytes N] [--threads N] [--operation NAME] "
            "[--shared]\n",
            program);
    return 2;
}

int main(int count, char **words) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    options.seed = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    options.shared = strncmp(cuda_device_name(), "gpu", 3) == 0;
    for (int i = 1; i < count; i++) {
        const char *option = words[i];
        if (strcmp(option, "--shared") == 0) {
            options.shared = true;
            continue;
        }
        if (i + 1 == count)
            return usage(words[0]);
        const char *value = words[++i];
        char *end;
        uint64_t number = strtoull(value, &end, 10);
        bool is_number = end != value && *end == '\0';
        if (strcmp(option, "--operation") == 0) {
            for (unsigned k = 0; operation_at(k); k++)
                if (strcmp(operation_at(k)->name, value) == 0)
                    options.operation = operation_at(k);
            if (!options.operation)
                return usage(words[0]);
        } else if (is_number && strcmp(option, "--seed") == 0) {
            options.seed = number;
        } else if (is_number && strcmp(option, "--cases") == 0) {
            options.cases = number;
        } else if (is_number && strcmp(option, "--case") == 0) {
            options.one = true;
            options.only = number;
            options.cases = 1;
        } else if (is_number && number >= 64 && strcmp(option, "--bytes") == 0) {
            options.bytes = number;
        } else if (is_number && number >= 1 && number <= 256 && strcmp(option, "--threads") == 0) {
            options.threads = (unsigned)number;
        } else {
            return usage(words[0]);
        }
    }
    printf("--seed %" PRIu64 " --cases %" PRIu64 " --bytes %" PRIu64 "\n", options.seed, options.cases,
           options.bytes);
    fflush(stdout);
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
