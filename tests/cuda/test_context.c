/* Contexts: each thread's stack, the primary context, and what a context owns. */
#include <pthread.h>

#include "tests/cuda/api.h"

static CUcontext current(void) {
    CUcontext context;
    assert_ok(api.cuCtxGetCurrent(&context));
    return context;
}

static void stack(void **state) {
    (void)state;
    CUcontext a, b, popped;
    assert_ptr_equal(current(), api_context);
    assert_ok(api.context_create(&a, CU_CTX_SCHED_SPIN, 0));
    assert_ptr_equal(current(), a);
    unsigned flags;
    assert_ok(api.cuCtxGetFlags(&flags));
    assert_int_equal(flags, CU_CTX_SCHED_SPIN);
    assert_ok(api.context_create(&b, 0, 0));
    assert_ok(api.cuCtxPopCurrent(&popped));
    assert_ptr_equal(popped, b);
    assert_ptr_equal(current(), a);
    assert_ok(api.cuCtxPushCurrent(b));
    assert_ok(api.cuCtxDestroy(b)); /* current: popped */
    assert_ptr_equal(current(), a);
    assert_int_equal(api.cuCtxPushCurrent(b), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxDestroy(b), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxDestroy(NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuCtxSetCurrent(api_context));
    assert_ptr_equal(current(), api_context);
    assert_ok(api.cuCtxDestroy(a));
    assert_ok(api.cuCtxPopCurrent(NULL));
    assert_ptr_equal(current(), api_context);
    int deep = 0;
    while (!api.cuCtxPushCurrent(api_context))
        deep++;
    assert_true(deep >= 64);
    while (deep--)
        assert_ok(api.cuCtxPopCurrent(NULL));
    assert_int_equal(api.context_create(&a, 0x1000, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.context_create(NULL, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.context_create(&a, 0, 1), CUDA_ERROR_INVALID_DEVICE);
}

static void none(void **state) {
    (void)state;
    CUdevice device;
    CUdeviceptr address;
    assert_ok(api.cuCtxSetCurrent(NULL));
    assert_ok(api.cuCtxSetCurrent(NULL));
    assert_null(current());
    assert_int_equal(api.cuCtxPopCurrent(NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuMemAlloc(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuStreamSynchronize(NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuCtxSetCurrent(api_context));
    assert_ok(api.cuCtxGetDevice(&device));
    assert_int_equal(device, 0);
}

static void *other_thread(void *argument) {
    CUcontext seen = (CUcontext)1;
    if (api.cuCtxGetCurrent(&seen) || seen)
        return "a new thread has a context";
    if (api.cuCtxSetCurrent(argument) || api.cuCtxSynchronize())
        return "it cannot use one";
    return NULL;
}

static void threads(void **state) {
    (void)state;
    pthread_t thread;
    void *complaint;
    assert_int_equal(pthread_create(&thread, NULL, other_thread, api_context), 0);
    assert_int_equal(pthread_join(thread, &complaint), 0);
    assert_null(complaint);
}

struct handover {
    CUcontext context;
    pthread_barrier_t barrier;
    CUresult before, after;
};

static void *holder(void *argument) {
    struct handover *handover = argument;
    handover->before = api.cuCtxSetCurrent(handover->context);
    pthread_barrier_wait(&handover->barrier);
    pthread_barrier_wait(&handover->barrier);
    handover->after = api.cuCtxSynchronize();
    return NULL;
}

/* Another thread's context is destroyed there, and a new one may reuse its memory. */
static void destroyed_elsewhere(void **state) {
    (void)state;
    struct handover handover;
    CUcontext fresh[8];
    assert_ok(api.context_create(&handover.context, 0, 0));
    pthread_barrier_init(&handover.barrier, NULL, 2);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, holder, &handover), 0);
    pthread_barrier_wait(&handover.barrier);
    assert_ok(api.cuCtxDestroy(handover.context));
    for (int i = 0; i < 8; i++)
        assert_ok(api.context_create(&fresh[i], 0, 0));
    pthread_barrier_wait(&handover.barrier);
    pthread_join(thread, NULL);
    assert_ok(handover.before);
    assert_int_equal(handover.after, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    for (int i = 8; i-- > 0;)
        assert_ok(api.cuCtxDestroy(fresh[i]));
    pthread_barrier_destroy(&handover.barrier);
    assert_ptr_equal(current(), api_context);
}

static void primary(void **state) {
    (void)state;
    CUcontext a, b;
    unsigned flags;
    int active;
    assert_ok(api.cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 0);
    assert_int_equal(api.cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
    assert_ok(api.cuDevicePrimaryCtxRetain(&a, 0));
    assert_ok(api.cuDevicePrimaryCtxRetain(&b, 0));
    assert_ptr_equal(a, b);
    assert_ptr_equal(current(), api_context);
    assert_int_equal(api.cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuDevicePrimaryCtxGetState(0, &flags, &active));
    assert_int_equal(active, 1);
    assert_int_equal(flags, CU_CTX_SCHED_YIELD);
    assert_ok(api.cuCtxPushCurrent(a));
    CUdeviceptr address;
    assert_ok(api.cuMemAlloc(&address, 64));
    assert_ok(api.cuDevicePrimaryCtxReset(0));
    assert_int_equal(api.cuMemFree(address), CUDA_ERROR_INVALID_VALUE); /* freed by the reset */
    assert_ok(api.cuMemAlloc(&address, 64));
    assert_ok(api.cuDevicePrimaryCtxRelease(0));
    assert_ok(api.cuMemFree(address));
    assert_ok(api.cuDevicePrimaryCtxRelease(0));
    assert_int_equal(api.cuMemAlloc(&address, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_ok(api.cuCtxPopCurrent(NULL));
    assert_int_equal(api.cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuDevicePrimaryCtxRetain(&a, 1), CUDA_ERROR_INVALID_DEVICE);
}

static void ownership(void **state) {
    (void)state;
    size_t before, during, after, total;
    assert_ok(api.cuMemGetInfo(&before, &total));
    CUcontext context;
    assert_ok(api.context_create(&context, 0, 0));
    CUdeviceptr address;
    CUstream stream;
    CUevent event;
    CUmodule module;
    CUfunction function;
    for (int i = 0; i < 10; i++)
        assert_ok(api.cuMemAlloc(&address, 1 << 20));
    assert_ok(api.cuStreamCreate(&stream, 0));
    assert_ok(api.cuEventCreate(&event, 0));
    assert_ok(api.cuModuleLoad(&module, api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&function, module, "vadd"));
    assert_ok(api.cuMemGetInfo(&during, &total));
    assert_true(during <= before - (10 << 20));
    assert_ok(api.cuCtxDestroy(context));
    assert_ok(api.cuMemGetInfo(&after, &total));
    assert_int_equal(after, before);
    assert_int_equal(api.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
    int value;
    assert_int_equal(api.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuMemFree(address), CUDA_ERROR_INVALID_VALUE);
}

static void settings(void **state) {
    (void)state;
    size_t value;
    assert_ok(api.cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 1024);
    assert_ok(api.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    assert_ok(api.cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    assert_int_equal(value, 4096);
    assert_int_equal(api.cuCtxGetLimit(&value, (CUlimit)99), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuCtxSetLimit((CUlimit)99, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE), CUDA_ERROR_INVALID_VALUE);
    CUfunc_cache config;
    assert_ok(api.cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    assert_ok(api.cuCtxGetCacheConfig(&config));
    assert_int_equal(config, CU_FUNC_CACHE_PREFER_L1);
    assert_int_equal(api.cuCtxSetCacheConfig((CUfunc_cache)9), CUDA_ERROR_INVALID_VALUE);
    unsigned version;
    assert_ok(api.cuCtxGetApiVersion(NULL, &version));
    assert_int_equal(version, 13000);
    int least, greatest;
    assert_ok(api.cuCtxGetStreamPriorityRange(&least, &greatest));
    assert_true(least > greatest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack),    cmocka_unit_test(none),
        cmocka_unit_test(threads),  cmocka_unit_test(destroyed_elsewhere),
        cmocka_unit_test(primary),  cmocka_unit_test(ownership),
        cmocka_unit_test(settings),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
