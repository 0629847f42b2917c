/* The library in an application that uses CUDA: contexts of the driver API and the runtime, the application's
 * streams and threads, and what is current in them.  On the simulator, or the device that WIDELOAD_DEVICE
 * names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include <cmocka.h>

#include "cuda_calls.h"
#include "wideload.h"

enum { BYTES = 1000 };

static struct cuda_calls cuda;
static CUdevice device;

static int open_driver(void **state) {
    (void)state;
    cuda = cuda_open();
    cuda_need(cuda.cuDeviceGet(&device, 0));
    return 0;
}

static void need(wl_error error) {
    if (error)
        fail_msg("%s: %s", wl_error_name(error), wl_message());
}

static CUcontext current(void) {
    CUcontext context;
    cuda_need(cuda.cuCtxGetCurrent(&context));
    return context;
}

/* Copies in memory of the application's context, which is current, on one of its streams. */
static void copy_there(wl_context *context, wl_stream stream) {
    unsigned char sent[BYTES], got[BYTES];
    CUdeviceptr from, to;
    CUcontext before = current();
    for (int i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i * 7 + i / 256);
    cuda_need(cuda.cuMemAlloc(&from, BYTES));
    cuda_need(cuda.cuMemAlloc(&to, BYTES));
    cuda_need(cuda.cuMemcpyHtoD(from, sent, BYTES));
    cuda_need(cuda.cuMemsetD8(to, 0xa5, BYTES));
    cuda_need(cuda.cuCtxSynchronize());
    need(wl_copy(context, to + 1, from + 3, BYTES - 5, stream));
    cuda_need(cuda.cuStreamSynchronize(stream));
    cuda_need(cuda.cuMemcpyDtoH(got, to, BYTES));
    assert_memory_equal(got + 1, sent + 3, BYTES - 5);
    assert_int_equal(got[0], 0xa5);
    assert_int_equal(got[BYTES - 4], 0xa5);
    cuda_need(cuda.cuMemFree(from));
    cuda_need(cuda.cuMemFree(to));
    assert_ptr_equal(current(), before);
}

