/* Calls that release what another thread's kernel uses.  They wait for the kernel, except those that CUDA
 * orders by a stream; in any case the kernel accesses no memory outside the device's. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/cuda/ipc.h"

enum { WORDS = 1 << 18, SETTLE_US = 30000 };

static CUcontext context; /* the kernel's context */
static volatile int *flags;

/* A kernel that runs on its own thread until it is told to end. */
struct kernel {
    pthread_t thread;
    CUfunction function;
    CUdeviceptr data; /* or a texture object */
    CUgraphExec exec; /* or a graph that contains it */
    CUresult result;
};

static void *run_kernel(void *argument) {
    struct kernel *kernel = argument;
    CUdeviceptr at = (CUdeviceptr)(uintptr_t)flags;
    void *params[] = {&at, &kernel->data};
    kernel->result = api.cuCtxSetCurrent(context);
    if (!kernel->result)
        kernel->result = kernel->exec ? api.cuGraphLaunch(kernel->exec, NULL)
                                      : api.cuLaunchKernel(kernel->function, 1, 1, 1, 32, 1, 1, 0,
                                                           CU_STREAM_PER_THREAD, params, NULL);
    return NULL;
}

static void start(struct kernel *kernel) {
    flags[0] = flags[1] = flags[2] = 0;
    assert_int_equal(pthread_create(&kernel->thread, NULL, run_kernel, kernel), 0);
    while (!flags[0])
        usleep(100);
}

/* Waits for its end, which must be without a fault. */
static void finish(struct kernel *kernel) {
    flags[1] = 1;
    assert_int_equal(pthread_join(kernel->thread, NULL), 0);
    assert_ok(kernel->result);
    assert_int_equal(flags[2], 1);
}

/* The call under test, on its own thread. */
struct call {
    pthread_t thread;
    CUresult (*make)(void *what);
    void *what;
    CUresult result;
    atomic_bool returned;
};

static void *make_call(void *argument) {
    struct call *call = argument;
    call->result = api.cuCtxSetCurrent(context);
    if (!call->result)
        call->result = call->make(call->what);
    atomic_store(&call->returned, true);
    return NULL;
}

/* Makes the call while the kernel runs. */
static void release_under(struct kernel *kernel, CUresult (*make)(void *what), void *what, bool waits) {
    struct call call = {.make = make, .what = what};
    start(kernel);
    assert_int_equal(pthread_create(&call.thread, NULL, make_call, &call), 0);
    if (waits)
        usleep(SETTLE_US);
    else
        assert_int_equal(pthread_join(call.thread, NULL), 0); /* or it never returns */
    assert_int_equal(atomic_load(&call.returned), !waits);
    finish(kernel);
    if (waits)
        assert_int_equal(pthread_join(call.thread, NULL), 0);
    assert_ok(call.result);
}

static CUmodule module;

static CUfunction function(const char *name) {
    CUfunction found;
    assert_ok(api.cuModuleGetFunction(&found, module, name));
    return found;
}

/* Makes a context, a module, and flags that outlive them. */
static int setup(void **state) {
    (void)state;
    static int words[4]; /* registered, so that destroying a context does not release it */
    flags = words;
    if (api.context_create(&context, 0, 0) || api.cuModuleLoad(&module, api_path("services.ptx")))
        return -1;
    return api.cuMemHostRegister(words, sizeof words, 0) ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    return api.cuCtxDestroy(context) ? -1 : 0;
}

/* ---------------------------------------------------------------- memory */

static CUresult free_device(void *what) {
    return api.cuMemFree(*(CUdeviceptr *)what);
}

static CUresult export(void *what) {
    CUipcMemHandle handle;
    return api.cuIpcGetMemHandle(&handle, *(CUdeviceptr *)what);
}

static CUresult free_host(void *what) {
    return api.cuMemFreeHost(what);
}

static CUresult unregister(void *what) {
    return api.cuMemHostUnregister(what);
}

static CUresult free_async(void *what) {
    return api.cuMemFreeAsync(*(CUdeviceptr *)what, CU_STREAM_PER_THREAD);
}

static void memory(void **state) {
    (void)state;
    static const size_t sizes[] = {128, 4 * WORDS, 9 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct kernel kernel = {.function = function("use")};
        assert_ok(api.cuMemAlloc(&kernel.data, sizes[i]));
        release_under(&kernel, export, &kernel.data, true);
        release_under(&kernel, free_device, &kernel.data, true);
        assert_int_equal(api.cuMemFree(kernel.data), CUDA_ERROR_INVALID_VALUE);
        assert_ok(api.cuMemAllocManaged(&kernel.data, sizes[i], CU_MEM_ATTACH_GLOBAL));
        release_under(&kernel, free_device, &kernel.data, true);
        assert_ok(api.cuMemAllocAsync(&kernel.data, sizes[i], NULL));
        release_under(&kernel, free_device, &kernel.data, true);
    }
}

