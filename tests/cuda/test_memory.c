/* Allocating, freeing, host memory, pools, and properties of addresses. */
#include "tests/cuda/api.h"

static size_t free_bytes(void) {
    size_t bytes, total;
    assert_ok(api.cuMemGetInfo(&bytes, &total));
    assert_true(bytes <= total);
    return bytes;
}

static void device_memory(void **state) {
    (void)state;
    size_t before = free_bytes();
    CUdeviceptr a, b, base;
    size_t size;
    assert_ok(api.cuMemAlloc(&a, 1000));
    assert_ok(api.cuMemAlloc(&b, 1 << 20));
    assert_int_equal(a % 256, 0);
    assert_true(free_bytes() <= before - (1 << 20) - 1000);
    assert_ok(api.cuMemGetAddressRange(&base, &size, a + 999));
    assert_true(base == a && size == 1000);
    assert_ok(api.cuMemGetAddressRange(NULL, NULL, a));
    assert_int_equal(api.cuMemGetAddressRange(&base, &size, a + 1000), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(api.cuMemAlloc(&a, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAlloc(NULL, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAlloc(&base, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(api.cuMemAlloc(&base, before + 1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(api.cuMemFree(a + 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemFree(0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
    assert_int_equal(api.cuMemFree(a), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(b));
    assert_int_equal(free_bytes(), before);
}

static void pitched(void **state) {
    (void)state;
    CUdeviceptr a;
    size_t pitch;
    assert_ok(api.cuMemAllocPitch(&a, &pitch, 1000, 7, 4));
    assert_true(pitch >= 1000 && pitch % 512 == 0);
    assert_ok(api.cuMemsetD2D8(a, pitch, 1, pitch, 7));
    assert_int_equal(api.cuMemsetD2D8(a, pitch, 1, pitch, 8), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
    assert_int_equal(api.cuMemAllocPitch(&a, &pitch, 1000, 7, 3), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAllocPitch(&a, &pitch, 0, 7, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAllocPitch(&a, &pitch, 4, 0, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAllocPitch(&a, &pitch, 1000, SIZE_MAX / 2, 4), CUDA_ERROR_OUT_OF_MEMORY);
}

static void host_memory(void **state) {
    (void)state;
    void *host;
    CUdeviceptr device;
    unsigned flags;
    size_t before = free_bytes();
    assert_ok(api.cuMemHostAlloc(&host, 5000, CU_MEMHOSTALLOC_PORTABLE));
    memset(host, 7, 5000);
    assert_ok(api.cuMemHostGetDevicePointer(&device, host, 0));
    assert_true(device == (CUdeviceptr)(uintptr_t)host);
    assert_ok(api.cuMemHostGetFlags(&flags, (char *)host + 10));
    assert_true(flags & CU_MEMHOSTALLOC_PORTABLE);
    assert_int_equal(free_bytes(), before);
    assert_int_equal(api.cuMemFree(device), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFreeHost(host));
    assert_int_equal(api.cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemFreeHost(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemHostAlloc(&host, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemHostAlloc(&host, 1, 0x40), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemAllocHost(&host, 1));
    assert_ok(api.cuMemFreeHost(host));

    char *own = malloc(4096);
    assert_non_null(own);
    assert_int_equal(api.cuMemHostGetDevicePointer(&device, own, 0), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemHostRegister(own, 4096, 0));
    assert_int_equal(api.cuMemHostRegister(own, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_int_equal(api.cuMemHostRegister(own + 4000, 1, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    assert_ok(api.cuMemHostGetDevicePointer(&device, own + 100, 0));
    assert_ok(api.cuMemsetD8(device, 9, 10));
    assert_int_equal(own[109], 9);
    assert_int_equal(api.cuMemFreeHost(own), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemHostUnregister(own));
    assert_int_equal(api.cuMemHostUnregister(own), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    assert_int_equal(api.cuMemHostRegister(NULL, 10, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemHostRegister(own, 0, 0), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemHostRegister(own, 10, 0x100), CUDA_ERROR_INVALID_VALUE);
    free(own);
}

static void managed_memory(void **state) {
    (void)state;
    CUdeviceptr managed;
    assert_ok(api.cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
    ((int *)(uintptr_t)managed)[1023] = 5;
    unsigned value = 0;
    assert_ok(api.cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    assert_int_equal(value, 1);
    assert_ok(api.cuMemFree(managed));
    assert_int_equal(api.cuMemAllocManaged(&managed, 4096, 8), CUDA_ERROR_INVALID_VALUE);
}

static void pools(void **state) {
    (void)state;
    CUmemoryPool standard, pool, seen;
    assert_ok(api.cuDeviceGetDefaultMemPool(&standard, 0));
    assert_ok(api.cuDeviceGetMemPool(&seen, 0));
    assert_ptr_equal(seen, standard);
    CUdeviceptr a, b;
    cuuint64_t used = 1;
    assert_ok(api.cuMemAllocAsync(&a, 1000, NULL));
    assert_ok(api.cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 1000);
    assert_ok(api.cuMemFreeAsync(a, CU_STREAM_PER_THREAD));
    assert_ok(api.cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 0);
    assert_ok(api.cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used));
    assert_int_equal(used, 1000);
    used = 0;
    assert_ok(api.cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used));
    cuuint64_t threshold = UINT64_MAX;
    assert_ok(api.cuMemPoolSetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    threshold = 0;
    assert_ok(api.cuMemPoolGetAttribute(standard, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    assert_true(threshold == UINT64_MAX);
    assert_int_equal(api.cuMemPoolDestroy(standard), CUDA_ERROR_INVALID_VALUE);
    CUmemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    assert_ok(api.cuMemPoolCreate(&pool, &properties));
    assert_ok(api.cuMemAllocFromPoolAsync(&a, 64, pool, NULL));
    assert_ok(api.cuDeviceSetMemPool(0, pool));
    assert_ok(api.cuMemAllocAsync(&b, 36, NULL));
    assert_ok(api.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    assert_int_equal(used, 100);
    assert_ok(api.cuPointerGetAttribute(&seen, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, b));
    assert_ptr_equal(seen, pool);
    assert_ok(api.cuMemPoolDestroy(pool));
    assert_int_equal(api.cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFreeAsync(b, NULL));
    assert_ok(api.cuDeviceGetMemPool(&seen, 0));
    assert_ptr_equal(seen, standard);
    assert_int_equal(api.cuMemAllocAsync(&a, 0, NULL), CUDA_ERROR_INVALID_VALUE);
#if CUDA_VERSION >= 12020
    /* A pool with a maximum size provides all of it and no byte more. */
    properties.maxSize = 4096;
    assert_ok(api.cuMemPoolCreate(&pool, &properties));
    assert_int_equal(api.cuMemAllocFromPoolAsync(&a, 4097, pool, NULL), CUDA_ERROR_OUT_OF_MEMORY);
    assert_ok(api.cuMemAllocFromPoolAsync(&a, 4096, pool, NULL));
    assert_int_equal(api.cuMemAllocFromPoolAsync(&b, 1, pool, NULL), CUDA_ERROR_OUT_OF_MEMORY);
    assert_ok(api.cuMemFreeAsync(a, NULL));
    assert_ok(api.cuMemAllocFromPoolAsync(&a, 1, pool, NULL));
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemPoolDestroy(pool));
#endif
    assert_int_equal(api.cuMemAllocAsync(&a, 8, (CUstream)&pool), CUDA_ERROR_INVALID_HANDLE);
}

static void pointer_attributes(void **state) {
    (void)state;
    CUdeviceptr device;
    void *host;
    assert_ok(api.cuMemAlloc(&device, 100));
    assert_ok(api.cuMemAllocHost(&host, 100));
    unsigned type = 0;
    assert_ok(api.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 50));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_ok(
        api.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host));
    assert_int_equal(type, CU_MEMORYTYPE_HOST);
    CUcontext context = NULL;
    assert_ok(api.cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, device));
    assert_ptr_equal(context, api_context);
    CUdeviceptr start = 0;
    assert_ok(api.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 50));
    assert_true(start == device);
    assert_int_equal(api.cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, device),
                     CUDA_ERROR_INVALID_VALUE);
    int own;
    assert_int_equal(
        api.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&own),
        CUDA_ERROR_INVALID_VALUE);
    CUpointer_attribute list[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    size_t size = 1;
    int ordinal = 1;
    void *data[] = {&type, &size, &ordinal};
    assert_ok(api.cuPointerGetAttributes(3, list, data, device));
    assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
    assert_int_equal(size, 100);
    assert_int_equal(ordinal, 0);
    assert_ok(api.cuPointerGetAttributes(3, list, data, (CUdeviceptr)(uintptr_t)&own));
    assert_int_equal(type, 0);
    assert_int_equal(size, 0);
    assert_ok(api.cuMemFree(device));
    assert_ok(api.cuMemFreeHost(host));
}

static int range_attribute(CUmem_range_attribute attribute, CUdeviceptr address, size_t count) {
    int value = 99;
    assert_ok(api.cuMemRangeGetAttribute(&value, sizeof value, attribute, address, count));
    return value;
}

/* Advice moves nothing, but is recorded for each page. */
static void advice(void **state) {
    (void)state;
    CUdeviceptr memory, plain;
    CUmemLocation device = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, host = {.type = CU_MEM_LOCATION_TYPE_HOST};
    CUmemLocation none = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1};
    assert_ok(api.cuMemAllocManaged(&memory, 8192, CU_MEM_ATTACH_GLOBAL));
    assert_ok(api.cuMemAlloc(&plain, 64));
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 8192), 0);
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 1),
                     CU_DEVICE_INVALID);
    assert_ok(api.cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, device));
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4096), 1);
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4097), 0);
    assert_ok(
        api.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_UNSET_READ_MOSTLY, none)); /* which names no place */
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4096), 0);
    assert_ok(api.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device));
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 8192), 0);
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, memory, 8192),
                     CU_MEM_LOCATION_TYPE_DEVICE);
    assert_ok(api.cuMemAdvise(memory + 4096, 1, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 8192),
                     CU_DEVICE_INVALID);
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory + 8191, 1),
                     CU_DEVICE_CPU);
    assert_ok(api.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, host));
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 1),
                     CU_DEVICE_INVALID);
    assert_ok(api.cuMemPrefetchAsync(memory, 8192, host, 0, NULL));
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, memory, 8192),
                     CU_DEVICE_CPU);
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, memory, 8192),
                     CU_MEM_LOCATION_TYPE_HOST);
    assert_ok(api.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_SET_ACCESSED_BY, device));
    assert_ok(api.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_SET_ACCESSED_BY, host));
    int by[3] = {9, 9, 9}, mostly = 9;
    void *data[] = {by, &mostly};
    size_t sizes[] = {sizeof by, sizeof mostly};
    CUmem_range_attribute both[] = {CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
    assert_ok(api.cuMemRangeGetAttributes(data, sizes, both, 2, memory, 8192));
    assert_memory_equal(by, ((int[]){0, CU_DEVICE_CPU, CU_DEVICE_INVALID}), sizeof by);
    assert_int_equal(mostly, 0);
    /* As many as fit. */
    by[1] = by[2] = 9;
    assert_ok(api.cuMemRangeGetAttribute(by, 4, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, 8192));
    assert_memory_equal(by, ((int[]){0, 9, 9}), sizeof by);
    assert_ok(api.cuMemRangeGetAttribute(by, 8, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, 8192));
    assert_memory_equal(by, ((int[]){0, CU_DEVICE_CPU, 9}), sizeof by);
    assert_ok(api.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_UNSET_ACCESSED_BY, device));
    assert_int_equal(range_attribute(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, 8192), CU_DEVICE_CPU);
    assert_ok(api.cuMemAdvise(memory, 8192, CU_MEM_ADVISE_UNSET_ACCESSED_BY, host));
    by[0] = 9;
    assert_ok(api.cuMemRangeGetAttribute(by, 4, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, memory, 8192));
    assert_int_equal(by[0], CU_DEVICE_INVALID);
    /* Refused. */
    assert_int_equal(api.cuMemAdvise(memory, 8193, CU_MEM_ADVISE_SET_READ_MOSTLY, device),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAdvise(plain, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, device),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAdvise(memory, 1, 7, device), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAdvise(memory, 1, 0, device), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAdvise(memory, 1, CU_MEM_ADVISE_SET_ACCESSED_BY, none),
                     CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuMemPrefetchAsync(memory, 1, none, 0, NULL), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(api.cuMemPrefetchAsync(memory, 1, device, 1, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemRangeGetAttribute(&mostly, 8, both[1], memory, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemRangeGetAttribute(&mostly, 4, 99, memory, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemRangeGetAttribute(&mostly, 4, both[1], plain, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemRangeGetAttributes(data, sizes, both, 0, memory, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(plain));
    assert_ok(api.cuMemFree(memory));
}

/* All texels must be in memory, to the last one's last byte. */
static void texture_extents(void **state) {
    (void)state;
    enum { PITCH = 128, WIDTH = 17 };
    static const CUDA_TEXTURE_DESC description = {.flags = CU_TRSF_READ_AS_INTEGER};
    for (size_t height = 1; height <= 3; height++)
        for (int short_of = 0; short_of <= 4; short_of += short_of ? 3 : 1) {
            CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
            resource.res.pitch2D.format = CU_AD_FORMAT_SIGNED_INT32;
            resource.res.pitch2D.numChannels = 1;
            resource.res.pitch2D.width = WIDTH;
            resource.res.pitch2D.height = height;
            resource.res.pitch2D.pitchInBytes = PITCH;
            const size_t bytes = (height - 1) * PITCH + WIDTH * 4 - (size_t)short_of;
            CUdeviceptr memory;
            CUtexObject texture;
            assert_ok(api.cuMemAlloc(&memory, bytes));
            resource.res.pitch2D.devPtr = memory;
            const CUresult wanted = short_of ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
            assert_int_equal(api.cuTexObjectCreate(&texture, &resource, &description, NULL), wanted);
            if (!short_of)
                assert_ok(api.cuTexObjectDestroy(texture));
            resource = (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_LINEAR};
            resource.res.linear.devPtr = memory;
            resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
            resource.res.linear.numChannels = 1;
            resource.res.linear.sizeInBytes = bytes + (size_t)short_of;
            assert_int_equal(api.cuTexObjectCreate(&texture, &resource, &description, NULL), wanted);
            if (!short_of)
                assert_ok(api.cuTexObjectDestroy(texture));
            assert_ok(api.cuMemFree(memory));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_memory), cmocka_unit_test(pitched),
        cmocka_unit_test(host_memory),   cmocka_unit_test(managed_memory),
        cmocka_unit_test(pools),         cmocka_unit_test(pointer_attributes),
        cmocka_unit_test(advice),        cmocka_unit_test(texture_extents),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
