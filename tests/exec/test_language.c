#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"

static const char *ptx;

/* Each test's kernels, and the buffer that most of them write. */
struct run {
    struct harness h;
    int *out;
};

static void begin(struct run *r) {
    harness_open(&r->h, ptx);
    r->out = harness_buffer(&r->h, 1 << 16);
}

static void launch(struct run *r, const char *kernel, unsigned grid, unsigned block, size_t shared,
                   const void *const *params) {
    if (!harness_launch(&r->h, kernel, grid, block, shared, params))
        fail_msg("%s: %s", kernel, r->h.fault.text);
}

static void test_virtual_functions(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    launch(&r, "virtual_functions", 1, 64, 0, (const void *[]){&r.out});
    for (int t = 0; t < 64; t++)
        assert_int_equal(r.out[t], t % 3 == 0 ? t + t : t % 3 == 1 ? (t + 1) * (t + 1) + t : (t + 2) * 3 - t);
    harness_close(&r.h);
}

static void test_struct_returns(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    launch(&r, "struct_returns", 1, 64, 0, (const void *[]){&r.out});
    for (int t = 0; t < 64; t++)
        assert_int_equal(r.out[t], t * (t % 7) + t / 2 + t);
    harness_close(&r.h);
}

static void test_static_shared(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    launch(&r, "static_shared_a", 3, 64, 0, (const void *[]){&r.out});
    for (int t = 0; t < 64; t++)
        assert_int_equal(r.out[t], (t + 1) % 64 * 3);
    launch(&r, "static_shared_b", 3, 64, 0, (const void *[]){&r.out});
    for (int t = 0; t < 64; t++)
        assert_int_equal(r.out[t], (t + 1) % 64 * 5 + t % 5 * 100);
    harness_close(&r.h);
}

static void test_switch_64(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    static const long long values[] = {0, 1,           2,  3,           4,          5,          6,
                                       7, 10000000000, -7, 10000000001, 1410065408, 0x100000001};
    long long *in = harness_buffer(&r.h, 64 * 8);
    for (int t = 0; t < 64; t++)
        in[t] = values[t % 13];
    launch(&r, "switch_64", 1, 64, 0, (const void *[]){&in, &r.out});
    for (int t = 0; t < 64; t++) {
        const int want[] = {3, t, t * t, t + 100, t / 3, t ^ 7, t ^ 7, -1, 5, 6, -1, -1, -1};
        assert_int_equal(r.out[t], want[t % 13]);
    }
    harness_close(&r.h);
}

static int nested_loops(const int *in, int t, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (in[i] == t % 7)
            continue;
        for (int j = 0; j < in[i]; j++) {
            if (j * i > 20 + t)
                break;
            if (in[j] == 6 && t % 5 == 0)
                return -sum;
            sum += in[j] * j;
            int rounds = 3 + i;
            do {
                sum ^= i;
                if (sum & 8)
                    goto next;
                sum += 3;
            } while ((sum & 4) && --rounds);
        }
    next:
        sum++;
    }
    return sum;
}

static void test_nested_loops(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    int n = 24, *in = harness_buffer(&r.h, 24 * 4);
    for (int i = 0; i < n; i++)
        in[i] = i * 5 % 11;
    launch(&r, "nested_loops", 2, 96, 0, (const void *[]){&in, &r.out, &n});
    for (int t = 0; t < 192; t++)
        assert_int_equal(r.out[t], nested_loops(in, t, n));
    harness_close(&r.h);
}

static void test_warp_sums(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    int n = 10007, want = 0, *in = harness_buffer(&r.h, 10007 * 4);
    for (int i = 0; i < n; i++)
        want += in[i] = i * 7 % 101 - 50;
    for (unsigned block = 32; block <= 1024; block *= 2) {
        r.out[0] = 0;
        launch(&r, "warp_sums", 3, block, 0, (const void *[]){&in, &r.out, &n});
        assert_int_equal(r.out[0], want);
    }
    harness_close(&r.h);
}

static void test_tiles(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    launch(&r, "tiles", 1, 64, 0, (const void *[]){&r.out});
    for (int t = 0; t < 64; t++) {
        int first = t / 8 * 8, sum = 0;
        for (int k = first; k <= t; k++)
            sum += k;
        assert_int_equal(r.out[t], 8 * first + 28);
        assert_int_equal(r.out[t + 64], sum);
        assert_int_equal(r.out[t + 128], first + 2 + (t % 8 == 7 ? t : t + 1));
        assert_int_equal(r.out[t + 192], 0xaa + 1000 * (t % 32 / 8));
        assert_int_equal(r.out[t + 256], t / 32 * 32 + 31);
    }
    harness_close(&r.h);
}

