/* Several devices: identities, contexts, whose memory is whose, peer access, and copies between devices. This
 * process has three (WIDELOAD_SIM_DEVICES=3). */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>

#include "tests/cuda/api.h"

enum { DEVICES = 3, WORDS = 1000 };

static CUcontext primary[DEVICES];
static CUmodule module[DEVICES];
static CUfunction vadd[DEVICES], store_at[DEVICES];

/* Faults end a context, so a test that makes some begins anew. */
static void start_device(int d) {
    assert_ok(api.cuDevicePrimaryCtxRetain(&primary[d], d));
    assert_ok(api.cuCtxSetCurrent(primary[d]));
    assert_ok(api.cuModuleLoad(&module[d], api_path("default.fatbin")));
    assert_ok(api.cuModuleGetFunction(&vadd[d], module[d], "vadd"));
    assert_ok(api.cuModuleGetFunction(&store_at[d], module[d], "store_at"));
}

static int start(void **state) {
    (void)state;
    for (int d = DEVICES - 1; d >= 0; d--)
        start_device(d);
    return 0;
}

static int end(void **state) {
    (void)state;
    for (int d = 0; d < DEVICES; d++)
        assert_ok(api.cuDevicePrimaryCtxRelease(d));
    return 0;
}

static void use(int d) {
    assert_ok(api.cuCtxSetCurrent(primary[d]));
}

static CUdeviceptr alloc_on(int d, size_t bytes) {
    CUdeviceptr at;
    use(d);
    assert_ok(api.cuMemAlloc(&at, bytes));
    return at;
}

/* Launches on the current device; c = a + b. */
static CUresult add(int d, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, int n, CUstream stream) {
    void *params[] = {&a, &b, &c, &n};
    return api.cuLaunchKernel(vadd[d], (unsigned)(n + 127) / 128, 1, 1, 128, 1, 1, 0, stream, params, NULL);
}

