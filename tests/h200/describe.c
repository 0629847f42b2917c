/* Prints everything that a CUDA driver and runtime report about their device, one fact per line: NAME VALUE.
 *
 *   h200_describe describe.fatbin >h200.txt
 *
 * h200.txt has the output on an H200 (driver 580.159, CUDA 13.0); test_describe.py compares the simulator
 * with it.  A call that fails gives the fact "error N".  Limits, pools and pointers are not in h200.txt yet.
 */
#include <string.h>

#include "tests/h200/libraries.h"

static int error; /* of the last call */

/* Prints name with its number, then the value, or the error. */
static void say(const char *name, long number, long long value) {
    printf("%s", name);
    if (number >= 0)
        printf(".%ld", number);
    if (error)
        printf(" error %d\n", error);
    else
        printf(" %lld\n", value);
}

static void must(int result, const char *what) {
    if (!result)
        return;
    fprintf(stderr, "%s: error %d\n", what, result);
    exit(1);
}

/* ---------------------------------------------------------------- the device */

static const char *const attribute_names[] = {
#define DEVICE_ATTRIBUTE(number, name) [number] = #name,
#define PROPERTY_FIELD(field, elements)
#include "described.h"
#undef DEVICE_ATTRIBUTE
#undef PROPERTY_FIELD
};

static void attributes(void) {
    for (int i = 1; i <= 200; i++) {
        char name[160];
        int known = i < (int)(sizeof attribute_names / sizeof *attribute_names) && attribute_names[i];
        int value = 0;
        error = DRIVER(cuDeviceGetAttribute)(&value, (CUdevice_attribute)i, 0);
        snprintf(name, sizeof name, "attribute.%d%s%s", i, known ? "." : "", known ? attribute_names[i] : "");
        say(name, -1, value);
    }
}

static void identity(void) {
    char text[256] = "";
    must(DRIVER(cuDeviceGetName)(text, sizeof text, 0), "cuDeviceGetName");
    printf("name %s\n", text);
    int version = 0;
    size_t bytes = 0, free_bytes = 0;
    error = DRIVER(cuDriverGetVersion)(&version);
    say("driver_version", -1, version);
    error = DRIVER(cuDeviceTotalMem)(&bytes, 0);
    say("total_memory", -1, (long long)bytes);
    error = DRIVER(cuMemGetInfo)(&free_bytes, &bytes);
    say("memory_info_total", -1, (long long)bytes);
    CUdevprop p;
    must(DRIVER(cuDeviceGetProperties)(&p, 0), "cuDeviceGetProperties");
    printf("devprop %d %d,%d,%d %d,%d,%d %d %d %d %d %d %d %d\n", p.maxThreadsPerBlock, p.maxThreadsDim[0],
           p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2],
           p.sharedMemPerBlock, p.totalConstantMemory, p.SIMDWidth, p.memPitch, p.regsPerBlock, p.clockRate,
           p.textureAlign);
    char luid[8];
    unsigned mask = 0;
    int value = 0;
    error = DRIVER(cuDeviceGetLuid)(luid, &mask, 0);
    say("luid_mask", -1, mask);
    for (int i = 0; i <= 3; i++) {
        error = DRIVER(cuDeviceGetExecAffinitySupport)(&value, (CUexecAffinityType)i, 0);
        say("exec_affinity", i, value);
    }
    for (int i = 1; i <= 8; i++) {
        error = DRIVER(cuDeviceGetP2PAttribute)(&value, (CUdevice_P2PAttribute)i, 0, 0);
        say("p2p_itself", i, value);
    }
    static const CUarray_format formats[] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_HALF,
                                             CU_AD_FORMAT_FLOAT};
    for (int i = 0; i < 3; i++)
        for (unsigned channels = 1; channels <= 4; channels++) {
            size_t width = 0;
            error = DRIVER(cuDeviceGetTexture1DLinearMaxWidth)(&width, formats[i], channels, 0);
            char name[64];
            snprintf(name, sizeof name, "texture1d_linear_width.%d.%u", (int)formats[i], channels);
            say(name, -1, (long long)width);
        }
}

