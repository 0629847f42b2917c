/* The table of one set of instructions: the whole of a file in this folder. */
#include "lib/host/isa/add.h"
#include "lib/host/isa/line.h"
#include "lib/host/isa/transpose.h"
#include "lib/host/kernels.h"

#define WL_TABLE(text)                                                                                       \
    {                                                                                                        \
        .name = text, .transpose = {transpose1, transpose2, transpose4, transpose8, transpose16},            \
        .line = {line1, line2, line4, line8, line16}, .line_any = line_any, .add = {                         \
            [WL_TYPE_I8] = add_8,                                                                            \
            [WL_TYPE_I16] = add_16,                                                                          \
            [WL_TYPE_I32] = add_32,                                                                          \
            [WL_TYPE_I64] = add_64,                                                                          \
            [WL_TYPE_U8] = add_8,                                                                            \
            [WL_TYPE_U16] = add_16,                                                                          \
            [WL_TYPE_U32] = add_32,                                                                          \
            [WL_TYPE_U64] = add_64,                                                                          \
            [WL_TYPE_F16] = add_f16,                                                                         \
            [WL_TYPE_BF16] = add_bf16,                                                                       \
            [WL_TYPE_F32] = add_f32,                                                                         \
            [WL_TYPE_F64] = add_f64                                                                          \
        }                                                                                                    \
    }
