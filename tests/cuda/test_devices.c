/* Several devices: identities, contexts, whose memory is whose, peer access, and whose streams and libraries.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "tests/cuda/devices.h"

/* ---------------------------------------------------------------- devices and contexts */

static void identities(void **state) {
    (void)state;
    int count;
    assert_ok(api.cuDeviceGetCount(&count));
    assert_int_equal(count, DEVICES);
    CUdevice device;
    assert_int_equal(api.cuDeviceGet(&device, DEVICES), CUDA_ERROR_INVALID_DEVICE);
    CUuuid uuids[DEVICES];
    char bus[DEVICES][16];
    for (int d = 0; d < DEVICES; d++) {
        assert_ok(api.cuDeviceGet(&device, d));
        assert_int_equal(device, d);
        assert_ok(api.cuDeviceGetUuid(&uuids[d], d));
        assert_ok(api.cuDeviceGetPCIBusId(bus[d], sizeof bus[d], d));
        assert_ok(api.cuDeviceGetByPCIBusId(&device, bus[d]));
        assert_int_equal(device, d);
        int domain;
        unsigned written;
        assert_ok(api.cuDeviceGetAttribute(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, d));
        assert_int_equal(sscanf(bus[d], "%x:", &written), 1);
        assert_int_equal(domain, written);
        for (int other = 0; other < d; other++) {
            assert_memory_not_equal(&uuids[d], &uuids[other], sizeof *uuids);
            assert_string_not_equal(bus[d], bus[other]);
        }
    }
    assert_int_equal(api.cuDeviceGetByPCIBusId(&device, "0003:00:00.0"), CUDA_ERROR_INVALID_DEVICE);
}

static void contexts(void **state) {
    (void)state;
    CUcontext made, current;
    CUdevice device;
    assert_int_equal(api.context_create(&made, 0, DEVICES), CUDA_ERROR_INVALID_DEVICE);
    for (int d = 0; d < DEVICES; d++) {
        use_device(d);
        assert_ok(api.cuCtxGetDevice(&device));
        assert_int_equal(device, d);
        assert_ok(api.context_create(&made, 0, d));
        assert_ok(api.cuCtxGetDevice(&device));
        assert_int_equal(device, d);
        assert_ok(api.cuCtxDestroy(made));
        assert_ok(api.cuCtxGetCurrent(&current));
        assert_ptr_equal(current, primary[d]);
        unsigned flags;
        int active;
        assert_ok(api.cuDevicePrimaryCtxGetState(d, &flags, &active));
        assert_true(active);
    }
    assert_ptr_not_equal(primary[0], primary[1]);
    /* A fault is its context's alone. */
    use_device(1);
    assert_int_equal(store_on(1, 8, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    use_device(0);
    assert_ok(api.cuCtxSynchronize());
    use_device(1);
    assert_int_equal(api.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_ok(api.cuDevicePrimaryCtxReset(1));
    assert_ok(api.cuCtxSynchronize());
    device_start(1);
    assert_ok(api.cuDevicePrimaryCtxRelease(1));
}

/* ---------------------------------------------------------------- memory */

static void belongs(void **state) {
    (void)state;
    size_t before[DEVICES], after, total;
    for (int d = 0; d < DEVICES; d++) {
        use_device(d);
        assert_ok(api.cuMemGetInfo(&before[d], &total));
    }
    const CUdeviceptr at = alloc_on(1, 1 << 20);
    for (int d = 0; d < DEVICES; d++) {
        use_device(d);
        assert_ok(api.cuMemGetInfo(&after, &total));
        assert_int_equal(before[d] - after, d == 1 ? 1 << 20 : 0);
        int ordinal;
        CUcontext owner;
        assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at + 5));
        assert_int_equal(ordinal, 1);
        assert_ok(api.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, at));
        assert_ptr_equal(owner, primary[1]);
    }
    use_device(2); /* a call may free what lies elsewhere */
    assert_ok(api.cuMemFree(at));
    use_device(1);
    assert_ok(api.cuMemGetInfo(&after, &total));
    assert_int_equal(after, before[1]);
}

