/* mma and wmma.mma: gathers the fragments into matrices, multiplies, scatters the result. */
#include <string.h>

#include "sim/exec/handlers.h"
#include "sim/exec/lanes/half.h"
#include "sim/exec/matrix/matrix.h"

enum {
    MAX_OPERAND = 32 * 32,
    MAX_RESULT = 32 * SIM_MATRIX_REGISTERS,
    MAX_INTEGERS = 16 * 64,
    MAX_WORDS = 16 * 8
};

/* ---------------------------------------------------------------- elements out of registers */

/* The value of an 8-bit float; e5m2 is the upper half of an f16. */
static double small_value(enum sim_element type, uint32_t bits) {
    if (type == SIM_E5M2_ELEMENT)
        return (double)f16_value((uint16_t)(bits << 8));
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    if (exponent == 15 && fraction == 7)
        return (double)NAN;
    double value = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    return bits & 0x80 ? -value : value;
}

/* tf32 uses only the upper 19 of 32 bits. */
static double operand_value(enum sim_element type, uint32_t bits) {
    switch (type) {
    case SIM_F16_ELEMENT:
        return (double)f16_value((uint16_t)bits);
    case SIM_BF16_ELEMENT:
        return (double)bf16_value((uint16_t)bits);
    case SIM_TF32_ELEMENT:
        return (double)float_f32(bits & 0xffffe000);
    default:
        return small_value(type, bits);
    }
}

/* A subnormal has the exponent of the smallest normal number. */
static int operand_exponent(enum sim_element type, double value) {
    static const int smallest[] = {[SIM_F16_ELEMENT] = -14,
                                   [SIM_BF16_ELEMENT] = -126,
                                   [SIM_TF32_ELEMENT] = -126,
                                   [SIM_E4M3_ELEMENT] = -6,
                                   [SIM_E5M2_ELEMENT] = -14};
    if (value == 0)
        return SIM_NO_EXPONENT;
    int exponent = (int)(bits_f64(value) >> 52 & 0x7ff) - 1023;
    return exponent < smallest[type] ? smallest[type] : exponent;
}

static uint32_t element_mask(const struct sim_fragment *f) {
    return f->bits == 32 ? UINT32_MAX : (1u << f->bits) - 1;
}

/* Rows of 32 8-bit floats: the first two of each four belong to the first step. */
static void split_fours(double *value, int *exponent, unsigned rows) {
    for (unsigned row = 0; row < rows; row++, value += 32, exponent += 32) {
        double v[32];
        int e[32];
        memcpy(v, value, sizeof v);
        memcpy(e, exponent, sizeof e);
        for (unsigned k = 0; k < 32; k++) {
            unsigned to = (k & 2) * 8 + k / 4 * 2 + (k & 1);
            value[to] = v[k];
            exponent[to] = e[k];
        }
    }
}

static void gather_floats(struct sim_warp *w, const struct sim_fragment *f, double *value, int *exponent) {
    for (unsigned r = 0; r < f->cores; r++) {
        const uint32_t *words = SIM_SLOT(w, f->reg[r]);
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            for (unsigned e = 0; e < 32u / f->bits; e++) {
                unsigned at = f->at[r][lane] + e * f->step;
                value[at] = operand_value(f->element, words[lane] >> f->bits * e & element_mask(f));
                exponent[at] = operand_exponent(f->element, value[at]);
            }
    }
    if (f->bits == 8)
        split_fours(value, exponent, f->rows);
}

static void gather_integers(struct sim_warp *w, const struct sim_fragment *f, int16_t *value) {
    bool is_signed = f->element == SIM_S8_ELEMENT || f->element == SIM_S4_ELEMENT;
    for (unsigned r = 0; r < f->cores; r++) {
        const uint32_t *words = SIM_SLOT(w, f->reg[r]);
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            for (unsigned e = 0; e < 32u / f->bits; e++) {
                int bits = (int)(words[lane] >> f->bits * e & element_mask(f));
                bool negative = is_signed && bits >> (f->bits - 1);
                value[f->at[r][lane] + e] = (int16_t)(negative ? bits - (1 << f->bits) : bits);
            }
    }
}

/* ---------------------------------------------------------------- accumulators */

/* Reads an element's bits; halves share a word. */
static uint32_t read_word(struct sim_warp *w, const struct sim_fragment *f, unsigned element, unsigned lane) {
    if (f->element == SIM_F16_ELEMENT)
        return ((const uint32_t *)SIM_SLOT(w, f->reg[element / 2]))[lane] >> 16 * (element % 2) & 0xffff;
    return ((const uint32_t *)SIM_SLOT(w, f->reg[element]))[lane];
}

static void write_word(struct sim_warp *w, const struct sim_fragment *f, unsigned element, unsigned lane,
                       uint32_t bits) {
    if (f->element != SIM_F16_ELEMENT) {
        ((uint32_t *)SIM_SLOT(w, f->reg[element]))[lane] = bits;
        return;
    }
    uint32_t *word = (uint32_t *)SIM_SLOT(w, f->reg[element / 2]) + lane;
    unsigned shift = 16 * (element % 2);
    *word = (*word & ~(0xffffu << shift)) | bits << shift;
}

static void gather_words(struct sim_warp *w, const struct sim_fragment *f, uint32_t *to) {
    for (unsigned e = 0; e < f->cores; e++)
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            to[f->at[e][lane]] = read_word(w, f, e, lane);
}