static CUresult close_import(void *what) {
    return api.cuIpcCloseMemHandle(*(CUdeviceptr *)what);
}

/* Another process's memory. */
static void imports(void **state) {
    (void)state;
    static const size_t sizes[] = {128, 4 * WORDS};
    const struct peer peer = ipc_start(false);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct request request = {.kind = REQUEST_ALLOC, .size = sizes[i]};
        request.at = ipc_ask(&peer, request).at;
        request.kind = REQUEST_EXPORT;
        const CUipcMemHandle handle = ipc_ask(&peer, request).handle;
        struct kernel kernel = {.function = function("use")};
        assert_ok(api.cuIpcOpenMemHandle(&kernel.data, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        release_under(&kernel, close_import, &kernel.data, true);
        assert_int_equal(api.cuIpcCloseMemHandle(kernel.data), CUDA_ERROR_INVALID_VALUE);
    }
    ipc_end(&peer);
}

static void host_memory(void **state) {
    (void)state;
    struct kernel kernel = {.function = function("use")};
    void *host;
    assert_ok(api.cuMemAllocHost(&host, 4096));
    kernel.data = (CUdeviceptr)(uintptr_t)host;
    release_under(&kernel, free_host, host, true);
    host = calloc(1, 4096);
    assert_non_null(host);
    assert_ok(api.cuMemHostRegister(host, 4096, 0));
    kernel.data = (CUdeviceptr)(uintptr_t)host;
    release_under(&kernel, unregister, host, true);
    free(host);
}

/* A stream-ordered free does not wait for other streams.  The kernel is wrong to continue; it changes only
 * the device's memory, whatever is allocated and freed meanwhile. */
static void stream_ordered(void **state) {
    (void)state;
    static const size_t sizes[] = {128, 4 * WORDS, 9 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct kernel kernel = {.function = function("use")};
        assert_ok(api.cuMemAllocAsync(&kernel.data, sizes[i], NULL));
        start(&kernel);
        assert_ok(api.cuMemFreeAsync(kernel.data, CU_STREAM_PER_THREAD));
        for (int k = 0; k < 2000; k++) {
            CUdeviceptr other;
            char *own = calloc(1, sizes[i] < 4096 ? sizes[i] : 4096);
            assert_non_null(own);
            assert_ok(api.cuMemAllocAsync(&other, sizes[i], CU_STREAM_PER_THREAD));
            assert_ok(api.cuMemFreeAsync(other, CU_STREAM_PER_THREAD));
            assert_true(own[0] == 0 && own[64] == 0);
            free(own);
        }
        finish(&kernel);
    }
    struct kernel kernel = {.function = function("use")};
    assert_ok(api.cuMemAllocAsync(&kernel.data, 4096, NULL));
    release_under(&kernel, free_async, &kernel.data, false);
}

/* ---------------------------------------------------------------- arrays, textures */

static CUresult destroy_array(void *what) {
    return api.cuArrayDestroy(what);
}

static CUresult destroy_texture(void *what) {
    return api.cuTexObjectDestroy(*(CUtexObject *)what);
}

static void textures(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        CUDA_ARRAY_DESCRIPTOR shape = {
            .Width = 64, .Height = 8, .Format = CU_AD_FORMAT_SIGNED_INT32, .NumChannels = 1};
        CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
        CUDA_TEXTURE_DESC description = {.flags = CU_TRSF_READ_AS_INTEGER};
        CUtexObject texture;
        assert_ok(api.cuArrayCreate(&resource.res.array.hArray, &shape));
        assert_ok(api.cuTexObjectCreate(&texture, &resource, &description, NULL));
        struct kernel kernel = {.function = function("use_texture"), .data = texture};
        if (i) {
            release_under(&kernel, destroy_array, resource.res.array.hArray, true);
            assert_ok(api.cuTexObjectDestroy(texture));
        } else {
            release_under(&kernel, destroy_texture, &texture, true);
            assert_ok(api.cuArrayDestroy(resource.res.array.hArray));
        }
    }
}

/* ---------------------------------------------------------------- code */

static CUresult unload(void *what) {
    return api.cuModuleUnload(what);
}

static CUresult unload_library(void *what) {
    return api.cuLibraryUnload(what);
}

static void code(void **state) {
    (void)state;
    struct kernel kernel = {.function = function("use")};
    assert_ok(api.cuMemAlloc(&kernel.data, 4096));
    release_under(&kernel, unload, module, true);
    CUlibrary library;
    assert_ok(api.cuLibraryLoadFromFile(&library, api_path("services.ptx"), NULL, NULL, 0, NULL, NULL, 0));
    CUkernel found;
    assert_ok(api.cuLibraryGetKernel(&found, library, "use"));
    kernel.function = (CUfunction)found;
    release_under(&kernel, unload_library, library, true);
    assert_ok(api.cuMemFree(kernel.data));
}

