/* Streams and events. */
#include <time.h>

#include "tests/cuda/api.h"

static void streams(void **state) {
    (void)state;
    CUstream stream;
    unsigned flags;
    int priority;
    assert_ok(api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_ok(api.cuStreamGetFlags(stream, &flags));
    assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
    assert_ok(api.cuStreamSynchronize(stream));
    assert_ok(api.cuStreamQuery(stream));
    assert_ok(api.cuStreamDestroy(stream));
    assert_int_equal(api.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuStreamCreate(&stream, 8), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamCreate(NULL, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuStreamCreateWithPriority(&stream, 0, -100)); /* clamped */
    assert_ok(api.cuStreamGetPriority(stream, &priority));
    assert_int_equal(priority, -5);
    assert_ok(api.cuStreamDestroy(stream));
    static CUstream const handles[] = {NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD};
    for (int i = 0; i < 3; i++) {
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        assert_ok(api.cuStreamSynchronize(handles[i]));
        assert_ok(api.cuStreamQuery(handles[i]));
        assert_ok(api.cuStreamIsCapturing(handles[i], &status));
        assert_int_equal(status, CU_STREAM_CAPTURE_STATUS_NONE);
    }
    assert_int_equal(api.cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

static void add_one(void *data) {
    ++*(int *)data;
}

static void add_ten(CUstream stream, CUresult status, void *data) {
    (void)stream;
    *(int *)data += status == CUDA_SUCCESS ? 10 : 1000;
}

static void callbacks(void **state) {
    (void)state;
    int value = 0;
    assert_ok(api.cuLaunchHostFunc(NULL, add_one, &value));
    assert_ok(api.cuStreamAddCallback(NULL, add_ten, &value, 0));
    assert_int_equal(value, 11);
    assert_int_equal(api.cuLaunchHostFunc(NULL, NULL, &value), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamAddCallback(NULL, add_ten, &value, 1), CUDA_ERROR_INVALID_VALUE);
}

static void events(void **state) {
    (void)state;
    CUevent start, end, untimed;
    CUstream stream;
    float time = -1;
    assert_ok(api.cuStreamCreate(&stream, 0));
    assert_ok(api.cuEventCreate(&start, CU_EVENT_DEFAULT));
    assert_ok(api.cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
    assert_ok(api.cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    assert_ok(api.cuEventQuery(start));
    assert_int_equal(api.cuEventElapsedTime(&time, start, end), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuEventRecord(start, stream));
    assert_int_equal(api.cuEventElapsedTime(&time, start, end), CUDA_ERROR_INVALID_HANDLE);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_ok(api.cuEventRecord(end, NULL));
    assert_ok(api.cuEventSynchronize(end));
    assert_ok(api.cuEventElapsedTime(&time, start, end));
    assert_true(time >= 19.9 && time < 20000);
    assert_ok(api.cuEventElapsedTime(&time, end, start));
    assert_true(time < 0);
    assert_ok(api.cuEventRecord(untimed, stream));
    assert_ok(api.cuStreamWaitEvent(stream, untimed, 0));
    assert_int_equal(api.cuEventElapsedTime(&time, start, untimed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuEventElapsedTime(NULL, start, end), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamWaitEvent(stream, NULL, 0), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuEventCreate(&untimed, 0x80), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuEventRecord((CUevent)stream, stream), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuEventDestroy(start));
    assert_int_equal(api.cuEventDestroy(start), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuEventDestroy(end));
    assert_ok(api.cuStreamDestroy(stream));
    /* untimed is released with the context. */
}

static void attributes(void **state) {
    (void)state;
    CUstream stream, other;
    CUstreamAttrValue window = {.accessPolicyWindow = {.num_bytes = 4096, .hitRatio = 0.5f}}, value;
    assert_ok(api.cuStreamCreate(&stream, 0));
    assert_ok(api.cuStreamCreate(&other, 0));
    assert_ok(api.cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    assert_int_equal(value.accessPolicyWindow.num_bytes, 0);
    assert_ok(api.cuStreamGetAttribute(NULL, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_AUTO);
    assert_ok(api.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window));
    assert_ok(api.cuStreamCopyAttributes(other, stream));
    assert_ok(api.cuStreamGetAttribute(other, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
    assert_int_equal(value.accessPolicyWindow.num_bytes, 4096);
    static const struct {
        size_t bytes;
        float ratio;
        bool good;
    } windows[] = {{128 << 20, 0.5f, true},
                   {(128 << 20) + 1, 0.5f, false},
                   {0, 0, true},
                   {512, 1, true},
                   {512, -0.5f, false},
                   {512, 1.5f, false}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        window.accessPolicyWindow.num_bytes = windows[i].bytes;
        window.accessPolicyWindow.hitRatio = windows[i].ratio;
        assert_int_equal(api.cuStreamSetAttribute(other, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window),
                         windows[i].good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
    }
    value.priority = -100;
    assert_ok(api.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    assert_ok(api.cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    assert_int_equal(value.priority, -5);
    assert_int_equal(api.cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuStreamDestroy(stream));
    assert_ok(api.cuStreamDestroy(other));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(events),
        cmocka_unit_test(attributes),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
