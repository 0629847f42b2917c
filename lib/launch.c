#include "lib/launch.h"

#include "lib/error.h"

/* Shared memory that a kernel may have without a request. */
#define UNASKED_SHARED_LIMIT (48 * 1024)

static _Thread_local struct wl__launched last;

struct wl__launched wl__last_launch(void) {
    return last;
}

void wl__note_launch(struct wl__launched launched) {
    last = launched;
}

/* Lets a kernel have so much dynamic shared memory.  Always requests all: if it requested what a launch
 * needs, another thread's smaller launch could come between. */
static wl_error allow_shared(wl_context *context, wl__kernel kernel, CUfunction function, uint32_t bytes) {
    if (bytes <= UNASKED_SHARED_LIMIT || atomic_load(&context->all_shared[kernel]))
        return WL_ERROR_OK;
    const struct wl__driver *driver = &context->driver;
    int limit = 0;
    wl_error error =
        wl__driver_check(driver,
                         driver->cuDeviceGetAttribute(
                             &limit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, context->device),
                         "cuDeviceGetAttribute");
    if (error)
        return error;
    error = wl__driver_check(
        driver, driver->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, limit),
        "cuFuncSetAttribute");
    if (!error)
        atomic_store(&context->all_shared[kernel], true);
    return error;
}

/* One launch. */
struct grid {
    uint32_t x, y;
    uint32_t cluster; /* consecutive blocks; 0: none */
    bool cooperative;
    bool early; /* starts while the kernel before it in the stream ends */
    struct wl__block block;
    uint32_t shared_bytes;
};

static CUresult start(const struct wl__driver *driver, CUfunction function, const struct grid *grid,
                      void **arguments, wl_stream stream) {
    CUlaunchAttribute attributes[2];
    unsigned count = 0;
    if (grid->cooperative)
        attributes[count++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    if (grid->cluster)
        attributes[count++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                                  .value.clusterDim = {grid->cluster, 1, 1}};
    if (grid->early)
        attributes[count++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                                  .value.programmaticStreamSerializationAllowed = 1};
    if (count == 0)
        return driver->cuLaunchKernel(function, grid->x, grid->y, 1, grid->block.x, grid->block.y, 1,
                                      grid->shared_bytes, stream, arguments, NULL);
    const CUlaunchConfig config = {.gridDimX = grid->x,
                                   .gridDimY = grid->y,
                                   .gridDimZ = 1,
                                   .blockDimX = grid->block.x,
                                   .blockDimY = grid->block.y,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = grid->shared_bytes,
                                   .hStream = stream,
                                   .attrs = attributes,
                                   .numAttrs = count};
    return driver->cuLaunchKernelEx(&config, function, arguments, NULL);
}

/* The context is current. */
static wl_error launch(wl_context *context, wl__kernel kernel, struct grid *grid, void **arguments,
                       wl_stream stream) {
    CUfunction function;
    if (WL_MASKED(kernel))
        return WL_ERROR_MASKED;
    WL_NOTE(kernel);
    wl_error error = wl__kernel_get(context, kernel, &function);
    if (!error)
        error = allow_shared(context, kernel, function, grid->shared_bytes);
    if (error)
        return error;
    grid->early = context->starts_early && !grid->cooperative && kernel < WL_KERNEL_COUNT &&
                  atomic_load_explicit(&context->awaits[kernel], memory_order_relaxed);
    CUresult result = start(&context->driver, function, grid, arguments, stream);
    if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE)
        return wl__fail(WL_ERROR_UNSUPPORTED, "cuLaunchKernelEx: %u blocks do not run at the same time",
                        grid->x);
    if (result)
        return wl__driver_check(&context->driver, result,
                                grid->cluster || grid->cooperative || grid->early ? "cuLaunchKernelEx"
                                                                                  : "cuLaunchKernel");
    wl__note_launch((struct wl__launched){context, function, grid->block.x * grid->block.y});
    return WL_ERROR_OK;
}