static void properties(void) {
    struct cudaDeviceProp p;
    must(RUNTIME(cudaGetDeviceProperties)(&p, 0), "cudaGetDeviceProperties");
    printf("property.name %s\n", p.name);
    /* For arrays and single numbers of any width. */
#define DEVICE_ATTRIBUTE(number, name)
#define PROPERTY_FIELD(field, elements)                                                                      \
    for (size_t i = 0, each = sizeof p.field / (elements); i < (elements); i++) {                            \
        long long value = 0;                                                                                 \
        memcpy(&value, (const char *)&p.field + i * each, each);                                             \
        printf("property." #field);                                                                          \
        error = 0;                                                                                           \
        say("", (elements) > 1 ? (long)i : -1, each == 4 ? (int)value : value);                              \
    }
#include "described.h"
#undef DEVICE_ATTRIBUTE
#undef PROPERTY_FIELD
    for (int i = 0; i <= 10; i++) {
        size_t value = 0;
        error = RUNTIME(cudaDeviceGetLimit)(&value, (enum cudaLimit)i);
        say("runtime_limit", i, (long long)value);
    }
}

/* ---------------------------------------------------------------- the context */

static void context(void) {
    for (int i = 0; i <= 10; i++) {
        size_t value = 0;
        error = DRIVER(cuCtxGetLimit)(&value, (CUlimit)i);
        say("limit", i, (long long)value);
    }
    int least = 0, greatest = 0, cache = 0, shared = 0;
    unsigned flags = 0, version = 0;
    must(DRIVER(cuCtxGetStreamPriorityRange)(&least, &greatest), "cuCtxGetStreamPriorityRange");
    printf("stream_priorities %d %d\n", least, greatest);
    error = DRIVER(cuCtxGetCacheConfig)((CUfunc_cache *)&cache);
    say("cache_config", -1, cache);
    error = DRIVER(cuCtxGetSharedMemConfig)((CUsharedconfig *)&shared);
    say("shared_config", -1, shared);
    error = DRIVER(cuCtxGetFlags)(&flags);
    say("context_flags", -1, flags);
    CUcontext current = NULL;
    must(DRIVER(cuCtxGetCurrent)(&current), "cuCtxGetCurrent");
    error = DRIVER(cuCtxGetApiVersion)(current, &version);
    say("context_api_version", -1, version);
    CUexecAffinityParam affinity = {.type = CU_EXEC_AFFINITY_TYPE_SM_COUNT};
    error = DRIVER(cuCtxGetExecAffinity)(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT);
    say("context_multiprocessors", -1, affinity.param.smCount.val);
    static const CUlimit settable[] = {CU_LIMIT_STACK_SIZE,
                                       CU_LIMIT_PRINTF_FIFO_SIZE,
                                       CU_LIMIT_MALLOC_HEAP_SIZE,
                                       CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH,
                                       CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT,
                                       CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
                                       CU_LIMIT_PERSISTING_L2_CACHE_SIZE,
                                       CU_LIMIT_SHMEM_SIZE};
    static const size_t wishes[] = {0, 1, 1000, 4097, 100000, 33000000, 1000000000};
    for (size_t i = 0; i < sizeof settable / sizeof *settable; i++)
        for (size_t k = 0; k < sizeof wishes / sizeof *wishes; k++) {
            size_t before = 0, after = 0;
            (void)DRIVER(cuCtxGetLimit)(&before, settable[i]);
            error = DRIVER(cuCtxSetLimit)(settable[i], wishes[k]);
            (void)DRIVER(cuCtxGetLimit)(&after, settable[i]);
            (void)DRIVER(cuCtxSetLimit)(settable[i], before);
            char name[64];
            snprintf(name, sizeof name, "limit_set.%d.%zu", (int)settable[i], wishes[k]);
            say(name, -1, (long long)after);
        }
    for (int wish = -8; wish <= 2; wish++) {
        CUstream stream;
        int got = 0;
        error = DRIVER(cuStreamCreateWithPriority)(&stream, 0, wish);
        if (!error)
            error = DRIVER(cuStreamGetPriority)(stream, &got);
        char name[64];
        snprintf(name, sizeof name, "stream_priority.%d", wish);
        say(name, -1, got);
    }
}

static void pools(void) {
    CUmemoryPool pool;
    must(DRIVER(cuDeviceGetDefaultMemPool)(&pool, 0), "cuDeviceGetDefaultMemPool");
    for (int i = 1; i <= 13; i++) {
        cuuint64_t value = 0;
        error = DRIVER(cuMemPoolGetAttribute)(pool, (CUmemPool_attribute)i, &value);
        say("pool", i, (long long)value);
    }
    CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE};
    CUmemoryPool same = NULL;
    error = DRIVER(cuMemGetDefaultMemPool)(&same, &here, CU_MEM_ALLOCATION_TYPE_PINNED);
    say("pool_of_location", -1, same == pool);
    error = DRIVER(cuMemGetMemPool)(&same, &here, CU_MEM_ALLOCATION_TYPE_PINNED);
    say("pool_now_of_location", -1, same == pool);
    size_t granularity = 0;
    CUmemAllocationProp wish = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = here};
    for (int i = 0; i <= 1; i++) {
        error =
            DRIVER(cuMemGetAllocationGranularity)(&granularity, &wish, (CUmemAllocationGranularity_flags)i);
        say("granularity", i, (long long)granularity);
    }
}

