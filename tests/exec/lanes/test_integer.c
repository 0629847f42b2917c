/* Integer arithmetic against 128-bit arithmetic. */
#include "tests/exec/lanes/reference.h"

REFERENCE(add_16, 16, A + B)
REFERENCE(sub_16, 16, A - B)
REFERENCE(mul_lo_u16, 16, (wide)((uwide)A *(uwide)B))
REFERENCE(mul_hi_u16, 16, (wide)(((uwide)A * (uwide)B) >> 16))
REFERENCE(mad_lo_u16, 16, (wide)((uwide)A *(uwide)B + (uwide)C))
REFERENCE(mad_hi_u16, 16, (wide)(((uwide)A * (uwide)B) >> 16) + C)
REFERENCE_TO(mul_wide_u16, 16, 32, A *B)
REFERENCE_TO(mad_wide_u16, 16, 32, A *B + C)
REFERENCE(sad_u16, 16, C + (A < B ? B - A : A - B))
REFERENCE(div_u16, 16, B ? A / B : -1)
REFERENCE(rem_u16, 16, B ? A % B : -1)
REFERENCE(min_u16, 16, A < B ? A : B)
REFERENCE(max_u16, 16, A > B ? A : B)
REFERENCE(mul_lo_s16, 16, (wide)((uwide)SA *(uwide)SB))
REFERENCE(mul_hi_s16, 16, shift_down(SA *SB, 16))
REFERENCE(mad_lo_s16, 16, (wide)((uwide)SA *(uwide)SB + (uwide)C))
REFERENCE(mad_hi_s16, 16, shift_down(SA *SB, 16) + C)
REFERENCE_TO(mul_wide_s16, 16, 32, SA *SB)
REFERENCE_TO(mad_wide_s16, 16, 32, SA *SB + C)
REFERENCE(sad_s16, 16, C + (SA < SB ? SB - SA : SA - SB))
REFERENCE(div_s16, 16, SB ? SA / SB : -1)
REFERENCE(rem_s16, 16, SB ? SA % SB : -1)
REFERENCE(min_s16, 16, SA < SB ? SA : SB)
REFERENCE(max_s16, 16, SA > SB ? SA : SB)
REFERENCE(abs_16, 16, SA < 0 ? -SA : SA)
REFERENCE(neg_16, 16, -SA)
REFERENCE(add_32, 32, A + B)
REFERENCE(sub_32, 32, A - B)
REFERENCE(mul_lo_u32, 32, (wide)((uwide)A *(uwide)B))
REFERENCE(mul_hi_u32, 32, (wide)(((uwide)A * (uwide)B) >> 32))
REFERENCE(mad_lo_u32, 32, (wide)((uwide)A *(uwide)B + (uwide)C))
REFERENCE(mad_hi_u32, 32, (wide)(((uwide)A * (uwide)B) >> 32) + C)
REFERENCE_TO(mul_wide_u32, 32, 64, A *B)
REFERENCE_TO(mad_wide_u32, 32, 64, A *B + C)
REFERENCE(sad_u32, 32, C + (A < B ? B - A : A - B))
REFERENCE(div_u32, 32, B ? A / B : -1)
REFERENCE(rem_u32, 32, B ? A % B : -1)
REFERENCE(min_u32, 32, A < B ? A : B)
REFERENCE(max_u32, 32, A > B ? A : B)
REFERENCE(mul_lo_s32, 32, (wide)((uwide)SA *(uwide)SB))
REFERENCE(mul_hi_s32, 32, shift_down(SA *SB, 32))
REFERENCE(mad_lo_s32, 32, (wide)((uwide)SA *(uwide)SB + (uwide)C))
REFERENCE(mad_hi_s32, 32, shift_down(SA *SB, 32) + C)
REFERENCE_TO(mul_wide_s32, 32, 64, SA *SB)
REFERENCE_TO(mad_wide_s32, 32, 64, SA *SB + C)
REFERENCE(sad_s32, 32, C + (SA < SB ? SB - SA : SA - SB))
REFERENCE(div_s32, 32, SB ? SA / SB : -1)
REFERENCE(rem_s32, 32, SB ? SA % SB : -1)
REFERENCE(min_s32, 32, SA < SB ? SA : SB)
REFERENCE(max_s32, 32, SA > SB ? SA : SB)
REFERENCE(abs_32, 32, SA < 0 ? -SA : SA)
REFERENCE(neg_32, 32, -SA)
REFERENCE(add_64, 64, A + B)
REFERENCE(sub_64, 64, A - B)
REFERENCE(mul_lo_u64, 64, (wide)((uwide)A *(uwide)B))
REFERENCE(mul_hi_u64, 64, (wide)(((uwide)A * (uwide)B) >> 64))
REFERENCE(mad_lo_u64, 64, (wide)((uwide)A *(uwide)B + (uwide)C))
REFERENCE(mad_hi_u64, 64, (wide)(((uwide)A * (uwide)B) >> 64) + C)
REFERENCE(sad_u64, 64, C + (A < B ? B - A : A - B))
REFERENCE(div_u64, 64, B ? A / B : -1)
REFERENCE(rem_u64, 64, B ? A % B : -1)
REFERENCE(min_u64, 64, A < B ? A : B)
REFERENCE(max_u64, 64, A > B ? A : B)
REFERENCE(mul_lo_s64, 64, (wide)((uwide)SA *(uwide)SB))
REFERENCE(mul_hi_s64, 64, shift_down(SA *SB, 64))
REFERENCE(mad_lo_s64, 64, (wide)((uwide)SA *(uwide)SB + (uwide)C))
REFERENCE(mad_hi_s64, 64, shift_down(SA *SB, 64) + C)
REFERENCE(sad_s64, 64, C + (SA < SB ? SB - SA : SA - SB))
REFERENCE(div_s64, 64, SB ? SA / SB : -1)
REFERENCE(rem_s64, 64, SB ? SA % SB : -1)
REFERENCE(min_s64, 64, SA < SB ? SA : SB)
REFERENCE(max_s64, 64, SA > SB ? SA : SB)
REFERENCE(abs_64, 64, SA < 0 ? -SA : SA)
REFERENCE(neg_64, 64, -SA)
REFERENCE(add_sat, 32, clamp(SA + SB, INT32_MIN, INT32_MAX))
REFERENCE(sub_sat, 32, clamp(SA - SB, INT32_MIN, INT32_MAX))
REFERENCE(mad_hi_sat, 32, clamp(shift_down(SA *SB, 32) + SC, INT32_MIN, INT32_MAX))
REFERENCE(min_relu, 32, clamp(SA < SB ? SA : SB, 0, INT32_MAX))
REFERENCE(max_relu, 32, clamp(SA > SB ? SA : SB, 0, INT32_MAX))
REFERENCE(mul24_lo_u, 32, u(A, 24) * u(B, 24))
REFERENCE(mad24_lo_u, 32, u(A, 24) * u(B, 24) + C)
REFERENCE(mul24_hi_u, 32, shift_down(u(A, 24) * u(B, 24), 16))
REFERENCE(mad24_hi_u, 32, shift_down(u(A, 24) * u(B, 24), 16) + C)
REFERENCE(mul24_lo_s, 32, s(A, 24) * s(B, 24))
REFERENCE(mad24_lo_s, 32, s(A, 24) * s(B, 24) + C)
REFERENCE(mul24_hi_s, 32, shift_down(s(A, 24) * s(B, 24), 16))
REFERENCE(mad24_hi_s, 32, shift_down(s(A, 24) * s(B, 24), 16) + C)
REFERENCE(mad24_hi_sat, 32, clamp(s(shift_down(s(A, 24) * s(B, 24), 16), 32) + SC, INT32_MIN, INT32_MAX))
REFERENCE(add_16x2, 32, u(A + B, 16) + (u(shift_down(A, 16) + shift_down(B, 16), 16) << 16))