static CUresult destroy_exec(void *what) {
    return api.cuGraphExecDestroy(what);
}

/* CUDA lets it run to its end and returns immediately. */
static void graph(void **state) {
    (void)state;
    CUdeviceptr data, at = (CUdeviceptr)(uintptr_t)flags;
    assert_ok(api.cuMemAlloc(&data, 4096));
    void *params[] = {&at, &data};
    CUDA_KERNEL_NODE_PARAMS node = {.func = function("use"),
                                    .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 32,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params};
    CUgraph made;
    CUgraphNode first, second;
    struct kernel kernel = {.data = data};
    assert_ok(api.cuGraphCreate(&made, 0));
    assert_ok(api.cuGraphAddKernelNode(&first, made, NULL, 0, &node));
    assert_ok(api.cuGraphAddKernelNode(&second, made, &first, 1, &node)); /* it was already told to end */
    assert_ok(api.cuGraphInstantiateWithFlags(&kernel.exec, made, 0));
    release_under(&kernel, destroy_exec, kernel.exec, false);
    assert_int_equal(api.cuGraphLaunch(kernel.exec, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuGraphDestroy(made));
    assert_ok(api.cuMemFree(data));
}

/* ---------------------------------------------------------------- contexts */

static CUresult destroy_context(void *what) {
    return api.cuCtxDestroy(what);
}

static CUresult reset_primary(void *what) {
    (void)what;
    return api.cuDevicePrimaryCtxReset(0);
}

static CUresult release_primary(void *what) {
    (void)what;
    return api.cuDevicePrimaryCtxRelease(0);
}

/* The kernel's memory, module and heap are released with its context. */
static void end_of_context(CUresult (*make)(void *what), void *what) {
    CUmodule loaded;
    struct kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    assert_ok(api.cuCtxSetCurrent(context));
    assert_ok(api.cuModuleLoad(&loaded, api_path("services.ptx")));
    assert_ok(api.cuModuleGetFunction(&kernel.function, loaded, "use"));
    assert_ok(api.cuMemAlloc(&kernel.data, 4 * WORDS));
    release_under(&kernel, make, what, true);
}

static void contexts(void **state) {
    (void)state;
    CUcontext own = context, primary;
    assert_ok(api.context_create(&context, 0, 0));
    end_of_context(destroy_context, context);
    assert_ok(api.cuDevicePrimaryCtxRetain(&primary, 0));
    context = primary;
    end_of_context(reset_primary, NULL);
    end_of_context(release_primary, NULL);
    context = own;
    assert_ok(api.cuCtxSetCurrent(context));
}

/* When two threads' launches follow each other closely, there is always work in flight: a waiting call must
 * return nevertheless. */
static atomic_bool enough;

static void *launch_on_and_on(void *argument) {
    CUfunction found = argument;
    CUdeviceptr data, at = (CUdeviceptr)(uintptr_t)flags;
    bool good = !api.cuCtxSetCurrent(context) && !api.cuMemAlloc(&data, 128);
    void *params[] = {&at, &data};
    while (good && !atomic_load(&enough))
        good = !api.cuLaunchKernel(found, 1, 1, 1, 32, 1, 1, 0, CU_STREAM_PER_THREAD, params, NULL);
    return good ? argument : NULL;
}

static void no_starving(void **state) {
    (void)state;
    pthread_t threads[2];
    flags[1] = 1;
    atomic_store(&enough, false);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_on_and_on, function("use")), 0);
    for (int i = 0; i < 100; i++) {
        CUdeviceptr data;
        CUipcMemHandle handle;
        assert_ok(api.cuMemAlloc(&data, 4096));
        assert_ok(api.cuIpcGetMemHandle(&handle, data));
        assert_ok(api.cuMemFree(data));
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++) {
        void *good;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
}

/* The process exits while the kernel runs: no fault, and nobody waits. */
static int end_under_a_kernel(void) {
    void *state = NULL;
    static struct kernel kernel;
    if (api_setup(&state) || setup(&state))
        return 2;
    kernel.function = function("use");
    assert_ok(api.cuMemAlloc(&kernel.data, 4096));
    start(&kernel);
    return 0;
}

/* Without arguments: runs all tests below. */
int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "peer") == 0)
        return ipc_serve(false);
    if (argc > 1)
        return strcmp(argv[1], "end") == 0 ? end_under_a_kernel() : 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory, setup, teardown),
        cmocka_unit_test_setup_teardown(imports, setup, teardown),
        cmocka_unit_test_setup_teardown(host_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(stream_ordered, setup, teardown),
        cmocka_unit_test_setup_teardown(textures, setup, teardown),
        cmocka_unit_test_setup_teardown(code, setup, teardown),
        cmocka_unit_test_setup_teardown(graph, setup, teardown),
        cmocka_unit_test_setup_teardown(contexts, setup, teardown),
        cmocka_unit_test_setup_teardown(no_starving, setup, teardown),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
