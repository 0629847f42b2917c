/* Every kind of memory that an application may pass to an operation, and the kind that it may not: pageable
 * host memory.  On the simulator, or the device that WIDELOAD_DEVICE names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cuda_calls.h"
#include "wideload.h"

enum { BYTES = 4096 };

static struct cuda_calls cuda;
static wl_context *context;
static CUcontext primary;
static CUdevice device;
static wl_devptr memory; /* device memory of BYTES bytes */

static void need(wl_error error) {
    if (error)
        fail_msg("%s: %s", wl_error_name(error), wl_message());
}

static int open_device(void **state) {
    (void)state;
    cuda = cuda_open();
    cuda_need(cuda.cuDeviceGet(&device, 0));
    cuda_need(cuda.cuDevicePrimaryCtxRetain(&primary, device));
    cuda_need(cuda.cuCtxSetCurrent(primary));
    need(wl_open(&context, cuda_device_name()));
    need(wl_alloc(context, &memory, BYTES));
    return 0;
}

static int close_device(void **state) {
    (void)state;
    need(wl_free(context, memory));
    wl_close(context);
    cuda_need(cuda.cuCtxSetCurrent(NULL));
    cuda_need(cuda.cuDevicePrimaryCtxRelease(device));
    return 0;
}

/* Copies there and back on a non-blocking stream, from the address's second byte on. */
static void serves(wl_devptr address, wl_stream stream) {
    unsigned char sent[BYTES], got[BYTES];
    for (int i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i * 13 + i / 256);
    need(wl_upload(context, memory, sent, BYTES));
    need(wl_synchronize(context));
    need(wl_copy(context, address + 1, memory + 1, BYTES - 1, stream));
    need(wl_fill(context, memory, 0, BYTES, stream));
    need(wl_copy(context, memory + 1, address + 1, BYTES - 1, stream));
    need(wl_synchronize(context));
    need(wl_download(context, got, memory, BYTES));
    assert_memory_equal(got + 1, sent + 1, BYTES - 1);
}

static void device_memory(void **state) {
    (void)state;
    CUdeviceptr address;
    cuda_need(cuda.cuMemAlloc(&address, BYTES));
    serves(address, NULL);
    cuda_need(cuda.cuMemFree(address));
}

static void managed_memory(void **state) {
    (void)state;
    CUdeviceptr address;
    cuda_need(cuda.cuMemAllocManaged(&address, BYTES, CU_MEM_ATTACH_GLOBAL));
    serves(address, NULL);
    cuda_need(cuda.cuMemFree(address));
}

static void pinned_memory(void **state) {
    (void)state;
    void *host;
    cuda_need(cuda.cuMemAllocHost(&host, BYTES));
    serves((wl_devptr)(uintptr_t)host, NULL);
    cuda_need(cuda.cuMemFreeHost(host));
}

/* Refused before it is registered, and after it is unregistered. */
static void registered_memory(void **state) {
    (void)state;
    void *host = aligned_alloc(BYTES, BYTES);
    assert_non_null(host);
    wl_devptr address = (wl_devptr)(uintptr_t)host;
    assert_int_equal(wl_copy(context, address, memory, BYTES, NULL), WL_ERROR_INVALID_ARGUMENT);
    cuda_need(cuda.cuMemHostRegister(host, BYTES, 0));
    CUdeviceptr seen;
    cuda_need(cuda.cuMemHostGetDevicePointer(&seen, host, 0));
    serves(seen, NULL);
    cuda_need(cuda.cuMemHostUnregister(host));
    assert_int_equal(wl_copy(context, address, memory, BYTES, NULL), WL_ERROR_INVALID_ARGUMENT);
    free(host);
}

static void stream_ordered_memory(void **state) {
    (void)state;
    CUstream stream;
    CUdeviceptr address;
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cuda_need(cuda.cuMemAllocAsync(&address, BYTES, stream));
    serves(address, stream);
    cuda_need(cuda.cuMemFreeAsync(address, stream));
    cuda_need(cuda.cuStreamSynchronize(stream));
    cuda_need(cuda.cuStreamDestroy(stream));
}

