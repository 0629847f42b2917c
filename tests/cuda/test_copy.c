/* Copies and fills: linear, rectangles, boxes; the right bytes, and no others. */
#include "tests/cuda/api.h"

enum { BYTES = 4099 };

static unsigned char *pattern(void) {
    unsigned char *data = malloc(BYTES);
    assert_non_null(data);
    for (int i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 7 + i / 256);
    return data;
}

static void linear(void **state) {
    (void)state;
    unsigned char *in = pattern(), *out = calloc(1, BYTES);
    CUdeviceptr a, b;
    assert_ok(api.cuMemAlloc(&a, BYTES));
    assert_ok(api.cuMemAlloc(&b, BYTES));
    assert_ok(api.cuMemcpyHtoD(a, in, BYTES));
    assert_ok(api.cuMemcpyDtoD(b, a, BYTES));
    assert_ok(api.cuMemcpyDtoH(out, b, BYTES));
    assert_memory_equal(in, out, BYTES);
    memset(out, 0, BYTES);
    assert_ok(api.cuMemcpyHtoDAsync(b + 1, in, BYTES - 1, NULL));
    assert_ok(api.cuMemcpyDtoDAsync(a, b + 1, BYTES - 1, CU_STREAM_PER_THREAD));
    assert_ok(api.cuMemcpyDtoHAsync(out, a, BYTES - 1, NULL));
    assert_memory_equal(in, out, BYTES - 1);
    /* The generic copy accepts either kind of address. */
    memset(out, 0, BYTES);
    assert_ok(api.cuMemcpy(a, (CUdeviceptr)(uintptr_t)in, BYTES));
    assert_ok(api.cuMemcpy((CUdeviceptr)(uintptr_t)out, a, BYTES));
    assert_memory_equal(in, out, BYTES);
    assert_ok(api.cuMemcpyPeer(b, api_context, a, api_context, BYTES));
    assert_int_equal(api.cuMemcpyPeer(b, NULL, a, api_context, BYTES), CUDA_ERROR_INVALID_CONTEXT);
    assert_ok(api.cuMemcpyHtoD(a, NULL, 0));
    assert_ok(api.cuMemFree(a));
    assert_ok(api.cuMemFree(b));
    free(in);
    free(out);
}

