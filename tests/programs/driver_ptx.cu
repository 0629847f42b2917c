/* PTX text passed to the driver, as programs do that compile at run time; a text with an error. */
#include <cuda.h>

#include "program.h"

static const char text[] = R"(
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 bias = 100;
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) {
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .f32 %f<5>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    ld.param.u32 %r5, [n];
    setp.ge.s32 %p1, %r4, %r5;
    @%p1 bra done;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.f32 %f1, [a];
    mul.wide.s32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    ld.global.f32 %f3, [%rd5];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd5], %f4;
done:
    ret;
}
)";

template <typename F> static F driver(const char *name) {
    void *found;
    cudaDriverEntryPointQueryResult status;
    CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status));
    if (status != cudaDriverEntryPointSuccess)
        printf("%s: status %d\n", name, status);
    return (F)found;
}
#define DRIVER(name) driver<decltype(&name)>(#name)

int main() {
    int n = 1000;
    float host[1000], a = 2.5f;
    for (int i = 0; i < n; i++)
        host[i] = i;
    float *x = to_device(host, n), *y = to_device(host, n);
    CUmodule module;
    CUfunction saxpy;
    CUdeviceptr bias;
    size_t size;
    char log[1000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    printf("load %d\n", DRIVER(cuModuleLoadDataEx)(&module, text, 2, options, values));
    printf("function %d\n", DRIVER(cuModuleGetFunction)(&saxpy, module, "saxpy"));
    printf("no function %d\n", DRIVER(cuModuleGetFunction)(&saxpy, module, "sapxy"));
    printf("global %d", DRIVER(cuModuleGetGlobal)(&bias, &size, module, "bias"));
    printf(", %zu bytes\n", size);
    DRIVER(cuModuleGetFunction)(&saxpy, module, "saxpy");
    void *arguments[] = {&x, &y, &a, &n};
    printf("launch %d\n", DRIVER(cuLaunchKernel)(saxpy, 8, 1, 1, 128, 1, 1, 0, NULL, arguments, NULL));
    CHECK_KERNEL();
    print_array("saxpy", y, n);
    char wrong[sizeof text];
    memcpy(wrong, text, sizeof text);
    memcpy(strstr(wrong, "fma.rn"), "fmb.rn", 6);
    values[1] = (void *)sizeof log;
    printf("wrong text %d, ", DRIVER(cuModuleLoadDataEx)(&module, wrong, 2, options, values));
    printf("a word on it: %d\n", strstr(log, "fmb") != NULL);
}
