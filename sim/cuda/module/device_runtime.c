#include "sim/cuda/module/device_runtime.h"

/* A handle is the launch's workspace, whose address cooperative_groups finds in the same registers: its own
 * size, then an arrival count.  Block 0 adds a number that makes the top bit flip when all blocks have
 * arrived. */
#define SYNCHRONIZE(name)                                                                                    \
    ".visible .func (.param .b32 result) " name "(.param .b64 handle, .param .b32 flags)\n"                  \
    "{\n"                                                                                                    \
    "\t.reg .pred %p<4>;\n"                                                                                  \
    "\t.reg .b32 %r<12>;\n"                                                                                  \
    "\t.reg .b64 %h;\n"                                                                                      \
    "\tld.param.u64 %h, [handle];\n"                                                                         \
    "\tmov.u32 %r0, 1;\n" /* cudaErrorInvalidValue */                                                        \
    "\tsetp.eq.u64 %p0, %h, 0;\n"                                                                            \
    "\t@%p0 bra DONE;\n"                                                                                     \
    "\tbarrier.sync 0;\n"                                                                                    \
    "\tmov.u32 %r1, %tid.x;\n"                                                                               \
    "\tmov.u32 %r2, %tid.y;\n"                                                                               \
    "\tmov.u32 %r3, %tid.z;\n"                                                                               \
    "\tor.b32 %r1, %r1, %r2;\n"                                                                              \
    "\tor.b32 %r1, %r1, %r3;\n"                                                                              \
    "\tsetp.ne.u32 %p1, %r1, 0;\n"                                                                           \
    "\t@%p1 bra MET;\n"                                                                                      \
    "\tmov.u32 %r4, %nctaid.x;\n"                                                                            \
    "\tmov.u32 %r5, %nctaid.y;\n"                                                                            \
    "\tmul.lo.u32 %r4, %r4, %r5;\n"                                                                          \
    "\tmov.u32 %r5, %nctaid.z;\n"                                                                            \
    "\tmul.lo.u32 %r4, %r4, %r5;\n"                                                                          \
    "\tsub.u32 %r4, 0x80000001, %r4;\n"                                                                      \
    "\tmov.u32 %r6, %ctaid.x;\n"                                                                             \
    "\tmov.u32 %r7, %ctaid.y;\n"                                                                             \
    "\tor.b32 %r6, %r6, %r7;\n"                                                                              \
    "\tmov.u32 %r7, %ctaid.z;\n"                                                                             \
    "\tor.b32 %r6, %r6, %r7;\n"                                                                              \
    "\tsetp.eq.u32 %p2, %r6, 0;\n"                                                                           \
    "\tselp.b32 %r8, %r4, 1, %p2;\n"                                                                         \
    "\tatom.add.release.gpu.u32 %r9, [%h+4], %r8;\n"                                                         \
    "WAIT:\n"                                                                                                \
    "\tld.acquire.gpu.u32 %r10, [%h+4];\n"                                                                   \
    "\txor.b32 %r11, %r9, %r10;\n"                                                                           \
    "\tsetp.ge.s32 %p3, %r11, 0;\n"                                                                          \
    "\t@%p3 bra WAIT;\n"                                                                                     \
    "MET:\n"                                                                                                 \
    "\tbarrier.sync 0;\n"                                                                                    \
    "\tmov.u32 %r0, 0;\n"                                                                                    \
    "DONE:\n"                                                                                                \
    "\tst.param.b32 [result], %r0;\n"                                                                        \
    "\tret;\n"                                                                                               \
    "}\n"

/* Returns two numbers through pointers that may be NULL; compute leaves them in %r1 and %r2. */
#define TWO_NUMBERS(name, compute)                                                                           \
    ".visible .func (.param .b32 result) " name                                                              \
    "(.param .b64 first, .param .b64 second, .param .b64 handle)\n"                                          \
    "{\n"                                                                                                    \
    "\t.reg .pred %p<2>;\n"                                                                                  \
    "\t.reg .b32 %r<9>;\n"                                                                                   \
    "\t.reg .b64 %a<2>;\n" compute "\tld.param.u64 %a0, [first];\n"                                          \
    "\tld.param.u64 %a1, [second];\n"                                                                        \
    "\tsetp.eq.u64 %p0, %a0, 0;\n"                                                                           \
    "\tsetp.eq.u64 %p1, %a1, 0;\n"                                                                           \
    "\t@!%p0 st.u32 [%a0], %r1;\n"                                                                           \
    "\t@!%p1 st.u32 [%a1], %r2;\n"                                                                           \
    "\tst.param.b32 [result], 0;\n"                                                                          \
    "\tret;\n"                                                                                               \
    "}\n"

/* out = (z * extent of y + y) * extent of x + x; uses %r7 and %r8. */
#define FLATTENED(out, index, extent)                                                                        \
    "\tmov.u32 " out ", " index ".z;\n"                                                                      \
    "\tmov.u32 %r7, " extent ".y;\n"                                                                         \
    "\tmov.u32 %r8, " index ".y;\n"                                                                          \
    "\tmad.lo.u32 " out ", " out ", %r7, %r8;\n"                                                             \
    "\tmov.u32 %r7, " extent ".x;\n"                                                                         \
    "\tmov.u32 %r8, " index ".x;\n"                                                                          \
    "\tmad.lo.u32 " out ", " out ", %r7, %r8;\n"

#define PRODUCT(out, extent)                                                                                 \
    "\tmov.u32 " out ", " extent ".x;\n"                                                                     \
    "\tmov.u32 %r7, " extent ".y;\n"                                                                         \
    "\tmul.lo.u32 " out ", " out ", %r7;\n"                                                                  \
    "\tmov.u32 %r7, " extent ".z;\n"                                                                         \
    "\tmul.lo.u32 " out ", " out ", %r7;\n"

const char device_runtime[] =
    ".version 6.3\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .func (.param .b64 result) cudaCGGetIntrinsicHandle(.param .b32 scope)\n"
    "{\n"
    "\t.reg .pred %p;\n"
    "\t.reg .b32 %r<3>;\n"
    "\t.reg .b64 %h;\n"
    "\tld.param.u32 %r0, [scope];\n"
    "\tmov.u32 %r1, %envreg1;\n"
    "\tmov.u32 %r2, %envreg2;\n"
    "\tmov.b64 %h, {%r2, %r1};\n"
    "\tsetp.eq.u32 %p, %r0, 1;\n" /* cudaCGScopeGrid */
    "\tselp.b64 %h, %h, 0, %p;\n"
    "\tst.param.b64 [result], %h;\n"
    "\tret;\n"
    "}\n" SYNCHRONIZE("cudaCGSynchronize") SYNCHRONIZE("cudaCGSynchronizeGrid") TWO_NUMBERS(
        "cudaCGGetSize", PRODUCT("%r1", "%ntid") PRODUCT("%r3", "%nctaid") "\tmul.lo.u32 %r1, %r1, %r3;\n"
                                                                           "\tmov.u32 %r2, 1;\n")
        TWO_NUMBERS("cudaCGGetRank", FLATTENED("%r1", "%tid", "%ntid") FLATTENED("%r3", "%ctaid", "%nctaid")
                                         PRODUCT("%r4", "%ntid") "\tmad.lo.u32 %r1, %r3, %r4, %r1;\n"
                                                                 "\tmov.u32 %r2, 0;\n");
