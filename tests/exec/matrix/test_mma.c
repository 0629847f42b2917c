/* Every form of mma and wmma.mma against a product by definition: the layouts here are the formulas of PTX's
 * manual, form by form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/exec/harness.h"
#include "tests/exec/matrix/forms.h"

struct place {
    unsigned row, column;
};

static struct place place_a(unsigned bits, unsigned m, unsigned k, unsigned lane, unsigned i) {
    unsigned g = lane >> 2, t = lane % 4;
    bool low;
    switch (bits) {
    case 16:
        if (k == 8)
            return (struct place){i < 2 ? g : g + 8, t * 2 + (i & 1)};
        low = i < 2 || (4 <= i && i < 6);
        return (struct place){low ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    case 32:
        if (k == 4)
            return (struct place){i == 0 ? g : g + 8, t};
        return (struct place){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
    case 64:
        if (m == 8)
            return (struct place){g, t};
        if (k == 4)
            return (struct place){i == 0 ? g : g + 8, t};
        if (k == 8)
            return (struct place){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
        return (struct place){i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
    case 8:
        if (m == 8)
            return (struct place){g, t * 4 + i};
        if (k == 16)
            return (struct place){i < 4 ? g : g + 8, t * 4 + (i & 3)};
        low = i < 4 || (8 <= i && i < 12);
        return (struct place){low ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    case 4:
        if (m == 8)
            return (struct place){g, t * 8 + i};
        if (k == 32)
            return (struct place){i < 8 ? g : g + 8, t * 8 + (i & 7)};
        low = i < 8 || (16 <= i && i < 24);
        return (struct place){low ? g : g + 8, t * 8 + (i & 7) + (i < 16 ? 0 : 32)};
    default:
        if (m == 8)
            return (struct place){g, t * 32 + i};
        if (k == 128)
            return (struct place){i < 32 ? g : g + 8, t * 32 + (i & 31)};
        low = i < 32 || (64 <= i && i < 96);
        return (struct place){low ? g : g + 8, t * 32 + (i & 31) + (i < 64 ? 0 : 128)};
    }
}

/* row: k. */
static struct place place_b(unsigned bits, unsigned k, unsigned lane, unsigned i) {
    unsigned g = lane >> 2, t = lane % 4;
    (void)k;
    switch (bits) {
    case 16:
        return (struct place){t * 2 + (i & 1) + (i < 2 ? 0 : 8), g};
    case 32:
    case 64:
        return (struct place){t + 4 * i, g};
    case 8:
        return (struct place){t * 4 + (i & 3) + (i < 4 ? 0 : 16), g};
    case 4:
        return (struct place){t * 8 + (i & 7) + (i < 8 ? 0 : 32), g};
    default:
        return (struct place){t * 32 + (i & 31) + (i < 32 ? 0 : 128), g};
    }
}

static struct place place_c(unsigned lane, unsigned i) {
    return (struct place){i < 2 ? lane >> 2 : (lane >> 2) + 8, (lane % 4) * 2 + (i & 1)};
}

/* m8n8k4 with f16: the number of the lane's product, of four, and the place in it. */
static unsigned pair_of(unsigned lane) {
    return lane % 16 / 4;
}

static struct place pair_a(bool row_major, unsigned lane, unsigned i) {
    if (row_major)
        return (struct place){lane < 16 ? lane % 4 : lane % 4 + 4, i};
    return (struct place){lane < 16 ? i % 4 : i % 4 + 4, lane % 4};
}

static struct place pair_b(bool row_major, unsigned lane, unsigned i) {
    if (row_major)
        return (struct place){lane % 4, lane < 16 ? i : i + 4};
    return (struct place){i, lane < 16 ? lane % 4 : lane % 4 + 4};
}