static void test_coalesced(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    launch(&r, "coalesced", 1, 32, 0, (const void *[]){&r.out});
    for (int t = 0; t < 32; t++) /* 1, 4 ... 31: eleven of them */
        if (t % 3 == 1) {
            assert_int_equal(r.out[t], t / 3 + 1100 + 10000);
            assert_int_equal(r.out[t + 32], 176);
        } else {
            assert_int_equal(r.out[t], -1);
        }
    harness_close(&r.h);
}

static void test_async_copies(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    unsigned char *in = harness_buffer(&r.h, 32 * 16), *out = (unsigned char *)r.out;
    for (int i = 0; i < 512; i++)
        in[i] = (unsigned char)(i * 7 + 1);
    launch(&r, "async_copies", 1, 32, 0, (const void *[]){&in, &r.out});
    for (int t = 0; t < 32; t++) {
        for (int b = 0; b < 16; b++) /* bytes that are not copied are zero */
            assert_int_equal(out[16 * t + b], b < t % 17 ? in[16 * t + b] : 0);
        assert_memory_equal(out + 512 + 16 * t, in + 16 * t, 4);
        assert_int_equal(r.out[128 + 4 * t + 1], -2);
        assert_memory_equal(out + 512 + 16 * t + 8, in + 16 * t, 8);
    }
    harness_close(&r.h);
}

static void test_spaces(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    int *in = harness_buffer(&r.h, 4);
    launch(&r, "spaces", 1, 1, 0, (const void *[]){&in, &r.out});
    const int want[] = {1, 0, 1, 1, 1};
    assert_memory_equal(r.out, want, sizeof want);
    harness_close(&r.h);
}

static void test_narrow(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    unsigned char *in = harness_buffer(&r.h, 128), *out = (unsigned char *)r.out;
    uint64_t *wide = harness_buffer(&r.h, 512);
    for (int i = 0; i < 128; i++)
        in[i] = (unsigned char)(i * 37 + 100);
    launch(&r, "narrow", 1, 32, 0, (const void *[]){&in, &r.out, &wide});
    for (int t = 0; t < 32; t++) {
        assert_true(wide[2 * t] == in[t]);
        assert_true(wide[2 * t + 1] == (uint64_t)(int64_t)(int8_t)in[t]);
        for (int k = 0; k < 2; k++)
            assert_int_equal(out[2 * t + k], in[2 * t + 1 - k]);
        for (int k = 0; k < 4; k++)
            assert_int_equal(out[64 + 4 * t + k], in[4 * t + 3 - k]);
    }
    assert_int_equal(out[64 + 128], 0xa5);
    harness_close(&r.h);
}

static void test_predicated(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    int *in = harness_buffer(&r.h, 128);
    for (int t = 0; t < 32; t++)
        in[t] = t % 8;
    launch(&r, "predicated", 1, 32, 0, (const void *[]){&in, &r.out});
    for (int t = 0; t < 32; t++) {
        assert_int_equal(r.out[2 * t + (in[t] <= 3)], in[t]);
        assert_int_equal(r.out[2 * t + (in[t] > 3)], (int)0xa5a5a5a5);
    }
    harness_close(&r.h);
}

static void test_carries(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    __extension__ typedef unsigned __int128 u128;
    u128 *a = harness_buffer(&r.h, 512), *b = harness_buffer(&r.h, 512), *sum = harness_buffer(&r.h, 512),
         *difference = harness_buffer(&r.h, 512);
    for (int t = 0; t < 32; t++) {
        a[t] = ((u128)1 << 4 * t) - 1;
        b[t] = t % 3 ? ~(u128)0 >> t : 1;
    }
    launch(&r, "carries", 1, 32, 0, (const void *[]){&a, &b, &sum, &difference});
    for (int t = 0; t < 32; t++) {
        assert_true(sum[t] == a[t] + b[t]);
        assert_true(difference[t] == a[t] - b[t]);
    }
    harness_close(&r.h);
}

