/* An external program that uses the CUDA driver API and is linked to the simulator in place of libcuda: it
 * loads its own PTX, launches it, and reads the result and the counters. */
#include <cuda.h>
#include <stdio.h>
#include <wideload.h>

enum { COUNT = 1000, BLOCK = 128 };

static const char ptx[] = ".version 7.0\n"
                          ".target sm_75\n"
                          ".address_size 64\n"
                          ".visible .entry iota(.param .u64 out, .param .u32 n)\n"
                          "{\n"
                          "    .reg .pred %p<2>;\n"
                          "    .reg .b32 %r<6>;\n"
                          "    .reg .b64 %rd<5>;\n"
                          "    ld.param.u64 %rd1, [out];\n"
                          "    ld.param.u32 %r1, [n];\n"
                          "    mov.u32 %r2, %ctaid.x;\n"
                          "    mov.u32 %r3, %ntid.x;\n"
                          "    mov.u32 %r4, %tid.x;\n"
                          "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                          "    setp.ge.u32 %p1, %r5, %r1;\n"
                          "    @%p1 bra DONE;\n"
                          "    cvta.to.global.u64 %rd2, %rd1;\n"
                          "    mul.wide.u32 %rd3, %r5, 4;\n"
                          "    add.s64 %rd4, %rd2, %rd3;\n"
                          "    st.global.u32 [%rd4], %r5;\n"
                          "DONE:\n"
                          "    ret;\n"
                          "}\n";

/* Part of the simulator's extension, described in wideload.h. */
extern wl_sim_get_counters_fn wlSimGetCounters;

static int check(CUresult result, const char *what) {
    const char *name = "an unknown error";
    if (result == CUDA_SUCCESS)
        return 0;
    (void)cuGetErrorName(result, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    return 1;
}

static int run(CUfunction function, CUdeviceptr out) {
    unsigned n = COUNT, result[COUNT];
    void *parameters[] = {&out, &n};
    if (check(cuLaunchKernel(function, (COUNT + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, parameters,
                             NULL),
              "cuLaunchKernel") ||
        check(cuCtxSynchronize(), "cuCtxSynchronize") ||
        check(cuMemcpyDtoH(result, out, sizeof result), "cuMemcpyDtoH"))
        return 1;
    for (unsigned i = 0; i < COUNT; i++)
        if (result[i] != i) {
            fprintf(stderr, "element %u is %u\n", i, result[i]);
            return 1;
        }

    struct wl_counters counters;
    if (check((CUresult)wlSimGetCounters(&counters), "wlSimGetCounters"))
        return 1;
    /* 31 full warps store 4 sectors each, the last one 8 lanes: 1 sector. */
    if (counters.global_store_requests != 32 || counters.gst_transactions != 125) {
        fprintf(stderr, "%llu requests, %llu sectors\n", (unsigned long long)counters.global_store_requests,
                (unsigned long long)counters.gst_transactions);
        return 1;
    }
    return 0;
}

int main(void) {
    CUdevice device;
    CUcontext context = NULL;
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr out = 0;
    if (check(cuInit(0), "cuInit") || check(cuDeviceGet(&device, 0), "cuDeviceGet") ||
        check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain"))
        return 1;
    int failed = check(cuCtxSetCurrent(context), "cuCtxSetCurrent") ||
                 check(cuModuleLoadData(&module, ptx), "cuModuleLoadData") ||
                 check(cuModuleGetFunction(&function, module, "iota"), "cuModuleGetFunction") ||
                 check(cuMemAlloc(&out, COUNT * sizeof(unsigned)), "cuMemAlloc") || run(function, out);
    if (out && check(cuMemFree(out), "cuMemFree"))
        failed = 1;
    if (module && check(cuModuleUnload(module), "cuModuleUnload"))
        failed = 1;
    if (check(cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease"))
        failed = 1;
    if (!failed)
        printf("%d elements by the driver API\n", COUNT);
    return failed;
}
