/* wmma, ldmatrix and mma as compiled by nvcc, against host products; their counts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const char *ptx;
static bool newer; /* compiled for sm_90 */

/* Multiples of one half, which f16 represents exactly. */
static uint16_t half_of(float x) {
    uint32_t bits;
    if (x == 0)
        return 0;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 0x3ff));
}

static void test_wmma_gemm(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    enum { M = 48, N = 32, K = 64 };
    static float fa[M * K], fb[K * N];
    uint16_t *a = harness_buffer(&h, sizeof fa), *b = harness_buffer(&h, sizeof fb);
    float *c = harness_buffer(&h, M * N * 4);
    for (int i = 0; i < M * K; i++)
        a[i] = half_of(fa[i] = (float)(i * 7 % 23 - 11) / 2);
    for (int i = 0; i < K * N; i++)
        b[i] = half_of(fb[i] = (float)(i * 5 % 19 - 9));
    int m = M, n = N, k = K;
    assert_true(harness_launch(&h, "wmma_gemm", 3, 64, 0, (const void *[]){&a, &b, &c, &m, &n, &k}));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int e = 0; e < K; e++)
                sum += fa[i * K + e] * fb[j * K + e];
            assert_true(c[i * N + j] == 2 * sum);
        }
    /* 6 tiles; 4 steps of 4 and 4 registers whose halves are contiguous: one request each, with 8 rows'
     * sectors. */
    assert_int_equal(h.counters.global_load_requests, 6 * 4 * 8);
    assert_int_equal(h.counters.gld_transactions, 6 * 4 * 8 * 8);
    /* Pairs of results: 8 rows of 4 pairs, 32 bytes per row. */
    assert_int_equal(h.counters.global_store_requests, 6 * 4);
    assert_int_equal(h.counters.gst_transactions, 6 * 4 * 8);
    harness_close(&h);
}

static void test_wmma_across(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    uint16_t *a = harness_buffer(&h, 2048), *b = harness_buffer(&h, 2048), *c = harness_buffer(&h, 2048);
    static float fa[1024], fb[1024], fc[1024];
    for (int i = 0; i < 1024; i++) {
        a[i] = half_of(fa[i] = (float)(i * 7 % 13 - 6));
        b[i] = half_of(fb[i] = (float)(i * 5 % 11 - 5));
        c[i] = half_of(fc[i] = (float)(i % 9 - 4));
    }
    assert_true(harness_launch(&h, "wmma_across", 1, 32, 0, (const void *[]){&a, &b, &c}));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            float sum = fc[j * 64 + i];
            for (int k = 0; k < 16; k++)
                sum += fa[k * 64 + i] * fb[k * 64 + j];
            assert_int_equal(c[j * 64 + i], half_of(sum));
        }
    /* 4 cores per matrix, one request each, whose 8 lines of 16 bytes are in 8 sectors. */
    assert_int_equal(h.counters.global_load_requests, 12);
    assert_int_equal(h.counters.gld_transactions, 12 * 8);
    assert_int_equal(h.counters.global_store_requests, 4);
    assert_int_equal(h.counters.gst_transactions, 4 * 8);
    harness_close(&h);
}

static void test_wmma_shared(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    signed char *a = harness_buffer(&h, 256), *b = harness_buffer(&h, 256);
    int *c = harness_buffer(&h, 1024);
    for (int i = 0; i < 256; i++) {
        a[i] = (signed char)(i * 37);
        b[i] = (signed char)(i * 91 + 5);
    }
    assert_true(harness_launch(&h, "wmma_shared", 1, 32, 0, (const void *[]){&a, &b, &c}));
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            int sum = 1000 * (j * 16 + i);
            for (int e = 0; e < 16; e++)
                sum += a[e * 16 + i] * b[e * 16 + j];
            assert_int_equal(c[j * 16 + i], sum);
        }
    harness_close(&h);
}