static wide pick(wide x, wide y, bool most) {
    return (x > y) == most ? x : y;
}

REFERENCE(min_u16x2, 32,
          u(pick(u(shift_down(A, 0), 16), u(shift_down(B, 0), 16), false), 16) +
              (u(pick(u(shift_down(A, 16), 16), u(shift_down(B, 16), 16), false), 16) << 16))
REFERENCE(min_s16x2, 32,
          u(pick(s(shift_down(A, 0), 16), s(shift_down(B, 0), 16), false), 16) +
              (u(pick(s(shift_down(A, 16), 16), s(shift_down(B, 16), 16), false), 16) << 16))
REFERENCE(min_relu_16x2, 32,
          u(pick(0, pick(s(shift_down(A, 0), 16), s(shift_down(B, 0), 16), false), true), 16) +
              (u(pick(0, pick(s(shift_down(A, 16), 16), s(shift_down(B, 16), 16), false), true), 16) << 16))
REFERENCE(max_u16x2, 32,
          u(pick(u(shift_down(A, 0), 16), u(shift_down(B, 0), 16), true), 16) +
              (u(pick(u(shift_down(A, 16), 16), u(shift_down(B, 16), 16), true), 16) << 16))
REFERENCE(max_s16x2, 32,
          u(pick(s(shift_down(A, 0), 16), s(shift_down(B, 0), 16), true), 16) +
              (u(pick(s(shift_down(A, 16), 16), s(shift_down(B, 16), 16), true), 16) << 16))
REFERENCE(max_relu_16x2, 32,
          u(pick(0, pick(s(shift_down(A, 0), 16), s(shift_down(B, 0), 16), true), true), 16) +
              (u(pick(0, pick(s(shift_down(A, 16), 16), s(shift_down(B, 16), 16), true), true), 16) << 16))