static void reachable_by_all(void **state) {
    (void)state;
    CUdeviceptr managed;
    int *host, own = 0;
    use_device(1);
    assert_ok(api.cuMemAllocManaged(&managed, 4, CU_MEM_ATTACH_GLOBAL));
    assert_ok(api.cuMemHostAlloc((void **)&host, 4, 0));
    assert_ok(api.cuMemHostRegister(&own, sizeof own, 0));
    for (int d = 0; d < DEVICES; d++) {
        use_device(d);
        assert_ok(store_on(d, managed, 10 + d));
        assert_ok(store_on(d, (CUdeviceptr)(uintptr_t)host, 20 + d));
        assert_ok(store_on(d, (CUdeviceptr)(uintptr_t)&own, 30 + d));
        assert_int_equal(*(int *)(uintptr_t)managed, 10 + d);
        assert_int_equal(*host, 20 + d);
        assert_int_equal(own, 30 + d);
    }
    assert_ok(api.cuMemPrefetchAsync(managed, 4,
                                     (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2}, 0, NULL));
    int place;
    assert_ok(
        api.cuMemRangeGetAttribute(&place, 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, managed, 4));
    assert_int_equal(place, 2);
    assert_int_equal(api.cuMemPrefetchAsync(
                         managed, 4, (CUmemLocation){.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 3}, 0, NULL),
                     CUDA_ERROR_INVALID_DEVICE);
    /* Advice that needs no place may come with any. */
    const CUmemLocation none = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = INT_MAX};
    assert_int_equal(api.cuMemPrefetchAsync(managed, 4, none, 0, NULL), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuMemAdvise(managed, 4, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, none),
                     CUDA_ERROR_INVALID_DEVICE);
    assert_ok(api.cuMemAdvise(managed, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, none));
    assert_ok(api.cuMemHostUnregister(&own));
    assert_ok(api.cuMemFreeHost(host));
    assert_ok(api.cuMemFree(managed));
}

