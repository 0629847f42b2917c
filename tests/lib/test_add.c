/* wl_add: every type at every alignment against sums computed with integers, aliases, and invalid arguments.
 * On the simulator, or the device that WIDELOAD_DEVICE names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "device.h"
#include "wideload.h"

/* ---------------------------------------------------------------- references */

/* 2-byte floats: a sign, `exponent` bits, `digits` bits. */
struct small {
    int exponent, digits;
};
static const struct small f16 = {5, 10}, bf16 = {8, 7};

static bool small_is_nan(struct small kind, uint16_t x) {
    return (x & 0x7fff) > ((1 << kind.exponent) - 1) << kind.digits;
}

/* A finite number's magnitude in units of 2^(place - 1 - bias - digits), place >= 1. */
static int64_t small_digits(struct small kind, uint16_t x, int *place) {
    int exponent = (x & 0x7fff) >> kind.digits, digits = x & ((1 << kind.digits) - 1);
    *place = exponent ? exponent : 1;
    return exponent ? digits | 1 << kind.digits : digits;
}

/* The sum, rounded to nearest even, computed with integers; some NaN for a NaN. */
static uint16_t small_sum(struct small kind, uint16_t a, uint16_t b) {
    const uint16_t infinity = (uint16_t)(((1 << kind.exponent) - 1) << kind.digits);
    if (small_is_nan(kind, a) || small_is_nan(kind, b) || ((a ^ b) == 0x8000 && (a & 0x7fff) == infinity))
        return infinity | 1;
    if ((a & 0x7fff) == infinity || (b & 0x7fff) == infinity)
        return (a & 0x7fff) == infinity ? a : b;
    if ((a & 0x7fff) < (b & 0x7fff)) {
        uint16_t swapped = a;
        a = b;
        b = swapped;
    }
    int place_a, place_b;
    int64_t x = small_digits(kind, a, &place_a), y = small_digits(kind, b, &place_b);
    /* b is far below half of a's last digit (a quarter if a is a power of two), so a is the result. */
    if (place_a - place_b > 30)
        return a;
    int64_t sum = x << (place_a - place_b);
    sum += (a ^ b) & 0x8000 ? -y : y;
    if (sum == 0)
        return a & b & 0x8000;
    int place = place_b;
    /* Digits beyond those kept are shifted out, and decide about rounding. */
    int shift = 0;
    while (sum >> shift >= (int64_t)2 << kind.digits)
        shift++;
    int64_t kept = sum >> shift, rest = sum & (((int64_t)1 << shift) - 1),
            half = shift ? (int64_t)1 << (shift - 1) : 0;
    if (shift && (rest > half || (rest == half && (kept & 1))))
        kept++;
    place += shift;
    while (kept < (int64_t)1 << kind.digits && place > 1) {
        kept <<= 1;
        place--;
    }
    /* A carry into the exponent, also from the largest number to infinity, is correct in this encoding. */
    int64_t bits = kept < (int64_t)1 << kind.digits ? kept : ((int64_t)(place - 1) << kind.digits) + kept;
    if (bits > infinity)
        bits = infinity;
    return (uint16_t)bits | (a & 0x8000);
}

#define SUM(type)                                                                                            \
    do {                                                                                                     \
        type x, y;                                                                                           \
        memcpy(&x, a, sizeof(x));                                                                            \
        memcpy(&y, b, sizeof(y));                                                                            \
        x = (type)(x + y);                                                                                   \
        memcpy(out, &x, sizeof(x));                                                                          \
    } while (0)

