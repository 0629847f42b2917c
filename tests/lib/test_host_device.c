/* The host device apart from its operations' results: what it says of itself, its memory, its threads, and
 * its work in a forked child.  Matrices here are large enough for several threads and for stores past the
 * caches. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/context.h"
#include "lib/device.h"
#include "lib/host/host.h"
#include "lib/host/threads.h"

static wl_context *context;

static int open_host(void **state) {
    (void)state;
    return wl_open(&context, "host") ? -1 : 0;
}

static int close_host(void **state) {
    (void)state;
    wl_close(context);
    return 0;
}

static void tells_of_itself(void **state) {
    (void)state;
    wl_device_info info;
    wl_counters counters;
    assert_int_equal(wl_get_device_info(context, &info), WL_ERROR_OK);
    assert_string_equal(info.kind, "host");
    assert_true(info.name[0] && info.arch[0] && info.multiprocessors >= 1 && info.arch_proved == 1);
    assert_true(info.memory_bytes >= info.free_bytes && info.free_bytes > 0);
    assert_int_equal(wl_get_counters(context, &counters), WL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(wl_message(), "this device is the host"));
    assert_int_equal(wl_set_arch(context, "sm_90"), WL_ERROR_UNSUPPORTED);
    assert_int_equal(wl__enter(context), WL_ERROR_UNSUPPORTED);
    assert_false(wl__is_simulator(context));
}

static void is_named_by_the_environment(void **state) {
    (void)state;
    wl_context *named;
    wl_device_info info;
    setenv("WIDELOAD_DEVICE", "host", 1);
    assert_int_equal(wl_open(&named, "auto"), WL_ERROR_OK);
    unsetenv("WIDELOAD_DEVICE");
    assert_int_equal(wl_get_device_info(named, &info), WL_ERROR_OK);
    assert_string_equal(info.kind, "host");
    wl_close(named);
}

static void has_memory(void **state) {
    (void)state;
    wl_devptr a, b;
    unsigned char bytes[64], got[64];
    assert_int_equal(wl_alloc(context, &a, 1000), WL_ERROR_OK);
    assert_int_equal(wl_alloc(context, &b, 0), WL_ERROR_OK);
    assert_true(a % 256 == 0 && b && a != b);
#ifndef __SANITIZE_ADDRESS__ /* which ends the program */
    wl_devptr none;
    assert_int_equal(wl_alloc(context, &none, SIZE_MAX / 2), WL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(none, 0);
#endif
    memset(bytes, 7, sizeof(bytes));
    assert_int_equal(wl_upload(context, a + 3, bytes, 60), WL_ERROR_OK);
    assert_int_equal(wl_fill(context, a + 5, 9, 2, NULL), WL_ERROR_OK);
    assert_int_equal(wl_synchronize(context), WL_ERROR_OK);
    assert_int_equal(wl_download(context, got, a + 3, 60), WL_ERROR_OK);
    bytes[2] = bytes[3] = 9;
    assert_memory_equal(got, bytes, 60);
    assert_int_equal(wl_upload(context, 0, bytes, 1), WL_ERROR_INVALID_ARGUMENT);
    assert_int_equal(wl_upload(context, 0, NULL, 0), WL_ERROR_OK);
    assert_int_equal(wl_free(context, a), WL_ERROR_OK);
    assert_int_equal(wl_free(context, b), WL_ERROR_OK);
    assert_int_equal(wl_free(context, 0), WL_ERROR_OK);
}

/* ---------------------------------------------------------------- large matrices */

enum { ROWS = 2003, COLS = 1999, GUARD = 64 };

/* Transposes a matrix of 16 MB, and says whether it is right and no byte beside it has changed. */
static bool transposes(wl_context *with) {
    const size_t bytes = sizeof(uint32_t) * ROWS * COLS;
    uint32_t *from = malloc(bytes);
    unsigned char *memory = malloc(bytes + 2 * GUARD);
    bool right = from && memory;
    if (right) {
        uint32_t *to = (uint32_t *)(memory + GUARD);
        for (uint32_t i = 0; i < ROWS * COLS; i++)
            from[i] = i * 2654435761u;
        memset(memory, 0xa5, bytes + 2 * GUARD);
        right = wl_transpose(with, 4, (uintptr_t)to, (uintptr_t)from, ROWS, COLS, NULL) == WL_ERROR_OK;
        for (uint32_t r = 0; r < ROWS && right; r++)
            for (uint32_t c = 0; c < COLS && right; c++)
                right = to[c * ROWS + r] == from[r * COLS + c];
        for (int i = 0; i < GUARD && right; i++)
            right = memory[i] == 0xa5 && memory[bytes + 2 * GUARD - 1 - i] == 0xa5;
    }
    free(from);
    free(memory);
    return right;
}

static void *transpose_in_thread(void *argument) {
    return transposes(argument) ? argument : NULL;
}

/* Streamed and not, and by several threads of the program at the same time. */
static void shares_work(void **state) {
    (void)state;
    const struct wl__host *kept = context->host;
    for (int stream = 0; stream < 2; stream++) {
        const struct wl__host host = {kept->kernels, stream ? 0 : UINT64_MAX};
        pthread_t threads[3];
        void *right;
        context->host = &host;
        assert_true(transposes(context));
        for (int i = 0; i < 3; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, transpose_in_thread, context), 0);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(pthread_join(threads[i], &right), 0);
            assert_non_null(right);
        }
    }
    context->host = kept;
}

/* OpenMP's threads are not in a forked child, which must not wait for them. */
static void works_in_a_child(void **state) {
    (void)state;
    int status;
    assert_true(transposes(context));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(30);
        _exit(wl__host_threads() == 1 && transposes(context) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(transposes(context));
}

/* Each item once, whatever their number. */
static unsigned char done[1000];

static void count(const void *problem, uint64_t first, uint64_t end) {
    (void)problem;
    for (uint64_t i = first; i < end; i++)
        done[i]++;
}

static void does_each_item_once(void **state) {
    (void)state;
    for (unsigned items = 1; items <= sizeof(done); items += 37)
        for (unsigned least = 0; least < 300; least += 60) {
            memset(done, 0, sizeof(done));
            wl__host_share(count, NULL, items, least);
            for (unsigned i = 0; i < sizeof(done); i++)
                assert_int_equal(done[i], i < items);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_of_itself), cmocka_unit_test(is_named_by_the_environment),
        cmocka_unit_test(has_memory),      cmocka_unit_test(does_each_item_once),
        cmocka_unit_test(shares_work),     cmocka_unit_test(works_in_a_child),
    };
    return cmocka_run_group_tests(tests, open_host, close_host);
}
