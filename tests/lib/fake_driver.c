#include "fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "wideload.h"

static struct fake_state state;

struct fake_state *fake_state(void);
struct fake_state *fake_state(void) {
    return &state;
}

/* The context of a device is an address in `state`. */
static CUcontext context_of(CUdevice device) {
    return (CUcontext)((char *)&state + device);
}

static unsigned device_count(void) {
    return state.devices ? state.devices : 1;
}

static CUcontext stack[16]; /* of `state.depth` contexts */

static CUcontext current(void) {
    return state.depth > 0 ? stack[state.depth - 1] : state.current ? context_of(0) : NULL;
}

/* Whether it is this call's turn to fail. */
static bool fails(void) {
    return (state.fail_on && !state.fail_after) || (state.fail_after && --state.fail_after == 0);
}

static CUresult step(enum fake_kind kind, void *stream, void *event) {
    if (fails())
        return CUDA_ERROR_LAUNCH_FAILED;
    if (state.step_count < sizeof(state.steps) / sizeof(state.steps[0]))
        state.steps[state.step_count] = (struct fake_step){kind, stream, event};
    state.step_count++;
    return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
#if CUDA_VERSION >= 12050
    state.can_part = true;
#endif
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
    *version = 13000;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
    *name = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
    *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "other";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
    *count = (int)device_count();
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    *device = ordinal;
    return ordinal >= 0 && (unsigned)ordinal < device_count() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
    snprintf(name, size, "fake %d", device);
    return CUDA_SUCCESS;
}

/* Bytes of shared memory that a multiprocessor has, and those of a block: CUDA keeps some. */
static unsigned shared_each(void) {
    const char *kb = getenv("FAKE_SHARED");
    return (kb ? (unsigned)atoi(kb) : 228) << 10;
}