/* Computes one element.  True if it is a NaN, which may have any bits. */
static bool reference(wl_type type, void *out, const void *a, const void *b) {
    switch (type) {
    case WL_TYPE_I8:
    case WL_TYPE_U8:
        SUM(uint8_t);
        return false;
    case WL_TYPE_I16:
    case WL_TYPE_U16:
        SUM(uint16_t);
        return false;
    case WL_TYPE_I32:
    case WL_TYPE_U32:
        SUM(uint32_t);
        return false;
    case WL_TYPE_I64:
    case WL_TYPE_U64:
        SUM(uint64_t);
        return false;
    case WL_TYPE_F32: {
        SUM(float);
        float sum;
        memcpy(&sum, out, sizeof(sum));
        return sum != sum;
    }
    case WL_TYPE_F64: {
        SUM(double);
        double sum;
        memcpy(&sum, out, sizeof(sum));
        return sum != sum;
    }
    case WL_TYPE_F16:
    case WL_TYPE_BF16: {
        struct small kind = type == WL_TYPE_F16 ? f16 : bf16;
        uint16_t x, y;
        memcpy(&x, a, 2);
        memcpy(&y, b, 2);
        uint16_t sum = small_sum(kind, x, y);
        memcpy(out, &sum, 2);
        return small_is_nan(kind, sum);
    }
    }
    fail();
    return false;
}

static bool is_nan(wl_type type, const void *element) {
    if (type == WL_TYPE_F32 || type == WL_TYPE_F64) {
        double value;
        float single;
        memcpy(&single, element, 4);
        if (type == WL_TYPE_F64)
            memcpy(&value, element, 8);
        else
            value = (double)single;
        return value != value;
    }
    uint16_t bits;
    memcpy(&bits, element, 2);
    return small_is_nan(type == WL_TYPE_F16 ? f16 : bf16, bits);
}

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {
#define TYPE(name, code, bytes) [code] = {#name, bytes},
    WL_TYPE_MAP(TYPE)
#undef TYPE
};
#define TYPES ((int)(sizeof(types) / sizeof(types[0])))

/* ---------------------------------------------------------------- one run */

/* Distance of each array from a 256-byte boundary, in elements. */
struct shifts {
    unsigned out, a, b;
};

/* If the device has a NaN where one is expected, accepts its bits. */
static void allow_nans(struct array *out, wl_type type, uint64_t n, size_t begin, const bool *nans,
                       const char *what) {
    const unsigned width = types[type].bytes;
    uint32_t *words, *got = array_fetch(context, out, &words, what);
    for (uint64_t i = 0; i < n; i++) {
        const char *element = (const char *)words + begin + i * width;
        if (nans[i] && is_nan(type, element))
            memcpy((char *)array_words(out) + begin + i * width, element, width);
    }
    free(got);
}

static void run(wl_type type, uint64_t n, struct shifts by, uint32_t seed) {
    const unsigned width = types[type].bytes;
    char what[128];
    snprintf(what, sizeof(what), "wl_add of %llu %s, out +%u, a +%u, b +%u", (unsigned long long)n,
             types[type].name, by.out, by.a, by.b);
    /* Enough words for the elements and the shift. */
    size_t words = (n + 40) * width / 4 + 1;
    struct array out = array_make(context, words, 0, seed), a = array_make(context, words, 0, seed + 1),
                 b = array_make(context, words, 0, seed + 2);
    size_t begin_out = by.out * width, begin_a = by.a * width, begin_b = by.b * width;
    bool *nans = calloc(n + 1, 1);
    assert_non_null(nans);
    if (wl_add(context, type, out.device + begin_out, a.device + begin_a, b.device + begin_b, n, NULL) ||
        wl_synchronize(context))
        fail_msg("%s: %s", what, wl_message());
    for (uint64_t i = 0; i < n; i++)
        nans[i] = reference(type, (char *)array_words(&out) + begin_out + i * width,
                            (char *)array_words(&a) + begin_a + i * width,
                            (char *)array_words(&b) + begin_b + i * width);
    allow_nans(&out, type, n, begin_out, nans, what);
    array_compare(context, &out, what);
    array_compare(context, &a, what);
    array_compare(context, &b, what);
    free(nans);
    array_free(context, &out);
    array_free(context, &a);
    array_free(context, &b);
}

/* ---------------------------------------------------------------- tests */