static struct place pair_c(bool wide, unsigned lane, unsigned i) {
    if (!wide)
        return (struct place){lane < 16 ? lane % 4 : lane % 4 + 4, i};
    unsigned x = (lane & 1) + (i & 2);
    return (struct place){lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
}

/* ---------------------------------------------------------------- values */

static double from_parts(uint64_t bits, unsigned exponent_bits, unsigned fraction_bits) {
    uint64_t fraction = bits & ((1ull << fraction_bits) - 1);
    int top = (1 << exponent_bits) - 1, bias = top >> 1, exponent = (int)(bits >> fraction_bits) & top;
    double sign = bits >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;
    if (exponent == top)
        return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent)
        fraction |= 1ull << fraction_bits;
    else
        exponent = 1;
    return sign * ldexp((double)fraction, exponent - bias - (int)fraction_bits);
}

static double value_of(const char *type, const unsigned char *matrix, size_t index) {
    unsigned bits = form_bits(type);
    uint64_t raw = 0;
    if (bits < 8)
        raw = matrix[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
    else
        memcpy(&raw, matrix + index * bits / 8, bits / 8);
    if (strcmp(type, "f16") == 0)
        return from_parts(raw, 5, 10);
    if (strcmp(type, "bf16") == 0)
        return from_parts(raw, 8, 7);
    if (strcmp(type, "tf32") == 0)
        return from_parts(raw >> 13, 8, 10);
    if (strcmp(type, "f32") == 0)
        return from_parts(raw, 8, 23);
    if (strcmp(type, "f64") == 0)
        return from_parts(raw, 11, 52);
    if (strcmp(type, "e5m2") == 0)
        return from_parts(raw, 5, 2);
    if (strcmp(type, "e4m3") == 0) {
        if ((raw & 0x7f) == 0x7f)
            return (double)NAN;
        return (raw & 0x78) == 0x78 ? (raw & 0x80 ? -1 : 1) * (256.0 + 32.0 * (double)(raw & 7))
                                    : from_parts(raw, 4, 3);
    }
    if (type[0] == 's') /* sign-extend */
        return (double)((int64_t)(raw << (64 - bits)) >> (64 - bits));
    return (double)raw;
}

enum { MOST = 32 * 256 };

/* The matrices themselves: product by product, row by row. */
struct problem {
    unsigned products;
    double a[MOST], b[MOST], c[MOST], d[MOST];
};

static unsigned elements(const struct form *f, char matrix) {
    return (matrix == 'a' ? f->m * f->k : matrix == 'b' ? f->n * f->k : f->m * f->n);
}

static void read_plain(const struct form *f, struct problem *p, unsigned char *const buffer[4]) {
    bool pairs = strcmp(f->a, "f16") == 0 && f->k == 4;
    p->products = pairs ? 4 : 1;
    for (int which = 0; which < 4; which++) {
        char matrix = "abcd"[which];
        const char *type = which == 0 ? f->a : which == 1 ? f->b : which == 2 ? f->c : f->d;
        double *to = which == 0 ? p->a : which == 1 ? p->b : which == 2 ? p->c : p->d;
        unsigned bits = form_bits(type), each = p->products * elements(f, matrix) / 32;
        unsigned columns = which == 0 ? f->k : f->n, rows = which == 1 ? f->k : f->m;
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned i = 0; i < each; i++) {
                struct place at = pairs ? (which == 0   ? pair_a(strcmp(f->layout[0], "row") == 0, lane, i)
                                           : which == 1 ? pair_b(strcmp(f->layout[1], "row") == 0, lane, i)
                                                        : pair_c(bits == 32, lane, i))
                                  : which == 0 ? place_a(bits, f->m, f->k, lane, i)
                                  : which == 1 ? place_b(bits, f->k, lane, i)
                                               : place_c(lane, i);
                unsigned product = pairs ? pair_of(lane) : 0;
                to[(product * rows + at.row) * columns + at.column] =
                    value_of(type, buffer[which], lane * each + i);
            }
    }
}