static void peer_access(void **state) {
    (void)state;
    static const char refusal[] = "in memory of device 1, to which device 0 has no peer access: call "
                                  "cuCtxEnablePeerAccess or cudaDeviceEnablePeerAccess";
    int can = -1;
    assert_ok(api.cuDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    assert_ok(api.cuDeviceCanAccessPeer(&can, 1, 1));
    assert_int_equal(can, 0);
    assert_int_equal(api.cuDeviceCanAccessPeer(&can, 0, 3), CUDA_ERROR_INVALID_DEVICE);
    const CUdeviceptr at = alloc_on(1, 4);
    is_refused(0, at, refusal);
    use_device(0);
    assert_int_equal(api.cuCtxEnablePeerAccess(primary[1], 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxEnablePeerAccess(primary[0], 0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxDisablePeerAccess(primary[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    assert_int_equal(api.cuCtxDisablePeerAccess(NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuCtxEnablePeerAccess(primary[1], 0));
    assert_int_equal(api.cuCtxEnablePeerAccess(primary[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    struct wl_counters counters;
    assert_ok(api.reset_counters());
    assert_ok(store_on(0, at, 77));
    assert_int_equal(read_word(at), 77);
    assert_ok(api.get_counters(&counters));
    assert_int_equal(counters.peer_store_requests, 1);
    assert_int_equal(counters.peer_store_transactions, 1);
    assert_int_equal(counters.peer_load_requests, 0);
    int flags;
    assert_ok(api.cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, at));
    assert_int_equal(flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    /* What is allocated later is accessible too; the other way, and to the third device, nothing is. */
    const CUdeviceptr later = alloc_on(1, 4), own = alloc_on(0, 4), third = alloc_on(2, 4);
    use_device(0);
    assert_ok(store_on(0, later, 78));
    assert_ok(api.cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, third));
    assert_int_equal(flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE);
    is_refused(2, own, "in memory of device 0"); /* which frees what device 2 has */
    use_device(0);
    assert_ok(api.cuCtxDisablePeerAccess(primary[1]));
    assert_int_equal(api.cuCtxDisablePeerAccess(primary[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    assert_ok(api.cuMemFree(own));
    is_refused(0, later, refusal);
    assert_ok(api.cuMemFree(at));
    assert_ok(api.cuMemFree(later));
}

/* Access ends with either context. */
static void access_of_dead_contexts(void **state) {
    (void)state;
    CUcontext from, to;
    assert_ok(api.context_create(&to, 0, 1));
    assert_ok(api.context_create(&from, 0, 0));
    assert_ok(api.cuCtxEnablePeerAccess(to, 0));
    assert_ok(api.cuCtxDestroy(to));
    assert_int_equal(api.cuCtxDisablePeerAccess(to), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.context_create(&to, 0, 1));
    assert_ok(api.cuCtxSetCurrent(from));
    assert_int_equal(api.cuCtxDisablePeerAccess(to), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    assert_ok(api.cuCtxEnablePeerAccess(to, 0));
    assert_ok(api.cuCtxDestroy(from));
    assert_ok(api.cuCtxDestroy(to));
    use_device(0);
    assert_ok(api.context_create(&to, 0, 0));
    use_device(0);
    assert_int_equal(api.cuCtxEnablePeerAccess(to, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    assert_ok(api.cuCtxDestroy(to));
}

static void pair_attributes(void **state) {
    (void)state;
    static const int expected[] = {[CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK] = 0,
                                   [CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED] = 1,
                                   [CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED] = 1,
                                   [CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED] = 1};
    int value;
    for (int a = CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK;
         a <= CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED; a++) {
        assert_ok(api.cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)a, 2, 0));
        assert_int_equal(value, expected[a]);
    }
    const CUdevice_P2PAttribute one = CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    assert_int_equal(api.cuDeviceGetP2PAttribute(&value, (CUdevice_P2PAttribute)99, 0, 1),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetP2PAttribute(NULL, one, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuDeviceGetP2PAttribute(&value, one, 1, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuDeviceGetP2PAttribute(&value, one, 0, 3), CUDA_ERROR_INVALID_DEVICE);
#if CUDA_VERSION >= 13000
    CUresult (*atomics)(unsigned *, const CUatomicOperation *, unsigned, CUdevice, CUdevice);
    void *symbol = dlsym(api.library, "cuDeviceGetP2PAtomicCapabilities");
    assert_non_null(symbol);
    memcpy(&atomics, &symbol, sizeof atomics);
    const CUatomicOperation swap = CU_ATOMIC_OPERATION_EXCHANGE;
    unsigned capabilities;
    assert_ok(atomics(&capabilities, &swap, 1, 0, 1));
    assert_true(capabilities & CU_ATOMIC_CAPABILITY_SCALAR_64);
    assert_false(capabilities & CU_ATOMIC_CAPABILITY_SCALAR_128); /* kernels have none */
#endif
}

/* ---------------------------------------------------------------- streams and events */

static void streams(void **state) {
    (void)state;
    CUstream stream[2];
    CUevent event[2];
    for (int d = 0; d < 2; d++) {
        use_device(d);
        assert_ok(api.cuStreamCreate(&stream[d], 0));
        assert_ok(api.cuEventCreate(&event[d], 0));
    }
    const CUdeviceptr a = alloc_on(0, 4), b = alloc_on(1, 4);
    use_device(0);
    assert_ok(add_on(0, a, a, a, 1, stream[0]));
    assert_int_equal(add_on(0, a, a, a, 1, stream[1]), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(add_on(1, b, b, b, 1, NULL), CUDA_ERROR_INVALID_CONTEXT);
    /* Copies may go to any stream, and any stream may wait for any event. */
    assert_ok(api.cuMemcpyDtoDAsync(b, a, 4, stream[1]));
    assert_ok(api.cuStreamSynchronize(stream[1]));
    assert_ok(api.cuEventRecord(event[0], stream[0]));
    assert_int_equal(api.cuEventRecord(event[0], stream[1]), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuEventRecord(event[1], NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuStreamWaitEvent(stream[1], event[0], 0));
    use_device(1);
    assert_ok(api.cuEventRecord(event[1], stream[1]));
    assert_ok(api.cuEventSynchronize(event[0]));
    assert_ok(api.cuEventQuery(event[0]));
    float ms;
    assert_int_equal(api.cuEventElapsedTime(&ms, event[0], event[1]), CUDA_ERROR_INVALID_HANDLE);
    /* Memory comes from the pool of the stream's device. */
    CUdeviceptr pooled;
    int ordinal;
    assert_ok(api.cuMemAllocAsync(&pooled, 4, stream[0]));
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pooled));
    assert_int_equal(ordinal, 0);
    assert_ok(api.cuMemFreeAsync(pooled, stream[0]));
    for (int d = 0; d < 2; d++) {
        assert_ok(api.cuStreamDestroy(stream[d]));
        assert_ok(api.cuEventDestroy(event[d]));
    }
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
}

/* Devices never run at the same time, so launches that wait for each other are refused. */
static void cooperative(void **state) {
    (void)state;
    CUresult (*launch)(CUDA_LAUNCH_PARAMS *, unsigned, unsigned);
    void *symbol = dlsym(api.library, "cuLaunchCooperativeKernelMultiDevice");
    assert_non_null(symbol);
    memcpy(&launch, &symbol, sizeof launch);
    CUDA_LAUNCH_PARAMS launches[4] = {{.function = vadd[0]}};
    use_device(0);
    assert_int_equal(launch(launches, 2, 0), CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(launch(launches, 4, 0), CUDA_ERROR_INVALID_VALUE);
    for (int d = 0; d < DEVICES; d++) {
        int can = -1;
        assert_ok(api.cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, d));
        assert_int_equal(can, 0);
    }
}

/* A library's kernel runs on its stream's device, and has variables on each. */
static void libraries(void **state) {
    (void)state;
    CUlibrary library;
    CUkernel kernel;
    CUdeviceptr counter[DEVICES];
    size_t size;
    use_device(2); /* whose context is the first to use it */
    assert_ok(api.cuLibraryLoadFromFile(&library, api_path("default.fatbin"), NULL, NULL, 0, NULL, NULL, 0));
    assert_ok(api.cuLibraryGetKernel(&kernel, library, "no_parameters"));
    for (int d = DEVICES - 1; d >= 0; d--) {
        use_device(d);
        assert_ok(api.cuLibraryGetGlobal(&counter[d], &size, library, "counter"));
        int ordinal;
        assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, counter[d]));
        assert_int_equal(ordinal, d);
    }
    CUstream stream;
    use_device(1);
    assert_ok(api.cuStreamCreate(&stream, 0));
    use_device(0);
    assert_ok(api.cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
    assert_ok(api.cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 3, 1, 1, 0, NULL, NULL, NULL));
    const int unchanged = read_word(counter[2]);
    assert_int_equal(read_word(counter[0]), unchanged + 3);
    assert_int_equal(read_word(counter[1]), unchanged + 32);
    assert_ok(api.cuStreamDestroy(stream));
    assert_ok(api.cuLibraryUnload(library));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, devices_start, devices_end)
    const struct CMUnitTest tests[] = {
        TEST(identities),       TEST(contexts),    TEST(belongs),
        TEST(reachable_by_all), TEST(peer_access), TEST(access_of_dead_contexts),
        TEST(pair_attributes),  TEST(streams),     TEST(cooperative),
        TEST(libraries),
    };
#undef TEST
    return cmocka_run_group_tests(tests, devices_open, devices_close);
}