static void test_warps_and_blocks(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    launch(&r, "early_warps", 1, 128, 0, (const void *[]){&r.out});
    for (int t = 0; t < 64; t++)
        if (t % 32 != 5 && (63 - t) % 32 != 5)
            assert_int_equal(r.out[t], 63 - t + 62);
    assert_int_equal(r.out[5], (int)0xa5a5a5a5);
    assert_int_equal(r.out[64], (int)0xa5a5a5a5);

    launch(&r, "partial_warp", 1, 45, 0, (const void *[]){&r.out});
    for (int t = 0; t < 45; t++) {
        if (t < 31 || (t >= 32 && t < 44)) /* the last lane of a group receives nothing */
            assert_int_equal(r.out[t], 4 * t + 2 + 1000 * (t < 32 ? 32 : 13));
    }
    harness_close(&r.h);
}

static void test_much_shared(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    launch(&r, "much_shared", 2, 1024, 100 * 1024, (const void *[]){&r.out});
    for (int t = 0; t < 1024; t++) {
        int sum = 0;
        for (int i = t; i < 25600; i += 1024)
            sum += 25599 - i;
        assert_int_equal(r.out[t], sum);
    }
    harness_close(&r.h);
}

static void test_straddling_warps(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    static const uint32_t blocks[][3] = {{7, 5, 3},  {10, 10, 10}, {1, 1, 64},
                                         {33, 3, 1}, {5, 1, 1},    {3, 100, 3}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const uint32_t *b = blocks[i];
        int total = (int)(b[0] * b[1] * b[2]);
        assert_true(
            harness_launch_3d(&r.h, "straddle", (uint32_t[]){1, 2, 1}, b, 0, (const void *[]){&r.out}, 0));
        for (int t = 0; t < total; t++) {
            int from = t / 32 * 32 + 31 - t % 32;
            if (from >= total)
                from = t;
            int x = (int)b[0], y = (int)b[1];
            assert_int_equal(r.out[t], from % x + 100 * (from / x % y) + 10000 * (from / x / y));
        }
    }
    harness_close(&r.h);
}

static void test_values(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    int k = 11;
    launch(&r, "lambdas", 1, 32, 0, (const void *[]){&r.out, &k});
    for (int t = 0; t < 32; t++)
        assert_int_equal(r.out[t], t * k + t + t - 1);

    unsigned *in = harness_buffer(&r.h, 128);
    for (int t = 0; t < 32; t++)
        in[t] = (unsigned)t * 2654435761u;
    launch(&r, "bit_fields", 1, 32, 0, (const void *[]){&in, &r.out});
    for (int t = 0; t < 32; t++) {
        float f = (float)t;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        bits ^= 0x7fu << 8 * (t & 3);
        int a = (int)(in[t] << 29) >> 29;
        int64_t c = (int64_t)((uint64_t)in[t] << 9 << 24) >> 24;
        assert_int_equal(r.out[t], a + (int)(in[t] & 127) + (int)(c >> 20) + (int)(bits >> 8));
    }
    harness_close(&r.h);
}

static void test_any_address(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    unsigned char *bytes = harness_buffer(&r.h, 160);
    for (int i = 0; i < 40; i++)
        bytes[i] = (unsigned char)(3 * i);
    int n = 39;
    launch(&r, "any_address", 1, 1, 0, (const void *[]){&bytes, &n});
    for (int i = 0; i < 30; i++)
        assert_int_equal(bytes[40 + i], 3 * (i + 1));
    for (int i = 0; i < 39; i++)
        assert_int_equal(bytes[80 + i], 7);
    assert_int_equal(bytes[119], 0xa5);
    harness_close(&r.h);
}

static void test_cache_policies(void **state) {
    (void)state;
    struct run r;
    begin(&r);
    int n = 64;
    for (int t = 0; t < n; t++)
        r.out[t] = 7 * t;
    launch(&r, "cache_policies", 1, 64, 0, (const void *[]){&r.out, &n});
    for (int t = 0; t < n; t++) {
        assert_int_equal(r.out[t], 7 * t + 110);
        assert_int_equal(r.out[n + t], 7 * t + 1);
        assert_int_equal(r.out[2 * n + t], 7 * t);
    }
    harness_close(&r.h);
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    ptx = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virtual_functions),
        cmocka_unit_test(test_struct_returns),
        cmocka_unit_test(test_static_shared),
        cmocka_unit_test(test_switch_64),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_warp_sums),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_coalesced),
        cmocka_unit_test(test_async_copies),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_predicated),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_warps_and_blocks),
        cmocka_unit_test(test_much_shared),
        cmocka_unit_test(test_straddling_warps),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_any_address),
        cmocka_unit_test(test_cache_policies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