/* Memory that a graph allocates has an address when the allocation is recorded, long before it exists. */
static void memory_of_a_graph(void **state) {
    (void)state;
    CUstream stream;
    CUdeviceptr address;
    CUgraph graph;
    CUgraphExec executable;
    unsigned char sent[BYTES], got[BYTES], pageable[16];
    wl_devptr target;
    need(wl_alloc(context, &target, BYTES));
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    cuda_need(cuda.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    cuda_need(cuda.cuMemAllocAsync(&address, BYTES, stream));
    need(wl_copy(context, address, memory, BYTES, stream));
    need(wl_copy(context, target, address, BYTES, stream));
    assert_int_equal(wl_copy(context, target, (wl_devptr)(uintptr_t)pageable, sizeof(pageable), stream),
                     WL_ERROR_INVALID_ARGUMENT);
    cuda_need(cuda.cuMemFreeAsync(address, stream));
    cuda_need(cuda.cuStreamEndCapture(stream, &graph));
    cuda_need(cuda.cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < BYTES; i++)
            sent[i] = (unsigned char)(i * 17 + i / 256 + run);
        need(wl_upload(context, memory, sent, BYTES));
        need(wl_synchronize(context));
        cuda_need(cuda.cuGraphLaunch(executable, stream));
        cuda_need(cuda.cuStreamSynchronize(stream));
        need(wl_download(context, got, target, BYTES));
        assert_memory_equal(got, sent, BYTES);
    }
    cuda_need(cuda.cuGraphExecDestroy(executable));
    cuda_need(cuda.cuGraphDestroy(graph));
    cuda_need(cuda.cuStreamDestroy(stream));
    need(wl_free(context, target));
}

/* A 2 MiB page with device memory holds no other memory, so the library asks the driver once for all arrays
 * of a call in one page. */
static void fills_its_pages(CUdeviceptr address, size_t bytes) {
    const uint64_t page = (uint64_t)2 << 20, ends[] = {address, address + bytes - 1};
    const size_t step = (size_t)sysconf(_SC_PAGESIZE);
    for (int end = 0; end < 2; end++)
        for (uint64_t at = ends[end] / page * page; at < (ends[end] / page + 1) * page; at += step) {
            void *got = mmap((void *)(uintptr_t)at, step, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (got != MAP_FAILED)
                munmap(got, step);
            /* A system without support for the flag maps it elsewhere. */
            if (got == (void *)(uintptr_t)at)
                fail_msg("the host may have memory at 0x%llx, beside %zu bytes of the device's at 0x%llx",
                         (unsigned long long)at, bytes, (unsigned long long)address);
        }
}

static void pages_of_device_memory(void **state) {
    (void)state;
    static const size_t sizes[] = {1, BYTES, (1 << 20) - 1, (2 << 20) + 1, 5 << 20, 64 << 20};
    CUdeviceptr address[2 * sizeof(sizes) / sizeof(sizes[0])];
    CUstream stream;
    cuda_need(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const size_t count = sizeof(sizes) / sizeof(sizes[0]);
    for (size_t i = 0; i < count; i++) {
        cuda_need(cuda.cuMemAlloc(&address[i], sizes[i]));
        cuda_need(cuda.cuMemAllocAsync(&address[count + i], sizes[i], stream));
    }
    cuda_need(cuda.cuStreamSynchronize(stream));
    for (size_t i = 0; i < 2 * count; i++)
        fills_its_pages(address[i], sizes[i % count]);
    for (size_t i = 0; i < count; i++) {
        cuda_need(cuda.cuMemFree(address[i]));
        cuda_need(cuda.cuMemFreeAsync(address[count + i], stream));
    }
    cuda_need(cuda.cuStreamSynchronize(stream));
    cuda_need(cuda.cuStreamDestroy(stream));
}

/* The argument is named, and nothing is launched. */
static void pageable_memory(void **state) {
    (void)state;
    static unsigned char statics[64];
    unsigned char automatic[64], expected[64], *heap = calloc(64, 1);
    assert_non_null(heap);
    unsigned char *all[] = {statics, automatic, heap};
    memset(automatic, 0, sizeof(automatic));
    memset(expected, 0, sizeof(expected));
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        wl_devptr address = (wl_devptr)(uintptr_t)all[i];
        assert_int_equal(wl_copy(context, address, memory, 64, NULL), WL_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(wl_message(), "wl_copy: to is"));
        assert_non_null(strstr(wl_message(), "pageable host memory"));
        assert_int_equal(wl_copy(context, memory, address, 64, NULL), WL_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(wl_message(), "wl_copy: from is"));
        need(wl_copy(context, address, memory, 0, NULL));
        need(wl_synchronize(context));
        assert_memory_equal(all[i], expected, 64);
    }
    free(heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_memory),     cmocka_unit_test(managed_memory),
        cmocka_unit_test(pinned_memory),     cmocka_unit_test(registered_memory),
        cmocka_unit_test(pageable_memory),   cmocka_unit_test(stream_ordered_memory),
        cmocka_unit_test(memory_of_a_graph), cmocka_unit_test(pages_of_device_memory),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