static wl_error enter_and_launch(wl_context *context, wl__kernel kernel, struct grid *grid, void **arguments,
                                 wl_stream stream) {
    /* A thread that works on a device has its context current already: asking is cheaper than a push and a
     * pop. */
    CUcontext current = NULL;
    if (context->driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context->cuda)
        return launch(context, kernel, grid, arguments, stream);
    wl_error error = wl__enter(context);
    if (error)
        return error;
    error = launch(context, kernel, grid, arguments, stream);
    wl__leave(context);
    return error;
}

wl_error wl__launch_shared(wl_context *context, wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                           struct wl__block block, uint32_t shared_bytes, void **arguments,
                           wl_stream stream) {
    struct grid grid = {.x = grid_x, .y = grid_y, .block = block, .shared_bytes = shared_bytes};
    return enter_and_launch(context, kernel, &grid, arguments, stream);
}

wl_error wl__launch_clusters(wl_context *context, wl__kernel kernel, uint32_t blocks, uint32_t cluster,
                             uint32_t threads, uint32_t shared_bytes, void **arguments, wl_stream stream) {
    struct grid grid = {.x = blocks, .y = 1, .block = {threads, 1}, .shared_bytes = shared_bytes};
    if (cluster > 1 && context->capability >= 90 && context->driver.cuLaunchKernelEx &&
        blocks <= WL_GRID_X_LIMIT - cluster) {
        grid.cluster = cluster;
        grid.x = (blocks + cluster - 1) / cluster * cluster;
    }
    return enter_and_launch(context, kernel, &grid, arguments, stream);
}

wl_error wl__launch_cooperative(wl_context *context, wl__kernel kernel, uint32_t blocks, uint32_t threads,
                                uint32_t shared_bytes, void **arguments, wl_stream stream) {
    struct grid grid = {
        .x = blocks, .y = 1, .cooperative = true, .block = {threads, 1}, .shared_bytes = shared_bytes};
    return enter_and_launch(context, kernel, &grid, arguments, stream);
}

/* The context is current. */
static wl_error count_blocks(wl_context *context, wl__kernel kernel, uint32_t threads, uint32_t shared_bytes,
                             uint64_t *blocks) {
    const struct wl__driver *driver = &context->driver;
    CUfunction function;
    int each = 0;
    wl_error error = wl__kernel_get(context, kernel, &function);
    if (!error)
        error = allow_shared(context, kernel, function, shared_bytes);
    if (!error)
        error = wl__driver_check(
            driver,
            driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, (int)threads, shared_bytes),
            "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (!error)
        *blocks = (uint64_t)each * context->multiprocessors;
    return error;
}

wl_error wl__blocks_at_once(wl_context *context, wl__kernel kernel, uint32_t threads, uint32_t shared_bytes,
                            uint64_t *blocks) {
    wl_error error = wl__enter(context);
    if (error)
        return error;
    error = count_blocks(context, kernel, threads, shared_bytes, blocks);
    wl__leave(context);
    return error;
}

wl_error wl__launch(wl_context *context, wl__kernel kernel, uint32_t grid_x, uint32_t grid_y,
                    struct wl__block block, void **arguments, wl_stream stream) {
    return wl__launch_shared(context, kernel, grid_x, grid_y, block, 0, arguments, stream);
}

wl_error wl__launch_linear(wl_context *context, wl__kernel kernel, uint64_t items, uint64_t each,
                           struct wl__block block, void **arguments, uint64_t *first, wl_stream stream) {
    uint64_t blocks = items / each + (items % each != 0);
    for (uint64_t done = 0; done < blocks;) {
        uint64_t now = blocks - done < WL_GRID_X_LIMIT ? blocks - done : WL_GRID_X_LIMIT;
        *first = done * each;
        wl_error error = wl__launch(context, kernel, (uint32_t)now, 1, block, arguments, stream);
        if (error)
            return error;
        done += now;
    }
    return WL_ERROR_OK;
}