static void scatter_words(struct sim_warp *w, const struct sim_fragment *f, const uint32_t *from) {
    for (unsigned e = 0; e < f->cores; e++)
        for (uint32_t left = w->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            write_word(w, f, e, lane, from[f->at[e][lane]]);
        }
}

/* ---------------------------------------------------------------- products */

static uint32_t float_bits(double x, bool half) {
    return half ? f16_nearest(odd_f32(x)) : bits_f32(canonical((float)x));
}

const struct sim_insn *sim_run_multiply_floats(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_multiply *m = in->extra;
    const struct sim_dot_rules *rules = sim_dot_rules_of(m->a.element);
    double a[MAX_OPERAND], b[MAX_OPERAND];
    int a_exponent[MAX_OPERAND], b_exponent[MAX_OPERAND];
    uint32_t c[MAX_RESULT], d[MAX_RESULT];
    bool half_in = m->c.element == SIM_F16_ELEMENT, half_out = m->d.element == SIM_F16_ELEMENT;
    unsigned rows = m->a.rows, columns = m->b.rows, k = m->a.columns;
    gather_floats(w, &m->a, a, a_exponent);
    gather_floats(w, &m->b, b, b_exponent);
    gather_words(w, &m->c, c);
    for (unsigned product = 0; product < m->products; product++)
        for (unsigned i = product * rows; i < (product + 1) * rows; i++)
            for (unsigned j = 0; j < columns; j++) {
                unsigned at = i * columns + j, row = i * k, column = (product * columns + j) * k;
                double start = half_in ? (double)f16_value((uint16_t)c[at]) : (double)float_f32(c[at]);
                double sum = m->products == 1 ? sim_dot(rules, a + row, a_exponent + row, b + column,
                                                        b_exponent + column, k, start, half_out)
                                              : (double)sim_dot_chain(a + row, b + column, k, (float)start);
                d[at] = float_bits(sum, half_out);
            }
    scatter_words(w, &m->d, d);
    return in + 1;
}

/* Each product and sum is one fma, in the order of k. */
const struct sim_insn *sim_run_multiply_doubles(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_multiply *m = in->extra;
    double a[MAX_OPERAND], b[MAX_OPERAND], d[MAX_RESULT];
    unsigned rows = m->a.rows, columns = m->b.rows, k = m->a.columns;
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        for (unsigned r = 0; r < m->a.cores; r++)
            a[m->a.at[r][lane]] = ((const double *)SIM_SLOT(w, m->a.reg[r]))[lane];
        for (unsigned r = 0; r < m->b.cores; r++)
            b[m->b.at[r][lane]] = ((const double *)SIM_SLOT(w, m->b.reg[r]))[lane];
        for (unsigned e = 0; e < m->c.cores; e++)
            d[m->c.at[e][lane]] = ((const double *)SIM_SLOT(w, m->c.reg[e]))[lane];
    }
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++)
            for (unsigned n = 0; n < k; n++)
                d[i * columns + j] = sim_dot_fma(a[i * k + n], b[j * k + n], d[i * columns + j]);
    for (unsigned e = 0; e < m->d.cores; e++)
        for (uint32_t left = w->mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            ((double *)SIM_SLOT(w, m->d.reg[e]))[lane] = d[m->d.at[e][lane]];
        }
    return in + 1;
}

/* The sum wraps modulo 2^32, or saturates to s32. */
const struct sim_insn *sim_run_multiply_integers(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_multiply *m = in->extra;
    int16_t a[MAX_INTEGERS], b[MAX_INTEGERS];
    uint32_t d[MAX_RESULT];
    unsigned rows = m->a.rows, columns = m->b.rows, k = m->a.columns;
    gather_integers(w, &m->a, a);
    gather_integers(w, &m->b, b);
    gather_words(w, &m->c, d);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++) {
            int32_t products = 0; /* at most 64 products of 16 bits */
            for (unsigned n = 0; n < k; n++)
                products += a[i * k + n] * b[j * k + n];
            int64_t sum = (int64_t)(int32_t)d[i * columns + j] + products;
            if (m->saturate)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            d[i * columns + j] = (uint32_t)sum;
        }
    scatter_words(w, &m->d, d);
    return in + 1;
}

/* The number of bits that the rows have in common, or in which they differ. */
const struct sim_insn *sim_run_multiply_bits(struct sim_warp *w, const struct sim_insn *in) {
    const struct sim_multiply *m = in->extra;
    uint32_t a[MAX_WORDS], b[MAX_WORDS], d[MAX_RESULT];
    unsigned rows = m->a.rows, columns = m->b.rows, words = m->a.columns / 32u;
    for (unsigned lane = 0; lane < SIM_LANES; lane++) {
        for (unsigned r = 0; r < m->a.cores; r++)
            a[m->a.at[r][lane] / 32] = ((const uint32_t *)SIM_SLOT(w, m->a.reg[r]))[lane];
        for (unsigned r = 0; r < m->b.cores; r++)
            b[m->b.at[r][lane] / 32] = ((const uint32_t *)SIM_SLOT(w, m->b.reg[r]))[lane];
    }
    gather_words(w, &m->c, d);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++)
            for (unsigned n = 0; n < words; n++) {
                uint32_t x = a[i * words + n], y = b[j * words + n];
                d[i * columns + j] += (uint32_t)__builtin_popcount(m->how == SIM_MATRIX_XOR ? x ^ y : x & y);
            }
    scatter_words(w, &m->d, d);
    return in + 1;
}