static unsigned shared_most(void) {
    return shared_each() - 1024;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device) {
    (void)device;
    switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = 3201000;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = 6016;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 132;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        *value = 2048;
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = (int)shared_each();
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = (int)shared_most();
        return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        *value = 32;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    (void)device;
    *bytes = 1 << 20;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    state.retained++;
    *context = context_of(device);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    (void)device;
    state.retained--;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
    *context = current();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
    *device = current() ? (CUdevice)((char *)current() - (char *)&state) : 0;
    return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPushCurrent(CUcontext context) {
    if (context < context_of(0) || context >= context_of((CUdevice)device_count()) || state.depth == 16)
        return CUDA_ERROR_INVALID_CONTEXT;
    stack[state.depth++] = context;
    state.pushes++;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
    *context = current();
    state.depth--;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    *can = device != peer && !state.no_peers;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    if (flags || peer == current())
        return CUDA_ERROR_INVALID_VALUE;
    if (fails())
        return CUDA_ERROR_TOO_MANY_PEERS;
    return state.peers++ ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

static CUresult fail(void) {
    CUresult result = (CUresult)state.fail_next;
    state.fail_next = 0;
    return result;
}

CUresult cuCtxResetPersistingL2Cache(void) {
    state.releases++;
    return (CUresult)state.release;
}

CUresult cuCtxSynchronize(void) {
    return fail();
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
    CUstreamCaptureMode before = (CUstreamCaptureMode)state.capture_mode;
    state.capture_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    uint32_t magic;
    memcpy(&magic, image, 4);
    if (state.capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (state.fail_load) {
        state.fail_load = false;
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (magic != 0xBA55ED50)
        return CUDA_ERROR_INVALID_IMAGE;
    state.modules++;
    state.loads++;
    *module = (CUmodule)&state;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
    (void)module;
    state.modules--;
    return CUDA_SUCCESS;
}

/* A function's handle is its name, which the library stores statically. */
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    (void)module;
    *function = (CUfunction)(size_t)name;
    return CUDA_SUCCESS;
}

/* As if compiled from PTX for 7.5, which cannot start early. */
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    (void)function;
    *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? 75 : 0;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    (void)function;
    (void)attribute;
    (void)value;
    return CUDA_SUCCESS;
}

/* Every address is on the device, except the test's own. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                                CUdeviceptr address) {
    state.pointer_questions++;
    for (unsigned i = 0; i < count; i++) {
        bool type = attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
        if (!type && attributes[i] != CU_POINTER_ATTRIBUTE_IS_MANAGED)
            return CUDA_ERROR_NOT_SUPPORTED;
        *(unsigned *)data[i] = type && address - state.host >= state.host_bytes ? CU_MEMORYTYPE_DEVICE : 0;
    }
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
    if (bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (bytes > 1 << 20)
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    *address = (CUdeviceptr)memory;
    if (!memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    state.allocations++;
    return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr address) {
    free((void *)address);
    state.allocations--;
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *available, size_t *total) {
    *available = 1 << 19;
    *total = 1 << 20;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
    memcpy((void *)to, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
    memcpy(to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    (void)to, (void)from, (void)bytes, (void)stream;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    (void)stream;
    memcpy(to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    (void)stream;
    memcpy((void *)to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes, CUstream stream) {
    (void)to_context, (void)from_context, (void)stream;
    if (fails())
        return CUDA_ERROR_LAUNCH_FAILED;
    memcpy((void *)to, (const void *)from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
    (void)to, (void)value, (void)stream;
    state.last_memset_bytes = bytes;
    return CUDA_SUCCESS;
}

/* Parameters of the kernels that the tests examine: each has at least 4 bytes; if the tests read 8, the
 * library stores it in an 8-byte variable. */
static unsigned argument_count(const char *kernel) {
    if (strcmp(kernel, "wl_copy_scalar") == 0)
        return 4;
    if (strcmp(kernel, "wl_copy_any") == 0)
        return 6;
    if (strncmp(kernel, "wl_copy_rows_", 13) == 0 || strncmp(kernel, "wl_copy_tiles", 13) == 0 ||
        strncmp(kernel, "wl_copy_strided", 15) == 0)
        return 1;
    return 0;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **arguments, void **extra) {
    (void)extra;
    if (state.fail_next)
        return fail();
    if (shared > shared_most() || grid_x == 0 || grid_y == 0 || grid_x > 2147483647u || grid_y > 65535)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = step(FAKE_LAUNCH, stream, NULL);
    if (result)
        return result;
    if (state.launch_count < sizeof(state.launches) / sizeof(state.launches[0])) {
        struct fake_launch *launch = &state.launches[state.launch_count];
        *launch = (struct fake_launch){
            .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}, .stream = stream};
        snprintf(launch->kernel, sizeof(launch->kernel), "%s", (const char *)function);
        for (unsigned i = 0; i < argument_count(launch->kernel); i++)
            memcpy(&launch->arguments[i], arguments[i], 8);
    }
    state.launch_count++;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
    memset(uuid, device + 1, sizeof(*uuid));
    return CUDA_SUCCESS;
}

/* 2048 threads fit at a time. */
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared) {
    (void)function, (void)shared;
    *blocks = 2048 / threads;
    return state.fail_next ? fail() : CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
    (void)flags;
    if (fails())
        return CUDA_ERROR_OUT_OF_MEMORY;
    *stream = (CUstream)malloc(1);
    state.streams += *stream != NULL;
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
    (void)priority;
    return cuStreamCreate(stream, flags);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *most) {
    *least = 0;
    *most = -5;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
    free(stream);
    state.streams--;
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
    (void)stream;
    CUresult result = (CUresult)state.fail_wait;
    state.fail_wait = 0;
    return result;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
    (void)stream;
    *status = (CUstreamCaptureStatus)state.capture_status;
    return (CUresult)state.capture_error;
}

#if CUDA_VERSION >= 12050
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type) {
    (void)device;
    if (!state.processors || fails() || type != CU_DEV_RESOURCE_TYPE_SM)
        return CUDA_ERROR_NOT_SUPPORTED;
    *resource = (CUdevResource){.type = type, .sm.smCount = state.processors};
    return CUDA_SUCCESS;
}

CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned *groups, const CUdevResource *input,
                                     CUdevResource *rest, unsigned flags, unsigned least) {
    if (*groups != 1 || flags || fails())
        return CUDA_ERROR_INVALID_VALUE;
    *result = *rest = *input;
    result->sm.smCount = least;
    rest->sm.smCount = input->sm.smCount - least;
    return CUDA_SUCCESS;
}

/* Descriptions and parts are numbers of multiprocessors. */
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources, unsigned count) {
    if (count != 1 || fails())
        return CUDA_ERROR_INVALID_VALUE;
    *description = (CUdevResourceDesc)(uintptr_t)resources->sm.smCount;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxCreate(CUgreenCtx *part, CUdevResourceDesc description, CUdevice device, unsigned flags) {
    (void)device;
    if (flags != CU_GREEN_CTX_DEFAULT_STREAM || fails())
        return CUDA_ERROR_INVALID_VALUE;
    *part = (CUgreenCtx)description;
    state.parts++;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxDestroy(CUgreenCtx part) {
    (void)part;
    state.parts--;
    return CUDA_SUCCESS;
}

CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx part, unsigned flags, int priority) {
    CUresult result = flags == CU_STREAM_NON_BLOCKING && !priority ? cuStreamCreate(stream, flags)
                                                                   : CUDA_ERROR_INVALID_VALUE;
    if (!result)
        state.part_processors[state.part_streams++ % 2] = (unsigned)(uintptr_t)part;
    return result;
}
#endif

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return flags ? CUDA_ERROR_INVALID_VALUE : step(FAKE_WAIT, stream, event);
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    (void)stream, (void)mode;
    return state.fail_next ? fail() : CUDA_SUCCESS;
}

/* Captured launches count only when they are replayed. */
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
    (void)stream;
    *graph = (CUgraph)malloc(sizeof(unsigned));
    if (!*graph)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(*graph, &state.launch_count, sizeof(unsigned));
    state.launch_count = 0;
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
    (void)flags;
    *executable = (CUgraphExec)malloc(sizeof(unsigned));
    if (!*executable)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(*executable, graph, sizeof(unsigned));
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    unsigned launches;
    (void)stream;
    memcpy(&launches, executable, sizeof(launches));
    state.launch_count += launches;
    return state.fail_next ? fail() : CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
    free(executable);
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
    free(graph);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
    (void)flags;
    if (fails())
        return CUDA_ERROR_OUT_OF_MEMORY;
    *event = (CUevent)malloc(1);
    state.events += *event != NULL;
    return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy(CUevent event) {
    free(event);
    state.events--;
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
    return step(FAKE_RECORD, stream, event);
}

CUresult cuEventQuery(CUevent event) {
    (void)event;
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
    (void)event;
    return fail();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
    *milliseconds = from == to ? 0.0f : 1.5f;
    return CUDA_SUCCESS;
}

int wlSimGetCounters(struct wl_counters *out);
int wlSimGetCounters(struct wl_counters *out) {
    out->launches = state.launch_count;
    return state.depth > 0 ? 0 : CUDA_ERROR_INVALID_CONTEXT;
}

int wlSimResetCounters(void);
int wlSimResetCounters(void) {
    state.launch_count = 0;
    return 0;
}

int wlSimSetArch(const char *arch);
int wlSimSetArch(const char *arch) {
    return strcmp(arch, "fermi") == 0 ? 0 : CUDA_ERROR_INVALID_VALUE;
}

const char *wlSimArch(void);
const char *wlSimArch(void) {
    return "sm_90";
}

const char *wlSimArchAt(unsigned i, int *proved);
const char *wlSimArchAt(unsigned i, int *proved) {
    if (proved)
        *proved = i == 0;
    return i == 0 ? "sm_90" : NULL;
}

int wlSimStrictBounds(void);
int wlSimStrictBounds(void) {
    return 0;
}

const char *wlSimLastError(void);
const char *wlSimLastError(void) {
    return "wl_copy_scalar: copy.cu:1: a fault told by the simulator";
}
