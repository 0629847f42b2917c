/* The host's cost of a call of the library, compared with a bare cuLaunchKernel of an empty kernel in the
 * same run.  Each call handles 1,024 4-byte elements; calls follow each other on a stream, in batches that
 * fit its queue, so that no call waits for the device.  A sample is one batch of each case, with a different
 * first case each time; results are medians.
 *
 * usage: calls_speed [--device gpu|sim] [--samples N] [--json FILE]
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dlfcn.h>

#include <cuda.h>
#include <jansson.h>

#include "wideload.h"

enum { ELEMENTS = 1024, BYTES = 4 * ELEMENTS, ARRAYS = 32, BATCH = 200, PARAMETERS = 8 };

/* ---------------------------------------------------------------- the driver */

#define STRING_(text) #text
#define STRING(text)  STRING_(text)

#define CALL_MAP(X)                                                                                          \
    X(cuDeviceGet)                                                                                           \
    X(cuDevicePrimaryCtxRetain)                                                                              \
    X(cuCtxSetCurrent)                                                                                       \
    X(cuModuleLoadData)                                                                                      \
    X(cuModuleGetFunction)                                                                                   \
    X(cuLaunchKernel)                                                                                        \
    X(cuStreamCreate)                                                                                        \
    X(cuStreamSynchronize)

static struct {
#define CALL_FIELD(name) __typeof__(name) *name;
    CALL_MAP(CALL_FIELD)
#undef CALL_FIELD
} cuda;

static __attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...) {
    va_list words;
    va_start(words, format);
    fputs("calls_speed: ", stderr);
    vfprintf(stderr, format, words);
    fputc('\n', stderr);
    va_end(words);
    exit(1);
}

static void cuda_need(CUresult result, const char *what) {
    if (result)
        fail("%s: CUDA error %d", what, (int)result);
}

static void need(wl_error error, const char *what) {
    if (error)
        fail("%s: %s", what, wl_message());
}

static void open_driver(bool simulator) {
    const char *path = getenv("WIDELOAD_SIM_LIBRARY");
    if (!path || !*path)
        path = "libwideload-sim.so";
    void *library = dlopen(simulator ? path : "libcuda.so.1", RTLD_NOW);
    if (!library)
        fail("%s", dlerror());
#define CALL_FIND(name)                                                                                      \
    if (!(*(void **)&cuda.name = dlsym(library, STRING(name))))                                              \
        fail("the driver lacks %s", STRING(name));
    CALL_MAP(CALL_FIND)
#undef CALL_FIND
}

/* ---------------------------------------------------------------- the calls */

static wl_context *context;
static CUstream stream;
static CUfunction empty;
static wl_devptr a, b, c, packed;
static wl_devptr apart[ARRAYS], together[ARRAYS]; /* separate allocations; parts of one */

/* As many parameters as the kernels of wl_copy and wl_add have. */
static wl_error bare(void) {
    static uint64_t values[PARAMETERS];
    void *parameters[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++)
        parameters[i] = &values[i];
    CUresult result = cuda.cuLaunchKernel(empty, 8, 1, 1, 128, 1, 1, 0, stream, parameters, NULL);
    return result ? WL_ERROR_DRIVER : WL_ERROR_OK;
}

static wl_error copy(void) {
    return wl_copy(context, a, b, BYTES, stream);
}
static wl_error copy_2d(void) {
    return wl_copy_2d(context, a, 128, b, 256, 64, 16, stream);
}
static wl_error add(void) {
    return wl_add(context, WL_TYPE_F32, a, b, c, ELEMENTS, stream);
}
static wl_error transpose(void) {
    return wl_transpose(context, 4, a, b, 32, 32, stream);
}
static wl_error transpose_batched(void) {
    const wl_transpose_layout layout = {.rows = 64, .cols = 4, .batch = 4};
    return wl_transpose_batched(context, 4, a, b, &layout, stream);
}
static wl_error transpose_inplace(void) {
    return wl_transpose_inplace(context, 4, a, 32, 32, 0, 0, stream);
}
static wl_error permute(void) {
    const uint64_t sizes[] = {4, 8, 4, 8};
    const unsigned order[] = {3, 0, 2, 1};
    return wl_permute(context, 4, a, b, 4, sizes, order, stream);
}
static wl_error deinterleave_3(void) {
    return wl_deinterleave(context, 4, 3, apart, packed, ELEMENTS / 3, stream);
}
static wl_error deinterleave_32(void) {
    return wl_deinterleave(context, 4, ARRAYS, together, packed, ELEMENTS / ARRAYS, stream);
}
static wl_error deinterleave_32_apart(void) {
    return wl_deinterleave(context, 4, ARRAYS, apart, packed, ELEMENTS / ARRAYS, stream);
}
static wl_error interleave_32(void) {
    return wl_interleave(context, 4, ARRAYS, packed, together, ELEMENTS / ARRAYS, stream);
}
static wl_error deinterleave_fields(void) {
    static const wl_field fields[] = {{0, 12}, {12, 4}};
    return wl_deinterleave_fields(context, fields, 2, 16, apart, packed, ELEMENTS / 4, stream);
}