/* In the memory layout of forms.c. */
static void read_wmma(const struct form *f, struct problem *p, unsigned char *const buffer[4]) {
    bool a_row = strcmp(f->layout[0], "row") == 0, b_row = strcmp(f->layout[1], "row") == 0;
    unsigned a_line = a_row ? f->k : f->m, b_line = b_row ? f->n : f->k;
    if (form_bits(f->a) == 8) {
        a_line = a_line < 16 ? 16 : a_line;
        b_line = b_line < 16 ? 16 : b_line;
    }
    p->products = 1;
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned k = 0; k < f->k; k++)
            p->a[i * f->k + k] = value_of(f->a, buffer[0], a_row ? i * a_line + k : k * a_line + i);
    for (unsigned k = 0; k < f->k; k++)
        for (unsigned j = 0; j < f->n; j++)
            p->b[k * f->n + j] = value_of(f->b, buffer[1], b_row ? k * b_line + j : j * b_line + k);
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++) {
            p->c[i * f->n + j] = value_of(f->c, buffer[2], i * (f->n + 8) + j);
            p->d[i * f->n + j] = value_of(f->d, buffer[3], j * (f->m + 16) + i);
        }
}

static bool integers(const struct form *f) {
    return strcmp(f->c, "s32") == 0;
}

static double wrap(const struct form *f, double sum) {
    if (strcmp(f->more, ".satfinite") == 0)
        return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (double)(int32_t)(uint32_t)(int64_t)sum;
}

static double term(const struct form *f, double a, double b) {
    if (strcmp(f->more, ".xor.popc") == 0)
        return a != b;
    return a * b; /* also a & b */
}

/* Whether d is right: to the last bit for integers and small whole numbers, otherwise approximately. */
static bool fits(const struct form *f, unsigned seed, double got, double sum, double size) {
    if (integers(f))
        return got == wrap(f, sum);
    bool half = strcmp(f->d, "f16") == 0;
    if (isnan(sum))
        return isnan(got);
    double limit = half ? 65504 : strcmp(f->d, "f64") == 0 ? (double)INFINITY : 0x1.fffffep127;
    if (isinf(sum) || fabs(sum) > limit)
        return got == sum || isinf(got) || fabs(got) == limit;
    if (seed == 0)
        return got == sum;
    double unit = half ? 0x1p-10 : strcmp(f->d, "f64") == 0 ? 0x1p-51 : 0x1p-20;
    return fabs(got - sum) <= unit * size + (half ? 0x1p-24 : 0x1p-149);
}

static void check_form(const struct form *f, unsigned seed) {
    static struct problem p;
    char name[128];
    struct harness h;
    form_name(f, name, sizeof name);
    form_open(&h, f);
    unsigned char *buffer[4];
    for (int i = 0; i < 4; i++)
        buffer[i] = harness_buffer(&h, FORM_BYTES);
    form_fill(f, seed, buffer[0], buffer[1], buffer[2]);
    if (!harness_launch(&h, "run", 1, 32, 0,
                        (const void *[]){&buffer[0], &buffer[1], &buffer[2], &buffer[3]}))
        fail_msg("%s: %s", name, h.fault.text);
    if (f->wmma)
        read_wmma(f, &p, buffer);
    else
        read_plain(f, &p, buffer);
    for (unsigned product = 0; product < p.products; product++)
        for (unsigned i = 0; i < f->m; i++)
            for (unsigned j = 0; j < f->n; j++) {
                unsigned at = (product * f->m + i) * f->n + j;
                double sum = p.c[at], size = fabs(sum);
                for (unsigned k = 0; k < f->k; k++) {
                    double x =
                        term(f, p.a[(product * f->m + i) * f->k + k], p.b[(product * f->k + k) * f->n + j]);
                    sum += x;
                    size += fabs(x);
                }
                if (!fits(f, seed, p.d[at], sum, size))
                    fail_msg("%s, seed %u: product %u, row %u, column %u: %.17g instead of %.17g", name, seed,
                             product, i, j, p.d[at], sum);
            }
    harness_close(&h);
}