static const uint64_t sizes[] = {0, 1, 2, 3, 7, 16, 31, 33, 100, 257, 2049};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void sizes_and_shifts(void **state) {
    (void)state;
    static const struct shifts shifts[] = {{0, 0, 0},  {1, 1, 1},  {0, 1, 0},    {0, 0, 3},
                                           {1, 0, 0},  {3, 5, 9},  {13, 7, 7},   {2, 15, 17},
                                           {17, 4, 0}, {31, 8, 1}, {16, 11, 16}, {5, 21, 12}};
    for (int type = 0; type < TYPES; type++)
        for (size_t i = 0; i < SIZES; i++)
            for (size_t j = 0; j < sizeof(shifts) / sizeof(shifts[0]); j++)
                run((wl_type)type, sizes[i], shifts[j], (uint32_t)(1000 * i + j));
}

/* Every pair of places in an aligned vector, for the type with the most places. */
static void every_shift_of_bytes(void **state) {
    (void)state;
    for (unsigned a = 0; a < 16; a++)
        for (unsigned b = 0; b < 16; b++)
            run(WL_TYPE_U8, 150 + a, (struct shifts){(3 * a + b) % 32, a, b}, a + 16 * b);
}

/* The reference itself, in cases with known answers. */
static void small_floats_by_hand(void **state) {
    (void)state;
    static const struct {
        struct small kind;
        uint16_t a, b, sum;
    } cases[] = {
        {{5, 10}, 0x3c00, 0x3c00, 0x4000}, /* 1 + 1 = 2 */
        {{5, 10}, 0x3c00, 0xbc00, 0x0000}, /* 1 - 1 = +0 */
        {{5, 10}, 0x8000, 0x8000, 0x8000}, /* -0 - 0 = -0 */
        {{5, 10}, 0x0001, 0x0001, 0x0002}, /* subnormals */
        {{5, 10}, 0x03ff, 0x0001, 0x0400}, /* up to the normals */
        {{5, 10}, 0x7bff, 0x4c00, 0x7c00}, /* 65504 + 16 is a tie: to even is infinity */
        {{5, 10}, 0x7bff, 0x4bff, 0x7bff}, /* 65504 + 15.99 */
        {{5, 10}, 0x6800, 0x3c00, 0x6800}, /* 2048 + 1: a tie, to even */
        {{5, 10}, 0x6801, 0x3c00, 0x6802}, /* 2050 + 1: a tie, to even */
        {{5, 10}, 0x6800, 0xb800, 0x6800}, /* 2048 - 0.5: a tie below a power of two */
        {{5, 10}, 0x7c00, 0x3c00, 0x7c00}, /* infinity */
        {{8, 7}, 0x3f80, 0x3f80, 0x4000},  /* 1 + 1 = 2 */
        {{8, 7}, 0x4380, 0x3f80, 0x4380},  /* 256 + 1: a tie, to even */
        {{8, 7}, 0x4381, 0x3f80, 0x4382},  /* 258 + 1: a tie, to even */
        {{8, 7}, 0x7f7f, 0x7f7f, 0x7f80},  /* overflow */
        {{8, 7}, 0x0001, 0x8002, 0x8001},  /* subnormals */
        {{8, 7}, 0x7f7f, 0x0001, 0x7f7f},  /* the largest and the smallest */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(small_sum(cases[i].kind, cases[i].a, cases[i].b), cases[i].sum);
        assert_int_equal(small_sum(cases[i].kind, cases[i].b, cases[i].a), cases[i].sum);
    }
    assert_true(small_is_nan(f16, small_sum(f16, 0x7c00, 0xfc00)));
    assert_true(small_is_nan(bf16, small_sum(bf16, 0x7fff, 0x0000)));
}

/* Random bits rarely give a tie, a carry or an end of the range.  So these are exponents close to each other,
 * and all pairs of special numbers. */
