/* A plain program's accesses outside its allocations: they succeed where a GPU has memory too. */
#include "tests/cuda/api.h"

static CUcontext context;
static CUmodule module;

static int setup(void **state) {
    (void)state;
    if (!api_open(API_DLSYM) || api.cuInit(0) || api.context_create(&context, 0, 0))
        return -1;
    return api.cuModuleLoad(&module, api_path("lines.fatbin")) ? -1 : 0;
}

static int teardown(void **state) {
    (void)state;
    CUresult error = api.cuCtxDestroy(context);
    api_close();
    return error ? -1 : 0;
}

static CUresult store_at(CUdeviceptr address, int value) {
    CUfunction function;
    assert_ok(api.cuModuleGetFunction(&function, module, "store_at"));
    void *params[] = {&address, &value};
    assert_ok(api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    return api.cuCtxSynchronize();
}

static int read_at(CUdeviceptr address) {
    int value;
    assert_ok(api.cuMemcpyDtoH(&value, address, sizeof value));
    return value;
}

/* Each access ends with a fault; afterwards the context is unusable. */
static void past_the_end(void **state) {
    (void)state;
    CUdeviceptr first, second;
    assert_ok(api.cuMemAlloc(&first, (4 << 20) + 1024));
    assert_ok(api.cuMemAlloc(&second, (4 << 20) + 1024));
    assert_ok(api.cuMemsetD8(first, 0, 4));
    assert_ok(store_at(second + (4 << 20) + 1024, 1));
    assert_ok(store_at(second + (6 << 20) - 4, 2));
    /* An overrun of that length reaches earlier allocations. */
    assert_true(first > second && first - second <= 8 << 20);
    assert_ok(store_at(first, 3));
    assert_int_equal(read_at(first), 3);
    /* Copies stay within the allocation in which they begin. */
    int value;
    assert_int_equal(api.cuMemcpyDtoH(&value, second + (4 << 20) + 1024, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(store_at(first + ((CUdeviceptr)1 << 40), 4), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void small_ones_share_a_page(void **state) {
    (void)state;
    CUdeviceptr first, second, large;
    assert_ok(api.cuMemAlloc(&first, 64));
    assert_ok(api.cuMemAlloc(&second, 64));
    assert_ok(api.cuMemAlloc(&large, 4 << 20));
    assert_int_equal(second - first, 512);
    assert_ok(store_at(first + 64, 1));
    assert_ok(store_at(first + 512, 7));
    assert_int_equal(read_at(second), 7);
    assert_ok(api.cuMemFree(first));
    assert_ok(store_at(first, 1)); /* its page still exists */
    assert_ok(api.cuMemFree(large));
    assert_int_equal(store_at(large, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_non_null(strstr(api.last_error(), "freed"));
}

static void nothing_near_null(void **state) {
    (void)state;
    assert_int_equal(api.strict_bounds(), CUDA_ERROR_ILLEGAL_STATE);
    assert_int_equal(store_at(0, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* Copies, sets and writes by the host accept everything up to the last byte, and not one more. */
static void to_the_last_byte(void **state) {
    (void)state;
    enum { PITCH = 128, WIDTH = 17 };
    char host[4 * PITCH] = {0};
    for (size_t rows = 1; rows <= 3; rows++)
        for (size_t missing = 0; missing <= 1; missing++) {
            const CUresult wanted = missing ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
            CUdeviceptr memory;
            assert_ok(api.cuMemAlloc(&memory, (rows - 1) * PITCH + WIDTH - missing));
            assert_int_equal(api.cuMemsetD2D8(memory, PITCH, 1, WIDTH, rows), wanted);
            CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                  .srcDevice = memory,
                                  .srcPitch = PITCH,
                                  .dstMemoryType = CU_MEMORYTYPE_HOST,
                                  .dstHost = host,
                                  .dstPitch = PITCH,
                                  .WidthInBytes = WIDTH,
                                  .Height = rows};
            assert_int_equal(api.cuMemcpy2D(&copy), wanted);
            assert_ok(api.cuMemFree(memory));
        }
    CUdeviceptr wide;
    assert_ok(api.cuMemAlloc(&wide, 4 * PITCH));
    /* Products slightly above 2^64. */
    assert_int_equal(api.cuMemsetD32(wide, 0, SIZE_MAX / 4 + 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD16(wide, 0, SIZE_MAX / 2 + 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD2D8(wide, PITCH, 0, WIDTH, SIZE_MAX / PITCH + 2), CUDA_ERROR_INVALID_VALUE);
    /* A row is a whole number of elements. */
    assert_ok(api.cuMemsetD2D32(wide, 8, 0, 1, 2));
    assert_int_equal(api.cuMemsetD2D32(wide, 6, 0, 1, 2), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(wide));
    for (size_t bytes = 3; bytes <= 8; bytes++) {
        CUdeviceptr memory;
        assert_ok(api.cuMemAlloc(&memory, bytes));
        assert_int_equal(api.cuStreamWriteValue32(NULL, memory, 1, 0),
                         bytes >= 4 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        assert_int_equal(api.cuStreamWriteValue64(NULL, memory, 1, 0),
                         bytes >= 8 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
        assert_ok(api.cuMemFree(memory));
    }
    CUarray array;
    const CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = WIDTH, .Height = 3, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    assert_ok(api.cuArrayCreate(&array, &shape));
    for (size_t bytes = 3 * WIDTH - 1; bytes <= 3 * WIDTH; bytes++) {
        const CUresult wanted = bytes < 3 * WIDTH ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        CUdeviceptr memory;
        assert_ok(api.cuMemAlloc(&memory, bytes));
        assert_int_equal(api.cuMemcpyAtoD(memory, array, 0, 3 * WIDTH), wanted);
        assert_int_equal(api.cuMemcpyDtoA(array, 0, memory, 3 * WIDTH), wanted);
        assert_ok(api.cuMemcpyDtoA(array, 1, memory, 3 * WIDTH - 1));
        assert_int_equal(api.cuMemcpyDtoA(array, 2, memory, 3 * WIDTH - 1), CUDA_ERROR_INVALID_VALUE);
        assert_ok(api.cuMemFree(memory));
    }
    for (size_t x = 0; x <= 1; x++)
        for (size_t y = 0; y <= 1; y++) {
            CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                  .srcArray = array,
                                  .srcXInBytes = x,
                                  .srcY = y,
                                  .dstMemoryType = CU_MEMORYTYPE_HOST,
                                  .dstHost = host,
                                  .dstPitch = WIDTH,
                                  .WidthInBytes = WIDTH,
                                  .Height = 3};
            assert_int_equal(api.cuMemcpy2D(&copy), x || y ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
        }
    assert_ok(api.cuArrayDestroy(array));
}

static CUresult made(size_t width, size_t height, size_t depth, unsigned flags) {
    const CUDA_ARRAY3D_DESCRIPTOR shape = {.Width = width,
                                           .Height = height,
                                           .Depth = depth,
                                           .Flags = flags,
                                           .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                           .NumChannels = 1};
    CUarray array;
    const CUresult error = api.cuArray3DCreate(&array, &shape);
    if (!error)
        assert_ok(api.cuArrayDestroy(array));
    return error;
}

/* The largest arrays in the CUDA programming guide (compute capability 9.0) are possible, and none larger. */
static void to_the_documented_limits(void **state) {
    (void)state;
    const size_t one = 131072, layered = 32768, layers = 2048, height = 65536, solid = 16384,
                 pitch = 0x7fffffff;
    for (size_t over = 0; over <= 1; over++) {
        const CUresult wanted = over ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
        assert_int_equal(made(one + over, 0, 0, 0), wanted);
        assert_int_equal(made(1, height + over, 0, 0), wanted);
        assert_int_equal(made(layered + over, 0, 1, CUDA_ARRAY3D_LAYERED), wanted);
        assert_int_equal(made(1, layered + over, 1, CUDA_ARRAY3D_LAYERED), wanted);
        assert_int_equal(made(1, 0, layers + over, CUDA_ARRAY3D_LAYERED), wanted);
        assert_int_equal(made(solid + over, 1, 1, 0), wanted);
        assert_int_equal(made(1, solid + over, 1, 0), wanted);
        assert_int_equal(made(1, 1, solid + over, 0), wanted);
        char from = 1, to = 2;
        const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                    .srcHost = &from,
                                    .srcPitch = pitch + over,
                                    .dstMemoryType = CU_MEMORYTYPE_HOST,
                                    .dstHost = &to,
                                    .WidthInBytes = 1,
                                    .Height = 1};
        assert_int_equal(api.cuMemcpy2D(&copy), wanted);
    }
    CUdeviceptr memory;
    size_t row;
    assert_int_equal(api.cuMemAllocPitch(&memory, &row, pitch + 1, 1, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAllocPitch(NULL, &row, 1, 1, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemAllocPitch(&memory, NULL, 1, 1, 4), CUDA_ERROR_INVALID_VALUE);
    /* Rows whose byte count is 2^64 plus one row. */
    assert_ok(api.cuMemAllocPitch(&memory, &row, 512, 2, 4));
    assert_ok(api.cuMemFree(memory));
    assert_int_equal(row & (row - 1), 0);
    assert_int_not_equal(api.cuMemAllocPitch(&memory, &row, 512, SIZE_MAX / row + 2, 4), CUDA_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(past_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(small_ones_share_a_page, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_near_null, setup, teardown),
        cmocka_unit_test_setup_teardown(to_the_last_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(to_the_documented_limits, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
