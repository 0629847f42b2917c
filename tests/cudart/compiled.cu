/* Compiles a kernel at run time for the device that it finds, and loads the machine code. */
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <nvrtc.h>
#include <vector>

static const char source[] = "extern \"C\" __global__ void scale(int *x, int by) { x[threadIdx.x] *= by; }";

static void check(const char *what, int error) {
    if (error) {
        printf("%s: %d\n", what, error);
        exit(1);
    }
}
#define CHECK(call) check(#call, call)

int main() {
    CUdevice device;
    CUcontext context;
    int major, minor;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    for (const char *kind : {"compute", "sm"}) {
        char arch[64];
        snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d%d", kind, major, minor);
        const char *options[] = {arch, "--generate-line-info"};
        bool machine = *kind == 's';
        nvrtcProgram program;
        size_t size;
        CHECK(nvrtcCreateProgram(&program, source, "scale.cu", 0, NULL, NULL));
        CHECK(nvrtcCompileProgram(program, 2, options));
        CHECK(machine ? nvrtcGetCUBINSize(program, &size) : nvrtcGetPTXSize(program, &size));
        std::vector<char> code(size);
        CHECK(machine ? nvrtcGetCUBIN(program, code.data()) : nvrtcGetPTX(program, code.data()));
        CHECK(nvrtcDestroyProgram(&program));
        CUmodule module;
        CUfunction function;
        CUdeviceptr memory;
        CHECK(cuModuleLoadData(&module, code.data()));
        CHECK(cuModuleGetFunction(&function, module, "scale"));
        int values[4] = {1, 2, 3, 4}, by = 5;
        void *arguments[] = {&memory, &by};
        CHECK(cuMemAlloc(&memory, sizeof values));
        CHECK(cuMemcpyHtoD(memory, values, sizeof values));
        CHECK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
        CHECK(cuMemcpyDtoH(values, memory, sizeof values));
        printf("%s: %d %d %d %d\n", kind, values[0], values[1], values[2], values[3]);
        CHECK(cuMemFree(memory));
        CHECK(cuModuleUnload(module));
    }
    return 0;
}
