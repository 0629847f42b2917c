/* Sums of products as an H200 computes them, to the last bit (tests/exec/matrix/test_h200.c).
 *
 * Products are exact.  A step aligns up to `width` products and the sum so far to the largest exponent among
 * them (a product's is the sum of its factors'), truncates the bits more than `fraction` below it, adds the
 * rest exactly, and truncates the result to f32.  A result in f16 is rounded to nearest instead.
 *
 * Two forms do not use sm_90's tensor cores directly.  For 8-bit floats, ptxas converts to halves, adds their
 * products in two steps from 0, then adds C, rounded.  m8n8k4 is a chain of fma, also with C last. */
#include <math.h>

#include "sim/exec/clones.h"
#include "sim/exec/lanes/half.h"
#include "sim/exec/matrix/matrix.h"

static int exponent_of(double x) {
    return x == 0 ? SIM_NO_EXPONENT : ilogb(x);
}

/* Truncates to f32, subnormal or not. */
static double cut(double x) {
    float y = (float)x;
    if (fabs((double)y) > fabs(x))
        y = nextafterf(y, 0.0f);
    return y;
}

/* 2^e as a normal double. */
static double power(int e) {
    return float_f64((uint64_t)(e + 1023) << 52);
}

/* All operands are finite.  The exponent of c is at least an f32's smallest. */
SIM_CLONES static double step(const double *a, const int *a_exponent, const double *b, const int *b_exponent,
                              unsigned count, double c, unsigned fraction) {
    double product[SIM_DOT_WIDTH];
    int most = exponent_of(c);
    if (c != 0 && most < -126)
        most = -126;
    for (unsigned k = 0; k < count; k++) {
        int e = a_exponent[k] + b_exponent[k];
        most = e > most ? e : most;
        product[k] = a[k] * b[k];
    }
    if (most <= SIM_NO_EXPONENT / 2)
        return c + 0.0; /* all are zeros */
    double scale = power((int)fraction - most);
    int64_t sum = (int32_t)(c * scale);
    for (unsigned k = 0; k < count; k++)
        sum += (int32_t)(product[k] * scale);
    return (double)sum / scale;
}

const struct sim_dot_rules *sim_dot_rules_of(enum sim_element element) {
    static const struct sim_dot_rules half = {16, 25, false}, tf32 = {8, 25, false}, small = {16, 25, true};
    return element == SIM_TF32_ELEMENT                                  ? &tf32
           : element == SIM_E4M3_ELEMENT || element == SIM_E5M2_ELEMENT ? &small
                                                                        : &half;
}

double sim_dot(const struct sim_dot_rules *rules, const double *a, const int *a_exponent, const double *b,
               const int *b_exponent, unsigned count, double c, bool half) {
    bool finite = isfinite(c);
    for (unsigned k = 0; k < count; k++)
        finite &= isfinite(a[k]) && isfinite(b[k]);
    if (!finite) { /* infinities of one sign stay; all else is NaN */
        double sum = c;
        for (unsigned k = 0; k < count; k++)
            sum += isfinite(a[k]) && isfinite(b[k]) ? 0 : a[k] * b[k];
        return sum;
    }
    double sum = rules->apart ? 0 : c;
    for (unsigned k = 0; k < count; k += rules->width) {
        unsigned n = count - k < rules->width ? count - k : rules->width;
        sum = step(a + k, a_exponent + k, b + k, b_exponent + k, n, sum, rules->fraction);
        if (!half || k + n < count)
            sum = cut(sum);
    }
    return rules->apart ? (double)((float)sum + (float)c) : sum;
}

float sim_dot_chain(const double *a, const double *b, unsigned count, float c) {
    float sum = (float)(a[0] * b[0]); /* exact for halves */
    for (unsigned k = 1; k < count; k++)
        sum = fmaf((float)a[k], (float)b[k], sum);
    return sum + c;
}

/* Among several NaNs, the second factor's has priority, then the addend's. */
double sim_dot_fma(double a, double b, double c) {
    const uint64_t quiet = 1ull << 51, none = 0xfff8ull << 48;
    if (b != b)
        return float_f64(bits_f64(b) | quiet);
    if (c != c)
        return float_f64(bits_f64(c) | quiet);
    if (a != a)
        return float_f64(bits_f64(a) | quiet);
    double d = fma(a, b, c);
    return d == d ? d : float_f64(none);
}