static void test_forms(void **state) {
    (void)state;
    for (unsigned i = 0; i < form_count; i++)
        for (unsigned seed = 0; seed < FORM_SEEDS; seed++)
            check_form(&forms[i], seed);
}

/* Sums one past the ends of 32 bits: -1 and 1 plus the least and the greatest number, and neighbours. */
static void test_saturates(void **state) {
    (void)state;
    static const struct {
        int32_t product, addend, sum;
    } cases[] = {{-1, INT32_MIN, INT32_MIN}, {-1, INT32_MIN + 1, INT32_MIN}, {-2, INT32_MIN, INT32_MIN},
                 {1, INT32_MAX, INT32_MAX},  {1, INT32_MAX - 1, INT32_MAX},  {2, INT32_MAX, INT32_MAX}};
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry run(.param .u64 to, .param .u32 product, .param .u32 addend) {\n"
        ".reg .b32 %r<8>; .reg .b64 %d<3>; .reg .pred %p;\n"
        "ld.param.u64 %d1, [to]; ld.param.u32 %r1, [product]; ld.param.u32 %r2, [addend];\n"
        /* Along k only the first element of a and of b is nonzero. */
        "mov.u32 %r3, %laneid; and.b32 %r4, %r3, 3; setp.eq.u32 %p, %r4, 0; and.b32 %r1, %r1, 255;\n"
        "selp.b32 %r1, %r1, 0, %p; selp.b32 %r4, 1, 0, %p;\n"
        "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%r5, %r6}, {%r1}, {%r4}, {%r2, %r2};\n"
        "mul.wide.u32 %d2, %r3, 8; add.u64 %d1, %d1, %d2; st.global.v2.u32 [%d1], {%r5, %r6}; ret;\n}\n";
    struct harness h;
    harness_start(&h);
    harness_load(&h, "saturates", text, sizeof text - 1);
    int32_t *out = harness_buffer(&h, 64 * sizeof *out);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(
            harness_launch(&h, "run", 1, 32, 0, (const void *[]){&out, &cases[i].product, &cases[i].addend}));
        for (int j = 0; j < 64; j++)
            assert_int_equal(out[j], cases[i].sum);
    }
    harness_close(&h);
}

static void expect_refused(const char *instruction, const char *why) {
    char text[1024];
    struct ptx_error error;
    struct sim_module *module;
    struct sim_memory *memory = sim_memory_create(1 << 20);
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry run()\n{\n.reg .b32 %%r<20>;\n"
             ".reg .f32 %%f<10>;\n.reg .b64 %%p;\n%s\nret;\n}\n",
             instruction);
    assert_false(sim_module_load(memory, "refused", text, strlen(text), &module, &error));
    assert_int_equal(error.pos.line, 9);
    if (!strstr(error.message, why))
        fail_msg("%s", error.message);
    sim_memory_destroy(memory);
}

static void test_refused(void **state) {
    (void)state;
    expect_refused("mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
                   "{%r4,%r5}, {%f0,%f1,%f2,%f3};",
                   "is not supported");
    expect_refused("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2}, "
                   "{%r4,%r5}, {%f0,%f1,%f2,%f3};",
                   "takes 4 registers here, not 3");
    expect_refused("mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
                   "{%r4,%r5}, {%f0,%f1,%f2,%f3};",
                   "is not supported");
    expect_refused("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, "
                   "{%r4,%r5}, {%f0,%f1,%f2,%f3}, %r0, 0x0;",
                   "'.sp'");
    expect_refused("wgmma.fence.sync.aligned;", "is not supported");
    expect_refused("ldmatrix.sync.aligned.m8n8.x2.global.b16 {%r0,%r1}, [%p];", "is not supported");
    expect_refused("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r0}, [%r1];", "is not supported");
    expect_refused("wmma.load.b.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%p], 32;", "lie along k");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_saturates),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