static void small_floats_at_their_limits(void **state) {
    (void)state;
    enum { COUNT = 1 << 15 };
    static const uint16_t special[] = {0x0000, 0x0001, 0x0002, 0x007f, 0x0080, 0x0081, 0x03ff, 0x0400,
                                       0x0401, 0x3c00, 0x3c01, 0x3f80, 0x3f81, 0x7bff, 0x7c00, 0x7c01,
                                       0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff, 0x4380, 0x6800};
    const unsigned specials = sizeof(special) / sizeof(special[0]);
    for (int kind = 0; kind < 2; kind++) {
        wl_type type = kind ? WL_TYPE_BF16 : WL_TYPE_F16;
        struct array out = array_make(context, COUNT / 2, 0, 5), a = array_make(context, COUNT / 2, 0, 6),
                     b = array_make(context, COUNT / 2, 0, 7);
        uint16_t *x = (uint16_t *)array_words(&a), *y = (uint16_t *)array_words(&b),
                 *sum = (uint16_t *)array_words(&out);
        for (unsigned i = 0; i < COUNT; i++) {
            unsigned digits = kind ? 7 : 10, near = (mix(i) % 25) << digits;
            y[i] = (uint16_t)((x[i] & 0x7fff) >= near
                                  ? y[i] % (1 << digits) | (((x[i] & 0x7fff) - near) & ~((1u << digits) - 1))
                                  : y[i]);
            y[i] |= (uint16_t)(mix(i + 77) & 0x8000);
            if (i < 4 * specials * specials) {
                x[i] = special[i / 4 % specials] | (uint16_t)(i << 15);
                y[i] = special[i / 4 / specials] | (uint16_t)(i >> 1 << 15);
            }
        }
        array_send(context, &a);
        array_send(context, &b);
        bool *nans = calloc(COUNT, 1);
        assert_non_null(nans);
        if (wl_add(context, type, out.device, a.device, b.device, COUNT, NULL) || wl_synchronize(context))
            fail_msg("%s", wl_message());
        for (unsigned i = 0; i < COUNT; i++)
            nans[i] = reference(type, &sum[i], &x[i], &y[i]);
        allow_nans(&out, type, COUNT, 0, nans, types[type].name);
        array_compare(context, &out, types[type].name);
        free(nans);
        array_free(context, &out);
        array_free(context, &a);
        array_free(context, &b);
    }
}

/* out may be a, or b, or both, wherever the other input is; a and b may overlap. */
static void aliases(void **state) {
    (void)state;
    enum { N = 1000 };
    for (unsigned alias = 0; alias < 4; alias++)
        for (unsigned shift = 0; shift < 20; shift++) {
            struct array one = array_make(context, N + 40, 0, shift),
                         two = array_make(context, N + 40, 0, 99);
            /* alias 0: a is out; 1: b is out; 2: both are; 3: a and b overlap. */
            wl_devptr out = one.device + shift, a = out, b = two.device + 5;
            struct array *target = &one;
            size_t at = shift, at_a = shift, at_b = 5;
            uint8_t *bytes_a = (uint8_t *)array_words(&one), *bytes_b = (uint8_t *)array_words(&two);
            if (alias == 2) {
                b = a;
                bytes_b = bytes_a;
                at_b = at_a;
            } else if (alias == 3) {
                target = &two;
                out = two.device + 3;
                at = 3;
                a = one.device;
                at_a = 0;
                b = one.device + shift;
                at_b = shift;
                bytes_b = bytes_a;
            }
            if (alias == 1 ? wl_add(context, WL_TYPE_I8, out, b, a, 4 * N, NULL)
                           : wl_add(context, WL_TYPE_I8, out, a, b, 4 * N, NULL))
                fail_msg("%s", wl_message());
            uint8_t *sum = (uint8_t *)array_words(target) + at;
            for (size_t i = 0; i < 4 * N; i++)
                sum[i] = (uint8_t)(bytes_a[at_a + i] + bytes_b[at_b + i]);
            array_compare(context, &one, "alias");
            array_compare(context, &two, "alias");
            array_free(context, &one);
            array_free(context, &two);
        }
}

