/* Moves, packing, selection.  Included by lanes_move.c; the macros are in lanes_handlers.h. */
/* clang-format off */

PREDICATE1("mov.pred", a)
OP1("mov.{b16|u16|s16|f16|bf16}", B16, B16, a)
OP1("mov.{b32|u32|s32|f32|f16x2|bf16x2}", B32, B32, a)
OP1("mov.{b64|u64|s64|f64}", B64, B64, a)

/* the first operand is the lowest part */
OP2("mov.pack.2x8", B16, B8, B8, a | b << 8)
OP4("mov.pack.4x8", B32, B8, B8, B8, B8, a | b << 8 | c << 16 | f << 24)
OP2("mov.pack.2x16", B32, B16, B16, a | b << 16)
OP4("mov.pack.4x16", B64, B16, B16, B16, B16, a | b << 16 | (uint64_t)(c | f << 16) << 32)
OP2("mov.pack.2x32", B64, B32, B32, a | (uint64_t)b << 32)
UNPACK("mov.unpack.2x8", B8, B16, a, a >> 8)
UNPACK("mov.unpack.lo.4x8", B8, B32, a, a >> 8)
UNPACK("mov.unpack.hi.4x8", B8, B32, a >> 16, a >> 24)
UNPACK("mov.unpack.2x16", B16, B32, a, a >> 16)
UNPACK("mov.unpack.lo.4x16", B16, B64, a, a >> 16)
UNPACK("mov.unpack.hi.4x16", B16, B64, a >> 32, a >> 48)
UNPACK("mov.unpack.2x32", B32, B64, a, a >> 32)

OP3("selp.{b16|u16|s16|f16|bf16}", B16, B16, B16, PRED, c ? a : b)
OP3("selp.{b32|u32|s32|f16x2|bf16x2}", B32, B32, B32, PRED, c ? a : b)
OP3("selp.{b64|u64|s64}", B64, B64, B64, PRED, c ? a : b)
OP3("selp.f32", F32, F32, F32, PRED, c ? a : b)
OP3("selp.f64", F64, F64, F64, PRED, c ? a : b)

/* slct: is c >= 0?  Yes for a negative zero and for a subnormal under .ftz, no for a NaN */
OP3("slct.{b16|u16|s16}.s32", B16, B16, B16, S32, c >= 0 ? a : b)
OP3("slct.{b32|u32|s32}.s32", B32, B32, B32, S32, c >= 0 ? a : b)
OP3("slct.{b64|u64|s64}.s32", B64, B64, B64, S32, c >= 0 ? a : b)
OP3("slct.f32.s32", F32, F32, F32, S32, c >= 0 ? a : b)
OP3("slct.f64.s32", F64, F64, F64, S32, c >= 0 ? a : b)
OP3("slct.{b16|u16|s16}.f32", B16, B16, B16, F32, c >= 0 ? a : b)
OP3("slct.{b32|u32|s32}.f32", B32, B32, B32, F32, c >= 0 ? a : b)
OP3("slct.{b64|u64|s64}.f32", B64, B64, B64, F32, c >= 0 ? a : b)
OP3("slct.f32.f32", F32, F32, F32, F32, c >= 0 ? a : b)
OP3("slct.f64.f32", F64, F64, F64, F32, c >= 0 ? a : b)
OP3("slct.ftz.{b16|u16|s16}.f32", B16, B16, B16, F32, c > -0x1p-126f ? a : b)
OP3("slct.ftz.{b32|u32|s32}.f32", B32, B32, B32, F32, c > -0x1p-126f ? a : b)
OP3("slct.ftz.{b64|u64|s64}.f32", B64, B64, B64, F32, c > -0x1p-126f ? a : b)
OP3("slct.ftz.f32.f32", F32, F32, F32, F32, c > -0x1p-126f ? a : b)
OP3("slct.ftz.f64.f32", F64, F64, F64, F32, c > -0x1p-126f ? a : b)
