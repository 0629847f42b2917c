/* Sums of products as tensor cores make them.
 *
 * Products are exact.  A step aligns up to width of them and the sum so far to the largest exponent among
 * them (a product's is the sum of its factors'), cuts off what lies more than so many bits below, adds the
 * rest exactly, and cuts the result down to f32.  A result in f16 is rounded to nearest instead. */
#include <math.h>

#include "sim/exec/clones.h"
#include "sim/exec/half.h"
#include "sim/exec/matrix.h"

static int exponent_of(double x) {
    return x == 0 ? SIM_NO_EXPONENT : ilogb(x);
}

/* Toward zero to f32, subnormal or not. */
static double cut(double x) {
    float y = (float)x;
    if (fabs((double)y) > fabs(x))
        y = nextafterf(y, 0.0f);
    return y;
}

/* 2^e of a normal double. */
static double power(int e) {
    return float_f64((uint64_t)(e + 1023) << 52);
}

/* All finite.  The exponent of c is at least an f32's smallest. */
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
        return c + 0.0; /* nothing but zeros */
    double scale = power((int)fraction - most);
    int64_t sum = (int32_t)(c * scale);
    for (unsigned k = 0; k < count; k++)
        sum += (int32_t)(product[k] * scale);
    return (double)sum / scale;
}

/* 8-bit floats go as halves, which is what ptxas makes of them for sm_90. */
const struct sim_dot_rules *sim_dot_rules_of(enum sim_element element) {
    static const struct sim_dot_rules half = {16, 25}, tf32 = {8, 25};
    return element == SIM_TF32_ELEMENT ? &tf32 : &half;
}

double sim_dot(const struct sim_dot_rules *rules, const double *a, const int *a_exponent, const double *b,
               const int *b_exponent, unsigned count, double c, bool half) {
    bool finite = isfinite(c);
    for (unsigned k = 0; k < count; k++)
        finite &= isfinite(a[k]) && isfinite(b[k]);
    if (!finite) { /* infinities of one sign stay, all else is NaN */
        double sum = c;
        for (unsigned k = 0; k < count; k++)
            sum += isfinite(a[k]) && isfinite(b[k]) ? 0 : a[k] * b[k];
        return sum;
    }
    for (unsigned k = 0; k < count; k += rules->width) {
        unsigned n = count - k < rules->width ? count - k : rules->width;
        c = step(a + k, a_exponent + k, b + k, b_exponent + k, n, c, rules->fraction);
        if (!half || k + n < count)
            c = cut(c);
    }
    return c;
}