/* The sum of n products: a's elements of bits_a bits times b's bytes from first on. */
static wide dot(wide a, bool a_signed, unsigned bits_a, wide b, bool b_signed, unsigned first, unsigned n) {
    wide sum = 0;
    for (unsigned k = 0; k < n; k++) {
        const wide x = shift_down(a, bits_a * k), y = shift_down(b, 8 * (first + k));
        sum += (a_signed ? s(x, bits_a) : u(x, bits_a)) * (b_signed ? s(y, 8) : u(y, 8));
    }
    return sum;
}

REFERENCE(dp4a_uu, 32, C + dot(A, false, 8, B, false, 0, 4))
REFERENCE(dp2a_lo_uu, 32, C + dot(A, false, 16, B, false, 0, 2))
REFERENCE(dp2a_hi_uu, 32, C + dot(A, false, 16, B, false, 2, 2))
REFERENCE(dp4a_us, 32, C + dot(A, false, 8, B, true, 0, 4))
REFERENCE(dp2a_lo_us, 32, C + dot(A, false, 16, B, true, 0, 2))
REFERENCE(dp2a_hi_us, 32, C + dot(A, false, 16, B, true, 2, 2))
REFERENCE(dp4a_su, 32, C + dot(A, true, 8, B, false, 0, 4))
REFERENCE(dp2a_lo_su, 32, C + dot(A, true, 16, B, false, 0, 2))
REFERENCE(dp2a_hi_su, 32, C + dot(A, true, 16, B, false, 2, 2))
REFERENCE(dp4a_ss, 32, C + dot(A, true, 8, B, true, 0, 4))
REFERENCE(dp2a_lo_ss, 32, C + dot(A, true, 16, B, true, 0, 2))
REFERENCE(dp2a_hi_ss, 32, C + dot(A, true, 16, B, true, 2, 2))

/* a - b| for every element of the given bits: packed again, or summed. */
static wide distances(wide a, wide b, unsigned bits, bool is_signed, bool sum) {
    wide out = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const wide x = shift_down(a, at), y = shift_down(b, at);
        const wide d = is_signed ? s(x, bits) - s(y, bits) : u(x, bits) - u(y, bits);
        out += (d < 0 ? -d : d) << (sum ? 0 : at);
    }
    return out;
}

REFERENCE(vabsdiff2_u, 32, distances(A, B, 16, false, false))
REFERENCE(vabsdiff2_s, 32, distances(A, B, 16, true, false))
REFERENCE(vabsdiff4_u, 32, distances(A, B, 8, false, false))
REFERENCE(vabsdiff4_s, 32, distances(A, B, 8, true, false))
REFERENCE(vabsdiff2_u_add, 32, C + distances(A, B, 16, false, true))
REFERENCE(vabsdiff2_s_add, 32, C + distances(A, B, 16, true, true))
REFERENCE(vabsdiff4_u_add, 32, C + distances(A, B, 8, false, true))
REFERENCE(vabsdiff4_s_add, 32, C + distances(A, B, 8, true, true))

