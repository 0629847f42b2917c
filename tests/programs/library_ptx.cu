/* A library loaded through the runtime API at run time: kernels by name, a variable, unloading. */
#include "program.h"

static const char text[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .const .align 4 .u32 step = 3;
.visible .global .align 4 .u32 calls[2];
.visible .entry count(.param .u64 to) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.const.u32 %r2, [step];
    mul.lo.u32 %r3, %r1, %r2;
    st.global.u32 [%rd3], %r3;
    mov.u64 %rd4, calls;
    red.global.add.u32 [%rd4+4], 1;
    ret;
}
)";

int main() {
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned kernels = 0, calls[2];
    CHECK(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cudaLibraryGetKernelCount(&kernels, library));
    CHECK(cudaLibraryGetKernel(&kernel, library, "count"));
    int *out = device_array<int>(64);
    void *arguments[] = {&out};
    CHECK(cudaLaunchKernel((const void *)kernel, 1, 64, arguments, 0, 0));
    CHECK_KERNEL();
    void *at;
    size_t size;
    CHECK(cudaLibraryGetGlobal(&at, &size, library, "calls"));
    CHECK(cudaMemcpy(calls, at, sizeof calls, cudaMemcpyDeviceToHost));
    printf("%u kernels, %zu bytes, %u calls\n", kernels, size, calls[1]);
    print_array("out", out, 64);
    printf("no kernel: %s\n", cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "cuont")));
    CHECK(cudaLibraryUnload(library));
}