static const struct call {
    const char *call, *of; /* "wl_add", "f32" */
    unsigned arrays;
    wl_error (*run)(void);
} calls[] = {
    {"cuLaunchKernel", "empty, 8 parameters", 0, bare},
    {"wl_copy", "4096 bytes", 2, copy},
    {"wl_copy_2d", "16 rows of 64 bytes", 2, copy_2d},
    {"wl_add", "1024 f32", 3, add},
    {"wl_transpose", "32x32, width 4", 2, transpose},
    {"wl_transpose_batched", "4x64x4, width 4", 2, transpose_batched},
    {"wl_transpose_inplace", "32x32, width 4", 1, transpose_inplace},
    {"wl_permute", "4x8x4x8@3021, width 4, planned before", 2, permute},
    {"wl_deinterleave", "3 fields, 3 allocations", 4, deinterleave_3},
    {"wl_deinterleave", "32 fields of one allocation", 33, deinterleave_32},
    {"wl_deinterleave", "32 fields, 32 allocations", 33, deinterleave_32_apart},
    {"wl_interleave", "32 fields of one allocation", 33, interleave_32},
    {"wl_deinterleave_fields", "{12, 4} bytes, 2 allocations", 3, deinterleave_fields},
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

static void prepare(const char *device) {
    static const char ptx[] = ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry empty("
                              ".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u64 e, "
                              ".param .u64 f, .param .u64 g, .param .u64 h) { ret; }\n";
    need(wl_open(&context, device), "wl_open");
    CUdevice number;
    CUcontext primary;
    CUmodule module;
    cuda_need(cuda.cuDeviceGet(&number, 0), "cuDeviceGet");
    cuda_need(cuda.cuDevicePrimaryCtxRetain(&primary, number), "cuDevicePrimaryCtxRetain");
    cuda_need(cuda.cuCtxSetCurrent(primary), "cuCtxSetCurrent");
    cuda_need(cuda.cuModuleLoadData(&module, ptx), "cuModuleLoadData");
    cuda_need(cuda.cuModuleGetFunction(&empty, module, "empty"), "cuModuleGetFunction");
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    wl_devptr *single[] = {&a, &b, &c, &packed, &together[0]};
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
        need(wl_alloc(context, single[i], i == 4 ? ARRAYS * BYTES : BYTES), "wl_alloc");
    for (unsigned i = 0; i < ARRAYS; i++) {
        need(wl_alloc(context, &apart[i], BYTES), "wl_alloc");
        together[i] = together[0] + i * BYTES;
    }
}

/* ---------------------------------------------------------------- the measurement */

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* The time per call in a batch that begins with an empty queue. */
static double sample(const struct call *call, unsigned batch) {
    double begin = nanoseconds();
    wl_error error = WL_ERROR_OK;
    for (unsigned i = 0; i < batch && !error; i++)
        error = call->run();
    double end = nanoseconds();
    need(error, call->call);
    cuda_need(cuda.cuStreamSynchronize(stream), call->call);
    return (end - begin) / batch;
}

static int by_value(const void *x, const void *y) {
    double first = *(const double *)x, second = *(const double *)y;
    return (first > second) - (first < second);
}

/* times[call]: the medians. */
static void measure(double *times, unsigned samples, unsigned batch) {
    double *all = malloc((size_t)CALLS * samples * sizeof(*all));
    if (!all)
        fail("no memory");
    for (unsigned i = 0; i < CALLS; i++)
        sample(&calls[i], 2);
    for (unsigned s = 0; s < samples; s++)
        for (unsigned k = 0; k < CALLS; k++) {
            unsigned i = (k + s) % CALLS;
            all[i * samples + s] = sample(&calls[i], batch);
        }
    for (unsigned i = 0; i < CALLS; i++) {
        qsort(all + i * samples, samples, sizeof(*all), by_value);
        times[i] = all[i * samples + samples / 2];
    }
    free(all);
}

/* ---------------------------------------------------------------- the results */

static json_t *document(const wl_device_info *device, const double *times, unsigned samples) {
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    json_t *rows = json_array();
    for (unsigned i = 1; i < CALLS; i++)
        json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f, s:f, s:i}", "call", calls[i].call, "of",
                                              calls[i].of, "arrays", (int)calls[i].arrays, "ns", times[i],
                                              "bare_ns", times[0], "n", (int)samples));
    return json_pack("{s:s, s:s, s:s, s:{s:s, s:s, s:s, s:i}, s:o}", "schema", "wideload-calls/1", "version",
                     wl_version(), "date", date, "device", "name", device->name, "kind", device->kind, "arch",
                     device->arch, "driver_version", device->driver_version, "rows", rows);
}

int main(int count, char **words) {
    const char *device = "gpu", *path = NULL;
    unsigned samples = 300;
    for (int i = 1; i < count; i += 2) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (value && strcmp(words[i], "--device") == 0)
            device = value;
        else if (value && strcmp(words[i], "--json") == 0)
            path = value;
        else if (value && strcmp(words[i], "--samples") == 0 && atoi(value) > 0)
            samples = (unsigned)atoi(value);
        else
            fail("usage: calls_speed [--device gpu|sim] [--samples N] [--json FILE]");
    }
    const bool simulator = strcmp(device, "sim") == 0;
    open_driver(simulator);
    prepare(device);
    wl_device_info info;
    need(wl_get_device_info(context, &info), "wl_get_device_info");
    double times[CALLS];
    measure(times, samples, simulator ? 1 : BATCH);
    for (unsigned i = 0; i < CALLS; i++)
        printf("%-24s %-40s %8.0f ns  %.3f\n", calls[i].call, calls[i].of, times[i], times[i] / times[0]);
    json_t *result = path ? document(&info, times, samples) : NULL;
    if (path && (!result || json_dump_file(result, path, JSON_INDENT(1) | JSON_REAL_PRECISION(9))))
        fail("%s cannot be written", path);
    json_decref(result);
    wl_close(context);
    return 0;
}