static void out_of_range(void **state) {
    (void)state;
    unsigned char *in = pattern();
    CUdeviceptr a, b;
    assert_ok(api.cuMemAlloc(&a, 100));
    assert_ok(api.cuMemAlloc(&b, BYTES));
    assert_int_equal(api.cuMemcpyHtoD(a, in, 101), CUDA_ERROR_INVALID_VALUE);
    assert_non_null(strstr(api.last_error(), "1 byte after"));
    assert_non_null(strstr(api.last_error(), "100 bytes"));
    assert_int_equal(api.cuMemcpyHtoD(a + 100, in, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyHtoD(a - 1, in, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyDtoH(in, a + 1, 100), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyDtoD(b, a, 101), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyDtoD(a, b, 101), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpy(a, b, 101), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpy(a + 100, b, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyHtoD(a, in, SIZE_MAX), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyHtoD((CUdeviceptr)(uintptr_t)in, in, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyHtoD(0, in, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyHtoD(a, NULL, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemcpyHtoDAsync(a, in, 4, (CUstream)in), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(api.cuMemsetD8(a, 0, 101), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD32(a, 0, 26), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD32(a, 0, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD32(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD16(a + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
    assert_int_equal(api.cuMemcpyHtoD(a, in, 4), CUDA_ERROR_INVALID_VALUE);
    assert_non_null(strstr(api.last_error(), "freed allocation"));
    assert_ok(api.cuMemFree(b));
    free(in);
}

static void fills(void **state) {
    (void)state;
    unsigned char out[256], expected[256];
    CUdeviceptr a;
    assert_ok(api.cuMemAlloc(&a, sizeof out));
    memset(expected, 0xEE, sizeof expected);
    assert_ok(api.cuMemsetD8(a, 0xEE, sizeof out));
    for (int i = 0; i < 5; i++)
        memcpy(expected + 2 + 2 * i, "\x34\x12", 2);
    assert_ok(api.cuMemsetD16(a + 2, 0x1234, 5));
    for (int i = 0; i < 3; i++)
        memcpy(expected + 20 + 4 * i, "\x78\x56\x34\x12", 4);
    assert_ok(api.cuMemsetD32Async(a + 20, 0x12345678, 3, NULL));
    for (int row = 0; row < 4; row++) {
        memset(expected + 64 + 16 * row, 1, 5);
        for (int i = 0; i < 2; i++)
            memcpy(expected + 72 + 16 * row + 2 * i, "\x02\x00", 2);
        memcpy(expected + 76 + 16 * row, "\x03\x00\x00\x00", 4);
    }
    assert_ok(api.cuMemsetD2D8(a + 64, 16, 1, 5, 4));
    assert_ok(api.cuMemsetD2D16(a + 72, 16, 2, 2, 4));
    assert_ok(api.cuMemsetD2D32(a + 76, 16, 3, 1, 4));
    assert_ok(api.cuMemsetD2D32(a, 16, 3, 0, 4));
    assert_ok(api.cuMemcpyDtoH(out, a, sizeof out));
    assert_memory_equal(out, expected, sizeof out);
    assert_int_equal(api.cuMemsetD2D8(a, 4, 1, 5, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD2D8(a, 64, 1, 65, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD2D8(a, 64, 1, 64, 5), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(api.cuMemsetD2D8(a, SIZE_MAX / 2, 1, 1, 3), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
}

static void rectangles(void **state) {
    (void)state;
    enum { ROWS = 5, WIDTH = 13, PITCH = 40, HOST_PITCH = 21 };
    unsigned char in[ROWS * HOST_PITCH], out[ROWS * HOST_PITCH], whole[ROWS * PITCH];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i + 1);
    CUdeviceptr a;
    assert_ok(api.cuMemAlloc(&a, sizeof whole));
    assert_ok(api.cuMemsetD8(a, 0, sizeof whole));
    CUDA_MEMCPY2D to = {.srcXInBytes = 3,
                        .srcY = 1,
                        .srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = in,
                        .srcPitch = HOST_PITCH,
                        .dstXInBytes = 2,
                        .dstY = 1,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = a,
                        .dstPitch = PITCH,
                        .WidthInBytes = WIDTH,
                        .Height = ROWS - 1};
    assert_ok(api.cuMemcpy2D(&to));
    assert_ok(api.cuMemcpyDtoH(whole, a, sizeof whole));
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < PITCH; x++) {
            bool inside = y >= 1 && x >= 2 && x < 2 + WIDTH;
            assert_int_equal(whole[y * PITCH + x], inside ? in[y * HOST_PITCH + x + 1] : 0);
        }
    memset(out, 0, sizeof out);
    CUDA_MEMCPY2D back = {.srcXInBytes = 2,
                          .srcY = 1,
                          .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = a,
                          .srcPitch = PITCH,
                          .dstXInBytes = 3,
                          .dstY = 1,
                          .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                          .dstDevice = (CUdeviceptr)(uintptr_t)out,
                          .dstPitch = HOST_PITCH,
                          .WidthInBytes = WIDTH,
                          .Height = ROWS - 1};
    assert_ok(api.cuMemcpy2DAsync(&back, NULL));
    for (int y = 1; y < ROWS; y++)
        assert_memory_equal(out + y * HOST_PITCH + 3, in + y * HOST_PITCH + 3, WIDTH);
    assert_int_equal(out[HOST_PITCH + 2], 0);
    assert_int_equal(out[HOST_PITCH + 3 + WIDTH], 0);
    to.Height = ROWS;
    assert_int_equal(api.cuMemcpy2D(&to), CUDA_ERROR_INVALID_VALUE);
    to.Height = ROWS - 1;
    to.dstPitch = WIDTH + 1;
    assert_int_equal(api.cuMemcpy2DUnaligned(&to), CUDA_ERROR_INVALID_VALUE);
    to.dstPitch = PITCH;
    to.dstY = SIZE_MAX / 8;
    assert_int_equal(api.cuMemcpy2D(&to), CUDA_ERROR_INVALID_VALUE);
    to.dstY = 1;
    to.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    assert_int_equal(api.cuMemcpy2D(&to), CUDA_ERROR_INVALID_HANDLE);
    to.srcMemoryType = (CUmemorytype)99;
    assert_int_equal(api.cuMemcpy2D(&to), CUDA_ERROR_INVALID_VALUE);
    to.srcMemoryType = CU_MEMORYTYPE_HOST;
    to.srcHost = NULL;
    assert_int_equal(api.cuMemcpy2D(&to), CUDA_ERROR_INVALID_VALUE);
    to.WidthInBytes = 0;
    assert_ok(api.cuMemcpy2D(&to));
    assert_int_equal(api.cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
}

static void boxes(void **state) {
    (void)state;
    enum { X = 6, Y = 4, Z = 3, PITCH = 16, HEIGHT = 5 };
    unsigned char in[X * Y * Z], out[PITCH * HEIGHT * (Z + 1)];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i + 1);
    CUdeviceptr a;
    assert_ok(api.cuMemAlloc(&a, sizeof out));
    assert_ok(api.cuMemsetD8(a, 0, sizeof out));
    CUDA_MEMCPY3D copy = {
        .srcMemoryType = CU_MEMORYTYPE_HOST,
        .srcHost = in,
        .srcPitch = X,
        .srcHeight = Y,
        .dstXInBytes = 1,
        .dstY = 1,
        .dstZ = 1,
        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
        .dstDevice = a,
        .dstPitch = PITCH,
        .dstHeight = HEIGHT,
        .WidthInBytes = X,
        .Height = Y,
        .Depth = Z
    };
    assert_ok(api.cuMemcpy3D(&copy));
    assert_ok(api.cuMemcpyDtoH(out, a, sizeof out));
    for (int z = 0; z <= Z; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < PITCH; x++) {
                bool inside = z >= 1 && y >= 1 && x >= 1 && x < 1 + X;
                int expected = inside ? in[((z - 1) * Y + y - 1) * X + x - 1] : 0;
                assert_int_equal(out[(z * HEIGHT + y) * PITCH + x], expected);
            }
    copy.Depth = Z + 1;
    assert_int_equal(api.cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.Depth = Z;
    copy.dstHeight = Y;
    assert_int_equal(api.cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
    copy.dstHeight = SIZE_MAX / 4;
    assert_int_equal(api.cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
    assert_ok(api.cuMemFree(a));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear),     cmocka_unit_test(out_of_range), cmocka_unit_test(fills),
        cmocka_unit_test(rectangles), cmocka_unit_test(boxes),
    };
    return cmocka_run_group_tests(tests, api_setup, api_teardown);
}
