/* See compare.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tests/exec/conformance/compare.h"

/* Maps a float type's numbers to integers in the same order: neighbours differ by one. */
static int64_t place(uint64_t bits, unsigned bytes) {
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static bool is_nan(uint64_t bits, enum ptx_type type) {
    const uint64_t infinity = type == PTX_TYPE_F64    ? UINT64_C(0x7ff) << 52
                              : type == PTX_TYPE_F32  ? 0x7f800000
                              : type == PTX_TYPE_BF16 ? 0x7f80
                                                      : 0x7c00;
    return (bits & (infinity | (infinity - 1))) > infinity;
}

/* Maximum error of the simulator's correctly rounded values against an H200, on the cases' operands: in ulp,
 * or as an absolute difference (the hardware computes sines and logarithms as sums of fixed-point numbers).
 * The upper words of f64's approximations differ by one. */
struct tolerance {
    const char *start;
    double ulp, absolute;
};

static const struct tolerance *tolerance_of(const char *name) {
    static const struct tolerance rows[] = {{"div.", 2, 0},
                                            {"rcp.approx.ftz.f64", 0x1p32, 0},
                                            {"rsqrt.approx.ftz.f64", 0x1p32, 0},
                                            {"rcp.", 1, 0},
                                            {"sqrt.", 1, 0},
                                            {"rsqrt.", 1, 0},
                                            {"sin.", 0, 0x1p-21},
                                            {"cos.", 0, 0x1p-21},
                                            {"lg2.", 1, 0x1p-22},
                                            {"ex2.approx.f32", 2, 0},
                                            {"ex2.approx.ftz.f32", 2, 0},
                                            {"ex2.", 1, 0},
                                            {"tanh.approx.f32", 114, 0},
                                            {"tanh.", 1, 0}};
    static const struct tolerance none = {"", 0, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(name, rows[i].start, strlen(rows[i].start)) == 0)
            return &rows[i];
    return &none;
}

static float as_f32(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static bool is_close(const char *name, uint64_t got, uint64_t expected, enum ptx_type type, double *error) {
    if (is_nan(got, type) || is_nan(expected, type))
        return got == expected;
    const int64_t apart = place(got, ptx_type_bytes(type)) - place(expected, ptx_type_bytes(type));
    *error = fabs((double)apart);
    const struct tolerance *tolerance = tolerance_of(name);
    return *error <= tolerance->ulp ||
           (tolerance->absolute > 0 && fabsf(as_f32(got) - as_f32(expected)) <= tolerance->absolute);
}

bool tuple_matches(const struct conformance_case *one, const struct results *got,
                   const struct results *expected, size_t i, double *error) {
    *error = 0;
    const uint64_t x = got->bits[0][i], y = expected->bits[0][i];
    const enum ptx_type type = one->result[0];
    if (one->approximate && (type == PTX_TYPE_F16X2 || type == PTX_TYPE_BF16X2)) {
        const enum ptx_type half = type == PTX_TYPE_F16X2 ? PTX_TYPE_F16 : PTX_TYPE_BF16;
        double other = 0;
        const bool low = is_close(one->name, x & 0xffff, y & 0xffff, half, error);
        const bool high = is_close(one->name, x >> 16, y >> 16, half, &other);
        *error = fmax(*error, other);
        return low && high;
    }
    if (one->approximate)
        return is_close(one->name, x, y, type, error);
    bool same = true;
    for (unsigned k = 0; k < RESULTS; k++)
        same &= one->result[k] == PTX_TYPE_NONE || got->bits[k][i] == expected->bits[k][i];
    return same;
}

static unsigned digits(const struct conformance_case *one, enum ptx_type type, unsigned k) {
    return type == PTX_TYPE_PRED        ? 1
           : k == 0 && one->wide_result ? 2u * one->wide_result
                                        : 2 * ptx_type_bytes(type);
}

void tuple_print(FILE *f, const struct conformance_case *one, const struct operands *operands,
                 const struct results *got, const struct results *expected, size_t i) {
    fprintf(f, "%s", one->name);
    for (unsigned k = 0; k < SOURCES; k++)
        if (one->source[k] != PTX_TYPE_NONE)
            fprintf(f, " %0*" PRIx64,
                    (int)(one->source[k] == PTX_TYPE_PRED ? 1 : 2 * ptx_type_bytes(one->source[k])),
                    operands->bits[k][i]);
    const struct results *both[] = {got, expected};
    for (unsigned j = 0; j < 2; j++) {
        fprintf(f, j ? ", expected" : ": got");
        for (unsigned k = 0; k < RESULTS; k++)
            if (one->result[k] != PTX_TYPE_NONE)
                fprintf(f, " %0*" PRIx64, (int)digits(one, one->result[k], k), both[j]->bits[k][i]);
    }
    fprintf(f, " (tuple %zu)\n", i);
}
