"""A program that launches a kernel by CUDA's driver API, as libraries of Python do."""
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
P, Z = ctypes.c_void_p, ctypes.c_size_t
PTX = b""".version 7.0
.target sm_75
.address_size 64
.visible .entry fill(.param .u64 to) {
    .reg .u64 %a, %i; .reg .u32 %t;
    ld.param.u64 %a, [to];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %i, %t, 128;
    add.u64 %a, %a, %i;
    st.global.u32 [%a], %t;
    ret;
}"""
def check(code):
    assert code == 0, code
context, module, function, memory = P(), P(), P(), ctypes.c_uint64()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"fill"))
check(cuda.cuMemAlloc_v2(ctypes.byref(memory), Z(32 * 128)))
parameters = (P * 1)(ctypes.addressof(memory))
check(cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, parameters, None))
check(cuda.cuCtxSynchronize())
