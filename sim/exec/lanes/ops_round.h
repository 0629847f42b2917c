/* f32 and f64 arithmetic in every rounding, with .ftz and .sat.  Included by lanes_round.c, whose macros set
 * the processor's rounding and apply the modifiers to operands and result; value is the plain operation.
 * These are fallbacks: ops_float.h has faster forms of some. */
/* clang-format off */
ROUND2("add{|.rn|.rz|.rm|.rp}[.ftz][.sat].f32", F32, a + b)
ROUND2("sub{|.rn|.rz|.rm|.rp}[.ftz][.sat].f32", F32, a - b)
ROUND2("mul{|.rn|.rz|.rm|.rp}[.ftz][.sat].f32", F32, m.ftz ? mul_ftz(a, b) : a * b)
ROUND3("{fma{.rn|.rz|.rm|.rp}|mad{|.rn|.rz|.rm|.rp}}[.ftz][.sat].f32", F32, m.ftz ? fma_ftz(a, b, c) : fmaf(a, b, c))
ROUND2("div{.rn|.rz|.rm|.rp}[.ftz].f32", F32, m.ftz ? div_ftz(a, b) : a / b)
ROUND1("rcp{.rn|.rz|.rm|.rp}[.ftz].f32", F32, m.ftz ? div_ftz(1, a) : 1 / a)
ROUND1("sqrt{.rn|.rz|.rm|.rp}[.ftz].f32", F32, sqrtf(a))
ROUND2("add{.rz|.rm|.rp}.f64", F64, nan_of_2(a + b, a, b))
ROUND2("sub{.rz|.rm|.rp}.f64", F64, nan_of_2(a - b, a, b))
ROUND2("mul{.rz|.rm|.rp}.f64", F64, nan_of_2(a * b, a, b))
ROUND3("{fma|mad}{.rz|.rm|.rp}.f64", F64, nan_of_3(fma(a, b, c), a, b, c))
ROUND2("div{.rz|.rm|.rp}.f64", F64, a / b)
ROUND1("rcp{.rz|.rm|.rp}.f64", F64, 1 / a)
ROUND1("sqrt{.rz|.rm|.rp}.f64", F64, sqrt(a))