static void pointers(void) {
    static const char *const kinds[] = {"device", "pinned", "managed"};
    for (int kind = 0; kind < 3; kind++) {
        CUdeviceptr address = 0;
        void *host = NULL;
        if (kind == 0)
            must(DRIVER(cuMemAlloc)(&address, 1000), "cuMemAlloc");
        else if (kind == 1)
            must(DRIVER(cuMemHostAlloc)(&host, 1000, 0), "cuMemHostAlloc");
        else
            must(DRIVER(cuMemAllocManaged)(&address, 1000, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged");
        if (host)
            address = (CUdeviceptr)(size_t)host;
        /* Addresses, handles and identifiers differ from run to run. */
        static const int constant[] = {2, 6, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 21};
        for (size_t i = 0; i < sizeof constant / sizeof *constant; i++) {
            unsigned long long value = 0;
            char name[64];
            snprintf(name, sizeof name, "pointer.%s.%d", kinds[kind], constant[i]);
            error = DRIVER(cuPointerGetAttribute)(&value, (CUpointer_attribute)constant[i], address);
            say(name, -1, (long long)value);
        }
        must(host ? DRIVER(cuMemFreeHost)(host) : DRIVER(cuMemFree)(address), "cuMemFree");
    }
    static const size_t widths[] = {1, 511, 512, 513, 1000, 65536};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        CUdeviceptr address;
        size_t pitch = 0;
        error = DRIVER(cuMemAllocPitch)(&address, &pitch, widths[i], 3, 4);
        say("pitch", (long)widths[i], (long long)pitch);
        if (!error)
            must(DRIVER(cuMemFree)(address), "cuMemFree");
    }
}

/* ---------------------------------------------------------------- functions */

static void occupancy(const char *kernel, CUfunction function) {
    static const size_t shared[] = {0, 1, 1024, 16384, 40000, 100000};
    char name[96];
    int blocks = 0, least = 0, size = 0;
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        for (int threads = 32; threads <= 1024; threads += threads < 256 ? 32 : 128) {
            error =
                DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, function, threads, shared[k]);
            snprintf(name, sizeof name, "blocks.%s.%d.%zu", kernel, threads, shared[k]);
            say(name, -1, blocks);
        }
        error = DRIVER(cuOccupancyMaxPotentialBlockSize)(&least, &size, function, NULL, shared[k], 0);
        snprintf(name, sizeof name, "block_size.%s.%zu", kernel, shared[k]);
        say(name, -1, size);
        snprintf(name, sizeof name, "grid_size.%s.%zu", kernel, shared[k]);
        say(name, -1, least);
    }
    for (int threads = 64; threads <= 1024; threads *= 4)
        for (int number = 1; number <= 8; number *= 2) {
            size_t bytes = 0;
            error = DRIVER(cuOccupancyAvailableDynamicSMemPerBlock)(&bytes, function, number, threads);
            snprintf(name, sizeof name, "dynamic_shared.%s.%d.%d", kernel, threads, number);
            say(name, -1, (long long)bytes);
        }
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    for (unsigned width = 1; width <= 16; width *= 2) {
        cluster.value.clusterDim.x = width;
        cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
        CUlaunchConfig config = {.gridDimX = 1024,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 64,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .attrs = &cluster,
                                 .numAttrs = 1};
        int clusters = 0;
        error = DRIVER(cuOccupancyMaxActiveClusters)(&clusters, function, &config);
        snprintf(name, sizeof name, "clusters.%s.%u", kernel, width);
        say(name, -1, clusters);
        config.numAttrs = 0;
        if (width == 1) {
            error = DRIVER(cuOccupancyMaxPotentialClusterSize)(&clusters, function, &config);
            snprintf(name, sizeof name, "cluster_size.%s", kernel);
            say(name, -1, clusters);
        }
    }
}

static void functions(const char *path) {
    static const char *const kernels[] = {"plain",       "empty",     "shared_4k",
                                          "shared_48k",  "bounded",   "many_registers",
                                          "local_array", "constants", "clustered"};
    CUmodule module;
    must(DRIVER(cuModuleLoad)(&module, path), path);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        CUfunction function;
        must(DRIVER(cuModuleGetFunction)(&function, module, kernels[k]), kernels[k]);
        for (int i = 0; i <= 17; i++) {
            int value = 0;
            error = DRIVER(cuFuncGetAttribute)(&value, (CUfunction_attribute)i, function);
            char name[96];
            snprintf(name, sizeof name, "function.%s.%d", kernels[k], i);
            say(name, -1, value);
        }
        occupancy(kernels[k], function);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: h200_describe describe.fatbin\n");
        return 2;
    }
    open_libraries();
    identity();
    attributes();
    properties();
    context();
    pools();
    pointers();
    functions(argv[1]);
    return 0;
}