/* Arrays that fill their allocations: a byte read or written past either end faults on the simulator. */
static void nothing_outside(void **state) {
    (void)state;
    for (unsigned n = 1; n < 200; n += 7)
        for (unsigned shift = 0; shift < 16; shift += 3) {
            wl_devptr out, a, b;
            assert_int_equal(wl_alloc(context, &out, n + 1), WL_ERROR_OK);
            assert_int_equal(wl_alloc(context, &a, n + shift), WL_ERROR_OK);
            assert_int_equal(wl_alloc(context, &b, n), WL_ERROR_OK);
            if (wl_add(context, WL_TYPE_I8, out, a, b, n, NULL) ||
                wl_add(context, WL_TYPE_I8, out + 1, a + shift, b, n, NULL) || wl_synchronize(context))
                fail_msg("%s", wl_message());
            wl_free(context, out);
            wl_free(context, a);
            wl_free(context, b);
        }
}

static void refuses(const char *part, wl_error error) {
    assert_int_equal(error, WL_ERROR_INVALID_ARGUMENT);
    if (!strstr(wl_message(), part) || !strstr(wl_message(), "wl_add"))
        fail_msg("\"%s\" does not say wl_add and \"%s\"", wl_message(), part);
}

static void refusals(void **state) {
    (void)state;
    const wl_devptr x = 1 << 20, y = 2 << 20, z = 3 << 20;
    refuses("context", wl_add(NULL, WL_TYPE_F32, x, y, z, 1, NULL));
    refuses("type is 12", wl_add(context, (wl_type)12, x, y, z, 1, NULL));
    refuses("type is -1", wl_add(context, (wl_type)-1, x, y, z, 1, NULL));
    refuses("out is NULL", wl_add(context, WL_TYPE_F32, 0, y, z, 1, NULL));
    refuses("a is NULL", wl_add(context, WL_TYPE_F32, x, 0, z, 1, NULL));
    refuses("b is NULL", wl_add(context, WL_TYPE_F32, x, y, 0, 1, NULL));
    refuses("out is 0x100002", wl_add(context, WL_TYPE_F32, x + 2, y, z, 1, NULL));
    refuses("a is 0x200001", wl_add(context, WL_TYPE_F16, x, y + 1, z, 1, NULL));
    refuses("b is 0x300004", wl_add(context, WL_TYPE_F64, x, y, z + 4, 1, NULL));
    refuses("out goes past", wl_add(context, WL_TYPE_F32, x, y, z, UINT64_MAX / 4 + 2, NULL));
    refuses("out goes past", wl_add(context, WL_TYPE_I8, x, y, z, (uint64_t)-1, NULL));
    refuses("out and a overlap", wl_add(context, WL_TYPE_F32, x, x + 4, z, 2, NULL));
    refuses("out and b overlap", wl_add(context, WL_TYPE_F32, x + 4, y, x, 2, NULL));
    refuses("out and b overlap", wl_add(context, WL_TYPE_F32, x, x, x + 4, 2, NULL));
    assert_int_equal(wl_add(context, WL_TYPE_F32, 0, 0, 0, 0, NULL), WL_ERROR_OK);
}

static void explains(void **state) {
    (void)state;
    struct array one = array_make(context, 100, 0, 1), two = array_make(context, 100, 0, 2);
    assert_int_equal(wl_add(context, WL_TYPE_F32, one.device, two.device, two.device, 50, NULL), WL_ERROR_OK);
    assert_non_null(strstr(wl_explain(), "wl_add: type 10, n 50: aligned: "));
    assert_int_equal(wl_add(context, WL_TYPE_F32, one.device, two.device + 4, two.device, 50, NULL),
                     WL_ERROR_OK);
    assert_non_null(strstr(wl_explain(), ": shifted: "));
    array_free(context, &one);
    array_free(context, &two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_floats_by_hand),
        cmocka_unit_test(sizes_and_shifts),
        cmocka_unit_test(every_shift_of_bytes),
        cmocka_unit_test(small_floats_at_their_limits),
        cmocka_unit_test(aliases),
        cmocka_unit_test(nothing_outside),
        cmocka_unit_test(refusals),
        cmocka_unit_test(explains),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