static const struct checked_op ops[] = {
    {"vabsdiff2.u32.u32.u32", vabsdiff2_u},
    {"vabsdiff2.u32.s32.s32", vabsdiff2_s},
    {"vabsdiff4.u32.u32.u32", vabsdiff4_u},
    {"vabsdiff4.u32.s32.s32", vabsdiff4_s},
    {"vabsdiff2.u32.u32.u32.add", vabsdiff2_u_add},
    {"vabsdiff2.u32.s32.s32.add", vabsdiff2_s_add},
    {"vabsdiff4.u32.u32.u32.add", vabsdiff4_u_add},
    {"vabsdiff4.u32.s32.s32.add", vabsdiff4_s_add},
    {"add.u16", add_16},
    {"add.s16", add_16},
    {"sub.u16", sub_16},
    {"sub.s16", sub_16},
    {"mul.lo.u16", mul_lo_u16},
    {"mul.hi.u16", mul_hi_u16},
    {"mad.lo.u16", mad_lo_u16},
    {"mad.hi.u16", mad_hi_u16},
    {"mul.wide.u16", mul_wide_u16},
    {"mad.wide.u16", mad_wide_u16},
    {"sad.u16", sad_u16},
    {"div.u16", div_u16},
    {"rem.u16", rem_u16},
    {"min.u16", min_u16},
    {"max.u16", max_u16},
    {"mul.lo.s16", mul_lo_s16},
    {"mul.hi.s16", mul_hi_s16},
    {"mad.lo.s16", mad_lo_s16},
    {"mad.hi.s16", mad_hi_s16},
    {"mul.wide.s16", mul_wide_s16},
    {"mad.wide.s16", mad_wide_s16},
    {"sad.s16", sad_s16},
    {"div.s16", div_s16},
    {"rem.s16", rem_s16},
    {"min.s16", min_s16},
    {"max.s16", max_s16},
    {"abs.s16", abs_16},
    {"neg.s16", neg_16},
    {"add.u32", add_32},
    {"add.s32", add_32},
    {"sub.u32", sub_32},
    {"sub.s32", sub_32},
    {"mul.lo.u32", mul_lo_u32},
    {"mul.hi.u32", mul_hi_u32},
    {"mad.lo.u32", mad_lo_u32},
    {"mad.hi.u32", mad_hi_u32},
    {"mul.wide.u32", mul_wide_u32},
    {"mad.wide.u32", mad_wide_u32},
    {"sad.u32", sad_u32},
    {"div.u32", div_u32},
    {"rem.u32", rem_u32},
    {"min.u32", min_u32},
    {"max.u32", max_u32},
    {"mul.lo.s32", mul_lo_s32},
    {"mul.hi.s32", mul_hi_s32},
    {"mad.lo.s32", mad_lo_s32},
    {"mad.hi.s32", mad_hi_s32},
    {"mul.wide.s32", mul_wide_s32},
    {"mad.wide.s32", mad_wide_s32},
    {"sad.s32", sad_s32},
    {"div.s32", div_s32},
    {"rem.s32", rem_s32},
    {"min.s32", min_s32},
    {"max.s32", max_s32},
    {"abs.s32", abs_32},
    {"neg.s32", neg_32},
    {"add.u64", add_64},
    {"add.s64", add_64},
    {"sub.u64", sub_64},
    {"sub.s64", sub_64},
    {"mul.lo.u64", mul_lo_u64},
    {"mul.hi.u64", mul_hi_u64},
    {"mad.lo.u64", mad_lo_u64},
    {"mad.hi.u64", mad_hi_u64},
    {"sad.u64", sad_u64},
    {"div.u64", div_u64},
    {"rem.u64", rem_u64},
    {"min.u64", min_u64},
    {"max.u64", max_u64},
    {"mul.lo.s64", mul_lo_s64},
    {"mul.hi.s64", mul_hi_s64},
    {"mad.lo.s64", mad_lo_s64},
    {"mad.hi.s64", mad_hi_s64},
    {"sad.s64", sad_s64},
    {"div.s64", div_s64},
    {"rem.s64", rem_s64},
    {"min.s64", min_s64},
    {"max.s64", max_s64},
    {"abs.s64", abs_64},
    {"neg.s64", neg_64},
    {"add.sat.s32", add_sat},
    {"sub.sat.s32", sub_sat},
    {"mad.hi.sat.s32", mad_hi_sat},
    {"min.relu.s32", min_relu},
    {"min.s32.relu", min_relu},
    {"max.s32.relu", max_relu},
    {"max.s16x2.relu", max_relu_16x2},
    {"min.s16x2.relu", min_relu_16x2},
    {"max.relu.s32", max_relu},
    {"mul24.lo.u32", mul24_lo_u},
    {"mad24.lo.u32", mad24_lo_u},
    {"mul24.hi.u32", mul24_hi_u},
    {"mad24.hi.u32", mad24_hi_u},
    {"mul24.lo.s32", mul24_lo_s},
    {"mad24.lo.s32", mad24_lo_s},
    {"mul24.hi.s32", mul24_hi_s},
    {"mad24.hi.s32", mad24_hi_s},
    {"mad24.hi.sat.s32", mad24_hi_sat},
    {"add.u16x2", add_16x2},
    {"add.s16x2", add_16x2},
    {"min.u16x2", min_u16x2},
    {"min.s16x2", min_s16x2},
    {"min.relu.s16x2", min_relu_16x2},
    {"max.u16x2", max_u16x2},
    {"max.s16x2", max_s16x2},
    {"max.relu.s16x2", max_relu_16x2},
    {"dp4a.u32.u32", dp4a_uu},
    {"dp2a.lo.u32.u32", dp2a_lo_uu},
    {"dp2a.hi.u32.u32", dp2a_hi_uu},
    {"dp4a.u32.s32", dp4a_us},
    {"dp2a.lo.u32.s32", dp2a_lo_us},
    {"dp2a.hi.u32.s32", dp2a_hi_us},
    {"dp4a.s32.u32", dp4a_su},
    {"dp2a.lo.s32.u32", dp2a_lo_su},
    {"dp2a.hi.s32.u32", dp2a_hi_su},
    {"dp4a.s32.s32", dp4a_ss},
    {"dp2a.lo.s32.s32", dp2a_lo_ss},
    {"dp2a.hi.s32.s32", dp2a_hi_ss},
};

static void integer_arithmetic(void **state) {
    (void)state;
    CHECK_ALL(ops);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integer_arithmetic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