static void on_every_kind_of_stream(wl_context *context) {
    CUstream blocking, free_running;
    cuda_need(cuda.cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    cuda_need(cuda.cuStreamCreate(&free_running, CU_STREAM_NON_BLOCKING));
    CUstream streams[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, blocking, free_running};
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
        copy_there(context, streams[i]);
    cuda_need(cuda.cuStreamDestroy(blocking));
    cuda_need(cuda.cuStreamDestroy(free_running));
}

static void nothing_is_current(void **state) {
    (void)state;
    wl_context *context = (wl_context *)&context;
    assert_null(current());
    assert_int_equal(wl_open(&context, "current"), WL_ERROR_NO_DEVICE);
    assert_null(context);
    assert_non_null(strstr(wl_message(), "no CUDA context is current"));
}

static void a_context_of_the_driver_api(void **state) {
    (void)state;
    wl_context *context;
    CUcontext own, other;
    unsigned flags;
    int active = -1;
    cuda_need(cuda.create_context(&own, 0, device));
    need(wl_open(&context, "current"));
    assert_ptr_equal(current(), own);
    wl_device_info info;
    need(wl_get_device_info(context, &info));
    assert_string_equal(info.kind, strncmp(cuda_device_name(), "gpu", 3) == 0 ? "gpu" : "sim");
    on_every_kind_of_stream(context);
    cuda_need(cuda.cuDevicePrimaryCtxGetState(device, &flags, &active));
    assert_int_equal(active, 0);

    /* While another context is current, calls use the one that was opened. */
    wl_devptr memory;
    cuda_need(cuda.create_context(&other, 0, device));
    need(wl_alloc(context, &memory, 64));
    need(wl_fill(context, memory, 1, 32, NULL));
    need(wl_copy(context, memory + 32, memory, 32, NULL));
    need(wl_synchronize(context));
    assert_ptr_equal(current(), other);
    CUcontext owner = NULL;
    cuda_need(cuda.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    assert_ptr_equal(owner, own);
    need(wl_free(context, memory));
    cuda_need(cuda.cuCtxDestroy(other));

    /* Closing leaves the application's context as it was. */
    cuda_need(cuda.cuCtxSetCurrent(own));
    wl_close(context);
    assert_ptr_equal(current(), own);
    need(wl_open(&context, "current"));
    copy_there(context, NULL);
    wl_close(context);
    cuda_need(cuda.cuCtxDestroy(own));
}

/* The runtime's context is the device's primary one. */
static void the_runtimes_context(void **state) {
    (void)state;
    wl_context *contexts[2];
    const char *names[2] = {"current", cuda_device_name()};
    CUcontext primary;
    cuda_need(cuda.cuDevicePrimaryCtxRetain(&primary, device));
    cuda_need(cuda.cuCtxSetCurrent(primary));
    for (int i = 0; i < 2; i++)
        need(wl_open(&contexts[i], names[i]));
    for (int i = 0; i < 2; i++)
        on_every_kind_of_stream(contexts[i]);
    /* Closing does not release the application's own reference. */
    for (int i = 0; i < 2; i++)
        wl_close(contexts[i]);
    CUdeviceptr memory;
    cuda_need(cuda.cuMemAlloc(&memory, 1));
    cuda_need(cuda.cuMemFree(memory));
    cuda_need(cuda.cuCtxSetCurrent(NULL));
    cuda_need(cuda.cuDevicePrimaryCtxRelease(device));
}

/* An application without a context of its own, which uses the library's memory. */
static void no_context_but_the_librarys(void **state) {
    (void)state;
    wl_context *context;
    wl_devptr memory;
    unsigned char got[64];
    assert_null(current());
    need(wl_open(&context, cuda_device_name()));
    need(wl_alloc(context, &memory, 64));
    need(wl_fill(context, memory, 0x5a, 32, NULL));
    need(wl_copy(context, memory + 32, memory, 32, CU_STREAM_PER_THREAD));
    need(wl_synchronize(context));
    need(wl_download(context, got, memory, 64));
    for (int i = 0; i < 64; i++)
        assert_int_equal(got[i], 0x5a);
    need(wl_free(context, memory));
    assert_null(current());
    wl_close(context);
    assert_null(current());
}

struct visit {
    wl_context *context;
    wl_devptr memory;
    CUcontext set, seen;
    wl_error error;
};

static void *in_a_thread(void *argument) {
    struct visit *visit = argument;
    if (visit->set && cuda.cuCtxSetCurrent(visit->set))
        return NULL;
    visit->error = wl_copy(visit->context, visit->memory + 32, visit->memory, 32, CU_STREAM_PER_THREAD);
    if (!visit->error)
        visit->error = wl_synchronize(visit->context);
    if (cuda.cuCtxGetCurrent(&visit->seen))
        visit->error = WL_ERROR_DRIVER;
    return NULL;
}

/* Threads without a current context, and with another one. */
static void threads_keep_what_is_current(void **state) {
    (void)state;
    wl_context *context;
    CUcontext own, other;
    unsigned char got[64];
    cuda_need(cuda.create_context(&other, 0, device));
    cuda_need(cuda.create_context(&own, 0, device));
    need(wl_open(&context, "current"));
    struct visit visits[2] = {{.context = context}, {.context = context, .set = other}};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        need(wl_alloc(context, &visits[i].memory, 64));
        need(wl_fill(context, visits[i].memory, 0x11 * (i + 1), 32, NULL));
        need(wl_synchronize(context));
        visits[i].error = WL_ERROR_DRIVER;
        assert_int_equal(pthread_create(&thread, NULL, in_a_thread, &visits[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(visits[i].error, WL_ERROR_OK);
        assert_ptr_equal(visits[i].seen, visits[i].set);
        need(wl_download(context, got, visits[i].memory, 64));
        assert_int_equal(got[63], 0x11 * (i + 1));
        need(wl_free(context, visits[i].memory));
    }
    wl_close(context);
    cuda_need(cuda.cuCtxDestroy(own));
    cuda_need(cuda.cuCtxDestroy(other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_current),           cmocka_unit_test(a_context_of_the_driver_api),
        cmocka_unit_test(the_runtimes_context),         cmocka_unit_test(no_context_but_the_librarys),
        cmocka_unit_test(threads_keep_what_is_current),
    };
    return cmocka_run_group_tests(tests, open_driver, NULL);
}