static CUresult store(int d, CUdeviceptr to, int value) {
    void *params[] = {&to, &value};
    CUresult error = api.cuLaunchKernel(store_at[d], 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
    return error ? error : api.cuCtxSynchronize();
}

static int read_word(CUdeviceptr at) {
    int value = -1;
    assert_ok(api.cuMemcpyDtoH(&value, at, sizeof value));
    return value;
}

static void is_refused(int d, CUdeviceptr to, const char *reason) {
    use(d);
    assert_int_equal(store(d, to, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    if (!strstr(api.last_error(), reason))
        fail_msg("'%s' does not say '%s'", api.last_error(), reason);
    assert_ok(api.cuDevicePrimaryCtxReset(d));
    start_device(d);
    assert_ok(api.cuDevicePrimaryCtxRelease(d)); /* which start_device() retained once more */
}

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
        use(d);
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
    use(1);
    assert_int_equal(store(1, 8, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    use(0);
    assert_ok(api.cuCtxSynchronize());
    use(1);
    assert_int_equal(api.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_ok(api.cuDevicePrimaryCtxReset(1));
    assert_ok(api.cuCtxSynchronize());
    start_device(1);
    assert_ok(api.cuDevicePrimaryCtxRelease(1));
}

/* ---------------------------------------------------------------- memory */

static void belongs(void **state) {
    (void)state;
    size_t before[DEVICES], after, total;
    for (int d = 0; d < DEVICES; d++) {
        use(d);
        assert_ok(api.cuMemGetInfo(&before[d], &total));
    }
    const CUdeviceptr at = alloc_on(1, 1 << 20);
    for (int d = 0; d < DEVICES; d++) {
        use(d);
        assert_ok(api.cuMemGetInfo(&after, &total));
        assert_int_equal(before[d] - after, d == 1 ? 1 << 20 : 0);
        int ordinal;
        CUcontext owner;
        assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at + 5));
        assert_int_equal(ordinal, 1);
        assert_ok(api.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, at));
        assert_ptr_equal(owner, primary[1]);
    }
    use(2); /* a call may free what lies elsewhere */
    assert_ok(api.cuMemFree(at));
    use(1);
    assert_ok(api.cuMemGetInfo(&after, &total));
    assert_int_equal(after, before[1]);
}

static void reachable_by_all(void **state) {
    (void)state;
    CUdeviceptr managed;
    int *host, own = 0;
    use(1);
    assert_ok(api.cuMemAllocManaged(&managed, 4, CU_MEM_ATTACH_GLOBAL));
    assert_ok(api.cuMemHostAlloc((void **)&host, 4, 0));
    assert_ok(api.cuMemHostRegister(&own, sizeof own, 0));
    for (int d = 0; d < DEVICES; d++) {
        use(d);
        assert_ok(store(d, managed, 10 + d));
        assert_ok(store(d, (CUdeviceptr)(uintptr_t)host, 20 + d));
        assert_ok(store(d, (CUdeviceptr)(uintptr_t)&own, 30 + d));
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
    use(0);
    assert_int_equal(api.cuCtxEnablePeerAccess(primary[1], 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuCtxEnablePeerAccess(NULL, 0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxEnablePeerAccess(primary[0], 0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuCtxDisablePeerAccess(primary[1]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    assert_int_equal(api.cuCtxDisablePeerAccess(NULL), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuCtxEnablePeerAccess(primary[1], 0));
    assert_int_equal(api.cuCtxEnablePeerAccess(primary[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    struct wl_counters counters;
    assert_ok(api.reset_counters());
    assert_ok(store(0, at, 77));
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
    use(0);
    assert_ok(store(0, later, 78));
    assert_ok(api.cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, third));
    assert_int_equal(flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE);
    is_refused(2, own, "in memory of device 0"); /* which frees what device 2 has */
    use(0);
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
    use(0);
    assert_ok(api.context_create(&to, 0, 0));
    use(0);
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

/* ---------------------------------------------------------------- pools */

static CUmemAccessDesc access_for(int device, CUmemAccess_flags flags) {
    return (CUmemAccessDesc){.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device}, .flags = flags};
}

static void pools(void **state) {
    (void)state;
    static const char refusal[] = "in memory of device 1, to which device 0 has no access: call "
                                  "cuMemPoolSetAccess or cudaMemPoolSetAccess";
    CUmemoryPool of[DEVICES];
    for (int d = 0; d < DEVICES; d++)
        assert_ok(api.cuDeviceGetDefaultMemPool(&of[d], d));
    assert_ptr_not_equal(of[0], of[1]);
    CUdeviceptr at, later;
    int ordinal;
    use(1);
    assert_ok(api.cuMemAllocAsync(&at, 4, NULL));
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
    assert_int_equal(ordinal, 1);
    /* Peer access is no access to a pool's memory. */
    use(0);
    assert_ok(api.cuCtxEnablePeerAccess(primary[1], 0));
    is_refused(0, at, refusal);
    CUmemAccess_flags flags;
    CUmemLocation zero = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                  none = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 3};
    assert_ok(api.cuMemPoolGetAccess(&flags, of[1], &zero));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    assert_int_equal(api.cuMemPoolGetAccess(&flags, of[1], &none), CUDA_ERROR_INVALID_DEVICE);
    CUmemAccessDesc map = access_for(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_ok(api.cuMemPoolSetAccess(of[1], &map, 1));
    assert_ok(api.cuMemPoolGetAccess(&flags, of[1], &zero));
    assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    use(1);
    assert_ok(api.cuMemAllocAsync(&later, 4, NULL));
    use(0);
    assert_ok(store(0, at, 5));
    assert_ok(store(0, later, 6));
    assert_int_equal(read_word(at) + read_word(later), 11);
    map = access_for(3, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_int_equal(api.cuMemPoolSetAccess(of[1], &map, 1), CUDA_ERROR_INVALID_DEVICE);
    map = access_for(1, CU_MEM_ACCESS_FLAGS_PROT_NONE); /* its own */
    assert_int_equal(api.cuMemPoolSetAccess(of[1], &map, 1), CUDA_ERROR_INVALID_VALUE);
    map = access_for(0, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    assert_ok(api.cuMemPoolSetAccess(of[1], &map, 1));
    is_refused(0, at, refusal);
    /* A pool of another device than the stream's. */
    CUmemoryPool own;
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2}};
    CUdeviceptr third;
    assert_ok(api.cuMemPoolCreate(&own, &props));
    use(0);
    assert_ok(api.cuMemAllocFromPoolAsync(&third, 4, own, NULL));
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, third));
    assert_int_equal(ordinal, 2);
    assert_int_equal(api.cuDeviceSetMemPool(1, own), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuDeviceSetMemPool(2, own));
    assert_ok(api.cuDeviceSetMemPool(2, of[2]));
    props.location.id = 3;
    CUmemoryPool bad;
    assert_int_equal(api.cuMemPoolCreate(&bad, &props), CUDA_ERROR_INVALID_DEVICE);
    assert_ok(api.cuMemFreeAsync(third, NULL));
    assert_ok(api.cuMemPoolDestroy(own));
    use(1);
    assert_ok(api.cuMemFreeAsync(at, NULL));
    assert_ok(api.cuMemFreeAsync(later, NULL));
}

/* Memory of a captured allocation lies where its pool says, and is the stream's context's. */
static void captured_pools(void **state) {
    (void)state;
    CUmemoryPool pool;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUdeviceptr here, there;
    CUmemAccessDesc map = access_for(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemPoolProps props = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 2}};
    int ordinal;
    CUcontext owner;
    assert_ok(api.cuMemPoolCreate(&pool, &props));
    assert_ok(api.cuMemPoolSetAccess(pool, &map, 1));
    use(1);
    assert_ok(api.cuStreamCreate(&stream, 0));
    use(0);
    assert_ok(api.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_ok(api.cuMemAllocAsync(&here, 4, stream));
    assert_ok(api.cuMemAllocFromPoolAsync(&there, 4, pool, stream));
    assert_ok(api.cuStreamEndCapture(stream, &graph));
    assert_ok(api.cuGraphInstantiate(&exec, graph, 0));
    assert_ok(api.cuGraphLaunch(exec, stream));
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, here));
    assert_int_equal(ordinal, 1);
    assert_ok(api.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, here));
    assert_ptr_equal(owner, primary[1]);
    assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, there));
    assert_int_equal(ordinal, 2);
    assert_ok(store(0, there, 5));
    assert_int_equal(read_word(there), 5);
    is_refused(0, here, "in memory of device 1, to which device 0 has no access");
    assert_ok(api.cuMemFree(here));
    assert_ok(api.cuMemFree(there));
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuMemPoolDestroy(pool));
    use(1);
    assert_ok(api.cuStreamDestroy(stream));
}

/* ---------------------------------------------------------------- streams and events */

static void streams(void **state) {
    (void)state;
    CUstream stream[2];
    CUevent event[2];
    for (int d = 0; d < 2; d++) {
        use(d);
        assert_ok(api.cuStreamCreate(&stream[d], 0));
        assert_ok(api.cuEventCreate(&event[d], 0));
    }
    const CUdeviceptr a = alloc_on(0, 4), b = alloc_on(1, 4);
    use(0);
    assert_ok(add(0, a, a, a, 1, stream[0]));
    assert_int_equal(add(0, a, a, a, 1, stream[1]), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(add(1, b, b, b, 1, NULL), CUDA_ERROR_INVALID_CONTEXT);
    /* Copies may go to any stream, and any stream may wait for any event. */
    assert_ok(api.cuMemcpyDtoDAsync(b, a, 4, stream[1]));
    assert_ok(api.cuStreamSynchronize(stream[1]));
    assert_ok(api.cuEventRecord(event[0], stream[0]));
    assert_int_equal(api.cuEventRecord(event[0], stream[1]), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuEventRecord(event[1], NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_ok(api.cuStreamWaitEvent(stream[1], event[0], 0));
    use(1);
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
    use(0);
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
    use(2); /* whose context is the first to use it */
    assert_ok(api.cuLibraryLoadFromFile(&library, api_path("default.fatbin"), NULL, NULL, 0, NULL, NULL, 0));
    assert_ok(api.cuLibraryGetKernel(&kernel, library, "no_parameters"));
    for (int d = DEVICES - 1; d >= 0; d--) {
        use(d);
        assert_ok(api.cuLibraryGetGlobal(&counter[d], &size, library, "counter"));
        int ordinal;
        assert_ok(api.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, counter[d]));
        assert_int_equal(ordinal, d);
    }
    CUstream stream;
    use(1);
    assert_ok(api.cuStreamCreate(&stream, 0));
    use(0);
    assert_ok(api.cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
    assert_ok(api.cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 3, 1, 1, 0, NULL, NULL, NULL));
    const int unchanged = read_word(counter[2]);
    assert_int_equal(read_word(counter[0]), unchanged + 3);
    assert_int_equal(read_word(counter[1]), unchanged + 32);
    assert_ok(api.cuStreamDestroy(stream));
    assert_ok(api.cuLibraryUnload(library));
}

/* ---------------------------------------------------------------- copies */

/* With or without peer access. */
static void copies(void **state) {
    (void)state;
    int words[WORDS], back[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = 3 * i + 1;
    const CUdeviceptr a = alloc_on(0, sizeof words), b = alloc_on(1, sizeof words),
                      c = alloc_on(2, sizeof words);
    use(2);
    assert_ok(api.cuMemcpyHtoD(a, words, sizeof words)); /* by unified addresses */
    assert_ok(api.cuMemcpyPeer(b, primary[1], a, primary[0], sizeof words));
    assert_ok(api.cuMemcpyPeerAsync(c, primary[2], b, primary[1], sizeof words / 2, NULL));
    assert_ok(api.cuMemcpyDtoD(c + sizeof words / 2, b + sizeof words / 2, sizeof words / 4));
    CUDA_MEMCPY3D_PEER box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcDevice = b,
                              .srcXInBytes = sizeof words / 4 * 3,
                              .srcContext = primary[1],
                              .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                              .dstDevice = c,
                              .dstXInBytes = sizeof words / 4 * 3,
                              .dstContext = primary[2],
                              .WidthInBytes = sizeof words / 4,
                              .Height = 1,
                              .Depth = 1};
    assert_ok(api.cuMemcpy3DPeer(&box));
    assert_ok(api.cuMemcpyDtoH(back, c, sizeof back));
    assert_memory_equal(words, back, sizeof words);
    box.srcContext = NULL;
    assert_int_equal(api.cuMemcpy3DPeer(&box), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuMemcpyPeer(b, NULL, a, primary[0], 4), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(api.cuMemcpyPeer(b, primary[1], a, primary[0], sizeof words + 4),
                     CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
    assert_ok(api.cuMemFree(c));
}

/* A graph's copy between devices, and its kernel, which runs on its own. */
static void graphs(void **state) {
    (void)state;
    const CUdeviceptr a = alloc_on(0, 4), b = alloc_on(1, 4);
    const float one = 1;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode copy, kernel;
    use(1);
    assert_ok(api.cuMemcpyHtoD(a, &one, 4));
    assert_ok(api.cuGraphCreate(&graph, 0));
    CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = a,
                         .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                         .dstDevice = b,
                         .WidthInBytes = 4,
                         .Height = 1,
                         .Depth = 1};
    assert_ok(api.cuGraphAddMemcpyNode(&copy, graph, NULL, 0, &box, primary[0]));
    CUdeviceptr x = b;
    int n = 1;
    void *params[] = {&x, &x, &x, &n};
    CUDA_KERNEL_NODE_PARAMS node = {.func = vadd[1],
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    assert_ok(api.cuGraphAddKernelNode(&kernel, graph, &copy, 1, &node));
    assert_ok(api.cuGraphInstantiate(&exec, graph, 0));
    use(0); /* in whose stream the graph is launched */
    assert_ok(api.cuGraphLaunch(exec, NULL));
    assert_ok(api.cuCtxSynchronize());
    float sum;
    assert_ok(api.cuMemcpyDtoH(&sum, b, 4));
    assert_true(sum == 2);
    assert_ok(api.cuGraphExecDestroy(exec));
    assert_ok(api.cuGraphDestroy(graph));
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
}

static int open_driver(void **state) {
    (void)state;
    if (setenv("WIDELOAD_SIM_DEVICES", "3", 1) || !api_open(API_DLSYM) || api.cuInit(0))
        return -1;
    return 0;
}

static int close_driver(void **state) {
    (void)state;
    api_close();
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(identities),       TEST(contexts),    TEST(belongs),
        TEST(reachable_by_all), TEST(peer_access), TEST(access_of_dead_contexts),
        TEST(pair_attributes),  TEST(pools),       TEST(captured_pools),
        TEST(streams),          TEST(libraries),   TEST(copies),
        TEST(graphs),           TEST(cooperative),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_driver, close_driver);
}