/* Rows of 8 halves, 16, 32 or 48 bytes apart: rows 32 bytes apart share banks in pairs. */
static void test_mma_tile(void **state) {
    (void)state;
    enum { K = 80 };
    static float fa[16 * K], fb[K * 8];
    uint64_t wavefronts[2];
    for (int padded = 0; padded < 2; padded++) {
        struct harness h;
        harness_open(&h, ptx);
        uint16_t *a = harness_buffer(&h, sizeof fa), *b = harness_buffer(&h, sizeof fb);
        float *c = harness_buffer(&h, 16 * 8 * 4);
        for (int i = 0; i < 16 * K; i++)
            a[i] = half_of(fa[i] = (float)(i * 7 % 23 - 11) / 2);
        for (int i = 0; i < K * 8; i++)
            b[i] = half_of(fb[i] = (float)(i * 5 % 19 - 9));
        int k = K;
        assert_true(harness_launch(&h, padded ? "mma_tile_padded" : "mma_tile", 1, 32, 0,
                                   (const void *[]){&a, &b, &c, &k}));
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 8; j++) {
                float sum = 0;
                for (int e = 0; e < K; e++)
                    sum += fa[i * K + e] * fb[e * 8 + j];
                assert_true(c[i * 8 + j] == sum);
            }
        assert_int_equal(h.counters.shared_load_requests, K / 16 * 2);
        wavefronts[padded] = h.counters.shared_load_transactions;
        harness_close(&h);
    }
    /* a: 4 matrices, 32 or 48 bytes apart; b: 2, 16 or 32 apart. */
    assert_int_equal(wavefronts[0], K / 16 * (4 * 2 + 2));
    assert_int_equal(wavefronts[1], K / 16 * (4 + 2 * 2));
}

static void test_load_rows(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    uint32_t *out = harness_buffer(&h, 32 * 8 * 4);
    assert_true(harness_launch(&h, "load_rows", 1, 32, 0, (const void *[]){&out}));
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t plain = (2 * t) | (2 * t + 1) << 16;
        uint32_t transposed = (t % 4 * 16 + t / 4) | (t % 4 * 16 + 8 + t / 4) << 16;
        assert_int_equal(out[8 * t], plain);
        for (uint32_t i = 0; i < 2; i++)
            assert_int_equal(out[8 * t + 1 + i], plain + 64 * i * 0x10001);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(out[8 * t + 3 + i], transposed + 64 * i * 0x10001);
        assert_int_equal(out[8 * t + 7], transposed);
    }
    assert_int_equal(h.counters.shared_load_requests, 3);
    assert_int_equal(h.counters.shared_load_transactions, 1 + 2 + 4);
    harness_close(&h);
}

static void test_misaligned_rows(void **state) {
    (void)state;
    struct harness h;
    harness_open(&h, ptx);
    uint32_t *out = harness_buffer(&h, 128);
    assert_false(harness_launch(&h, "misaligned_rows", 1, 32, 0, (const void *[]){&out}));
    assert_int_equal(h.fault.kind, SIM_FAULT_MISALIGNED);
    assert_int_equal(h.fault.thread[0], 5);
    assert_non_null(strstr(h.fault.text, "programs.cu"));
    harness_close(&h);
}

static void test_store_rows(void **state) {
    (void)state;
    if (!newer)
        skip();
    struct harness h;
    harness_open(&h, ptx);
    uint16_t *out = harness_buffer(&h, 1024);
    assert_true(harness_launch(&h, "store_rows", 1, 32, 0, (const void *[]){&out}));
    for (int i = 0; i < 256; i++) {
        int matrix = i / 64, row = i % 64 / 8, column = i % 8;
        assert_int_equal(out[i], i);
        assert_int_equal(out[256 + i], 64 * matrix + 8 * column + row);
    }
    assert_int_equal(h.counters.shared_store_requests, 2);
    assert_int_equal(h.counters.shared_store_transactions, 8);
    harness_close(&h);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wmma_gemm),   cmocka_unit_test(test_wmma_across),
        cmocka_unit_test(test_wmma_shared), cmocka_unit_test(test_mma_tile),
        cmocka_unit_test(test_load_rows),   cmocka_unit_test(test_misaligned_rows),
        cmocka_unit_test(test_store_rows),
    };
    ptx = argc > 1 ? argv[1] : NULL;
    newer = ptx && strstr(ptx, "_90");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
